#![doc = include_str!("page.md")]

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive};

use crate::error::{Error, Result};
use crate::exact::{format_rational, parse_rational, ratio};
use crate::mechanism::draw::sealed;
use crate::mechanism::rs::{Odds, StopProbability, bernoulli, peel};
use crate::mechanism::{Card, Chooses, Mechanism, Sensitivity};
use crate::privacy::Epsilon;
use crate::random::{Bits, WordStream, uniform_u64};
use crate::score::Scores;

/// Random stopping after a truncated negative binomial number of looks. See the page of this module.
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

/// The card of [`TruncatedNegativeBinomialStopping`].
pub static CARD: Card = Card {
    id: "rs-tnb",
    summary: "random stopping after a truncated negative binomial number of looks",
    chooses: Chooses::Sequence,
    sensitivity: Sensitivity::Own,
    reference: "N. Papernot and T. Steinke, \"Hyperparameter Tuning with Renyi Differential Privacy\" (2022)",
    page: include_str!("page.md"),
    max_ratio: 0.291178,
    slack: Some("(2 + eta) eps0 is approached only by many looks at rare candidates"),
    timing: Some("the number of looks is random, and its law does not depend on the scores"),
    mutants: &["the budget of eta = 0 for eta = 1"],
};

impl TruncatedNegativeBinomialStopping {
    /// With other parameters, as text: eta above -1 and at most 1 (0, the default, is the logarithmic and 1
    /// the geometric distribution), and gamma as for [`RandomStopping`](super::RandomStopping).
    ///
    /// # Errors
    ///
    /// `Request` if one of them is no such number.
    pub fn with(eta: Option<&str>, gamma: Option<&str>) -> Result<Self> {
        let mut stopping = Self::default();
        if let Some(eta) = eta {
            stopping.eta = parse_rational(eta)
                .filter(|eta| *eta > -BigRational::one() && *eta <= BigRational::one())
                .ok_or_else(|| Error::request("eta must be a number above -1 and at most 1"))?;
        }
        if let Some(gamma) = gamma {
            stopping.stop = StopProbability::parse(gamma)?;
        }
        Ok(stopping)
    }
}

impl Mechanism for TruncatedNegativeBinomialStopping {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn parameters(&self, _: usize) -> Vec<(&'static str, String)> {
        vec![("eta", format_rational(&self.eta)), ("gamma", self.stop.to_string())]
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

/// The number of looks: P(n + 1)/P(n) = (1 - gamma) (n + eta)/(n + 1), from n = 1 on.
///
/// A geometric number, n to n + 1 with probability 1 - gamma, of which each step must also survive with
/// probability (n + eta)/(n + 1) <= 1, else all begins anew.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Entropy;
    use crate::support::goodness::assert_fits;

    /// Against the published weights (1 - gamma)^n times the product of (l + eta)/(l + 1), l < n; for
    /// eta = 0 the logarithmic distribution.
    #[test]
    fn numbers_of_looks_have_their_law() {
        for (eta, gamma) in
            [((0i64, 1i64), (1i64, 3i64)), ((1, 1), (1, 4)), ((-1, 2), (1, 5)), ((1, 2), (1, 2))]
        {
            let (e, g) = (eta.0 as f64 / eta.1 as f64, gamma.0 as f64 / gamma.1 as f64);
            let weight = |n: i32| {
                let product: f64 =
                    (1..n).map(|l| (f64::from(l) + e) / (f64::from(l) + 1.0)).product();
                (1.0 - g).powi(n) * product
            };
            let mut law: Vec<f64> = (1..200).map(weight).collect();
            let total: f64 = law.iter().sum();
            law.iter_mut().for_each(|p| *p /= total);
            let mut counts = vec![0u64; law.len()];
            let mut words = Entropy::Seeded(3).source().unwrap().bits(0).lane(0);
            for _ in 0..50_000 {
                let n = looks(&ratio(eta.0, eta.1), &ratio(gamma.0, gamma.1), &mut words);
                counts[n as usize - 1] += 1;
            }
            assert_fits(&counts, &law);
        }
    }
}
