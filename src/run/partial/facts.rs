//! Everything that sums depend on besides the rows: partials with different facts do not add up.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::{Error, Parameter, Result};
use crate::request::fields::Association;
use crate::request::plan::{CodedAs, Coding, Plan, Scoring};
use crate::run::partial::ReleasedTarget;
use crate::table::{Bounds, CellFormat, Labels, Scaling, Schema, TargetCode};

/// The given facts about the table and the scores. Numbers are text, which reads back to the same
/// values.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Facts {
    pub(super) schema: Schema,
    pub(super) association: Summed,
    pub(super) scaling: Range,
    pub(super) per_million: bool,
    pub(super) target: CodedBy,
    decimal_comma: bool,
    missing: Vec<String>,
    /// Whether rows within these were compared by their identifiers.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) compares_rows: bool,
    /// The hash of the schema file in which facts were given.
    pub(super) schema_hash: Option<String>,
    /// The values released from the target in an earlier stage.
    pub(super) released: Option<ReleasedTarget>,
}

/// The association whose sums these are.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Summed {
    Correlation,
    KsOnBins,
    /// Of whole columns, which do not add up: their targets do.
    Ks,
}

/// How values were scaled.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Range {
    RowRank,
    All(Ends),
    Each(Vec<Ends>),
}

/// A lower and an upper end.
type Ends = (String, String);

/// How the target was coded.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum CodedBy {
    Median,
    Range(Ends),
    /// Two classes are coded as one number.
    TwoClasses(Vec<String>),
    Classes(Vec<String>),
}

fn ends(bounds: &Bounds) -> Ends {
    (bounds.low().to_string(), bounds.high().to_string())
}

pub(super) fn bounds(ends: &Ends) -> Result<Bounds> {
    let end = |text: &String| {
        text.parse().map_err(|_| Error::input("a range does not consist of numbers"))
    };
    Bounds::new(end(&ends.0)?, end(&ends.1)?).map_err(Error::into_input)
}

fn json(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

impl Facts {
    /// The facts for a plan and a table.
    ///
    /// # Errors
    ///
    /// `Request` if neither its scores nor its targets add up.
    pub(super) fn new(plan: &Plan, schema: &Schema, format: &CellFormat) -> Result<Self> {
        if plan.has_roles(schema) {
            let rule = "sums of parts are of rows: people with several rows and covariates need the whole table";
            return Err(Error::request(rule).about([Parameter::Unit, Parameter::Covariates]));
        }
        if plan.refinement.is_some() {
            let rule = "a refinement goes over the screened columns again: it needs the table, not its sums";
            return Err(Error::request(rule).about([Parameter::Refine]));
        }
        let (association, target) = match &plan.scoring {
            Scoring::Coded(coded) => {
                let texts = |labels: &Labels| labels.as_slice().to_vec();
                let target = match &coded.target {
                    CodedAs::Number(Coding::MedianSplit) => CodedBy::Median,
                    CodedAs::Number(Coding::Given(code)) => match code {
                        TargetCode::Bounded(bounds) => CodedBy::Range(ends(bounds)),
                        TargetCode::Classes(labels) => CodedBy::TwoClasses(texts(labels)),
                        TargetCode::SplitAt(_) => return Err(super::does_not_add_up()),
                    },
                    CodedAs::Classes(labels) => CodedBy::Classes(texts(labels)),
                };
                (coded.association, target)
            }
            _ => return Err(super::does_not_add_up()),
        };
        Ok(Self {
            schema: schema.clone(),
            association: match association {
                Association::Correlation => Summed::Correlation,
                Association::KsOnBins => Summed::KsOnBins,
                Association::Ks | Association::Paired => Summed::Ks,
            },
            scaling: match &*plan.scaling {
                Scaling::RowRank => Range::RowRank,
                Scaling::Bounds(bounds) => Range::All(ends(bounds)),
                Scaling::BoundsByFeature(all) => Range::Each(all.iter().map(ends).collect()),
            },
            per_million: plan.request.per_million,
            target,
            decimal_comma: format.decimal_comma,
            missing: format.codes().iter().map(|code| code.text().to_owned()).collect(),
            compares_rows: false,
            schema_hash: plan.request.schema_hash.clone(),
            released: None,
        })
    }

    /// The same facts for the stage after this release.
    pub(super) fn at(self, released: &ReleasedTarget) -> Self {
        Self { released: Some(released.clone()), ..self }
    }

    /// The same facts before anything was released.
    #[cfg(feature = "sites")]
    pub(super) fn unreleased(self) -> Self {
        Self { released: None, ..self }
    }

    /// The number of features.
    pub(super) fn features(&self) -> usize {
        self.schema.d()
    }

    /// Whether the sums are of products, for correlations.
    pub(super) fn sums_products(&self) -> bool {
        self.association == Summed::Correlation
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

    /// Whether there are codes for missing values.
    pub(super) fn has_codes(&self) -> bool {
        !self.missing.is_empty()
    }

    /// Whether the scores are of whole columns.
    pub(super) fn of_columns(&self) -> bool {
        self.association == Summed::Ks
    }

    /// Whether the target is split at a median.
    pub(super) fn splits(&self) -> bool {
        self.target == CodedBy::Median
    }

    /// The given facts, part by part: the name of each, and its value as written.
    pub(super) fn parts(&self) -> [(&'static str, Value); 9] {
        [
            ("columns", json(&self.schema)),
            ("score", json(&self.association)),
            ("scaling of features", json(&self.scaling)),
            ("scaling of rows", json(&self.per_million)),
            ("coding of the target", json(&self.target)),
            ("decimal mark", json(&self.decimal_comma)),
            ("codes for missing values", json(&self.missing)),
            ("schema file", json(&self.schema_hash)),
            ("stage, or another released target", json(&self.released)),
        ]
    }

    /// Refuses other facts, by the first that differs.
    ///
    /// # Errors
    ///
    /// `Request` for others.
    pub(super) fn check_equal(&self, other: &Self) -> Result<()> {
        if self == other {
            return Ok(());
        }
        /// Values up to this length, in bytes, are in the error.
        const SHORT: usize = 60;
        let mut pairs = self.parts().into_iter().zip(other.parts());
        let Some(((what, one), (_, two))) = pairs.find(|(one, two)| one != two) else {
            return Ok(());
        };
        let both = [one, two].map(|value| value.to_string());
        let both_values = match both.iter().all(|text| text.len() <= SHORT) {
            true => format!(": {} and {}", both[0], both[1]),
            false => String::new(),
        };
        Err(Error::request(format!("the partials were made with another {what}{both_values}")))
    }

    /// The same facts with the columns in the order of this schema, and the places of its features
    /// among the features here.
    ///
    /// # Errors
    ///
    /// `Request` if the columns differ.
    pub(super) fn in_order_of(&self, schema: &Schema) -> Result<(Self, Vec<usize>)> {
        let places = schema.places_in(&self.schema).map_err(|error| {
            Error::request(format!("the partials were made with other columns: {error}"))
        })?;
        let scaling = match &self.scaling {
            Range::Each(all) => {
                Range::Each(places.iter().map(|&place| all[place].clone()).collect())
            }
            one => one.clone(),
        };
        Ok((Self { schema: schema.clone(), scaling, ..self.clone() }, places))
    }

    /// Refuses a plan that these are not the sums for.
    ///
    /// # Errors
    ///
    /// `Request` in that case.
    pub(super) fn check_request(&self, plan: &Plan) -> Result<()> {
        let format = CellFormat::new(self.decimal_comma, &self.missing);
        let wanted =
            Self { released: self.released.clone(), ..Self::new(plan, &self.schema, &format)? };
        wanted.check_equal(self)
    }
}
