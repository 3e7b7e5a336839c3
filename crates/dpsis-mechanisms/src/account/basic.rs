//! Basic composition: the sum of epsilons, exactly.

use num_bigint::BigInt;
use num_rational::BigRational;

use super::accountant::{each, sealed::Curve};
use super::{Accountant, AccountantCard, Event};
use crate::error::Result;
use crate::privacy::Epsilon;

/// The card of [`BasicComposition`].
pub(super) static CARD: AccountantCard = AccountantCard {
    id: "basic",
    summary: "the sum of epsilons, and of deltas",
    prices: "pure, bounded-range and Laplace events",
    reference: "C. Dwork, F. McSherry, K. Nissim and A. Smith, \"Calibrating Noise to Sensitivity in Private \
                Data Analysis\" (2006)",
    page: include_str!("page.md"),
    of: |events| Ok(Box::new(BasicComposition::of(events)?)),
};

/// The sum of epsilons, an exact rational. Below the sum its only delta is 1.
#[derive(Debug, Clone)]
pub struct BasicComposition {
    total: Epsilon,
}

impl BasicComposition {
    /// The sum: the events together are differentially private with it, delta = 0.
    pub fn total(&self) -> &Epsilon {
        &self.total
    }
}

impl Accountant for BasicComposition {
    fn card() -> &'static AccountantCard {
        &CARD
    }

    fn of(events: &[Event]) -> Result<Self> {
        let epsilons = each(events, CARD.id, CARD.prices, Event::pure_epsilon)?;
        Ok(Self { total: Epsilon::part(sum(events, &epsilons)) })
    }
}

/// The sum of a number per release over all releases.
pub(super) fn sum(events: &[Event], numbers: &[BigRational]) -> BigRational {
    events.iter().zip(numbers).map(|(event, number)| number * BigInt::from(event.count())).sum()
}

impl Curve for BasicComposition {
    fn upper_delta(&self, _: &BigRational) -> f64 {
        1.0
    }

    fn pure(&self) -> Option<BigRational> {
        Some(self.total.as_rational().clone())
    }
}
