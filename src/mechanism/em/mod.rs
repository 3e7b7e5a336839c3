#![doc = include_str!("page.md")]

#[cfg(any(test, feature = "verify"))]
pub(crate) mod law;

use std::sync::Arc;

use crate::mechanism::arrivals::first_arrivals;
use crate::mechanism::draw::{rate, sealed};
use crate::mechanism::{Card, Chooses, Mechanism, Sensitivity};
use crate::privacy::Epsilon;
use crate::random::{Bits, FirstArrival};
use crate::score::Scores;

/// The exponential mechanism, which is report-noisy-max with Gumbel noise: one candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ExponentialMechanism;

/// The card of [`ExponentialMechanism`].
pub static CARD: Card = Card {
    id: "em",
    summary: "the exponential mechanism: one candidate, by Gumbel noise",
    chooses: Chooses::One,
    sensitivity: Sensitivity::Common,
    reference: "F. McSherry and K. Talwar, \"Mechanism Design via Differential Privacy\" (2007)",
    page: include_str!("page.md"),
    timing: None,
    parameters: &[],
    build: |_| Ok(Arc::new(ExponentialMechanism)),
    #[cfg(any(test, feature = "verify"))]
    contract: law::contract,
};

impl Mechanism for ExponentialMechanism {
    fn card(&self) -> &'static Card {
        &CARD
    }
}

#[allow(private_interfaces, reason = "sealed: nobody outside can call it")]
impl sealed::Draw for ExponentialMechanism {
    fn draw(&self, scores: &Scores, _: usize, epsilon: &Epsilon, bits: &Bits) -> Vec<usize> {
        let rate = rate(scores, epsilon);
        first_arrivals(scores.values(), &rate, FirstArrival::Exponential, 1, bits, 0)
    }
}
