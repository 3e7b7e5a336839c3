#![doc = include_str!("page.md")]

mod bins;
mod extremes;
#[cfg(feature = "ndarray")]
mod matrix;
mod pairs;
mod sorted;
mod strata;
#[cfg(test)]
mod tests;
mod unsorted;

use crate::error::Result;
use crate::estimate::StratumCode;
use crate::exact::GRID;
use crate::score::by_feature::by_feature;
use crate::score::less_missing;
use crate::table::{Columns, Hooks, People, Role, Sorter, word_of};

pub(crate) use bins::{BINS, BinSums, bin_of};
pub(crate) use extremes::Extremes;
#[cfg(feature = "ndarray")]
pub use matrix::{ks, ks_of_classes};
pub(crate) use pairs::Pairs;
pub(crate) use sorted::SortedColumn;
use strata::Strata;
use unsorted::Unsorted;

/// The centered target of each row, and one row's influence.
#[derive(Debug, Clone)]
pub(crate) struct CenteredTarget {
    rows: TargetRows,
    /// The maximum weight of a unit, by which sums of weighted rows are divided.
    weight: i64,
    family: Family,
    /// The strata of the rows, if each stratum has a noisy center.
    strata: Option<Strata>,
}

/// The functions of a column's values whose sums with the target make the score.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Family {
    /// Thresholds and categories.
    Thresholds,
    /// The value itself, on the grid, 0 if it is missing: a correlation.
    Value,
    /// The differences between the rows of each person: see [`mod@pairs`].
    Signs,
}

/// The centered targets of rows.
#[derive(Debug, Clone)]
pub(crate) enum TargetRows {
    /// A target coded as one number.
    Number {
        /// q(y) - m for each row, times its weight.
        t: Vec<i32>,
        /// m
        center: i32,
        q: i32,
    },
    /// A target of three or more classes.
    Classes {
        /// The class of each row.
        classes: Vec<u32>,
        /// The weight of each row; empty if all are 1.
        weights: Vec<u16>,
        /// M_a
        centers: Vec<i32>,
        q: i32,
    },
    /// Rows of people, which are compared with each other.
    Pairs(Pairs),
}

impl From<TargetRows> for CenteredTarget {
    fn from(rows: TargetRows) -> Self {
        Self { rows, weight: 1, family: Family::Thresholds, strata: None }
    }
}

impl CenteredTarget {
    /// Centers targets on the grid.
    pub(crate) fn number(codes: impl IntoIterator<Item = i16>, center: i32) -> Self {
        let t = codes.into_iter().map(|code| i32::from(code) - center).collect();
        TargetRows::Number { t, center, q: GRID }.into()
    }

    /// The rows of people, which are compared with each other.
    pub(crate) fn of_pairs(pairs: Pairs) -> Self {
        Self::from(TargetRows::Pairs(pairs)).with(Family::Signs)
    }

    /// Centers classes, numbered from 0, with a center for each.
    pub(crate) fn classes(classes: Vec<u32>, centers: Vec<i32>) -> Self {
        TargetRows::Classes { classes, weights: Vec::new(), centers, q: GRID }.into()
    }

    /// Centers the targets of rows on the grid, times their weights.
    pub(crate) fn of_rows(
        rows: impl IntoIterator<Item = (i16, Role)>,
        center: i32,
        q: i32,
    ) -> Self {
        let t = |(code, role): (i16, Role)| i32::from(role.weight) * (i32::from(code) - center);
        TargetRows::Number { t: rows.into_iter().map(t).collect(), center, q }.into()
    }

    /// As [`of_rows`](Self::of_rows) for rows in strata, each centered as in `codes`.
    pub(crate) fn in_strata(
        rows: impl IntoIterator<Item = (i16, Role)>,
        codes: &[StratumCode],
        q: i32,
    ) -> Self {
        let (strata, t) = Strata::of_rows(rows, codes, q);
        let target = Self::from(TargetRows::Number { t, center: 0, q });
        Self { strata: Some(strata), ..target }
    }

    /// Weights the rows so that they add up to at most [`People::WEIGHT`] for each person; `roles`
    /// holds the weights.
    pub(crate) fn of_people(self, roles: &[Role]) -> Self {
        let rows = match self.rows {
            TargetRows::Classes { classes, centers, q, .. } => {
                let weights = roles.iter().map(|role| role.weight).collect();
                TargetRows::Classes { classes, weights, centers, q }
            }
            number => number,
        };
        Self { rows, weight: i64::from(People::WEIGHT), ..self }
    }

    /// Sets another family of functions.
    pub(crate) fn with(self, family: Family) -> Self {
        Self { family, ..self }
    }

    /// The largest change of a score when a unit is added or removed.
    pub(crate) fn one_row(&self) -> u64 {
        if let (Some(strata), TargetRows::Number { q, .. }) = (&self.strata, &self.rows) {
            let value = if self.family == Family::Value { u64::from(q.unsigned_abs()) } else { 1 };
            return value * strata.one_row;
        }
        match (&self.rows, self.family) {
            (TargetRows::Number { center, q, .. }, family) => {
                let most = u64::from(q.unsigned_abs() + center.unsigned_abs());
                if family == Family::Value { u64::from(q.unsigned_abs()) * most } else { most }
            }
            (TargetRows::Pairs(_), _) => GRID.unsigned_abs().into(),
            (TargetRows::Classes { centers, q, .. }, Family::Thresholds | Family::Signs) => {
                class_sensitivity(centers, *q)
            }
            (TargetRows::Classes { centers, q, .. }, Family::Value) => {
                let reach = centers.iter().map(|m| (*m).max(q - m)).max().unwrap_or(*q);
                u64::from(q.unsigned_abs()) * u64::from(reach.unsigned_abs())
            }
        }
    }

    /// The score of a column, and the largest and the smallest signed sum over the thresholds, less
    /// the sum over missing values; no signed sums for classes, which have no direction, and within
    /// strata.
    pub(crate) fn score(&self, column: &SortedColumn) -> (i64, Option<Extremes>) {
        let missing = self.missing(column.missing());
        let most = match &self.rows {
            TargetRows::Number { t, .. } => match &self.strata {
                Some(strata) => strata.score(column, t),
                None => {
                    let [thresholds, words] = extremes::of_number(column, t)
                        .map(|extremes| extremes.less(missing).per(self.weight));
                    return (thresholds.largest().max(words.largest()), Some(thresholds));
                }
            },
            TargetRows::Classes { classes, weights, centers, q } => {
                extremes::of_classes(column, classes, weights, centers, *q)
            }
            // Columns are not sorted for these.
            TargetRows::Pairs(_) => return (0, None),
        };
        (less_missing(most, missing).div_euclid(self.weight), None)
    }

    /// The size of the sums of the target over rows in which a feature is missing, by which its
    /// score is reduced: the sum of |sum t| over strata, or of |Q n_a - M_a n| over classes.
    fn missing(&self, rows: impl Iterator<Item = usize>) -> u64 {
        match &self.rows {
            TargetRows::Number { t, .. } => match &self.strata {
                Some(strata) => strata.missing(rows, t),
                None => rows.map(|row| i64::from(t[row])).sum::<i64>().unsigned_abs(),
            },
            TargetRows::Classes { classes, weights, centers, q } => {
                let mut counts = vec![0; centers.len()];
                for row in rows {
                    counts[classes[row] as usize] += weights.get(row).copied().map_or(1, i64::from);
                }
                extremes::sum_of_classes(&counts, centers, *q).unsigned_abs()
            }
            TargetRows::Pairs(_) => 0,
        }
    }

    /// The score of an unsorted column and its signed sums, equal to [`score`](Self::score) of the
    /// sorted one. Without `words`, every NaN is a missing cell.
    fn score_of(
        &self,
        values: &[f64],
        words: bool,
        memory: &mut Memory,
    ) -> (i64, Option<Extremes>) {
        if self.family != Family::Thresholds {
            return self.of_values(values);
        }
        match self.unsorted(values, words, &mut memory.unsorted) {
            Some(extremes) => (extremes.largest(), Some(extremes)),
            None => {
                memory.sorted.sort(values, words, &mut memory.sorter);
                self.score(&memory.sorted)
            }
        }
    }

    /// The signed sums of a numeric column, without sorting it; `None` if it should be sorted.
    fn unsorted(&self, values: &[f64], words: bool, memory: &mut Unsorted) -> Option<Extremes> {
        let TargetRows::Number { t, .. } = &self.rows else { return None };
        if self.strata.is_some() {
            return None;
        }
        if words && values.iter().any(|value| word_of(*value).is_some()) {
            return None;
        }
        let below = memory.below(values, t)?;
        let missing = if below.missing { self.missing(missing_rows(values)) } else { 0 };
        let extremes = extremes::over_thresholds(below.extremes, below.all);
        Some(extremes.less(missing).per(self.weight))
    }

    /// The score of a column by its values themselves, and the signed sum: the correlation of grid
    /// values, or the sum of signs of people.
    fn of_values(&self, values: &[f64]) -> (i64, Option<Extremes>) {
        // Products of 2^15 and 2^31, summed over all rows, need more than 64 bits.
        let per = |sum: i128| sum.div_euclid(self.weight.into()) as i64;
        let x = |value: f64| if value.is_finite() { i128::from(value as i16) } else { 0 };
        match &self.rows {
            TargetRows::Number { t, q, .. } => {
                if let Some(strata) = &self.strata {
                    let missing = i128::from(*q) * i128::from(self.missing(missing_rows(values)));
                    return (per((strata.correlation(values, t) - missing).max(0)), None);
                }
                let products = values.iter().zip(t).map(|(value, t)| x(*value) * i128::from(*t));
                let sum: i128 = products.sum();
                let missing = i128::from(*q) * i128::from(self.missing(missing_rows(values)));
                let sum = per(sum.signum() * (sum.abs() - missing).max(0));
                (sum.abs(), Some(Extremes { most: sum, least: sum }))
            }
            TargetRows::Classes { classes, weights, centers, q } => {
                let [mut sums, mut missing] = [(); 2].map(|()| vec![0i128; centers.len()]);
                for (i, (value, class)) in values.iter().zip(classes).enumerate() {
                    let weight = i128::from(weights.get(i).copied().unwrap_or(1));
                    sums[*class as usize] += x(*value) * weight;
                    missing[*class as usize] += if value.is_finite() { 0 } else { weight };
                }
                let q = i128::from(*q);
                let [all, all_missing] = [&sums, &missing].map(|sums| sums.iter().sum::<i128>());
                let of = |class: usize| {
                    let m = i128::from(centers[class]);
                    let sum = (q * sums[class] - m * all).abs();
                    sum - q * (q * missing[class] - m * all_missing).abs()
                };
                let most = (0..centers.len()).map(of).max().unwrap_or(0);
                (per(most.max(0)), None)
            }
            TargetRows::Pairs(pairs) => {
                let sum = pairs.sum(values);
                (sum.abs(), Some(Extremes { most: sum, least: sum }))
            }
        }
    }
}

/// The rows with a missing value, in a column without categories.
fn missing_rows(values: &[f64]) -> impl Iterator<Item = usize> {
    values.iter().enumerate().filter(|(_, value)| !value.is_finite()).map(|(row, _)| row)
}

/// Q + sum M - 2 min M: the largest change of the doubled score of classes by one row.
pub(crate) fn class_sensitivity(centers: &[i32], q: i32) -> u64 {
    let sum: i64 = centers.iter().map(|&center| i64::from(center)).sum();
    let least = centers.iter().copied().min().unwrap_or(0);
    (i64::from(q) + sum - 2 * i64::from(least)).unsigned_abs()
}

/// Buffers that are reused from one scored column to the next.
#[derive(Default)]
struct Memory {
    unsorted: Unsorted,
    sorter: Sorter,
    sorted: SortedColumn,
}

/// Columns that are read several at a time, for features that are requested in order.
struct Ahead<'c, C: ?Sized> {
    columns: &'c C,
    /// The first feature of the columns that were read.
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

/// Columns for computing scores.
pub(crate) enum KsColumns<'t> {
    /// Values, sorted again for each target: for one draw.
    Values {
        columns: Box<dyn Columns + 't>,
        /// Whether a NaN may be a category.
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

    /// The number of features.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Values { columns, .. } => columns.features(),
            Self::Sorted(columns) => columns.len(),
        }
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
                    move |feature| target.score_of(ahead.column(feature), *words, &mut memory).0
                })
            }
            Self::Sorted(columns) => by_feature(columns.len(), threads, hooks, || {
                |feature: usize| target.score(&columns[feature]).0
            }),
        }
    }

    /// For each feature, the score at one center, and the score and the signed sums at another.
    ///
    /// # Errors
    ///
    /// `Canceled` if the caller stopped it.
    pub(crate) fn scores_with_extremes(
        &self,
        [scored, released]: [&CenteredTarget; 2],
        threads: usize,
        hooks: &Hooks,
    ) -> Result<Vec<(i64, i64, Option<Extremes>)>> {
        match self {
            Self::Values { columns, words } => {
                by_feature(columns.features(), threads, hooks, || {
                    let (mut memory, mut ahead) = (Memory::default(), Ahead::new(columns));
                    move |feature| {
                        let values = ahead.column(feature);
                        let (score, _) = scored.score_of(values, *words, &mut memory);
                        let (effect_size, signed) = released.score_of(values, *words, &mut memory);
                        (score, effect_size, signed)
                    }
                })
            }
            Self::Sorted(columns) => by_feature(columns.len(), threads, hooks, || {
                |feature: usize| {
                    let (effect_size, signed) = released.score(&columns[feature]);
                    (scored.score(&columns[feature]).0, effect_size, signed)
                }
            }),
        }
    }

    /// The score of one column, and its signed sums.
    pub(crate) fn score_with_extremes(
        &self,
        feature: usize,
        target: &CenteredTarget,
    ) -> (i64, Option<Extremes>) {
        match self {
            Self::Values { columns, words } => {
                target.score_of(&columns.to_vec(feature), *words, &mut Memory::default())
            }
            Self::Sorted(columns) => target.score(&columns[feature]),
        }
    }
}
