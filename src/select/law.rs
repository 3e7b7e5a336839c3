//! The law of scores by the counts of rows of each class, or of each side of a split: how large
//! they can be, and how large they are without an association.

use crate::select::plan::{Plan, Scoring};
use crate::select::reach::Reach;
use crate::select::request::Association;

/// Units in which imagined scores are whole numbers: those of one row's influence.
pub(super) const UNITS: f64 = 65_536.0;

/// The law of scores for a target with these counts, in rows.
pub(super) struct Law {
    /// The largest score.
    pub(super) largest: f64,
    /// The largest change of a score by one row.
    one_row: f64,
    /// The scale of scores by chance, for one split of the classes.
    pub(super) chance: f64,
    /// The number of splits that are compared.
    pub(super) splits: f64,
    steps: f64,
}

impl Law {
    pub(super) fn of(plan: &Plan, counts: &[f64]) -> Option<Self> {
        let (largest, one_row, chance, splits) = match &plan.scoring {
            Scoring::Coded(coded) => {
                let reach = plan.scoring.reach()?;
                let variance = match coded.association {
                    // Values that are spread evenly have a third of the largest variance.
                    Association::Correlation => reach.product(counts) / 3.0,
                    _ => reach.product(counts),
                };
                let splits = reach.splits(counts.len());
                (reach.largest(counts), Reach::one_row(counts), variance.sqrt(), splits)
            }
            // The number of pairs; the variance of tau is about 4/(9 n).
            Scoring::Kendall { .. } => {
                let rows: f64 = counts.iter().sum();
                (rows / 2.0, 1.5, rows.sqrt() / 3.0, 1.0)
            }
            _ => return None,
        };
        Some(Self {
            largest,
            one_row,
            chance,
            splits,
            steps: plan.request.neighbors.steps() as f64,
        })
    }

    pub(super) fn units(&self, score: f64) -> i64 {
        (score / self.one_row / self.steps * UNITS) as i64
    }
}
