//! The inner loops of a pass: rows are mapped to the grid and summed, or kept in memory.
//!
//! The contribution of a row is a function of that row alone.

use crate::score::{MISSING, RowSums};
use crate::table::{Batch, Code, Fold, Layout, Scaler, Scaling, TargetCell, Value, Values};

/// Sums over rows with a usable target, and the total number of rows.
pub(crate) struct Summed<S> {
    pub(crate) sums: S,
    pub(crate) rows: u64,
}

impl<S> Summed<S> {
    /// Converts the sums, for the same rows.
    pub(crate) fn map<T>(self, to: impl FnOnce(S) -> T) -> Summed<T> {
        Summed { sums: to(self.sums), rows: self.rows }
    }
}

/// Maps rows to the grid and sums them.
pub(crate) struct SumRows<'a, S: RowSums, C> {
    code: &'a C,
    scaler: Scaler<'a>,
    /// Rows on the grid not yet added to the sums, row-major.
    x: Vec<i16>,
    /// Their targets.
    y: Vec<S::Target>,
    summed: Summed<S>,
}

/// The number of grid values collected before they are added to the sums; they stay in the
/// processor's caches.
const GATHERED: usize = 1 << 11;

/// The sums process rows in groups of this size.
const ROWS: usize = 4;

/// The number of grid values of one feature processed at a time.
const PART: usize = 1 << 12;

impl<'a, S: RowSums, C> SumRows<'a, S, C> {
    /// Adds rows to `sums`; `code` codes a target cell, or returns `None` if it is not usable.
    pub(crate) fn new(code: &'a C, scaling: &'a Scaling, sums: S) -> Self {
        let summed = Summed { sums, rows: 0 };
        Self { code, scaler: Scaler::new(scaling), x: Vec::new(), y: Vec::new(), summed }
    }

    /// The sums of all rows.
    pub(crate) fn summed(mut self) -> Summed<S> {
        self.add_gathered();
        self.summed
    }

    fn add_gathered(&mut self) {
        self.summed.sums.add_rows(&self.x, &self.y);
        self.x.clear();
        self.y.clear();
    }
}

impl<S: RowSums, C: Fn(TargetCell<'_>) -> Option<S::Target> + Sync> SumRows<'_, S, C> {
    fn add<A: Value>(&mut self, batch: &Batch<'_>, values: Layout<'_, A>) {
        match values {
            Layout::Columns(features) if self.scaler.is_by_feature() => {
                self.add_columns(batch, features);
            }
            _ => values.each_row(batch.len(), |place, values| {
                if let Some(y) = batch.target(place).and_then(self.code) {
                    self.add_row(values, y);
                }
            }),
        }
    }

    fn add_row<A: Value>(&mut self, values: &[A], y: S::Target) {
        let place = self.x.len();
        self.x.resize(place + values.len(), 0);
        self.scaler.sample(values, &mut self.x[place..]);
        mark_missing(values, &mut self.x[place..]);
        self.y.push(y);
        if self.x.len() >= GATHERED && self.y.len().is_multiple_of(ROWS) {
            self.add_gathered();
        }
    }

    fn add_columns<A: Value>(&mut self, batch: &Batch<'_>, features: &[&[A]]) {
        let mut x = [0; PART];
        let y: Vec<_> =
            (0..batch.len()).map(|place| batch.target(place).and_then(self.code)).collect();
        let factors = self.summed.sums.add_targets(&y);
        for (feature, values) in features.iter().enumerate() {
            for (part, values) in values.chunks(PART).enumerate() {
                let x = &mut x[..values.len()];
                self.scaler.feature(feature, values, x);
                mark_missing(values, x);
                self.summed.sums.add_feature(feature, x, part * PART, &factors);
            }
        }
    }
}

impl<S: RowSums, C: Fn(TargetCell<'_>) -> Option<S::Target> + Sync> Fold for SumRows<'_, S, C> {
    fn batch(&mut self, batch: &Batch<'_>) {
        self.summed.rows += batch.samples();
        match batch.values {
            Values::F32(values) => self.add(batch, values),
            Values::F64(values) => self.add(batch, values),
            Values::Unread => {}
        }
    }

    fn merge(&mut self, other: Self) {
        let other = other.summed();
        self.summed.sums.merge(&other.sums);
        self.summed.rows += other.rows;
    }
}

/// Sums the targets of rows, without reading their values.
pub(crate) struct SumTargets<'a, S, C> {
    code: &'a C,
    pub(crate) summed: Summed<S>,
}

impl<'a, S: RowSums, C> SumTargets<'a, S, C> {
    /// Adds rows to sums without features; `code` codes a target cell, or returns `None` if it is
    /// not usable.
    pub(crate) fn new(code: &'a C, sums: S) -> Self {
        Self { code, summed: Summed { sums, rows: 0 } }
    }
}

impl<S: RowSums, C: Fn(TargetCell<'_>) -> Option<S::Target> + Sync> Fold for SumTargets<'_, S, C> {
    const READS_VALUES: bool = false;

    fn batch(&mut self, batch: &Batch<'_>) {
        self.summed.rows += batch.samples();
        for place in 0..batch.len() {
            if let Some(y) = batch.target(place).and_then(self.code) {
                self.summed.sums.add(&[], y);
            }
        }
    }

    fn merge(&mut self, other: Self) {
        self.summed.sums.merge(&other.summed.sums);
        self.summed.rows += other.summed.rows;
    }
}

/// Marks the values that are missing.
fn mark_missing<A: Value>(values: &[A], x: &mut [i16]) {
    for (x, &value) in x.iter_mut().zip(values) {
        let value: f64 = value.into();
        if !value.is_finite() {
            *x = MISSING;
        }
    }
}

/// Rows on the grid in memory, two bytes per value.
#[derive(Default)]
pub(crate) struct GridRows {
    /// The targets of the rows with a usable target: grid values, or values still to be split.
    pub(crate) targets: Vec<f64>,
    /// The grid values of those rows, row-major; [`MISSING`] where a value is missing and marked.
    pub(crate) codes: Vec<i16>,
    /// The total number of rows.
    pub(crate) rows: u64,
}

impl GridRows {
    /// Adds these rows to `sums`, with their targets on the grid.
    pub(crate) fn summed<S: RowSums<Target = i16>>(
        &self,
        mut sums: S,
        on_grid: impl Fn(f64) -> i16,
    ) -> S {
        let targets: Vec<i16> = self.targets.iter().map(|&target| on_grid(target)).collect();
        let width = self.width().max(1);
        let rows = (GATHERED / width / ROWS).max(1) * ROWS;
        for (codes, targets) in self.codes.chunks(rows * width).zip(targets.chunks(rows)) {
            sums.add_rows(codes, targets);
        }
        sums
    }

    /// The number of values of a row.
    fn width(&self) -> usize {
        self.codes.len() / self.targets.len().max(1)
    }

    /// The values at a place of each row.
    pub(crate) fn column(&self, place: usize) -> impl Iterator<Item = &i16> {
        self.codes.iter().skip(place).step_by(self.width().max(1))
    }
}

/// Maps rows to the grid and keeps those with a usable target.
pub(crate) struct KeepRows<'a> {
    value: &'a Code<'a>,
    marks_missing: bool,
    /// The features to keep, all if `None`.
    only: Option<&'a [usize]>,
    /// A row of all features, before the features to keep are taken from it.
    row: Vec<i16>,
    scaler: Scaler<'a>,
    pub(crate) kept: GridRows,
}

impl<'a> KeepRows<'a> {
    /// `value` parses a target cell, or returns `None` if it is not usable. Missing values are kept
    /// as the middle of the grid, or marked.
    pub(crate) fn new(value: &'a Code<'a>, scaling: &'a Scaling, marks_missing: bool) -> Self {
        let (scaler, kept) = (Scaler::new(scaling), GridRows::default());
        Self { value, marks_missing, only: None, row: Vec::new(), scaler, kept }
    }

    /// Keeps these features only, or all if `None`.
    pub(crate) fn only(self, features: Option<&'a [usize]>) -> Self {
        Self { only: features, ..self }
    }
}

impl Fold for KeepRows<'_> {
    fn batch(&mut self, batch: &Batch<'_>) {
        self.kept.rows += batch.samples();
        batch.each(|sample| {
            let Some(value) = sample.target.and_then(self.value) else { return };
            self.row.resize(sample.values.len(), 0);
            self.scaler.sample(sample.values, &mut self.row);
            if self.marks_missing {
                mark_missing(sample.values, &mut self.row);
            }
            let codes = &mut self.kept.codes;
            match self.only {
                Some(only) => codes.extend(only.iter().map(|&feature| self.row[feature])),
                None => codes.extend_from_slice(&self.row),
            }
            self.kept.targets.push(value);
        });
    }

    fn merge(&mut self, other: Self) {
        self.kept.targets.extend(other.kept.targets);
        self.kept.codes.extend(other.kept.codes);
        self.kept.rows += other.kept.rows;
    }
}
