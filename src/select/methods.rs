//! Whole methods within a run.

use std::sync::Arc;

use ndarray::{Array1, Array2};

use crate::data::{Columns, Labels, Samples, TargetCode, UsableSamples};
use crate::error::{Error, Result};
use crate::estimate::{MedianGrid, private_rows};
use crate::exact::GRID;
use crate::method::{ballots, blocks_for, dp_kendall, draw_blocks, votes};
use crate::privacy::Purpose;
use crate::score::{Scores, kendall_scores, kendall_with, scaled};
use crate::select::Released;
use crate::select::plan::{BlockTarget, PlannedBlocks, PlannedCoding, PlannedTwoStage};
use crate::select::run::{Chosen, Run, Scored};

/// The draw that deals rows to blocks; it spends nothing.
const BLOCKS_DRAW: u64 = 4;

/// Rows for blocks, in memory.
pub(super) struct BlockRows {
    x: Array2<f64>,
    /// Ready to regress on, unless it is to be split at a median.
    target: Array1<f64>,
    /// All samples, those without a usable target as well.
    samples: u64,
}

/// The features each block votes for, best first.
pub(super) type Ballots = Vec<Vec<usize>>;

impl Run<'_> {
    /// Votes of the LASSO on blocks: one pass, the rows held in memory.
    pub(super) fn two_stage(
        &self,
        table: &mut impl Samples,
        planned: &PlannedTwoStage,
    ) -> Result<Scored> {
        let rows = self.block_rows(table, &planned.target)?;
        self.scored_two_stage(planned, &rows, |y, blocks, _| {
            Ok(Arc::new(self.cast(planned, &rows, y, blocks)))
        })
    }

    /// Rows on the grid, or scaled by the data.
    pub(super) fn block_rows(
        &self,
        table: &mut impl Samples,
        target: &BlockTarget,
    ) -> Result<BlockRows> {
        let coding = match target {
            BlockTarget::Coded(coding) => coding,
            BlockTarget::Paper { labels } => return self.paper_rows(table, labels.as_ref()),
        };
        let format = table.format().clone();
        let held = self.hold_with(table, |cell| match coding {
            PlannedCoding::MedianSplit(_) => format.number(cell),
            PlannedCoding::Stated(code) => {
                code.code(cell, &format, GRID).map(|code| f64::from(code) / f64::from(GRID))
            }
        })?;
        let codes = held.codes().iter().map(|code| f64::from(*code) / f64::from(GRID)).collect();
        let shape = (held.targets().len(), table.schema().d());
        let x = Array2::from_shape_vec(shape, codes);
        let x = x.map_err(|_| Error::input("the table's rows differ in length"))?;
        let target = held.targets().iter().copied().collect();
        Ok(BlockRows { x, target, samples: held.samples() })
    }

    /// Features and target centered and scaled by the data: not private.
    fn paper_rows(&self, table: &mut impl Samples, labels: Option<&Labels>) -> Result<BlockRows> {
        let format = table.format().clone();
        let rows = {
            let code = |cell: &[u8]| self.whole_target(cell, labels, &format);
            let UsableSamples { columns, targets, samples } = table.columns(code)?;
            let mut x = Array2::zeros((targets.len(), columns.features()));
            for (feature, mut column) in x.columns_mut().into_iter().enumerate() {
                let values: Vec<f64> = columns.column(feature).collect();
                column.iter_mut().zip(scaled(&values)).for_each(|(to, value)| *to = value);
            }
            BlockRows { x, target: scaled(&targets).collect(), samples }
        };
        if rows.target.is_empty() {
            return Err(self.no_usable_target(table));
        }
        Ok(rows)
    }

    /// Votes as scores. `cast` gives the ballots for a target, a number of blocks and the median that
    /// the target was split at.
    pub(super) fn scored_two_stage(
        &self,
        planned: &PlannedTwoStage,
        rows: &BlockRows,
        cast: impl Fn(&Array1<f64>, u64, Option<f64>) -> Result<Arc<Ballots>>,
    ) -> Result<Scored> {
        let (median, y) = match &planned.target {
            BlockTarget::Coded(PlannedCoding::MedianSplit(epsilon)) => {
                let grid = MedianGrid::shared();
                let mut ranks = grid.counts();
                rows.target.iter().for_each(|value| grid.observe(&mut ranks, *value));
                let median = self.median(&ranks, epsilon);
                let side = |value| f64::from(TargetCode::split(value, median, 1));
                (Some(median), rows.target.mapv(side))
            }
            _ => (None, rows.target.clone()),
        };
        let (blocks, estimate) = match &planned.blocks {
            PlannedBlocks::Stated(blocks) => (*blocks, None),
            PlannedBlocks::ByPublicRows => (rows.samples.isqrt().max(1), None),
            PlannedBlocks::Private(epsilon) => {
                let bits = self.randomness.bits(Purpose::Rows.draw());
                let estimate = private_rows(y.len() as u64, epsilon, &bits);
                (blocks_for(estimate.rows), Some(estimate))
            }
        };
        let ballots = cast(&y, blocks, median)?;
        let votes = votes(&ballots, rows.x.ncols(), self.request.k);
        let scores = Scores::new(votes, 1, self.request.neighbors)?;
        let released = Released {
            center: None,
            target_median: median,
            rows_estimate: estimate.map(|estimate| estimate.rows),
        };
        Ok(Scored { scores, released, estimate, rows: rows.samples, blocks: Some(blocks) })
    }

    /// Deals the rows to blocks and lets them vote.
    pub(super) fn cast(
        &self,
        planned: &PlannedTwoStage,
        rows: &BlockRows,
        y: &Array1<f64>,
        blocks: u64,
    ) -> Ballots {
        let block = draw_blocks(y.len(), blocks, &self.randomness.bits(BLOCKS_DRAW));
        let (k, threads) = (self.request.k, self.request.threads_used());
        ballots(rows.x.view(), y.view(), &block, &planned.lasso, k, threads)
    }

    /// Picks one by one, by Kendall's correlation.
    pub(super) fn dp_kendall(
        &self,
        table: &mut impl Samples,
        labels: Option<&Labels>,
    ) -> Result<Chosen> {
        let format = table.format().clone();
        let code = |cell: &[u8]| self.whole_target(cell, labels, &format);
        let (k, threads) = (self.request.k, self.request.threads_used());
        let chosen = {
            let UsableSamples { columns, targets, samples } = table.columns(code)?;
            let classes = labels.map_or(0, |labels| labels.as_slice().len());
            let target = (!targets.is_empty()).then(|| {
                let (neighbors, progress) = (self.request.neighbors, &self.request.progress);
                let progress = progress.as_ref();
                kendall_scores(&columns, &targets, classes, neighbors, threads, progress)
            });
            target.transpose()?.map(|target| {
                let shared = |pick| Arc::from(kendall_with(&columns, pick, threads));
                let epsilon = &self.plan.selection;
                let picks = dp_kendall(target, shared, k, epsilon, self.randomness)?;
                let (released, estimate) = (Released::default(), None);
                // The scores of later rounds move further than those of the first.
                let (sensitivity, blocks) = (None, None);
                Ok(Chosen { picks, sensitivity, released, estimate, rows: samples, blocks })
            })
        };
        chosen.unwrap_or_else(|| Err(self.no_usable_target(table)))
    }
}
