//! A sample, the protected unit, and folds over samples, independent of a table's format and orientation.

use crate::data::hooks::Hooks;
use crate::data::target::TargetCell;
use crate::error::Result;
use crate::threads::on_threads;

/// A number that is exactly an `f64`: `f64`, `f32`, integers up to 32 bits.
pub(crate) trait Value: Copy + Into<f64> + Sync {}

impl<A: Copy + Into<f64> + Sync> Value for A {}

/// One sample: its target and its feature values in the order of the schema.
pub(crate) struct Sample<'a, A> {
    /// The target's cell; `None` if the sample has none.
    pub(crate) target: Option<TargetCell<'a>>,
    /// The feature values, NaN or infinite where missing - or a word, if the table has words; none for a
    /// fold that does not read values.
    pub(crate) values: &'a [A],
    /// Whose row it is, and which.
    pub(crate) row: RowOf<'a>,
    /// Its part in scores.
    pub(crate) role: Role,
}

impl<'a, A> Sample<'a, A> {
    /// A sample that is a unit by itself.
    pub(crate) fn new(target: Option<TargetCell<'a>>, values: &'a [A]) -> Self {
        Self { target, values, row: RowOf::default(), role: Role::default() }
    }
}

/// Whose row it is, and which.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct RowOf<'a> {
    /// Its id, where ids are read: for people, or for targets in another file.
    pub(crate) id: Option<TargetCell<'a>>,
    /// Rises from row to row.
    pub(crate) number: u64,
}

/// The part of a sample in scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Role {
    /// The weight of its values; those of a person add up to at most `People::WEIGHT`.
    pub(crate) weight: u16,
    /// The stratum in which its target is centered.
    pub(crate) stratum: u16,
}

impl Default for Role {
    fn default() -> Self {
        Self { weight: 1, stratum: 0 }
    }
}

/// Samples whose values are stored feature by feature.
pub(crate) struct FeatureMajor<'a, A> {
    /// For each feature its values, one per sample, as those of a [`Sample`].
    pub(crate) features: Vec<&'a [A]>,
    /// The target's cell of each sample.
    pub(crate) targets: Vec<Option<TargetCell<'a>>>,
    /// The number of the first sample among all of the table.
    pub(crate) first: usize,
}

impl<A: Value> FeatureMajor<'_, A> {
    /// The number of values transposed at a time, which fit in the processor's caches.
    const TURNED: usize = 1 << 16;

    /// Calls `take` for each sample, in order. Values are transposed block by block, so that memory is
    /// read in order.
    pub(crate) fn each(&self, mut take: impl FnMut(Sample<'_, A>)) {
        let d = self.features.len();
        // A block holds at least a cache line of each feature.
        let rows = (Self::TURNED / d.max(1)).clamp(16, 256);
        let mut turned = Vec::new();
        for (block, targets) in self.targets.chunks(rows).enumerate() {
            let start = block * rows;
            turned.clear();
            if let Some(first) = self.features.first() {
                turned.resize(targets.len() * d, first[start]);
            }
            for (feature, values) in self.features.iter().enumerate() {
                let places = turned[feature..].iter_mut().step_by(d);
                places.zip(&values[start..]).for_each(|(place, value)| *place = *value);
            }
            let samples = targets.iter().zip(turned.chunks(d.max(1)));
            for (number, (&target, values)) in (self.first + start..).zip(samples) {
                let row = RowOf { id: None, number: number as u64 };
                take(Sample { row, ..Sample::new(target, values) });
            }
        }
    }
}

/// The work of a thread on its samples.
pub(crate) trait SampleFold: Send {
    /// Whether feature values are used; otherwise they are not read.
    const READS_VALUES: bool = true;

    /// Takes in a sample.
    fn sample<A: Value>(&mut self, sample: Sample<'_, A>);

    /// Takes in samples stored feature by feature.
    fn feature_major<A: Value>(&mut self, samples: &FeatureMajor<'_, A>) {
        if Self::READS_VALUES {
            samples.each(|sample| self.sample(sample));
        } else {
            for &target in &samples.targets {
                self.sample::<A>(Sample::new(target, &[]));
            }
        }
    }

    /// Takes in the result of another thread.
    fn merge(&mut self, other: Self);
}

/// Folds the samples 0 to `samples`, of `features` values each, on `threads` threads; `take` folds a range of
/// them.
///
/// # Errors
///
/// `Canceled` if the caller stopped it.
pub(crate) fn fold_numbered<F: SampleFold>(
    (samples, features): (usize, usize),
    threads: usize,
    hooks: &Hooks,
    new: &(dyn Fn() -> F + Sync),
    take: impl Fn(&mut F, std::ops::Range<usize>) + Sync,
) -> Result<F> {
    /// Values between two looks at the hook: some hundredths of a second.
    const UNINTERRUPTED: usize = 1 << 22;
    let share = samples.div_ceil(threads.max(1)).max(1);
    let step = match hooks.cancel {
        Some(_) => (UNINTERRUPTED / features.max(1)).clamp(16, share.max(16)),
        None => share,
    };
    let work = |start: usize| {
        let (mut fold, end) = (new(), (start + share).min(samples));
        for start in (start..end).step_by(step) {
            if hooks.is_canceled() {
                break;
            }
            take(&mut fold, start..(start + step).min(end));
        }
        fold
    };
    let folds = on_threads(samples.div_ceil(share), |part| work(part * share));
    // One merge order, that of the samples.
    let folded = folds.into_iter().fold(new(), |mut total, fold| {
        total.merge(fold);
        total
    });
    hooks.check().map(|()| folded)
}
