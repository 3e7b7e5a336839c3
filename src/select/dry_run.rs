//! What a run would spend, from the request and the header alone.

use serde::Serialize;

use crate::data::{Orientation, Schema, Source};
use crate::error::Result;
use crate::estimate::MedianGrid;
use crate::privacy::{Epsilon, Neighbors, Purpose};
use crate::select::plan::{Plan, PlannedPath};
use crate::select::request::Request;
use crate::select::{Guarantee, MechanismUsed, Method, ScoreUsed, Warning};

/// A plan that was not carried out.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct DryRun {
    /// Version of this program.
    pub version: String,
    /// Always true: tells this record from that of a release.
    pub dry_run: bool,
    /// The number of features in the header.
    pub features: usize,
    /// The number asked for.
    pub k: usize,
    /// What would be promised and spent.
    pub guarantee: Guarantee,
    /// How the features would be chosen.
    pub mechanism: MechanismUsed,
    /// How the features would be scored.
    pub score: ScoreUsed,
    /// By how many rows' worth scores must differ for sets to be told apart.
    pub rows_needed: f64,
    /// The noise of each part.
    pub noise: Vec<Noise>,
    /// What is known to be wrong already.
    pub warnings: Vec<Warning>,
}

/// What the noise of one part does.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Noise {
    /// Which part.
    #[serde(rename = "for")]
    pub purpose: Purpose,
    /// In words and numbers.
    pub text: String,
}

impl Request {
    /// What a run of a checked request would spend.
    pub(super) fn dry_run(&self, source: &(impl Source + ?Sized)) -> Result<DryRun> {
        let schema = source.header(&self.opening())?;
        let d = schema.d();
        let plan = self.check_against(&schema)?;
        let scaling = self.scaling_of(&schema)?;
        let noise = plan.spent.iter().map(|part| Noise {
            purpose: part.purpose,
            text: self.noise(&plan, part.purpose, &part.epsilon, d),
        });
        Ok(DryRun {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            dry_run: true,
            features: d,
            k: self.k,
            guarantee: self.guarantee(&plan, &schema),
            mechanism: self.mechanism_recorded(None),
            score: self.score_used(&plan, &scaling, None),
            rows_needed: self.rows_needed(&plan.selection, d),
            noise: noise.collect(),
            warnings: self.warnings(&plan, &scaling, d, None),
        })
    }

    fn noise(&self, plan: &Plan, purpose: Purpose, epsilon: &Epsilon, d: usize) -> String {
        let epsilon = epsilon.to_f64();
        let steps = self.neighbors.steps() as f64;
        match purpose {
            // P(rank error > r) <= (grid points) e^(-eps r).
            Purpose::TargetMedian => {
                let ranks = steps * (MedianGrid::shared().len() as f64 / 0.05).ln() / epsilon;
                format!(
                    "the split is within {ranks:.0} ranks of the middle 95 times of 100, if values lie \
                     from 1e-6 to 1e9 in magnitude and not within a quarter percent of each other"
                )
            }
            Purpose::TargetCenter
                if self.neighbors == Neighbors::ReplaceOne
                    && !matches!(plan.path, PlannedPath::Classes { .. }) =>
            {
                let rows = 2f64.sqrt() / epsilon;
                format!("the center moves as if {rows:.1} rows were moved from end to end")
            }
            Purpose::TargetCenter => {
                let rows = 2.0 * steps / epsilon;
                format!("rows are counted with a standard deviation of at least {rows:.1}")
            }
            Purpose::Rows => {
                let rows = 2f64.sqrt() / epsilon;
                format!("rows are counted with a standard deviation of about {rows:.1}")
            }
            #[cfg(feature = "methods")]
            Purpose::Selection if matches!(plan.path, PlannedPath::TwoStage(_)) => {
                let votes = self.rows_needed(&plan.selection, d);
                format!(
                    "features are told apart where their votes differ by about {votes:.0}: with fewer \
                     blocks than that, expect noise"
                )
            }
            Purpose::Selection => {
                let rows = self.rows_needed(&plan.selection, d);
                format!(
                    "features are told apart where their scores differ by what about {rows:.0} rows \
                     can move: if that is more than a sixth of your rows, expect noise"
                )
            }
        }
    }

    /// How many rows can move a score as far as the noise does.
    pub(super) fn rows_needed(&self, epsilon: &Epsilon, d: usize) -> f64 {
        let gap = self.mechanism_used().gap(d, self.k, epsilon);
        match self.method {
            Method::Scores => self.neighbors.steps() as f64 * gap,
            // A row changes one block under either relation.
            #[cfg(feature = "methods")]
            Method::TwoStage(_) => gap,
            // What is shared with earlier picks moves as well.
            #[cfg(feature = "methods")]
            Method::DpKendall => 2.0 * self.neighbors.steps() as f64 * gap,
        }
    }

    pub(super) fn guarantee(&self, plan: &Plan, schema: &Schema) -> Guarantee {
        Guarantee {
            epsilon: plan.epsilon.clone(),
            delta: "0".to_owned(),
            neighbors: self.neighbors,
            unit: match schema.orientation() {
                Orientation::SamplesAsRows => "row",
                Orientation::FeaturesAsRows => "column",
            }
            .to_owned(),
            spent: plan.spent.clone(),
        }
    }
}
