#![doc = include_str!("page.md")]

pub(crate) mod calibration;
#[cfg(any(test, feature = "verify"))]
pub(crate) mod law;

use std::sync::Arc;

use num_bigint::BigInt;

use crate::mechanism::arrivals::first_arrivals;
use crate::mechanism::draw::{rate, sealed};
use crate::mechanism::{Card, Chooses, Mechanism, PickLoss, Sensitivity};
use crate::privacy::Epsilon;
use crate::random::{Bits, FirstArrival};
use crate::scores::Scores;

/// Peeling: k rounds of the exponential mechanism at eps/k, without replacement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Peel;

/// The card of [`Peel`].
pub static CARD: Card = Card {
    id: "peel",
    summary: "peeling: k rounds of the exponential mechanism at eps/k, as one-shot Gumbel noise",
    chooses: Chooses::Sequence,
    sensitivity: Sensitivity::Common,
    loss: PickLoss::BoundedRange,
    reference: "D. Durfee and R. Rogers, \"Practical Differentially Private Top-k Selection with \
                Pay-what-you-get Composition\" (2019)",
    page: include_str!("page.md"),
    timing: None,
    parameters: &[],
    build: |_| Ok(Arc::new(Peel)),
    #[cfg(any(test, feature = "verify"))]
    contract: law::contract,
};

impl Mechanism for Peel {
    fn card(&self) -> &'static Card {
        &CARD
    }
}

#[allow(private_interfaces, reason = "sealed: nobody outside can call it")]
impl sealed::Draw for Peel {
    fn draw(&self, scores: &Scores, k: usize, epsilon: &Epsilon, bits: &Bits) -> Vec<usize> {
        let rate = rate(scores, epsilon) / BigInt::from(k);
        first_arrivals(scores.values(), &rate, FirstArrival::Exponential, k, bits, 0)
    }
}
