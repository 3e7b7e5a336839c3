//! Selection by noisy looks at random candidates: `rs` and `rs-tnb`, which differ in the law of the
//! number of looks, and a choice for comparison that is not private. Definitions and proofs are on
//! the pages of the mechanisms.

use num_bigint::{BigInt, BigUint};
use num_rational::BigRational;
use num_traits::{One, ToPrimitive};

use crate::error::{Error, Parameter, Result};
use crate::exact::{Enclosure, Exact, format_rational, near_f64, ratio};
use crate::mechanism::MechanismParameter;
use crate::mechanism::draw::without_replacement;
use crate::random::{Address, Bits, FirstArrival, Leaders, WordStream, uniform_below, uniform_u64};
use crate::scores::Scores;

/// The parameter of `rs` and `rs-tnb`.
pub(super) const STOP: MechanismParameter = MechanismParameter {
    name: "stop",
    meaning: "the probability of stopping after a look",
    range: "from 1e-6 to 1",
    default: "1/(10 m) for m candidates",
};

/// The probability of stopping after a look: the gamma of the papers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct StopProbability(Option<BigRational>);

impl StopProbability {
    pub(super) fn checked(stop: Exact) -> Result<Self> {
        stop.rational()
            .filter(|stop| *stop >= ratio(1, 1_000_000) && *stop <= BigRational::one())
            .map(|stop| Self(Some(stop)))
            .ok_or_else(|| {
                Error::request("stop must be a number from 1e-6 to 1")
                    .about([Parameter::OfMechanism("stop")])
            })
    }

    /// The probability for this number of candidates.
    pub(super) fn of(&self, candidates: usize) -> BigRational {
        let default = || BigRational::new(BigInt::one(), BigInt::from(candidates) * 10);
        self.0.clone().unwrap_or_else(default)
    }
}

impl std::fmt::Display for StopProbability {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.0 {
            Some(stop) => f.write_str(&format_rational(stop)),
            None => f.write_str("1/(10 m)"),
        }
    }
}

/// True with a rational probability p from 0 to 1.
pub(super) fn bernoulli(words: &mut WordStream, p: &BigRational) -> bool {
    uniform_below(words, p.denom().magnitude()) < *p.numer().magnitude()
}

/// A probability prepared for many draws.
pub(super) enum Odds {
    /// Numerator and denominator of a common size.
    Small(u64, u64),
    Exact(BigRational),
}

impl Odds {
    pub(super) fn of(p: BigRational) -> Self {
        match (p.numer().to_u64(), p.denom().to_u64()) {
            (Some(numerator), Some(denominator)) => Self::Small(numerator, denominator),
            _ => Self::Exact(p),
        }
    }

    pub(super) fn draw(&self, words: &mut WordStream) -> bool {
        match self {
            Self::Small(numerator, denominator) => uniform_u64(words, *denominator) < *numerator,
            Self::Exact(p) => bernoulli(words, p),
        }
    }
}

/// k rounds without replacement. `looks` draws the number of looks for a number of candidates; each
/// look is `epsilon`-differentially private.
pub(super) fn peel(
    scores: &Scores,
    k: usize,
    epsilon: &BigRational,
    bits: &Bits,
    looks: impl Fn(usize, &mut WordStream) -> u64,
) -> Vec<usize> {
    without_replacement(scores.values().len(), k, |left, round| {
        // Lanes of a round: noise, candidates, stopping.
        let lane = 3 * round;
        let looks = looks(left.len(), &mut bits.lane(lane + 2));
        best_look(scores, left, epsilon, looks, bits, lane)
    })
}

/// The place of the candidate with the best look: each look is at a uniform candidate and sees its
/// score with Laplace noise of scale D/epsilon.
fn best_look(
    scores: &Scores,
    left: &[usize],
    epsilon: &BigRational,
    looks: u64,
    bits: &Bits,
    lane: u64,
) -> usize {
    let mut candidates = bits.lane(lane + 1);
    let places = (0..looks).map(|_| uniform_u64(&mut candidates, left.len() as u64) as usize);
    let best = best_of(scores, left, epsilon, FirstArrival::Laplace, 1, places, bits, lane);
    // There is at least one look.
    best.first().copied().unwrap_or(0)
}

/// The k best of one look at each candidate: report-noisy-max with noise of each candidate's own
/// scale, which is not private.
pub(super) fn best_look_at_each(
    scores: &Scores,
    epsilon: &BigRational,
    law: FirstArrival,
    k: usize,
    bits: &Bits,
) -> Vec<usize> {
    let all: Vec<usize> = (0..scores.values().len()).collect();
    best_of(scores, &all, epsilon, law, k, 0..all.len(), bits, 0)
}

/// The places of the `count` best of these looks, the best first. `looks` holds places among the
/// candidates `left`; noise has the scale D/epsilon.
#[allow(clippy::too_many_arguments)]
fn best_of(
    scores: &Scores,
    left: &[usize],
    epsilon: &BigRational,
    law: FirstArrival,
    count: usize,
    looks: impl Iterator<Item = usize>,
    bits: &Bits,
    lane: u64,
) -> Vec<usize> {
    let best = left.iter().map(|&i| scores.values()[i]).max().unwrap_or(0);
    let near_scale = 1.0 / near_f64(epsilon);
    let mut noise = bits.lane(lane);
    let mut leaders = Leaders::new(count);
    let mut places = std::collections::HashMap::new();
    for (position, place) in (0u64..).zip(looks) {
        let (deficit, sensitivity) = deficit_of(scores, best, left[place]);
        // The least of deficit - scale L, L the noise.
        let word = noise.next_word();
        let known = word.min(!word);
        let (mut lower, mut upper) = (f64::NEG_INFINITY, f64::INFINITY);
        if known > 0 {
            let scale = sensitivity as f64 * near_scale;
            let (minus_noise, _) = law.ln_time(word, 0.0);
            let value = deficit as f64 + scale * minus_noise;
            let margin = 2f64.powi(-49) * (deficit as f64 + scale * (8.0 + minus_noise.abs()))
                + scale * 2.0 / known as f64;
            (lower, upper) = (value - margin, value + margin);
        }
        if !(lower > leaders.bar()) {
            leaders.enter(Address { lane, position }, lower, upper);
            places.insert(position, place);
        }
    }
    let order = leaders.in_order(|address, words| {
        let u = bits.prefix(address, words);
        let (deficit, sensitivity) = deficit_of(scores, best, left[places[&address.position]]);
        let precision = 64 * words + 32;
        let scale = BigRational::from_integer(sensitivity.into()) / epsilon;
        let at = |u: &BigUint| {
            let noise = law.enclose_ln_time(
                std::slice::from_ref(u),
                64 * words,
                &BigUint::one(),
                precision,
            )?;
            Some(noise.times_rational(&scale).add_integer(deficit))
        };
        let (least, most): (Option<Enclosure>, Option<Enclosure>) = (at(&u), at(&(&u + 1u32)));
        (least.map(|value| value.lo), most.map(|value| value.hi))
    });
    order.into_iter().map(|address| places[&address.position]).collect()
}

/// The difference of a candidate's score to the best one, and its sensitivity.
fn deficit_of(scores: &Scores, best: i64, candidate: usize) -> (i64, u64) {
    (best - scores.values()[candidate], scores.sensitivity_of(candidate))
}
