//! Exact uniform integers and subsets.

use std::collections::HashSet;

use num_bigint::BigUint;
use num_traits::{ToPrimitive, Zero};

use super::WordStream;

/// A uniform integer in [0, bound) for a positive `bound`, by rejection.
///
/// Each try reads as many words as the bound needs and succeeds with probability above 1/2.
pub fn uniform_below(words: &mut WordStream, bound: &BigUint) -> BigUint {
    debug_assert!(!bound.is_zero());
    if let Some(bound) = bound.to_u64() {
        return uniform_u64(words, bound).into();
    }
    let length = (bound - 1u32).bits();
    loop {
        let mut value = BigUint::zero();
        for _ in 0..length.div_ceil(64) {
            value = (value << 64) | BigUint::from(words.next_word());
        }
        value >>= length.next_multiple_of(64) - length;
        if value < *bound {
            return value;
        }
    }
}

/// A uniform integer in [0, bound) for a positive `bound`.
pub fn uniform_u64(words: &mut WordStream, bound: u64) -> u64 {
    let unused = (bound - 1).leading_zeros();
    if unused == 64 {
        return 0;
    }
    loop {
        let value = words.next_word() >> unused;
        if value < bound {
            return value;
        }
    }
}

/// A uniform `size`-subset of 0..n, in no particular order, by Floyd's algorithm.
///
/// O(size) time and memory. Source: Bentley and Floyd, "A sample of brilliance" (1987).
pub fn uniform_subset(words: &mut WordStream, n: u64, size: u64) -> HashSet<u64> {
    let mut subset = HashSet::with_capacity(size as usize);
    for j in n - size..n {
        let candidate = uniform_u64(words, j + 1);
        if !subset.insert(candidate) {
            subset.insert(j);
        }
    }
    subset
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Entropy;
    use crate::support::goodness::assert_fits;

    fn words() -> WordStream {
        Entropy::Seeded(11).source().unwrap().bits(0).lane(0)
    }

    #[test]
    fn integers_are_uniform() {
        let mut words = words();
        for bound in [1u64, 2, 3, 7, 10] {
            let mut counts = vec![0u64; bound as usize];
            for _ in 0..100_000 {
                let drawn = uniform_below(&mut words, &bound.into()).to_usize().unwrap();
                counts[drawn] += 1;
            }
            assert_fits(&counts, &vec![1.0 / bound as f64; bound as usize]);
        }
    }

    /// A bound of 65 bits, not a power of two: the uppermost of four equal parts is drawn as often
    /// as the others.
    #[test]
    fn large_integers_are_uniform() {
        let mut words = words();
        let bound = (BigUint::from(5u32) << 62u32) / 4u32 * 4u32;
        let mut counts = vec![0u64; 4];
        for _ in 0..40_000 {
            let drawn = uniform_below(&mut words, &bound);
            assert!(drawn < bound);
            counts[(drawn * 4u32 / &bound).to_usize().unwrap()] += 1;
        }
        assert_fits(&counts, &[0.25; 4]);
    }

    /// A power of two takes exactly its bits: every try succeeds.
    #[test]
    fn powers_of_two_need_one_try() {
        let (mut drawn, mut plain) = (words(), words());
        for _ in 0..20 {
            let word = BigUint::from(plain.next_word());
            assert_eq!(uniform_below(&mut drawn, &(BigUint::from(1u32) << 64)), word);
        }
        let bits = uniform_below(&mut drawn, &(BigUint::from(1u32) << 72));
        let (high, low) = (plain.next_word(), plain.next_word());
        assert_eq!(bits, ((BigUint::from(high) << 64) + low) >> 56);
    }

    #[test]
    fn subsets_are_uniform() {
        let mut words = words();
        let mut counts = vec![0u64; 32];
        for _ in 0..100_000 {
            let subset = uniform_subset(&mut words, 5, 3);
            counts[subset.iter().map(|i| 1usize << i).sum::<usize>()] += 1;
        }
        let three: Vec<u64> =
            (0..32usize).filter(|mask| mask.count_ones() == 3).map(|mask| counts[mask]).collect();
        assert_eq!(three.iter().sum::<u64>(), 100_000);
        assert_fits(&three, &[0.1; 10]);
    }
}
