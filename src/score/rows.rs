//! The inner loops of a pass: rows are brought to the grid and added up, or kept.
//!
//! What a row contributes is a function of that row alone.

use crate::data::{
    FeatureMajor, Sample, SampleFold, Scaler, Scaling, TargetCell, TargetCode, Value,
};
use crate::exact::GRID;
use crate::score::{CorrelationSums, RowSums};

/// Sums of rows with a usable target, and the number of all rows.
pub(crate) struct Summed<S> {
    pub(crate) sums: S,
    pub(crate) rows: u64,
}

/// Brings rows to the grid and adds them up.
pub(crate) struct SumRows<'a, S: RowSums, C> {
    code: &'a C,
    scaler: Scaler<'a>,
    /// Rows on the grid that are not in the sums yet, one after the other.
    x: Vec<i16>,
    /// Their targets.
    y: Vec<S::Target>,
    summed: Summed<S>,
}

/// Values on the grid that are gathered before they are added up: they stay in the processor's caches.
const GATHERED: usize = 1 << 11;

/// Sums take rows in groups.
const ROWS: usize = 4;

/// Rows whose targets are held while the features pass one after the other, for the same reason.
const STRETCH: usize = 1 << 15;

/// Values of one feature on the grid at a time.
const PART: usize = 1 << 12;

impl<'a, S: RowSums, C> SumRows<'a, S, C> {
    /// Adds to `sums`; `code` makes a target of a cell, none where it is not usable.
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

impl<S: RowSums, C: Fn(TargetCell<'_>) -> Option<S::Target> + Sync> SampleFold
    for SumRows<'_, S, C>
{
    fn sample<A: Value>(&mut self, sample: Sample<'_, A>) {
        self.summed.rows += 1;
        if let Some(y) = sample.target.and_then(self.code) {
            let place = self.x.len();
            self.x.resize(place + sample.values.len(), 0);
            self.scaler.sample(sample.values, &mut self.x[place..]);
            self.y.push(y);
            if self.x.len() >= GATHERED && self.y.len().is_multiple_of(ROWS) {
                self.add_gathered();
            }
        }
    }

    fn feature_major<A: Value>(&mut self, samples: &FeatureMajor<'_, A>) {
        if !self.scaler.is_by_feature() {
            return samples.each(|sample| self.sample(sample));
        }
        let mut x = [0; PART];
        for (block, targets) in samples.targets.chunks(STRETCH).enumerate() {
            let y: Vec<_> = targets.iter().map(|target| target.and_then(self.code)).collect();
            let factors = self.summed.sums.add_targets(&y);
            self.summed.rows += y.len() as u64;
            for (feature, values) in samples.features.iter().enumerate() {
                let values = &values[block * STRETCH..][..y.len()];
                for (part, values) in values.chunks(PART).enumerate() {
                    let x = &mut x[..values.len()];
                    self.scaler.feature(feature, values, x);
                    self.summed.sums.add_feature(feature, x, part * PART, &factors);
                }
            }
        }
    }

    fn merge(&mut self, other: Self) {
        let other = other.summed();
        self.summed.sums.merge(&other.sums);
        self.summed.rows += other.rows;
    }
}

/// Rows on the grid in memory, each with its target's value: two bytes per value.
#[derive(Default)]
pub(crate) struct GridRows {
    /// The targets of the rows that have a usable one.
    pub(crate) targets: Vec<f64>,
    /// The values of those rows on the grid, row by row.
    pub(crate) codes: Vec<i16>,
    /// The number of all rows.
    pub(crate) rows: u64,
}

impl GridRows {
    /// The sums over rows whose target is split at a median.
    pub(crate) fn summed(&self, mut sums: CorrelationSums, median: f64) -> Summed<CorrelationSums> {
        let split = |&value: &f64| TargetCode::split(value, median, GRID);
        sums.add_rows(&self.codes, &self.targets.iter().map(split).collect::<Vec<_>>());
        Summed { sums, rows: self.rows }
    }
}

/// Brings rows to the grid and keeps those with a usable target.
pub(crate) struct KeepRows<'a, V> {
    value: &'a V,
    scaler: Scaler<'a>,
    pub(crate) kept: GridRows,
}

impl<'a, V> KeepRows<'a, V> {
    /// `value` makes a number of a target's cell, none where it is not usable.
    pub(crate) fn new(value: &'a V, scaling: &'a Scaling) -> Self {
        Self { value, scaler: Scaler::new(scaling), kept: GridRows::default() }
    }
}

impl<V: Fn(TargetCell<'_>) -> Option<f64> + Sync> SampleFold for KeepRows<'_, V> {
    fn sample<A: Value>(&mut self, sample: Sample<'_, A>) {
        self.kept.rows += 1;
        if let Some(value) = sample.target.and_then(self.value) {
            let codes = &mut self.kept.codes;
            let place = codes.len();
            codes.resize(place + sample.values.len(), 0);
            self.scaler.sample(sample.values, &mut codes[place..]);
            self.kept.targets.push(value);
        }
    }

    fn merge(&mut self, other: Self) {
        self.kept.targets.extend(other.kept.targets);
        self.kept.codes.extend(other.kept.codes);
        self.kept.rows += other.kept.rows;
    }
}
