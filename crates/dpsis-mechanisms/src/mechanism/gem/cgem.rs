#![doc = include_str!("cgem.md")]

use std::sync::Arc;

use std::cmp::Ordering;

use num_bigint::BigUint;
use num_rational::BigRational;
use num_traits::{One, Zero};

use crate::error::{Error, Parameter, Result};
use crate::exact::{Exact, format_rational, near_f64, ratio};
use crate::mechanism::charged::{BETA, Beta, Charge, peel};
use crate::mechanism::draw::sealed;
use crate::mechanism::ranks::doubled_ranks;
use crate::mechanism::{Card, Chooses, Mechanism, MechanismParameter, PickLoss, Sensitivity};
use crate::privacy::Epsilon;
use crate::random::{Bits, Entrant, Filter, FirstArrival, Handicapped, Race};
use crate::scores::Scores;

/// Combined GEM: tests privately whether sensitive candidates score higher, then runs modified GEM
/// or GEM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CombinedGem {
    beta: Beta,
    share: BigRational,
}

impl Default for CombinedGem {
    fn default() -> Self {
        Self { beta: Beta::default(), share: ratio(1, 5) }
    }
}

/// The parameter of `cgem` alone.
const SHARE: MechanismParameter = MechanismParameter {
    name: "share",
    meaning: "the share of the budget spent on the sign of the correlation of scores and sensitivities",
    range: "between 0 and 1",
    default: "0.2",
};

/// The card of [`CombinedGem`].
pub static CARD: Card = Card {
    id: "cgem",
    summary: "combined GEM: estimates the sign of the correlation privately, then mGEM or GEM",
    chooses: Chooses::Sequence,
    sensitivity: Sensitivity::Own,
    loss: PickLoss::Pure,
    reference: "\"Private Selection with Heterogeneous Sensitivities\" (2025), algorithm 2",
    page: include_str!("cgem.md"),
    timing: Some(
        "the hull and the searches in it take time according to how the charged scores lie",
    ),
    parameters: &[BETA, SHARE],
    build: |given| {
        let combined = CombinedGem::with(given.beta.clone(), given.share.clone())?;
        Ok(Arc::new(combined))
    },
    #[cfg(any(test, feature = "verify"))]
    contract: law::contract,
};

/// The lane of the bits of the answer; the rounds have the lanes from 0.
const ANSWER_LANE: u64 = 1 << 30;

impl CombinedGem {
    /// With other parameters: beta as for GEM, and the share of the budget for the sign of the
    /// correlation, both in (0, 1). Defaults 0.05 and 0.2.
    ///
    /// # Errors
    ///
    /// `Request` if one of them is not a number between 0 and 1.
    pub fn with(beta: Option<Exact>, share: Option<Exact>) -> Result<Self> {
        let mut combined = Self::default();
        if let Some(beta) = beta {
            combined.beta = Beta::checked(beta)?;
        }
        if let Some(share) = share {
            combined.share = share
                .rational()
                .filter(|share| *share > BigRational::zero() && *share < BigRational::one())
                .ok_or_else(|| {
                    Error::request("the share must be a number between 0 and 1")
                        .about([Parameter::OfMechanism("share")])
                })?;
        }
        Ok(combined)
    }
}

impl Mechanism for CombinedGem {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn parameters(&self, _: usize) -> Vec<(&'static str, String)> {
        vec![("beta", self.beta.to_string()), ("share", format_rational(&self.share))]
    }
}

#[allow(private_interfaces, reason = "sealed: nobody outside can call it")]
impl sealed::Draw for CombinedGem {
    fn draw(&self, scores: &Scores, k: usize, epsilon: &Epsilon, bits: &Bits) -> Vec<usize> {
        let question = epsilon.as_rational() * &self.share;
        let rest = epsilon.as_rational() - &question;
        let truth = rank_correlation(scores) == Ordering::Greater;
        let answer = truth == tells_the_truth(&question, bits);
        let charge = if answer { Charge::For } else { Charge::Against };
        peel(scores, k, &rest, charge, &self.beta, bits)
    }
}

/// Randomized response: true with probability e^eps/(1 + e^eps).
fn tells_the_truth(epsilon: &BigRational, bits: &Bits) -> bool {
    let mut race = Race::new(bits, FirstArrival::Exponential, Filter::default(), 0.0);
    race.lane(ANSWER_LANE);
    race.enter(Handicapped { ln_size: 0.0, handicap: 0.0 });
    race.enter(Handicapped { ln_size: 0.0, handicap: near_f64(epsilon) });
    let winner = race.winner(|address| Entrant {
        size: BigUint::one(),
        handicap: if address.position == 0 { BigRational::zero() } else { epsilon.clone() },
    });
    winner.is_none_or(|address| address.position == 0)
}

/// The sign of Spearman's rank correlation of scores and sensitivities, ties at their mid-ranks.
fn rank_correlation(scores: &Scores) -> Ordering {
    let m = scores.values().len();
    let sensitivities: Vec<i64> = (0..m).map(|i| scores.sensitivity_of(i) as i64).collect();
    let covariance: i128 = doubled_ranks(scores.values())
        .into_iter()
        .zip(doubled_ranks(&sensitivities))
        .map(|(a, b)| i128::from(a) * i128::from(b))
        .sum();
    covariance.cmp(&0)
}

#[cfg(any(test, feature = "verify"))]
pub(crate) mod law {
    //! Randomized response on the sign of Spearman's rank correlation, then modified GEM or GEM.

    use crate::mechanism::contract::{Contract, Law, Mutant, Setting, number};
    use crate::mechanism::gem::law::BETA;
    use crate::mechanism::{gem, mgem};

    /// The share of epsilon for the sign, by default.
    pub(crate) const SHARE: f64 = 0.2;

    /// The probability of each candidate; `share` of epsilon is for the sign.
    pub(crate) fn law(q: &[f64], d: &[f64], eps: f64, beta: f64, share: f64) -> Vec<f64> {
        let truthful = 1.0 / (1.0 + (-share * eps).exp());
        of_answer(q, d, (1.0 - share) * eps, beta, truthful)
    }

    /// The law for the answers of randomized response: `truthful` is the probability of the true
    /// sign, and `eps` the budget of the choice that follows.
    pub(crate) fn of_answer(q: &[f64], d: &[f64], eps: f64, beta: f64, truthful: f64) -> Vec<f64> {
        let positive = spearman(q, d) > 1e-9;
        let modified = if positive { truthful } else { 1.0 - truthful };
        let (m, g) = (mgem::law::law(q, d, eps, beta), gem::law::law(q, d, eps, beta));
        m.iter().zip(&g).map(|(m, g)| modified * m + (1.0 - modified) * g).collect()
    }

    /// Mid-ranks.
    fn ranks(values: &[f64]) -> Vec<f64> {
        let rank = |v: &f64| {
            let below = values.iter().filter(|w| *w < v).count() as f64;
            let ties = values.iter().filter(|w| *w == v).count() as f64;
            below + (ties + 1.0) / 2.0
        };
        values.iter().map(rank).collect()
    }

    /// Spearman's rank correlation, times something positive.
    fn spearman(a: &[f64], b: &[f64]) -> f64 {
        let (a, b) = (ranks(a), ranks(b));
        let mean = (a.len() as f64 + 1.0) / 2.0;
        a.iter().zip(&b).map(|(a, b)| (a - mean) * (b - mean)).sum()
    }

    pub(in crate::mechanism) fn contract() -> Contract {
        Contract {
            law: |given| {
                let (beta, share) = (number(&given.beta, BETA), number(&given.share, SHARE));
                Law::own(move |q, d, eps| law(q, d, eps, beta, share))
            },
            settings: vec![Setting::new(&[1])],
            symmetric: false,
            max_ratio: 0.61574,
            slack: Some("of the two answers an adversary sees only the pick that follows"),
            mutants: vec![Mutant::own("the sign is not randomized", |q, d, eps| {
                of_answer(q, d, 0.8 * eps, BETA, 1.0 - 1e-12)
            })],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::Neighbors;

    #[test]
    fn the_sign_is_that_of_the_ranks() {
        let sign = |values: &[i64], sensitivities: &[u64]| {
            let scores = Scores::with_sensitivities(
                values.into(),
                sensitivities.into(),
                Neighbors::AddRemove,
            );
            rank_correlation(&scores.unwrap())
        };
        assert_eq!(sign(&[1, 2, 1000], &[1, 2, 3]), Ordering::Greater);
        assert_eq!(sign(&[1000, 2, 1], &[1, 2, 3]), Ordering::Less);
        assert_eq!(sign(&[1, 2, 3], &[4, 4, 4]), Ordering::Equal);
    }
}
