//! Passes over a table. The gathered values depend on neither budget nor randomness.

mod ks_rows;
mod ranked;

use crate::data::{Batch, Code, Fold, Hooks, Labels, Table, TargetCell, UsableSamples, fold};
use crate::error::{Error, Result};
use crate::estimate::{MedianGrid, RankCounts};
use crate::exact::{GRID, to_grid};
use crate::score::{
    BinSums, ClassCounts, ClassSums, CorrelationSums, Family, GridRows, KeepRows, NumberSums,
    RowSums, Scores, SumRows, SumTargets, Summed, paper_scores,
};
use crate::select::blocks::BlockRows;
use crate::select::memo::Draws;
use crate::select::plan::{Association, BlockTarget, Coding, Plan, Scoring};
use crate::select::request::Target;

pub(super) use ks_rows::{KsRows, family};
pub(super) use ranked::RankedColumns;

/// The values gathered from a table for the draws of a plan.
pub(super) enum Gathered<'t> {
    /// Sums for scores against a target coded as one number.
    Sums(Summed<Box<dyn NumberSums>>),
    /// Rows on the grid, for a target yet to be split at a median, or for a refinement.
    Rows(GridRows),
    /// Sums for scores against classes.
    ClassSums(Summed<Box<dyn ClassCounts>>),
    /// Columns, of all features or of as many of the first ones as fit in memory.
    Columns(KsRows<'t>),
    /// Scores that need no private estimate, and the total number of rows.
    Scores { scores: Scores, rows: u64 },
    /// Rows for the regressions on blocks.
    Blocks(BlockRows),
    /// Kendall's correlations with the target, and access to those with any feature.
    Ranked(RankedColumns<'t>),
}

/// A pass over one table.
pub(super) struct Pass<'a> {
    pub(super) plan: &'a Plan,
    pub(super) threads: usize,
    pub(super) hooks: &'a Hooks,
    /// Whether the rows are a part of a table's, which need not have a usable target.
    pub(super) is_part: bool,
}

impl Pass<'_> {
    /// Counts the ranks of the target on the median's grid, in one pass.
    ///
    /// # Errors
    ///
    /// `Input` if no sample has a usable target; read errors.
    pub(super) fn ranks(&self, table: &mut dyn Table) -> Result<RankCounts> {
        let grid = MedianGrid::shared();
        let format = table.format().clone();
        let value = |cell: TargetCell<'_>| cell.number(&format);
        let counts =
            fold(table, &|| CountRanks { value: &value, grid, counts: grid.counts() })?.counts;
        if counts.total() == 0 && !self.is_part {
            return Err(self.no_usable_target(table));
        }
        Ok(counts)
    }

    /// Sums the targets alone, coded by `median` if they are split, in one pass: sums of no features.
    ///
    /// # Errors
    ///
    /// Read errors.
    pub(super) fn targets(
        &self,
        table: &mut dyn Table,
        median: Option<f64>,
    ) -> Result<Gathered<'static>> {
        let format = table.format().clone();
        if let Scoring::Classes { labels, .. } = &self.plan.scoring {
            let code = |cell: TargetCell<'_>| labels.class_of(cell, &format);
            let classes = labels.as_slice().len();
            let new = || SumTargets::new(&code, ClassSums::new(0, classes));
            let summed = fold(table, &new)?.summed;
            return Ok(Gathered::ClassSums(summed.map(|sums| Box::new(sums) as _)));
        }
        let Some(code) = self.plan.scoring.code(median) else { return Err(misfit()) };
        let code = |cell: TargetCell<'_>| code.code(cell, &format, GRID);
        let new = || SumTargets::new(&code, CorrelationSums::new(0));
        let summed = fold(table, &new)?.summed;
        Ok(Gathered::Sums(summed.map(number_sums)))
    }

    /// Gathers what one draw needs, in one pass. `median` is the split point of the target, if it is already
    /// known.
    ///
    /// # Errors
    ///
    /// As for [`ranks`](Self::ranks).
    pub(super) fn gather<'t>(
        &self,
        table: &'t mut dyn Table,
        median: Option<f64>,
    ) -> Result<Gathered<'t>> {
        match &self.plan.scoring {
            Scoring::DpKendall { labels } => self.ranked_columns(table, labels.as_ref()),
            Scoring::Number { .. } | Scoring::Classes { .. }
                if self.plan.has_roles(table.schema()) =>
            {
                self.ks_columns(table).map(Gathered::Columns)
            }
            Scoring::Number { association: Association::Ks, .. }
            | Scoring::Classes { association: Association::Ks, .. } => {
                self.ks_columns(table).map(Gathered::Columns)
            }
            _ => self.gather_for(Draws::One, table, median),
        }
    }

    /// Like [`gather`](Self::gather) for one or many draws, without borrowing from the table: columns that
    /// are needed again are copied, 8 bytes per value.
    ///
    /// # Errors
    ///
    /// As for [`ranks`](Self::ranks).
    pub(super) fn gather_for(
        &self,
        draws: Draws,
        table: &mut dyn Table,
        median: Option<f64>,
    ) -> Result<Gathered<'static>> {
        let format = table.format().clone();
        let d = self.plan.features;
        let has_roles = self.plan.has_roles(table.schema());
        Ok(match &self.plan.scoring {
            Scoring::Number { association, .. } | Scoring::Classes { association, .. }
                if has_roles || *association == Association::Ks =>
            {
                let all: Vec<usize> = (0..d).collect();
                let held = self.ks_rows(table, &all, None)?;
                // Correlations are not made of sorted columns, and a refinement needs the values themselves.
                let columns = match held.family {
                    Family::Thresholds if self.plan.refinement.is_none() => {
                        held.columns.sorted(self.threads, self.hooks)?
                    }
                    _ => held.columns,
                };
                Gathered::Columns(KsRows { columns, ..held })
            }
            Scoring::Number { association, .. } => {
                let on_bins = *association == Association::KsOnBins;
                // Rows that are needed again, and cannot be read again, are kept.
                let again =
                    self.plan.refinement.is_some() && (draws == Draws::Many || !table.can_repeat());
                let code = self.plan.scoring.code(median).filter(|_| !again);
                let Some(code) = code else {
                    return Ok(Gathered::Rows(self.grid_rows(table, None)?));
                };
                let code = |cell: TargetCell<'_>| code.code(cell, &format, GRID);
                Gathered::Sums(match on_bins {
                    true => self.sum(table, || BinSums::new(d), code)?.map(number_sums),
                    false => self.sum(table, || CorrelationSums::new(d), code)?.map(number_sums),
                })
            }
            Scoring::Classes { association, labels, .. } => {
                let classes = labels.as_slice().len();
                let code = |cell: TargetCell<'_>| labels.class_of(cell, &format);
                Gathered::ClassSums(match association {
                    Association::KsOnBins => self
                        .sum(table, || BinSums::of_classes(d, classes), code)?
                        .map(|sums| Box::new(sums) as _),
                    _ => self
                        .sum(table, || ClassSums::new(d, classes), code)?
                        .map(|sums| Box::new(sums) as _),
                })
            }
            Scoring::Kendall { labels } => self.kendall(table, labels.as_ref())?,
            Scoring::Paper { labels } => self.paper(table, labels.as_ref())?,
            Scoring::TwoStage(voting) => {
                Gathered::Blocks(self.block_rows(table, &voting.target, draws)?)
            }
            Scoring::DpKendall { labels } => {
                self.own_ranked_columns(table, labels.as_ref(), draws)?
            }
        })
    }

    /// Sums all samples with a usable target.
    fn sum<S: RowSums>(
        &self,
        table: &mut dyn Table,
        new: impl Fn() -> S + Sync,
        code: impl Fn(TargetCell<'_>) -> Option<S::Target> + Sync,
    ) -> Result<Summed<S>> {
        let scaling = &self.plan.scaling;
        let summed = fold(table, &|| SumRows::new(&code, scaling, new()))?.summed();
        if summed.sums.is_empty() && !self.is_part {
            return Err(self.no_usable_target(table));
        }
        Ok(summed)
    }

    /// Keeps all samples with a usable target on the grid, of all features or of these, for a target coded as one number.
    ///
    /// # Errors
    ///
    /// As for [`ranks`](Self::ranks).
    pub(super) fn grid_rows(
        &self,
        table: &mut dyn Table,
        only: Option<&[usize]>,
    ) -> Result<GridRows> {
        let on_bins = match &self.plan.scoring {
            Scoring::Number { association, .. } => *association == Association::KsOnBins,
            _ => false,
        };
        let marks_missing = on_bins || self.plan.refinement.is_some();
        let code = self.ks_code(table.format().clone());
        self.keep(table, &code, marks_missing, only)
    }

    /// Keeps all samples with a usable target on the grid; `value` parses a target cell. Missing values become the
    /// middle of the grid, or are marked.
    fn keep(
        &self,
        table: &mut dyn Table,
        value: &Code<'_>,
        marks_missing: bool,
        only: Option<&[usize]>,
    ) -> Result<GridRows> {
        let new = || KeepRows::new(value, &self.plan.scaling, marks_missing).only(only);
        let kept = fold(table, &new)?.kept;
        if kept.targets.is_empty() {
            return Err(self.no_usable_target(table));
        }
        Ok(kept)
    }

    /// Scores features by correlation after scaling by the data: not private.
    fn paper(&self, table: &mut dyn Table, labels: Option<&Labels>) -> Result<Gathered<'static>> {
        let UsableSamples { columns, targets, samples, .. } = self.columns(table, labels)?;
        let neighbors = self.plan.neighbors;
        let scores = paper_scores(&columns, &targets, |t| to_grid(t, GRID), GRID, neighbors)?;
        Ok(Gathered::Scores { scores, rows: samples })
    }

    /// Rows on the grid as numbers from -1 to 1, or rows scaled by the data.
    fn block_rows(
        &self,
        table: &mut dyn Table,
        target: &BlockTarget,
        draws: Draws,
    ) -> Result<BlockRows> {
        let coding = match target {
            BlockTarget::Coded(coding) => coding,
            BlockTarget::Paper { labels } => {
                let UsableSamples { columns, targets, samples, .. } =
                    self.columns(table, labels.as_ref())?;
                return Ok(BlockRows::scaled_by_data(&columns, &targets, samples, draws));
            }
        };
        let format = table.format().clone();
        let value = |cell: TargetCell<'_>| match coding {
            Coding::MedianSplit(_) => cell.number(&format),
            Coding::Stated(code) => {
                code.code(cell, &format, GRID).map(|code| f64::from(code) / f64::from(GRID))
            }
        };
        let kept = self.keep(table, &value, false, None)?;
        Ok(BlockRows::on_grid(kept, self.plan.features, draws))
    }

    /// The error for a table without any usable target, which is malformed: the privacy guarantee requires at
    /// least one usable row.
    fn no_usable_target(&self, table: &dyn Table) -> Error {
        table.no_usable_target(matches!(self.plan.target, Target::Classes(_)))
    }
}

fn number_sums<S: NumberSums + 'static>(sums: S) -> Box<dyn NumberSums> {
    Box::new(sums)
}

/// Counts target values on the median's grid.
struct CountRanks<'a> {
    value: &'a Code<'a>,
    grid: &'a MedianGrid,
    counts: RankCounts,
}

impl Fold for CountRanks<'_> {
    const READS_VALUES: bool = false;

    fn batch(&mut self, batch: &Batch<'_>) {
        let targets = (0..batch.len()).filter_map(|place| batch.target(place));
        for value in targets.filter_map(self.value) {
            self.grid.observe(&mut self.counts, value);
        }
    }

    fn merge(&mut self, other: Self) {
        self.counts.merge(&other.counts);
    }
}

/// The error for gathered values of another plan, which no caller can cause.
pub(in crate::select) fn misfit() -> Error {
    Error::request("the plan does not fit the gathered values")
}
