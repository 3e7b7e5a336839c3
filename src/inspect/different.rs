//! Counts the different categories in a column, in little memory.
//!
//! Adaptive sampling: the hashes of categories that are multiples of 2^level are kept, and the
//! level rises whenever there are more than [`MAX_KEPT`]. Up to that number the count is exact;
//! beyond it, the number kept times 2^level is an unbiased estimate, with a relative standard
//! deviation of about 1.2/sqrt([`MAX_KEPT`]), or 8%.
//!
//! Source: P. Flajolet, "On adaptive sampling", Computing 43 (1990), after M. Wegman.

use std::collections::BTreeSet;

/// The largest number of hashes that are kept.
const MAX_KEPT: usize = 256;

/// A count of different categories, by their hashes.
#[derive(Debug, Clone, Default)]
pub(super) struct Different {
    level: u32,
    hashes: BTreeSet<u64>,
}

impl Different {
    /// Adds the hash of a category.
    pub(super) fn take_in(&mut self, hash: u64) {
        if hash.trailing_zeros() >= self.level && self.hashes.insert(hash) {
            while self.hashes.len() > MAX_KEPT {
                self.rise_to(self.level + 1);
            }
        }
    }

    /// Adds the categories of another part of the column.
    pub(super) fn merge(&mut self, other: Self) {
        self.rise_to(self.level.max(other.level));
        other.hashes.into_iter().for_each(|hash| self.take_in(hash));
    }

    /// The number of different categories.
    pub(super) fn count(&self) -> u64 {
        (self.hashes.len() as u64) << self.level
    }

    fn rise_to(&mut self, level: u32) {
        self.level = level;
        self.hashes.retain(|hash| hash.trailing_zeros() >= level);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hashes that look random: the finalizer of splitmix64, a bijection.
    fn hash(number: u64) -> u64 {
        let z = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) >> 13
    }

    #[test]
    fn small_counts_are_exact_and_large_ones_close() {
        for (words, exact) in [(0, true), (1, true), (256, true), (257, false), (20_000, false)] {
            let (mut all, mut one, mut other) = <(Different, Different, Different)>::default();
            for number in (1..=words).chain(1..=words) {
                all.take_in(hash(number));
                (if number % 3 == 0 { &mut one } else { &mut other }).take_in(hash(number));
            }
            one.merge(other);
            assert_eq!(one.count(), all.count(), "in any order");
            let error = all.count().abs_diff(words) as f64 / words.max(1) as f64;
            // Five standard deviations.
            assert!(error <= if exact { 0.0 } else { 0.4 }, "{words}: {}", all.count());
        }
    }
}
