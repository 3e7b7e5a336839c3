#![doc = include_str!("page.md")]

#[cfg(any(test, feature = "verify"))]
mod contract;
#[cfg(any(test, feature = "verify"))]
pub mod law;
mod sets;
#[cfg(test)]
mod tests;

use num_rational::BigRational;
use num_traits::{One, Signed};

use crate::error::{Error, Parameter, Result};
use crate::exact::{Exact, format_rational, ln_binomial, near_f64, ratio};
use crate::mechanism::draw::sealed;
use crate::mechanism::parameters::with_one;
use crate::mechanism::{Card, Chooses, Mechanism, MechanismParameter, PickLoss, Sensitivity};
use crate::privacy::Epsilon;
use crate::random::{Bits, Filter, FirstArrival};
use crate::scores::Scores;

use sets::CanonicalSets;
pub(super) use sets::{ln_share, subset_with_some_below};

/// The canonical Lipschitz mechanism with exponential noise: a private top-k set. The guarantee,
/// its proof, the cost and the sources are on the page of this module.
///
/// The default gamma is 1/2, which is safe for any number of good candidates, and 1 for k = 1,
/// where the best score left out plays no part and anything lower only adds noise.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CanonicalLipschitz {
    gamma: Weight,
}

/// The canonical Lipschitz mechanism with Gumbel noise: the exponential mechanism over all sets
/// with the canonical loss.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CanonicalGumbel {
    gamma: Weight,
}

/// The card of [`CanonicalLipschitz`].
pub static CARD: Card = Card {
    id: "canonical",
    summary: "canonical Lipschitz with exponential noise: a set, best left out against worst taken",
    chooses: Chooses::Set,
    sensitivity: Sensitivity::Common,
    loss: PickLoss::Pure,
    reference: "M. Shekelyan and G. Loukides, \"Differentially Private Top-k Selection via Canonical \
                Lipschitz Mechanism\" (2022)",
    page: include_str!("page.md"),
    timing: Some(
        "it reveals a few sets until none can be faster, and counts levels: how many depends on how the scores lie \
         below the k-th",
    ),
    parameters: &[GAMMA],
    build: |given| with_one(&given.gamma, CanonicalLipschitz::with_gamma),
    #[cfg(any(test, feature = "verify"))]
    contract: contract::contract,
};

/// The card of [`CanonicalGumbel`].
pub static GUMBEL_CARD: Card = Card {
    id: "canonical-gumbel",
    summary: "canonical Lipschitz with Gumbel noise: the exponential mechanism over sets",
    build: |given| with_one(&given.gamma, CanonicalGumbel::with_gamma),
    #[cfg(any(test, feature = "verify"))]
    contract: contract::gumbel_contract,
    ..CARD
};

/// The parameter of both mechanisms.
const GAMMA: MechanismParameter = MechanismParameter {
    name: "gamma",
    meaning: "the weight of the worst candidate taken against the best left out: near 0 leaves out no good \
              candidate (best if fewer than k are good), near 1 takes no bad one (best if k or more are good)",
    range: "from 0 to 1",
    default: "1/2, and 1 for k = 1",
};

/// The weight of the worst chosen score, if given.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Weight(Option<BigRational>);

impl Weight {
    fn checked(gamma: Exact) -> Result<Self> {
        match gamma.rational() {
            Some(gamma) if !gamma.is_negative() && gamma <= BigRational::one() => {
                Ok(Self(Some(gamma)))
            }
            _ => Err(Error::request("gamma must be a number between 0 and 1")
                .about([Parameter::OfMechanism("gamma")])),
        }
    }

    /// The gamma used for k picks, exactly.
    fn of(&self, k: usize) -> BigRational {
        let default = || {
            if k == 1 { BigRational::one() } else { ratio(1, 2) }
        };
        self.0.clone().unwrap_or_else(default)
    }
}

impl CanonicalLipschitz {
    /// With gamma 1: for at most as many picks as there are good candidates.
    pub fn against_bad_members() -> Self {
        Self { gamma: Weight(Some(BigRational::one())) }
    }

    /// With gamma 1/4, for screening: for more picks than there are good candidates.
    pub fn screening() -> Self {
        Self { gamma: Weight(Some(ratio(1, 4))) }
    }
}

/// Implements the parts of the two mechanisms that do not depend on the noise.
macro_rules! canonical_with {
    ($mechanism:ident, $card:ident, $law:expr) => {
        impl $mechanism {
            /// With another gamma in [0, 1]: the weight of the worst chosen score against that
            /// of the best score left out.
            ///
            /// # Errors
            ///
            /// `Request` if gamma is not a number from 0 to 1.
            pub fn with_gamma(gamma: impl Into<Exact>) -> Result<Self> {
                Weight::checked(gamma.into()).map(|gamma| Self { gamma })
            }
        }

        impl Mechanism for $mechanism {
            fn card(&self) -> &'static Card {
                &$card
            }

            fn parameters(&self, k: usize) -> Vec<(&'static str, String)> {
                vec![("gamma", format_rational(&self.gamma.of(k)))]
            }

            /// 2 ln C(d, k)/eps, over the larger of gamma and 1 - gamma.
            fn gap(&self, candidates: usize, k: usize, epsilon: &Epsilon) -> f64 {
                let gamma = near_f64(&self.gamma.of(k));
                2.0 * ln_binomial(candidates, k)
                    / (near_f64(epsilon.as_rational()) * gamma.max(1.0 - gamma))
            }
        }

        #[allow(private_interfaces, reason = "sealed: nobody outside can call it")]
        impl sealed::Draw for $mechanism {
            fn draw(
                &self,
                scores: &Scores,
                k: usize,
                epsilon: &Epsilon,
                bits: &Bits,
            ) -> Vec<usize> {
                let sets = CanonicalSets::new(&self.gamma.of(k), scores, k, epsilon);
                let (block, member) = sets.race(bits, $law, Filter::default());
                sets.picks(block, &member)
            }
        }
    };
}

canonical_with!(CanonicalLipschitz, CARD, FirstArrival::Uniform);
canonical_with!(CanonicalGumbel, GUMBEL_CARD, FirstArrival::Exponential);
