//! Ranks of the values of one sample, on the grid.
//!
//! # Definition
//!
//! Let r be the mid-rank of a value among the d' values that are present. Its grid value is
//! q (2r - d' - 1)/(d' - 1). It is 0 for a missing value and for a single one.
//!
//! # Algorithm
//!
//! Finite floats become integers of the same order. The 32 bits that tell most of a sample's values apart
//! and the place of the value make one 64-bit key, and a radix sort with digits of 11 bits brings the keys
//! into order; digits that all values share are skipped. Values that agree in those 32 bits are then
//! compared whole.
//!
//! # Cost
//!
//! Linear in d', except for values that agree in all of the first 32 bits. Memory is allocated for the
//! first sample only.

use crate::data::samples::Value;
use crate::exact::codes_by_rank;

/// The number of bits of a digit.
const DIGIT: u32 = 11;
const DIGITS: usize = 1 << DIGIT;

/// Below this number of keys, sorting by comparisons is faster than counting digits.
const FEW: usize = 1024;

/// Ranks the values of samples, one sample after the other.
#[derive(Debug, Clone, Default)]
pub(super) struct Ranker {
    /// Keys: the order of a value in the upper half, its place in the sample in the lower half.
    keys: Vec<u64>,
    /// A buffer for the keys, sorted by the next digit.
    moved: Vec<u64>,
    /// The grid value of each rank, indexed by twice the mid-rank, for as many values as the last
    /// sample had.
    codes: Vec<i16>,
    present: usize,
}

impl Ranker {
    /// Writes the grid values of a sample's values; missing ones are NaN or infinite.
    pub(super) fn rank<A: Value>(&mut self, values: &[A], q: i32, out: &mut [i16]) {
        let (mut least, mut most) = (u64::MAX, 0);
        let mut present = 0usize;
        for &value in values {
            if let Some(order) = order(value) {
                least = least.min(order);
                most = most.max(order);
                present += 1;
            }
        }
        if present < values.len() || present <= 1 {
            out.fill(0);
        }
        if present <= 1 {
            return;
        }
        let bits = u64::BITS - (most - least).leading_zeros();
        // Values that agree in the upper half are compared later.
        let left_out = bits.saturating_sub(32);
        self.keys.clear();
        self.keys.extend(values.iter().zip(0u64..).filter_map(|(&value, place)| {
            order(value).map(|order| ((order - least) >> left_out) << 32 | place)
        }));
        self.sort(bits.min(32));
        if self.present != present {
            codes_by_rank(present, q, &mut self.codes);
            self.present = present;
        }
        let place = |key: u64| (key & 0xffff_ffff) as usize;
        let whole = |key: &u64| order(values[place(*key)]);
        let mut before = 0;
        let mut give = |ties: &[u64]| {
            // The mid-rank of ranks before + 1, ..., before + ties, twice.
            let code = self.codes[2 * before + ties.len() + 1];
            ties.iter().for_each(|&key| out[place(key)] = code);
            before += ties.len();
        };
        let mut rest = self.keys.as_mut_slice();
        while let Some(first) = rest.first() {
            let upper = first >> 32;
            let alike = rest.iter().take_while(|key| **key >> 32 == upper).count();
            let (run, others) = rest.split_at_mut(alike);
            if alike > 1 && left_out > 0 {
                run.sort_unstable_by_key(whole);
                run.chunk_by(|a, b| whole(a) == whole(b)).for_each(&mut give);
            } else {
                give(run);
            }
            rest = others;
        }
    }

    /// Sorts the keys by their upper halves, of which the lowest `bits` bits are used.
    fn sort(&mut self, bits: u32) {
        if self.keys.len() < FEW {
            self.keys.sort_unstable();
            return;
        }
        self.moved.resize(self.keys.len(), 0);
        let mut counts = [[0u32; DIGITS]; 3];
        for &key in &self.keys {
            let key = key >> 32;
            for (counts, shift) in counts.iter_mut().zip([0, DIGIT, 2 * DIGIT]) {
                counts[(key >> shift) as usize % DIGITS] += 1;
            }
        }
        for (counts, shift) in counts.iter_mut().zip((0..bits).step_by(DIGIT as usize)) {
            if counts.iter().any(|&count| count as usize == self.keys.len()) {
                continue;
            }
            // The place of the first key of each digit.
            let mut start = 0;
            for count in counts.iter_mut() {
                start += std::mem::replace(count, start);
            }
            for &key in &self.keys {
                let to = &mut counts[(key >> (32 + shift)) as usize % DIGITS];
                self.moved[*to as usize] = key;
                *to += 1;
            }
            std::mem::swap(&mut self.keys, &mut self.moved);
        }
    }
}

/// An integer with the order of the finite floats; 0 and -0 are one. `None` for what is not finite.
#[inline(always)]
fn order<A: Value>(value: A) -> Option<u64> {
    let value: f64 = value.into();
    let bits = (value + 0.0).to_bits();
    let order = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
    value.is_finite().then_some(order)
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
        #[test]
        fn the_order_of_floats_is_kept(a in any::<f64>(), b in any::<f64>()) {
            prop_assume!(a.is_finite() && b.is_finite());
            prop_assert_eq!(a.partial_cmp(&b), Some(order(a).cmp(&order(b))));
        }

        /// One ranker for samples of all kinds: any floats, near ones that differ in their last bits only,
        /// ties, missing values; many and few.
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
