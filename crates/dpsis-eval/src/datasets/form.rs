//! File formats of public sets.

use std::collections::HashSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use dpsis::{Error, FileTable, Result};
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::datasets::table::PublicTable;

/// The largest size of a file in bytes, compressed or not: ten times the largest known set.
pub(super) const MAX_BYTES: u64 = 1 << 28;

/// A file format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `NAME.csv`: a header, features, and the label `y` in the last column.
    Csv,
    /// `NAME.csv.gz`: the same, compressed by gzip.
    CsvGz,
    /// `NAME.RData`: a file of R, which can be read but not written.
    RData,
    /// `NAME.npy`: the values, n by d, as `f64`; next to it `NAME.features.csv` (a column
    /// `feature`) and `NAME.labels.csv` (a column `y`).
    Npy,
}

impl Form {
    /// All formats, in the order in which a folder is searched.
    pub(super) const ALL: [Self; 4] = [Self::Csv, Self::CsvGz, Self::RData, Self::Npy];

    /// The ending of the file name after the name of the set.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Csv => ".csv",
            Self::CsvGz => ".csv.gz",
            Self::RData => ".RData",
            Self::Npy => ".npy",
        }
    }

    /// Determines the format from the name of a file; `None` for other names.
    pub fn of(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        Self::ALL.into_iter().find(|form| name.ends_with(&form.ending().to_ascii_lowercase()))
    }

    /// Reads a set from the file at `path` and the files that belong to it.
    ///
    /// # Errors
    ///
    /// `Input` if it is malformed; `Io` if it cannot be read.
    pub(super) fn read(self, path: &Path) -> Result<PublicTable> {
        let mut table = match self {
            Self::Csv | Self::CsvGz => {
                // In a known set, feature names that look like numbers are names.
                PublicTable::read(&FileTable::new(path).delimiter(b',').numeric_names(true))?
            }
            Self::RData => PublicTable::read(&FileTable::new(path))?,
            Self::Npy => {
                let labels = sibling(path, LABELS);
                let table = PublicTable::read(&FileTable::new(path).target_file(labels))?;
                PublicTable { features: column(&sibling(path, FEATURES))?, ..table }
            }
        };
        if table.features.len() != table.x.ncols() {
            return Err(Error::input("the values and the names differ in number"));
        }
        if let Some(row) = table.labels.iter().position(String::is_empty) {
            return Err(Error::input("the label is missing").at(Some(row as u64 + 1), None));
        }
        // Infinite values count as missing, as everywhere.
        table.x.mapv_inplace(|value| if value.is_finite() { value } else { f64::NAN });
        check_names(&table.features)?;
        Ok(table)
    }

    /// Formats a table as one or more files, each with the ending of its name and its bytes. The
    /// main file comes last.
    ///
    /// # Errors
    ///
    /// `Request` for R's format; `Io` if compression fails.
    pub fn write(self, table: &PublicTable) -> Result<Vec<(&'static str, Vec<u8>)>> {
        let failed = |_| Error::io("cannot compress the table");
        let bytes = match self {
            Self::RData => return Err(Error::request("files of R can be read but not written")),
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

/// The name of the label's column.
const LABEL: &str = "y";
const FEATURES: &str = ".features.csv";
const LABELS: &str = ".labels.csv";

/// Formats a table as CSV: a header, one line per row, and the label in the last column `y`. Each
/// number is the shortest decimal text that parses to the same `f64`; a missing value is empty.
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

/// Appends the shortest decimal text that parses to the same number: positional for common
/// magnitudes, otherwise with an exponent; nothing for NaN and infinity.
pub(super) fn push_number(text: &mut String, value: f64) {
    let size = value.abs();
    // Writing to a string cannot fail.
    let _ = match size {
        _ if !size.is_finite() => Ok(()),
        _ if size == 0.0 || (1e-5..1e16).contains(&size) => write!(text, "{value}"),
        _ => write!(text, "{value:e}"),
    };
}

/// Appends a cell, quoted if necessary.
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

/// Checks that a file can hold the feature names in its header next to the name of the label.
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

/// The file of the same set with another ending.
fn sibling(path: &Path, ending: &str) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{stem}{ending}"))
}

/// Reads the first column of a file below its header.
fn column(path: &Path) -> Result<Vec<String>> {
    let failed = || Error::io(format!("cannot read {}", path.display()));
    let mut reader = csv::Reader::from_path(path).map_err(|_| failed())?;
    let cells = reader.records().map(|record| {
        let record = record.map_err(|_| Error::input("the list is not CSV in UTF-8"))?;
        Ok(record.get(0).unwrap_or_default().trim().to_owned())
    });
    cells.collect()
}

/// Formats the header of a `.npy` file of an `f64` matrix in C order.
fn npy_header(rows: usize, columns: usize) -> Vec<u8> {
    let mut header =
        format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({rows}, {columns}), }}");
    // The values start at a multiple of 64 bytes, and a line feed ends the header.
    let padding = 64 - (10 + header.len() + 1) % 64;
    header.extend(std::iter::repeat_n(' ', padding % 64));
    header.push('\n');
    let length = u16::try_from(header.len()).unwrap_or(u16::MAX).to_le_bytes();
    [&b"\x93NUMPY"[..], &[1, 0], &length, header.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use dpsis::ErrorKind;
    use ndarray::Array2;
    use proptest::prelude::*;

    use super::*;

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

    /// Writes the files of a table, and reads them back.
    fn round_trip(table: &PublicTable, form: Form) -> Result<PublicTable> {
        let folder = tempfile::tempdir().unwrap();
        let path = |ending: &str| folder.path().join(format!("set{ending}"));
        for (ending, bytes) in form.write(table).unwrap() {
            std::fs::write(path(ending), bytes).unwrap();
        }
        form.read(&path(form.ending()))
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
    fn damaged_or_mismatched_npy_files_are_refused() {
        let table = PublicTable {
            features: vec!["a".into(), "b".into()],
            x: Array2::from_shape_fn((3, 2), |(i, j)| (i * 2 + j) as f64),
            labels: vec!["u".into(), "v".into(), "u".into()],
        };
        let folder = tempfile::tempdir().unwrap();
        let path = |ending: &str| folder.path().join(format!("set{ending}"));
        let parts = Form::Npy.write(&table).unwrap();
        let write = |ending: &str, bytes: &[u8]| std::fs::write(path(ending), bytes).unwrap();
        let read = || Form::Npy.read(&path(".npy"));
        parts.iter().for_each(|(ending, bytes)| write(ending, bytes));
        assert_eq!(read().unwrap(), table);
        let bytes = &parts[2].1;
        let mut vast = bytes.clone();
        let shape = bytes.windows(6).position(|bytes| bytes == b"(3, 2)").unwrap();
        vast[shape + 1] = b'9';
        for bytes in [&bytes[..bytes.len() - 1], &[&bytes[..], b"x"].concat(), &vast, b""] {
            write(".npy", bytes);
            assert_eq!(read().unwrap_err().kind(), ErrorKind::Input);
        }
        write(".npy", bytes);
        // Too few or too many names or labels, an empty label, a missing file.
        for (ending, text) in
            [(FEATURES, "f\na\n"), (LABELS, "y\nu\nv\n"), (LABELS, "y\nu\n\"\"\nv\n")]
        {
            write(ending, text.as_bytes());
            assert_eq!(read().unwrap_err().kind(), ErrorKind::Input, "{text:?}");
            parts.iter().for_each(|(ending, bytes)| write(ending, bytes));
        }
        for ending in [FEATURES, LABELS] {
            std::fs::remove_file(path(ending)).unwrap();
            assert_eq!(read().unwrap_err().kind(), ErrorKind::Io);
            parts.iter().for_each(|(ending, bytes)| write(ending, bytes));
        }
    }

    #[test]
    fn names_that_do_not_fit_a_header_are_refused() {
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
