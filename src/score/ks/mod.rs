#![doc = include_str!("page.md")]

mod bins;
mod extremes;
#[cfg(feature = "ndarray")]
mod matrix;
mod sorted;
#[cfg(test)]
mod tests;
mod unsorted;

use crate::data::{Columns, Hooks, Sorter, word_of};
use crate::error::Result;
use crate::exact::GRID;
use crate::score::by_feature::by_feature;

pub(crate) use bins::BinSums;
pub(crate) use extremes::Extremes;
#[cfg(feature = "ndarray")]
pub use matrix::{ks, ks_of_classes};
pub(crate) use sorted::SortedColumn;
use unsorted::Unsorted;

/// The centered target of each row, and what it makes of one row's influence.
#[derive(Debug, Clone)]
pub(crate) enum CenteredTarget {
    /// A target coded as one number.
    Number {
        /// q(y) - m for each row.
        t: Vec<i32>,
        /// m
        center: i32,
        q: i32,
    },
    /// A target of three or more classes.
    Classes {
        /// The class of each row.
        classes: Vec<u32>,
        /// M_a
        centers: Vec<i32>,
        q: i32,
    },
}

impl CenteredTarget {
    /// Centers targets on the grid.
    pub(crate) fn number(codes: impl IntoIterator<Item = i16>, center: i32) -> Self {
        let t = codes.into_iter().map(|code| i32::from(code) - center).collect();
        Self::Number { t, center, q: GRID }
    }

    /// Centers classes, numbered from 0, at a center for each.
    pub(crate) fn classes(classes: Vec<u32>, centers: Vec<i32>) -> Self {
        Self::Classes { classes, centers, q: GRID }
    }

    /// The largest change of a score when a row comes or goes.
    pub(crate) fn one_row(&self) -> u64 {
        match self {
            Self::Number { center, q, .. } => u64::from(q.unsigned_abs() + center.unsigned_abs()),
            Self::Classes { centers, q, .. } => class_sensitivity(centers, *q),
        }
    }

    /// The score of a column.
    pub(crate) fn score(&self, column: &SortedColumn) -> i64 {
        match self {
            Self::Number { t, .. } => {
                let [thresholds, words] = extremes::of_number(column, t);
                thresholds.largest().max(words.largest())
            }
            Self::Classes { classes, centers, q } => {
                extremes::of_classes(column, classes, centers, *q)
            }
        }
    }

    /// The score of a column that is not sorted, as [`score`](Self::score) gives it for a sorted one. Without `words`,
    /// every NaN is a missing cell.
    fn score_of(&self, values: &[f64], words: bool, memory: &mut Memory) -> i64 {
        if let Self::Number { t, .. } = self
            && !(words && values.iter().any(|value| word_of(*value).is_some()))
            && let Some((below, all)) = memory.unsorted.below(values, t)
        {
            return extremes::over_thresholds(below, all).largest();
        }
        memory.sorted.sort(values, words, &mut memory.sorter);
        self.score(&memory.sorted)
    }

    /// The largest and the smallest signed sum over the thresholds; `None` for classes, which have no direction.
    pub(crate) fn signed(&self, column: &SortedColumn) -> Option<Extremes> {
        match self {
            Self::Number { t, .. } => Some(extremes::of_number(column, t)[0]),
            Self::Classes { .. } => None,
        }
    }
}

/// Q + sum M - 2 min M: what one row can move of the doubled score of classes.
pub(crate) fn class_sensitivity(centers: &[i32], q: i32) -> u64 {
    let sum: i64 = centers.iter().map(|&center| i64::from(center)).sum();
    let least = centers.iter().copied().min().unwrap_or(0);
    (i64::from(q) + sum - 2 * i64::from(least)).unsigned_abs()
}

/// What scoring one column after the other uses again.
#[derive(Default)]
struct Memory {
    unsorted: Unsorted,
    sorter: Sorter,
    sorted: SortedColumn,
}

/// Columns that are read together, of features that are asked for one after the other.
struct Ahead<'c, C: ?Sized> {
    columns: &'c C,
    /// The first feature of those that were read.
    first: usize,
    values: Vec<Vec<f64>>,
}

impl<'c, C: Columns + ?Sized> Ahead<'c, C> {
    fn new(columns: &'c C) -> Self {
        Self { columns, first: 0, values: Vec::new() }
    }

    /// The values of a feature.
    fn column(&mut self, feature: usize) -> &[f64] {
        if !(self.first..self.first + self.values.len()).contains(&feature) {
            let left = self.columns.features() - feature;
            self.values.resize_with(self.columns.together().min(left), Vec::new);
            self.columns.several(feature, &mut self.values);
            self.first = feature;
        }
        &self.values[feature - self.first]
    }
}

/// Columns that scores are computed from.
pub(crate) enum KsColumns<'t> {
    /// Values, sorted again for each target: for one draw.
    Values {
        columns: Box<dyn Columns + 't>,
        /// Whether a NaN may be a word.
        words: bool,
    },
    /// Sorted once, for many targets.
    Sorted(Vec<SortedColumn>),
}

impl KsColumns<'_> {
    /// Sorts all columns once.
    pub(crate) fn sorted(self, threads: usize, hooks: &Hooks) -> Result<KsColumns<'static>> {
        let sorted = match self {
            Self::Sorted(columns) => columns,
            Self::Values { columns, words } => {
                by_feature(columns.features(), threads, hooks, || {
                    let (mut sorter, mut values) = (Sorter::default(), Vec::new());
                    let columns = &columns;
                    move |feature| {
                        columns.column(feature, &mut values);
                        let mut sorted = SortedColumn::default();
                        sorted.sort(&values, words, &mut sorter);
                        sorted
                    }
                })?
            }
        };
        Ok(KsColumns::Sorted(sorted))
    }

    /// The score of each feature.
    ///
    /// # Errors
    ///
    /// `Canceled` if the caller stopped it.
    pub(crate) fn scores(
        &self,
        target: &CenteredTarget,
        threads: usize,
        hooks: &Hooks,
    ) -> Result<Vec<i64>> {
        match self {
            Self::Values { columns, words } => {
                by_feature(columns.features(), threads, hooks, || {
                    let (mut memory, mut ahead) = (Memory::default(), Ahead::new(columns));
                    move |feature| target.score_of(ahead.column(feature), *words, &mut memory)
                })
            }
            Self::Sorted(columns) => by_feature(columns.len(), threads, hooks, || {
                |feature: usize| target.score(&columns[feature])
            }),
        }
    }

    /// One column in order.
    pub(crate) fn column(&self, feature: usize) -> SortedColumn {
        match self {
            Self::Values { columns, words } => {
                let mut sorted = SortedColumn::default();
                sorted.sort(&columns.to_vec(feature), *words, &mut Sorter::default());
                sorted
            }
            Self::Sorted(columns) => columns[feature].clone(),
        }
    }
}
