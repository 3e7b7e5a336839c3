//! Passes over a table. The gathered values depend on neither budget nor randomness.

use std::sync::Arc;

use crate::data::{
    CellFormat, Columns, Hooks, Labels, Sample, SampleFold, Samples, TargetCell, TargetCode,
    UsableSamples, Value,
};
use crate::error::{Error, Result};
use crate::estimate::{MedianGrid, RankCounts};
use crate::exact::{GRID, to_grid};
use crate::score::{
    BinSums, ClassCounts, ClassSums, CorrelationSums, GridRows, KeepRows, KsColumns, NumberSums,
    RowSums, Scores, SumRows, Summed, kendall_scores, kendall_with, paper_scores,
};
use crate::select::blocks::BlockRows;
use crate::select::memo::{Draws, Memo};
use crate::select::plan::{Association, BlockTarget, Coding, Plan, Scoring};
use crate::select::request::Target;
use crate::select::settled::Settled;

/// The values gathered from a table for the draws of a plan.
pub(super) enum Gathered<'t> {
    /// Sums for scores against a target coded as one number.
    Sums(Summed<Box<dyn NumberSums>>),
    /// Rows on the grid, for a target yet to be split at a median.
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

/// Columns for Kolmogorov-Smirnov scores, with the targets of their rows.
pub(super) struct KsRows<'t> {
    pub(super) columns: KsColumns<'t>,
    /// The target of each row with a usable one: its grid value, its class, or its value if it is yet to be split at
    /// a median.
    pub(super) targets: Vec<f64>,
    /// The total number of rows.
    pub(super) rows: u64,
}

/// Correlations for a selection that discounts by earlier picks.
pub(super) struct RankedColumns<'t> {
    pub(super) target: Scores,
    /// The total number of rows.
    pub(super) rows: u64,
    with: Box<dyn Fn(usize) -> Result<Vec<i64>> + Send + Sync + 't>,
    shared: Memo<usize, [i64]>,
}

impl RankedColumns<'_> {
    /// Kendall's correlations of all features with this feature, in feature order.
    pub(super) fn shared(&self, feature: usize) -> Result<Arc<[i64]>> {
        self.shared.get(feature, || (self.with)(feature).map(Arc::from))
    }
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
    pub(super) fn ranks(&self, table: &mut impl Samples) -> Result<RankCounts> {
        let grid = MedianGrid::shared();
        let format = table.format().clone();
        let value = |cell: TargetCell<'_>| cell.number(&format);
        let counts =
            table.fold(|| CountRanks { value: &value, grid, counts: grid.counts() })?.counts;
        if counts.total() == 0 && !self.is_part {
            return Err(self.no_usable_target(table));
        }
        Ok(counts)
    }

    /// Gathers what one draw needs, in one pass. `median` is the split point of the target, if it is already
    /// known.
    ///
    /// # Errors
    ///
    /// As for [`ranks`](Self::ranks).
    pub(super) fn gather<'t>(
        &self,
        table: &'t mut impl Samples,
        median: Option<f64>,
    ) -> Result<Gathered<'t>> {
        match &self.plan.scoring {
            Scoring::DpKendall { labels } => self.ranked_columns(table, labels.as_ref()),
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
        table: &mut impl Samples,
        median: Option<f64>,
    ) -> Result<Gathered<'static>> {
        let format = table.format().clone();
        let d = self.plan.features;
        Ok(match &self.plan.scoring {
            Scoring::Number { association: Association::Ks, .. }
            | Scoring::Classes { association: Association::Ks, .. } => {
                let all: Vec<usize> = (0..d).collect();
                let KsRows { columns, targets, rows } = self.ks_rows(table, &all, None)?;
                let columns = columns.sorted(self.threads, self.hooks)?;
                Gathered::Columns(KsRows { columns, targets, rows })
            }
            Scoring::Number { association, coding, .. } => {
                let split = median.map(TargetCode::SplitAt);
                let code = match coding {
                    Coding::Stated(code) => Some(code),
                    Coding::MedianSplit(_) => split.as_ref(),
                };
                let on_bins = *association == Association::KsOnBins;
                let Some(code) = code else {
                    let value = |cell: TargetCell<'_>| cell.number(&format);
                    return Ok(Gathered::Rows(self.keep(table, value, on_bins)?));
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

    /// Columns for Kolmogorov-Smirnov scores: in place, or as many of these features, from the first one on, as
    /// fit in memory.
    ///
    /// # Errors
    ///
    /// As for [`ranks`](Self::ranks).
    pub(super) fn ks_columns<'t>(&self, table: &'t mut impl Samples) -> Result<KsRows<'t>> {
        let (unusable, words) = (self.no_usable_target(table), table.has_words());
        let code = self.ks_code(table.format().clone());
        let limit = self.limit(table);
        ks_rows_of(table.columns(limit, code)?, words, unusable)
    }

    /// The most bytes of columns to hold. What can be read only once is held whole: a refusal would depend on the
    /// number of rows.
    fn limit(&self, table: &impl Samples) -> Option<u64> {
        // An eighth is for rows on their way and for the scores.
        self.plan.memory.map(|memory| memory - memory / 8).filter(|_| table.can_repeat())
    }

    /// These features' columns, or as many of the first ones as fit in memory.
    ///
    /// # Errors
    ///
    /// As for [`ranks`](Self::ranks).
    pub(super) fn ks_rows(
        &self,
        table: &mut impl Samples,
        features: &[usize],
        limit: Option<u64>,
    ) -> Result<KsRows<'static>> {
        let (unusable, words) = (self.no_usable_target(table), table.has_words());
        let code = self.ks_code(table.format().clone());
        ks_rows_of(table.hold(features, limit, code)?, words, unusable)
    }

    /// The scores of all features, of which the first ones are known, in as many passes as memory for the columns
    /// of the others takes.
    ///
    /// # Errors
    ///
    /// As for [`ranks`](Self::ranks).
    pub(super) fn other_values(
        &self,
        table: &mut impl Samples,
        settled: &Settled,
        mut values: Vec<i64>,
    ) -> Result<Vec<i64>> {
        let limit = self.limit(table);
        while values.len() < self.plan.features {
            // What fitted before is likely to fit again.
            let most = values.len().saturating_mul(2).min(self.plan.features);
            let features: Vec<usize> = (values.len()..most).collect();
            let rows = self.ks_rows(table, &features, limit)?;
            values.extend(settled.ks_values(&rows, self.threads, self.hooks)?);
        }
        Ok(values)
    }

    /// The coding of a target for columns, before a median is known.
    fn ks_code(
        &self,
        format: CellFormat,
    ) -> impl Fn(TargetCell<'_>) -> Option<f64> + Sync + use<'_> {
        move |cell| match &self.plan.scoring {
            Scoring::Classes { labels, .. } => {
                labels.class_of(cell, &format).map(|class| class as f64)
            }
            Scoring::Number { coding: Coding::Stated(code), .. } => {
                code.code(cell, &format, GRID).map(f64::from)
            }
            _ => cell.number(&format),
        }
    }

    /// Sums all samples with a usable target.
    fn sum<S: RowSums>(
        &self,
        table: &mut impl Samples,
        new: impl Fn() -> S + Sync,
        code: impl Fn(TargetCell<'_>) -> Option<S::Target> + Sync,
    ) -> Result<Summed<S>> {
        let scaling = &self.plan.scaling;
        let summed = table.fold(|| SumRows::new(&code, scaling, new()))?.summed();
        if summed.sums.is_empty() && !self.is_part {
            return Err(self.no_usable_target(table));
        }
        Ok(summed)
    }

    /// Keeps all samples with a usable target on the grid; `value` parses a target cell. Missing values become the
    /// middle of the grid, or are marked.
    fn keep(
        &self,
        table: &mut impl Samples,
        value: impl Fn(TargetCell<'_>) -> Option<f64> + Sync,
        marks_missing: bool,
    ) -> Result<GridRows> {
        let new = || KeepRows::new(&value, &self.plan.scaling, marks_missing);
        let kept = table.fold(new)?.kept;
        if kept.targets.is_empty() {
            return Err(self.no_usable_target(table));
        }
        Ok(kept)
    }

    /// The unscaled columns of the samples with a usable target, which is not coded either: in place, or all held in
    /// memory.
    fn columns<'t>(
        &self,
        table: &'t mut impl Samples,
        labels: Option<&Labels>,
    ) -> Result<UsableSamples<'t>> {
        let unusable = self.no_usable_target(table);
        let format = table.format().clone();
        let code = |cell: TargetCell<'_>| whole_target(cell, labels, &self.plan.target, &format);
        let usable = table.columns(None, code)?;
        if usable.targets.is_empty() { Err(unusable) } else { Ok(usable) }
    }

    /// Scores features by Kendall's correlation with the target.
    fn kendall(
        &self,
        table: &mut impl Samples,
        labels: Option<&Labels>,
    ) -> Result<Gathered<'static>> {
        let UsableSamples { columns, targets, samples } = self.columns(table, labels)?;
        let scores = self.kendall_of(&columns, &targets, labels)?;
        Ok(Gathered::Scores { scores, rows: samples })
    }

    fn kendall_of(
        &self,
        columns: &impl Columns,
        targets: &[f64],
        labels: Option<&Labels>,
    ) -> Result<Scores> {
        let classes = labels.map_or(0, |labels| labels.as_slice().len());
        let Self { plan, threads, hooks, .. } = self;
        kendall_scores(columns, targets, classes, plan.neighbors, *threads, hooks)
    }

    /// Scores features by correlation after scaling by the data: not private.
    fn paper(
        &self,
        table: &mut impl Samples,
        labels: Option<&Labels>,
    ) -> Result<Gathered<'static>> {
        let UsableSamples { columns, targets, samples } = self.columns(table, labels)?;
        let neighbors = self.plan.neighbors;
        let scores = paper_scores(&columns, &targets, |t| to_grid(t, GRID), GRID, neighbors)?;
        Ok(Gathered::Scores { scores, rows: samples })
    }

    /// Rows on the grid as numbers from -1 to 1, or rows scaled by the data.
    fn block_rows(
        &self,
        table: &mut impl Samples,
        target: &BlockTarget,
        draws: Draws,
    ) -> Result<BlockRows> {
        let coding = match target {
            BlockTarget::Coded(coding) => coding,
            BlockTarget::Paper { labels } => {
                let UsableSamples { columns, targets, samples } =
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
        let kept = self.keep(table, value, false)?;
        Ok(BlockRows::on_grid(kept, self.plan.features, draws))
    }

    /// Kendall's correlations with the target, and the table's columns in place for those with picked
    /// features.
    fn ranked_columns<'t>(
        &self,
        table: &'t mut impl Samples,
        labels: Option<&Labels>,
    ) -> Result<Gathered<'t>> {
        let UsableSamples { columns, targets, samples } = self.columns(table, labels)?;
        let target = self.kendall_of(&columns, &targets, labels)?;
        Ok(self.ranked(columns, target, samples, 0))
    }

    /// Like [`ranked_columns`](Self::ranked_columns), with a copy of the columns.
    fn own_ranked_columns(
        &self,
        table: &mut impl Samples,
        labels: Option<&Labels>,
        draws: Draws,
    ) -> Result<Gathered<'static>> {
        /// Correlations with picked features that many draws share: 256 MiB.
        const MOST_SHARED: usize = 1 << 25;
        let UsableSamples { columns, targets, samples } = self.columns(table, labels)?;
        let own = (0..columns.features()).map(|feature| columns.to_vec(feature));
        let own = OwnColumns(own.collect());
        let target = self.kendall_of(&own, &targets, labels)?;
        let most = draws.keep(MOST_SHARED / own.features().max(1));
        Ok(self.ranked(own, target, samples, most))
    }

    fn ranked<'t>(
        &self,
        columns: impl Columns + 't,
        target: Scores,
        rows: u64,
        shared: usize,
    ) -> Gathered<'t> {
        let (threads, hooks) = (self.threads, self.hooks.clone());
        let with = Box::new(move |feature| kendall_with(&columns, feature, threads, &hooks));
        Gathered::Ranked(RankedColumns { target, rows, with, shared: Memo::new(shared) })
    }

    /// The error for a table without any usable target, which is malformed: the privacy guarantee requires at
    /// least one usable row.
    fn no_usable_target(&self, table: &impl Samples) -> Error {
        table.no_usable_target(matches!(self.plan.target, Target::Classes(_)))
    }
}

fn number_sums<S: NumberSums + 'static>(sums: S) -> Box<dyn NumberSums> {
    Box::new(sums)
}

fn ks_rows_of(usable: UsableSamples<'_>, words: bool, unusable: Error) -> Result<KsRows<'_>> {
    let UsableSamples { columns, targets, samples } = usable;
    if targets.is_empty() {
        return Err(unusable);
    }
    Ok(KsRows { columns: KsColumns::Values { columns, words }, targets, rows: samples })
}

/// The uncoded target: the number of the class, or the number itself, clipped to its bounds if there are any.
fn whole_target(
    cell: TargetCell<'_>,
    labels: Option<&Labels>,
    target: &Target,
    format: &CellFormat,
) -> Option<f64> {
    match (labels, target) {
        (Some(labels), _) => labels.class_of(cell, format).map(|class| class as f64),
        (_, Target::Bounded(bounds)) => {
            cell.number(format).map(|value| value.clamp(bounds.low(), bounds.high()))
        }
        _ => cell.number(format),
    }
}

/// Columns in memory, one vector per feature.
struct OwnColumns(Vec<Vec<f64>>);

impl Columns for OwnColumns {
    fn features(&self) -> usize {
        self.0.len()
    }

    fn column(&self, feature: usize, values: &mut Vec<f64>) {
        values.clear();
        values.extend_from_slice(&self.0[feature]);
    }
}

/// Counts target values on the median's grid.
struct CountRanks<'a, V> {
    value: &'a V,
    grid: &'a MedianGrid,
    counts: RankCounts,
}

impl<V: Fn(TargetCell<'_>) -> Option<f64> + Sync> SampleFold for CountRanks<'_, V> {
    const READS_VALUES: bool = false;

    fn sample<A: Value>(&mut self, sample: Sample<'_, A>) {
        if let Some(value) = sample.target.and_then(self.value) {
            self.grid.observe(&mut self.counts, value);
        }
    }

    fn merge(&mut self, other: Self) {
        self.counts.merge(&other.counts);
    }
}
