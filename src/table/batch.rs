//! Samples, the protected units, in batches; folds over them, for any table format and
//! orientation.
//!
//! A [table](crate::table::open_table::Table) hands out its samples in batches, and a fold
//! processes a batch in one call: no loop over cells is compiled for each pair of a table and a
//! fold.

use std::sync::{Mutex, PoisonError};

use crate::error::Result;
use crate::table::target::TargetCell;

/// A number that is exactly an `f64`: `f64`, `f32`, integers up to 32 bits.
pub(crate) trait Value: Copy + Into<f64> + Sync {}

impl<A: Copy + Into<f64> + Sync> Value for A {}

/// Consecutive samples.
#[derive(Clone, Copy)]
pub(crate) struct Batch<'a> {
    /// The number of the first sample. Numbers increase within a batch, and no two batches share
    /// one.
    pub(crate) first: u64,
    /// The target cell of each sample; `None` if it has no target.
    pub(crate) targets: &'a [Option<TargetCell<'a>>],
    /// The id of each sample, where ids are read: for people, or for targets in another file.
    /// Otherwise empty.
    pub(crate) ids: &'a [Option<TargetCell<'a>>],
    /// The role of each sample in scores; empty if all have the default role.
    pub(crate) roles: &'a [Role],
    /// Whether each sample is left out, as if it were not in the table; empty if no sample is.
    pub(crate) left_out: &'a [bool],
    pub(crate) values: Values<'a>,
}

/// The feature values of samples in the order of the schema. NaN and infinite values are missing,
/// except that a NaN may be a word if the table has words.
#[derive(Clone, Copy)]
pub(crate) enum Values<'a> {
    /// Values are not read.
    Unread,
    F32(Layout<'a, f32>),
    F64(Layout<'a, f64>),
}

/// The order of values in memory.
#[derive(Clone, Copy)]
pub(crate) enum Layout<'a, A> {
    /// Sample by sample.
    Rows(&'a [A]),
    /// For each feature its values, one per sample.
    Columns(&'a [&'a [A]]),
}

/// The maximum number of samples in a batch: their targets stay in the processor's caches.
pub(crate) const BATCH: usize = 1 << 15;

/// One sample with its values as `f64`; without values if they are not read.
pub(crate) struct Sample<'a, 'v> {
    pub(crate) number: u64,
    pub(crate) target: Option<TargetCell<'a>>,
    pub(crate) id: Option<TargetCell<'a>>,
    pub(crate) role: Role,
    pub(crate) values: &'v [f64],
}

/// The role of a sample in scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Role {
    /// The weight of its values; the weights of a person add up to at most `People::WEIGHT`.
    pub(crate) weight: u16,
    /// The stratum in which its target is centered, or [`Role::NO_STRATUM`].
    pub(crate) stratum: u16,
    /// The number of its person, where the rows of people are compared.
    pub(crate) person: u32,
}

impl Role {
    /// Marks a sample that is in no stratum; no table has this many strata.
    pub(crate) const NO_STRATUM: u16 = u16::MAX;
}

impl Default for Role {
    fn default() -> Self {
        Self { weight: 1, stratum: 0, person: 0 }
    }
}

impl<'a> Batch<'a> {
    /// Samples that are each their own privacy unit.
    pub(crate) fn new(
        first: u64,
        targets: &'a [Option<TargetCell<'a>>],
        values: Values<'a>,
    ) -> Self {
        Self { first, targets, ids: &[], roles: &[], left_out: &[], values }
    }

    /// The number of samples, including samples that are left out.
    pub(crate) fn len(&self) -> usize {
        self.targets.len()
    }

    /// The number of samples that are not left out.
    pub(crate) fn samples(&self) -> u64 {
        (self.len() - self.left_out.iter().filter(|out| **out).count()) as u64
    }

    pub(crate) fn is_left_out(&self, place: usize) -> bool {
        self.left_out.get(place).is_some_and(|out| *out)
    }

    /// The target of a sample; `None` if it has no target or is left out.
    pub(crate) fn target(&self, place: usize) -> Option<TargetCell<'a>> {
        self.targets[place].filter(|_| !self.is_left_out(place))
    }

    /// The sample at a place, with these values.
    pub(crate) fn sample<'v>(&self, place: usize, values: &'v [f64]) -> Sample<'a, 'v> {
        Sample {
            number: self.first + place as u64,
            target: self.target(place),
            id: self.ids.get(place).copied().flatten(),
            role: self.roles.get(place).copied().unwrap_or_default(),
            values,
        }
    }

    /// Calls `take` for each sample that is not left out, in order.
    pub(crate) fn each(&self, mut take: impl FnMut(Sample<'a, '_>)) {
        self.each_row(|place, values| {
            if !self.is_left_out(place) {
                take(self.sample(place, values));
            }
        });
    }

    /// Calls `take` with the place and the values of each sample, in order.
    pub(crate) fn each_row(&self, mut take: impl FnMut(usize, &[f64])) {
        match self.values {
            Values::Unread => (0..self.len()).for_each(|place| take(place, &[])),
            Values::F64(values) => values.each_row(self.len(), take),
            Values::F32(values) => {
                let mut wide = Vec::new();
                values.each_row(self.len(), |place, values| {
                    wide.clear();
                    wide.extend(values.iter().map(|value| f64::from(*value)));
                    take(place, &wide);
                });
            }
        }
    }
}

impl<A: Copy> Layout<'_, A> {
    /// The number of values transposed at a time, which fit in the processor's caches.
    const TRANSPOSED_VALUES: usize = 1 << 16;

    /// Calls `take` with the place and the values of each of `n` samples, in order. Columns are
    /// transposed block by block, so that memory is read in order.
    pub(crate) fn each_row(self, n: usize, mut take: impl FnMut(usize, &[A])) {
        let features = match self {
            Layout::Rows(values) => {
                let d = values.len() / n.max(1);
                return (0..n).for_each(|place| take(place, &values[place * d..(place + 1) * d]));
            }
            Layout::Columns(features) => features,
        };
        let Some(first) = features.first() else {
            return (0..n).for_each(|place| take(place, &[]));
        };
        let d = features.len();
        // A block holds at least a cache line of each feature.
        let rows = (Self::TRANSPOSED_VALUES / d).clamp(16, 256);
        let mut turned = Vec::new();
        for start in (0..n).step_by(rows) {
            let rows = rows.min(n - start);
            turned.clear();
            turned.resize(rows * d, first[start]);
            for (feature, values) in features.iter().enumerate() {
                let places = turned[feature..].iter_mut().step_by(d);
                places.zip(&values[start..]).for_each(|(place, value)| *place = *value);
            }
            (start..).zip(turned.chunks(d)).for_each(|(place, values)| take(place, values));
        }
    }

    /// The values of `n` samples with the features of these places, in this order; `buffer` holds
    /// them if they are stored by samples.
    pub(crate) fn reordered<'b>(
        self,
        n: usize,
        order: &[usize],
        buffer: &'b mut Vec<A>,
    ) -> Layout<'b, A> {
        buffer.clear();
        self.each_row(n, |_, row| buffer.extend(order.iter().map(|&place| row[place])));
        Layout::Rows(buffer)
    }
}

/// The work of a thread on its samples.
pub(crate) trait Fold: Send {
    /// Whether feature values are used; otherwise they are not read.
    const READS_VALUES: bool = true;

    /// Processes samples.
    fn batch(&mut self, batch: &Batch<'_>);

    /// Merges the result of another thread.
    fn merge(&mut self, other: Self);
}

/// Where a thread sends its batches.
pub(crate) type Sink<'s> = dyn FnMut(&Batch<'_>) + 's;

/// The folds of one pass, as a table sees them.
pub(crate) trait Folds: Sync {
    /// Whether feature values are read.
    fn read_values(&self) -> bool;

    /// Runs the work of one thread, with its own fold; `place` is the place of the thread among the
    /// threads of the pass.
    ///
    /// # Errors
    ///
    /// The errors of the work.
    fn thread(&self, place: usize, work: &mut dyn FnMut(&mut Sink<'_>) -> Result<()>)
    -> Result<()>;

    /// Merges the folds of threads in the order of their places, when all have ended.
    fn merge(&self);
}

/// The folds of a pass, of one type.
pub(super) struct FoldsOf<'n, F> {
    new: &'n (dyn Fn() -> F + Sync),
    done: Mutex<Done<F>>,
}

/// Folds whose threads have ended.
struct Done<F> {
    merged: Option<F>,
    /// The folds that are not merged yet, with the places of their threads.
    folds: Vec<(usize, F)>,
}

impl<'n, F: Fold> FoldsOf<'n, F> {
    pub(super) fn new(new: &'n (dyn Fn() -> F + Sync)) -> Self {
        Self { new, done: Mutex::new(Done { merged: None, folds: Vec::new() }) }
    }

    /// The result of the pass.
    pub(super) fn finish(self) -> F {
        let done = self.done.into_inner().unwrap_or_else(PoisonError::into_inner);
        done.merged.unwrap_or_else(self.new)
    }
}

impl<F: Fold> Folds for FoldsOf<'_, F> {
    fn read_values(&self) -> bool {
        F::READS_VALUES
    }

    fn thread(
        &self,
        place: usize,
        work: &mut dyn FnMut(&mut Sink<'_>) -> Result<()>,
    ) -> Result<()> {
        // A thread without samples takes no memory for sums.
        let mut fold: Option<F> = None;
        work(&mut |batch| fold.get_or_insert_with(self.new).batch(batch))?;
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        done.folds.extend(fold.map(|fold| (place, fold)));
        Ok(())
    }

    fn merge(&self) {
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        let Done { merged, folds } = &mut *done;
        folds.sort_by_key(|(place, _)| *place);
        for (_, fold) in folds.drain(..) {
            match merged {
                Some(merged) => merged.merge(fold),
                None => *merged = Some(fold),
            }
        }
    }
}

/// A function of each sample alone, between a table and the folds of a pass.
pub(crate) trait Map: Sync {
    /// Whether it needs feature values, even if folds do not.
    fn reads_values(&self) -> bool;

    /// The map for a thread: it maps a batch and sends the result on.
    fn start(&self) -> Box<MapBatch<'_>>;
}

/// A function that maps a batch on a thread and sends the result on.
pub(crate) type MapBatch<'m> = dyn FnMut(&Batch<'_>, &mut Sink<'_>) + 'm;

/// Folds behind a map.
pub(crate) struct Mapped<'a> {
    pub(crate) map: &'a dyn Map,
    pub(crate) folds: &'a dyn Folds,
}

impl Folds for Mapped<'_> {
    fn read_values(&self) -> bool {
        self.map.reads_values() || self.folds.read_values()
    }

    fn thread(
        &self,
        place: usize,
        work: &mut dyn FnMut(&mut Sink<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut map = self.map.start();
        self.folds.thread(place, &mut |sink| work(&mut |batch| map(batch, sink)))
    }

    fn merge(&self) {
        self.folds.merge();
    }
}
