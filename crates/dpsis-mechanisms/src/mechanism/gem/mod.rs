#![doc = include_str!("page.md")]

#[cfg(any(test, feature = "verify"))]
pub(crate) mod law;

pub mod cgem;
pub mod mgem;

use crate::error::Result;
use crate::exact::Exact;
use crate::mechanism::charged::{BETA, Beta, Charge, peel};
use crate::mechanism::draw::sealed;
use crate::mechanism::parameters::with_one;
use crate::mechanism::{Card, Chooses, Mechanism, PickLoss, Sensitivity};
use crate::privacy::Epsilon;
use crate::random::Bits;
use crate::scores::Scores;

/// The generalized exponential mechanism: scores with a sensitivity each, insensitive candidates
/// favored.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Gem {
    beta: Beta,
}

/// The card of [`Gem`].
pub static CARD: Card = Card {
    id: "gem",
    summary: "generalized exponential mechanism: own sensitivities, favors insensitive candidates",
    chooses: Chooses::Sequence,
    sensitivity: Sensitivity::Own,
    loss: PickLoss::Pure,
    reference: "S. Raskhodnikova and A. Smith, \"Efficient Lipschitz Extensions for High-Dimensional Graph \
                Statistics and Node Private Degree Distributions\" (2015)",
    page: include_str!("page.md"),
    timing: Some(
        "the hull and the searches in it take time according to how the charged scores lie",
    ),
    parameters: &[BETA],
    build: |given| with_one(&given.beta, Gem::with_beta),
    #[cfg(any(test, feature = "verify"))]
    contract: law::contract,
};

impl Gem {
    /// With another beta in (0, 1): the probability with which the noise may exceed a candidate's
    /// charge for its sensitivity. Default 0.05.
    ///
    /// # Errors
    ///
    /// `Request` if beta is not a number between 0 and 1.
    pub fn with_beta(beta: impl Into<Exact>) -> Result<Self> {
        Beta::checked(beta.into()).map(|beta| Self { beta })
    }
}

impl Mechanism for Gem {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn parameters(&self, _: usize) -> Vec<(&'static str, String)> {
        vec![("beta", self.beta.to_string())]
    }
}

#[allow(private_interfaces, reason = "sealed: nobody outside can call it")]
impl sealed::Draw for Gem {
    fn draw(&self, scores: &Scores, k: usize, epsilon: &Epsilon, bits: &Bits) -> Vec<usize> {
        peel(scores, k, epsilon.as_rational(), Charge::Against, &self.beta, bits)
    }
}
