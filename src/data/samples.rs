//! Samples, the protected units, independent of a table's format and orientation.

use crate::data::columns::Columns;
use crate::data::held_columns::{HoldColumns, Holding};
use crate::data::hooks::Hooks;
use crate::data::number::CellFormat;
use crate::data::people::People;
use crate::data::schema::Schema;
use crate::data::target::TargetCell;
use crate::error::{Error, Result};

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

/// Whose row it is, and which, in a table whose units are people.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct RowOf<'a> {
    /// The cell that tells the person; `None` if there is none.
    pub(crate) unit: Option<TargetCell<'a>>,
    /// Rises from row to row.
    pub(crate) number: u64,
}

/// The part of a sample in scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Role {
    /// The weight of its values; those of a person add up to at most [`People::WEIGHT`].
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
                let row = RowOf { unit: None, number: number as u64 };
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

/// A table ready for passes over its samples.
pub(crate) trait Samples {
    /// The features and the target.
    fn schema(&self) -> &Schema;

    /// The format of the targets.
    fn format(&self) -> &CellFormat;

    /// Whether a second pass is possible.
    fn can_repeat(&self) -> bool;

    /// Whether values may be [words](crate::data::word): then only `f64::NAN` itself and infinite values are
    /// missing. In other tables every NaN is, whatever its payload.
    fn has_words(&self) -> bool;

    /// The people whose rows these are, once they have been met.
    fn people(&self) -> Option<&People> {
        None
    }

    /// Makes one pass over the samples.
    ///
    /// # Errors
    ///
    /// `Input` with its place where the table is malformed; `Io` if it cannot be read.
    fn fold<F: SampleFold>(&mut self, new: impl Fn() -> F + Sync) -> Result<F>;

    /// The values of all features by column, or of as many of the first ones as `limit` bytes of memory allow: in
    /// place if the table is in memory, otherwise read in one pass. Only of the samples whose target `code` turns into
    /// a number.
    ///
    /// # Errors
    ///
    /// As for a pass.
    fn columns(
        &mut self,
        limit: Option<u64>,
        code: impl Fn(TargetCell<'_>) -> Option<f64> + Sync,
    ) -> Result<UsableSamples<'_>> {
        let all: Vec<usize> = (0..self.schema().d()).collect();
        self.hold(&all, limit, code)
    }

    /// Reads these features by column in one pass, or as many of the first ones as `limit` bytes of memory allow.
    ///
    /// # Errors
    ///
    /// As for a pass.
    fn hold(
        &mut self,
        features: &[usize],
        limit: Option<u64>,
        code: impl Fn(TargetCell<'_>) -> Option<f64> + Sync,
    ) -> Result<UsableSamples<'static>> {
        let holding = Holding::new(features, limit);
        let (columns, targets, roles, samples) =
            self.fold(|| HoldColumns::new(&code, &holding))?.finish();
        Ok(UsableSamples { columns: Box::new(columns), targets, roles, samples })
    }

    /// The error for a table without a usable target: where it was looked for, and what usually helps.
    fn no_usable_target(&self, labels: bool) -> Error;
}

/// Samples with a usable target.
pub(crate) struct UsableSamples<'t> {
    pub(crate) columns: Box<dyn Columns + 't>,
    /// Their targets.
    pub(crate) targets: Vec<f64>,
    /// Their parts in scores; none if all are alike.
    pub(crate) roles: Vec<Role>,
    /// The number of all samples.
    pub(crate) samples: u64,
}

/// The options of a run for opening a table.
pub(crate) struct Opening<'a> {
    pub(crate) threads: usize,
    pub(crate) hooks: Hooks,
    /// The stated classes of the target: a header that holds one may be a row.
    pub(crate) labels: Option<&'a [String]>,
}

/// A table that features can be selected from: the path of a text file, a [`FileTable`] for files and
/// readers of any form, or an `ArrayTable` (feature `ndarray`) for a matrix in memory.
///
/// [`FileTable`]: crate::FileTable
pub trait Source: sealed::Open {}

impl<T: sealed::Open + ?Sized> Source for T {}

#[allow(private_interfaces, reason = "sealed: nobody outside can call it")]
impl<T: sealed::Open + ?Sized> sealed::Open for &T {
    type Table<'s>
        = T::Table<'s>
    where
        Self: 's;

    fn open(&self, opening: &Opening<'_>) -> Result<Self::Table<'_>> {
        (**self).open(opening)
    }

    fn header(&self, opening: &Opening<'_>) -> Result<Schema> {
        (**self).header(opening)
    }

    fn repeats(&self) -> bool {
        (**self).repeats()
    }
}

pub(crate) mod sealed {
    use super::*;

    /// The sealed part of a source: opening it.
    #[allow(private_interfaces, private_bounds, reason = "sealed: nobody outside can call it")]
    pub trait Open {
        /// An open table.
        type Table<'s>: Samples
        where
            Self: 's;

        /// Opens the table: reads all that is needed before the first pass.
        fn open(&self, opening: &Opening<'_>) -> Result<Self::Table<'_>>;

        /// The features, by their names alone: no value is used.
        fn header(&self, opening: &Opening<'_>) -> Result<Schema>;

        /// Whether it can be opened more than once.
        fn repeats(&self) -> bool;
    }
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
    new: impl Fn() -> F + Sync,
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
    let folded = std::thread::scope(|scope| {
        let work = &work;
        let starts = (0..samples).step_by(share);
        let workers: Vec<_> = starts.map(|start| scope.spawn(move || work(start))).collect();
        let mut total = new();
        for worker in workers {
            match worker.join() {
                Ok(fold) => total.merge(fold),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        total
    });
    hooks.check().map(|()| folded)
}
