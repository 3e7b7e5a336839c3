//! Ranks of the values of one sample, on the grid.
//!
//! # Definition
//!
//! Let r be the mid-rank of a value among the d' values that are present. Its grid value is
//! q (2r - d' - 1)/(d' - 1). It is 0 for a missing value and for a single one.
//!
//! # Cost
//!
//! Linear in d' (see [`Sorter`]). Memory is allocated for the first sample only.

use crate::exact::codes_by_rank;
use crate::table::batch::Value;
use crate::table::sort::{Sorter, order, place};

/// Ranks the values of samples, one sample after the other.
#[derive(Debug, Clone, Default)]
pub(super) struct Ranker {
    sorter: Sorter,
    /// The grid value of each rank, indexed by twice the mid-rank, for as many values as the last
    /// sample had.
    codes: Vec<i16>,
    present: usize,
}

impl Ranker {
    /// Writes the grid values of a sample's values; missing ones are NaN or infinite.
    pub(super) fn rank<A: Value>(&mut self, values: &[A], q: i32, out: &mut [i16]) {
        let present = values.iter().filter(|value| order(**value).is_some()).count();
        if present < values.len() || present <= 1 {
            out.fill(0);
        }
        if present <= 1 {
            return;
        }
        if self.present != present {
            codes_by_rank(present, q, &mut self.codes);
            self.present = present;
        }
        let (codes, mut before) = (&self.codes, 0);
        self.sorter.each_tie(values, order, |ties| {
            // The mid-rank of ranks before + 1, ..., before + ties, twice.
            let code = codes[2 * before + ties.len() + 1];
            for &key in ties {
                out[place(key)] = code;
            }
            before += ties.len();
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::ratio_to_grid;
    use proptest::prelude::*;

    fn ranked<A: Value>(ranker: &mut Ranker, values: &[A], q: i32) -> Vec<i16> {
        let mut out = vec![7; values.len()];
        ranker.rank(values, q, &mut out);
        out
    }

    /// By sorting all floats whole.
    fn by_sorting(values: &[f64], q: i32) -> Vec<i16> {
        let mut sorted: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
        sorted.sort_by(|a, b| a.partial_cmp(b).unwrap());
        let present = sorted.len() as i64;
        let code = |value: &f64| {
            if !value.is_finite() || present <= 1 {
                return 0;
            }
            let below = sorted.partition_point(|other| other < value) as i64;
            let not_above = sorted.partition_point(|other| other <= value) as i64;
            ratio_to_grid(below + not_above + 1 - present - 1, present - 1, q)
        };
        values.iter().map(code).collect()
    }

    proptest! {
        /// One ranker for samples of all kinds: any floats, near ones that differ in their last
        /// bits only, ties, missing values; many and few.
        #[test]
        fn ranks_agree_with_sorting(
            seeds in prop::collection::vec((0u8..5, 0usize..3000, any::<u64>()), 1..5),
            q in prop::sample::select(vec![2, 32_767]),
        ) {
            let mut ranker = Ranker::default();
            for (kind, n, seed) in seeds {
                let mut state = seed;
                let mut next = || {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(99);
                    state >> 11
                };
                let values: Vec<f64> = (0..n).map(|_| match kind {
                    0 => f64::from_bits(next() << 11 | next() & 0x7ff),
                    1 => 1.0 + next() as f64 % 7e3 * f64::EPSILON,
                    2 => (next() % 50) as f64 - 20.0,
                    3 => (next() % 1_000_000) as f64 / 1e6 - 0.5,
                    _ => [f64::NAN, f64::INFINITY, -0.0, 0.0, 5.0][next() as usize % 5],
                }).collect();
                prop_assert_eq!(ranked(&mut ranker, &values, q), by_sorting(&values, q));
                let single: Vec<f32> = values.iter().map(|v| *v as f32).collect();
                let exact: Vec<f64> = single.iter().map(|v| f64::from(*v)).collect();
                prop_assert_eq!(ranked(&mut ranker, &single, q), by_sorting(&exact, q));
            }
        }
    }
}
