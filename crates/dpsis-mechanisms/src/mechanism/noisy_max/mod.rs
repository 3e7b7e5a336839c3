#![doc = include_str!("page.md")]

#[cfg(any(test, feature = "verify"))]
pub(crate) mod law;

pub mod em;
pub mod laplace;
pub mod pnf;

use std::sync::Arc;

use crate::error::{Error, Result};
use crate::mechanism::arrivals::first_arrivals;
use crate::mechanism::draw::{rate, sealed};
use crate::mechanism::{Card, Chooses, Mechanism, MechanismParameter, PickLoss, Sensitivity};
use crate::privacy::Epsilon;
use crate::random::{Bits, FirstArrival};
use crate::scores::Scores;

/// Report-noisy-max with a choice of noise: one candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NoisyMax {
    noise: NoiseKind,
}

/// The noise that [`NoisyMax`] adds to each score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum NoiseKind {
    /// Exponential noise: the law of permute-and-flip, never worse on average than Gumbel noise.
    #[default]
    Exponential,
    /// Laplace noise.
    Laplace,
    /// Gumbel noise: the law of the exponential mechanism.
    Gumbel,
}

/// The parameter of this mechanism.
const NOISE: MechanismParameter = MechanismParameter {
    name: "noise",
    meaning: "the noise on each score",
    range: "exponential, laplace or gumbel",
    default: "exponential",
};

/// The card of [`NoisyMax`].
pub static CARD: Card = Card {
    id: "noisy-max",
    summary: "report-noisy-max: one candidate, by exponential, Laplace or Gumbel noise",
    chooses: Chooses::One,
    sensitivity: Sensitivity::Common,
    loss: PickLoss::Pure,
    reference: "C. Dwork and A. Roth, \"The Algorithmic Foundations of Differential Privacy\" (2014), \
                section 3.3",
    page: include_str!("page.md"),
    timing: None,
    parameters: &[NOISE],
    build: |given| {
        let noise = given.noise.as_deref().map(NoisyMax::with_noise_named).transpose()?;
        Ok(Arc::new(noise.unwrap_or_default()))
    },
    #[cfg(any(test, feature = "verify"))]
    contract: law::contract,
};

impl NoisyMax {
    /// The mechanism with this noise.
    pub fn with_noise(noise: NoiseKind) -> Self {
        Self { noise }
    }

    /// The mechanism with the noise of this name: `exponential`, `laplace` or `gumbel`.
    ///
    /// # Errors
    ///
    /// `Request` for an unknown name.
    pub fn with_noise_named(name: &str) -> Result<Self> {
        [NoiseKind::Exponential, NoiseKind::Laplace, NoiseKind::Gumbel]
            .into_iter()
            .find(|noise| noise.name() == name)
            .map(Self::with_noise)
            .ok_or_else(|| Error::request("the noise must be exponential, laplace or gumbel"))
    }
}

impl NoiseKind {
    fn name(self) -> &'static str {
        match self {
            Self::Exponential => "exponential",
            Self::Laplace => "laplace",
            Self::Gumbel => "gumbel",
        }
    }

    fn law(self) -> FirstArrival {
        match self {
            Self::Exponential => FirstArrival::Uniform,
            Self::Laplace => FirstArrival::Laplace,
            Self::Gumbel => FirstArrival::Exponential,
        }
    }
}

impl Mechanism for NoisyMax {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn parameters(&self, _: usize) -> Vec<(&'static str, String)> {
        vec![("noise", self.noise.name().to_owned())]
    }
}

#[allow(private_interfaces, reason = "sealed: nobody outside can call it")]
impl sealed::Draw for NoisyMax {
    fn draw(&self, scores: &Scores, _: usize, epsilon: &Epsilon, bits: &Bits) -> Vec<usize> {
        let rate = rate(scores, epsilon);
        first_arrivals(scores.values(), &rate, self.noise.law(), 1, bits, 0)
    }
}
