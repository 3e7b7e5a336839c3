//! What is done with each sample. A sample's part depends on it alone.

use crate::data::{Sample, SampleFold, Scaler, Scaling, TargetCode};
use crate::estimate::{MedianGrid, RankCounts};
use crate::exact::Q;
use crate::score::{CorrelationSums, RowSums};

/// Sums of samples with a usable target, and the number of all samples.
pub(super) struct Summed<S> {
    pub(super) sums: S,
    pub(super) rows: u64,
}

/// Brings samples to the grid and adds them up. What a sample contributes depends on it alone.
pub(super) struct ScoreFold<'a, S, C> {
    code: &'a C,
    scaler: Scaler<'a>,
    x: Vec<i16>,
    pub(super) summed: Summed<S>,
}

impl<'a, S, C> ScoreFold<'a, S, C> {
    /// `code` makes a target of a cell.
    pub(super) fn new(code: &'a C, scaling: &'a Scaling, sums: S) -> Self {
        let summed = Summed { sums, rows: 0 };
        Self { code, scaler: Scaler::new(scaling), x: Vec::new(), summed }
    }
}

impl<S: RowSums, C: Fn(&[u8]) -> Option<S::Target> + Sync> SampleFold for ScoreFold<'_, S, C> {
    fn sample(&mut self, sample: &impl Sample) {
        self.summed.rows += 1;
        if let Some(y) = sample.target().and_then(self.code) {
            self.scaler.scale(sample.values(), &mut self.x);
            self.summed.sums.add(&self.x, y);
        }
    }

    fn merge(&mut self, other: Self) {
        self.summed.sums.merge(&other.summed.sums);
        self.summed.rows += other.summed.rows;
    }
}

/// Counts target values for the median.
pub(super) struct MedianFold<'a, V> {
    pub(super) value: &'a V,
    pub(super) grid: &'a MedianGrid,
    pub(super) counts: RankCounts,
}

impl<V: Fn(&[u8]) -> Option<f64> + Sync> SampleFold for MedianFold<'_, V> {
    fn sample(&mut self, sample: &impl Sample) {
        if let Some(value) = sample.target().and_then(self.value) {
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
        let d = self.codes.len() / self.targets.len().max(1);
        for (x, &value) in self.codes.chunks(d.max(1)).zip(&self.targets) {
            sums.add(x, TargetCode::split(value, median, Q));
        }
        Summed { sums, rows: self.rows }
    }
}

/// Brings samples to the grid and keeps them.
pub(super) struct HoldFold<'a, V> {
    value: &'a V,
    scaler: Scaler<'a>,
    x: Vec<i16>,
    pub(super) held: HeldCodes,
}

impl<'a, V> HoldFold<'a, V> {
    /// `value` makes a number of a cell.
    pub(super) fn new(value: &'a V, scaling: &'a Scaling) -> Self {
        let scaler = Scaler::new(scaling);
        Self { value, scaler, x: Vec::new(), held: HeldCodes::default() }
    }
}

impl<V: Fn(&[u8]) -> Option<f64> + Sync> SampleFold for HoldFold<'_, V> {
    fn sample(&mut self, sample: &impl Sample) {
        self.held.rows += 1;
        if let Some(value) = sample.target().and_then(self.value) {
            self.scaler.scale(sample.values(), &mut self.x);
            self.held.targets.push(value);
            self.held.codes.extend_from_slice(&self.x);
        }
    }

    fn merge(&mut self, other: Self) {
        self.held.targets.extend(other.held.targets);
        self.held.codes.extend(other.held.codes);
        self.held.rows += other.held.rows;
    }
}
