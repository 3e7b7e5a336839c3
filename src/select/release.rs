//! Private releases: draws from the gathered values with the budget of the plan. They do not access files.

use crate::error::Result;
use crate::estimate::{
    Counted, MedianGrid, RankCounts, RowsEstimate, private_center, private_class_centers,
    private_rows,
};
use crate::exact::GRID;
use crate::mechanism::choose;
use crate::method::{blocks_for, dp_kendall, votes};
use crate::privacy::{Epsilon, Purpose};
use crate::random::{Bits, RandomnessSource};
use crate::score::Scores;
use crate::select::blocks::{BlockRows, Dealer};
use crate::select::findings::{Findings, findings};
use crate::select::pass::{Gathered, misfit};
use crate::select::plan::{
    Association, ChosenBy, ChosenMechanism, Plan, PlannedBlocks, PlannedCenter, Scoring, Voting,
};
use crate::select::record::Released;
use crate::select::settled::{CodedNumber, CodedTarget, Exact, Settled, SettledTarget};

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
    /// What chose them.
    pub(super) mechanism: ChosenMechanism,
    /// The features that the picks were refined from, if they were.
    pub(super) screened: Option<Vec<usize>>,
    /// The largest change of a score by one row, if all picks compare scores of one sensitivity.
    pub(super) sensitivity: Option<u64>,
    pub(super) released: Released,
    /// The private estimate of the number of rows.
    pub(super) estimate: Option<RowsEstimate>,
    /// The total number of rows, recorded only if it is public.
    pub(super) rows: u64,
    /// The number of blocks of rows.
    pub(super) blocks: Option<u64>,
    /// Strengths, directions and verdicts of the picks, in their order; none if not released.
    pub(super) findings: Option<Findings>,
}

impl Release<'_> {
    /// The private median of the target.
    pub(super) fn median(&self, counts: &RankCounts, epsilon: &Epsilon) -> f64 {
        let bits = self.randomness.bits(Purpose::TargetMedian.draw());
        MedianGrid::shared().private_median(counts, self.plan.neighbors, epsilon, &bits)
    }

    /// Releases what scores depend on: median and center. `median` is the one released between the passes, if any.
    ///
    /// # Errors
    ///
    /// `Request` for gathered values of another plan, which no caller can cause.
    pub(super) fn settle(&self, gathered: &Gathered<'_>, median: Option<f64>) -> Result<Settled> {
        let split = |values: &[f64], epsilon: &Epsilon| {
            self.median(&MedianGrid::shared().count(values.iter().copied()), epsilon)
        };
        let coded = CodedTarget::of(gathered, self.plan, median, split)?;
        match (coded, &self.plan.scoring) {
            (CodedTarget::Number(number), Scoring::Number { association, center, .. }) => {
                // Families of thresholds hold the constants, which an error of the center lifts.
                Ok(self.number(number, center, *association != Association::Correlation))
            }
            (CodedTarget::Classes { counts, rows }, Scoring::Classes { center, .. }) => {
                Ok(self.classes(&counts, rows, center))
            }
            (CodedTarget::Scored { rows }, _) => Ok(Settled {
                target: SettledTarget::Scored,
                split: None,
                released: Released::default(),
                counted: None,
                rows,
            }),
            _ => Err(misfit()),
        }
    }

    /// Selects features by their scores, with the mechanism for these counts, if they were released: k, or those screened
    /// for a refinement.
    ///
    /// # Errors
    ///
    /// `Request` if the scores do not suit the mechanism.
    pub(super) fn select(&self, scores: &Scores, counted: Option<&Counted>) -> Result<Vec<usize>> {
        let ChosenMechanism { mechanism, by } = self.mechanism(counted);
        let bits = self.randomness.bits(Purpose::Selection.draw());
        let noise = &self.plan.calibrated.noise;
        let mut picks = choose(&*mechanism, scores, self.plan.picks(), noise, &bits)?;
        if by != ChosenBy::Statement {
            // One form of the output, whichever mechanism it is.
            picks.sort_unstable();
        }
        Ok(picks)
    }

    fn mechanism(&self, counted: Option<&Counted>) -> ChosenMechanism {
        self.plan.choice.chosen(counted.map(|counted| &counted.classes[..]))
    }

    /// All that is released, after the selection by scores of this sensitivity; `exact` computes the strengths of
    /// the picks.
    ///
    /// # Errors
    ///
    /// Those of `exact`.
    pub(super) fn finish(
        &self,
        settled: Settled,
        picks: Vec<usize>,
        sensitivity: u64,
        exact: impl FnOnce(&Settled, &[usize]) -> Result<Exact>,
    ) -> Result<Chosen> {
        let wanted = self.plan.estimates.is_some() || self.plan.direction.is_some();
        let findings = match &settled.counted {
            Some(counted) if wanted => {
                let exact = exact(&settled, &picks)?;
                Some(findings(self.plan, &settled.target, counted, &exact, self.randomness))
            }
            _ => None,
        };
        Ok(Chosen {
            picks,
            mechanism: self.mechanism(settled.counted.as_ref()),
            screened: None,
            sensitivity: Some(sensitivity),
            estimate: settled.counted.as_ref().map(|counted| counted.usable),
            released: settled.released,
            rows: settled.rows,
            blocks: None,
            findings,
        })
    }

    /// Picks of the methods that are not selections by one score per feature.
    ///
    /// # Errors
    ///
    /// `Request` if the votes do not suit the mechanism; `Canceled` if the caller stopped it.
    pub(super) fn draw_method(&self, gathered: &Gathered<'_>) -> Result<Chosen> {
        match (gathered, &self.plan.scoring) {
            (Gathered::Blocks(rows), Scoring::TwoStage(voting)) => self.votes(rows, voting),
            (Gathered::Ranked(columns), _) => {
                let Plan { k, calibrated, .. } = self.plan;
                let shared = |feature| columns.shared(feature);
                let target = columns.target.clone();
                Ok(Chosen {
                    picks: dp_kendall(target, shared, *k, &calibrated.noise, self.randomness)?,
                    mechanism: self.mechanism(None),
                    screened: None,
                    // The scores of later rounds have a larger sensitivity than those of the first.
                    sensitivity: None,
                    released: Released::default(),
                    estimate: None,
                    rows: columns.rows,
                    blocks: None,
                    findings: None,
                })
            }
            _ => Err(misfit()),
        }
    }

    /// Settles a target coded as one number. `shrinks` says whether scores use a private center shrunk by its noise.
    fn number(&self, target: CodedNumber, center: &PlannedCenter<i32>, shrinks: bool) -> Settled {
        let CodedNumber { code, sums, split, rows } = target;
        if let (true, PlannedCenter::Private(epsilon)) = (sums.len() > 1, center) {
            return Settled::in_strata(code, self.centers_of_strata(&sums, epsilon), shrinks);
        }
        let sums = sums.first().copied().unwrap_or_default();
        let usable = (sums.0 + sums.1) / (2 * u64::from(GRID.unsigned_abs()));
        let (released, counted) = self.center(center, |epsilon, bits| {
            private_center(sums, rows - usable, GRID, self.plan.neighbors, epsilon, bits)
        });
        Settled { split, ..Settled::number(code, released, shrinks, counted, rows) }
    }

    /// The center of each stratum. A row is in one stratum and changes the sums of that one alone, so each is paid with the
    /// whole part of the budget. A row in no stratum is counted nowhere.
    fn centers_of_strata(&self, sums: &[(u64, u64)], epsilon: &Epsilon) -> Vec<(i32, Counted)> {
        let bits = self.randomness.bits(Purpose::TargetCenter.draw());
        let neighbors = self.plan.neighbors;
        let center = |(stratum, sums): (u64, &(u64, u64))| {
            private_center(*sums, 0, GRID, neighbors, epsilon, &bits.branch(stratum))
        };
        (0..).zip(sums).map(center).collect()
    }

    /// Settles three or more classes.
    fn classes(&self, counts: &[u64], rows: u64, center: &PlannedCenter<Vec<i32>>) -> Settled {
        let unusable = rows - counts.iter().sum::<u64>();
        let (centers, counted) = self.center(center, |epsilon, bits| {
            let neighbors = self.plan.neighbors;
            private_class_centers(counts, unusable, GRID, neighbors, epsilon, bits)
        });
        Settled::classes(centers, counted, rows)
    }

    /// Picks by the votes of blocks, after the median and the count of rows, if these are drawn.
    fn votes(&self, rows: &BlockRows, voting: &Voting) -> Result<Chosen> {
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
            target_median: median,
            rows_estimate: estimate.map(|estimate| estimate.rows),
            ..Released::default()
        };
        Ok(Chosen {
            picks: self.select(&scores, None)?,
            mechanism: self.mechanism(None),
            screened: None,
            sensitivity: Some(scores.sensitivity()),
            released,
            estimate,
            rows: rows.rows,
            blocks: Some(blocks),
            findings: None,
        })
    }

    /// The planned center: public, or estimated with its part of the budget, along with counts of the rows.
    fn center<C: Clone>(
        &self,
        planned: &PlannedCenter<C>,
        estimate: impl Fn(&Epsilon, &Bits) -> (C, Counted),
    ) -> (C, Option<Counted>) {
        match planned {
            PlannedCenter::Public(center) => (center.clone(), None),
            PlannedCenter::Private(epsilon) => {
                let bits = self.randomness.bits(Purpose::TargetCenter.draw());
                let (center, counted) = estimate(epsilon, &bits);
                (center, Some(counted))
            }
        }
    }
}
