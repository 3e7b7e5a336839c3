//! The optimal composition of bounded-range releases that are fixed in advance: one offset t for
//! all.
//!
//! The loss of each release is t or t - eps; i of k are the smaller one:
//!
//! ```text
//! delta(g) = max over l < k - g/eps of
//!            sum over i <= l of C(k, i) (1 - a)^(k-i) a^i (1 - e^(g - k t + i eps)),
//! t = (g + (l + 1) eps)/(k + 1),    a = (e^t - 1)/(e^eps - 1).
//! ```
//!
//! O(k^2) for each delta.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::ToPrimitive;

use super::accountant::{each, releases, sealed::Curve};
use super::homogeneous::{ln_choices, one, whole};
use super::{Accountant, AccountantCard, Event};
use crate::error::{Error, Result};
use crate::exact::Interval;

/// The maximum number of releases: the time grows with their square.
const MAX_RELEASES: u64 = 1024;

/// The card of [`BoundedRangeInAdvance`].
pub(super) static CARD: AccountantCard = AccountantCard {
    id: "range-in-advance",
    summary: "the optimal composition of bounded-range releases that are fixed in advance",
    prices: "bounded-range events with one epsilon in common that are given to be fixed in advance",
    reference: "J. Dong, D. Durfee and R. Rogers, \"Optimal Differential Privacy Composition for Exponential \
                Mechanisms\" (2020)",
    page: include_str!("page.md"),
    of: |events| Ok(Box::new(BoundedRangeInAdvance::of(events)?)),
};

/// The least (epsilon, delta) that holds for any bounded-range releases, all with one epsilon, if
/// no release depends on the result of another.
///
/// ```
/// use dpsis_mechanisms::account::{Accountant, BoundedRangeInAdvance, Event, OptimalHomogeneous};
///
/// let picks = [Event::bounded_range("0.1".parse()?).times(50)?.fixed_in_advance()];
/// let epsilon = BoundedRangeInAdvance::of(&picks)?.epsilon("1e-6")?;
/// assert!(epsilon < 0.55 * OptimalHomogeneous::of(&picks)?.epsilon("1e-6")?);
/// # Ok::<(), dpsis_mechanisms::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct BoundedRangeInAdvance {
    range: BigRational,
    releases: u64,
    /// ln C(k, i).
    choices: Vec<Interval>,
}

impl Accountant for BoundedRangeInAdvance {
    fn card() -> &'static AccountantCard {
        &CARD
    }

    fn of(events: &[Event]) -> Result<Self> {
        let range = one(&each(events, CARD.id, CARD.prices, Event::bounded)?)?;
        if events.iter().any(|event| !event.is_fixed_in_advance()) {
            return Err(Error::request(format!("{} prices {}", CARD.id, CARD.prices))
                .hint("range prices releases that depend on earlier ones"));
        }
        let releases = releases(events, MAX_RELEASES)?;
        let k = releases as usize;
        Ok(Self { range, releases, choices: (0..=k).map(|i| ln_choices(k, i)).collect() })
    }
}

impl BoundedRangeInAdvance {
    /// The sum for one l, at its t.
    fn of_losses_above(&self, l: usize, epsilon: &BigRational) -> Interval {
        let k = self.releases as usize;
        let t = (epsilon + &self.range * BigInt::from(l + 1)) / BigInt::from(k + 1);
        // k t - g, the loss of i = 0 less the target.
        let largest = Interval::rational(&(&t * BigInt::from(k) - epsilon));
        let (t, range) = (Interval::rational(&t), Interval::rational(&self.range));
        let missing = -(-range).exp_m1();
        // ln a and ln(1 - a), without overflow: a = e^(t - eps) (1 - e^-t)/(1 - e^-eps).
        let small = (-(-t).exp_m1() / missing).ln() + t - range;
        let large = (-(t - range).exp_m1() / missing).ln();
        let mut sum = Interval::point(0.0);
        for (i, choices) in self.choices.iter().enumerate().take(l + 1) {
            let probability = (*choices + whole(i) * small + whole(k - i) * large).exp();
            let excess = -(whole(i) * range - largest).exp_m1();
            sum = sum + probability * excess.non_negative();
        }
        sum
    }
}

impl Curve for BoundedRangeInAdvance {
    fn upper_delta(&self, epsilon: &BigRational) -> f64 {
        // l < k - g/eps, so that t < eps.
        let k = BigRational::from(BigInt::from(self.releases));
        let sums = (k - epsilon / &self.range).ceil().to_integer().to_usize().unwrap_or(0);
        let mut delta = 0.0;
        for l in 0..sums.min(self.releases as usize) {
            let sum = self.of_losses_above(l, epsilon).hi;
            // A NaN sum counts as 1.
            delta = if sum <= delta { delta } else { sum };
        }
        delta
    }

    fn pure(&self) -> Option<BigRational> {
        Some(&self.range * BigInt::from(self.releases))
    }
}
