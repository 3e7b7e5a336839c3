//! The forms in which a set lies in a file.

use std::collections::HashSet;
use std::fmt::Write;
use std::io::Cursor;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use ndarray::{Array2, ShapeBuilder};

use crate::data::{Column, FileTable, Npy, inflate, npy_header, r_table};
use crate::datasets::{DataSet, PublicTable};
use crate::error::{Error, Result};

/// What a file may hold at most, in bytes, compressed or not: ten times the largest known set.
pub(super) const MAX_BYTES: u64 = 1 << 28;

/// A form of file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// `NAME.csv`: a header, features, and the label `y` in the last column.
    Csv,
    /// `NAME.csv.gz`: the same by gzip.
    CsvGz,
    /// `NAME.RData`: R's, which is read only.
    RData,
    /// `NAME.npy`: the values, n by d, as `f64`; beside it `NAME.features.csv` (a column `feature`) and
    /// `NAME.labels.csv` (a column `y`).
    Npy,
}

/// A file to write: what stands behind the name of the set, and the bytes.
pub(crate) type Part = (&'static str, Vec<u8>);

impl Form {
    /// In the order in which a folder is searched.
    pub(super) const ALL: [Self; 4] = [Self::Csv, Self::CsvGz, Self::RData, Self::Npy];

    /// What stands behind the name of the set.
    pub(crate) fn ending(self) -> &'static str {
        match self {
            Self::Csv => ".csv",
            Self::CsvGz => ".csv.gz",
            Self::RData => ".RData",
            Self::Npy => ".npy",
        }
    }

    /// The form that a file's name tells.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        Self::ALL.into_iter().find(|form| name.ends_with(&form.ending().to_ascii_lowercase()))
    }

    /// Reads a set; `beside` gives the bytes of the files that belong to it.
    ///
    /// # Errors
    ///
    /// `Input` if it is malformed; what `beside` gives.
    pub(super) fn read(
        self,
        set: &DataSet,
        bytes: Vec<u8>,
        beside: impl Fn(&str) -> Result<Vec<u8>>,
    ) -> Result<PublicTable> {
        let table = match self {
            Self::RData => of_r(bytes, &set.name)?,
            Self::Csv | Self::CsvGz => PublicTable::read(&comma_separated(bytes)?)?,
            Self::Npy => PublicTable {
                x: npy(set, &bytes)?,
                features: column(beside(FEATURES)?)?,
                labels: column(beside(LABELS)?)?,
            },
        };
        if (table.labels.len(), table.features.len()) != table.x.dim() {
            return Err(Error::input("the values, names and labels differ in number"));
        }
        check_names(&table.features)?;
        Ok(table)
    }

    /// The files that hold a table in this form, the one that stands for all of them last.
    ///
    /// # Errors
    ///
    /// `Request` for R's form; `Io` if the compressor fails.
    pub(crate) fn write(self, table: &PublicTable) -> Result<Vec<Part>> {
        let failed = |_| Error::io("cannot bring the table into its form");
        let bytes = match self {
            Self::RData => return Err(Error::request("R's form is read, not written")),
            Self::Csv => to_csv(table).into_bytes(),
            Self::CsvGz => {
                let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
                std::io::Write::write_all(&mut gzip, to_csv(table).as_bytes()).map_err(failed)?;
                gzip.finish().map_err(failed)?
            }
            Self::Npy => {
                let mut bytes = npy_header(table.x.nrows(), table.x.ncols());
                bytes.extend(table.x.iter().flat_map(|value| value.to_le_bytes()));
                let features = lines("feature", &table.features).into_bytes();
                let labels = lines(LABEL, &table.labels).into_bytes();
                return Ok(vec![(FEATURES, features), (LABELS, labels), (self.ending(), bytes)]);
            }
        };
        Ok(vec![(self.ending(), bytes)])
    }
}

/// The name of the last column.
const LABEL: &str = "y";
const FEATURES: &str = ".features.csv";
const LABELS: &str = ".labels.csv";

/// The table as CSV: a header, one line a sample, the label in the last column `y`; every number is the
/// shortest text that reads back to the same `f64`, and a missing one is empty.
pub fn to_csv(table: &PublicTable) -> String {
    let mut text = String::new();
    for name in &table.features {
        push_cell(&mut text, name);
        text.push(',');
    }
    text.push_str(LABEL);
    text.push('\n');
    for (sample, label) in table.x.rows().into_iter().zip(&table.labels) {
        for &value in sample {
            push_number(&mut text, value);
            text.push(',');
        }
        push_cell(&mut text, label);
        text.push('\n');
    }
    text
}

/// A number in the shortest decimal digits that read back to it: positional for the usual sizes, else
/// with an exponent; nothing for NaN and infinity.
pub(super) fn push_number(text: &mut String, value: f64) {
    let size = value.abs();
    // Writing to a string cannot fail.
    let _ = match size {
        _ if !size.is_finite() => Ok(()),
        _ if size == 0.0 || (1e-5..1e16).contains(&size) => write!(text, "{value}"),
        _ => write!(text, "{value:e}"),
    };
}

/// A cell, quoted where it must be.
pub(super) fn push_cell(text: &mut String, cell: &str) {
    let plain = |c: char| !matches!(c, ',' | '"' | '\n' | '\r');
    let blank = cell.starts_with(' ') || cell.ends_with(' ') || cell.is_empty();
    if cell.chars().all(plain) && !blank {
        text.push_str(cell);
    } else {
        text.push('"');
        text.push_str(&cell.replace('"', "\"\""));
        text.push('"');
    }
}

/// Whether a file can hold the names in its header, beside the label's.
fn check_names(names: &[String]) -> Result<()> {
    let mut seen = HashSet::from([LABEL]);
    for (i, name) in names.iter().enumerate() {
        let wrong = |rule: &str| Err(Error::input(rule).at(None, Some(i + 1)));
        if name.trim().is_empty() || name.contains(['\n', '\r', '\0']) {
            return wrong("a feature without a name, or with a line break in it");
        }
        if !seen.insert(name) {
            return wrong("a feature's name occurs twice, or is that of the label, y");
        }
    }
    Ok(())
}

fn lines(header: &str, cells: &[String]) -> String {
    let mut text = format!("{header}\n");
    for cell in cells {
        push_cell(&mut text, cell);
        text.push('\n');
    }
    text
}

fn comma_separated(bytes: Vec<u8>) -> Result<FileTable> {
    let text = Cursor::new(inflate(bytes, MAX_BYTES)?);
    // The sets are known: names that look like numbers are names.
    Ok(FileTable::from_reader(text).delimiter(b',').numeric_names(true))
}

/// The one column of a file, below its header.
fn column(bytes: Vec<u8>) -> Result<Vec<String>> {
    let bytes = inflate(bytes, MAX_BYTES)?;
    let mut reader = csv::Reader::from_reader(bytes.as_slice());
    let cells = reader.records().map(|record| {
        let record = record.map_err(|_| Error::input("the list is not CSV in UTF-8"))?;
        Ok(record.get(0).unwrap_or_default().trim().to_owned())
    });
    cells.collect()
}

/// The values of a set.
fn npy(set: &DataSet, bytes: &[u8]) -> Result<Array2<f64>> {
    let wrong = || Error::input(format!("{}.npy does not hold n by d numbers", set.name));
    let (n, d, values) = Npy::of_bytes(bytes.to_vec())?.matrix()?;
    if (n, d) != (set.n, set.d) {
        return Err(wrong());
    }
    let x = Array2::from_shape_vec((n, d), values).map_err(|_| wrong())?;
    // An infinite value is a missing one, as everywhere.
    Ok(x.mapv(|value| if value.is_finite() { value } else { f64::NAN }))
}

/// R's file of a set: a list of x and y. A label is never missing.
fn of_r(bytes: Vec<u8>, name: &str) -> Result<PublicTable> {
    let table = r_table(inflate(bytes, MAX_BYTES)?, Some(name))?;
    let target =
        table.target.ok_or_else(|| Error::input("the R file does not hold members x and y"))?;
    let label = |(row, cell): (usize, Option<Vec<u8>>)| {
        let missing = || Error::input("the label is missing").at(Some(row as u64 + 1), None);
        let text = String::from_utf8(cell.ok_or_else(missing)?).map_err(|_| missing())?;
        Ok(text.trim().to_owned())
    };
    let labels = target.into_iter().enumerate().map(label).collect::<Result<Vec<_>>>()?;
    let column = |column: Column| match column {
        Column::Numbers(values) => Ok(values),
        Column::Texts(_) => Err(Error::input("a feature in the R file does not hold numbers")),
    };
    let columns = table.columns.into_iter().map(column).collect::<Result<Vec<_>>>()?;
    let x = Array2::from_shape_vec((labels.len(), columns.len()).f(), columns.concat());
    let x =
        x.map_err(|_| Error::input("x and y in the R file differ in their number of samples"))?;
    Ok(PublicTable { features: table.names, x: x.as_standard_layout().into_owned(), labels })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::datasets::find;
    use crate::error::ErrorKind;

    fn number(value: f64) -> String {
        let mut text = String::new();
        push_number(&mut text, value);
        text
    }

    #[test]
    fn numbers_are_short() {
        for (value, text) in [
            (30.0, "30"),
            (-0.0, "-0"),
            (0.1, "0.1"),
            (1e-5, "0.00001"),
            (9.9e-6, "9.9e-6"),
            (1e16, "1e16"),
            (9007199254740993.0, "9007199254740992"),
            (f64::MAX, "1.7976931348623157e308"),
            (5e-324, "5e-324"),
            (f64::NAN, ""),
            (f64::INFINITY, ""),
        ] {
            assert_eq!(number(value), text);
        }
    }

    /// A set that is not in the manifest, of the shape of a table.
    fn set(n: usize, d: usize) -> DataSet {
        let mut set = find("yeoh").unwrap().clone();
        (set.name, set.n, set.d) = ("set".into(), n, d);
        set
    }

    fn round_trip(table: &PublicTable, form: Form) -> Result<PublicTable> {
        let mut parts = form.write(table).unwrap();
        let (ending, bytes) = parts.pop().unwrap();
        assert_eq!(ending, form.ending());
        let beside = |ending: &str| {
            let part = parts.iter().find(|(other, _)| *other == ending);
            part.map(|(_, bytes)| bytes.clone()).ok_or_else(|| Error::io("missing"))
        };
        form.read(&set(table.x.nrows(), table.x.ncols()), bytes, beside)
    }

    proptest! {
        #[test]
        fn every_table_comes_back_to_the_bit(
            d in 1usize..6,
            bits in prop::collection::vec(any::<u64>(), 6..60),
            names in prop::collection::hash_set("[a-z/ ,\"]{0,8}[a-z]", 6),
            label in "[A-Za-z/-]([A-Za-z ,\"]{0,6}[a-z])?",
        ) {
            let n = bits.len() / d;
            let value = |(i, j)| {
                let value = f64::from_bits(bits[i * d + j]);
                if value.is_finite() { value } else { f64::NAN }
            };
            let table = PublicTable {
                features: names.iter().take(d).map(|name| format!("f{name}")).collect(),
                x: Array2::from_shape_fn((n, d), value),
                labels: (0..n).map(|i| if i % 2 == 0 { label.clone() } else { "0".into() }).collect(),
            };
            for form in [Form::Csv, Form::CsvGz, Form::Npy] {
                let read = round_trip(&table, form).unwrap();
                prop_assert_eq!(&read.features, &table.features);
                prop_assert_eq!(&read.labels, &table.labels);
                let bits = |x: &Array2<f64>| x.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
                prop_assert_eq!(bits(&read.x), bits(&table.x));
            }
        }
    }

    #[test]
    fn npy_files_that_are_others() {
        let table = PublicTable {
            features: vec!["a".into(), "b".into()],
            x: Array2::from_shape_fn((3, 2), |(i, j)| (i * 2 + j) as f64),
            labels: vec!["u".into(), "v".into(), "u".into()],
        };
        let bytes = Form::Npy.write(&table).unwrap().pop().unwrap().1;
        assert_eq!(npy(&set(3, 2), &bytes).unwrap(), table.x);
        let mut vast = bytes.clone();
        let shape = bytes.windows(6).position(|bytes| bytes == b"(3, 2)").unwrap();
        vast[shape + 1] = b'9';
        let huge = set(usize::MAX / 2, 9);
        for (set, bytes) in [
            (set(2, 3), &bytes[..]),
            (set(3, 2), &bytes[..bytes.len() - 1]),
            (set(3, 2), &[&bytes[..], b"x"].concat()),
            (set(3, 2), &vast),
            (set(9, 2), &vast),
            (huge, &bytes),
            (set(3, 2), b""),
        ] {
            assert_eq!(npy(&set, bytes).unwrap_err().kind(), ErrorKind::Input);
        }
        // Names or labels that are not as many, or not there.
        let fewer = |ending: &str| {
            Ok(if ending == LABELS { b"y\nu\n".to_vec() } else { b"f\na\nb\n".to_vec() })
        };
        assert!(Form::Npy.read(&set(3, 2), bytes.clone(), fewer).is_err());
        let none = |_: &str| Err(Error::io("missing"));
        assert_eq!(Form::Npy.read(&set(3, 2), bytes, none).unwrap_err().kind(), ErrorKind::Io);
    }

    #[test]
    fn names_that_no_header_holds() {
        let check = |names: &[&str]| {
            check_names(&names.iter().map(|name| name.to_string()).collect::<Vec<_>>())
        };
        assert!(check(&["a", "b c", "Y", "a,\"b\""]).is_ok());
        for wrong in [&["a", "a"][..], &["b", "y"], &["b", ""], &["b", "a\nc"], &["b", " "]] {
            assert_eq!(check(wrong).unwrap_err().place().unwrap().column, Some(2), "{wrong:?}");
        }
    }

    #[test]
    fn forms_by_name() {
        for (name, form) in [
            ("a.csv", Some(Form::Csv)),
            ("b/a.CSV.gz", Some(Form::CsvGz)),
            ("a.rdata", Some(Form::RData)),
            ("a.npy", Some(Form::Npy)),
            ("a.gz", None),
            ("csv", None),
        ] {
            assert_eq!(Form::of(Path::new(name)), form, "{name}");
        }
    }
}
