#![doc = include_str!("page.md")]

#[cfg(any(test, feature = "verify"))]
pub(crate) mod law;

use std::sync::Arc;

use num_bigint::BigInt;

use crate::mechanism::arrivals::first_arrivals;
use crate::mechanism::draw::{rate, sealed};
use crate::mechanism::{Card, Chooses, Mechanism, Sensitivity};
use crate::privacy::Epsilon;
use crate::random::{Bits, FirstArrival};
use crate::score::Scores;

/// One-shot Laplace: noise on every score, the k largest in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LaplaceTopK;

/// The card of [`LaplaceTopK`].
pub static CARD: Card = Card {
    id: "laplace",
    summary: "one-shot Laplace: Laplace noise of scale 2k Delta/eps on every score, the k largest",
    chooses: Chooses::Sequence,
    sensitivity: Sensitivity::Common,
    reference: "G. Qiao, W. Su and L. Zhang, \"Oneshot Differentially Private Top-k Selection\" (2021)",
    page: include_str!("page.md"),
    timing: None,
    parameters: &[],
    build: |_| Ok(Arc::new(LaplaceTopK)),
    #[cfg(any(test, feature = "verify"))]
    contract: law::contract,
};

impl Mechanism for LaplaceTopK {
    fn card(&self) -> &'static Card {
        &CARD
    }
}

#[allow(private_interfaces, reason = "sealed: nobody outside can call it")]
impl sealed::Draw for LaplaceTopK {
    fn draw(&self, scores: &Scores, k: usize, epsilon: &Epsilon, bits: &Bits) -> Vec<usize> {
        let rate = rate(scores, epsilon) / BigInt::from(k);
        first_arrivals(scores.values(), &rate, FirstArrival::Laplace, k, bits, 0)
    }
}
