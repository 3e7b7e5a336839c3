//! Counts and moments of single columns.

use std::collections::BTreeMap;

use super::amount::is_amount;
use super::dates::is_other_date;
use super::different::Different;
use crate::data::{CellFormat, word_of};

/// The largest number of different values that may be labels.
pub(super) const MOST_LABELS: usize = 20;

/// The number of different words that are counted, and the length up to which they are, in bytes.
const MOST_STRAYS: usize = 12;
const LONGEST_STRAY: usize = 24;

/// Numbers that often stand for missing values, and must be stated then.
pub(super) const CODES: [&str; 9] =
    ["-999", "-9999", "-99", "-9", "99", "999", "9999", "99999", "-1e30"];

/// [`CODES`] as numbers.
const CODE_VALUES: [f64; CODES.len()] =
    [-999.0, -9999.0, -99.0, -9.0, 99.0, 999.0, 9999.0, 99999.0, -1e30];

/// Counts and moments of a column.
#[derive(Debug, Clone, Default)]
pub(super) struct ColumnSummary {
    /// Cells that are finite numbers.
    pub(super) numbers: u64,
    /// Cells that are empty or a stated code.
    pub(super) missing: u64,
    /// Cells that are missing in a feature without being stated: NA and the like, NaN, infinite.
    pub(super) unstated: u64,
    /// Other cells: words.
    pub(super) texts: u64,
    /// Different words.
    different: Different,
    /// Words that would be numbers with a decimal comma.
    pub(super) decimal_commas: u64,
    /// Words that look like dates of another notation.
    pub(super) dates: u64,
    /// Other words that look like numbers with a sign or a unit.
    amounts: u64,
    /// Other words, the first different ones that are short, with their counts.
    pub(super) strays: BTreeMap<String, u64>,
    /// The row of the first text.
    pub(super) first_text: Option<u64>,
    pub(super) low: f64,
    pub(super) high: f64,
    /// The lowest and the highest number that is not a code of [`CODES`], if there is one.
    others: Option<(f64, f64)>,
    /// Numbers that are not whole.
    fractions: u64,
    /// The number of times that each of [`CODES`] occurs.
    pub(super) codes: [u64; CODES.len()],
    /// Different values with their counts, up to [`MOST_LABELS`] and one more.
    pub(super) values: BTreeMap<String, u64>,
}

/// Counts and moments of a column of numbers.
#[derive(Debug, Clone, Default)]
pub(super) struct NumberSummary {
    counted: ColumnSummary,
    /// Different values with their counts, up to [`MOST_LABELS`] and one more.
    values: Vec<(f64, u64)>,
}

impl NumberSummary {
    /// Takes in a value; the values `missing` count as missing.
    pub(super) fn take_in(&mut self, value: f64, missing: &[f64]) {
        let column = &mut self.counted;
        if !value.is_finite() || missing.contains(&value) {
            column.missing += 1;
            return;
        }
        column.number(value);
        match self.values.iter().position(|(seen, _)| *seen == value) {
            Some(place) => self.values[place].1 += 1,
            None if self.values.len() <= MOST_LABELS => self.values.push((value, 1)),
            None => {}
        }
        if let Some(code) = CODE_VALUES.iter().position(|code| *code == value) {
            self.counted.codes[code] += 1;
        }
    }

    /// The summary with values as texts.
    pub(super) fn into_summary(self) -> ColumnSummary {
        let text = |(value, count): (f64, u64)| (value.to_string(), count);
        ColumnSummary { values: self.values.into_iter().map(text).collect(), ..self.counted }
    }
}

/// The range of two ranges.
fn widened(range: Option<(f64, f64)>, (low, high): (f64, f64)) -> (f64, f64) {
    range.map_or((low, high), |(least, most)| (low.min(least), high.max(most)))
}

impl ColumnSummary {
    /// Counts a number.
    fn number(&mut self, value: f64) {
        if self.numbers == 0 {
            (self.low, self.high) = (value, value);
        }
        self.numbers += 1;
        self.low = self.low.min(value);
        self.high = self.high.max(value);
        self.fractions += u64::from(value.fract() != 0.0);
        if !CODE_VALUES.contains(&value) {
            self.others = Some(widened(self.others, (value, value)));
        }
    }

    pub(super) fn take_in(&mut self, cell: &[u8], row: u64, format: &CellFormat) {
        let text = String::from_utf8_lossy(cell.trim_ascii());
        if text.is_empty() || format.is_missing(cell) {
            self.missing += 1;
            return;
        }
        let value = format.value(cell);
        match word_of(value) {
            None if value.is_nan() => self.unstated += 1,
            None => self.number(value),
            Some(word) => {
                self.texts += 1;
                self.different.take_in(word);
                let first = self.first_text.unwrap_or(row);
                self.first_text = Some(first.min(row));
                let comma = CellFormat { decimal_comma: true, missing: Vec::new() };
                if comma.number(cell).is_some() {
                    self.decimal_commas += 1;
                } else if is_other_date(&text) {
                    self.dates += 1;
                } else if is_amount(&text) {
                    self.amounts += 1;
                } else {
                    self.stray(&text);
                }
            }
        }
        if let Some(code) = CODES.iter().position(|code| *code == text) {
            self.codes[code] += 1;
        }
        if let Some(count) = self.values.get_mut(text.as_ref()) {
            *count += 1;
        } else if self.values.len() <= MOST_LABELS {
            self.values.insert(text.into_owned(), 1);
        }
    }

    /// Counts a word, if it is among those that are counted.
    fn stray(&mut self, word: &str) {
        if let Some(count) = self.strays.get_mut(word) {
            *count += 1;
        } else if self.strays.len() < MOST_STRAYS && word.len() <= LONGEST_STRAY {
            self.strays.insert(word.to_owned(), 1);
        }
    }

    pub(super) fn merge(&mut self, other: Self) {
        if self.numbers == 0 {
            (self.low, self.high) = (other.low, other.high);
        } else if other.numbers > 0 {
            self.low = self.low.min(other.low);
            self.high = self.high.max(other.high);
        }
        self.numbers += other.numbers;
        self.missing += other.missing;
        self.unstated += other.unstated;
        self.texts += other.texts;
        self.different.merge(other.different);
        self.amounts += other.amounts;
        self.dates += other.dates;
        for (word, count) in other.strays {
            *self.strays.entry(word).or_default() += count;
        }
        self.decimal_commas += other.decimal_commas;
        self.fractions += other.fractions;
        if let Some(others) = other.others {
            self.others = Some(widened(self.others, others));
        }
        self.first_text = match (self.first_text, other.first_text) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        for (code, more) in self.codes.iter_mut().zip(other.codes) {
            *code += more;
        }
        for (value, count) in other.values {
            *self.values.entry(value).or_default() += count;
        }
    }

    /// Whether the different values are few enough to be labels.
    pub(super) fn has_labels(&self) -> bool {
        (2..=MOST_LABELS).contains(&self.values.len())
    }

    /// Whether most cells are numbers, or would be with a decimal comma.
    pub(super) fn is_numeric(&self, decimal_comma: bool) -> bool {
        let numbers = self.numbers + if decimal_comma { self.decimal_commas } else { 0 };
        numbers > 0 && 2 * numbers >= self.numbers + self.texts
    }

    /// Whether its words are ids or free text: most of them occur once.
    pub(super) fn is_free_text(&self, decimal_comma: bool) -> bool {
        let words = self.texts - if decimal_comma { self.decimal_commas } else { 0 };
        let different = self.different.count();
        !self.is_numeric(decimal_comma) && words > 2 && 2 * different > self.texts
    }

    /// The number of words that look like numbers with a sign, a unit or commas.
    pub(super) fn amounts(&self, decimal_comma: bool) -> u64 {
        self.amounts + if decimal_comma { 0 } else { self.decimal_commas }
    }

    /// Whether all present cells are whole numbers from 0 to 20, which are rather labels than
    /// amounts.
    pub(super) fn has_label_numbers(&self) -> bool {
        let whole = |value: &String| value.parse::<u8>().is_ok_and(|number| number <= 20);
        self.texts + self.unstated == 0 && self.values.len() <= 10 && self.values.keys().all(whole)
    }

    /// Whether it holds whole numbers and nothing else.
    pub(super) fn is_whole(&self) -> bool {
        self.numbers > 0 && self.texts + self.fractions == 0
    }

    /// Whether its numbers go from one to the next, as those of rows do.
    pub(super) fn counts_rows(&self) -> bool {
        self.numbers > 20
            && self.values.len() > MOST_LABELS
            && self.values.values().all(|&count| count == 1)
            && self.high - self.low == (self.numbers - 1) as f64
    }

    /// Whether a code of [`CODES`], which occurs more than once, rather stands for missing values:
    /// all others are on one side of zero and it is on the other, or it lies further from them than
    /// they lie apart.
    pub(super) fn may_be_missing(&self, code: usize) -> bool {
        let (value, Some((low, high))) = (CODE_VALUES[code], self.others) else { return false };
        let gap = if value < low { low - value } else { value - high };
        let negative = value < 0.0 && low >= 0.0;
        self.codes[code] > 1 && gap > 0.0 && (negative || gap > high - low)
    }

    /// Whether all present cells hold the same value.
    pub(super) fn is_constant(&self) -> bool {
        self.values.len() == 1
    }
}
