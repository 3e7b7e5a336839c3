//! The optimal composition of releases with one epsilon: randomized response, repeated.
//!
//! The i-th of the k + 1 outcomes has i answers of the unlikely kind, and a loss of (k - 2 i) eps:
//!
//! ```text
//! delta(g) = sum over i < (k - g/eps)/2 of C(k, i) e^(-i eps)/(1 + e^-eps)^k (1 - e^(g - (k - 2 i) eps)).
//! ```
//!
//! Which terms are above 0 is decided by exact rationals. O(k) for each delta.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::ToPrimitive;

use super::accountant::{each, releases, sealed::Curve};
use super::{Accountant, AccountantCard, Event};
use crate::error::{Error, Result};
use crate::exact::{Interval, ln_binomial, ln_factorial_error, ratio};

/// The maximum number of releases: the time grows with them.
const MAX_RELEASES: u64 = 1 << 20;

/// The card of [`OptimalHomogeneous`].
pub(super) static CARD: AccountantCard = AccountantCard {
    id: "optimal",
    summary: "the optimal composition of releases with one epsilon",
    prices: "pure, bounded-range and Laplace events with one epsilon in common",
    reference: "P. Kairouz, S. Oh and P. Viswanath, \"The Composition Theorem for Differential Privacy\" (2015), \
                theorem 3.3",
    page: include_str!("page.md"),
    of: |events| Ok(Box::new(OptimalHomogeneous::of(events)?)),
};

/// The least (epsilon, delta) that holds for any epsilon-differentially private releases, all with
/// one epsilon.
#[derive(Debug, Clone)]
pub struct OptimalHomogeneous {
    epsilon: BigRational,
    releases: u64,
    /// The probability of i answers of the unlikely kind.
    outcomes: Vec<Interval>,
}

impl Accountant for OptimalHomogeneous {
    fn card() -> &'static AccountantCard {
        &CARD
    }

    fn of(events: &[Event]) -> Result<Self> {
        let epsilon = one(&each(events, CARD.id, CARD.prices, Event::pure_epsilon)?)?;
        let releases = releases(events, MAX_RELEASES)?;
        let unlikely = Interval::rational(&-&epsilon).exp().ln_1p();
        let (step, k) = (Interval::rational(&epsilon), releases as usize);
        let outcomes = (0..=k)
            .map(|i| (ln_choices(k, i) - whole(i) * step - whole(k) * unlikely).exp())
            .collect();
        Ok(Self { epsilon, releases, outcomes })
    }
}

/// The common value of all numbers.
pub(super) fn one(numbers: &[BigRational]) -> Result<BigRational> {
    match numbers {
        [first, others @ ..] if others.iter().all(|other| other == first) => Ok(first.clone()),
        _ => Err(Error::request("this accountant takes events with one epsilon in common")
            .hint("heterogeneous and zcdp take different ones")),
    }
}

/// ln C(k, i).
pub(super) fn ln_choices(k: usize, i: usize) -> Interval {
    Interval::around(ln_binomial(k, i), 4.0 * ln_factorial_error(k))
}

/// A count, which an `f64` holds exactly.
pub(super) fn whole(count: usize) -> Interval {
    Interval::point(count as f64)
}

impl Curve for OptimalHomogeneous {
    fn upper_delta(&self, epsilon: &BigRational) -> f64 {
        // i < (k - g/eps)/2, so that the loss exceeds g.
        let k = BigRational::from(BigInt::from(self.releases));
        let terms = ((k - epsilon / &self.epsilon) * ratio(1, 2)).ceil().to_integer();
        let terms = terms.to_usize().unwrap_or(0);
        let (step, target) = (Interval::rational(&self.epsilon), Interval::rational(epsilon));
        let mut delta = Interval::point(0.0);
        for (i, outcome) in self.outcomes.iter().enumerate().take(terms) {
            let loss = whole(self.releases as usize) - whole(2 * i);
            let excess = -(target - loss * step).exp_m1();
            delta = delta + *outcome * excess.non_negative();
        }
        delta.hi
    }

    fn pure(&self) -> Option<BigRational> {
        Some(&self.epsilon * BigInt::from(self.releases))
    }
}
