//! The composition of bounded-range releases that may depend on each other, such as the rounds of a
//! peeling.
//!
//! With j releases to come and a loss of g still allowed, the adversary chooses the offset t of the
//! next:
//!
//! ```text
//! D_0(g) = max(0, 1 - e^g),
//! D_j(g) = max over 0 <= t <= eps of p(t) D_(j-1)(g - t) + (1 - p(t)) D_(j-1)(g - t + eps),
//! p(t) = (1 - e^(t - eps))/(1 - e^-eps),      delta(g) = D_k(g).
//! ```
//!
//! Bounded from above on a lattice of eps/T: for t in a cell \[i, i + 1\] eps/T the worst pair with
//! losses in the union of the intervals, which is that of range eps (1 + 1/T) at its upper end. So
//! the result lies between the optima for eps and for eps (1 + 1/T). O(k^2 T^2), with T = 2048/k,
//! at most 256. For more than 512 releases, and where they are smaller, a bound by Azuma and
//! Hoeffding and that of zCDP are taken.

use num_bigint::BigInt;
use num_rational::BigRational;

use super::accountant::{each, releases, sealed::Curve};
use super::homogeneous::{one, whole};
use super::zcdp::delta_of_rho;
use super::{Accountant, AccountantCard, Event};
use crate::error::Result;
use crate::exact::Interval;

/// The maximum number of releases: beyond it, the bound of zCDP is as good.
const MAX_RELEASES: u64 = 1 << 32;

/// The number of releases times the number of lattice cells in a range.
const LATTICE: u64 = 2048;

/// The card of [`BoundedRange`].
pub(super) static CARD: AccountantCard = AccountantCard {
    id: "range",
    summary: "the composition of bounded-range releases, later ones depending on earlier ones",
    prices: "bounded-range events with one epsilon in common",
    reference: "J. Dong, D. Durfee and R. Rogers, \"Optimal Differential Privacy Composition for Exponential \
                Mechanisms\" (2020)",
    page: include_str!("page.md"),
    of: |events| Ok(Box::new(BoundedRange::of(events)?)),
};

/// An (epsilon, delta) that holds for bounded-range releases with one epsilon, near the least one
/// for up to some dozens.
///
/// ```
/// use dpsis_mechanisms::account::{Accountant, BoundedRange};
/// use dpsis_mechanisms::mechanism::{Mechanism, Peel};
///
/// let events = [Peel.card().event(20, &"2".parse()?)?];
/// let epsilon = BoundedRange::of(&events)?.epsilon("1e-6")?;
/// assert!(epsilon < 1.1);
/// # Ok::<(), dpsis_mechanisms::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct BoundedRange {
    range: BigRational,
    releases: u64,
}

impl Accountant for BoundedRange {
    fn card() -> &'static AccountantCard {
        &CARD
    }

    fn of(events: &[Event]) -> Result<Self> {
        let range = one(&each(events, CARD.id, CARD.prices, Event::bounded)?)?;
        Ok(Self { range, releases: releases(events, MAX_RELEASES)? })
    }
}

impl BoundedRange {
    /// k eps^2/8.
    fn rho(&self) -> BigRational {
        &self.range * &self.range * BigInt::from(self.releases) / BigInt::from(8)
    }

    /// A tail bound of the sum of losses: e^(-2 (g - k m)^2/(k eps^2)), m the largest mean of a
    /// loss.
    fn tail(&self, epsilon: &BigRational) -> f64 {
        let (k, range) = (Interval::point(self.releases as f64), Interval::rational(&self.range));
        // m = ln((e^eps - 1)/eps) - 1 + eps/(e^eps - 1), and m <= eps^2/8, which is sharper where
        // rounding counts.
        let missing = -(-range).exp_m1();
        let ratio = range / missing;
        let mean = ratio - Interval::point(1.0) - ratio.ln();
        let eighth = range * range / whole(8);
        let mean = if mean.hi < eighth.hi { mean } else { eighth };
        let beyond = Interval::rational(epsilon) - k * mean;
        if !(beyond.lo > 0.0) {
            return 1.0;
        }
        (-(whole(2) * beyond * beyond / (k * range * range))).exp().hi
    }

    /// D_k on a lattice with this many cells in a range, 1 or more.
    fn lattice(&self, epsilon: &BigRational, cells: usize) -> f64 {
        let k = self.releases as usize;
        let step = Interval::rational(&(&self.range / BigInt::from(cells)));
        let target = Interval::rational(epsilon);
        let above = |n: usize| {
            let g = target + (whole(n) - whole(k * cells)) * step;
            (-g.exp_m1()).hi.max(0.0)
        };
        // By the place n of g + n step; the middle one is the target.
        let mut deltas: Vec<f64> = (0..=2 * k * cells).map(above).collect();
        let odds = odds(step, cells);
        for _ in 0..k {
            // Place n of the next deltas is place n + cells of these.
            let last = deltas.len() - 2 * cells;
            deltas = (0..last).map(|n| worst(&deltas[n..=n + 2 * cells], &odds)).collect();
        }
        deltas.first().copied().unwrap_or(1.0)
    }
}

/// Upper bounds of p and 1 - p for every cell, computed for the wider range at the cell's upper
/// end.
fn odds(step: Interval, cells: usize) -> Vec<(f64, f64)> {
    let range = whole(cells + 1) * step;
    let missing = -(-range).exp_m1();
    (0..cells)
        .map(|i| {
            let t = whole(i + 1) * step;
            let small = t - range;
            let (large, small) =
                (-small.exp_m1() / missing, small.exp() * -(-t).exp_m1() / missing);
            (large.hi, small.hi)
        })
        .collect()
}

/// The largest next delta over all cells, rounded up, from the deltas within a range to both sides.
fn worst(deltas: &[f64], odds: &[(f64, f64)]) -> f64 {
    let cells = odds.len();
    // No argument is smaller than the first.
    if deltas.first() == Some(&0.0) {
        return 0.0;
    }
    // Two products and a sum of non-negative numbers: less than three roundings, and underflow.
    const ROUNDING: f64 = 1.0 + 2.0 * f64::EPSILON;
    let larger = deltas.iter().take(cells).rev();
    let smaller = deltas.iter().skip(cells + 1).rev();
    let sums = larger.zip(smaller).zip(odds);
    let sums = sums.map(|((a, b), (p, q))| p * a + q * b);
    // Not `f64::max`, which would ignore a NaN.
    let largest = sums.fold(0.0, |largest, sum| if sum <= largest { largest } else { sum });
    (largest * ROUNDING).next_up().next_up()
}

impl Curve for BoundedRange {
    fn upper_delta(&self, epsilon: &BigRational) -> f64 {
        let bound = self.tail(epsilon).min(delta_of_rho(&self.rho(), epsilon));
        let cells = (LATTICE / self.releases).min(256);
        if cells < 4 {
            return bound;
        }
        bound.min(self.lattice(epsilon, cells as usize))
    }

    fn pure(&self) -> Option<BigRational> {
        Some(&self.range * BigInt::from(self.releases))
    }
}

#[cfg(test)]
impl BoundedRange {
    /// The bound of the lattice alone, for tests.
    pub(super) fn by_lattice(&self, epsilon: &BigRational, cells: usize) -> f64 {
        self.lattice(epsilon, cells)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::ratio;

    fn of(range: BigRational, releases: u64) -> BoundedRange {
        BoundedRange { range, releases }
    }

    #[test]
    fn rho_is_an_eighth_of_the_squares() {
        assert_eq!(of(ratio(2, 3), 5).rho(), ratio(5 * 4, 9 * 8));
    }

    /// Against the formula in floating point; for a tiny range, whose mean it would lose, with its
    /// series m = eps^2/8 - eps^4/576 + ...
    #[test]
    fn tails_are_those_of_the_formula() {
        for (eps, range, k, target) in [
            (1.0, ratio(1, 1), 1000, 300),
            (0.5, ratio(1, 2), 700, 50),
            (2.0, ratio(2, 1), 600, 400),
        ] {
            let (k_f, g) = (k as f64, f64::from(target));
            let ratio_f = f64::exp_m1(eps) / eps;
            let mean = ratio_f.ln() - 1.0 + 1.0 / ratio_f;
            let expected = f64::exp(-2.0 * (g - k_f * mean).powi(2) / (k_f * eps * eps));
            let found = of(range, k).tail(&ratio(target.into(), 1));
            assert!(found >= expected * (1.0 - 1e-9), "{eps} {found} {expected}");
            assert!(found <= expected * (1.0 + 1e-9), "{eps} {found} {expected}");
        }
        let (eps, k, g) = (1e-9, 1u64 << 32, 3e-4);
        let mean = eps * eps / 8.0;
        let expected = f64::exp(-2.0 * (g - k as f64 * mean).powi(2) / (k as f64 * eps * eps));
        let found = of(ratio(1, 1_000_000_000), k).tail(&ratio(3, 10_000));
        assert!((found / expected - 1.0).abs() < 1e-6, "{found} {expected}");
        // Up to k times the mean, about 119.6, the bound is trivial.
        assert_eq!(of(ratio(1, 1), 1000).tail(&ratio(119, 1)), 1.0);
    }

    /// The bounds of one release hold: delta is the least of the three.
    #[test]
    fn the_least_of_the_bounds_is_taken() {
        for (k, cells) in [(100, 20), (512, 4)] {
            let curve = of(ratio(1, 10), k);
            for target in [ratio(1, 2), ratio(1, 1), ratio(3, 1), ratio(8, 1)] {
                let bounds = [
                    curve.tail(&target),
                    delta_of_rho(&curve.rho(), &target),
                    curve.lattice(&target, cells),
                ];
                assert_eq!(
                    curve.upper_delta(&target),
                    bounds.into_iter().fold(1.0, f64::min),
                    "{k}"
                );
            }
        }
        let many = of(ratio(1, 10), 513);
        let target = ratio(8, 1);
        let bound = many.tail(&target).min(delta_of_rho(&many.rho(), &target));
        assert_eq!(many.upper_delta(&target), bound);
    }
}
