//! Selection by charged scores: `gem`, `mgem` and `cgem`, which differ in the sign of the charge.
//! Definitions and proofs are on their pages.

use std::cmp::Ordering;

use num_bigint::{BigInt, BigUint};
use num_rational::BigRational;
use num_traits::{One, Zero};

use crate::error::{Error, Parameter, Result};
use crate::exact::{Exact, format_rational, near_f64, ratio};
use crate::mechanism::MechanismParameter;
use crate::mechanism::draw::without_replacement;
use crate::random::{Bits, Entrant, Filter, FirstArrival, Handicapped, Race};
use crate::scores::Scores;

/// The parameter of `gem`, `mgem` and `cgem`.
pub(super) const BETA: MechanismParameter = MechanismParameter {
    name: "beta",
    meaning: "the probability that noise exceeds the penalty of a candidate for its sensitivity",
    range: "between 0 and 1",
    default: "0.05",
};

/// The parameter beta as an exact fraction; 1/20 by default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Beta(BigRational);

impl Default for Beta {
    fn default() -> Self {
        Self(ratio(1, 20))
    }
}

impl Beta {
    pub(super) fn checked(beta: Exact) -> Result<Self> {
        beta.rational()
            .filter(|beta| *beta > BigRational::zero() && *beta < BigRational::one())
            .map(Self)
            .ok_or_else(|| {
                Error::request("beta must be a number between 0 and 1")
                    .about([Parameter::OfMechanism("beta")])
            })
    }
}

impl std::fmt::Display for Beta {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&format_rational(&self.0))
    }
}

/// The sign of the charge: a candidate's sensitivity counts against it (GEM) or in its favor
/// (modified GEM).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Charge {
    Against,
    For,
}

/// k rounds at eps/k without replacement.
pub(super) fn peel(
    scores: &Scores,
    k: usize,
    epsilon: &BigRational,
    charge: Charge,
    beta: &Beta,
    bits: &Bits,
) -> Vec<usize> {
    peel_with(scores, k, epsilon, (charge, beta), bits, Filter::default())
}

fn peel_with(
    scores: &Scores,
    k: usize,
    epsilon: &BigRational,
    (charge, beta): (Charge, &Beta),
    bits: &Bits,
    filter: Filter,
) -> Vec<usize> {
    let each = epsilon / BigInt::from(k);
    let half = &each / BigInt::from(2);
    let near_half = near_f64(&half);
    without_replacement(scores.values().len(), k, |left, round| {
        let shortfalls = shortfalls(&charged(scores, left, &each, charge, beta));
        let mut race = Race::new(bits, FirstArrival::Uniform, filter, 0.0);
        race.lane(round);
        for shortfall in &shortfalls {
            race.enter(Handicapped { ln_size: 0.0, handicap: near_half * shortfall.near() });
        }
        let winner = race.winner(|address| Entrant {
            size: BigUint::one(),
            handicap: &half * shortfalls[address.position as usize].exact(),
        });
        // In every round a candidate is left, so one wins.
        winner.map_or(0, |address| address.position as usize)
    })
}

/// A candidate: its sensitivity D and its charged score q - tD (or q + tD), times 2^[`SCALE`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Line {
    sensitivity: i128,
    charged: i128,
}

/// Charges are rounded to multiples of 2^-32: the guarantee holds for any number fixed before the
/// data.
const SCALE: u32 = 32;

/// Charged scores, t = (2/eps) ln(m/beta) for the m candidates that are left.
fn charged(
    scores: &Scores,
    left: &[usize],
    epsilon: &BigRational,
    charge: Charge,
    beta: &Beta,
) -> Vec<Line> {
    let t = 2.0 / near_f64(epsilon) * libm::log(left.len() as f64 / near_f64(&beta.0));
    // Beyond 2^26 a larger charge only makes the numbers larger.
    let t = (t.clamp(0.0, 2f64.powi(58 - SCALE as i32)) * 2f64.powi(SCALE as i32)).round() as i128;
    let line = |&candidate: &usize| {
        let sensitivity = i128::from(scores.sensitivity_of(candidate));
        let score = i128::from(scores.values()[candidate]) << SCALE;
        let charged = match charge {
            Charge::Against => score - t * sensitivity,
            Charge::For => score + t * sensitivity,
        };
        Line { sensitivity, charged }
    };
    left.iter().map(line).collect()
}

/// The shortfall -s(a) of a candidate, a non-negative fraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Shortfall {
    numerator: i128,
    /// Positive; to be multiplied by 2^[`SCALE`].
    denominator: i128,
}

impl Shortfall {
    /// Its value with a relative error of at most 2^-51.
    fn near(self) -> f64 {
        self.numerator as f64 / (self.denominator as f64 * 2f64.powi(SCALE as i32))
    }

    fn exact(self) -> BigRational {
        BigRational::new(self.numerator.into(), BigInt::from(self.denominator) << SCALE)
    }
}

/// -s(a) = max over b of ((charged_b - charged_a)/(D_a + D_b)), for all a.
///
/// That is the steepest line from the point (-D_a, charged_a) to a point (D_b, charged_b): it
/// touches the upper hull of those, on which slopes from a point to the left of all of them rise
/// and then fall. O(m log m).
fn shortfalls(lines: &[Line]) -> Vec<Shortfall> {
    let hull = upper_hull(lines);
    let shortfall = |a: &Line| {
        let slope = |b: &Line| Shortfall {
            numerator: b.charged - a.charged,
            denominator: a.sensitivity + b.sensitivity,
        };
        let (mut low, mut high) = (0, hull.len() - 1);
        while low < high {
            let middle = (low + high) / 2;
            if compare(slope(&hull[middle + 1]), slope(&hull[middle])) == Ordering::Greater {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        // At least the slope with itself, 0.
        let steepest = slope(&hull[low]);
        if steepest.numerator < 0 { Shortfall { numerator: 0, denominator: 1 } } else { steepest }
    };
    lines.iter().map(shortfall).collect()
}

fn compare(a: Shortfall, b: Shortfall) -> Ordering {
    compare_products((a.numerator, b.denominator), (b.numerator, a.denominator))
}

/// Compares two products exactly, also where they overflow.
fn compare_products(a: (i128, i128), b: (i128, i128)) -> Ordering {
    match (a.0.checked_mul(a.1), b.0.checked_mul(b.1)) {
        (Some(a), Some(b)) => a.cmp(&b),
        _ => (BigInt::from(a.0) * a.1).cmp(&(BigInt::from(b.0) * b.1)),
    }
}

/// The upper hull of the points (sensitivity, charged), by rising sensitivity.
fn upper_hull(lines: &[Line]) -> Vec<Line> {
    let mut points = lines.to_vec();
    points.sort_unstable_by_key(|p| (p.sensitivity, std::cmp::Reverse(p.charged)));
    points.dedup_by_key(|p| p.sensitivity);
    let mut hull: Vec<Line> = Vec::new();
    for point in points {
        while let [.., before, last] = hull[..] {
            // Whether `last` lies on or below the line from `before` to the point.
            let below = compare_products(
                (last.charged - before.charged, point.sensitivity - before.sensitivity),
                (point.charged - before.charged, last.sensitivity - before.sensitivity),
            );
            if below == Ordering::Greater {
                break;
            }
            hull.pop();
        }
        hull.push(point);
    }
    hull
}

#[cfg(test)]
mod tests {
    use num_traits::ToPrimitive;
    use proptest::prelude::*;

    use super::*;
    use crate::privacy::Neighbors;
    use crate::random::Entropy;

    /// The quadratic form.
    fn by_pairs(lines: &[Line]) -> Vec<BigRational> {
        let shortfall = |a: &Line| {
            let slope = |b: &Line| {
                let difference = BigInt::from(b.charged - a.charged);
                BigRational::new(difference, BigInt::from(a.sensitivity + b.sensitivity) << SCALE)
            };
            lines.iter().map(slope).max().unwrap()
        };
        lines.iter().map(shortfall).collect()
    }

    /// Settling the comparisons by the quick filter or by refinement gives the same picks.
    #[test]
    fn forced_fallback_gives_the_same_picks() {
        let (values, own) = (vec![5, 9, 2, 7, 7, 0], vec![1, 6, 2, 3, 1, 4]);
        let scores = Scores::with_sensitivities(values, own, Neighbors::AddRemove).unwrap();
        for (charge, k) in [(Charge::Against, 1), (Charge::For, 3)] {
            for seed in 0..200 {
                let bits = Entropy::Seeded(seed).source().unwrap().bits(0);
                let charge = (charge, &Beta::default());
                let picks = |filter| peel_with(&scores, k, &ratio(2, 1), charge, &bits, filter);
                assert_eq!(picks(Filter::default()), picks(Filter::weakened(3)), "{seed}");
            }
        }
    }

    proptest! {
        #[test]
        fn the_hull_finds_the_largest_of_all_pairs(
            candidates in prop::collection::vec((-50i64..50, 1u64..20), 1..40),
            large in any::<bool>(),
            charge_for in any::<bool>(),
        ) {
            let factor = if large { 1 << 54 } else { 1 };
            let (values, sensitivities): (Vec<i64>, Vec<u64>) =
                candidates.iter().map(|(q, d)| (q * factor, d * factor as u64)).unzip();
            let scores = Scores::with_sensitivities(values, sensitivities, Neighbors::AddRemove);
            let charge = if charge_for { Charge::For } else { Charge::Against };
            let all: Vec<usize> = (0..candidates.len()).collect();
            let lines = charged(&scores.unwrap(), &all, &ratio(1, 1), charge, &Beta::default());
            let quick: Vec<BigRational> = shortfalls(&lines).into_iter().map(Shortfall::exact).collect();
            prop_assert_eq!(&quick, &by_pairs(&lines));
            for (shortfall, exact) in shortfalls(&lines).into_iter().zip(&quick) {
                let exact = exact.to_f64().unwrap();
                prop_assert!((shortfall.near() - exact).abs() <= 1e-14 * exact);
            }
        }
    }
}
