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

/// Permute-and-flip, which is report-noisy-max with exponential noise: one candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PermuteAndFlip;

/// The card of [`PermuteAndFlip`].
pub static CARD: Card = Card {
    id: "pnf",
    summary: "permute-and-flip: one candidate, by exponential noise",
    chooses: Chooses::One,
    sensitivity: Sensitivity::Common,
    reference: "R. McKenna and D. Sheldon, \"Permute-and-Flip: A New Mechanism for Differentially Private \
                Selection\" (2020)",
    page: include_str!("page.md"),
    timing: None,
    parameters: &[],
    build: |_| Ok(Arc::new(PermuteAndFlip)),
    #[cfg(any(test, feature = "verify"))]
    contract: law::contract,
};

impl Mechanism for PermuteAndFlip {
    fn card(&self) -> &'static Card {
        &CARD
    }
}

#[allow(private_interfaces, reason = "sealed: nobody outside can call it")]
impl sealed::Draw for PermuteAndFlip {
    fn draw(&self, scores: &Scores, _: usize, epsilon: &Epsilon, bits: &Bits) -> Vec<usize> {
        let rate = rate(scores, epsilon);
        first_arrivals(scores.values(), &rate, FirstArrival::Uniform, 1, bits, 0)
    }
}
