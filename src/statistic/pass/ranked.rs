//! Kendall's correlations of whole columns.

use std::sync::Arc;

use crate::error::Result;
use crate::request::fields::Target;
use crate::score::{Scores, kendall_scores, kendall_with};
use crate::statistic::memo::{Draws, Memo};
use crate::statistic::pass::ks_rows::people_of;
use crate::statistic::pass::{Gathered, Pass};
use crate::table::{CellFormat, Columns, Labels, Role, Table, TargetCell, UsableSamples, hold_all};

/// Correlations for a selection that discounts by earlier picks.
pub(crate) struct RankedColumns<'t> {
    pub(crate) target: Scores,
    /// The total number of rows.
    pub(crate) rows: u64,
    with: Box<dyn Fn(usize) -> Result<Vec<i64>> + Send + Sync + 't>,
    shared: Memo<usize, [i64]>,
}

impl RankedColumns<'_> {
    /// Kendall's correlations of all features with this feature, in feature order.
    pub(crate) fn shared(&self, feature: usize) -> Result<Arc<[i64]>> {
        self.shared.get(feature, || (self.with)(feature).map(Arc::from))
    }
}

impl Pass<'_> {
    /// The unscaled columns of the samples with a usable target, which is not coded either: in
    /// place, or all held in memory.
    pub(super) fn columns<'t>(
        &self,
        table: &'t mut dyn Table,
        labels: Option<&Labels>,
    ) -> Result<UsableSamples<'t>> {
        let code = self.whole_target(table.format().clone(), labels);
        table.columns(None, &code)
    }

    /// The uncoded target: the number of the class, or the number itself, clipped to its bounds if
    /// it has any.
    fn whole_target(
        &self,
        format: CellFormat,
        labels: Option<&Labels>,
    ) -> impl Fn(TargetCell<'_>) -> Option<f64> + Sync {
        move |cell| match (labels, &self.plan.request.target) {
            (Some(labels), _) => labels.class_of(cell, &format).map(|class| class as f64),
            (_, Target::Bounded(bounds)) => {
                cell.number(&format).map(|value| value.clamp(bounds.low(), bounds.high()))
            }
            _ => cell.number(&format),
        }
    }

    /// Scores features by Kendall's correlation with the target.
    pub(super) fn kendall(
        &self,
        table: &mut dyn Table,
        labels: Option<&Labels>,
    ) -> Result<Gathered<'static>> {
        let code = self.whole_target(table.format().clone(), labels);
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
        kendall_scores(columns, targets, people, classes, plan.request.neighbors, *threads, hooks)
    }

    /// Kendall's correlations with the target, and the table's columns in place for those with
    /// picked features.
    pub(super) fn ranked_columns<'t>(
        &self,
        table: &'t mut dyn Table,
        labels: Option<&Labels>,
    ) -> Result<Gathered<'t>> {
        let UsableSamples { columns, targets, samples, .. } = self.columns(table, labels)?;
        let target = self.kendall_of(&columns, &targets, None, labels)?;
        Ok(self.ranked(columns, target, samples, 0))
    }

    /// Like [`ranked_columns`](Self::ranked_columns), with a copy of the columns.
    pub(super) fn own_ranked_columns(
        &self,
        table: &mut dyn Table,
        labels: Option<&Labels>,
        draws: Draws,
    ) -> Result<Gathered<'static>> {
        /// The number of correlations with picked features that many draws share: 256 MiB.
        const MAX_SHARED: usize = 1 << 25;
        let code = self.whole_target(table.format().clone(), labels);
        let UsableSamples { columns, targets, samples, .. } = hold_all(table, None, &code)?;
        let target = self.kendall_of(&columns, &targets, None, labels)?;
        let most = draws.keep(MAX_SHARED / columns.features().max(1));
        Ok(self.ranked(columns, target, samples, most))
    }

    fn ranked<'t>(
        &self,
        columns: Box<dyn Columns + 't>,
        target: Scores,
        rows: u64,
        shared: usize,
    ) -> Gathered<'t> {
        let (threads, hooks) = (self.threads, self.hooks.clone());
        let with = Box::new(move |feature| kendall_with(&columns, feature, threads, &hooks));
        Gathered::Ranked(RankedColumns { target, rows, with, shared: Memo::new(shared) })
    }
}
