//! The record of a release. Reports print only its content.
//!
//! Only the released values `selected` and `released`, and the warnings derived from them, depend
//! on the data.

mod events;
mod kept;
mod words;

use std::collections::BTreeMap;
use std::ops::Deref;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::One;
use serde::{Deserialize, Serialize};

use crate::account::Event;
use crate::error::Parameter;
#[cfg(feature = "ndarray")]
use crate::error::{self, Error};
use crate::mechanism::{Calibrated, Mechanism};
use crate::privacy::{Delta, Epsilon, Neighbors, Receipt, RecordsPrivacy, Spending, Unit};
use crate::random::Entropy;
use crate::release::run_note::RunNote;
use crate::request::plan::{CenterUsed, FalseDiscoveryBound, ScaleUsed};
use crate::table::{SetMembers, TimeToEvent, UnitTarget};

pub(crate) use events::of_private;
pub(crate) use kept::Omitted;
pub use words::{
    Command, Direction, EntropySource, MechanismReason, MissingRule, PickOrder, ScoreId,
    TargetCoding, WarningKind,
};
pub(crate) use words::{SLACK, lower_end};

/// A private selection of k features: the [`Record`] of a release, to which it dereferences.
///
/// Only a private run makes one. With the feature `linfa` it is a transformer that reduces a
/// dataset to the selected features.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Selection(Record);

impl Selection {
    pub(crate) fn new(record: Record) -> Self {
        Self(record)
    }

    /// The same selection with the receipt of the ledger that was charged.
    pub(crate) fn with_receipt(mut self, receipt: Receipt) -> Self {
        self.0.ledger = Some(receipt);
        self
    }

    /// The same selection with a note on its run, or without one.
    pub fn with_run(self, run: impl Into<Option<RunNote>>) -> Self {
        Self(self.0.with_run(run))
    }
}

impl RecordsPrivacy for Record {}

impl Record {
    /// The same record with a note on its run, or without one.
    #[must_use]
    pub fn with_run(self, run: impl Into<Option<RunNote>>) -> Self {
        Self { run: run.into(), ..self }
    }
}

impl Deref for Selection {
    type Target = Record;

    fn deref(&self) -> &Record {
        &self.0
    }
}

/// The result of a selection with its guarantee, budget and assumptions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Record {
    /// Version of this program.
    pub version: String,
    /// The command that made it.
    pub command: Command,
    /// The day and the request, if the program that ran it gives them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<RunNote>,
    /// The ledger that was charged, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ledger: Option<Receipt>,
    /// Whether the guarantee holds for everything in this record: false if seeded or after the
    /// paper's preprocessing.
    pub private: bool,
    /// The selected features.
    pub selected: Vec<Picked>,
    /// The features, screened by the mechanism, that the selected features were refined from, if
    /// there was a refinement.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub screened: Option<Vec<Picked>>,
    /// The order of `selected`.
    pub order: PickOrder,
    /// The privacy guarantee and the parts of the budget.
    pub guarantee: Guarantee,
    /// How the features were chosen.
    pub mechanism: MechanismUsed,
    /// How the features were scored.
    pub score: ScoreUsed,
    /// The target and its coding.
    pub target: TargetUsed,
    /// Private estimates, released with their parts of the budget.
    pub released: Released,
    /// The effect sizes and directions of the selected features, in their order; empty if not
    /// released.
    pub estimates: Vec<Estimate>,
    /// The meaning of the directions among them, and the features without a direction; `None`
    /// without released directions.
    pub directions: Option<String>,
    /// Whether the selected features are significant.
    pub significance: Significance,
    /// Facts treated as public.
    pub public: PublicFacts,
    /// The source of randomness.
    pub randomness: RandomnessUsed,
    /// Caveats to read before using the selection.
    pub warnings: Vec<Warning>,
}

impl Record {
    /// The 0-based indices of the selected features among all features, in the order of
    /// [`selected`](Self::selected). For a matrix they are its columns; for sets of features,
    /// places among the used sets.
    pub fn indices(&self) -> Vec<usize> {
        self.selected.iter().map(|picked| picked.index).collect()
    }

    /// Copies the selected columns of a matrix that has the same features as the table selected
    /// from: n x d to n x k.
    ///
    /// The result contains data: it needs the same protection as the matrix.
    ///
    /// # Errors
    ///
    /// `Request` if the matrix has another number of columns, or sets of features were selected.
    #[cfg(feature = "ndarray")]
    pub fn columns_of<A: Clone>(
        &self,
        x: ndarray::ArrayView2<'_, A>,
    ) -> error::Result<ndarray::Array2<A>> {
        if self.score.groups.is_some() {
            let rule = "sets of features were selected: no column holds them";
            return Err(Error::request(rule).about([Parameter::Groups]));
        }
        let d = self.public.features + self.public.role_columns;
        if x.ncols() != d {
            return Err(Error::request(format!("X must have the {d} columns selected from")));
        }
        let indices = self.indices();
        if indices.iter().any(|index| *index >= x.ncols()) {
            return Err(Error::request("the record does not belong to these columns"));
        }
        Ok(x.select(ndarray::Axis(1), &indices))
    }
}

/// A selected feature.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Picked {
    /// Its name in the header.
    pub name: String,
    /// Its column in the table (its row if features are rows; a set's line in the file of sets),
    /// counted from 1.
    pub column: usize,
    /// The members of a set of features.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub members: Option<SetMembers>,
    /// Its index among the features and the columns of person identifiers or covariates, counted
    /// from 0.
    #[serde(skip)]
    pub index: usize,
}

/// The guarantee for the record: pure differential privacy, unless a delta is spent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Guarantee {
    /// The total budget.
    pub epsilon: Epsilon,
    /// The delta that the selection spends: 0 unless one was given and reduces the noise.
    pub delta: Delta,
    /// If a delta is spent: the epsilon for which the same release is purely differentially
    /// private.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pure_epsilon: Option<Epsilon>,
    /// The neighbor relation.
    pub neighbors: Neighbors,
    /// The unit of privacy.
    pub unit: Unit,
    /// Whether rows that share an identifier, and rows without one, contribute nothing.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub one_row_per_identifier: bool,
    /// The parts of epsilon; they sum to it exactly.
    pub spent: Vec<Spending>,
    /// The same parts as privacy events: the draws that were made, not their cost.
    pub events: Vec<Event>,
}

/// The mechanism and its parameters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MechanismUsed {
    /// Its name.
    pub id: String,
    /// Why this mechanism was chosen, if the request did not give one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chosen: Option<MechanismReason>,
    /// Its parameters, as exact text, by name.
    #[serde(flatten)]
    pub parameters: BTreeMap<String, String>,
}

impl MechanismUsed {
    pub(crate) fn of(mechanism: &dyn Mechanism, k: usize) -> Self {
        Self {
            id: mechanism.card().id.to_owned(),
            chosen: None,
            parameters: mechanism
                .parameters(k)
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect(),
        }
    }

    /// Adds a parameter of the method that uses the mechanism.
    pub(crate) fn with(mut self, name: &'static str, value: impl ToString) -> Self {
        self.parameters.insert(name.to_owned(), value.to_string());
        self
    }
}

impl RandomnessUsed {
    pub(crate) fn of(entropy: Entropy) -> Self {
        let source = match entropy {
            Entropy::OperatingSystem => EntropySource::OperatingSystem,
            Entropy::Seeded(_) => EntropySource::GivenSeed,
        };
        Self { source, seeded: source == EntropySource::GivenSeed }
    }

    /// The warning about a seed.
    pub(crate) fn warning(&self) -> Option<Warning> {
        let text = "seeded: not for release (anyone with the seed can undo the noise)";
        self.seeded.then(|| Warning::new(WarningKind::Seeded, text))
    }
}

/// The score and the scaling of values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ScoreUsed {
    /// The score.
    pub id: ScoreId,
    /// For correlation Q: values are integers from -Q to Q. For Kendall G: scores are in units of
    /// 1/G.
    pub grid: i64,
    /// How values were scaled.
    pub scale: ScaleUsed,
    /// Whether values were converted to counts per million before they were scaled.
    pub per_million: bool,
    /// The feature sets whose means replaced the features.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groups: Option<GroupsUsed>,
    /// Whether score and scaling were chosen by default.
    pub by_default: bool,
    /// The given bounds common to all features.
    pub bounds: Option<[f64; 2]>,
    /// The largest change of a score by one row, in grid units; `None` if not known yet.
    pub sensitivity: Option<u64>,
    /// The source of the target's center.
    pub center: CenterUsed,
    /// The given classes.
    pub classes: Option<Vec<String>>,
    /// The contribution of a missing feature value.
    pub missing: MissingRule,
}

/// The sets that replaced the features: facts about the sets and the header alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct GroupsUsed {
    /// The number of sets that are used.
    pub used: usize,
    /// The number of sets left out because fewer than `least` of their members are features of the
    /// table.
    pub too_small: usize,
    /// The number of sets left out because more than `most` of their members are features of the
    /// table.
    pub too_large: usize,
    /// The smallest number of members with which a set is used.
    pub least: usize,
    /// The largest such number, if there is a limit.
    pub most: Option<usize>,
    /// The number of features of the table.
    pub features: usize,
    /// The number of members of used sets that are not features of the table, each counted once per
    /// set.
    pub missing: usize,
    /// How the members' values were scaled.
    pub scale: ScaleUsed,
    /// The given bounds common to all members.
    pub bounds: Option<[f64; 2]>,
}

/// The target column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TargetUsed {
    /// Its name; `None` if the target is not part of the table.
    pub name: Option<String>,
    /// Its column in the table (its row if features are rows), counted from 1; `None` if the target
    /// is not part of the table.
    pub column: Option<usize>,
    /// How it was coded as a number.
    pub coding: TargetCoding,
    /// The given bounds.
    pub bounds: Option<[f64; 2]>,
    /// The columns of times and events that define its classes, if it is at a horizon.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_to_event: Option<AtHorizon>,
    /// The rule that combines a person's rows into one target, if the unit is a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of_person: Option<UnitTarget>,
    /// The covariates, as given, within whose crossed strata it is centered.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub adjusted_for: Vec<String>,
}

/// A target at a horizon: the columns that define its two classes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AtHorizon {
    /// The column of times, the column of events with the value that means the event, and the
    /// horizon.
    #[serde(flatten)]
    pub columns: TimeToEvent,
    /// The assumption about rows that were lost before the horizon.
    pub assumes: String,
}

impl AtHorizon {
    /// The target of these columns.
    pub(crate) fn new(columns: &TimeToEvent) -> Self {
        Self { columns: columns.clone(), assumes: ASSUMES.to_owned() }
    }
}

/// The assumption about rows that were lost before the horizon.
const ASSUMES: &str = "rows lost before the horizon without the event take no part: right if loss to follow-up does not \
                       depend on the features, given the class (non-informative censoring)";

/// Private estimates released in addition to the selection.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Released {
    /// The target's center: a mean in its own units, the share of the second class or of rows at or
    /// above the median, or the share of each class; with covariates, the center of each stratum,
    /// the last covariate's level changing fastest.
    pub center: Option<Vec<f64>>,
    /// The value at which the target was split.
    pub target_median: Option<f64>,
    /// The number of features that were drawn by their scores, from which the significant ones are
    /// named; absent if k is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<usize>,
    /// The estimated number of rows with a usable target; with covariates, of the rows in a
    /// stratum.
    pub rows_estimate: Option<u64>,
    /// The estimated number of rows without a usable target.
    pub unusable_estimate: Option<u64>,
    /// The estimated number of rows with a usable target in no stratum, which contribute nothing;
    /// absent without covariates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_stratum_estimate: Option<u64>,
}

/// The private estimates about a selected feature.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Estimate {
    /// Its name in the header.
    pub name: String,
    /// The effect size of its association with the target, from 0 to 1: the noisy score as a share
    /// of the largest that is possible by the noisy counts. For two classes, or a split target, and
    /// the Kolmogorov-Smirnov score it estimates the distance of that name.
    pub effect_size: Option<f64>,
    /// The lower end of an interval that contains the effect size in this table with a probability
    /// of about 90%. The interval does not generalize to people outside of the table.
    pub low: Option<f64>,
    /// The upper end: see [`low`](Self::low).
    pub high: Option<f64>,
    /// The adjusted p-value: the probability, at most, that any of the selected features would have
    /// an effect size this large without an association.
    pub p_value: Option<f64>,
    /// Whether the p-value is at most 5%, or true if all significant features were selected; `None`
    /// if significance was not tested.
    pub significant: Option<bool>,
    /// The direction of the association, if it was released.
    pub direction: Option<Direction>,
    /// The approximate probability of a direction as clear as this one if the opposite direction is
    /// right.
    pub direction_error: Option<f64>,
}

/// The significance of the selected features.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Significance {
    /// The number of them that are significant, which is all of them if all significant features
    /// were requested; `None` if significance was not tested.
    pub significant: Option<usize>,
    /// The significance threshold as an effect size; above 1 if no feature can be expected to be
    /// significant; `None` if significance was not tested, or if thresholds differ by the weights
    /// of features.
    pub threshold: Option<f64>,
    /// The result as text.
    pub text: String,
}

/// Facts that anyone who may see the header can obtain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PublicFacts {
    /// The number of features, or of the feature sets that are used.
    pub features: usize,
    /// The number of further columns of a matrix: person identifiers or covariates.
    #[serde(skip)]
    pub(crate) role_columns: usize,
    /// The number of features requested; `None` if all significant features are requested.
    pub k: Option<usize>,
    /// The bound on false discoveries, if all significant features were requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub false_discoveries: Option<FalseDiscoveryBound>,
    /// The column recognized as identifiers and dropped, counted from 1.
    pub id_column: Option<usize>,
    /// The number of rows, if neighbors replace one row.
    pub rows: Option<u64>,
    /// The SHA-256 of the schema file that contained the public facts.
    pub schema_sha256: Option<String>,
}

/// The source of randomness.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RandomnessUsed {
    /// The generator and the source of its key.
    pub source: EntropySource,
    /// Whether the key is a given seed; then the record must not be released.
    pub seeded: bool,
}

/// A caveat to read before using the selection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Warning {
    /// The kind, a stable identifier.
    #[serde(rename = "id")]
    pub kind: WarningKind,
    /// The meaning and what to do about it.
    pub text: String,
    /// The parameters to give, or to change.
    #[serde(skip)]
    pub about: Vec<Parameter>,
}

/// An epsilon above this one protects little, and is never recommended.
pub(crate) const LARGE_EPSILON: f64 = 10.0;

impl Warning {
    pub(crate) fn new(kind: WarningKind, text: impl Into<String>) -> Self {
        Self { kind, text: text.into(), about: Vec::new() }
    }

    /// The warning about an epsilon above 10.
    pub(crate) fn of_epsilon(epsilon: &Epsilon) -> Option<Self> {
        let value = epsilon.to_f64();
        let odds = match libm::exp(value) {
            odds if odds < 1e6 => format!("{odds:.0}"),
            odds if odds < 1e100 => format!("{odds:.0e}"),
            _ => format!("e^{epsilon}"),
        };
        let text = format!(
            "epsilon {epsilon} protects little: the output may change the odds of a statement about one person by a \
             factor of up to {odds}"
        );
        (value > LARGE_EPSILON)
            .then(|| Self::new(WarningKind::LargeEpsilon, text).about([Parameter::Epsilon]))
    }

    /// The warning about a delta that is not spent.
    pub(crate) fn of_delta(calibrated: &Calibrated) -> Option<Self> {
        let text = "the given delta would buy next to nothing here and is not spent: the release is purely private";
        let warning = || Self::new(WarningKind::UnspentDelta, text).about([Parameter::Delta]);
        calibrated.is_unspent.then(warning)
    }

    /// The warning about a delta that is above one over the number of rows, by a private estimate
    /// or where the number is public.
    pub(crate) fn of_delta_and_rows(delta: &Delta, rows: u64, unit: Unit) -> Option<Self> {
        let is_large = delta.as_rational() * BigInt::from(rows.max(1)) > BigRational::one();
        let text = format!(
            "delta {delta} is above one over the number of {} (about {rows}): with this probability the guarantee fails \
             for some of them; choose a delta far below it",
            unit.plural()
        );
        is_large.then(|| Self::new(WarningKind::LargeDelta, text).about([Parameter::Delta]))
    }

    pub(crate) fn about(mut self, parameters: impl IntoIterator<Item = Parameter>) -> Self {
        self.about = parameters.into_iter().collect();
        self
    }
}
