//! Sorting of many values with their places, without an allocation per call.
//!
//! # Algorithm
//!
//! Each value has an *order*, an integer of 64 bits. The 32 bits that distinguish most of the
//! values and the place of the value make one 64-bit key, and a radix sort with digits of 11 bits
//! brings the keys into order; digits that all values share are skipped. Values that agree in those
//! 32 bits are then compared whole.
//!
//! # Cost
//!
//! Linear in the number of values, except for those that agree in all of the first 32 bits.

use crate::table::batch::Value;

/// The number of bits of a digit.
const DIGIT: u32 = 11;
const DIGITS: usize = 1 << DIGIT;

/// Below this number of keys, sorting by comparisons is faster than counting digits.
const RADIX_FROM: usize = 1024;

/// Sorts values, one list after the other; its memory is reused.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sorter {
    /// Keys: the order of a value in the upper half, its place in the lower half.
    keys: Vec<u64>,
    /// A buffer for the keys, sorted by the next digit.
    moved: Vec<u64>,
}

/// The place of a sorted value in the list, below 2^32.
#[inline(always)]
pub(crate) fn place(key: u64) -> usize {
    (key & 0xffff_ffff) as usize
}

impl Sorter {
    /// Calls `give` for each group of equal values, ascending, with keys that hold their
    /// [`place`]s. Values without an order are left out.
    #[inline(always)]
    pub(crate) fn each_tie<A: Copy>(
        &mut self,
        values: &[A],
        order: impl Fn(A) -> Option<u64>,
        mut give: impl FnMut(&[u64]),
    ) {
        let (mut least, mut most) = (u64::MAX, 0);
        for &value in values {
            if let Some(order) = order(value) {
                least = least.min(order);
                most = most.max(order);
            }
        }
        let bits = u64::BITS - most.saturating_sub(least).leading_zeros();
        // Values that agree in the upper half are compared later.
        let left_out = bits.saturating_sub(32);
        self.keys.clear();
        self.keys.reserve(values.len());
        for (&value, place) in values.iter().zip(0u64..) {
            if let Some(order) = order(value) {
                self.keys.push(((order - least) >> left_out) << 32 | place);
            }
        }
        self.sort(bits.min(32));
        let whole = |key: &u64| order(values[place(*key)]);
        let mut rest = self.keys.as_mut_slice();
        while let Some(first) = rest.first() {
            let upper = first >> 32;
            let alike = rest.iter().take_while(|key| **key >> 32 == upper).count();
            let (run, others) = rest.split_at_mut(alike);
            if alike > 1 && left_out > 0 {
                run.sort_unstable_by_key(whole);
                for ties in run.chunk_by(|a, b| whole(a) == whole(b)) {
                    give(ties);
                }
            } else {
                give(run);
            }
            rest = others;
        }
    }

    /// Sorts the keys by the lowest `bits` bits of their upper halves.
    fn sort(&mut self, bits: u32) {
        if self.keys.len() < RADIX_FROM {
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

/// An integer with the order of the finite floats; 0 and -0 are one. `None` if the value is not
/// finite.
#[inline(always)]
pub(crate) fn order<A: Value>(value: A) -> Option<u64> {
    let value: f64 = value.into();
    let bits = (value + 0.0).to_bits();
    let order = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
    value.is_finite().then_some(order)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_order_of_floats_is_kept(a in any::<f64>(), b in any::<f64>()) {
            prop_assume!(a.is_finite() && b.is_finite());
            prop_assert_eq!(a.partial_cmp(&b), Some(order(a).cmp(&order(b))));
        }

        /// Against the standard library's sort: any orders, few values, near ones, many ties, some
        /// without.
        #[test]
        fn groups_are_those_of_sorting(
            lists in prop::collection::vec((0u8..5, 0usize..3000, any::<u64>()), 1..4),
        ) {
            let mut sorter = Sorter::default();
            for (kind, n, seed) in lists {
                let mut state = seed;
                let mut next = || {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(99);
                    state >> 11
                };
                let values: Vec<Option<u64>> = (0..n).map(|_| match kind {
                    0 => Some(next() << 11 | next() & 0x7ff),
                    1 => Some(u64::MAX - next() % 9),
                    2 => Some((next() % 3) << 62).filter(|order| *order > 0),
                    3 => Some(next() % 100_000),
                    _ => None,
                }).collect();
                let mut groups: Vec<Vec<usize>> = Vec::new();
                sorter.each_tie(&values, |value| value, |ties| {
                    groups.push(ties.iter().map(|key| place(*key)).collect());
                });
                groups.iter_mut().for_each(|group| group.sort_unstable());
                let mut expected = std::collections::BTreeMap::<u64, Vec<usize>>::new();
                for (place, order) in values.iter().enumerate() {
                    if let Some(order) = order {
                        expected.entry(*order).or_default().push(place);
                    }
                }
                prop_assert_eq!(groups, expected.into_values().collect::<Vec<_>>());
            }
        }
    }
}
