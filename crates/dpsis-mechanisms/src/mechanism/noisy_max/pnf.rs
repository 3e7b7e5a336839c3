#![doc = include_str!("pnf.md")]

use std::sync::Arc;

use crate::mechanism::arrivals::first_arrivals;
use crate::mechanism::draw::{rate, sealed};
use crate::mechanism::{Card, Chooses, Mechanism, PickLoss, Sensitivity};
use crate::privacy::Epsilon;
use crate::random::{Bits, FirstArrival};
use crate::scores::Scores;

/// Permute-and-flip, which is report-noisy-max with exponential noise: one candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PermuteAndFlip;

/// The card of [`PermuteAndFlip`].
pub static CARD: Card = Card {
    id: "pnf",
    summary: "permute-and-flip: one candidate, by exponential noise",
    chooses: Chooses::One,
    sensitivity: Sensitivity::Common,
    loss: PickLoss::Pure,
    reference: "R. McKenna and D. Sheldon, \"Permute-and-Flip: A New Mechanism for Differentially Private \
                Selection\" (2020)",
    page: include_str!("pnf.md"),
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

#[cfg(any(test, feature = "verify"))]
pub(crate) mod law {
    //! Candidates in a random order, each accepted with probability e^(-eps/2 (max x - x_i)); the
    //! first accepted one is the choice.

    use crate::mechanism::contract::{Contract, Law, Mutant, Setting};
    use crate::support::laws::{flips, of_one};

    /// The probability of each candidate; scores in units of the sensitivity.
    pub(crate) fn law(x: &[f64], _: usize, eps: f64) -> Vec<f64> {
        of_one(x, eps / 2.0, flips)
    }

    pub(in crate::mechanism) fn contract() -> Contract {
        Contract {
            law: |_| Law::common(law),
            settings: vec![Setting::new(&[1])],
            symmetric: true,
            max_ratio: 1.0,
            slack: None,
            mutants: vec![
                Mutant::new("flips without permuting", 1, |x, _, eps| {
                    of_one(x, eps / 2.0, flips_in_order)
                }),
                Mutant::new("the monotonic constant", 1, |x, k, eps| law(x, k, 2.0 * eps)),
            ],
        }
    }

    /// Flips in the order of the candidates instead of a random one.
    fn flips_in_order(excess: &[f64]) -> Vec<f64> {
        let least = excess.iter().copied().fold(f64::INFINITY, f64::min);
        // The best is always accepted, so the round ends there at the latest.
        let mut rest = 1.0;
        excess
            .iter()
            .map(|z| {
                let p = rest * (least - z).exp();
                rest -= p;
                p
            })
            .collect()
    }
}
