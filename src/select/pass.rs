//! Passes over a table. The gathered values depend on neither budget nor randomness.

use std::sync::Arc;

use crate::data::{
    CellFormat, Columns, Hooks, Labels, OnGrid, Role, Sample, SampleFold, Samples, TargetCell,
    UsableSamples, Value,
};
use crate::error::{Error, Result};
use crate::estimate::{MedianGrid, RankCounts};
use crate::exact::{GRID, to_grid};
use crate::score::{
    BinSums, ClassCounts, ClassSums, CorrelationSums, Family, GridRows, KeepRows, KsColumns,
    NumberSums, RowSums, Scores, SumRows, SumTargets, Summed, bin_of, kendall_scores, kendall_with,
    paper_scores,
};
use crate::select::blocks::BlockRows;
use crate::select::memo::{Draws, Memo};
use crate::select::plan::{Association, BlockTarget, Coding, Plan, Scoring};
use crate::select::request::Target;
use crate::select::settled::{Settled, family, misfit};

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

/// Columns for Kolmogorov-Smirnov scores, with the targets of their rows.
pub(super) struct KsRows<'t> {
    pub(super) columns: KsColumns<'t>,
    /// The target of each row with a usable one: its grid value, its class, or its value if it is yet to be split at
    /// a median.
    pub(super) targets: Vec<f64>,
    /// The part of each of these rows in scores; none if all are alike.
    pub(super) roles: Vec<Role>,
    /// The target of each person and its stratum, if rows are those of people.
    pub(super) people: Option<Vec<(f64, u16)>>,
    /// The functions of values whose sums make the scores.
    pub(super) family: Family,
    /// The total number of rows, or of people.
    pub(super) rows: u64,
}

impl KsRows<'_> {
    /// The target of each unit and its stratum.
    pub(super) fn units(&self) -> Box<dyn Iterator<Item = (f64, u16)> + '_> {
        match &self.people {
            Some(people) => Box::new(people.iter().copied()),
            None => {
                let stratum = |row: usize| self.roles.get(row).map_or(0, |role| role.stratum);
                Box::new(self.targets.iter().enumerate().map(move |(row, y)| (*y, stratum(row))))
            }
        }
    }
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

/// The coded target of each person who has one and its stratum, and the number of all people; `None` if each row is a
/// unit by itself.
fn people_of(
    table: &impl Samples,
    code: &impl Fn(TargetCell<'_>) -> Option<f64>,
) -> Option<(Vec<(f64, u16)>, u64)> {
    let people = table.people()?;
    let coded = people.targets().filter_map(|(cell, stratum)| Some((code(cell)?, stratum)));
    Some((coded.collect(), people.len()))
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

    /// Sums the targets alone, coded by `median` if they are split, in one pass: sums of no features.
    ///
    /// # Errors
    ///
    /// Read errors.
    pub(super) fn targets(
        &self,
        table: &mut impl Samples,
        median: Option<f64>,
    ) -> Result<Gathered<'static>> {
        let format = table.format().clone();
        if let Scoring::Classes { labels, .. } = &self.plan.scoring {
            let code = |cell: TargetCell<'_>| labels.class_of(cell, &format);
            let classes = labels.as_slice().len();
            let summed = table.fold(|| SumTargets::new(&code, ClassSums::new(0, classes)))?.summed;
            return Ok(Gathered::ClassSums(summed.map(|sums| Box::new(sums) as _)));
        }
        let Some(code) = self.plan.scoring.code(median) else { return Err(misfit()) };
        let code = |cell: TargetCell<'_>| code.code(cell, &format, GRID);
        let summed = table.fold(|| SumTargets::new(&code, CorrelationSums::new(0)))?.summed;
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
        table: &'t mut impl Samples,
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
        table: &mut impl Samples,
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

    /// Columns for Kolmogorov-Smirnov scores: in place, or as many of these features, from the first one on, as
    /// fit in memory.
    ///
    /// # Errors
    ///
    /// As for [`ranks`](Self::ranks).
    pub(super) fn ks_columns<'t>(&self, table: &'t mut impl Samples) -> Result<KsRows<'t>> {
        let limit = self.limit(table);
        if self.plan.association() != Some(Association::Ks) {
            let all: Vec<usize> = (0..self.plan.features).collect();
            return self.ks_rows(table, &all, limit);
        }
        let (unusable, words) = (self.no_usable_target(table), table.has_words());
        let code = self.ks_code(table.format().clone());
        let people = people_of(table, &code);
        self.ks_rows_of(table.columns(limit, code)?, people, words, unusable)
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
        let people = people_of(table, &code);
        let to: fn(i16) -> i16 = match self.plan.association() {
            Some(Association::Correlation) => |x| x,
            Some(Association::KsOnBins) => bin_of,
            _ => {
                let usable = table.hold(features, limit, code)?;
                return self.ks_rows_of(usable, people, words, unusable);
            }
        };
        let usable =
            OnGrid { table, scaling: &self.plan.scaling, to }.hold(features, limit, code)?;
        self.ks_rows_of(usable, people, false, unusable)
    }

    fn ks_rows_of<'t>(
        &self,
        usable: UsableSamples<'t>,
        people: Option<(Vec<(f64, u16)>, u64)>,
        words: bool,
        unusable: Error,
    ) -> Result<KsRows<'t>> {
        let UsableSamples { columns, targets, roles, samples } = usable;
        if targets.is_empty() && !self.is_part {
            return Err(unusable);
        }
        let columns = KsColumns::Values { columns, words };
        let (people, rows) = match people {
            Some((people, all)) => (Some(people), all),
            None => (None, samples),
        };
        let family = family(self.plan.association());
        Ok(KsRows { columns, targets, roles, people, family, rows })
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

    /// Keeps all samples with a usable target on the grid, of all features or of these, for a target coded as one number.
    ///
    /// # Errors
    ///
    /// As for [`ranks`](Self::ranks).
    pub(super) fn grid_rows(
        &self,
        table: &mut impl Samples,
        only: Option<&[usize]>,
    ) -> Result<GridRows> {
        let on_bins = match &self.plan.scoring {
            Scoring::Number { association, .. } => *association == Association::KsOnBins,
            _ => false,
        };
        let marks_missing = on_bins || self.plan.refinement.is_some();
        let code = self.ks_code(table.format().clone());
        self.keep(table, code, marks_missing, only)
    }

    /// Keeps all samples with a usable target on the grid; `value` parses a target cell. Missing values become the
    /// middle of the grid, or are marked.
    fn keep(
        &self,
        table: &mut impl Samples,
        value: impl Fn(TargetCell<'_>) -> Option<f64> + Sync,
        marks_missing: bool,
        only: Option<&[usize]>,
    ) -> Result<GridRows> {
        let new = || KeepRows::new(&value, &self.plan.scaling, marks_missing).only(only);
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
        let format = table.format().clone();
        let code = |cell: TargetCell<'_>| whole_target(cell, labels, &self.plan.target, &format);
        let people = people_of(table, &code);
        let UsableSamples { columns, targets, roles, samples } = self.columns(table, labels)?;
        let (weights, rows) = match &people {
            Some((usable, all)) => (Some((&roles[..], usable.len() as u64)), *all),
            None => (None, samples),
        };
        let scores = self.kendall_of(&columns, &targets, weights, labels)?;
        Ok(Gathered::Scores { scores, rows })
    }

    fn kendall_of(
        &self,
        columns: &impl Columns,
        targets: &[f64],
        people: Option<(&[Role], u64)>,
        labels: Option<&Labels>,
    ) -> Result<Scores> {
        let classes = labels.map_or(0, |labels| labels.as_slice().len());
        let Self { plan, threads, hooks, .. } = self;
        kendall_scores(columns, targets, people, classes, plan.neighbors, *threads, hooks)
    }

    /// Scores features by correlation after scaling by the data: not private.
    fn paper(
        &self,
        table: &mut impl Samples,
        labels: Option<&Labels>,
    ) -> Result<Gathered<'static>> {
        let UsableSamples { columns, targets, samples, .. } = self.columns(table, labels)?;
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
        let kept = self.keep(table, value, false, None)?;
        Ok(BlockRows::on_grid(kept, self.plan.features, draws))
    }

    /// Kendall's correlations with the target, and the table's columns in place for those with picked
    /// features.
    fn ranked_columns<'t>(
        &self,
        table: &'t mut impl Samples,
        labels: Option<&Labels>,
    ) -> Result<Gathered<'t>> {
        let UsableSamples { columns, targets, samples, .. } = self.columns(table, labels)?;
        let target = self.kendall_of(&columns, &targets, None, labels)?;
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
        let UsableSamples { columns, targets, samples, .. } = self.columns(table, labels)?;
        let own = (0..columns.features()).map(|feature| columns.to_vec(feature));
        let own = OwnColumns(own.collect());
        let target = self.kendall_of(&own, &targets, None, labels)?;
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
