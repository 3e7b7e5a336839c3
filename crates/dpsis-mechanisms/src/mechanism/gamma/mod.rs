#![doc = include_str!("page.md")]

#[cfg(any(test, feature = "verify"))]
pub(crate) mod law;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use num_bigint::{BigInt, BigUint};
use num_rational::BigRational;
use num_traits::{One, ToPrimitive};

use crate::exact::near_f64;
use crate::mechanism::draw::{rate, sealed};
use crate::mechanism::{Card, Chooses, Mechanism, PickLoss, Sensitivity};
use crate::privacy::Epsilon;
use crate::random::{Bits, WordStream, cube_radius, uniform_u64};
use crate::scores::Scores;

/// The Gamma mechanism: noise of bounded largest component on every score, the k largest in their
/// order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Gamma;

/// The card of [`Gamma`].
pub static CARD: Card = Card {
    id: "gamma",
    summary: "Gamma mechanism: noise uniform in a cube of random size on every score, the k largest",
    chooses: Chooses::Sequence,
    sensitivity: Sensitivity::Common,
    loss: PickLoss::Pure,
    reference: "T. Steinke and J. Ullman, \"Between Pure and Approximate Differential Privacy\" (2016)",
    page: include_str!("page.md"),
    timing: None,
    parameters: &[],
    build: |_| Ok(Arc::new(Gamma)),
    #[cfg(any(test, feature = "verify"))]
    contract: law::contract,
};

/// The grid is at least this many times finer than the noise.
const FINENESS: u64 = 1 << 30;

/// The lane of the noise; the radius takes lane 0.
const NOISE_LANE: u64 = 1;

impl Mechanism for Gamma {
    fn card(&self) -> &'static Card {
        &CARD
    }

    /// The cube has a half side of about d/eps.
    fn gap(&self, candidates: usize, _: usize, epsilon: &Epsilon) -> f64 {
        candidates as f64 / near_f64(epsilon.as_rational())
    }
}

#[allow(private_interfaces, reason = "sealed: nobody outside can call it")]
impl sealed::Draw for Gamma {
    fn draw(&self, scores: &Scores, k: usize, epsilon: &Epsilon, bits: &Bits) -> Vec<usize> {
        let d = scores.values().len();
        // eps/Delta; monotonic scores move by Delta/2 around a common shift, which no ranking
        // shows.
        let rate = rate(scores, epsilon) * BigInt::from(2);
        let fineness = fineness(&rate);
        let radius = cube_radius(d, &(rate / BigInt::from(fineness.clone())), bits);
        noisy_top(scores.values(), k, &fineness, &radius, &mut bits.lane(NOISE_LANE))
    }
}

/// The steps of the grid in one unit of the scores: a power of two above 1, so that the noise, of
/// scale 1/rate units, spans at least [`FINENESS`] of them, and half a sensitivity is a whole
/// number of them.
fn fineness(rate: &BigRational) -> BigUint {
    let least = (rate * BigInt::from(FINENESS)).ceil().to_integer();
    BigUint::one() << (least - 1i32).bits().max(1)
}

/// The k largest of fineness * score + z, z uniform from -radius to radius; the largest first. Of
/// equal ones it takes one at random.
fn noisy_top(
    values: &[i64],
    k: usize,
    fineness: &BigUint,
    radius: &BigUint,
    words: &mut WordStream,
) -> Vec<usize> {
    // These fit for all realistic sizes: fineness is below 2^31 rate, the radius about d fineness.
    match (fineness.to_i64(), (radius * 2u32 + 1u32).to_u64()) {
        (Some(fineness), Some(side)) => {
            let noise = |words: &mut WordStream| i128::from(uniform_u64(words, side));
            let noisy = |value: i64, z: i128| i128::from(value) * i128::from(fineness) + z;
            largest(values, k, words, |value, words| noisy(value, noise(words)))
        }
        _ => {
            let side = radius * 2u32 + 1u32;
            let noise = |words: &mut WordStream| crate::random::uniform_below(words, &side);
            let fineness = BigInt::from(fineness.clone());
            largest(values, k, words, |value, words| {
                BigInt::from(value) * &fineness + BigInt::from(noise(words))
            })
        }
    }
}

/// The places of the k largest keys, the largest first; ties by a random word.
fn largest<K: Ord>(
    values: &[i64],
    k: usize,
    words: &mut WordStream,
    key: impl Fn(i64, &mut WordStream) -> K,
) -> Vec<usize> {
    let mut leaders: BinaryHeap<Reverse<(K, u64, usize)>> = BinaryHeap::with_capacity(k + 1);
    for (place, &value) in values.iter().enumerate() {
        let key = key(value, words);
        if leaders.len() == k && leaders.peek().is_some_and(|Reverse((least, ..))| key < *least) {
            continue;
        }
        let entry = (key, words.next_word(), place);
        leaders.push(Reverse(entry));
        if leaders.len() > k {
            leaders.pop();
        }
    }
    leaders.into_sorted_vec().into_iter().map(|Reverse((_, _, place))| place).collect()
}
