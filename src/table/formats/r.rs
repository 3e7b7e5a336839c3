//! R's files: `save` (`.RData`, `.rda`) and `saveRDS` (`.rds`).
//!
//! A file is compressed by gzip or xz, or not at all. It holds a
//! [serialization](super::serialized), after a line `RDX2` or `RDX3` in files of `save`. The
//! following are tables:
//!
//! - a matrix of numbers, logicals or texts: columns by their dimnames (`V1` to `Vd` without);
//! - a data frame: numbers, also of the package bit64, logicals as 0 and 1, dates and times, factors
//!   and texts; columns of other classes can be excluded;
//! - a list of `x`, either of these, and `y`, a factor, texts or numbers: the target.
//!
//! Ids are the row names, if these are texts. Row numbers are not identifiers: they change when a
//! row is left out. A table always has ids, even if all of them are missing, and every column may
//! contain categories: R turns a column of numbers into texts as soon as one cell is not a number,
//! so that its type depends on single rows. Texts are read as in a text file. Where columns are
//! samples, their names are the ids, and a column of another type is missing.
//!
//! In a workspace the table is the variable with the file's name up to the first dot; else the
//! variables `x` and `y`; else the only list of `x` and `y`, or the only matrix or data frame.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::rc::Rc;

use crate::error::{Error, Result};
use crate::table::block_table::{FileColumns, TextCell};
use crate::table::cell::{CellFormat, Kind};
use crate::table::date::days_of;
use crate::table::facts::TableFacts;
use crate::table::formats::MAX_COLUMNS_WITHOUT_ROWS;
use crate::table::formats::inflate::inflate;
use crate::table::formats::serialized::{self, NA_INTEGER, Object, ObjectValue};
use crate::table::held::{HeldColumn, HeldTable};
use crate::table::schema::Orientation;

/// The largest size of a decompressed file, in bytes: no memory holds more.
const MAX_INFLATED: u64 = 1 << 40;

/// A table in an R file.
struct RTable {
    rows: usize,
    /// The columns, of as many cells as there are rows; `None` for a column of a type that is not
    /// read.
    columns: Vec<Option<HeldColumn>>,
    /// The names of the columns, if they have some.
    column_names: Option<Vec<TextCell>>,
    /// The names of the rows, if they are texts.
    row_names: Option<Vec<TextCell>>,
    /// The target: the member y.
    target: Option<Vec<TextCell>>,
}

/// Reads the table of a file into memory.
///
/// # Errors
///
/// `Input` if the file is malformed or holds no table, or several; `Io` if it cannot be read.
pub(super) fn read(path: &Path, facts: &TableFacts) -> Result<HeldTable> {
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|mut file| file.read_to_end(&mut bytes))
        .map_err(|error| Error::cannot_read(path, &error))?;
    let name = path.file_name().map(|name| name.to_string_lossy());
    let name = name.as_deref().and_then(|name| name.split('.').next());
    let table = table(inflate(bytes, MAX_INFLATED)?, name)?;
    match facts.orientation.unwrap_or_default() {
        Orientation::SamplesAsRows => table.samples_as_rows(),
        Orientation::FeaturesAsRows => table.features_as_rows(&facts.cells()),
    }
}

/// The table in an inflated file: where there are several variables, the one of this name or the
/// only one.
///
/// # Errors
///
/// `Input` if the bytes are not such a file. This never panics, and never uses more memory than
/// some hundred times the size of the inflated file.
fn table(inflated: Vec<u8>, name: Option<&str>) -> Result<RTable> {
    let workspace =
        [&b"RDX2\n"[..], b"RDX3\n"].iter().find_map(|line| inflated.strip_prefix(*line));
    let serialized = workspace.unwrap_or(&inflated);
    if !serialized.starts_with(b"X\n") {
        return Err(Error::input("this is not an R data file in XDR format").hint(
            "in R: saveRDS(...), or save(..., file = \"NAME.RData\"); \
                 text compressed with xz: unpack it, or compress it with gzip",
        ));
    }
    let object = serialized::read(serialized)?;
    let saved = workspace.is_some();
    drop(inflated);
    if !saved {
        return of_object(&object).unwrap_or_else(|| {
            Err(Error::input("the R file holds no matrix, data frame or list of x and y"))
        });
    }
    let ObjectValue::Pairs(variables) = &object.value else {
        return Err(Error::input("the R file holds no variables"));
    };
    if let Some(found) = name.and_then(|name| object.member(name)).and_then(of_object) {
        return found;
    }
    if let Some(found) = x_and_y(&object) {
        return found;
    }
    let lists = || variables.iter().filter_map(|(_, object)| x_and_y(object));
    let tables = || variables.iter().filter_map(|(_, object)| of_object(object));
    let only = |mut found: Box<dyn Iterator<Item = Result<RTable>> + '_>| match (
        found.next(),
        found.next(),
    ) {
        (Some(only), None) => Some(only),
        _ => None,
    };
    only(Box::new(lists())).or_else(|| only(Box::new(tables()))).unwrap_or_else(|| {
        Err(Error::input("the R file does not hold one list with members x and y, nor one table")
            .hint("in R: saveRDS(table, \"NAME.rds\") saves one; or call the file as the variable"))
    })
}

/// The table in an object, if it is one.
fn of_object(object: &Object) -> Option<Result<RTable>> {
    x_and_y(object).or_else(|| is_table(object).then(|| matrix(object)))
}

fn is_table(object: &Object) -> bool {
    is_frame(object)
        || object.attribute("dim").is_some() && !matches!(object.value, ObjectValue::List(_))
}

fn is_frame(object: &Object) -> bool {
    let class = object.attribute("class").and_then(Object::strings).unwrap_or_default();
    matches!(object.value, ObjectValue::List(_))
        && class.iter().any(|class| class.as_deref() == Some("data.frame"))
}

/// A list with members x and y; a data frame may have columns of these names.
fn x_and_y(object: &Object) -> Option<Result<RTable>> {
    if is_frame(object) {
        return None;
    }
    let (x, y) = object.member("x").zip(object.member("y"))?;
    Some(labels(y).and_then(|labels| Ok(RTable { target: Some(labels), ..matrix(x)? })))
}

/// A factor's labels; strings and numbers as they are.
fn labels(y: &Object) -> Result<Vec<TextCell>> {
    match column(y) {
        Some(column) => Ok((0..column.len()).map(|row| column.cell(row)).collect()),
        None => Err(Error::input("y in the R file is neither a factor, nor text, nor numbers")),
    }
}

/// Numbers, logicals, dates, times, a factor or texts; `None` for a column of another class, whose
/// values may not match its type.
fn column(object: &Object) -> Option<HeldColumn> {
    let classes = object.attribute("class").and_then(Object::strings).unwrap_or_default();
    let classes = classes.iter().flatten().map(|class| &**class);
    match (&object.value, object.attribute("levels")) {
        (ObjectValue::Integers(codes), Some(levels)) => {
            let levels = levels.strings().unwrap_or_default();
            let level = |&code: &i32| levels.get(usize::try_from(code).ok()?.checked_sub(1)?);
            return Some(HeldColumn::Texts(
                codes.iter().map(|code| level(code).and_then(cell)).collect(),
            ));
        }
        (ObjectValue::Strings(texts), _) => {
            return Some(HeldColumn::Texts(texts.iter().map(cell).collect()));
        }
        _ => {}
    }
    let unit = object.attribute("units").and_then(|unit| unit.strings()?.first()?.as_deref());
    let class = RNumbers::of(classes, unit)?;
    let values = numbers(object)?.into_iter().map(|value| class.value(value)).collect();
    Some(HeldColumn::Numbers(class.kind(), values))
}

/// A matrix or a data frame.
fn matrix(x: &Object) -> Result<RTable> {
    if let ObjectValue::List(columns) = &x.value {
        return frame(x, columns);
    }
    let not_a_matrix = || Error::input("x in the R file is neither a matrix nor a data frame");
    let Some(ObjectValue::Integers(dimensions)) = x.attribute("dim").map(|dim| &dim.value) else {
        return Err(not_a_matrix());
    };
    let &[n, d] = dimensions.as_slice() else { return Err(not_a_matrix()) };
    let (Ok(n), Ok(d)) = (usize::try_from(n), usize::try_from(d)) else {
        return Err(not_a_matrix());
    };
    if n == 0 && d as u64 > MAX_COLUMNS_WITHOUT_ROWS {
        return Err(Error::input("x in the R file has no rows and more than 2^24 columns"));
    }
    let length = n.checked_mul(d).ok_or_else(not_a_matrix)?;
    // R lays matrices out by columns.
    let columns: Vec<HeldColumn> = match column(x).filter(|cells| cells.len() == length) {
        Some(HeldColumn::Numbers(kind, values)) => {
            cut(&values, n, d).map(|column| HeldColumn::Numbers(kind, column.to_vec())).collect()
        }
        Some(HeldColumn::Texts(cells)) => {
            cut(&cells, n, d).map(|column| HeldColumn::Texts(column.to_vec())).collect()
        }
        _ => return Err(not_a_matrix()),
    };
    let names = match x.attribute("dimnames").map(|names| &names.value) {
        Some(ObjectValue::List(names)) => (names.first(), names.get(1)),
        _ => (None, None),
    };
    Ok(RTable {
        rows: n,
        columns: columns.into_iter().map(Some).collect(),
        column_names: column_names(names.1, d)?,
        row_names: row_names(names.0, n),
        target: None,
    })
}

/// The `d` columns of `n` values each; `n` may be 0.
fn cut<T>(values: &[T], n: usize, d: usize) -> impl Iterator<Item = &[T]> {
    (0..d).map(move |column| &values[column * n..(column + 1) * n])
}

/// A data frame: a list of columns of one length.
fn frame(x: &Object, columns: &[Object]) -> Result<RTable> {
    let column_names = column_names(x.attribute("names"), columns.len())?;
    let columns: Vec<Option<HeldColumn>> = columns.iter().map(column).collect();
    let names = x.attribute("row.names");
    let length = columns.iter().flatten().next().map(HeldColumn::len);
    let n = length.or_else(|| number_of_rows(names?)).unwrap_or(0);
    if columns.is_empty() && n as u64 > MAX_COLUMNS_WITHOUT_ROWS {
        return Err(Error::input("x in the R file has no columns and more than 2^24 rows"));
    }
    if columns.iter().flatten().any(|column| column.len() != n) {
        return Err(Error::input("the columns of x in the R file differ in length"));
    }
    let row_names = row_names(names, n);
    Ok(RTable { rows: n, columns, column_names, row_names, target: None })
}

/// The number of rows by their names, which are texts or, where R gave them, numbers: from 1 on, or
/// `NA` and the number with any sign.
fn number_of_rows(names: &Object) -> Option<usize> {
    match &names.value {
        ObjectValue::Integers(numbers) => match numbers[..] {
            [NA_INTEGER, rows] => usize::try_from(rows.unsigned_abs()).ok(),
            _ => Some(numbers.len()),
        },
        _ => names.strings().map(<[_]>::len),
    }
}

/// The names of rows, if they are texts.
fn row_names(names: Option<&Object>, rows: usize) -> Option<Vec<TextCell>> {
    let names = names?.strings().filter(|names| names.len() == rows)?;
    Some(names.iter().map(cell).collect())
}

/// The classes whose values match their type.
const PLAIN_CLASSES: [&str; 14] = [
    "AsIs",
    "array",
    "double",
    "glue",
    "haven_labelled",
    "integer",
    "labelled",
    "logical",
    "matrix",
    "noquote",
    "numeric",
    "ts",
    "units",
    "vctrs_vctr",
];

/// The meaning of the numbers in a column of R, by its class.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RNumbers {
    /// Numbers, also logicals as 0 and 1.
    Plain,
    /// Days since 1970-01-01, whose fractions are cut off.
    Days,
    /// Seconds since 1970-01-01, to the microsecond.
    Seconds,
    /// A span of time, in units of this number of seconds.
    Span(f64),
    /// Integers of 64 bits in the bits of doubles, the least one missing.
    Integers,
}

impl RNumbers {
    /// The meaning by the names of the classes and, of a span, its unit; `None` for classes that
    /// are not known, whose values may not match their type.
    pub fn of<'a>(
        classes: impl Iterator<Item = &'a str> + Clone,
        unit: Option<&str>,
    ) -> Option<Self> {
        let special = |class: &str| match class {
            "Date" => Some(Self::Days),
            "POSIXct" => Some(Self::Seconds),
            "integer64" => Some(Self::Integers),
            "difftime" => Some(Self::Span(match unit? {
                "secs" => 1.0,
                "mins" => 60.0,
                "hours" => 3600.0,
                "days" => 86_400.0,
                "weeks" => 7.0 * 86_400.0,
                _ => return None,
            })),
            _ => None,
        };
        let is_plain = |class: &str| PLAIN_CLASSES.contains(&class);
        let plain = || classes.clone().all(is_plain).then_some(Self::Plain);
        classes.clone().find_map(special).or_else(plain)
    }

    fn kind(self) -> Kind {
        match self {
            Self::Days | Self::Seconds => Kind::Date,
            Self::Plain | Self::Span(_) | Self::Integers => Kind::Number,
        }
    }

    /// The value of a number; `f64::NAN` if it is missing or not finite.
    fn value(self, number: f64) -> f64 {
        match self {
            Self::Integers => match number.to_bits().cast_signed() {
                i64::MIN => f64::NAN,
                integer => integer as f64,
            },
            _ if !number.is_finite() => f64::NAN,
            Self::Plain => number,
            Self::Days => number.floor(),
            Self::Seconds => days_of(1000 * (number * 1e6).floor() as i128),
            Self::Span(seconds) => number * seconds,
        }
    }
}

/// The numbers of a vector, NaN where an integer is missing.
fn numbers(object: &Object) -> Option<Vec<f64>> {
    match &object.value {
        // A factor's codes are not measurements.
        ObjectValue::Integers(values) if object.attribute("levels").is_none() => {
            let number = |&value: &i32| if value == NA_INTEGER { f64::NAN } else { value.into() };
            Some(values.iter().map(number).collect())
        }
        ObjectValue::Reals(values) => Some(values.clone()),
        _ => None,
    }
}

fn cell(text: &Option<Rc<str>>) -> TextCell {
    text.as_deref().map(|text| text.as_bytes().to_vec())
}

fn column_names(names: Option<&Object>, columns: usize) -> Result<Option<Vec<TextCell>>> {
    match names.map(|names| &names.value) {
        None | Some(ObjectValue::Null) => Ok(None),
        Some(ObjectValue::Strings(texts)) if texts.len() == columns => {
            Ok(Some(texts.iter().map(cell).collect()))
        }
        _ => Err(not_named()),
    }
}

fn not_named() -> Error {
    Error::input("the R file does not name every feature")
}

/// The names of `d` features: all of these, or `V1` to `Vd`.
fn feature_names(names: Option<Vec<TextCell>>, d: usize) -> Result<Vec<String>> {
    let Some(names) = names else { return Ok((1..=d).map(|i| format!("V{i}")).collect()) };
    let name = |cell: TextCell| cell.and_then(|name| String::from_utf8(name).ok());
    names.into_iter().map(name).collect::<Option<_>>().ok_or_else(not_named)
}

impl RTable {
    fn samples_as_rows(self) -> Result<HeldTable> {
        let d = self.columns.len();
        let columns = self.columns.into_iter().map(|column| column.unwrap_or(HeldColumn::Unread));
        let columns = columns.collect();
        let names = feature_names(self.column_names, d)?;
        let no_ids = self.row_names.is_none();
        let ids = self.row_names.unwrap_or_else(|| vec![None; self.rows]);
        let layout =
            FileColumns { names, named: true, no_ids, all_texts: true, ..FileColumns::default() };
        held(layout, self.rows, columns, ids, self.target)
    }

    /// Rows are features, called by the row names if these are texts.
    fn features_as_rows(self, format: &CellFormat) -> Result<HeldTable> {
        let (d, rows) = (self.rows, self.columns.len());
        let names = feature_names(self.row_names, d)?;
        let mut features = vec![Vec::with_capacity(rows); d];
        for sample in &self.columns {
            for (row, feature) in features.iter_mut().enumerate() {
                feature.push(sample.as_ref().map_or(f64::NAN, |cells| cells.value(row, format)));
            }
        }
        let columns = features.into_iter().map(HeldColumn::Values).collect();
        let ids = self.column_names.unwrap_or_else(|| vec![None; rows]);
        let orientation = Orientation::FeaturesAsRows;
        let layout = FileColumns {
            orientation,
            names,
            named: true,
            all_texts: true,
            ..FileColumns::default()
        };
        held(layout, rows, columns, ids, self.target)
    }
}

fn held(
    layout: FileColumns,
    rows: usize,
    columns: Vec<HeldColumn>,
    ids: Vec<TextCell>,
    target: Option<Vec<TextCell>>,
) -> Result<HeldTable> {
    if target.as_ref().is_some_and(|target| target.len() != rows) {
        return Err(Error::input("x and y in the R file differ in their number of samples"));
    }
    Ok(HeldTable::new(layout, rows, columns, Some(ids), target))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::error::ErrorKind;
    use crate::table::block_table::BlockTable;
    use crate::table::cell::CellFormat;
    use crate::table::word::word as word_value;

    /// A table of x and y.
    #[derive(Debug)]
    struct Small {
        features: Vec<String>,
        labels: Vec<String>,
        x: Vec<Vec<f64>>,
    }

    fn read(bytes: Vec<u8>, name: &str) -> Result<Small> {
        let table = table(inflate(bytes, 1 << 28)?, Some(name))?;
        let text = |cell: TextCell| cell.map(|text| String::from_utf8(text).unwrap());
        let labels = table.target.unwrap_or_default().into_iter().map(text);
        let labels = labels.map(Option::unwrap_or_default).collect();
        let row = |row: usize| {
            let value = |column: &HeldColumn| column.value(row, &CellFormat::default());
            table.columns.iter().flatten().map(value).collect()
        };
        let x = (0..table.rows).map(row).collect();
        Ok(Small { features: feature_names(table.column_names, table.columns.len())?, labels, x })
    }

    /// A writer of the serialization, by the format's description.
    mod written {
        pub(super) fn word(value: i32) -> Vec<u8> {
            value.to_be_bytes().to_vec()
        }

        fn vector(flags: i32, length: usize, elements: Vec<u8>) -> Vec<u8> {
            [word(flags), word(i32::try_from(length).unwrap()), elements].concat()
        }

        pub(super) fn text(text: &str) -> Vec<u8> {
            vector(9 | 64 << 12, text.len(), text.into())
        }

        pub(super) fn symbol(name: &str) -> Vec<u8> {
            [word(1), text(name)].concat()
        }

        /// A reference to the n-th symbol, from 1.
        pub(super) fn again(number: i32) -> Vec<u8> {
            word(255 | number << 8)
        }

        pub(super) fn integers(attributes: bool, values: &[i32]) -> Vec<u8> {
            let elements = values.iter().flat_map(|value| value.to_be_bytes()).collect();
            vector(13 | i32::from(attributes) << 9, values.len(), elements)
        }

        pub(super) fn reals(attributes: bool, values: &[f64]) -> Vec<u8> {
            let elements = values.iter().flat_map(|value| value.to_be_bytes()).collect();
            vector(14 | i32::from(attributes) << 9, values.len(), elements)
        }

        pub(super) fn strings(values: &[&str]) -> Vec<u8> {
            vector(16, values.len(), values.iter().flat_map(|value| text(value)).collect())
        }

        pub(super) fn list(attributes: bool, items: &[Vec<u8>]) -> Vec<u8> {
            vector(19 | i32::from(attributes) << 9, items.len(), items.concat())
        }

        /// Tags (symbols or references) and values.
        pub(super) fn pairs(pairs: &[(Vec<u8>, Vec<u8>)]) -> Vec<u8> {
            let nodes = pairs
                .iter()
                .map(|(tag, value)| [word(2 | 1 << 10), tag.clone(), value.clone()].concat());
            [nodes.collect::<Vec<_>>().concat(), word(254)].concat()
        }

        pub(super) fn file(version: i32, item: &[u8]) -> Vec<u8> {
            let line: &[u8] = if version == 2 { b"RDX2\nX\n" } else { b"RDX3\nX\n" };
            let native = if version == 2 { vec![] } else { [&word(5)[..], b"UTF-8"].concat() };
            [line, &word(version), &word(0x4_0000), &word(0x2_0300), &native, item].concat()
        }
    }
    use written::*;

    /// By xz, where it is read.
    fn xz(bytes: &[u8]) -> Vec<u8> {
        #[cfg(feature = "xz")]
        {
            let mut xz = liblzma::write::XzEncoder::new(vec![], 1);
            std::io::Write::write_all(&mut xz, bytes).unwrap();
            xz.finish().unwrap()
        }
        #[cfg(not(feature = "xz"))]
        bytes.to_vec()
    }

    /// A list of x, a 2 by 3 matrix, and y, a factor; outside it another variable.
    fn small(version: i32) -> Vec<u8> {
        let dimensions = (symbol("dim"), integers(false, &[2, 3]));
        let names = list(false, &[word(254), strings(&["a", "b \u{e9}", "c"])]);
        let values = reals(true, &[1.5, -2.0, 1e-300, f64::NAN, f64::INFINITY, 0.1]);
        let x = [values, pairs(&[dimensions, (symbol("dimnames"), names)])].concat();
        let levels = (symbol("levels"), strings(&["well", "ill"]));
        let class = (symbol("class"), strings(&["factor"]));
        let y = [integers(true, &[2, 1]), pairs(&[levels, class])].concat();
        let members = pairs(&[(symbol("names"), strings(&["x", "y"]))]);
        let set = [list(true, &[x, y]), members].concat();
        let other = (symbol("other"), integers(false, &[7]));
        file(version, &pairs(&[(symbol("small"), set), other]))
    }

    fn assert_small(table: &Small) {
        assert_eq!(table.features, ["a", "b \u{e9}", "c"]);
        assert_eq!(table.labels, ["ill", "well"]);
        assert_eq!(table.x[0][..2], [1.5, 1e-300]);
        assert_eq!((table.x[1][0], table.x[1][2]), (-2.0, 0.1));
        assert!(table.x[1][1].is_nan() && table.x[0][2].is_nan());
    }

    #[test]
    fn matrices_of_both_versions_by_any_compression() {
        for version in [2, 3] {
            let plain = small(version);
            let mut gzip = flate2::write::GzEncoder::new(vec![], flate2::Compression::default());
            std::io::Write::write_all(&mut gzip, &plain).unwrap();
            for bytes in [xz(&plain), plain, gzip.finish().unwrap()] {
                assert_small(&read(bytes.clone(), "small").unwrap());
                assert_small(&read(bytes, "by another name").unwrap());
            }
        }
    }

    /// Files that xz has compressed are taken for R's.
    #[test]
    fn text_compressed_with_xz_is_refused_with_its_remedy() {
        let error = read(xz(b"a,b,y\n1,2,3\n"), "small").unwrap_err();
        assert!(error.to_string().contains("compress it with gzip"), "{error}");
    }

    /// A data frame without row names, integers with NA, labels as text, compact forms of
    /// version 3.
    #[test]
    fn frames_and_compact_forms() {
        let tagless = |items: &[Vec<u8>]| {
            let nodes = items.iter().flat_map(|item| [word(2), item.clone()].concat());
            [nodes.collect::<Vec<_>>(), word(254)].concat()
        };
        let info = |name: &str| tagless(&[symbol(name), symbol("base"), integers(false, &[13])]);
        let compact = |name, state: Vec<u8>| [word(238), info(name), state, word(254)].concat();
        let sequence = compact("compact_intseq", reals(false, &[3.0, 5.0, -1.0]));
        let wrapped = list(false, &[reals(false, &[0.5, 0.25, 0.125]), integers(false, &[0, 0])]);
        let wrapped = compact("wrap_real", wrapped);
        let columns = [integers(false, &[4, NA_INTEGER, 6]), sequence, wrapped];
        let names = pairs(&[(symbol("names"), strings(&["i", "s", "w"]))]);
        let x = [list(true, &columns), names].concat();
        let y = strings(&["u", " v", "u"]);
        let bytes = file(3, &pairs(&[(symbol("x"), x), (symbol("y"), y)]));
        let table = read(bytes, "any").unwrap();
        assert_eq!(table.features, ["i", "s", "w"]);
        assert_eq!(table.labels, ["u", " v", "u"]);
        assert_eq!(table.x[2], [6.0, 3.0, 0.125]);
        assert_eq!(table.x[0], [4.0, 5.0, 0.5]);
        assert!(table.x[1][0].is_nan());
    }

    /// R's NA is a NaN with the payload 1954: missing, not a category, also among categories.
    #[test]
    fn values_of_frames() {
        let na = f64::from_bits(0x7ff0_0000_0000_07a2);
        let levels = pairs(&[(symbol("levels"), strings(&["M", "F"]))]);
        let factor = [integers(true, &[2, NA_INTEGER]), levels].concat();
        let columns = [reals(false, &[na, 1.5]), factor, strings(&["?", " 2"])];
        let names = (symbol("names"), strings(&["a", "b", "c"]));
        let class = (symbol("class"), strings(&["data.frame"]));
        let x = [list(true, &columns), pairs(&[names, class])].concat();
        let y = integers(false, &[1, 2]);
        let table = read(file(3, &pairs(&[(symbol("x"), x), (symbol("y"), y)])), "any").unwrap();
        let bits = |row: &Vec<f64>| row.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&table.x[0]), bits(&vec![f64::NAN, word_value(b"F"), f64::NAN]));
        assert_eq!(bits(&table.x[1]), bits(&vec![1.5, f64::NAN, 2.0]));
    }

    /// Numbers are read by their class; other classes are not read.
    #[test]
    fn classes_of_numbers() {
        let class = |values: &[f64], classes: &[&str], unit: Option<&str>| {
            let classes = (symbol("class"), strings(classes));
            let unit = unit.map(|unit| (symbol("units"), strings(&[unit])));
            let attributes: Vec<_> = [classes].into_iter().chain(unit).collect();
            let x = [reals(true, values), pairs(&attributes)].concat();
            let frame =
                [(symbol("names"), strings(&["a"])), (symbol("class"), strings(&["data.frame"]))];
            let x = [list(true, &[x]), pairs(&frame)].concat();
            let mut table = table(file(3, &pairs(&[(symbol("x"), x)])), Some("x")).unwrap();
            match table.columns.remove(0) {
                Some(HeldColumn::Numbers(kind, values)) => Some((kind, values)),
                _ => None,
            }
        };
        let days = |days: &[f64]| Some((Kind::Date, days.to_vec()));
        let numbers = |numbers: &[f64]| Some((Kind::Number, numbers.to_vec()));
        assert_eq!(class(&[1.5, -0.5], &["Date"], None), days(&[1.0, -1.0]));
        assert_eq!(class(&[43_200.0], &["POSIXct", "POSIXt"], None), days(&[0.5]));
        assert_eq!(class(&[1.5], &["difftime"], Some("mins")), numbers(&[90.0]));
        assert_eq!(class(&[3.0], &["hms", "difftime"], Some("secs")), numbers(&[3.0]));
        assert_eq!(
            class(&[1.5], &["haven_labelled", "vctrs_vctr", "double"], None),
            numbers(&[1.5])
        );
        let long = [7i64, -9, i64::MIN].map(|value| f64::from_bits(value.cast_unsigned()));
        let (_, values) = class(&long, &["integer64"], None).unwrap();
        assert_eq!(values[..2], [7.0, -9.0]);
        assert!(values[2].is_nan());
        assert_eq!(class(&[1.0], &["yearmon"], None), None);
        assert_eq!(class(&[1.0], &["difftime"], Some("years")), None);
    }

    /// Row numbers are not ids: they change when a row is left out.
    #[test]
    fn ids_are_row_names_of_text() {
        let table_of = |row_names: Option<Vec<u8>>| {
            let names = (symbol("names"), strings(&["a"]));
            let class = (symbol("class"), strings(&["data.frame"]));
            let row_names = row_names.map(|names| (symbol("row.names"), names));
            let attributes: Vec<_> = [names, class].into_iter().chain(row_names).collect();
            let x = [list(true, &[reals(false, &[0.5, 1.5])]), pairs(&attributes)].concat();
            table(file(3, &pairs(&[(symbol("x"), x)])), Some("x")).unwrap().row_names
        };
        let text = |name: &str| Some(name.as_bytes().to_vec());
        assert_eq!(table_of(Some(strings(&["p1", "p2"]))), Some(vec![text("p1"), text("p2")]));
        assert_eq!(table_of(None), None);
        assert_eq!(table_of(Some(integers(false, &[NA_INTEGER, -2]))), None);
        assert_eq!(table_of(Some(integers(false, &[1, 3]))), None);
    }

    /// A single cell that is not a number makes R store a column as text: only the values of the
    /// column may depend on that.
    #[test]
    fn layouts_do_not_depend_on_the_types_of_columns() {
        let layout = |column: Vec<u8>, y: Vec<u8>| {
            let names = (symbol("names"), strings(&["a"]));
            let class = (symbol("class"), strings(&["data.frame"]));
            let x = [list(true, &[column]), pairs(&[names, class])].concat();
            let both = pairs(&[(symbol("x"), x), (symbol("y"), y)]);
            let held = table(file(3, &both), None).unwrap().samples_as_rows().unwrap();
            (held.layout().all_texts, held.layout().number_target)
        };
        let numbers = || reals(false, &[0.5, 1.5]);
        let texts = || strings(&["0.5", "1,5"]);
        for (column, y) in [(numbers(), numbers()), (texts(), numbers()), (numbers(), texts())] {
            assert_eq!(layout(column, y), (true, false));
        }
    }

    /// The rows are features also where there is no sample.
    #[test]
    fn frames_without_columns_have_rows() {
        let features = |row_names: Vec<u8>| {
            let class = (symbol("class"), strings(&["data.frame"]));
            let attributes =
                [(symbol("names"), strings(&[])), class, (symbol("row.names"), row_names)];
            let x = [list(true, &[]), pairs(&attributes)].concat();
            let table = table(file(3, &pairs(&[(symbol("x"), x)])), Some("x"))?;
            let held = table.features_as_rows(&CellFormat::default())?;
            Ok::<_, Error>(held.layout().names.clone())
        };
        assert_eq!(features(strings(&["g1", "g2"])).unwrap(), ["g1", "g2"]);
        for numbers in [&[NA_INTEGER, -2][..], &[NA_INTEGER, 2], &[1, 2]] {
            assert_eq!(features(integers(false, numbers)).unwrap(), ["V1", "V2"]);
        }
        let error = features(integers(false, &[NA_INTEGER, i32::MIN])).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Input);
    }

    /// Complex numbers and bytes are not values, but a table whose columns are samples may contain
    /// them.
    #[test]
    fn columns_of_other_types() {
        let complex = [word(15), word(2), vec![0; 32]].concat();
        let raw = [word(24), word(2), vec![7; 2]].concat();
        let columns = [reals(false, &[0.5, 1.5]), complex, raw];
        let names = (symbol("names"), strings(&["p1", "p2", "p3"]));
        let class = (symbol("class"), strings(&["data.frame"]));
        let rows = (symbol("row.names"), strings(&["g1", "g2"]));
        let frame = |columns: &[Vec<u8>], attributes: &[(Vec<u8>, Vec<u8>)]| {
            let x = [list(true, columns), pairs(attributes)].concat();
            table(file(3, &pairs(&[(symbol("x"), x)])), Some("x")).unwrap()
        };
        let all = frame(&columns, &[names.clone(), class.clone(), rows.clone()]);
        assert!(all.columns[1].is_none() && all.columns[2].is_none() && all.rows == 2);
        assert!(all.features_as_rows(&CellFormat::default()).is_ok());
        let all = frame(&columns, &[names, class.clone(), rows.clone()]);
        assert_eq!(all.samples_as_rows().unwrap().layout().unread, [1, 2]);
        // The features are known even if no column can be read.
        let none = frame(&columns[1..], &[(symbol("names"), strings(&["p2", "p3"])), class, rows]);
        assert_eq!(none.rows, 2);
    }

    /// Later references to a name, and features without names.
    #[test]
    fn references_and_unnamed_features() {
        let x =
            [integers(true, &[1, 2, 3, 4]), pairs(&[(symbol("dim"), integers(false, &[2, 2]))])];
        let y = [integers(true, &[1, 1]), pairs(&[(symbol("levels"), strings(&["only"]))])];
        let set = [
            list(true, &[x.concat(), y.concat()]),
            pairs(&[(symbol("names"), strings(&["x", "y"]))]),
        ];
        // Symbols so far: s, dim, levels, names.
        let twice = pairs(&[(symbol("s"), set.concat()), (again(2), integers(false, &[1]))]);
        let table = read(file(2, &twice), "s").unwrap();
        assert_eq!(table.features, ["V1", "V2"]);
        assert_eq!(table.x[1], [2.0, 4.0]);
        let dangling = pairs(&[(symbol("s"), set.concat()), (again(9), integers(false, &[1]))]);
        assert!(read(file(2, &dangling), "s").is_err());
    }

    #[test]
    fn malformed_files_are_refused() {
        let deep = [[&word(19)[..], &word(1)].concat().repeat(1_000_000), word(254)].concat();
        let long = [word(14), word(i32::MAX)].concat();
        let longer = [word(19), word(-1), word(0x7fff_ffff), word(-1)].concat();
        let compact = pairs(&[(symbol("form"), symbol("compact_intseq"))]);
        let sequence = [word(238), compact, reals(false, &[2e9, 1.0, 1.0]), word(254)].concat();
        let wide = [reals(true, &[]), pairs(&[(symbol("dim"), integers(false, &[0, i32::MAX]))])];
        let wide = [(symbol("x"), wide.concat()), (symbol("y"), integers(false, &[]))];
        for (item, text) in [
            (deep, "too deeply"),
            (long, "ends too early"),
            (longer, "ends too early"),
            (sequence, "an invalid sequence"),
            (pairs(&wide), "no rows and more than 2^24 columns"),
            (word(3), "more than data"),
            (word(4), "more than data"),
            (integers(false, &[1]), "no variables"),
            (pairs(&[(symbol("x"), integers(false, &[1]))]), "one list with members x and y"),
            ([pairs(&[]), word(0)].concat(), "more data"),
        ] {
            let error = read(file(2, &item), "s").unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Input);
            assert!(error.to_string().contains(text), "{text}: {error}");
        }
        for bytes in [&b""[..], b"RDX2\n", b"RDX2\nX\n", b"RDA2\nA\n2\n", b"PK\x03\x04"] {
            assert_eq!(read(bytes.to_vec(), "s").unwrap_err().kind(), ErrorKind::Input);
        }
    }

    proptest! {
        /// Damage is an error or another table, never a panic.
        #[test]
        fn damage_is_survived(
            version in 2..4,
            cut in 0.0..1.0,
            flips in prop::collection::vec((0.0..1.0, 1..=255u8), 0..4),
            compress: bool,
        ) {
            let mut bytes = small(version);
            if compress {
                bytes = xz(&bytes);
            }
            let whole = bytes.len();
            for (place, flip) in flips {
                bytes[(place * whole as f64) as usize] ^= flip;
            }
            if let Err(error) = read(bytes.clone(), "small") {
                prop_assert_eq!(error.kind(), ErrorKind::Input);
            }
            bytes.truncate((cut * whole as f64) as usize);
            prop_assert_eq!(read(bytes, "small").unwrap_err().kind(), ErrorKind::Input);
        }

        #[test]
        fn any_bytes_are_survived(item in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = read(file(3, &item), "s");
        }
    }

    /// Every flag byte at every place of a well-formed file.
    #[test]
    fn every_byte_replaced() {
        let whole = small(3);
        for place in 0..whole.len() {
            for byte in [0, 1, 2, 6, 13, 16, 19, 127, 128, 238, 239, 253, 254, 255] {
                let mut bytes = whole.clone();
                bytes[place] = byte;
                let _ = read(bytes, "small");
            }
        }
    }
}
