//! The only parser of cells: every format, the targets, class labels, codes for missing values,
//! levels, strata and the inspection of tables use it.
//!
//! A cell is missing, a number, a boolean, a date, a time of day, or a category. It is a function
//! of the cell's text, of the decimal sign and of the codes that are given. Booleans are the
//! numbers 1 and 0, dates are days since 1970-01-01, and times of day are seconds since midnight.
//!
//! Codes and labels that an option gives are compared by value where both are numbers: `-999` is
//! `-999.0` and `-9.99e2`, `1` is `1.0` and `true`. Dates are compared with dates alone, and times
//! with times. A column of 4-byte floats holds the nearest such float of a number, so that float is
//! equal as well. All other texts are compared exactly, except for surrounding blanks.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::table::date::{date, time_of_day};
use crate::table::number::parse_decimal_comma;
use crate::table::word::word;

/// The texts that stand for a missing value of a feature in every format, besides the empty text;
/// blanks around them are ignored. The list is public. It does not apply to targets, which may have
/// a class called `None`.
const MISSING: [&str; 9] = ["NA", "N/A", "n/a", "NaN", "null", "NULL", "None", ".", "?"];

/// The smallest integer from which a float does not hold all digits.
pub(crate) const EXACT: f64 = (1u64 << 53) as f64;

/// The content of a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Cell {
    /// Empty, or a given code for a missing value.
    Missing,
    /// A text of [`MISSING`], NaN or an infinite number (also 1e400): missing in a feature.
    NotAvailable,
    /// A finite number.
    Number(f64),
    /// A boolean: `true`, `True`, `TRUE` and the same of `false`.
    Boolean(bool),
    /// Days since 1970-01-01, in UTC where the text has an offset.
    Date(f64),
    /// Seconds since midnight.
    Time(f64),
    /// Any other text.
    Category,
}

/// Values of different kinds are never equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Numbers and booleans.
    Number,
    /// Dates.
    Date,
    /// Times of day.
    Time,
}

impl Cell {
    /// The number that the cell stands for, and its kind.
    pub(crate) fn value(self) -> Option<(Kind, f64)> {
        match self {
            Self::Number(value) => Some((Kind::Number, value)),
            Self::Boolean(value) => Some((Kind::Number, f64::from(u8::from(value)))),
            Self::Date(days) => Some((Kind::Date, days)),
            Self::Time(seconds) => Some((Kind::Time, seconds)),
            Self::Missing | Self::NotAvailable | Self::Category => None,
        }
    }
}

/// The text of a cell as an option gives it: a code for a missing value, or the label of a class.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct GivenCell {
    text: String,
    /// The number that it stands for in a table with decimal points, and in one with decimal
    /// commas, for which numbers may be given in either form.
    values: [Option<(Kind, f64)>; 2],
    occurs: Occurs,
}

/// Whether a code has been met, in any thread: for inspections, which read the data without
/// privacy.
#[derive(Debug, Clone, Default)]
struct Occurs(Arc<AtomicBool>);

impl Occurs {
    #[cold]
    fn set(&self) -> bool {
        if !self.get() {
            self.0.store(true, Ordering::Relaxed);
        }
        true
    }

    fn get(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl PartialEq for Occurs {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl GivenCell {
    pub(crate) fn new(text: &str) -> Self {
        // As of cells, whose other blanks are part of the text.
        let text = text.trim_ascii().to_owned();
        let [point, comma] = [false, true].map(|decimal_comma| {
            CellFormat { decimal_comma, ..CellFormat::default() }.cell(text.as_bytes()).value()
        });
        Self { values: [point, comma.or(point)], text, occurs: Occurs::default() }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Whether it does not stand for a number of any kind.
    pub(crate) fn is_text(&self) -> bool {
        self.values == [None; 2]
    }

    /// Whether this is the given number, or the nearest 4-byte float.
    pub(crate) fn is_value(&self, kind: Kind, value: f64, format: &CellFormat) -> bool {
        let is = |(own, given): (Kind, f64)| {
            own == kind && (given == value || f64::from(given as f32) == value)
        };
        self.values[usize::from(format.decimal_comma)].is_some_and(is)
    }

    /// Whether a cell is the given one. Numbers from [`EXACT`] on are compared as text.
    pub(crate) fn is_cell(&self, cell: &[u8], format: &CellFormat) -> bool {
        let has_value =
            |(kind, value): (Kind, f64)| value.abs() < EXACT && self.is_value(kind, value, format);
        self.text.as_bytes() == cell.trim_ascii()
            || self.values[1].is_some() && format.cell(cell).value().is_some_and(has_value)
    }
}

/// How cells are written.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct CellFormat {
    /// Whether `3,5` means three and a half.
    pub(crate) decimal_comma: bool,
    /// The codes for missing values, besides [`MISSING`].
    codes: Vec<GivenCell>,
}

impl CellFormat {
    /// The format with these codes for missing values.
    pub(crate) fn new(
        decimal_comma: bool,
        codes: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Self {
        let codes = codes.into_iter().map(|code| GivenCell::new(code.as_ref())).collect();
        Self { decimal_comma, codes }
    }

    /// The same codes, with a decimal point.
    pub(crate) fn with_point(&self) -> Self {
        Self { decimal_comma: false, codes: self.codes.clone() }
    }

    /// Parses a cell.
    #[inline]
    pub(crate) fn cell(&self, cell: &[u8]) -> Cell {
        let cell = cell.trim_ascii();
        if cell.is_empty() {
            return Cell::Missing;
        }
        match self.float(cell) {
            Some(number) if self.is_code_value(Kind::Number, number) => Cell::Missing,
            Some(number) if number.is_finite() => Cell::Number(number),
            _ => self.other_cell(cell),
        }
    }

    /// Parses a trimmed cell that is neither empty nor a finite number.
    #[cold]
    fn other_cell(&self, cell: &[u8]) -> Cell {
        if self.codes.iter().any(|code| code.text.as_bytes() == cell && code.occurs.set()) {
            return Cell::Missing;
        }
        if self.float(cell).is_some() || MISSING.iter().any(|text| text.as_bytes() == cell) {
            return Cell::NotAvailable;
        }
        let found = boolean(cell)
            .map(Cell::Boolean)
            .or_else(|| date(cell).map(Cell::Date))
            .or_else(|| time_of_day(cell).map(Cell::Time))
            .unwrap_or(Cell::Category);
        match found.value() {
            Some((kind, value)) if self.is_code_value(kind, value) => Cell::Missing,
            _ => found,
        }
    }

    /// The value of a feature's cell: a finite number, `f64::NAN` if it is missing, or else a
    /// [category](crate::table::word).
    #[inline]
    pub(crate) fn value(&self, cell: &[u8]) -> f64 {
        match self.cell(cell) {
            Cell::Number(number) => number,
            Cell::Category => word(cell),
            other => other.value().map_or(f64::NAN, |(_, value)| value),
        }
    }

    /// The number that a cell stands for; `None` if it is missing or a category.
    #[inline]
    pub(crate) fn number(&self, cell: &[u8]) -> Option<f64> {
        self.cell(cell).value().map(|(_, value)| value)
    }

    /// Whether the cell of a feature is missing.
    pub(crate) fn is_missing(&self, cell: &[u8]) -> bool {
        matches!(self.cell(cell), Cell::Missing | Cell::NotAvailable)
    }

    /// Whether a value is a code for a missing one.
    #[inline]
    pub(crate) fn is_code_value(&self, kind: Kind, value: f64) -> bool {
        self.codes.iter().any(|code| code.is_value(kind, value, self) && code.occurs.set())
    }

    /// Whether there are codes for missing values.
    pub(crate) fn has_codes(&self) -> bool {
        !self.codes.is_empty()
    }

    /// The codes that no cell has had so far, in this format and its copies.
    #[cfg(feature = "inspect")]
    pub(crate) fn unused_codes(&self) -> Vec<String> {
        let unused = self.codes.iter().filter(|code| !code.occurs.get());
        unused.map(|code| code.text.clone()).collect()
    }

    /// The codes for missing values.
    pub(crate) fn codes(&self) -> &[GivenCell] {
        &self.codes
    }

    /// The float in a trimmed cell, finite or not; `None` if it is not a float.
    #[inline]
    fn float(&self, cell: &[u8]) -> Option<f64> {
        match self.decimal_comma {
            true => parse_decimal_comma(cell),
            false => fast_float2::parse(cell).ok(),
        }
    }

    /// The decimal sign.
    pub(crate) fn mark(&self) -> u8 {
        if self.decimal_comma { b',' } else { b'.' }
    }
}

/// The boolean in a trimmed cell, as Python, R and most other programs write it.
fn boolean(cell: &[u8]) -> Option<bool> {
    match cell {
        b"true" | b"True" | b"TRUE" => Some(true),
        b"false" | b"False" | b"FALSE" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::word::word_of;
    use proptest::prelude::*;

    #[test]
    fn decimal_commas() {
        let format = CellFormat::new(true, [""; 0]);
        assert_eq!(format.number(b" -3,25 "), Some(-3.25));
        assert_eq!(format.number(b"17"), Some(17.0));
        for cell in [&b"1.234,5"[..], b"3.5", b"1,2,3", &[b'1'; 100]] {
            assert_eq!(format.number(cell), None);
        }
    }

    #[test]
    fn codes_for_missing_values() {
        let codes = ["-999", "0.1", "unknown", "1900-01-01", "24:30", "True"];
        let format = CellFormat::new(false, codes);
        for missing in [
            " -999 ",
            "-999.0",
            "-9.99e2",
            "0.1",
            "1e-1",
            "0.10000000149011612",
            "unknown ",
            "1900-01-01",
            "1900-01-01T00:00Z",
            "24:30",
            "TRUE",
            "1.00",
        ] {
            assert_eq!(format.cell(missing.as_bytes()), Cell::Missing, "{missing}");
        }
        for (other, cell) in [
            ("999", Cell::Number(999.0)),
            ("0.10000001", Cell::Number(0.100_000_01)),
            ("Unknown", Cell::Category),
            ("-25567", Cell::Number(-25_567.0)),
            ("1900-01-01T00:01", Cell::Date(-25_567.0 + 1.0 / 1440.0)),
            ("24:31", Cell::Category),
            ("False", Cell::Boolean(false)),
        ] {
            assert_eq!(format.cell(other.as_bytes()), cell, "{other}");
        }
        // With a decimal comma a number may be given with a point.
        for code in ["-99,9", "-99.9"] {
            let format = CellFormat::new(true, [code]);
            for missing in ["-99,9", "-99,90", "-999e-1", code] {
                assert_eq!(format.cell(missing.as_bytes()), Cell::Missing, "{code} {missing}");
            }
        }
        assert_eq!(CellFormat::new(false, ["1,5"]).cell(b"1.5"), Cell::Number(1.5));
    }

    #[test]
    fn labels() {
        let is = |label: &str, cell: &str, decimal_comma| {
            let format = CellFormat::new(decimal_comma, [""; 0]);
            GivenCell::new(label).is_cell(cell.as_bytes(), &format)
        };
        for (label, cell) in [
            ("1", " 1.0"),
            ("1.50", "15e-1"),
            ("True", "TRUE"),
            ("0", "false"),
            ("None", "None"),
            ("2024-02-29", "2024-02-29T00:00+00:00"),
            ("9007199254740993", "9007199254740993"),
        ] {
            assert!(is(label, cell, false) && is(cell, label, false), "{label} {cell}");
        }
        for (label, cell) in [
            ("case", "Case"),
            ("1", "1970-01-02"),
            ("1,5", "1.5"),
            ("9007199254740993", "9007199254740992"),
            ("NaN", "nan"),
        ] {
            assert!(!is(label, cell, false) && !is(cell, label, false), "{label} {cell}");
        }
        assert!(is("1,5", "1,50", true) && is("1.5", "1,50", true));
    }

    /// Asserts the list itself, because a change of it changes released values.
    #[test]
    fn missing_cells() {
        let comma = CellFormat::new(true, [""; 0]);
        for cell in [
            "",
            " ",
            "NA",
            "N/A",
            "n/a",
            "NaN",
            "null",
            "NULL",
            "None",
            ".",
            "?",
            " NA\t",
            "nan",
            "NAN",
            "inf",
            "-Infinity",
            "1e400",
            "-1e400",
        ] {
            for format in [&CellFormat::default(), &comma] {
                let value = format.value(cell.as_bytes());
                assert_eq!(value.to_bits(), f64::NAN.to_bits(), "{cell}");
                assert_eq!(format.number(cell.as_bytes()), None, "{cell}");
            }
        }
        assert_eq!(comma.value(b"1,5e400").to_bits(), f64::NAN.to_bits());
        assert_eq!(MISSING.len(), 9);
    }

    #[test]
    fn categories_are_all_other_texts() {
        let format = CellFormat::new(false, ["unknown", "-9"]);
        for cell in [
            "yes",
            "na",
            "none",
            "NONE",
            "Null",
            "N.A.",
            "-",
            "--",
            "??",
            "..",
            "unknown?",
            "<0.1",
            "1,234",
            "12 mg",
            "0x1",
            "1\0",
            "2023-02-29",
            "n / a",
        ] {
            let value = format.value(cell.as_bytes());
            assert_eq!(value.to_bits(), word(cell.as_bytes()).to_bits(), "{cell}");
            assert_eq!(value.to_bits(), format.value(format!(" {cell} ").as_bytes()).to_bits());
        }
        assert!(word_of(format.value(b"m\xe4nnlich")).is_some());
        for missing in [&b"unknown"[..], b" unknown", b"-9"] {
            assert_eq!(format.value(missing).to_bits(), f64::NAN.to_bits());
        }
    }

    #[test]
    fn texts_are_read_as_numbers() {
        let format = CellFormat::default();
        for cell in [
            "1",
            "1.0",
            "01",
            "+1",
            " 1e0 ",
            "1970-01-02",
            "1970-01-02T00:00Z",
            "true",
            "True",
            " TRUE",
            "1970-01-02 02:00:00+02:00",
            "00:00:01",
        ] {
            assert_eq!(format.value(cell.as_bytes()), 1.0, "{cell}");
            assert_eq!(format.number(cell.as_bytes()), Some(1.0), "{cell}");
        }
        let comma = CellFormat::new(true, ["1970-01-03"]);
        assert_eq!(comma.value(b"1,5"), 1.5);
        assert_eq!(comma.value(b"1970-01-02 12:00"), 1.5);
        assert_eq!(word_of(comma.value(b"1.5")), word_of(word(b"1.5")));
        assert_eq!(comma.number(b"1970-01-03"), None);
        assert_eq!(comma.value(b"1970-01-03").to_bits(), f64::NAN.to_bits());
    }

    proptest! {
        /// Features and targets have the same numbers; any other cell is a category or missing.
        #[test]
        fn values_and_numbers_agree(
            cell in prop::collection::vec(prop::sample::select(b"0123456789.,-+eT: NAa\xff".to_vec()), 0..12),
            decimal_comma: bool,
        ) {
            let format = CellFormat::new(decimal_comma, ["-9"]);
            let value = format.value(&cell);
            prop_assert_eq!(format.number(&cell).map(f64::to_bits), Some(value).filter(|v| !v.is_nan()).map(f64::to_bits));
            prop_assert!(!value.is_infinite());
        }
    }
}
