//! Exact samples of Bernoulli(e^-x) for rational x.

use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::{One, Zero};

use super::{WordStream, uniform_below};

/// Returns true with probability e^-(numerator/denominator).
///
/// The expected number of uniform integers drawn is below 2 + x. Source: Canonne, Kamath and
/// Steinke, "The discrete Gaussian for differential privacy" (2020), algorithm 1.
pub(crate) fn bernoulli_exp_neg(
    words: &mut WordStream,
    numerator: &BigUint,
    denominator: &BigUint,
) -> bool {
    let (mut whole, fraction) = numerator.div_rem(denominator);
    while !whole.is_zero() {
        if !bernoulli_exp_neg_fraction(words, denominator, denominator) {
            return false;
        }
        whole -= 1u32;
    }
    bernoulli_exp_neg_fraction(words, &fraction, denominator)
}

/// The same for x in [0, 1]: the index k of the first failure of Bernoulli(x/k), k = 1, 2, ..., is
/// odd with that probability.
fn bernoulli_exp_neg_fraction(
    words: &mut WordStream,
    numerator: &BigUint,
    denominator: &BigUint,
) -> bool {
    let mut k = BigUint::one();
    while uniform_below(words, &(denominator * &k)) < *numerator {
        k += 1u32;
    }
    k.is_odd()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Entropy;
    use crate::support::goodness::assert_fits;

    #[test]
    fn frequencies_fit() {
        let mut words = Entropy::Seeded(5).source().unwrap().bits(0).lane(0);
        for (numerator, denominator) in [(0u32, 1u32), (1, 3), (1, 1), (7, 3), (9, 2)] {
            let mut counts = [0u64; 2];
            for _ in 0..100_000 {
                let hit = bernoulli_exp_neg(&mut words, &numerator.into(), &denominator.into());
                counts[usize::from(hit)] += 1;
            }
            let p = (-f64::from(numerator) / f64::from(denominator)).exp();
            assert_fits(&counts, &[1.0 - p, p]);
        }
    }
}
