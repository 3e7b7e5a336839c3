//! Private releases: draws from the gathered values with the budget of the plan. They do not access files.

use crate::data::TargetCode;
use crate::error::{Error, Result};
use crate::estimate::{
    MedianGrid, RankCounts, RowsEstimate, private_center, private_center_of, private_class_centers,
    private_rows,
};
use crate::exact::GRID;
use crate::mechanism::choose;
use crate::method::{blocks_for, dp_kendall, votes};
use crate::privacy::{Epsilon, Neighbors, Purpose};
use crate::random::{Bits, RandomnessSource};
use crate::score::{ClassSums, CorrelationSums, Scores, Summed};
use crate::select::blocks::{BlockRows, Dealer};
use crate::select::pass::Gathered;
use crate::select::plan::{Coding, Plan, PlannedBlocks, PlannedCenter, Scoring, Voting};
use crate::select::record::Released;

/// One execution of the releases of a plan.
pub(super) struct Release<'a> {
    pub(super) plan: &'a Plan,
    pub(super) randomness: &'a RandomnessSource,
    /// How rows are assigned to blocks.
    pub(super) dealer: Dealer<'a>,
}

/// The picks, and everything released along with them.
pub(super) struct Chosen {
    /// The feature indices, in the mechanism's order.
    pub(super) picks: Vec<usize>,
    /// The largest change of a score by one row, if all picks compare scores of one sensitivity.
    pub(super) sensitivity: Option<u64>,
    pub(super) released: Released,
    /// The private estimate of the number of rows.
    pub(super) estimate: Option<RowsEstimate>,
    /// The total number of rows, recorded only if it is public.
    pub(super) rows: u64,
    /// The number of blocks of rows.
    pub(super) blocks: Option<u64>,
}

/// Scores, and everything released on the way to them.
struct Scored {
    scores: Scores,
    released: Released,
    estimate: Option<RowsEstimate>,
    rows: u64,
    blocks: Option<u64>,
}

impl Release<'_> {
    /// The private median of the target.
    pub(super) fn median(&self, counts: &RankCounts, epsilon: &Epsilon) -> f64 {
        let bits = self.randomness.bits(Purpose::TargetMedian.draw());
        MedianGrid::shared().private_median(counts, self.plan.neighbors, epsilon, &bits)
    }

    /// Makes all remaining releases; `median` is the one released between the passes, if any.
    ///
    /// # Errors
    ///
    /// `Request` if the scores do not suit the mechanism.
    pub(super) fn draw(&self, gathered: &Gathered<'_>, median: Option<f64>) -> Result<Chosen> {
        let scored = match (gathered, &self.plan.scoring) {
            (Gathered::Sums(summed), Scoring::Number { coding, center }) => {
                let code = match (coding, median) {
                    (Coding::Stated(code), None) => code.clone(),
                    (Coding::MedianSplit(_), Some(median)) => TargetCode::SplitAt(median),
                    _ => return Err(misfit()),
                };
                self.number(summed, &code, center)?
            }
            (
                Gathered::Rows(rows),
                Scoring::Number { coding: Coding::MedianSplit(epsilon), center },
            ) => {
                let ranks = || MedianGrid::shared().count(rows.targets.iter().copied());
                let median = self.median(&ranks(), epsilon);
                let summed = rows.summed(CorrelationSums::new(self.plan.features), median);
                self.number(&summed, &TargetCode::SplitAt(median), center)?
            }
            (Gathered::ClassSums(summed), Scoring::Classes { center, .. }) => {
                self.classes(summed, center)?
            }
            (Gathered::Scores { scores, rows }, _) => Scored {
                scores: scores.clone(),
                released: Released::default(),
                estimate: None,
                rows: *rows,
                blocks: None,
            },
            (Gathered::Blocks(rows), Scoring::TwoStage(voting)) => self.votes(rows, voting)?,
            (Gathered::Columns(columns), _) => {
                let Plan { k, selection, .. } = self.plan;
                let shared = |feature| columns.shared(feature);
                let target = columns.target.clone();
                let picks = dp_kendall(target, shared, *k, selection, self.randomness)?;
                return Ok(Chosen {
                    picks,
                    // The scores of later rounds have a larger sensitivity than those of the first.
                    sensitivity: None,
                    released: Released::default(),
                    estimate: None,
                    rows: columns.rows,
                    blocks: None,
                });
            }
            _ => return Err(misfit()),
        };
        self.select(scored)
    }

    /// Selects features by their scores.
    fn select(&self, scored: Scored) -> Result<Chosen> {
        let Scored { scores, released, estimate, rows, blocks } = scored;
        let Plan { mechanism, k, selection, .. } = self.plan;
        let bits = self.randomness.bits(Purpose::Selection.draw());
        let picks = choose(&**mechanism, &scores, *k, selection, &bits)?;
        let sensitivity = Some(scores.sensitivity());
        Ok(Chosen { picks, sensitivity, released, estimate, rows, blocks })
    }

    /// Scores against a target coded as one number, after its center is determined.
    fn number(
        &self,
        summed: &Summed<CorrelationSums>,
        code: &TargetCode,
        center: &PlannedCenter<i32>,
    ) -> Result<Scored> {
        let Summed { sums, rows } = summed;
        let private = matches!(center, PlannedCenter::Private(_));
        let (center, estimate) =
            self.center(center, |epsilon, bits| self.estimate_center(sums, *rows, epsilon, bits));
        let released = Released {
            center: private.then(|| vec![code.center_in_units(center)]),
            target_median: match code {
                TargetCode::SplitAt(median) => Some(*median),
                TargetCode::Bounded(_) | TargetCode::Classes(_) => None,
            },
            rows_estimate: estimate.map(|estimate| estimate.rows),
        };
        let scores = sums.scores(center, self.plan.neighbors)?;
        Ok(Scored { scores, released, estimate, rows: *rows, blocks: None })
    }

    fn estimate_center(
        &self,
        sums: &CorrelationSums,
        rows: u64,
        epsilon: &Epsilon,
        bits: &Bits,
    ) -> (i32, Option<RowsEstimate>) {
        let (above, below) = sums.target_sums();
        match self.plan.neighbors {
            Neighbors::AddRemove => {
                let (center, estimate) = private_center(above, below, GRID, epsilon, bits);
                (center, Some(estimate))
            }
            Neighbors::ReplaceOne => {
                let usable = (above + below) / (2 * GRID.unsigned_abs() as u64);
                (private_center_of(above, usable, rows, GRID, epsilon, bits), None)
            }
        }
    }

    /// Scores against three or more classes, after their centers are determined.
    fn classes(
        &self,
        summed: &Summed<ClassSums>,
        center: &PlannedCenter<Vec<i32>>,
    ) -> Result<Scored> {
        let Summed { sums, rows } = summed;
        let neighbors = self.plan.neighbors;
        let (centers, estimate) = self.center(center, |epsilon, bits| {
            let (centers, estimate) =
                private_class_centers(sums.rows(), GRID, neighbors, epsilon, bits);
            (centers, Some(estimate))
        });
        let share = |&center: &i32| f64::from(center) / f64::from(GRID);
        let released = Released {
            center: estimate.map(|_| centers.iter().map(share).collect()),
            target_median: None,
            rows_estimate: estimate.map(|estimate| estimate.rows),
        };
        let scores = sums.scores(&centers, neighbors)?;
        Ok(Scored { scores, released, estimate, rows: *rows, blocks: None })
    }

    /// The votes of blocks as scores, after the median and the count of rows, if these are drawn.
    fn votes(&self, rows: &BlockRows, voting: &Voting) -> Result<Scored> {
        let median = self.plan.median().map(|epsilon| self.median(&rows.ranks(), epsilon));
        let (blocks, estimate) = match &voting.blocks {
            PlannedBlocks::Stated(blocks) => (*blocks, None),
            PlannedBlocks::ByPublicRows => (rows.rows.isqrt().max(1), None),
            PlannedBlocks::Private(epsilon) => {
                let bits = self.randomness.bits(Purpose::Rows.draw());
                let estimate = private_rows(rows.usable(), epsilon, &bits);
                (blocks_for(estimate.rows), Some(estimate))
            }
        };
        let ballots = rows.ballots(voting.penalty, median, blocks, &self.dealer)?;
        let votes = votes(&ballots, rows.features(), self.plan.k);
        let scores = Scores::new(votes, 1, self.plan.neighbors)?;
        let released = Released {
            center: None,
            target_median: median,
            rows_estimate: estimate.map(|estimate| estimate.rows),
        };
        Ok(Scored { scores, released, estimate, rows: rows.rows, blocks: Some(blocks) })
    }

    /// The planned center: public, or estimated with its part of the budget.
    fn center<C: Clone>(
        &self,
        planned: &PlannedCenter<C>,
        estimate: impl Fn(&Epsilon, &Bits) -> (C, Option<RowsEstimate>),
    ) -> (C, Option<RowsEstimate>) {
        match planned {
            PlannedCenter::Public(center) => (center.clone(), None),
            PlannedCenter::Private(epsilon) => {
                estimate(epsilon, &self.randomness.bits(Purpose::TargetCenter.draw()))
            }
        }
    }
}

/// The error for gathered values of another plan, which no caller can cause.
fn misfit() -> Error {
    Error::request("the plan does not fit the gathered values")
}
