//! Passes over a table. The gathered values depend on neither budget nor randomness.

mod ks_rows;
mod ranked;

use std::borrow::Cow;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::estimate::{MedianGrid, RankCounts};
use crate::exact::{GRID, to_grid};
use crate::request::fields::Association;
use crate::request::plan::{BlockTarget, CodedScoring, Coding, Plan, Scoring, Voting};
use crate::score::{
    BinSums, ClassSums, CodedSums, CorrelationSums, Family, GridRows, KeepRows, RowSums, Scores,
    SumRows, SumTargets, Summed, paper_scores,
};
use crate::statistic::blocks::BlockRows;
use crate::statistic::coded::{Gathering, KsRows, Statistic};
use crate::statistic::memo::Draws;
use crate::table::{
    Batch, Code, Fold, Hooks, Labels, Schema, Table, TargetCell, UsableSamples, fold,
};

pub(crate) use ranked::RankedColumns;

/// The values gathered from a table for the draws of a plan.
pub(crate) enum Gathered<'t> {
    /// For scores against a coded target.
    Coded(Statistic<'t>),
    /// Scores that need no private estimate, and the total number of rows.
    Scores { scores: Scores, rows: u64 },
    /// Rows for the regressions on blocks.
    Blocks(BlockRows),
    /// Kendall's correlations with the target, and access to those with any feature.
    Ranked(RankedColumns<'t>),
}

/// A pass over one table.
pub(crate) struct Pass<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) threads: usize,
    pub(crate) hooks: &'a Hooks,
}

impl Pass<'_> {
    /// Counts the ranks of the target on the median's grid, in one pass.
    ///
    /// # Errors
    ///
    /// Read errors.
    pub(crate) fn ranks(&self, table: &mut dyn Table) -> Result<RankCounts> {
        let grid = MedianGrid::shared();
        let format = table.format().clone();
        let value = |cell: TargetCell<'_>| cell.number(&format);
        Ok(fold(table, &|| CountRanks { value: &value, grid, counts: grid.counts() })?.counts)
    }

    /// Sums the targets alone, coded by `median` if they are split, in one pass: sums of no
    /// features.
    ///
    /// # Errors
    ///
    /// Read errors; `Request` if the target is split and there is no median.
    pub(crate) fn targets(
        &self,
        table: &mut dyn Table,
        scoring: &CodedScoring,
        median: Option<f64>,
    ) -> Result<Summed<Arc<dyn CodedSums>>> {
        let format = table.format().clone();
        if let Some(labels) = scoring.labels() {
            let code = |cell: TargetCell<'_>| labels.class_of(cell, &format);
            let classes = labels.as_slice().len();
            let new = || SumTargets::new(&code, ClassSums::new(0, classes));
            return Ok(fold(table, &new)?.summed.map(shared));
        }
        let code = scoring.code(median).ok_or_else(not_split)?;
        let code = |cell: TargetCell<'_>| code.code(cell, &format, GRID);
        let new = || SumTargets::new(&code, CorrelationSums::new(0));
        Ok(fold(table, &new)?.summed.map(shared))
    }

    /// Sums features and targets, coded by `median` if they are split, in one pass.
    ///
    /// # Errors
    ///
    /// As for [`targets`](Self::targets), and for [`ranks`](Self::ranks).
    pub(crate) fn sums(
        &self,
        table: &mut dyn Table,
        scoring: &CodedScoring,
        median: Option<f64>,
    ) -> Result<Summed<Arc<dyn CodedSums>>> {
        let (format, d) = (table.format().clone(), self.plan.features);
        let on_bins = scoring.association == Association::KsOnBins;
        if let Some(labels) = scoring.labels() {
            let classes = labels.as_slice().len();
            let code = |cell: TargetCell<'_>| labels.class_of(cell, &format);
            return Ok(match on_bins {
                true => self.sum(table, || BinSums::of_classes(d, classes), code)?.map(shared),
                false => self.sum(table, || ClassSums::new(d, classes), code)?.map(shared),
            });
        }
        let code = scoring.code(median).ok_or_else(not_split)?;
        let code = |cell: TargetCell<'_>| code.code(cell, &format, GRID);
        Ok(match on_bins {
            true => self.sum(table, || BinSums::new(d), code)?.map(shared),
            false => self.sum(table, || CorrelationSums::new(d), code)?.map(shared),
        })
    }

    /// Gathers the values that one draw needs, in one pass. `median` is the split point of the
    /// target, if it is already known.
    ///
    /// # Errors
    ///
    /// As for [`ranks`](Self::ranks).
    pub(crate) fn gather<'t>(
        &self,
        table: &'t mut dyn Table,
        median: Option<f64>,
    ) -> Result<Gathered<'t>> {
        match &self.plan.scoring {
            Scoring::DpKendall { labels } => self.ranked_columns(table, labels.as_ref()),
            Scoring::Coded(scoring) if self.scores_columns(scoring, table.schema()) => {
                let rows = self.ks_columns(table)?;
                let (scoring, values) = (scoring.clone(), Gathering::Columns(rows));
                Ok(Gathered::Coded(Statistic { scoring, values }))
            }
            _ => self.gather_for(Draws::One, table, median),
        }
    }

    /// Whether scores are computed from whole columns.
    fn scores_columns(&self, scoring: &CodedScoring, schema: &Schema) -> bool {
        scoring.association == Association::Ks || self.plan.has_roles(schema)
    }

    /// Like [`gather`](Self::gather) for one or many draws, without borrowing from the table:
    /// columns that are needed again are copied, 8 bytes per value.
    ///
    /// # Errors
    ///
    /// As for [`ranks`](Self::ranks).
    pub(crate) fn gather_for(
        &self,
        draws: Draws,
        table: &mut dyn Table,
        median: Option<f64>,
    ) -> Result<Gathered<'static>> {
        Ok(match &self.plan.scoring {
            Scoring::Coded(scoring) => Gathered::Coded(Statistic {
                values: self.values_for(draws, table, scoring, median)?,
                scoring: scoring.clone(),
            }),
            Scoring::Kendall { labels } => self.kendall(table, labels.as_ref())?,
            Scoring::Paper { labels } => self.paper(table, labels.as_ref())?,
            Scoring::TwoStage(voting) => Gathered::Blocks(self.block_rows(table, voting, draws)?),
            Scoring::DpKendall { labels } => {
                self.own_ranked_columns(table, labels.as_ref(), draws)?
            }
        })
    }

    fn values_for(
        &self,
        draws: Draws,
        table: &mut dyn Table,
        scoring: &CodedScoring,
        median: Option<f64>,
    ) -> Result<Gathering<'static>> {
        let (d, refines) = (self.plan.features, self.plan.refinement.is_some());
        if self.scores_columns(scoring, table.schema()) {
            let all: Vec<usize> = (0..d).collect();
            let held = self.ks_rows(table, &all, None)?;
            // Correlations are not computed from sorted columns, and a refinement needs the values
            // themselves.
            let columns = match held.family {
                Family::Thresholds if !refines => held.columns.sorted(self.threads, self.hooks)?,
                _ => held.columns,
            };
            return Ok(Gathering::Columns(KsRows { columns, ..held }));
        }
        let code = scoring.code(median);
        // Rows that are needed again, and cannot be read again, are kept.
        let again = refines && (draws == Draws::Many || !table.can_repeat());
        if scoring.labels().is_none() && (code.is_none() || again) {
            return Ok(Gathering::Rows(self.grid_rows(table, None)?, d));
        }
        let code = code.map(Cow::into_owned);
        Ok(Gathering::Sums(self.sums(table, scoring, median)?, code))
    }

    /// Sums all samples with a usable target.
    fn sum<S: RowSums>(
        &self,
        table: &mut dyn Table,
        new: impl Fn() -> S + Sync,
        code: impl Fn(TargetCell<'_>) -> Option<S::Target> + Sync,
    ) -> Result<Summed<S>> {
        let scaling = &self.plan.scaling;
        Ok(fold(table, &|| SumRows::new(&code, scaling, new()))?.summed())
    }

    /// Keeps all samples with a usable target on the grid, of all features or of these, for a
    /// target coded as one number.
    ///
    /// # Errors
    ///
    /// As for [`ranks`](Self::ranks).
    pub(crate) fn grid_rows(
        &self,
        table: &mut dyn Table,
        only: Option<&[usize]>,
    ) -> Result<GridRows> {
        let code = self.ks_code(table.format().clone());
        self.keep(table, &code, true, only)
    }

    /// Keeps all samples with a usable target on the grid; `value` parses a target cell. Missing
    /// values become the middle of the grid, or are marked.
    fn keep(
        &self,
        table: &mut dyn Table,
        value: &Code<'_>,
        marks_missing: bool,
        only: Option<&[usize]>,
    ) -> Result<GridRows> {
        let new = || KeepRows::new(value, &self.plan.scaling, marks_missing).only(only);
        Ok(fold(table, &new)?.kept)
    }

    /// Scores features by correlation after scaling by the data: not private.
    fn paper(&self, table: &mut dyn Table, labels: Option<&Labels>) -> Result<Gathered<'static>> {
        let UsableSamples { columns, targets, samples, .. } = self.columns(table, labels)?;
        let neighbors = self.plan.request.neighbors;
        let scores = paper_scores(&columns, &targets, |t| to_grid(t, GRID), GRID, neighbors)?;
        Ok(Gathered::Scores { scores, rows: samples })
    }

    /// Rows on the grid as numbers from -1 to 1, or rows scaled by the data.
    fn block_rows(
        &self,
        table: &mut dyn Table,
        voting: &Arc<Voting>,
        draws: Draws,
    ) -> Result<BlockRows> {
        let coding = match &voting.target {
            BlockTarget::Coded(coding) => coding,
            BlockTarget::Paper { labels } => {
                let UsableSamples { columns, targets, samples, .. } =
                    self.columns(table, labels.as_ref())?;
                let voting = voting.clone();
                let scaled = BlockRows::scaled_by_data(&columns, &targets, samples, voting, draws);
                return Ok(scaled);
            }
        };
        let format = table.format().clone();
        let value = |cell: TargetCell<'_>| match coding {
            Coding::MedianSplit => cell.number(&format),
            Coding::Given(code) => {
                code.code(cell, &format, GRID).map(|code| f64::from(code) / f64::from(GRID))
            }
        };
        let kept = self.keep(table, &value, false, None)?;
        Ok(BlockRows::on_grid(kept, self.plan.features, voting.clone(), draws))
    }
}

fn shared<S: CodedSums + 'static>(sums: S) -> Arc<dyn CodedSums> {
    Arc::new(sums)
}

/// The error for sums at a median that was not released yet.
fn not_split() -> Error {
    Error::request("the target is to be split at a median, which was not released yet")
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
        for place in 0..batch.len() {
            if let Some(value) = batch.target(place).and_then(self.value) {
                self.grid.observe(&mut self.counts, value);
            }
        }
    }

    fn merge(&mut self, other: Self) {
        self.counts.merge(&other.counts);
    }
}
