//! Whole methods within a run.

use ndarray::{Array1, Array2};

use crate::data::{Labels, Samples, TargetCode, UsableSamples};
use crate::error::{Error, Result};
use crate::estimate::private_rows;
use crate::exact::Q;
use crate::method::{Lasso, ballots, blocks_for, dp_kendall, draw_blocks, votes};
use crate::privacy::Purpose;
use crate::score::Scores;
use crate::select::Released;
use crate::select::plan::{PlannedBlocks, PlannedCoding};
use crate::select::run::{Chosen, Run, Scored};

/// The draw that deals rows to blocks; it spends nothing.
const BLOCKS_DRAW: u64 = 4;

impl Run<'_> {
    /// Votes of the LASSO on blocks: one pass, the rows held in memory.
    pub(super) fn two_stage(
        &self,
        table: &mut impl Samples,
        coding: &PlannedCoding,
        blocks: &PlannedBlocks,
        lasso: &Lasso,
    ) -> Result<Scored> {
        let format = table.format().clone();
        let held = self.hold_with(table, |cell| match coding {
            PlannedCoding::MedianSplit(_) => format.number(cell),
            PlannedCoding::Stated(code) => code.code(cell, &format, Q).map(f64::from),
        })?;
        let median = match coding {
            PlannedCoding::MedianSplit(epsilon) => Some(self.median(&held.ranks(), epsilon)),
            PlannedCoding::Stated(_) => None,
        };
        let (n, unit) = (held.targets().len(), f64::from(Q));
        let (blocks, estimate) = match blocks {
            PlannedBlocks::Stated(blocks) => (*blocks, None),
            PlannedBlocks::ByPublicRows => {
                ((held.samples() as f64).sqrt().floor().max(1.0) as u64, None)
            }
            PlannedBlocks::Private(epsilon) => {
                let bits = self.randomness.bits(Purpose::Rows.draw());
                let estimate = private_rows(n as u64, epsilon, &bits);
                (blocks_for(estimate.rows), Some(estimate))
            }
        };
        let target = |value: &f64| match median {
            Some(median) => f64::from(TargetCode::split(*value, median, Q)) / unit,
            None => value / unit,
        };
        let y: Array1<f64> = held.targets().iter().map(target).collect();
        let codes = held.codes().iter().map(|code| f64::from(*code) / unit).collect();
        let d = table.schema().d();
        let x = Array2::from_shape_vec((n, d), codes);
        let x = x.map_err(|_| Error::input("the table's rows differ in length"))?;
        let block = draw_blocks(n, blocks, &self.randomness.bits(BLOCKS_DRAW));
        let (k, threads) = (self.request.k, self.request.threads_used());
        let ballots = ballots(x.view(), y.view(), &block, lasso, k, threads)?;
        let scores = Scores::new(votes(&ballots, d, k), 1, self.request.neighbours)?;
        let released = Released {
            center: None,
            target_median: median,
            rows_estimate: estimate.map(|estimate| estimate.rows),
        };
        Ok(Scored { scores, released, estimate, rows: held.samples() })
    }

    /// Picks one by one, by Kendall's correlation.
    pub(super) fn dp_kendall(
        &self,
        table: &mut impl Samples,
        labels: Option<&Labels>,
    ) -> Result<Chosen> {
        let format = table.format().clone();
        let code = |cell: &[u8]| self.whole_target(cell, labels, &format);
        let neighbours = self.request.neighbours;
        let (picks, rows) = {
            let UsableSamples { columns, targets, samples } = table.columns(code)?;
            let classes = labels.map_or(0, |labels| labels.as_slice().len());
            let picks = if targets.is_empty() {
                None
            } else {
                Some(dp_kendall(
                    &columns,
                    &targets,
                    classes,
                    neighbours,
                    (self.request.k, &self.plan.selection),
                    self.randomness,
                    self.request.threads_used(),
                )?)
            };
            (picks, samples)
        };
        let picks = picks.ok_or_else(|| self.no_usable_target(table))?;
        let sensitivity = crate::score::kendall_sensitivity(neighbours);
        let (released, estimate) = (Released::default(), None);
        Ok(Chosen { picks, sensitivity, released, estimate, rows })
    }
}
