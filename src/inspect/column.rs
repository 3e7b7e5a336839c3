//! Counts and moments of single columns.

use std::collections::BTreeMap;

use super::amount::is_amount;
use super::dates::is_other_date;
use super::different::Different;
use crate::estimate::{MedianGrid, RankCounts};
use crate::request::Target;
use crate::table::{Cell, CellFormat, EXACT, Kind, word, word_of};

/// The largest number of different values of a column of labels.
pub(super) const MAX_LABELS: usize = 20;

/// The number of different categories that are counted, and the length of a category, in bytes, up
/// to which it is counted.
const MAX_STRAYS: usize = 12;
const MAX_STRAY_LENGTH: usize = 24;

/// A category of more bytes or more words is a sentence rather than a name.
const MAX_NAME_LENGTH: usize = 40;
const MAX_NAME_WORDS: usize = 3;

/// Numbers that often stand for missing values; the user must give them if they do.
pub(super) const CODES: [&str; 9] =
    ["-999", "-9999", "-99", "-9", "99", "999", "9999", "99999", "-1e30"];

/// [`CODES`] as numbers.
const CODE_VALUES: [f64; CODES.len()] =
    [-999.0, -9999.0, -99.0, -9.0, 99.0, 999.0, 9999.0, 99999.0, -1e30];

/// Counts and moments of a column.
#[derive(Debug, Clone, Default)]
pub(super) struct ColumnSummary {
    /// Cells that are numbers, booleans, dates or times of day.
    pub(super) numbers: u64,
    /// Cells that are empty or a given code for missing values.
    pub(super) missing: u64,
    /// Cells that a feature treats as missing without a given code: NA and the like, NaN, infinite.
    pub(super) not_available: u64,
    /// Other cells.
    pub(super) categories: u64,
    /// Different categories.
    different: Different,
    /// Categories that would be numbers with a decimal comma.
    pub(super) decimal_commas: u64,
    /// Categories among these whose commas could separate thousands.
    pub(super) thousands: u64,
    /// Categories with points between thousands before a decimal comma.
    pub(super) points_of_thousands: u64,
    /// Categories that look like dates in another notation.
    pub(super) dates: u64,
    /// Other categories that look like numbers with a sign or a unit.
    amounts: u64,
    /// Categories that are long or have many words.
    sentences: u64,
    /// Categories that could be identifiers: a single word of letters and digits.
    identifiers: u64,
    /// The first different categories that are short and in no other notation, with their counts.
    pub(super) strays: BTreeMap<String, u64>,
    /// The row of the first category.
    pub(super) first_category: Option<u64>,
    pub(super) low: f64,
    pub(super) high: f64,
    /// The lowest and the highest number that is not a code of [`CODES`], if there is one.
    others: Option<(f64, f64)>,
    /// Numbers that are not whole.
    pub(super) fractions: u64,
    /// The number of times that each of [`CODES`] occurs.
    pub(super) codes: [u64; CODES.len()],
    /// The different values with their counts: the given labels, and all other values as long as
    /// there are at most [`MAX_LABELS`].
    values: Vec<Counted>,
    /// The number of given labels.
    given: usize,
    /// Whether there are more than [`MAX_LABELS`] different values.
    has_many: bool,
    /// Whether one of the counted values occurs more than once.
    repeats: bool,
    /// Whether the type of the column is not supported.
    pub(super) is_unread: bool,
    /// The ranks of the numbers of a target on the grid used for its median.
    ranks: Option<RankCounts>,
}

/// A value by which cells of a target are compared with labels: of a number, date or time its kind
/// and bits, of another text its hash.
pub(super) type ValueKey = (Option<Kind>, u64);

/// The value of a cell of a target, in which no text is missing. Numbers from [`EXACT`] on are
/// texts.
pub(super) fn value_key(cell: &[u8], format: &CellFormat) -> ValueKey {
    match format.cell(cell).value() {
        Some((kind, value)) if value.abs() < EXACT => number_key(kind, value),
        _ => (None, word(cell).to_bits()),
    }
}

/// Positive and negative zero are one number.
pub(super) fn number_key(kind: Kind, value: f64) -> ValueKey {
    (Some(kind), (value + 0.0).to_bits())
}

/// A value with its count.
#[derive(Debug, Clone)]
struct Counted {
    key: ValueKey,
    count: u64,
    /// The text of its first cell; `None` for a number.
    text: Option<Box<str>>,
    /// Whether a feature would treat it as missing.
    is_not_available: bool,
}

impl Counted {
    /// The text of the value; a number in its shortest form.
    fn text(&self) -> String {
        let number = || f64::from_bits(self.key.1).to_string();
        self.text.as_ref().map_or_else(number, |text| text.to_string())
    }
}

/// The text of a cell without blanks around it.
pub(super) fn text_of(cell: &[u8]) -> Box<str> {
    String::from_utf8_lossy(cell.trim_ascii()).into()
}

/// The union of two ranges.
fn widened(range: Option<(f64, f64)>, (low, high): (f64, f64)) -> (f64, f64) {
    range.map_or((low, high), |(least, most)| (low.min(least), high.max(most)))
}

impl ColumnSummary {
    /// A column that always counts the cells with these labels.
    fn of_labels(labels: &[String], format: &CellFormat) -> Self {
        let counted = |label: &String| {
            let (cell, key) = (label.as_bytes(), value_key(label.as_bytes(), format));
            Counted { key, count: 0, text: Some(text_of(cell)), is_not_available: false }
        };
        let values: Vec<Counted> = labels.iter().map(counted).collect();
        Self { given: values.len(), values, ..Self::default() }
    }

    /// The column of a target: counts the given labels, and ranks if the target may be split at its
    /// median.
    pub(super) fn of_target(target: Option<&Target>, format: &CellFormat) -> Self {
        match target {
            Some(Target::Classes(labels)) => Self::of_labels(labels, format),
            Some(Target::Bounded(_)) => Self::default(),
            _ => Self { ranks: Some(MedianGrid::shared().counts()), ..Self::default() },
        }
    }

    /// The counts of a target's numbers up to its median on the grid and above it, without noise:
    /// the most even split that the grid allows. `None` if the target is not split.
    pub(super) fn split(&self) -> Option<[u64; 2]> {
        let ranks = self.ranks.as_ref().filter(|_| self.is_numeric())?;
        let all = ranks.total();
        let cumulated = ranks.bins().iter().scan(0, |below, bin| {
            *below += bin;
            Some(*below)
        });
        let below = cumulated.min_by_key(|below| all.abs_diff(2 * below)).unwrap_or_default();
        Some([below, all - below])
    }

    /// A column of an unsupported type.
    pub(super) fn unread() -> Self {
        Self { is_unread: true, ..Self::default() }
    }

    /// Adds a value of a numeric column, NaN if it is missing.
    pub(super) fn take_number(&mut self, value: f64) {
        match value.is_finite() {
            true => self.number(value),
            false => self.missing += 1,
        }
    }

    /// Adds a cell; returns whether it is missing in a feature.
    pub(super) fn take_in(&mut self, cell: &[u8], row: u64, format: &CellFormat) -> bool {
        let parsed = format.cell(cell);
        match parsed {
            Cell::Missing => self.missing += 1,
            Cell::NotAvailable => {
                self.not_available += 1;
                self.text_value(cell, true);
            }
            Cell::Category => self.category(cell, row),
            other => match other.value() {
                Some((Kind::Number, number)) if number.abs() < EXACT => self.number(number),
                Some((Kind::Number, number)) => {
                    self.range(number);
                    self.text_value(cell, false);
                }
                Some((kind, number)) => {
                    self.range(number);
                    self.value(number_key(kind, number), || Some(text_of(cell)), false);
                }
                None => {}
            },
        }
        matches!(parsed, Cell::Missing | Cell::NotAvailable)
    }

    fn number(&mut self, value: f64) {
        self.range(value);
        self.value(number_key(Kind::Number, value), || None, false);
    }

    fn range(&mut self, value: f64) {
        if self.numbers == 0 {
            (self.low, self.high) = (value, value);
        }
        self.numbers += 1;
        if let Some(ranks) = &mut self.ranks {
            MedianGrid::shared().observe(ranks, value);
        }
        self.low = self.low.min(value);
        self.high = self.high.max(value);
        self.fractions += u64::from(value.fract() != 0.0);
        // No code is smaller in magnitude.
        let may_be_code = value.abs() >= 9.0 && value.fract() == 0.0;
        let code = may_be_code.then(|| CODE_VALUES.iter().position(|code| *code == value));
        match code.flatten() {
            Some(code) => self.codes[code] += 1,
            None => self.others = Some(widened(self.others, (value, value))),
        }
    }

    fn category(&mut self, cell: &[u8], row: u64) {
        let text = String::from_utf8_lossy(cell.trim_ascii());
        self.categories += 1;
        self.different.take_in(word_of(word(cell)).unwrap_or_default());
        self.first_category = Some(self.first_category.unwrap_or(row).min(row));
        let comma = CellFormat::new(true, [""; 0]);
        if comma.number(cell).is_some() {
            self.decimal_commas += 1;
            self.thousands += u64::from(may_be_thousands(&text));
        } else if is_other_date(&text) {
            self.dates += 1;
        } else if is_amount(&text) {
            self.amounts += 1;
            let points = text.split_once(',').is_some_and(|(before, _)| before.contains('.'));
            self.points_of_thousands += u64::from(points);
        } else {
            let words = text.split_ascii_whitespace().count();
            self.sentences += u64::from(text.len() > MAX_NAME_LENGTH || words > MAX_NAME_WORDS);
            let has = |is: fn(&u8) -> bool| text.as_bytes().iter().any(is);
            let is_mixed = has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic);
            self.identifiers += u64::from(words == 1 && is_mixed);
            self.stray(&text);
        }
        self.text_value(cell, false);
    }

    /// Counts the value of a text.
    fn text_value(&mut self, cell: &[u8], is_not_available: bool) {
        self.value((None, word(cell).to_bits()), || Some(text_of(cell)), is_not_available);
    }

    /// Counts a value.
    #[inline]
    fn value(
        &mut self,
        key: ValueKey,
        text: impl FnOnce() -> Option<Box<str>>,
        is_not_available: bool,
    ) {
        match self.values.iter_mut().find(|counted| counted.key == key) {
            Some(counted) => {
                self.repeats |= counted.count > 0;
                counted.count += 1;
            }
            None if !self.has_many => {
                self.values.push(Counted { key, count: 1, text: text(), is_not_available });
                self.forget_many();
            }
            None => {}
        }
    }

    /// Keeps the given labels only, once there are too many values for labels.
    fn forget_many(&mut self) {
        if self.has_many || self.values.len() - self.given > MAX_LABELS {
            self.has_many = true;
            self.values.truncate(self.given);
            self.values.shrink_to_fit();
        }
    }

    /// Counts a category, if it is one of the categories that are counted.
    fn stray(&mut self, category: &str) {
        if let Some(count) = self.strays.get_mut(category) {
            *count += 1;
        } else if self.strays.len() < MAX_STRAYS && category.len() <= MAX_STRAY_LENGTH {
            self.strays.insert(category.to_owned(), 1);
        }
    }

    pub(super) fn merge(&mut self, other: Self) {
        if self.numbers == 0 {
            (self.low, self.high) = (other.low, other.high);
        } else if other.numbers > 0 {
            self.low = self.low.min(other.low);
            self.high = self.high.max(other.high);
        }
        for (count, more) in [
            (&mut self.numbers, other.numbers),
            (&mut self.missing, other.missing),
            (&mut self.not_available, other.not_available),
            (&mut self.categories, other.categories),
            (&mut self.decimal_commas, other.decimal_commas),
            (&mut self.thousands, other.thousands),
            (&mut self.points_of_thousands, other.points_of_thousands),
            (&mut self.dates, other.dates),
            (&mut self.amounts, other.amounts),
            (&mut self.sentences, other.sentences),
            (&mut self.identifiers, other.identifiers),
            (&mut self.fractions, other.fractions),
        ] {
            *count += more;
        }
        self.different.merge(other.different);
        if let (Some(ranks), Some(more)) = (&mut self.ranks, &other.ranks) {
            ranks.merge(more);
        }
        for (category, count) in other.strays {
            *self.strays.entry(category).or_default() += count;
        }
        if let Some(others) = other.others {
            self.others = Some(widened(self.others, others));
        }
        self.first_category = match (self.first_category, other.first_category) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        for (code, more) in self.codes.iter_mut().zip(other.codes) {
            *code += more;
        }
        for more in other.values {
            match self.values.iter_mut().find(|counted| counted.key == more.key) {
                Some(counted) => {
                    self.repeats |= counted.count > 0 && more.count > 0;
                    counted.count += more.count;
                }
                None => self.values.push(more),
            }
        }
        self.repeats |= other.repeats;
        self.has_many |= other.has_many;
        self.forget_many();
    }

    /// Counts the categories that would be numbers with a decimal comma as numbers, of unknown
    /// size.
    pub(super) fn take_commas_for_numbers(&mut self) {
        let commas = std::mem::take(&mut self.decimal_commas);
        self.categories -= commas;
        if commas > 0 {
            self.numbers += commas;
            (self.low, self.high) = (f64::NEG_INFINITY, f64::INFINITY);
        }
    }

    /// The different values that occur, as far as they were counted.
    fn found(&self) -> impl Iterator<Item = &Counted> {
        self.values.iter().filter(|counted| counted.count > 0)
    }

    /// The number of different values, if there are at most [`MAX_LABELS`]; else a larger number.
    fn different_values(&self) -> usize {
        if self.has_many { MAX_LABELS + 1 } else { self.found().count() }
    }

    /// The different values as texts, with their counts.
    pub(super) fn labels(&self) -> impl Iterator<Item = (String, u64)> {
        self.found().map(|counted| (counted.text(), counted.count))
    }

    /// Whether all different values were counted.
    pub(super) fn has_all_values(&self) -> bool {
        !self.has_many
    }

    /// The number of cells with a given label.
    pub(super) fn count_of(&self, label: &str) -> u64 {
        let is_it = |counted: &&Counted| counted.text.as_deref() == Some(label.trim_ascii());
        self.values[..self.given].iter().find(is_it).map_or(0, |counted| counted.count)
    }

    /// Whether the different values are few enough to be labels.
    pub(super) fn has_labels(&self) -> bool {
        (2..=MAX_LABELS).contains(&self.different_values())
    }

    /// Whether most cells are numbers.
    pub(super) fn is_numeric(&self) -> bool {
        self.numbers > 0 && self.numbers >= self.categories
    }

    /// Whether its categories are identifiers or free text: most of them occur once, or are
    /// sentences of many kinds, as with repeated rows.
    pub(super) fn is_free_text(&self) -> bool {
        let different = self.different.count();
        let sentences = 2 * self.sentences > self.categories && different > MAX_LABELS as u64;
        let once = self.categories > 2 && 2 * different > self.categories;
        !self.is_numeric() && !self.is_notation() && (once || sentences)
    }

    /// Whether most categories are numbers or dates in another notation.
    pub(super) fn is_notation(&self) -> bool {
        2 * self.amounts().max(self.dates) >= self.categories.max(1)
    }

    /// Whether nearly all cells have the form of identifiers: single words of letters and digits,
    /// with many different ones.
    pub(super) fn looks_like_identifiers(&self) -> bool {
        self.numbers + self.not_available == 0
            && 20 * self.identifiers >= 19 * self.categories
            && self.different.count() > MAX_LABELS as u64
    }

    /// The number of categories that look like numbers with a sign, a unit or commas.
    pub(super) fn amounts(&self) -> u64 {
        self.amounts + self.decimal_commas
    }

    /// Whether all present cells are one of two numbers, or whole numbers from 0 to 20, which are
    /// more likely labels than amounts. Cells as NA are not present.
    pub(super) fn has_label_numbers(&self) -> bool {
        let present = self.found().filter(|counted| !counted.is_not_available).count();
        let few = self.fractions == 0 && present <= 10 && self.low >= 0.0 && self.high <= 20.0;
        self.numbers > 0 && self.categories == 0 && !self.has_many && (few || present == 2)
    }

    /// Whether all of its cells are whole numbers.
    pub(super) fn is_whole(&self) -> bool {
        self.numbers > 0 && self.categories + self.fractions == 0
    }

    /// Whether its numbers are consecutive, like row numbers.
    pub(super) fn counts_rows(&self) -> bool {
        self.numbers > 20
            && self.has_many
            && !self.repeats
            && self.high - self.low == (self.numbers - 1) as f64
    }

    /// Whether a code of [`CODES`] that occurs more than once is likely to stand for missing
    /// values: all other numbers are on the other side of zero, or it lies further from them than
    /// they lie apart.
    pub(super) fn may_be_missing(&self, code: usize) -> bool {
        let (value, Some((low, high))) = (CODE_VALUES[code], self.others) else { return false };
        let gap = if value < low { low - value } else { value - high };
        let negative = value < 0.0 && low >= 0.0;
        self.codes[code] > 1 && gap > 0.0 && (negative || gap > high - low)
    }

    /// Whether all present cells hold the same value.
    pub(super) fn is_constant(&self) -> bool {
        self.different_values() == 1
    }
}

/// Whether the commas of a number may separate thousands: three digits follow each comma, and one
/// to three precede the first.
fn may_be_thousands(text: &str) -> bool {
    let mut groups = text.trim_start_matches(['+', '-']).split(',');
    let first = groups.next().unwrap_or_default();
    let is_digits = |group: &str| group.bytes().all(|byte| byte.is_ascii_digit());
    (1..=3).contains(&first.len())
        && is_digits(first)
        && !first.starts_with('0')
        && groups.all(|group| group.len() == 3 && is_digits(group))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_of_thousands() {
        for text in ["1,234", "-12,345", "999,000"] {
            assert!(may_be_thousands(text), "{text}");
        }
        for text in ["1,5", "1234,567", "1,2345", ",500", "1,23e2", "0,125"] {
            assert!(!may_be_thousands(text), "{text}");
        }
    }

    #[test]
    fn labels_are_counted_by_value() {
        let format = CellFormat::default();
        let labels = ["1".to_owned(), "None".to_owned(), "z".to_owned()];
        let mut column = ColumnSummary::of_labels(&labels, &format);
        let other = |i: u32| format!("value {i}");
        let cells = (0..100).map(other).chain(["1.0", "True", "None", "1"].map(str::to_owned));
        for cell in cells {
            column.take_in(cell.as_bytes(), 1, &format);
        }
        assert_eq!(labels.each_ref().map(|label| column.count_of(label)), [3, 1, 0]);
    }
}
