//! The score of one column of numbers without sorting it: bins, and an exact search of the few bins
//! that may hold the largest sum.
//!
//! # Algorithm
//!
//! Values are counted into bins that keep their order, so that every end of a bin is a threshold,
//! and the sums of t up to there are known. Within a bin, no sum exceeds that at its start by more
//! than the positive t of the bin, or falls below it by more than the negative t. Only bins in
//! which a sum could so exceed the extremes of the ends are sorted: a few, if the column is noise.
//! Bins are evenly spaced over the range of a sample of the values or, if that leaves too much to
//! sort, over the [orders](order) of the values, which suits very different sizes.
//!
//! The result equals that of sorting, to the integer; the running time depends on the data, as that
//! of a sort does.
//!
//! # Cost
//!
//! Two passes over the values; up to seven if the first bins do not suit, and the column may still
//! have to be sorted.

use crate::score::ks::extremes::Extremes;
use crate::table::order;

/// The average number of values in a bin, unless that needs more than the maximum number of bins.
const PER_BIN: usize = 8;

/// The fewest and the most bins, which then take 256 KB.
const BINS: (usize, usize) = (64, 1 << 14);

/// The number of sampled values, and how many of them may lie beyond the bins on either side.
const SAMPLE: usize = 256;
const OUTER: usize = 3;

/// Below this number of values sorting is faster.
const FEW: usize = 512;

/// If the bins to sort hold more than 1/TOO_MANY of all |t|, the column is sorted instead.
const TOO_MANY: i64 = 8;

/// Finds the extremes over thresholds; its memory is reused.
#[derive(Debug, Default)]
pub(super) struct Unsorted {
    /// The bin of each value.
    places: Vec<u32>,
    bins: Vec<Bin>,
    /// Whether a bin is sorted.
    is_wanted: Vec<bool>,
    /// The least and the largest value of each bin.
    ranges: Vec<(f64, f64)>,
    /// The values of bins that are sorted, each with its bin and t.
    wanted: Vec<(u32, f64, i32)>,
}

/// The sums of t below the thresholds.
pub(super) struct Below {
    /// The extremes over the thresholds, from none of the rows to all.
    pub(super) extremes: Extremes,
    /// The sum over all rows.
    pub(super) all: i64,
    /// Whether t is not 0 in a row whose value is not finite.
    pub(super) missing: bool,
}

/// The sums of a bin.
#[derive(Debug, Clone, Copy, Default)]
struct Bin {
    /// The sum of t.
    sum: i64,
    /// The sum of the positive t.
    up: i64,
}

impl Unsorted {
    /// The extremes over the thresholds; `None` if the column should be sorted. Rows whose value is
    /// not finite are left out.
    pub(super) fn below(&mut self, values: &[f64], t: &[i32]) -> Option<Below> {
        if values.len() < FEW {
            return None;
        }
        let number = (values.len() / PER_BIN).next_power_of_two().clamp(BINS.0, BINS.1);
        let mut sample: Vec<f64> = values.iter().step_by(values.len() / SAMPLE).copied().collect();
        sample.retain(|value| value.is_finite());
        sample.sort_unstable_by(f64::total_cmp);
        let ends = sample.get(OUTER).zip(sample.iter().rev().nth(OUTER));
        let (low, high) = ends.map_or((0.0, 0.0), |(low, high)| (*low, *high));
        let found = self.in_even_bins(values, t, number, (low, high));
        if found.is_some() {
            return found;
        }
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.iter().filter(|value| value.is_finite()) {
            least = least.min(*value);
            most = most.max(*value);
        }
        if low == high {
            return self.in_even_bins(values, t, number, (least, most));
        }
        let (first, last) = (order(least)?, order(most)?);
        let shift = (u64::BITS - (last - first).leading_zeros()).saturating_sub(number.ilog2());
        let by_order = |value: f64| {
            let above = order(value).map_or(0, |order| order - first);
            (above >> shift) as u32
        };
        self.in_bins(values, t, number, by_order)
    }

    /// The extremes by evenly spaced bins from one value to another; the outer bins hold all values
    /// beyond.
    fn in_even_bins(
        &mut self,
        values: &[f64],
        t: &[i32],
        number: usize,
        (low, high): (f64, f64),
    ) -> Option<Below> {
        let scale = number as f64 / (high - low);
        // The range is too wide or too narrow for a float.
        if !(scale > 0.0 && scale.is_finite()) {
            return None;
        }
        // Rounding keeps the order in each step; negative values become 0.
        let even = |value: f64| ((value - low) * scale) as u32;
        self.in_bins(values, t, number, even)
    }

    /// The extremes by bins that keep the order of values; `None` if too many of them would have to
    /// be sorted.
    fn in_bins(
        &mut self,
        values: &[f64],
        t: &[i32],
        number: usize,
        bin: impl Fn(f64) -> u32,
    ) -> Option<Below> {
        let Self { places, bins, is_wanted, ranges, wanted } = self;
        // Values that are not finite fall in a bin beyond the last one.
        let beyond = number as u32;
        places.clear();
        places.extend(values.iter().map(|&value| match value.is_finite() {
            true => bin(value).min(beyond - 1),
            false => beyond,
        }));
        bins.clear();
        bins.resize(number + 1, Bin::default());
        for (&place, &t) in places.iter().zip(t) {
            let bin = &mut bins[place as usize];
            bin.sum += i64::from(t);
            bin.up += i64::from(t.max(0));
        }
        let missing = bins[number];
        bins.truncate(number);
        let mut seen = Extremes::default();
        let (mut all, mut size) = (0, 0);
        for bin in bins.iter() {
            all += bin.sum;
            size += 2 * bin.up - bin.sum;
            seen.include(all);
        }
        // Whether a sum within a bin could exceed those at the ends.
        let (mut below, mut to_sort) = (0, 0);
        is_wanted.clear();
        is_wanted.extend(bins.iter().map(|Bin { sum, up }| {
            let exceeds = below + up > seen.most || below + (sum - up) < seen.least;
            below += sum;
            to_sort += if exceeds { 2 * up - sum } else { 0 };
            exceeds
        }));
        is_wanted.push(false);
        if to_sort > size / TOO_MANY {
            // Bins of one value each need no sorting.
            ranges.clear();
            ranges.resize(number + 1, (f64::INFINITY, f64::NEG_INFINITY));
            for (&place, &value) in places.iter().zip(values) {
                let (low, high) = &mut ranges[place as usize];
                (*low, *high) = (low.min(value), high.max(value));
            }
            to_sort = 0;
            for ((is_wanted, bin), (low, high)) in is_wanted.iter_mut().zip(&*bins).zip(&*ranges) {
                *is_wanted &= low != high;
                to_sort += if *is_wanted { 2 * bin.up - bin.sum } else { 0 };
            }
            if to_sort > size / TOO_MANY {
                return None;
            }
        }
        wanted.clear();
        for ((&place, &value), &t) in places.iter().zip(values).zip(t) {
            if is_wanted[place as usize] {
                wanted.push((place, value, t));
            }
        }
        // Bins keep the order of values.
        wanted.sort_unstable_by(|one, other| one.1.total_cmp(&other.1));
        let mut rest = wanted.as_slice();
        let mut below = 0;
        for (place, bin) in bins.iter().enumerate() {
            if is_wanted[place] {
                let inside = rest.iter().take_while(|one| one.0 as usize == place).count();
                let (own, others) = rest.split_at(inside);
                let mut within = below;
                for (i, (_, value, t)) in own.iter().enumerate() {
                    within += i64::from(*t);
                    // -0 and 0 are next to each other, and equal.
                    if own.get(i + 1).is_none_or(|(_, next, _)| next != value) {
                        seen.include(within);
                    }
                }
                rest = others;
            }
            below += bin.sum;
        }
        let missing = missing.up > 0 || missing.sum < 0;
        Some(Below { extremes: seen, all, missing })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::score::ks::extremes::{of_number, over_thresholds};
    use crate::score::ks::sorted::SortedColumn;
    use crate::table::Sorter;

    /// A column of a kind: spread evenly, of very different sizes, few values, many close together,
    /// exponents alone, some missing.
    fn column(kind: u8, n: usize, seed: u64) -> (Vec<f64>, Vec<i32>) {
        let mut state = seed;
        let mut next = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(99);
            state >> 11
        };
        let mut uniform = move || next() as f64 / (1u64 << 53) as f64;
        let mut t = Vec::new();
        let values = (0..n)
            .map(|i| {
                let u = uniform();
                t.push(((uniform() + 0.4 * u) * 60000.0) as i32 - 40000);
                match kind {
                    0 => u - 0.5,
                    1 => (20.0 * u).exp(),
                    2 => (u * 7.0).floor() * if uniform() < 0.5 { 0.0 } else { -1.0 },
                    3 => 1.0 + u * 1e-13,
                    4 => 2f64.powi((i % 2000) as i32 - 1000) * (u - 0.5),
                    5 => [u, f64::NAN, f64::INFINITY, f64::MAX, -f64::MAX][i % 5],
                    _ => [u, 1e300][usize::from(i == n / 2)],
                }
            })
            .collect();
        (values, t)
    }

    proptest! {
        /// The same integers as by sorting.
        #[test]
        fn bins_match_sorting(kind in 0u8..7, n in 0usize..5000, seed: u64) {
            let (values, t) = column(kind, n, seed);
            let mut sorted = SortedColumn::default();
            sorted.sort(&values, false, &mut Sorter::default());
            let mut unsorted = Unsorted::default();
            if let Some(Below { extremes, all, missing }) = unsorted.below(&values, &t) {
                prop_assert_eq!(over_thresholds(extremes, all), of_number(&sorted, &t)[0]);
                prop_assert_eq!(missing, sorted.missing().any(|row| t[row] != 0));
            }
        }
    }

    /// Columns without structure are sorted, unless they are short.
    #[test]
    fn unstructured_columns_are_sorted() {
        let found = [0, 1, 2, 3, 4, 6].map(|kind| {
            let (values, t) = column(kind, 20_000, 5);
            Unsorted::default().below(&values, &t).is_some()
        });
        assert_eq!(found, [true; 6]);
        let mostly_zero = (0..20_000).map(|i| if i % 50 == 0 { f64::from(i % 7) } else { 0.0 });
        let t = column(0, 20_000, 5).1;
        assert!(Unsorted::default().below(&mostly_zero.collect::<Vec<_>>(), &t).is_some());
        let (values, t) = column(0, 100, 5);
        assert!(Unsorted::default().below(&values, &t).is_none());
    }
}
