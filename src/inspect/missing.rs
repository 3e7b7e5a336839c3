//! Missing values of features by the value of the target: whether a feature is missing more often
//! in one class than in others, or where a numeric target is large.

use super::column::{MAX_LABELS, ValueKey, number_key, text_of, value_key};
use crate::table::{Cell, CellFormat, EXACT, Kind};

/// The probability of a false finding on any column, by a normal approximation.
const ERROR: f64 = 0.01;

/// The smallest difference that is reported: of two shares, or of two means in standard deviations.
const MIN_SHARE: f64 = 0.05;
const MIN_SHIFT: f64 = 0.2;

/// The value of a target in one row.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct TargetValue {
    /// The index of the class, as long as there are few values.
    class: Option<usize>,
    number: Option<f64>,
}

impl TargetValue {
    /// The index of the class, as long as there are few values.
    pub(super) fn class(self) -> Option<usize> {
        self.class
    }
}

/// Counts of missing values by the value of the target.
#[derive(Debug, Clone, Default)]
pub(super) struct MissingByTarget {
    /// The values of the target, as long as there are at most [`MAX_LABELS`].
    classes: Vec<Class>,
    has_many: bool,
    numbers: Moments,
    /// One per column.
    columns: Vec<OfColumn>,
}

#[derive(Debug, Clone)]
struct Class {
    key: ValueKey,
    text: Box<str>,
    rows: u64,
}

/// The rows in which a column is missing.
#[derive(Debug, Clone, Default)]
struct OfColumn {
    /// Their number in each class.
    of_class: Vec<u64>,
    /// Their targets.
    numbers: Moments,
}

#[derive(Debug, Clone, Copy, Default)]
struct Moments {
    count: f64,
    sum: f64,
    squares: f64,
}

impl Moments {
    fn add(&mut self, more: Self) {
        self.count += more.count;
        self.sum += more.sum;
        self.squares += more.squares;
    }

    fn of(value: f64) -> Self {
        Self { count: 1.0, sum: value, squares: value * value }
    }

    fn mean(self) -> f64 {
        self.sum / self.count
    }
}

impl MissingByTarget {
    pub(super) fn new(columns: usize) -> Self {
        Self { columns: vec![OfColumn::default(); columns], ..Self::default() }
    }

    /// Adds the target of the next row; `None` if it is missing.
    pub(super) fn target(&mut self, cell: &[u8], format: &CellFormat) -> Option<TargetValue> {
        let parsed = format.cell(cell);
        if matches!(parsed, Cell::Missing | Cell::NotAvailable) {
            return None;
        }
        let number = parsed.value().map(|(_, value)| value).filter(|value| value.abs() < EXACT);
        Some(self.value(value_key(cell, format), number, || text_of(cell)))
    }

    /// Adds the numeric target of the next row.
    pub(super) fn number(&mut self, value: f64) -> Option<TargetValue> {
        let key = number_key(Kind::Number, value);
        value.is_finite().then(|| self.value(key, Some(value), || value.to_string().into()))
    }

    fn value(
        &mut self,
        key: ValueKey,
        number: Option<f64>,
        text: impl FnOnce() -> Box<str>,
    ) -> TargetValue {
        if let Some(number) = number {
            self.numbers.add(Moments::of(number));
        }
        let class = self.class(key, text);
        if let Some(class) = class {
            self.classes[class].rows += 1;
        }
        TargetValue { class, number }
    }

    /// The index of a class, which is added if there is room.
    fn class(&mut self, key: ValueKey, text: impl FnOnce() -> Box<str>) -> Option<usize> {
        if self.has_many {
            return None;
        }
        let place = self.classes.iter().position(|class| class.key == key);
        place.or_else(|| {
            self.has_many = self.classes.len() == MAX_LABELS;
            self.classes.push(Class { key, text: text(), rows: 0 });
            (!self.has_many).then(|| self.classes.len() - 1)
        })
    }

    /// Counts a missing value of a column in a row with this target.
    pub(super) fn missing(&mut self, column: usize, target: TargetValue) {
        let Some(of_column) = self.columns.get_mut(column) else { return };
        if let Some(class) = target.class {
            let counts = &mut of_column.of_class;
            counts.resize(counts.len().max(class + 1), 0);
            counts[class] += 1;
        }
        if let Some(number) = target.number {
            of_column.numbers.add(Moments::of(number));
        }
    }

    /// Adds other rows, and returns the indices of their classes here.
    pub(super) fn merge(&mut self, other: Self) -> Vec<Option<usize>> {
        self.numbers.add(other.numbers);
        self.has_many |= other.has_many;
        let places: Vec<Option<usize>> = other
            .classes
            .into_iter()
            .map(|Class { key, text, rows }| {
                let place = self.class(key, || text);
                if let Some(place) = place {
                    self.classes[place].rows += rows;
                }
                place
            })
            .collect();
        for (mine, more) in self.columns.iter_mut().zip(other.columns) {
            mine.numbers.add(more.numbers);
            for (count, place) in more.of_class.into_iter().zip(&places) {
                let Some(place) = *place else { continue };
                mine.of_class.resize(mine.of_class.len().max(place + 1), 0);
                mine.of_class[place] += count;
            }
        }
        places
    }

    /// The counts of a selection of columns, by their indices.
    pub(super) fn in_order(self, places: &[Option<usize>]) -> Self {
        let of = |place: &Option<usize>| place.and_then(|place| self.columns.get(place).cloned());
        let columns = places.iter().map(|place| of(place).unwrap_or_default()).collect();
        Self { columns, ..self }
    }

    /// The difference of a column among this number of features, as text, if it is missing more
    /// often for some values of the target.
    pub(super) fn difference(&self, column: usize, features: usize) -> Option<String> {
        let of_column = self.columns.get(column)?;
        // A tail of the normal distribution is at most e^(-z^2/2).
        let least = |tests: usize| (2.0 * (2.0 * tests as f64 / ERROR).ln()).sqrt();
        if self.has_many || self.classes.len() < 2 {
            let (all, missing) = (self.numbers, of_column.numbers);
            let present = all.count - missing.count;
            if missing.count < 1.0 || present < 1.0 {
                return None;
            }
            let deviation = (all.squares / all.count - all.mean() * all.mean()).max(0.0).sqrt();
            let rest = (all.sum - missing.sum) / present;
            let shift = (missing.mean() - rest) / deviation;
            let error = (1.0 / missing.count + 1.0 / present).sqrt();
            let differs = shift.abs() >= MIN_SHIFT && shift.abs() >= least(features) * error;
            let side = if shift > 0.0 { "larger" } else { "smaller" };
            return differs.then(|| format!("where the target is {side}"));
        }
        let count = |class: usize| of_column.of_class.get(class).copied().unwrap_or(0) as f64;
        let share = |class: usize| count(class) / (self.classes[class].rows as f64).max(1.0);
        let places = 0..self.classes.len();
        let rows: f64 = self.classes.iter().map(|class| class.rows as f64).sum();
        let missing: f64 = places.clone().map(count).sum();
        let differs = places.clone().any(|class| {
            let own = self.classes[class].rows as f64;
            let (others, all) = (rows - own, missing / rows);
            let difference = share(class) - (missing - count(class)) / others;
            let error = (all * (1.0 - all) * (1.0 / own + 1.0 / others)).sqrt();
            difference >= MIN_SHARE && difference >= least(features * self.classes.len()) * error
        });
        if !differs {
            return None;
        }
        let largest = places.clone().max_by(|a, b| share(*a).total_cmp(&share(*b)))?;
        let smallest = places.min_by(|a, b| share(*a).total_cmp(&share(*b)))?;
        let percent = |class: usize| (100.0 * share(class)).round();
        Some(format!(
            "in {}% of {}, {}% of {}",
            percent(largest),
            self.classes[largest].text,
            percent(smallest),
            self.classes[smallest].text
        ))
    }
}
