//! Zero-concentrated differential privacy: rho adds up, and the best order turns it into (epsilon,
//! delta).
//!
//! ```text
//! delta(g) = min over a > 0 of e^(a ((1 + a) rho - g)) (a/(1 + a))^a / (1 + a),     a + 1 the order.
//! ```
//!
//! Every order gives a valid delta, so the search for the best may be approximate; only its result
//! is evaluated with intervals. O(1).

use num_rational::BigRational;

use super::accountant::{each, sealed::Curve};
use super::basic::sum;
use super::{Accountant, AccountantCard, Event};
use crate::error::{Error, Result};
use crate::exact::{Exact, Interval, four_digits_down, near_f64};
use crate::privacy::{Delta, Epsilon};

/// The card of [`Zcdp`].
pub(super) static CARD: AccountantCard = AccountantCard {
    id: "zcdp",
    summary: "zero-concentrated differential privacy, converted by the best order",
    prices: "all events",
    reference: "C. Canonne, G. Kamath and T. Steinke, \"The Discrete Gaussian for Differential Privacy\" (2020), \
                corollary 13",
    page: include_str!("page.md"),
    of: |events| Ok(Box::new(Zcdp::of(events)?)),
};

/// The sum of rho: eps^2/2 for a pure event, eps^2/8 for bounded range, half the squared ratio of
/// sensitivity and deviation for Gaussian noise.
///
/// ```
/// use dpsis_mechanisms::account::{Accountant, Event, Zcdp};
///
/// let total = Zcdp::of(&[Event::gaussian(1, 4)?.times(8)?, Event::pure("1/2".parse()?)])?;
/// assert_eq!(total.rho().to_string(), "0.375");
/// assert!(total.epsilon("1e-6")? < 4.6);
/// # Ok::<(), dpsis_mechanisms::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Zcdp {
    rho: BigRational,
}

impl Zcdp {
    /// The largest rho, to four digits, for which a rho-zCDP release is (epsilon,
    /// delta)-differentially private.
    ///
    /// # Errors
    ///
    /// `Request` if no rho of at least 1e-15 is.
    pub fn largest_rho(epsilon: &Epsilon, delta: &Delta) -> Result<Exact> {
        let most = Interval::rational(delta.as_rational()).lo;
        let suffices = |rho: &Exact| -> Result<bool> {
            Ok(Self::of(&[Event::zcdp(rho.clone())?])?.delta(epsilon.clone())? <= most)
        };
        // Pure differential privacy alone allows epsilon^2/2 (not with delta = 0), so rho is of
        // that order or below.
        let (mut low, mut high) = (1e-15, epsilon.to_f64().max(1e-6));
        while suffices(&four_digits_down(high))? && high < 1e12 {
            high *= 2.0;
        }
        while high > 1.00002 * low {
            let middle = (low * high).sqrt();
            if suffices(&four_digits_down(middle))? { low = middle } else { high = middle }
        }
        let rho = four_digits_down(low);
        if suffices(&rho)? {
            return Ok(rho);
        }
        Err(Error::request("the delta is too small for this epsilon"))
    }

    /// The sum: the events together are rho-zCDP.
    pub fn rho(&self) -> Exact {
        Exact::of(self.rho.clone())
    }
}

impl Accountant for Zcdp {
    fn card() -> &'static AccountantCard {
        &CARD
    }

    fn of(events: &[Event]) -> Result<Self> {
        let rhos = each(events, CARD.id, CARD.prices, Event::rho)?;
        Ok(Self { rho: sum(events, &rhos) })
    }
}

impl Curve for Zcdp {
    fn upper_delta(&self, epsilon: &BigRational) -> f64 {
        delta_of_rho(&self.rho, epsilon)
    }

    fn pure(&self) -> Option<BigRational> {
        None
    }
}

/// Delta of rho-zCDP, from above.
pub(super) fn delta_of_rho(rho: &BigRational, epsilon: &BigRational) -> f64 {
    let a = best_order(near_f64(rho), near_f64(epsilon));
    if !(a > 0.0 && a.is_finite()) {
        return 1.0;
    }
    let (rho, target) = (Interval::rational(rho), Interval::rational(epsilon));
    let (a, one) = (Interval::point(a), Interval::point(1.0));
    // ln(a/(1 + a)) = -ln(1 + 1/a).
    let exponent = a * ((one + a) * rho - target - (one / a).ln_1p()) - a.ln_1p();
    exponent.exp().hi
}

/// The order less 1 at which the exponent is least: its derivative (1 + 2 a) rho - g - ln(1 + 1/a)
/// increases.
fn best_order(rho: f64, epsilon: f64) -> f64 {
    let falls = |a: f64| (1.0 + 2.0 * a) * rho - epsilon - libm::log1p(1.0 / a) < 0.0;
    let (mut low, mut high) = (1e-30f64, 1.0);
    while falls(high) && high < 1e250 {
        (low, high) = (high, 2.0 * high);
    }
    for _ in 0..100 {
        let middle = if high > 4.0 * low { (low * high).sqrt() } else { (low + high) / 2.0 };
        if falls(middle) { low = middle } else { high = middle }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pair (rho, epsilon) has a delta just below the given one: by the curve of rho-zCDP,
    /// minimized here on a fine grid of orders.
    #[test]
    fn rho_is_the_largest_that_is_allowed() {
        for (eps, delta) in [("1", "1e-6"), ("0.1", "1e-9"), ("5", "1e-5"), ("0.001", "1e-6")] {
            let rho = Zcdp::largest_rho(&eps.parse().unwrap(), &delta.parse().unwrap()).unwrap();
            let rho = near_f64(&rho.rational().unwrap());
            let g: f64 = eps.parse().unwrap();
            let at = |rho: f64| {
                let curve = |i: i32| {
                    let a = (f64::from(i) / 2000.0).exp();
                    let exponent =
                        a * ((1.0 + a) * rho - g) + a * (a / (1.0 + a)).ln() - (1.0 + a).ln();
                    exponent.exp()
                };
                (-20_000..40_000).map(curve).fold(f64::MAX, f64::min)
            };
            let delta: f64 = delta.parse().unwrap();
            assert!(at(rho) <= 1.0001 * delta, "{eps} {}", at(rho));
            assert!(at(1.002 * rho) > delta, "{eps} {}", at(1.002 * rho));
        }
    }
}
