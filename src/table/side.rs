//! Small text files outside the table, such as bounds by feature.

use std::collections::HashMap;
use std::path::Path;

use crate::error::{Error, Parameter, Result};
use crate::table::block_table::{TextCell, TextPlace, Wanted};
use crate::table::bounds::Bounds;
use crate::table::facts::TableFacts;
use crate::table::formats::Format;
use crate::table::formats::text::cells::Row;
use crate::table::formats::text::file::TextFile;
use crate::table::number::parse_number;
use crate::table::schema::Schema;
use crate::table::text::text;

/// The maximum size of a block of rows of a file that is not text, in bytes.
const BLOCK: usize = 1 << 20;

/// The header and all rows of a small file, in order.
pub(crate) struct SideFile {
    pub(crate) header: Vec<String>,
    pub(crate) rows: Vec<Vec<Vec<u8>>>,
}

impl SideFile {
    fn read(path: &Path, columns: usize, form: &str) -> Result<Self> {
        let file = Self::read_any(path)?;
        if file.header.len() != columns {
            let name = path.display();
            return Err(Error::input(format!("{name} must have the columns {form}")));
        }
        if file.header.iter().skip(1).any(|cell| parse_number(cell.as_bytes()).is_some()) {
            let name = path.display();
            let rule = format!("{name} has numbers in its first line, which must name the columns");
            return Err(Error::input(rule).hint(format!("begin the file with the line {form}")));
        }
        Ok(file)
    }

    /// Reads the header.
    pub(crate) fn header(path: &Path) -> Result<Vec<String>> {
        TextFile::new(path).open()?.names()
    }

    /// Reads a file in any form, numbers as texts.
    pub(crate) fn read_texts(path: &Path) -> Result<Self> {
        let format = Format::of(path)?;
        if format == Format::Text {
            return Self::read_any(path);
        }
        let table = format.open(path, &TableFacts::default())?;
        let header = table.layout().names.clone();
        let texts = (0..header.len()).map(TextPlace::Column).collect();
        let wanted = Wanted { texts, block: BLOCK, ..Wanted::default() };
        let mut rows = Vec::new();
        for block in table.blocks(&wanted)? {
            let mut columns = block?.texts;
            let count = columns.first().map_or(0, Vec::len);
            let cell = |column: &mut Vec<TextCell>, row: usize| {
                column.get_mut(row).and_then(Option::take).unwrap_or_default()
            };
            rows.extend(
                (0..count).map(|row| {
                    columns.iter_mut().map(|column| cell(column, row)).collect::<Vec<_>>()
                }),
            );
        }
        Ok(Self { header, rows })
    }

    /// Reads a file with any number of columns.
    pub(crate) fn read_any(path: &Path) -> Result<Self> {
        let table = TextFile::new(path).open()?;
        let header = table.names()?;
        let cell = |row: &Row<'_>, c| row.cell(c).trim_ascii().to_vec();
        let rows = table.rows(1, &|row| (0..header.len()).map(|c| cell(row, c)).collect())?;
        Ok(Self { header, rows: rows.into_iter().map(|row| row.1).collect() })
    }
}

/// Which features need bounds, by their names.
pub(crate) type Needs<'a> = dyn Fn(&str) -> bool + 'a;

/// Reads the bounds of every feature from a CSV file `feature,lo,hi`, in which `*` stands for all
/// others; features that need no bounds may be left out.
///
/// # Errors
///
/// `Io` if it cannot be read; `Input` if it is malformed; `Request` if it does not fit the
/// features.
pub(crate) fn read_bounds(path: &Path, schema: &Schema, needs: &Needs<'_>) -> Result<Vec<Bounds>> {
    let name = path.display();
    let mut given = Vec::new();
    for (i, row) in SideFile::read(path, 3, "feature,lo,hi")?.rows.into_iter().enumerate() {
        let [feature, low, high] = <[Vec<u8>; 3]>::try_from(row).unwrap_or_default();
        let at = |error: Error| error.at(Some(i as u64 + 1), None);
        let refuse = |rule: &str| at(Error::request(format!("{name}: {rule}")));
        let ends = parse_number(&low).zip(parse_number(&high));
        let (low, high) = ends.ok_or_else(|| refuse("bounds must be numbers"))?;
        let range = Bounds::new(low, high).map_err(at)?;
        let feature = text(&feature).ok_or_else(|| refuse("a name is not text in UTF-8"))?;
        given.push((feature, range));
    }
    bounds_of_features(&given, (schema, needs), Some(&name.to_string()))
}

/// Reads the weights of features from a CSV file `feature,weight`.
///
/// # Errors
///
/// `Io` if it cannot be read; `Input` if it is malformed.
pub(crate) fn read_weights(path: &Path) -> Result<Vec<(String, f64)>> {
    let name = path.display();
    let rows = SideFile::read(path, 2, "feature,weight")?.rows.into_iter().zip(1..);
    let weight = |(row, number): (Vec<Vec<u8>>, u64)| {
        let [feature, weight] = <[Vec<u8>; 2]>::try_from(row).unwrap_or_default();
        let refuse = |rule: &str| {
            let error = Error::input(format!("{name}: {rule}")).at(Some(number), None);
            error.about([Parameter::Weights])
        };
        let weight = parse_number(&weight).ok_or_else(|| refuse("a weight must be a number"))?;
        let feature = text(&feature).ok_or_else(|| refuse("a name is not text in UTF-8"))?;
        Ok((feature, weight))
    };
    rows.map(weight).collect()
}

/// The bounds of every feature from bounds given by name, in which `*` stands for all others;
/// `file` is the file that they were read from. Features that need no bounds have the range from -1
/// to 1.
///
/// # Errors
///
/// `Request` if they do not fit the features; in a file with the row of the first that does not.
pub(crate) fn bounds_of_features(
    given: &[(String, Bounds)],
    (schema, needs): (&Schema, &Needs<'_>),
    file: Option<&str>,
) -> Result<Vec<Bounds>> {
    let refuse = |rule: &str, row: Option<u64>| match file {
        Some(file) => {
            Error::request(format!("{file}: {rule}")).at_row(row).about([Parameter::BoundsFile])
        }
        None => Error::request(rule).about([Parameter::Bounds]),
    };
    let mut places: HashMap<&str, usize> =
        schema.feature_names().enumerate().map(|(i, name)| (name.trim(), i)).collect();
    let mut bounds = vec![None; schema.d()];
    let mut default = None;
    for ((name, range), row) in given.iter().zip(1..) {
        let slot = match name.as_str() {
            "*" => &mut default,
            name => {
                let place = places.remove(name).ok_or_else(|| {
                    let names: Vec<String> = schema.feature_names().map(str::to_owned).collect();
                    let rule =
                        format!("there is no feature {name:?}, or its bounds are given twice");
                    refuse(&rule, Some(row)).or_near(&names, name)
                })?;
                &mut bounds[place]
            }
        };
        if slot.replace(*range).is_some() {
            return Err(refuse("bounds for all others are given twice", Some(row)));
        }
    }
    let missing: Vec<&str> = schema
        .feature_names()
        .zip(&bounds)
        .filter(|(name, own)| own.or(default).is_none() && needs(name))
        .map(|(name, _)| name)
        .collect();
    if let [first, others @ ..] = missing.as_slice() {
        let more = match others.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let rule = format!("there are no bounds for {first:?}{more}");
        return Err(refuse(&rule, None).hint("the name * stands for all others"));
    }
    let unused = Bounds::new(-1.0, 1.0)?;
    Ok(bounds.into_iter().map(|own| own.or(default).unwrap_or(unused)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::table::schema::{TargetColumn, TargetRole};

    fn file(text: &str) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        file
    }

    fn bounds(text: &str) -> Result<Vec<Bounds>> {
        let header = ["a", "b", "c", "y"].map(str::to_owned).to_vec();
        let role = TargetRole::Here(&TargetColumn::Last);
        let schema = Schema::of_columns(header, &role, None, &[]).unwrap();
        read_bounds(file(text).path(), &schema, &|name| name != "d")
    }

    #[test]
    fn bounds_by_feature() {
        let range = |low, high| Bounds::new(low, high).unwrap();
        let read = bounds("feature,lo,hi\nb,0,1\n*,-5,5\na,2,1e3\n").unwrap();
        assert_eq!(read, [range(2.0, 1000.0), range(0.0, 1.0), range(-5.0, 5.0)]);
        for (text, kind) in [
            ("feature,lo,hi\na,0,1\n", ErrorKind::Request),
            ("feature,lo,hi\n*,0,1\nx,0,1\n", ErrorKind::Request),
            ("feature,lo,hi\n*,0,1\ny,0,1\n", ErrorKind::Request),
            ("feature,lo,hi\n*,0,1\n*,0,1\n", ErrorKind::Request),
            ("feature,lo,hi\n*,0,1\na,0,1\na,0,1\n", ErrorKind::Request),
            ("feature,lo,hi\n*,1,0\n", ErrorKind::Request),
            ("feature,lo,hi\n*,x,0\n", ErrorKind::Request),
            ("feature,lo\n*,0\n", ErrorKind::Input),
            ("feature,lo,hi\n*,0\n", ErrorKind::Input),
        ] {
            assert_eq!(bounds(text).unwrap_err().kind(), kind, "{text}");
        }
    }
}
