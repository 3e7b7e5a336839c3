//! What is done with each sample. A sample's part depends on it alone.

use crate::data::{FeatureMajor, Sample, SampleFold, Scaler, Scaling, TargetCode, Value};
use crate::estimate::{MedianGrid, RankCounts};
use crate::exact::GRID;
use crate::score::{CorrelationSums, RowSums};

/// Sums of samples with a usable target, and the number of all samples.
pub(super) struct Summed<S> {
    pub(super) sums: S,
    pub(super) rows: u64,
}

/// Brings samples to the grid and adds them up. What a sample contributes depends on it alone.
pub(super) struct ScoreFold<'a, S: RowSums, C> {
    code: &'a C,
    scaler: Scaler<'a>,
    /// Samples on the grid that are not in the sums yet, one after the other.
    x: Vec<i16>,
    /// Their targets.
    y: Vec<S::Target>,
    summed: Summed<S>,
}

/// Values on the grid that are gathered before they are added up: they stay in the processor's caches.
const GATHERED: usize = 1 << 11;

/// Sums take rows in groups.
const ROWS: usize = 4;

/// Samples whose targets are held while the features pass one after the other, for the same reason.
const STRETCH: usize = 1 << 15;

/// Values of one feature on the grid at a time.
const PART: usize = 1 << 12;

impl<'a, S: RowSums, C> ScoreFold<'a, S, C> {
    /// `code` makes a target of a cell.
    pub(super) fn new(code: &'a C, scaling: &'a Scaling, sums: S) -> Self {
        let summed = Summed { sums, rows: 0 };
        Self { code, scaler: Scaler::new(scaling), x: Vec::new(), y: Vec::new(), summed }
    }

    /// The sums of all samples.
    pub(super) fn summed(mut self) -> Summed<S> {
        self.add_gathered();
        self.summed
    }

    fn add_gathered(&mut self) {
        self.summed.sums.add_rows(&self.x, &self.y);
        self.x.clear();
        self.y.clear();
    }
}

impl<S: RowSums, C: Fn(&[u8]) -> Option<S::Target> + Sync> SampleFold for ScoreFold<'_, S, C> {
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

/// Counts target values for the median.
pub(super) struct MedianFold<'a, V> {
    pub(super) value: &'a V,
    pub(super) grid: &'a MedianGrid,
    pub(super) counts: RankCounts,
}

impl<V: Fn(&[u8]) -> Option<f64> + Sync> SampleFold for MedianFold<'_, V> {
    const READS_VALUES: bool = false;

    fn sample<A: Value>(&mut self, sample: Sample<'_, A>) {
        if let Some(value) = sample.target.and_then(self.value) {
            self.grid.observe(&mut self.counts, value);
        }
    }

    fn merge(&mut self, other: Self) {
        self.counts.merge(&other.counts);
    }
}

/// Samples on the grid with their target's value.
#[derive(Default)]
pub(super) struct HeldCodes {
    targets: Vec<f64>,
    /// Row by row.
    codes: Vec<i16>,
    /// All samples, those without a usable target as well.
    rows: u64,
}

impl HeldCodes {
    pub(super) fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    /// The ranks of the targets on the median's grid.
    pub(super) fn ranks(&self) -> RankCounts {
        let grid = MedianGrid::shared();
        let mut counts = grid.counts();
        self.targets.iter().for_each(|&value| grid.observe(&mut counts, value));
        counts
    }

    /// All samples, those without a usable target as well.
    #[cfg(feature = "methods")]
    pub(super) fn samples(&self) -> u64 {
        self.rows
    }

    /// The targets.
    #[cfg(feature = "methods")]
    pub(super) fn targets(&self) -> &[f64] {
        &self.targets
    }

    /// The codes, row by row.
    #[cfg(feature = "methods")]
    pub(super) fn codes(&self) -> &[i16] {
        &self.codes
    }

    /// The sums when the target is split at a median.
    pub(super) fn summed(&self, mut sums: CorrelationSums, median: f64) -> Summed<CorrelationSums> {
        let split = |&value: &f64| TargetCode::split(value, median, GRID);
        sums.add_rows(&self.codes, &self.targets.iter().map(split).collect::<Vec<_>>());
        Summed { sums, rows: self.rows }
    }
}

/// Brings samples to the grid and keeps them.
pub(super) struct HoldFold<'a, V> {
    value: &'a V,
    scaler: Scaler<'a>,
    pub(super) held: HeldCodes,
}

impl<'a, V> HoldFold<'a, V> {
    /// `value` makes a number of a cell.
    pub(super) fn new(value: &'a V, scaling: &'a Scaling) -> Self {
        let scaler = Scaler::new(scaling);
        Self { value, scaler, held: HeldCodes::default() }
    }
}

impl<V: Fn(&[u8]) -> Option<f64> + Sync> SampleFold for HoldFold<'_, V> {
    fn sample<A: Value>(&mut self, sample: Sample<'_, A>) {
        self.held.rows += 1;
        if let Some(value) = sample.target.and_then(self.value) {
            let codes = &mut self.held.codes;
            let place = codes.len();
            codes.resize(place + sample.values.len(), 0);
            self.scaler.sample(sample.values, &mut codes[place..]);
            self.held.targets.push(value);
        }
    }

    fn merge(&mut self, other: Self) {
        self.held.targets.extend(other.held.targets);
        self.held.codes.extend(other.held.codes);
        self.held.rows += other.held.rows;
    }
}
