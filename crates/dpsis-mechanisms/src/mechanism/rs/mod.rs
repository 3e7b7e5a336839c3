#![doc = include_str!("page.md")]

#[cfg(any(test, feature = "verify"))]
pub(crate) mod law;
#[cfg(test)]
mod tests;

use num_bigint::BigInt;

use crate::error::Result;
use crate::exact::Exact;
use crate::mechanism::draw::sealed;
use crate::mechanism::looks::{Odds, STOP, StopProbability, peel};
use crate::mechanism::parameters::with_one;
use crate::mechanism::{Card, Chooses, Mechanism, PickLoss, Sensitivity};
use crate::privacy::Epsilon;
use crate::random::Bits;
use crate::scores::Scores;

/// Random stopping: a random number of noisy looks at random candidates; the best look wins.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RandomStopping {
    stop: StopProbability,
}

/// The card of [`RandomStopping`].
pub static CARD: Card = Card {
    id: "rs",
    summary: "random stopping: own sensitivities, the best of a random number of noisy looks",
    chooses: Chooses::Sequence,
    sensitivity: Sensitivity::Own,
    loss: PickLoss::Pure,
    reference: "J. Liu and K. Talwar, \"Private Selection from Private Candidates\" (2019)",
    page: include_str!("page.md"),
    timing: Some("the number of looks is random, and its law does not depend on the scores"),
    parameters: &[STOP],
    build: |given| with_one(&given.stop, RandomStopping::with_stop),
    #[cfg(any(test, feature = "verify"))]
    contract: law::contract,
};

impl RandomStopping {
    /// With a given probability of stopping after each look, from 10^-6 to 1; by default one in
    /// ten times the number of candidates.
    ///
    /// # Errors
    ///
    /// `Request` if it is not a number in this range.
    pub fn with_stop(stop: impl Into<Exact>) -> Result<Self> {
        StopProbability::checked(stop.into()).map(|stop| Self { stop })
    }
}

impl Mechanism for RandomStopping {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn parameters(&self, _: usize) -> Vec<(&'static str, String)> {
        vec![("stop", self.stop.to_string())]
    }
}

#[allow(private_interfaces, reason = "sealed: nobody outside can call it")]
impl sealed::Draw for RandomStopping {
    fn draw(&self, scores: &Scores, k: usize, epsilon: &Epsilon, bits: &Bits) -> Vec<usize> {
        let each = epsilon.as_rational() / BigInt::from(3 * k);
        peel(scores, k, &each, bits, |left, words| {
            let stop = Odds::of(self.stop.of(left));
            let mut looks = 1;
            while !stop.draw(words) {
                looks += 1;
            }
            looks
        })
    }
}
