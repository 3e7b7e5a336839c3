//! Gaussian noise, exactly: mu-Gaussian differential privacy.
//!
//! ```text
//! mu^2 = sum of (sensitivity/deviation)^2,      delta(g) = Phi(mu/2 - g/mu) - e^g Phi(-mu/2 - g/mu).
//! ```
//!
//! O(1).

use num_rational::BigRational;

use super::accountant::{each, sealed::Curve};
use super::basic::sum;
use super::{Accountant, AccountantCard, Event};
use crate::error::Result;
use crate::exact::Interval;

/// The card of [`GaussianNoise`].
pub(super) static CARD: AccountantCard = AccountantCard {
    id: "gaussian",
    summary: "the exact curve of Gaussian noise",
    prices: "Gaussian events",
    reference: "J. Dong, A. Roth and W. Su, \"Gaussian Differential Privacy\" (2022), corollaries 2.13 and 3.3",
    page: include_str!("page.md"),
    of: |events| Ok(Box::new(GaussianNoise::of(events)?)),
};

/// The least (epsilon, delta) of releases with Gaussian noise.
///
/// ```
/// use dpsis_mechanisms::account::{Accountant, Event, GaussianNoise, Zcdp};
///
/// let sums = [Event::gaussian(1, 10)?.times(100)?];
/// let epsilon = GaussianNoise::of(&sums)?.epsilon("1e-5")?;
/// assert!((epsilon - 4.377).abs() < 0.001 && epsilon < Zcdp::of(&sums)?.epsilon("1e-5")?);
/// # Ok::<(), dpsis_mechanisms::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct GaussianNoise {
    mu_squared: BigRational,
}

impl Accountant for GaussianNoise {
    fn card() -> &'static AccountantCard {
        &CARD
    }

    fn of(events: &[Event]) -> Result<Self> {
        let squares = each(events, CARD.id, CARD.prices, Event::mu_squared)?;
        Ok(Self { mu_squared: sum(events, &squares) })
    }
}

/// Delta of mu-Gaussian differential privacy.
pub(super) fn gaussian_delta(mu: Interval, target: Interval) -> Interval {
    let (half, shift) = (mu * Interval::point(0.5), target / mu);
    // Not negative, also where the first factor is too large for a number.
    let other = (target.exp() * (-half - shift).normal_cdf()).non_negative();
    (half - shift).normal_cdf() - other
}

impl Curve for GaussianNoise {
    fn upper_delta(&self, epsilon: &BigRational) -> f64 {
        let mu = Interval::rational(&self.mu_squared).sqrt();
        gaussian_delta(mu, Interval::rational(epsilon)).hi
    }

    fn pure(&self) -> Option<BigRational> {
        None
    }
}
