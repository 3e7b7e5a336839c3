//! The request for a plan, and its checks.

use std::collections::BTreeMap;

use dpsis::internals::{SHARES, purpose};
use dpsis::{
    CheckedSelect, Epsilon, Error, Neighbors, Parameter, Purpose, Result, ScoreKind, Select,
    Spending, Target,
};
use serde::{Serialize, Serializer};

use super::Contender;

/// The fewest and the most rows of a table for which the laws of scores are good.
const ROWS: (u64, u64) = (20, 1_000_000_000);

/// The fewest rows of the rarer class.
const RAREST: u64 = 5;

/// The most features.
const MOST_FEATURES: usize = 1_000_000;

/// The private median is within so many ranks, divided by epsilon, of the middle 95 times of 100,
/// wherever the values lie: the logarithm of twenty times the points of its grid.
const SURE_OF_THE_MEDIAN: f64 = 13.3;

/// The fewest imagined tables, and the most by default.
const DRAWS: (u64, u64) = (20, 400);

/// The most scores of all imagined tables together, at eight bytes each, and of those by default.
const MOST_SCORES: u64 = 50_000_000;
const SCORES: u64 = 2_500_000;

/// A selection that is planned: public numbers only.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlanRequest {
    /// The number of rows with a usable target.
    pub rows: u64,
    /// The number of features.
    pub features: usize,
    /// The number of features to select.
    pub k: usize,
    /// The total budget.
    #[serde(serialize_with = "as_text")]
    pub epsilon: Epsilon,
    /// The share of the rarer of two classes; `None` for a number, which is split at a private
    /// median.
    pub share: Option<f64>,
    /// The score.
    #[serde(serialize_with = "as_id")]
    pub score: ScoreKind,
    /// The neighbor relation.
    pub neighbors: Neighbors,
    /// The shares of the budget of the target's median, its center, and the strengths.
    pub split: [String; 3],
    /// The mechanisms to compare.
    #[serde(skip)]
    pub contenders: Vec<Contender>,
    /// Further epsilons, ascending.
    #[serde(skip)]
    pub over: Vec<Epsilon>,
    /// Whether all mechanisms are compared at those.
    #[serde(skip)]
    pub all_over: bool,
    /// A strength to plan for.
    pub strength: Option<f64>,
    /// The number of imagined tables; `None` for as many as take a few seconds.
    #[serde(skip)]
    pub draws: Option<u64>,
    /// The seed of all draws.
    pub seed: u64,
    /// The number of threads, on which nothing depends.
    #[serde(skip)]
    pub threads: usize,
}

pub(super) fn as_text<S: Serializer>(
    epsilon: &Epsilon,
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    serializer.collect_str(epsilon)
}

pub(super) fn as_id<S: Serializer>(
    score: &ScoreKind,
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    serializer.serialize_str(id(*score))
}

fn id(score: ScoreKind) -> &'static str {
    match score {
        ScoreKind::Correlation => "correlation",
        ScoreKind::Kendall => "kendall",
        _ => "ks",
    }
}

/// The shares of a plan: those that are stated by name, or the defaults.
///
/// # Errors
///
/// `Request` for a share of anything but the target's median, its center and the strengths.
pub fn shares(stated: &BTreeMap<String, String>) -> Result<[String; 3]> {
    let [target, center, estimates, ..] = SHARES;
    let known = [target, center, estimates];
    if stated.keys().any(|name| known.iter().all(|(known, _)| known != name)) {
        let rule = "a plan has shares of target, center and estimates";
        return Err(Error::request(rule).about([Parameter::Shares]));
    }
    Ok(known.map(|(name, [share, _])| stated.get(name).map_or(share, String::as_str).to_owned()))
}

impl PlanRequest {
    /// The request that is planned, at an epsilon.
    pub(super) fn select(&self, epsilon: &Epsilon) -> Result<CheckedSelect> {
        let [target, center, estimates] = &self.split;
        let select = Select::new(self.k)
            .epsilon(epsilon.clone())
            .neighbors(self.neighbors)
            .score(self.score)
            .shares(target.as_str(), center.as_str())
            .estimates(estimates.as_str());
        // Of values whose range is public: of ranks within the row there is no verdict.
        let select = match self.score {
            ScoreKind::Correlation => select.bounds(-1.0, 1.0),
            _ => select,
        };
        let select = match self.share {
            Some(_) => select.target(Target::classes(["a", "b"])),
            None => select,
        };
        select.check()
    }

    /// Checks the numbers.
    ///
    /// # Errors
    ///
    /// `Request` with the first rule that is broken.
    pub fn check(&self) -> Result<()> {
        let wrong = |rule: String| Err(Error::request(rule));
        if !(ROWS.0..=ROWS.1).contains(&self.rows) {
            return wrong(format!("the number of rows must lie between {} and {}", ROWS.0, ROWS.1));
        }
        if !(1..=MOST_FEATURES).contains(&self.features) {
            return wrong(format!("the number of features must lie between 1 and {MOST_FEATURES}"));
        }
        if self.score == ScoreKind::Paired {
            return Err(without_pairs());
        }
        if let Some(share) = self.share {
            if !(share > 0.0 && share <= 0.5) {
                return wrong("the share of the rarer class must lie above 0 and up to 0.5".into());
            }
            if self.rarer(self.rows, share) < RAREST {
                return wrong(format!("the rarer class must have at least {RAREST} rows"));
            }
        }
        if self.strength.is_some_and(|strength| !(0.001..=1.0).contains(&strength)) {
            return wrong("a strength must lie between 0.001 and 1".into());
        }
        if self.draws.is_some_and(|draws| draws < DRAWS.0) {
            return wrong(format!("there must be at least {} draws", DRAWS.0));
        }
        if self.draws().checked_mul(self.features as u64).is_none_or(|all| all > MOST_SCORES) {
            return wrong(format!("draws times features must not exceed {MOST_SCORES}"));
        }
        if self.contenders.is_empty() {
            return Err(Error::request("no mechanism is stated").about([Parameter::Mechanism]));
        }
        self.select(&self.epsilon)?.spending(self.features).map(|_| ())
    }

    /// The number of imagined tables.
    pub(super) fn draws(&self) -> u64 {
        let few = SCORES / (self.features as u64).max(1);
        self.draws.unwrap_or_else(|| few.clamp(DRAWS.0, DRAWS.1))
    }

    /// The rows of the rarer class.
    pub(super) fn rarer(&self, rows: u64, share: f64) -> u64 {
        (rows as f64 * share).round() as u64
    }

    /// The fewest rows that can be planned.
    pub(super) fn fewest_rows(&self) -> u64 {
        let rare = self.share.map_or(0.0, |share| (RAREST as f64 / share).ceil());
        ROWS.0.max(rare as u64)
    }

    /// The rows of each class, or of both sides of the split.
    fn counts(&self, rows: u64) -> [f64; 2] {
        let share = self.share.unwrap_or(0.5);
        [1.0 - share, share].map(|share| rows as f64 * share)
    }

    /// The place of the mechanism that `select` uses where none is stated, if it is compared.
    pub(super) fn default_place(&self) -> Result<Option<usize>> {
        let select = self.select(&self.epsilon)?;
        let default = select.mechanism_for(self.features, &self.counts(self.rows))?;
        let is_default = |contender: &Contender| contender.is(&*default, self.k);
        Ok(self.contenders.iter().position(is_default))
    }

    /// The strength from which on features are called beyond chance more often than not.
    pub(super) fn beyond_chance(&self, rows: u64, epsilon: &Epsilon) -> Result<Option<f64>> {
        self.select(epsilon)?.confirmed(self.features, &self.counts(rows))
    }

    /// The warnings about the request.
    pub(super) fn warnings(&self, spent: &[Spending]) -> Vec<String> {
        let mut warnings = Vec::new();
        let part = |wanted| spent.iter().find(|part| part.purpose == wanted);
        if let Some(part) = part(Purpose::TargetMedian) {
            let needed = 2.0 * self.steps() * SURE_OF_THE_MEDIAN / part.epsilon.to_f64();
            if (self.rows as f64) < needed {
                warnings.push(format!(
                    "with fewer than about {needed:.0} rows the private {} may miss the values; the \
                     plan takes them as close together: state classes or the range of the target",
                    purpose(part.purpose)
                ));
            }
        }
        if 5 * self.k > self.features {
            warnings.push(format!(
                "a blind choice of {} of {} features holds any one of them {:.0} times of 100",
                self.k,
                self.features,
                100.0 * self.k as f64 / self.features as f64
            ));
        }
        warnings
    }

    fn steps(&self) -> f64 {
        if self.neighbors == Neighbors::ReplaceOne { 2.0 } else { 1.0 }
    }
}

/// The error for a plan of paired scores.
pub(super) fn without_pairs() -> Error {
    Error::request("a plan is for units that are compared with each other, not for pairs")
        .hint("a dry run of the selection predicts effect sizes for pairs")
        .about([Parameter::Score])
}
