//! The given request for a selection.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use num_rational::BigRational;
use num_traits::{One, Zero};

use crate::error::{Error, Parameter, Result, word};
use crate::exact::{Exact, ratio};
use crate::mechanism::{CanonicalLipschitz, Mechanism};
use crate::privacy::Neighbors;
use crate::random::Entropy;
use crate::request::memory::default_memory;
use crate::request::weights::Weights;
use crate::table::{
    Bounds, Covariate, FeatureSets, Hooks, Labels, Levels, Scaling, TimeToEvent, UnitTarget,
    strata_of,
};

/// The kind of target and how it is coded.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub enum Target {
    /// A number of unknown range. It is split at a private median (10% of epsilon), except for
    /// Kendall's correlation: rows above it are one side, all others the other. The median can be
    /// found for values from 1e-6 to 1e15 in magnitude that differ in their first three digits
    /// (four from 0.01 to 100,000), and for times in seconds or milliseconds since 1970 that lie
    /// six hours or more apart; a warning is issued if nearly all rows fall on one side of the
    /// split. A column with a boolean type is refused: its two values are classes.
    #[default]
    Numeric,
    /// A number clipped to a given range.
    Bounded(Bounds),
    /// A class label out of this list; a cell with any other text counts as missing. Labels and
    /// cells are compared as text, without surrounding blanks.
    Classes(Vec<String>),
    /// Whether an event happened by a horizon: two classes, made of a column of times and one of
    /// events.
    TimeToEvent(TimeToEvent),
}

impl Target {
    /// A target with these class labels: short for [`Classes`](Self::Classes).
    pub fn classes<L: Into<String>>(labels: impl IntoIterator<Item = L>) -> Self {
        Self::Classes(labels.into_iter().map(Into::into).collect())
    }

    /// The labels of its classes, if it has classes.
    pub fn labels(&self) -> Option<&[String]> {
        match self {
            Self::Classes(labels) => Some(labels),
            Self::TimeToEvent(events) => Some(events.classes()),
            Self::Numeric | Self::Bounded(_) => None,
        }
    }

    /// The columns and the horizon of an event by a horizon, if it is one.
    pub fn time_to_event(&self) -> Option<&TimeToEvent> {
        match self {
            Self::TimeToEvent(events) => Some(events),
            Self::Numeric | Self::Bounded(_) | Self::Classes(_) => None,
        }
    }

    /// The checked labels of its classes.
    ///
    /// # Errors
    ///
    /// `Request` for invalid labels.
    pub(crate) fn checked_labels(&self) -> Result<Option<Labels>> {
        self.labels().map(|labels| Labels::new(labels.to_vec())).transpose()
    }
}

/// The source of the target's center.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub enum Center {
    /// Estimated privately (7.5% of epsilon; 25% with covariates).
    #[default]
    Private,
    /// The middle of the grid: the target is not centered.
    None,
    /// Public information: the mean of a bounded target in its own units, or the share of the
    /// second of two classes.
    Given(f64),
    /// Public information: the share of each class, for three or more classes.
    Shares(Vec<(String, f64)>),
}

/// The score of a feature: its association with the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ScoreKind {
    /// The Kolmogorov-Smirnov score: the best correlation that any monotone transform of a column
    /// reaches, or any of its categories; needs no scaling. The default if nothing is given. With a
    /// given scaling, thresholds lie between 16 bins of the scaled values.
    Ks,
    /// Correlation of the clipped, scaled values with the target. The default if a scaling is
    /// given.
    Correlation,
    /// Kendall's rank correlation: needs no scaling and no center.
    Kendall,
    /// How many more people have larger values in the second class than in the first: compares the
    /// rows of each person with each other. Requires people as privacy units, two classes, and no
    /// scaling.
    Paired,
}

impl FromStr for ScoreKind {
    type Err = Error;

    /// From `ks`, `correlation`, `kendall` or `paired`.
    fn from_str(text: &str) -> Result<Self> {
        let words = [
            ("ks", Self::Ks),
            ("correlation", Self::Correlation),
            ("kendall", Self::Kendall),
            ("paired", Self::Paired),
        ];
        word(Parameter::Score, text, &words)
    }
}

/// The association of a feature with the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Association {
    /// Correlation of scaled values.
    Correlation,
    /// The Kolmogorov-Smirnov score of whole columns.
    Ks,
    /// The same with thresholds between bins of scaled values.
    KsOnBins,
    /// The signs of the differences between the rows of people.
    Paired,
}

impl Association {
    /// Whether it compares the values of the table without scaling.
    pub(crate) fn is_unscaled(self) -> bool {
        matches!(self, Self::Ks | Self::Paired)
    }
}

/// The selection method.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub enum Method {
    /// DP-SIS: scores each feature separately and runs a mechanism on the scores.
    #[default]
    Scores,
    /// The two-stage method: fits the LASSO on blocks of rows and runs a mechanism (by default
    /// [`Peel`](crate::mechanism::Peel)) on the votes of the blocks. Classes are coded as
    /// equidistant numbers in the given order. Refused in a build without the feature `methods`.
    /// See [`method::two_stage`](crate::method::two_stage).
    TwoStage(TwoStage),
    /// DPKendall: picks features one by one by Kendall's correlation with the target, discounted by
    /// their correlation with earlier picks; k is at most 1000. See
    /// [`method::dp_kendall`](crate::method::dp_kendall).
    DpKendall,
}

/// The options of the two-stage method.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct TwoStage {
    /// The number of blocks. If `None`, the square root of a private count of the rows (7.5% of
    /// epsilon), or of the number of rows if that is public.
    pub blocks: Option<u64>,
    /// The penalty of the LASSO, for values in [-1, 1].
    pub penalty: f64,
}

impl TwoStage {
    /// Sets the number of blocks, which is then public.
    pub fn blocks(self, blocks: u64) -> Self {
        Self { blocks: Some(blocks), ..self }
    }

    /// Sets the penalty of the LASSO, positive, for values in [-1, 1].
    pub fn penalty(self, penalty: f64) -> Self {
        Self { penalty, ..self }
    }
}

impl Default for TwoStage {
    fn default() -> Self {
        Self { blocks: None, penalty: 0.1 }
    }
}

/// The second stage of a selection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refine {
    /// Screens twice as many features, and selects the k of them that together explain the target
    /// best, by private correlations of all of them. See [`method::gram`](crate::method::gram).
    Gram,
}

impl FromStr for Refine {
    type Err = Error;

    /// From `gram`.
    fn from_str(text: &str) -> Result<Self> {
        word(Parameter::Refine, text, &[("gram", Self::Gram)])
    }
}

/// The features that a selection names.
#[derive(Debug, Clone)]
pub(crate) enum Names {
    /// This many.
    Best(usize),
    /// All significant ones.
    Significant(FwerOptions),
}

impl Default for Names {
    fn default() -> Self {
        Self::Significant(FwerOptions::default())
    }
}

/// The given bound on the probability of any false discovery.
#[derive(Debug, Clone, Default)]
pub(crate) struct FwerOptions {
    /// 0.05 if it is not given.
    pub(crate) alpha: Option<Exact>,
    /// The largest number of names.
    pub(crate) at_most: Option<usize>,
}

impl FwerOptions {
    pub(crate) fn alpha(&self) -> Exact {
        self.alpha.clone().unwrap_or(ALPHA.into())
    }
}

/// The default bound on false discoveries.
pub const ALPHA: &str = "0.05";

impl Names {
    /// The largest number of features that are named, out of `features`.
    pub(crate) fn most(&self, features: usize) -> usize {
        match self {
            Self::Best(k) => *k,
            Self::Significant(given) => given.at_most.unwrap_or(features).min(features),
        }
    }

    /// The same selection for k features, or for at most k.
    pub(crate) fn of(&self, k: usize) -> Self {
        match self {
            Self::Best(_) => Self::Best(k),
            Self::Significant(given) => {
                Self::Significant(FwerOptions { at_most: Some(k), ..given.clone() })
            }
        }
    }

    /// Whether the user gave the number of names, so that k was not forgotten.
    pub(crate) fn is_given(&self) -> bool {
        match self {
            Self::Best(_) => true,
            Self::Significant(given) => given.alpha.is_some(),
        }
    }
}

/// A request, private or not.
#[derive(Clone, Default)]
pub(crate) struct Request {
    pub(crate) names: Names,
    pub(crate) epsilon: Option<Exact>,
    /// `None` for pure differential privacy.
    pub(crate) delta: Option<Exact>,
    pub(crate) method: Method,
    pub(crate) score: Option<ScoreKind>,
    pub(crate) refine: Option<Refine>,
    pub(crate) scale: Option<Scale>,
    /// The levels of categorical columns; all other categories are missing values. `None` if no
    /// category is missing.
    pub(crate) numbers_and: Option<Vec<Levels>>,
    /// Whether values become counts per million before all else.
    pub(crate) per_million: bool,
    /// The feature sets to select from, instead of single features.
    pub(crate) groups: Option<Arc<FeatureSets>>,
    pub(crate) target: Target,
    /// Whether the target was given.
    pub(crate) target_is_given: bool,
    pub(crate) people: PeopleOptions,
    /// The covariates within whose strata the target is centered.
    pub(crate) covariates: Vec<Covariate>,
    pub(crate) center: Center,
    pub(crate) neighbors: Neighbors,
    pub(crate) shares: Shares,
    /// Public weights of features.
    pub(crate) weights: Option<Arc<Weights>>,
    /// `None` if not given.
    pub(crate) mechanism: Option<Arc<dyn Mechanism>>,
    pub(crate) schema_hash: Option<String>,
    pub(crate) threads: Option<usize>,
    /// The memory limit of columns in bytes, `None` for no limit.
    pub(crate) memory: Option<u64>,
    /// The memory of columns alone, for tests.
    pub(crate) column_memory: Option<u64>,
    pub(crate) hooks: Hooks,
    /// The first error found while the request was built.
    pub(crate) refused: Option<Error>,
    /// The result is private only with the operating system's entropy.
    pub(crate) entropy: Entropy,
    /// Whether to preprocess as the paper does; the result is then not private.
    pub(crate) paper: bool,
}

/// The options about people with several rows.
#[derive(Clone, Default)]
pub(crate) struct PeopleOptions {
    /// The rule that combines a person's rows into one target, if a table has person identifiers.
    pub(crate) rule: Option<UnitTarget>,
    /// The feature with the person identifiers, in a matrix.
    pub(crate) feature: Option<String>,
}

/// The given scaling of the features.
#[derive(Clone)]
pub(crate) enum Scale {
    Given(Scaling),
    BoundsFile(PathBuf),
    /// `*` stands for all other features.
    BoundsByName(Vec<(String, Bounds)>),
}

/// The given shares of the budget not spent on the selection, as fractions of the total.
#[derive(Clone, Default)]
pub(crate) struct Shares {
    pub(crate) target: Option<Exact>,
    pub(crate) center: Option<Exact>,
    /// The share of the effect sizes and their significance; 0 for none.
    pub(crate) estimates: Option<Exact>,
    /// The share of the directions, if they are released.
    pub(crate) direction: Option<Exact>,
}

/// The shares of [`Shares`] as numbers, with the defaults of [`SHARES`].
pub(crate) struct CheckedShares {
    pub(crate) target: BigRational,
    pub(crate) center: BigRational,
    pub(crate) estimates: Option<BigRational>,
    pub(crate) direction: Option<BigRational>,
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let epsilon = self.epsilon.as_ref().map(Exact::to_string);
        f.debug_struct("Select")
            .field("names", &self.names)
            .field("epsilon", &epsilon)
            .field("score", &self.score)
            .field("target", &self.target)
            .field("center", &self.center)
            .field("neighbors", &self.neighbors)
            .field("method", &self.method)
            .field("mechanism", &self.mechanism_used())
            .finish_non_exhaustive()
    }
}

impl Request {
    /// A request with defaults for everything but the names.
    pub(crate) fn new(names: Names) -> Self {
        Self { names, ..Self::default() }
    }

    /// The given mechanism, or the default for the method.
    pub(crate) fn mechanism_used(&self) -> Arc<dyn Mechanism> {
        let default = || -> Arc<dyn Mechanism> {
            match self.method {
                // More features are screened than selected.
                Method::Scores if self.refine.is_some() => {
                    Arc::new(CanonicalLipschitz::screening())
                }
                Method::Scores => Arc::new(CanonicalLipschitz::default()),
                Method::TwoStage(_) | Method::DpKendall => Arc::new(crate::mechanism::Peel),
            }
        };
        self.mechanism.clone().unwrap_or_else(default)
    }

    /// Whether values are relative to the other values of their row, as ranks or as a share of
    /// their sum, in scores by the association with a coded target. A feature without an
    /// association can then have one as scored.
    fn is_relative_to_rows(&self) -> bool {
        let ranks = matches!(self.scale, None | Some(Scale::Given(Scaling::RowRank)));
        let scaled = self.groups.is_some() || !self.association().is_unscaled();
        self.per_million || (ranks && scaled)
    }

    /// The reason why scores have no significance threshold, if their values rule one out.
    pub(crate) fn without_threshold(&self) -> Option<&'static str> {
        if self.is_relative_to_rows() {
            return Some(
                "values were taken in relation to the others of their row, so features with an association shift \
                 those without one",
            );
        }
        let text = "a missing member of a set counts as the middle, so missing values alone can raise the score of a set";
        self.groups.as_ref().map(|_| text)
    }

    /// Whether both score and scaling are the default.
    pub(crate) fn is_scored_by_default(&self) -> bool {
        self.score.is_none()
            && self.method == Method::Scores
            && self.scale.is_none()
            && !self.per_million
            && self.groups.is_none()
            && !self.paper
    }

    /// Whether the rows of each person are compared with each other.
    pub(crate) fn is_paired(&self) -> bool {
        self.score == Some(ScoreKind::Paired)
    }

    /// Whether the target is centered within strata.
    pub(crate) fn is_adjusted(&self) -> bool {
        !self.covariates.is_empty()
    }

    /// The number of strata; 1 without covariates.
    ///
    /// # Errors
    ///
    /// `Request` if there are too many, or two with the same name.
    pub(crate) fn strata(&self) -> Result<usize> {
        strata_of(&self.covariates)
    }

    /// The rule that combines a person's rows into one target.
    pub(crate) fn rule_of_people(&self) -> UnitTarget {
        self.people.rule.unwrap_or_default()
    }

    /// The memory limit of a run, in bytes.
    pub(crate) fn memory(&self) -> u64 {
        self.memory.unwrap_or_else(default_memory)
    }

    /// The given association; by default the Kolmogorov-Smirnov score, or correlation if a scaling
    /// is given.
    pub(crate) fn association(&self) -> Association {
        match (self.score, &self.scale) {
            (None | Some(ScoreKind::Ks), None) => Association::Ks,
            (Some(ScoreKind::Ks), Some(_)) => Association::KsOnBins,
            (Some(ScoreKind::Paired), _) => Association::Paired,
            _ => Association::Correlation,
        }
    }

    /// Unwraps a part of the request. Keeps the first error for the check.
    pub(crate) fn or_refuse<T>(&mut self, part: Result<T>) -> Option<T> {
        part.map_err(|error| self.refused.get_or_insert(error).clone()).ok()
    }
}

/// The default shares of the target's median, its center, the estimates and, if they are released,
/// the directions: for a selection of k features, and for one of all significant features.
pub const SHARES: [(&str, [&str; 2]); 4] = [
    ("target", ["0.10", "0.10"]),
    ("center", ["0.075", "0.12"]),
    ("estimates", ["0.20", "0.36"]),
    ("direction", ["0.05", "0.05"]),
];

/// The default share of the centers of strata, found by simulation (`examples/strata.rs`). It is
/// larger than the share of one center, because no effect sizes are released within strata.
pub const CENTER_IN_STRATA: &str = "0.25";

impl Shares {
    /// The shares for these names, if each is at least 1e-6 (the share of the estimates can be 0)
    /// and their sum is below 1. `is_adjusted` is true with covariates.
    pub(crate) fn check(&self, names: &Names, is_adjusted: bool) -> Result<CheckedShares> {
        self.checked(names, is_adjusted).ok_or_else(|| {
            Error::request("shares must be numbers of at least 1e-6 that add up to less than 1")
                .hint(
                    "shares of parts that a request does not spend count, too, also by default; only that of the \
                     estimates can be 0",
                )
                .about([Parameter::Shares])
        })
    }

    fn checked(&self, names: &Names, is_adjusted: bool) -> Option<CheckedShares> {
        let column = usize::from(matches!(names, Names::Significant(_)));
        let [target, mut center, mut estimates, _] =
            SHARES.map(|(_, shares)| Exact::from(shares[column]));
        if is_adjusted {
            (center, estimates) = (CENTER_IN_STRATA.into(), 0.into());
        }
        let given = |share: &Option<Exact>, default| share.clone().unwrap_or(default);
        let least = ratio(1, 1_000_000);
        let positive = |share: &Exact| share.clone().rational().filter(|share| *share >= least);
        let estimates = given(&self.estimates, estimates);
        let has_estimates = !estimates.clone().rational()?.is_zero();
        let shares = CheckedShares {
            target: positive(&given(&self.target, target))?,
            center: positive(&given(&self.center, center))?,
            estimates: if has_estimates { Some(positive(&estimates)?) } else { None },
            direction: self.direction.as_ref().map(positive).map_or(Some(None), |d| d.map(Some))?,
        };
        let optional = shares.estimates.iter().chain(&shares.direction);
        let others = &shares.target + &shares.center;
        let sum = optional.fold(others, |sum, share| sum + share);
        (sum < BigRational::one()).then_some(shares)
    }
}
