//! Everything that sums depend on besides the rows: partials with other facts do not add up.

use serde::{Deserialize, Serialize};

use crate::data::{Bounds, CellFormat, Scaling, Schema, TargetCode};
use crate::error::{Error, Result};
use crate::select::partial::ReleasedMedian;
use crate::select::plan::{Association, Coding, Plan, Scoring};

/// What was stated of the table and of the scores. Numbers are texts, which are read back as they were.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Facts {
    pub(super) schema: Schema,
    association: Summed,
    scaling: Range,
    per_million: bool,
    target: CodedBy,
    decimal_comma: bool,
    missing: Vec<String>,
    /// That the target is split at a median, and which.
    pub(super) split: Option<Split>,
}

/// The association whose sums these are.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Summed {
    Correlation,
    KsOnBins,
}

/// How values were scaled.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Range {
    RowRank,
    All(Ends),
    Each(Vec<Ends>),
}

/// A lower and an upper end.
type Ends = (String, String);

/// How the target was coded.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum CodedBy {
    Median,
    Range(Ends),
    /// Two classes are coded as one number.
    TwoClasses(Vec<String>),
    Classes(Vec<String>),
}

/// The median of a target; none is known in the first stage.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Split {
    pub(super) released: Option<ReleasedMedian>,
}

fn ends(bounds: &Bounds) -> Ends {
    (bounds.low().to_string(), bounds.high().to_string())
}

impl Facts {
    /// The facts of a plan for a table.
    ///
    /// # Errors
    ///
    /// `Request` if its scores do not add up.
    pub(super) fn new(plan: &Plan, schema: &Schema, format: &CellFormat) -> Result<Self> {
        let (association, target) = match &plan.scoring {
            Scoring::Number { association, coding, .. } => {
                let coded = match coding {
                    Coding::MedianSplit(_) => CodedBy::Median,
                    Coding::Stated(TargetCode::Bounded(bounds)) => CodedBy::Range(ends(bounds)),
                    Coding::Stated(TargetCode::Classes(labels)) => {
                        CodedBy::TwoClasses(labels.as_slice().to_vec())
                    }
                    Coding::Stated(TargetCode::SplitAt(_)) => return Err(super::does_not_add_up()),
                };
                (association, coded)
            }
            Scoring::Classes { association, labels, .. } => {
                (association, CodedBy::Classes(labels.as_slice().to_vec()))
            }
            _ => return Err(super::does_not_add_up()),
        };
        Ok(Self {
            schema: schema.clone(),
            association: match association {
                Association::Correlation => Summed::Correlation,
                Association::KsOnBins => Summed::KsOnBins,
                Association::Ks => return Err(super::does_not_add_up()),
            },
            scaling: match &*plan.scaling {
                Scaling::RowRank => Range::RowRank,
                Scaling::Bounds(bounds) => Range::All(ends(bounds)),
                Scaling::BoundsByFeature(all) => Range::Each(all.iter().map(ends).collect()),
            },
            per_million: plan.per_million,
            target,
            decimal_comma: format.decimal_comma,
            missing: format.missing.clone(),
            split: None,
        })
    }

    /// The number of features.
    pub(super) fn features(&self) -> usize {
        self.schema.d()
    }

    /// Whether the sums are by bins.
    pub(super) fn on_bins(&self) -> bool {
        self.association == Summed::KsOnBins
    }

    /// The number of classes, of three or more.
    pub(super) fn classes(&self) -> Option<usize> {
        match &self.target {
            CodedBy::Classes(labels) => Some(labels.len()),
            _ => None,
        }
    }

    /// The median that the sums were made at.
    pub(super) fn median(&self) -> Option<&ReleasedMedian> {
        self.split.as_ref()?.released.as_ref()
    }

    /// Refuses other facts, by the first that differs.
    ///
    /// # Errors
    ///
    /// `Request` for others.
    pub(super) fn check_equal(&self, other: &Self) -> Result<()> {
        let differs = [
            ("columns", self.schema != other.schema),
            ("score", self.association != other.association),
            ("scaling of features", self.scaling != other.scaling),
            ("scaling of rows", self.per_million != other.per_million),
            ("coding of the target", self.target != other.target),
            ("decimal mark", self.decimal_comma != other.decimal_comma),
            ("codes for missing values", self.missing != other.missing),
            ("stage, or another released median", self.split != other.split),
        ];
        match differs.iter().find(|(_, differs)| *differs) {
            None => Ok(()),
            Some((what, _)) => {
                Err(Error::request(format!("the partials were made with another {what}")))
            }
        }
    }

    /// Refuses a plan whose sums these are not.
    ///
    /// # Errors
    ///
    /// `Request` then.
    pub(super) fn check_request(&self, plan: &Plan) -> Result<()> {
        let format =
            CellFormat { decimal_comma: self.decimal_comma, missing: self.missing.clone() };
        let asked = Self { split: self.split.clone(), ..Self::new(plan, &self.schema, &format)? };
        asked.check_equal(self)
    }
}
