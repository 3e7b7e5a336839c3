#![doc = include_str!("em.md")]

use std::sync::Arc;

use crate::mechanism::arrivals::first_arrivals;
use crate::mechanism::draw::{rate, sealed};
use crate::mechanism::{Card, Chooses, Mechanism, PickLoss, Sensitivity};
use crate::privacy::Epsilon;
use crate::random::{Bits, FirstArrival};
use crate::scores::Scores;

/// The exponential mechanism, which is report-noisy-max with Gumbel noise: one candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ExponentialMechanism;

/// The card of [`ExponentialMechanism`].
pub static CARD: Card = Card {
    id: "em",
    summary: "the exponential mechanism: one candidate, by Gumbel noise",
    chooses: Chooses::One,
    sensitivity: Sensitivity::Common,
    loss: PickLoss::BoundedRange,
    reference: "F. McSherry and K. Talwar, \"Mechanism Design via Differential Privacy\" (2007)",
    page: include_str!("em.md"),
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

#[cfg(any(test, feature = "verify"))]
pub(crate) mod law {
    //! P(i) proportional to e^(eps/2 x_i).

    use crate::mechanism::contract::{Contract, Law, Mutant, Setting};
    use crate::mechanism::krr;
    use crate::support::laws::{exponential, of_one};

    /// The probability of each candidate; scores in units of the sensitivity.
    pub(crate) fn law(x: &[f64], _: usize, eps: f64) -> Vec<f64> {
        of_one(x, eps / 2.0, exponential)
    }

    pub(in crate::mechanism) fn contract() -> Contract {
        Contract {
            law: |_| Law::common(law),
            settings: vec![Setting::new(&[1])],
            symmetric: true,
            max_ratio: 1.0,
            slack: None,
            mutants: vec![
                // The same as half the noise.
                Mutant::new("the monotonic constant", 1, |x, k, eps| law(x, k, 2.0 * eps)),
                Mutant::new("scores normalized by the data", 1, |x, k, eps| {
                    let most = x.iter().copied().fold(1.0, f64::max);
                    law(&x.iter().map(|s| 5.0 * s / most).collect::<Vec<_>>(), k, eps)
                }),
                Mutant::new("the plain maximum (no noise)", 1, |x, _, _| krr::law::of_odds(x, 1e9)),
            ],
        }
    }
}
