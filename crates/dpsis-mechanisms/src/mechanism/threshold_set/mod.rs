#![doc = include_str!("page.md")]

#[cfg(any(test, feature = "verify"))]
pub(crate) mod law;
mod prior;
mod sets;
#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive};
use serde::Serialize;

use crate::error::{Error, Parameter, Result};
use crate::exact::{Exact, format_rational, near_f64, ratio};
use crate::mechanism::draw::sealed;
use crate::mechanism::{Card, Chooses, Mechanism, MechanismParameter, PickLoss, Sensitivity};
use crate::privacy::Epsilon;
use crate::random::{Bits, Filter};
use crate::scores::Scores;
use prior::{Fixed, Prior};
use sets::ThresholdSets;

/// The threshold-set mechanism: the candidates whose scores are above a level, at most k of them,
/// with a bound on names at or below it.
///
/// ```
/// use dpsis_mechanisms::mechanism::{Fwer, Mechanism, ThresholdSet};
/// use dpsis_mechanisms::{Neighbors, OperatingSystem, Scores};
///
/// // Counts to which one person adds at most 1, and a level of 50.
/// let scores = Scores::new(vec![3, 220, 7, 250, 4], 1, Neighbors::AddRemove)?;
/// let above = ThresholdSet::new(50, "0.05", Fwer::Share)?;
/// // At most as many as there are: any number.
/// let names = above.pick(&scores, 5, &"1".parse()?, OperatingSystem)?;
/// assert_eq!(names, [1, 3]); // wrong with probability below e^-20
/// # Ok::<(), dpsis_mechanisms::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThresholdSet {
    /// In units of the sensitivity; `None` if it lies above all scores.
    level: BigRational,
    alpha: BigRational,
    bounded: Fwer,
}

/// The error rate that alpha bounds, for names at or below the level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[non_exhaustive]
pub enum Fwer {
    /// The expected share of such names among all names, 0 if there are no names.
    #[default]
    #[serde(rename = "fdr")]
    Share,
    /// The probability of at least one such name.
    #[serde(rename = "fwer")]
    Any,
}

impl FromStr for Fwer {
    type Err = Error;

    /// Parses `fdr`, a bound on the share, or `fwer`, a bound on any.
    fn from_str(text: &str) -> Result<Self> {
        let mut all = [Self::Share, Self::Any].into_iter();
        all.find(|rate| rate.to_string() == text).ok_or_else(|| {
            Error::request("the rate must be fdr or fwer").about([Parameter::OfMechanism("rate")])
        })
    }
}

impl fmt::Display for Fwer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Share => "fdr",
            Self::Any => "fwer",
        })
    }
}

const LEVEL: MechanismParameter = MechanismParameter {
    name: "level",
    meaning: "candidates with scores above it are named, in units of the sensitivity",
    range: "a number that is public",
    default: "0",
};

const ALPHA: MechanismParameter = MechanismParameter {
    name: "alpha",
    meaning: "the bound on names at or below the level",
    range: "from 1e-6 to 0.5",
    default: "0.05",
};

const RATE: MechanismParameter = MechanismParameter {
    name: "rate",
    meaning: "what alpha bounds: the expected share of such names, or the probability of any",
    range: "fdr or fwer",
    default: "fdr",
};

/// The card of [`ThresholdSet`].
pub static CARD: Card = Card {
    id: "threshold-set",
    summary: "the threshold set: all above a level, at most k, with a bound on names below it",
    chooses: Chooses::AtMost,
    sensitivity: Sensitivity::Common,
    loss: PickLoss::Pure,
    reference: "the loss: \"Feature Selection from Differentially Private Correlations\" (2024), appendix A; the \
                mechanism: this project",
    page: include_str!("page.md"),
    timing: Some(
        "candidates above the level are sorted, and a set that does not fit the drawn level is drawn again",
    ),
    parameters: &[LEVEL, ALPHA, RATE],
    build: |given| {
        let level = given.level.clone().unwrap_or(Exact::from(0));
        let alpha = given.alpha.clone().unwrap_or(Exact::from(ALPHA.default));
        let bounded = given.rate.as_deref().map(str::parse).transpose()?;
        Ok(Arc::new(ThresholdSet::new(level, alpha, bounded.unwrap_or_default())?))
    },
    #[cfg(any(test, feature = "verify"))]
    contract: law::contract,
};

/// The largest score in magnitude.
const MAX_LEVEL: i64 = 1 << 62;

impl ThresholdSet {
    /// Above this level, an exact number in units of the sensitivity that is public or was released
    /// before, with alpha as the bound on names at or below it: an exact number from 1e-6 to 0.5.
    ///
    /// The level is rounded down to the unit of the scores, which are whole numbers, so the same
    /// scores are above it.
    ///
    /// # Errors
    ///
    /// `Request` if alpha is out of range or the level is not a number.
    pub fn new(level: impl Into<Exact>, alpha: impl Into<Exact>, bounded: Fwer) -> Result<Self> {
        let level = level.into().rational().ok_or_else(|| {
            Error::request("the level must be a number").about([Parameter::OfMechanism("level")])
        })?;
        let possible = |alpha: &BigRational| *alpha >= ratio(1, 1_000_000) && *alpha <= ratio(1, 2);
        let alpha = alpha.into().rational().filter(possible).ok_or_else(|| {
            Error::request("alpha must be a number from 1e-6 to 0.5")
                .about([Parameter::OfMechanism("alpha")])
        })?;
        Ok(Self { level, alpha, bounded })
    }

    /// The level in the unit of these scores, limited to the ends of their range: the same scores
    /// are above it.
    fn level_of(&self, scores: &Scores) -> i64 {
        let level = &self.level * BigRational::from(BigInt::from(scores.sensitivity()));
        let ends = if level.is_negative() { -MAX_LEVEL } else { MAX_LEVEL };
        level.floor().to_integer().to_i64().map_or(ends, |level| level.clamp(-MAX_LEVEL, MAX_LEVEL))
    }
}

impl Mechanism for ThresholdSet {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn parameters(&self, _: usize) -> Vec<(&'static str, String)> {
        vec![
            ("level", format_rational(&self.level)),
            ("alpha", format_rational(&self.alpha)),
            ("rate", self.bounded.to_string()),
        ]
    }

    /// The distance above the level at which a single score is named with probability 1/2: 2 ln(1 +
    /// r)/eps, with r the prior odds of missing it against holding it, if all others are missed.
    ///
    /// If it lies u sensitivities above the level, and all others far below it, sets at loss levels
    /// below u hold it, and sets at other levels hold almost no candidate: with E = e^(-eps u/2) it
    /// is named with probability (1 - E)/(1 - E + r E).
    fn gap(&self, candidates: usize, _: usize, epsilon: &Epsilon) -> f64 {
        let prior = Prior::new(candidates, &self.alpha, self.bounded);
        let mass = |held| prior.ln_mass(Fixed { held, missed: candidates - 1 }).value;
        let ln_odds = mass(0) - mass(1);
        2.0 * (ln_odds + libm::log1p(libm::exp(-ln_odds))) / near_f64(epsilon.as_rational())
    }
}

#[allow(private_interfaces, reason = "sealed: nobody outside can call it")]
impl sealed::Draw for ThresholdSet {
    fn draw(&self, scores: &Scores, k: usize, epsilon: &Epsilon, bits: &Bits) -> Vec<usize> {
        let d = scores.values().len();
        let prior = Prior::new(d, &self.alpha, self.bounded);
        // A cap that never binds is omitted.
        let most = (k < d).then_some(k);
        let level = self.level_of(scores);
        ThresholdSets::new(scores, level, prior, most, epsilon).draw(bits, Filter::default())
    }
}
