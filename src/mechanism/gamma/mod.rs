#![doc = include_str!("page.md")]

#[cfg(test)]
pub(crate) mod law;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use num_bigint::{BigInt, BigUint};
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};

use crate::exact::{Enclosure, near_f64};
use crate::mechanism::draw::{rate, sealed};
use crate::mechanism::{Card, Chooses, Mechanism, Sensitivity};
use crate::privacy::Epsilon;
use crate::random::{Bits, WordStream, discrete_laplace, uniform_u64};
use crate::score::Scores;

/// The Gamma mechanism: noise of bounded largest component on every score, the k largest in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Gamma;

/// The card of [`Gamma`].
pub static CARD: Card = Card {
    id: "gamma",
    summary: "Gamma mechanism: noise uniform in a cube of random size on every score, the k largest",
    chooses: Chooses::Sequence,
    sensitivity: Sensitivity::Common,
    reference: "T. Steinke and J. Ullman, \"Between Pure and Approximate Differential Privacy\" (2016)",
    page: include_str!("page.md"),
    timing: None,
    parameters: &[],
    build: |_| Ok(Arc::new(Gamma)),
    #[cfg(test)]
    contract: tests::contract,
};

/// The grid is at least this many times finer than the noise.
const FINENESS: u64 = 1 << 30;

/// The lanes of the radius and of the noise.
const RADIUS_LANE: u64 = 0;
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
        // eps/Delta; monotonic scores move by Delta/2 around a common shift, which no ranking shows.
        let rate = rate(scores, epsilon) * BigInt::from(2);
        let fineness = fineness(&rate);
        let radius = radius(d, &(rate / BigInt::from(fineness.clone())), bits);
        noisy_top(scores.values(), k, &fineness, &radius, &mut bits.lane(NOISE_LANE))
    }
}

/// The steps of the grid in one unit of the scores: a power of two above 1, so that the noise, of scale
/// 1/rate units, spans at least [`FINENESS`] of them, and half a sensitivity is a whole number of them.
fn fineness(rate: &BigRational) -> BigUint {
    let least = (rate * BigInt::from(FINENESS)).ceil().to_integer();
    BigUint::one() << (least - 1i32).bits().max(1)
}

/// R with P(R = r) proportional to (2r + 1)^d e^(-rate r), r = 0, 1, ...
///
/// The law is log-concave with its mode at m = d/rate - 1/2, rounded. With f(j) = ln P(m + j)/P(m) and a
/// width w such that f(w), f(-w) <= -1, f(j) <= 1 - |j|/w everywhere: between, since f <= 0 (up to the
/// rounding of m, less than the 1/w that is left there); beyond, since f is concave. So j is drawn with
/// probability proportional to e^(-|j|/w), and kept with probability e^(f(j) - 1 + |j|/w).
fn radius(d: usize, rate: &BigRational, bits: &Bits) -> BigUint {
    let half = BigRational::new(1.into(), 2.into());
    let mode = BigRational::from_integer(d.into()) / rate - half;
    let law =
        RadiusLaw { d, rate: rate.clone(), mode: mode.round().to_integer().max(BigInt::zero()) };
    let width = law.width();
    let tail = BigRational::new(BigInt::one(), width.clone());
    let mut words = bits.lane(RADIUS_LANE);
    loop {
        let j = discrete_laplace(&mut words, &tail);
        let slack = BigRational::one() - BigRational::new(j.abs(), width.clone());
        if law.keeps(&j, &slack, &mut words)
            && let Some(radius) = (&law.mode + &j).to_biguint()
        {
            return radius;
        }
    }
}

struct RadiusLaw {
    d: usize,
    rate: BigRational,
    mode: BigInt,
}

impl RadiusLaw {
    /// f(j) = d ln((2(m + j) + 1)/(2m + 1)) - rate j; `None` where the radius would be negative.
    fn ln_ratio(&self, j: &BigInt, precision: u64) -> Option<Enclosure> {
        let odd = |r: BigInt| (BigInt::from(2) * r + 1i32).to_biguint();
        let (there, here) = (odd(&self.mode + j)?, odd(self.mode.clone())?);
        // d times what the logarithms are wrong by must stay small.
        let inner = precision + 64;
        let ln = Enclosure::ln_dyadic(&there, 0, inner).sub(&Enclosure::ln_dyadic(&here, 0, inner));
        let linear = Enclosure::rational(&(&self.rate * j), inner);
        Some(ln.times(self.d as u64).sub(&linear))
    }

    /// The same in `f64`, with a bound of its error: two roundings of each number, three of each term.
    /// Not a number where the radius would be negative.
    fn near_ln_ratio(&self, j: &BigInt) -> (f64, f64) {
        let near = |value: &BigInt| value.to_f64().unwrap_or(f64::NAN);
        let (d, here) = (self.d as f64, 2.0 * near(&self.mode) + 1.0);
        let linear = near_f64(&self.rate) * near(j);
        let change = 2.0 * near(j) / here;
        // Where 1 + change is small, log1p of the rounded change is inaccurate.
        let (logarithm, scale) = if change > -0.75 {
            let logarithm = d * libm::log1p(change);
            (logarithm, logarithm.abs())
        } else {
            let (there, here) = (libm::log(2.0 * near(&(&self.mode + j)) + 1.0), libm::log(here));
            (d * (there - here), d * (there.abs() + here))
        };
        (logarithm - linear, 2f64.powi(-48) * (1.0 + scale + linear.abs()))
    }

    /// A width at whose both ends the law has fallen by a factor of at least e.
    fn width(&self) -> BigInt {
        // Start at sqrt(2 d)/rate, about the width where it has.
        let scale = BigRational::from_float((2.0 * self.d as f64).sqrt()).unwrap_or_else(One::one);
        let mut width = (scale / &self.rate).ceil().to_integer().max(BigInt::one());
        let fallen = |j: &BigInt| {
            let (ratio, error) = self.near_ln_ratio(j);
            // Exact only where the quick ratio does not decide.
            ratio + error < -1.0
                || !(ratio - error > -1.0)
                    && self.ln_ratio(j, 64).is_none_or(|ratio| ratio.add_integer(1).is_negative())
        };
        while !(fallen(&width) && fallen(&-&width)) {
            width += &width / 8 + 1;
        }
        width
    }

    /// True with probability e^-x, x = slack - f(j): -ln U > x, decided by as many bits of U as it takes.
    fn keeps(&self, j: &BigInt, slack: &BigRational, words: &mut WordStream) -> bool {
        let first = words.next_word();
        let (ratio, error) = self.near_ln_ratio(j);
        let x = near_f64(slack) - ratio;
        let error = error + 2f64.powi(-48) * (1.0 + near_f64(slack).abs());
        // U lies between first and first + 1, times 2^-64.
        let minus_ln = |word: f64| -libm::log(word * 2f64.powi(-64));
        if minus_ln(first as f64 + 1.0) * (1.0 - 1e-14) - 1e-14 > x + error {
            return true;
        }
        if first != 0 && minus_ln(first as f64) * (1.0 + 1e-14) + 1e-14 < x - error {
            return false;
        }
        let (mut u, mut bits) = (BigUint::from(first), 64u64);
        loop {
            let precision = bits + 32;
            let Some(ratio) = self.ln_ratio(j, precision) else { return false };
            let x = Enclosure::rational(slack, precision + 64).sub(&ratio);
            // -ln U lies between the values at u + 1 and at u.
            let minus_ln = |u: &BigUint| Enclosure::ln_dyadic(u, bits, precision + 64).neg();
            let least = minus_ln(&(&u + 1u32));
            if least.sub(&x).is_positive() {
                return true;
            }
            if !u.is_zero() && x.sub(&minus_ln(&u)).is_positive() {
                return false;
            }
            u = (u << 64u32) + words.next_word();
            bits += 64;
        }
    }
}

/// The k largest of fineness * score + z, z uniform from -radius to radius; the largest first. Of equal
/// ones it takes one at random.
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
