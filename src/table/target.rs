//! The grid value of a row's target. A value that is not usable is missing, and a row without a
//! target contributes nothing.

use std::borrow::Cow;

use crate::error::{Error, Parameter, Result};
use crate::exact::GRID;
use crate::table::bounds::Bounds;
use crate::table::cell::{Cell, CellFormat, EXACT, GivenCell, Kind};

/// The target of a sample as its table holds it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum TargetCell<'a> {
    /// A text: a label, or a number as written in a file.
    Text(&'a [u8]),
    /// A number of a matrix in memory.
    #[cfg_attr(not(feature = "ndarray"), allow(dead_code, reason = "no matrix"))]
    Number(f64),
}

impl<'a> From<&'a [u8]> for TargetCell<'a> {
    fn from(text: &'a [u8]) -> Self {
        Self::Text(text)
    }
}

impl<'a, const N: usize> From<&'a [u8; N]> for TargetCell<'a> {
    fn from(text: &'a [u8; N]) -> Self {
        Self::Text(text)
    }
}

impl TargetCell<'_> {
    /// The finite number it is or spells; `None` if it is missing or not a number.
    pub(crate) fn number(self, format: &CellFormat) -> Option<f64> {
        match self {
            Self::Text(text) => format.number(text),
            Self::Number(value) => Some(value).filter(|value| value.is_finite()),
        }
    }

    /// The value that the cell has as a feature's: a number, a word, or NaN.
    pub(crate) fn value(self, format: &CellFormat) -> f64 {
        match self {
            Self::Text(text) => format.value(text),
            Self::Number(value) => value,
        }
    }

    /// The text of the cell: of a number the shortest digits that read back to it.
    pub(crate) fn text(&self) -> Cow<'_, [u8]> {
        match self {
            Self::Text(text) => Cow::Borrowed(text),
            Self::Number(value) => Cow::Owned(value.to_string().into_bytes()),
        }
    }
}

/// Turns the targets that are usable into numbers.
pub(crate) type Code<'a> = dyn Fn(TargetCell<'_>) -> Option<f64> + Sync + 'a;

/// Labels in a sentence, separated by commas, each as [`quoted`] gives it.
pub(crate) fn listed<T: AsRef<str>>(labels: impl IntoIterator<Item = T>) -> String {
    let labels: Vec<String> = labels.into_iter().map(|label| quoted(label.as_ref())).collect();
    labels.join(", ")
}

/// A label in a sentence: in quotes if it contains a comma or a quote.
pub(crate) fn quoted(label: &str) -> String {
    if label.contains([',', '"']) { format!("{label:?}") } else { label.to_owned() }
}

/// The classes of a target, given by the user: inferring them from the data would leak.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Labels {
    texts: Vec<String>,
    cells: Vec<GivenCell>,
}

impl Labels {
    /// The classes, in order: at least two labels, all different and not empty.
    pub(crate) fn new(labels: Vec<String>) -> Result<Self> {
        let wrong = |rule: &str| Error::request(rule).about([Parameter::Classes]);
        let labels: Vec<String> =
            labels.iter().map(|label| label.trim_ascii().to_owned()).collect();
        if labels.len() < 2 {
            return Err(wrong("at least two classes are needed"));
        }
        let cells: Vec<GivenCell> = labels.iter().map(|label| GivenCell::new(label)).collect();
        let plain = CellFormat::default();
        let is_earlier = |(place, cell): (usize, &GivenCell)| {
            labels[..place].iter().any(|label| cell.is_cell(label.as_bytes(), &plain))
        };
        if cells.iter().enumerate().any(is_earlier) {
            return Err(wrong("a class is given twice: numbers are compared by value"));
        }
        if labels.iter().any(String::is_empty) {
            return Err(wrong("a class has an empty label"));
        }
        Ok(Self { texts: labels, cells })
    }

    pub(crate) fn as_slice(&self) -> &[String] {
        &self.texts
    }

    /// Whether no label is a number, a boolean, a date or a time: then cells are compared as text.
    pub(crate) fn are_texts(&self) -> bool {
        self.cells.iter().all(GivenCell::is_text)
    }

    /// Whether each label is an integer in its usual form, as engines write it.
    pub(crate) fn are_integers(&self) -> bool {
        let is_usual = |label: &String| {
            label.parse::<i64>().is_ok_and(|integer| integer.to_string() == *label)
        };
        self.texts.iter().all(is_usual)
    }

    /// The class of a cell, from 0: numbers are compared by value, other labels as text, where
    /// upper and lower case differ and blanks around it are ignored.
    pub(crate) fn class_of<'a>(
        &self,
        cell: impl Into<TargetCell<'a>>,
        format: &CellFormat,
    ) -> Option<usize> {
        let cell = cell.into();
        match cell {
            TargetCell::Number(value) if value.abs() < EXACT => {
                let is_label = |label: &GivenCell| label.is_value(Kind::Number, value, format);
                let is_code = format.is_code_value(Kind::Number, value);
                self.cells.iter().position(is_label).filter(|_| !is_code)
            }
            _ => {
                let cell = cell.text();
                let is_code = format.has_codes() && format.cell(&cell) == Cell::Missing;
                let is_label = |label: &GivenCell| label.is_cell(&cell, format);
                self.cells.iter().position(is_label).filter(|_| !is_code)
            }
        }
    }
}

/// A coding of target cells as grid values.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum TargetCode {
    /// Clipped to a given range.
    Bounded(Bounds),
    /// The first label is -Q, the last Q, those between them are at equal distances.
    Classes(Labels),
    /// Values above this one are Q, all others -Q: a median by the number of values up to it.
    SplitAt(f64),
}

impl TargetCode {
    /// The grid value of a target; `None` if it is missing.
    pub(crate) fn code<'a>(
        &self,
        cell: impl Into<TargetCell<'a>>,
        format: &CellFormat,
        q: i32,
    ) -> Option<i16> {
        let cell = cell.into();
        match self {
            Self::Bounded(bounds) => Some(bounds.quantize(cell.number(format)?, q)),
            Self::Classes(labels) => {
                let (class, last) = (labels.class_of(cell, format)?, labels.texts.len() - 1);
                let steps = 2.0 * f64::from(q) * class as f64 / last as f64;
                Some((steps - f64::from(q)).round() as i16)
            }
            Self::SplitAt(median) => Some(Self::split(cell.number(format)?, *median, q)),
        }
    }

    /// The grid value of a value split at a median.
    pub(crate) fn split(value: f64, median: f64, q: i32) -> i16 {
        end(value > median, q)
    }

    /// A center on the grid in the units in which it is given: a mean, or the share of the second
    /// class or of the rows above the median.
    pub(crate) fn center_in_units(&self, center: i32) -> f64 {
        match self {
            Self::Bounded(bounds) => bounds.value_at(center, GRID),
            Self::Classes(_) | Self::SplitAt(_) => {
                (f64::from(center) / f64::from(GRID) + 1.0) / 2.0
            }
        }
    }
}

/// q for the upper end, -q for the lower.
fn end(upper: bool, q: i32) -> i16 {
    (if upper { q } else { -q }) as i16
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(labels: &[&str]) -> Result<Labels> {
        Labels::new(labels.iter().map(|label| label.to_string()).collect())
    }

    #[test]
    fn a_list_shows_where_a_label_ends() {
        assert_eq!(listed(["A", "B north", "7"]), "A, B north, 7");
        assert_eq!(listed(["A", "B, north", "C \"x\""]), r#"A, "B, north", "C \"x\"""#);
    }

    #[test]
    fn labels_that_are_not_numbers_are_compared_as_text() {
        let labels = labels(&["case", "x, y"]).unwrap();
        assert_eq!(labels.class_of(b" case", &CellFormat::default()), Some(0));
        assert_eq!(labels.class_of(b"x, y", &CellFormat::default()), Some(1));
        assert_eq!(labels.class_of(b"Case", &CellFormat::default()), None);
    }

    #[test]
    fn labels_must_be_several_and_differ() {
        for wrong in [&[][..], &["a"], &["a", "a"], &["a", ""]] {
            assert!(labels(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn targets_reach_the_grid() {
        let bounded = TargetCode::Bounded(Bounds::new(-1.0, 1.0).unwrap());
        assert_eq!(bounded.code(b"9", &CellFormat::default(), GRID), Some(32767));
        assert_eq!(bounded.code(b"0", &CellFormat::default(), GRID), Some(0));
        assert_eq!(bounded.code(b"n/a", &CellFormat::default(), GRID), None);
        let two = TargetCode::Classes(labels(&["no", "yes"]).unwrap());
        assert_eq!(
            [&b"no"[..], b"yes", b"maybe"].map(|cell| two.code(cell, &CellFormat::default(), GRID)),
            [Some(-32767), Some(32767), None]
        );
        let split = TargetCode::SplitAt(2.5);
        assert_eq!(
            [&b"2.5"[..], b"2.6", b""].map(|cell| split.code(cell, &CellFormat::default(), GRID)),
            [Some(-32767), Some(32767), None]
        );
    }
}
