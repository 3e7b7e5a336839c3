#![doc = include_str!("page.md")]

#[cfg(any(test, feature = "verify"))]
pub mod law;

use std::sync::Arc;

use num_bigint::BigInt;

use crate::mechanism::arrivals::first_arrivals;
use crate::mechanism::draw::{rate, sealed, without_replacement};
use crate::mechanism::{Card, Chooses, Mechanism, PickLoss, Sensitivity};
use crate::privacy::Epsilon;
use crate::random::{Bits, FirstArrival};
use crate::scores::Scores;

/// Peeling with permute-and-flip: k rounds at eps/k, without replacement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PeelPermuteAndFlip;

/// The card of [`PeelPermuteAndFlip`].
pub static CARD: Card = Card {
    id: "peel-pnf",
    summary: "peeling: k rounds of permute-and-flip at eps/k",
    chooses: Chooses::Sequence,
    sensitivity: Sensitivity::Common,
    loss: PickLoss::Pure,
    reference: "R. McKenna and D. Sheldon, \"Permute-and-Flip: A New Mechanism for Differentially Private \
                Selection\" (2020)",
    page: include_str!("page.md"),
    timing: None,
    parameters: &[],
    build: |_| Ok(Arc::new(PeelPermuteAndFlip)),
    #[cfg(any(test, feature = "verify"))]
    contract: law::contract,
};

impl Mechanism for PeelPermuteAndFlip {
    fn card(&self) -> &'static Card {
        &CARD
    }
}

#[allow(private_interfaces, reason = "sealed: nobody outside can call it")]
impl sealed::Draw for PeelPermuteAndFlip {
    fn draw(&self, scores: &Scores, k: usize, epsilon: &Epsilon, bits: &Bits) -> Vec<usize> {
        let rate = rate(scores, epsilon) / BigInt::from(k);
        // Fresh noise for every round: unlike exponential arrival times, uniform ones are not
        // memoryless.
        without_replacement(scores.values().len(), k, |left, round| {
            let values: Vec<i64> = left.iter().map(|&i| scores.values()[i]).collect();
            let first = first_arrivals(&values, &rate, FirstArrival::Uniform, 1, bits, round);
            // In every round a candidate is left, so one wins.
            first.first().copied().unwrap_or(0)
        })
    }
}
