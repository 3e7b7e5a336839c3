//! The law of scores by the counts of rows of each class, or of each side of a split: how large
//! they can be, and how large they are without an association.

use std::f64::consts::PI;

use crate::estimate::{CountedStratum, StratumCode};
use crate::exact::GRID;
use crate::privacy::Purpose;
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
    /// What scores within strata give up for the noise of the centers, typically.
    pub(super) given_up: f64,
    steps: f64,
}

/// How targets are centered in each of the strata, if they are of equal size and have equal shares
/// of two classes; `None` without a part for their centers.
fn code_of_strata(plan: &Plan, counts: [f64; 2]) -> Option<StratumCode> {
    let [first, second] = counts.map(|count| count / plan.strata as f64);
    let center = (second - first) / (first + second).max(f64::MIN_POSITIVE);
    let stratum = CountedStratum {
        center: (f64::from(GRID) * center).round() as i32,
        classes: [first, second],
        rate: plan.part(Purpose::TargetCenter).ok()?.to_f64(),
    };
    Some(stratum.code(GRID))
}

impl Law {
    pub(super) fn of(plan: &Plan, counts: &[f64]) -> Option<Self> {
        let (largest, mut one_row, chance, splits) = match &plan.scoring {
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
        let mut given_up = 0.0;
        if let ([first, second], true) = (counts, plan.strata > 1) {
            let code = code_of_strata(plan, [*first, *second])?;
            let radius = f64::from(code.radius) / f64::from(GRID);
            // The sums of a function over the rows of strata of equal size, which it splits in half
            // but for chance: the root of their squares, or their magnitudes.
            let rows = first + second;
            let sums = match code.is_tiny {
                true => (2.0 / PI * rows * plan.strata as f64).sqrt(),
                false => rows.sqrt(),
            };
            // Targets of two classes are 1 apart here, and 2 on the grid.
            given_up = radius * sums / 2.0;
            one_row += radius / 2.0;
        }
        Some(Self {
            largest,
            one_row,
            chance,
            splits,
            given_up,
            steps: plan.request.neighbors.steps() as f64,
        })
    }

    pub(super) fn units(&self, score: f64) -> i64 {
        ((score - self.given_up).max(0.0) / self.one_row / self.steps * UNITS) as i64
    }
}
