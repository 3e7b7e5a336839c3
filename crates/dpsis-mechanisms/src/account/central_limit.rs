//! The limit of many small releases: Gaussian differential privacy, by the central limit theorem.
//!
//! The sum of many independent losses is nearly normal, with a variance that is mu^2 of Gaussian
//! noise. A loss of eps or -eps has a variance near eps^2, one of t or t - eps at most near
//! eps^2/4:
//!
//! ```text
//! k pure releases: mu -> eps sqrt(k)          k bounded-range releases: mu -> eps sqrt(k)/2
//! ```

use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive};

use super::accountant::{self, each, sealed::Curve};
use super::basic::sum;
use super::gaussian::gaussian_delta;
use super::{Event, Loss};
use crate::error::{Error, Result};
use crate::exact::{Exact, Interval, near_f64};

/// An approximation, not a guarantee: the limit for many small releases. Use an
/// [`Accountant`](super::Accountant) for a release.
///
/// A pick by counts, with probabilities proportional to e^(eps count), is (2 eps)-differentially
/// private by its sensitivity, and eps-bounded-range: a factor of 4 in mu, 16 times as many
/// releases.
///
/// ```
/// use dpsis_mechanisms::account::{CentralLimit, Event};
///
/// let by_sensitivity = CentralLimit::of(&[Event::pure("0.02".parse()?).times(2500)?])?;
/// let by_range = CentralLimit::of(&[Event::bounded_range("0.01".parse()?).times(2500)?])?;
/// assert!((by_sensitivity.mu() - 1.0).abs() < 1e-12); // 2 eps sqrt(k)
/// assert!((by_range.mu() - 0.25).abs() < 1e-12); // eps sqrt(k)/2
/// # Ok::<(), dpsis_mechanisms::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct CentralLimit {
    mu_squared: BigRational,
}

impl CentralLimit {
    /// The limit of these events.
    ///
    /// # Errors
    ///
    /// `Request` if there is no event, or if only the zCDP of an event is known.
    pub fn of(events: &[Event]) -> Result<Self> {
        // zCDP is 2 rho in the limit: eps^2 and eps^2/4.
        let square = |event: &Event| match event.loss() {
            Loss::Zcdp(_) => None,
            _ => event.rho().map(|rho| rho * num_bigint::BigInt::from(2)),
        };
        let prices = "all events except zCDP and approximate ones";
        Ok(Self { mu_squared: sum(events, &each(events, "the central limit", prices, square)?) })
    }

    /// The parameter of Gaussian differential privacy.
    pub fn mu(&self) -> f64 {
        near_f64(&self.mu_squared).sqrt()
    }

    /// The epsilon of the limit at a delta.
    ///
    /// # Errors
    ///
    /// `Request` if delta is out of range, as for an accountant.
    pub fn epsilon(&self, delta: impl Into<Exact>) -> Result<f64> {
        accountant::epsilon(self, delta.into())
    }

    /// The delta of the limit at an epsilon.
    ///
    /// # Errors
    ///
    /// `Request` unless epsilon is a number, 0 or larger.
    pub fn delta(&self, epsilon: impl Into<Exact>) -> Result<f64> {
        match epsilon.into().rational() {
            Some(epsilon) if !epsilon.is_negative() && epsilon.to_f64().is_some() => {
                Ok(self.upper_delta(&epsilon).clamp(0.0, 1.0))
            }
            _ => Err(Error::request("epsilon must be a number, 0 or larger")),
        }
    }
}

impl Curve for CentralLimit {
    fn upper_delta(&self, epsilon: &BigRational) -> f64 {
        let mu = Interval::rational(&self.mu_squared).sqrt();
        gaussian_delta(mu, Interval::rational(epsilon)).hi
    }

    fn pure(&self) -> Option<BigRational> {
        None
    }
}
