#![doc = include_str!("page.md")]

#[cfg(any(test, feature = "verify"))]
pub(crate) mod law;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive};

use crate::error::{Error, Parameter, Result};
use crate::exact::{Exact, format_rational, ratio};
use crate::mechanism::draw::sealed;
use crate::mechanism::looks::{Odds, STOP, StopProbability, bernoulli, peel};
use crate::mechanism::{Card, Chooses, Mechanism, MechanismParameter, PickLoss, Sensitivity};
use crate::privacy::Epsilon;
use crate::random::{Bits, WordStream, uniform_u64};
use crate::scores::Scores;

/// Random stopping after a truncated negative binomial number of looks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TruncatedNegativeBinomialStopping {
    eta: BigRational,
    stop: StopProbability,
}

impl Default for TruncatedNegativeBinomialStopping {
    fn default() -> Self {
        Self { eta: ratio(0, 1), stop: StopProbability::default() }
    }
}

/// The parameter of `rs-tnb` alone.
const ETA: MechanismParameter = MechanismParameter {
    name: "eta",
    meaning: "the shape of the number of looks: 0 logarithmic, 1 geometric",
    range: "above -1, at most 1",
    default: "0",
};

/// The card of [`TruncatedNegativeBinomialStopping`].
pub static CARD: Card = Card {
    id: "rs-tnb",
    summary: "random stopping after a truncated negative binomial number of looks",
    chooses: Chooses::Sequence,
    sensitivity: Sensitivity::Own,
    loss: PickLoss::Pure,
    reference: "N. Papernot and T. Steinke, \"Hyperparameter Tuning with Renyi Differential Privacy\" (2022)",
    page: include_str!("page.md"),
    timing: Some("the number of looks is random, and its law does not depend on the scores"),
    parameters: &[ETA, STOP],
    build: |given| {
        let (eta, stop) = (given.eta.clone(), given.stop.clone());
        Ok(Arc::new(TruncatedNegativeBinomialStopping::with(eta, stop)?))
    },
    #[cfg(any(test, feature = "verify"))]
    contract: law::contract,
};

impl TruncatedNegativeBinomialStopping {
    /// With other parameters: eta above -1 and at most 1 (0, the default, is the logarithmic and 1
    /// the geometric distribution), and the probability of stopping after a look as for
    /// [`RandomStopping`](super::RandomStopping).
    ///
    /// # Errors
    ///
    /// `Request` if one of them is not a number in its range.
    pub fn with(eta: Option<Exact>, stop: Option<Exact>) -> Result<Self> {
        let mut stopping = Self::default();
        if let Some(eta) = eta {
            stopping.eta = eta
                .rational()
                .filter(|eta| *eta > -BigRational::one() && *eta <= BigRational::one())
                .ok_or_else(|| {
                    Error::request("eta must be a number above -1 and at most 1")
                        .about([Parameter::OfMechanism("eta")])
                })?;
        }
        if let Some(stop) = stop {
            stopping.stop = StopProbability::checked(stop)?;
        }
        Ok(stopping)
    }
}

impl Mechanism for TruncatedNegativeBinomialStopping {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn parameters(&self, _: usize) -> Vec<(&'static str, String)> {
        vec![("eta", format_rational(&self.eta)), ("stop", self.stop.to_string())]
    }
}

#[allow(private_interfaces, reason = "sealed: nobody outside can call it")]
impl sealed::Draw for TruncatedNegativeBinomialStopping {
    fn draw(&self, scores: &Scores, k: usize, epsilon: &Epsilon, bits: &Bits) -> Vec<usize> {
        let factor = (&self.eta + BigInt::from(2)) * BigInt::from(k);
        let each = epsilon.as_rational() / factor;
        peel(scores, k, &each, bits, |left, words| looks(&self.eta, &self.stop.of(left), words))
    }
}

/// The number of looks: P(n + 1)/P(n) = (1 - gamma) (n + eta)/(n + 1), from n = 1 on, where gamma
/// is the probability `stop`.
///
/// A geometric number: n becomes n + 1 with probability 1 - gamma, and each step must also survive
/// with probability (n + eta)/(n + 1) <= 1; otherwise the draw starts anew.
fn looks(eta: &BigRational, stop: &BigRational, words: &mut WordStream) -> u64 {
    debug_assert!((eta + BigInt::one()).is_positive());
    let stop = Odds::of(stop.clone());
    // eta = p/q: (n + eta)/(n + 1) = (n q + p)/((n + 1) q), in machine words where q is below 2^31.
    let small = eta.numer().to_i64().zip(eta.denom().to_i64().filter(|q| *q < 1 << 31));
    let survives = |n: u64, words: &mut WordStream| match small {
        Some((p, q)) => {
            let (n, q, p) = (i128::from(n), i128::from(q), i128::from(p));
            i128::from(uniform_u64(words, ((n + 1) * q) as u64)) < n * q + p
        }
        None => bernoulli(words, &((eta + BigInt::from(n)) / BigInt::from(n + 1))),
    };
    let mut n = 1u64;
    loop {
        if stop.draw(words) {
            return n;
        }
        n = if survives(n, words) { n + 1 } else { 1 };
    }
}
