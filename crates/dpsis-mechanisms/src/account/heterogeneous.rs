//! The optimal composition of releases with different epsilons, on a grid.
//!
//! The worst case is a randomized response for each release, whose loss is eps_j or -eps_j; delta
//! is a sum over all 2^k combinations. With all eps_j rounded up to multiples a_j h of one step the
//! combinations collapse to the sum N of the a_j of the unlikely answers:
//!
//! ```text
//! delta(g) <= sum over N of P(N) max(0, 1 - e^(g - (A - 2 N) h)),    A = sum of the a_j.
//! ```
//!
//! h is the greatest common divisor of the epsilons if their sum has at most 2^15 of it, and
//! nothing is rounded up then; otherwise their sum over 2^15. O(k A) for the law of N, O(A) for
//! each delta.

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::ToPrimitive;

use super::accountant::{each, releases, sealed::Curve};
use super::basic::sum;
use super::homogeneous::whole;
use super::{Accountant, AccountantCard, Event};
use crate::error::Result;
use crate::exact::Interval;

/// The maximum number of releases: the time grows with them.
const MAX_RELEASES: u64 = 4096;

/// The steps in the sum of all epsilons.
const STEPS: u32 = 1 << 15;

/// The card of [`OptimalHeterogeneous`].
pub(super) static CARD: AccountantCard = AccountantCard {
    id: "heterogeneous",
    summary: "the optimal composition of releases with different epsilons, on a grid",
    prices: "pure, bounded-range and Laplace events",
    reference: "J. Murtagh and S. Vadhan, \"The Complexity of Computing the Optimal Composition of Differential \
                Privacy\" (2016), theorem 1.7",
    page: include_str!("page.md"),
    of: |events| Ok(Box::new(OptimalHeterogeneous::of(events)?)),
};

/// An (epsilon, delta) that holds for any releases with these epsilons, close to the optimum.
///
/// ```
/// use dpsis_mechanisms::account::{Accountant, Event, OptimalHeterogeneous};
///
/// let large = Event::pure("0.5".parse()?);
/// let small = Event::pure("0.05".parse()?).times(100)?;
/// assert!(OptimalHeterogeneous::of(&[large, small])?.epsilon("1e-6")? < 2.7);
/// # Ok::<(), dpsis_mechanisms::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct OptimalHeterogeneous {
    total: BigRational,
    step: BigRational,
    /// Upper bounds of P(N).
    sums: Vec<f64>,
}

impl Accountant for OptimalHeterogeneous {
    fn card() -> &'static AccountantCard {
        &CARD
    }

    fn of(events: &[Event]) -> Result<Self> {
        let epsilons = each(events, CARD.id, CARD.prices, Event::pure_epsilon)?;
        releases(events, MAX_RELEASES)?;
        let total = sum(events, &epsilons);
        let step = step(&epsilons, &total);
        let mut sums = vec![1.0];
        for (event, epsilon) in events.iter().zip(&epsilons) {
            let multiple = (epsilon / &step).ceil().to_integer();
            let (likely, unlikely) = answers(&(&step * &multiple));
            let multiple = multiple.to_usize().unwrap_or(STEPS as usize);
            for _ in 0..event.count() {
                answer(&mut sums, multiple, likely, unlikely);
            }
        }
        Ok(Self { total, step, sums })
    }
}

/// The greatest common divisor of the epsilons, or the total over [`STEPS`] if that is larger.
fn step(epsilons: &[BigRational], total: &BigRational) -> BigRational {
    let least = total / BigInt::from(STEPS);
    let mut common = total.clone();
    for epsilon in epsilons {
        let (a, b) = (common.numer() * epsilon.denom(), epsilon.numer() * common.denom());
        common = BigRational::new(a.gcd(&b), common.denom() * epsilon.denom());
        // The divisor only gets smaller, and its number of digits larger.
        if common < least {
            return least;
        }
    }
    common
}

/// Upper bounds of the probabilities of the two answers.
fn answers(epsilon: &BigRational) -> (f64, f64) {
    let (one, odds) = (Interval::point(1.0), Interval::rational(&-epsilon).exp());
    ((one / (one + odds)).hi, (odds / (one + odds)).hi)
}

/// The law of the sum with one more answer, rounded up.
fn answer(sums: &mut Vec<f64>, multiple: usize, likely: f64, unlikely: f64) {
    // Two products and a sum of non-negative numbers: less than three roundings, and underflow.
    const ROUNDING: f64 = 1.0 + 2.0 * f64::EPSILON;
    sums.resize(sums.len() + multiple, 0.0);
    for n in (0..sums.len()).rev() {
        let shifted = n.checked_sub(multiple).map_or(0.0, |before| sums[before]);
        if sums[n] > 0.0 || shifted > 0.0 {
            sums[n] = ((likely * sums[n] + unlikely * shifted) * ROUNDING).next_up().next_up();
        }
    }
}

impl Curve for OptimalHeterogeneous {
    fn upper_delta(&self, epsilon: &BigRational) -> f64 {
        let (step, target) = (Interval::rational(&self.step), Interval::rational(epsilon));
        let all = whole(self.sums.len() - 1);
        let mut delta = Interval::point(0.0);
        for (n, probability) in self.sums.iter().enumerate() {
            let beyond = target - (all - whole(2 * n)) * step;
            if beyond.lo > 0.0 {
                break;
            }
            delta = delta + Interval::point(*probability) * (-beyond.exp_m1()).non_negative();
        }
        delta.hi
    }

    fn pure(&self) -> Option<BigRational> {
        Some(self.total.clone())
    }
}
