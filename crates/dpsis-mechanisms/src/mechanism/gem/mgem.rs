#![doc = include_str!("mgem.md")]

use crate::error::Result;
use crate::exact::Exact;
use crate::mechanism::charged::{BETA, Beta, Charge, peel};
use crate::mechanism::draw::sealed;
use crate::mechanism::parameters::with_one;
use crate::mechanism::{Card, Chooses, Mechanism, PickLoss, Sensitivity};
use crate::privacy::Epsilon;
use crate::random::Bits;
use crate::scores::Scores;

/// The modified generalized exponential mechanism: scores with a sensitivity each, sensitive
/// candidates favored.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ModifiedGem {
    beta: Beta,
}

/// The card of [`ModifiedGem`].
pub static CARD: Card = Card {
    id: "mgem",
    summary: "modified GEM: own sensitivities, favors sensitive candidates",
    chooses: Chooses::Sequence,
    sensitivity: Sensitivity::Own,
    loss: PickLoss::Pure,
    reference: "\"Private Selection with Heterogeneous Sensitivities\" (2025), section IV",
    page: include_str!("mgem.md"),
    timing: Some(
        "the hull and the searches in it take time according to how the charged scores lie",
    ),
    parameters: &[BETA],
    build: |given| with_one(&given.beta, ModifiedGem::with_beta),
    #[cfg(any(test, feature = "verify"))]
    contract: law::contract,
};

impl ModifiedGem {
    /// With another beta in (0, 1): the larger it is, the less sensitive candidates are favored.
    /// Default 0.05.
    ///
    /// # Errors
    ///
    /// `Request` if beta is not a number between 0 and 1.
    pub fn with_beta(beta: impl Into<Exact>) -> Result<Self> {
        Beta::checked(beta.into()).map(|beta| Self { beta })
    }
}

impl Mechanism for ModifiedGem {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn parameters(&self, _: usize) -> Vec<(&'static str, String)> {
        vec![("beta", self.beta.to_string())]
    }
}

#[allow(private_interfaces, reason = "sealed: nobody outside can call it")]
impl sealed::Draw for ModifiedGem {
    fn draw(&self, scores: &Scores, k: usize, epsilon: &Epsilon, bits: &Bits) -> Vec<usize> {
        peel(scores, k, epsilon.as_rational(), Charge::For, &self.beta, bits)
    }
}

#[cfg(any(test, feature = "verify"))]
pub(crate) mod law {
    //! As GEM, with the opposite sign of t.

    use crate::mechanism::contract::{Contract, Law, Mutant, Setting, number};
    use crate::mechanism::gem::law::BETA;
    use crate::mechanism::gem::law::of_charge;

    /// The probability of each candidate; scores and sensitivities in the same unit.
    pub(crate) fn law(q: &[f64], d: &[f64], eps: f64, beta: f64) -> Vec<f64> {
        of_charge(q, d, eps, beta, -1.0)
    }

    pub(in crate::mechanism) fn contract() -> Contract {
        Contract {
            law: |given| {
                let beta = number(&given.beta, BETA);
                Law::own(move |q, d, eps| law(q, d, eps, beta))
            },
            settings: vec![Setting::new(&[1])],
            symmetric: false,
            max_ratio: 0.650247,
            slack: Some(
                "with few candidates the loss stays below epsilon, which it approaches as their number grows",
            ),
            mutants: vec![Mutant::own("half the noise", |q, d, eps| law(q, d, 2.0 * eps, BETA))],
        }
    }
}
