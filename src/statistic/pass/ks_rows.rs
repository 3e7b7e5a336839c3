//! Columns for scores that are computed from whole columns, and the roles of their rows.

use crate::error::Result;
use crate::exact::GRID;
use crate::request::fields::Association;
use crate::request::memory::of_columns;
use crate::request::plan::{CodedAs, Coding, Scoring};
use crate::score::{Family, KsColumns, bin_of};
use crate::statistic::coded::KsRows;
use crate::statistic::pass::Pass;
use crate::table::{CellFormat, Limit, OnGrid, Table, TargetCell, UsableSamples, hold};

/// The coded target of each person who has one and its stratum, if any, and the number of all
/// people; `None` if each row is a unit.
pub(super) fn people_of(
    table: &dyn Table,
    code: &impl Fn(TargetCell<'_>) -> Option<f64>,
) -> Option<(Vec<(f64, u16)>, u64)> {
    let people = table.people()?;
    if people.compares_rows() {
        return Some((vec![(0.0, 0); people.pairs()], people.len()));
    }
    let coded = people.targets().filter_map(|(cell, stratum)| Some((code(cell)?, stratum)));
    Some((coded.collect(), people.len()))
}

impl Pass<'_> {
    /// Columns for Kolmogorov-Smirnov scores: in place, or as many of these features, from the
    /// first one on, as fit in memory.
    ///
    /// # Errors
    ///
    /// As for [`ranks`](Self::ranks).
    pub(crate) fn ks_columns<'t>(&self, table: &'t mut dyn Table) -> Result<KsRows<'t>> {
        let limit = self.limit(table);
        if !self.plan.association().is_some_and(Association::is_unscaled) {
            let all: Vec<usize> = (0..self.plan.features).collect();
            return self.ks_rows(table, &all, limit);
        }
        let words = table.has_words();
        let code = self.ks_code(table.format().clone());
        let people = people_of(table, &code);
        self.ks_rows_of(table.columns(limit, &code)?, people, words)
    }

    /// The memory limit of columns, in bytes. A source that can be read only once is held whole: a
    /// refusal would depend on the number of rows.
    fn limit(&self, table: &dyn Table) -> Option<Limit> {
        let limit = match self.plan.request.column_memory {
            Some(bytes) => Limit { bytes, fixed: 0, row: 0 },
            None => of_columns(self.plan.request.memory(), table.schema().d(), self.threads),
        };
        table.can_repeat().then_some(limit)
    }

    /// These features' columns, or as many of the first ones as fit in memory.
    ///
    /// # Errors
    ///
    /// As for [`ranks`](Self::ranks).
    pub(crate) fn ks_rows(
        &self,
        table: &mut dyn Table,
        features: &[usize],
        limit: Option<Limit>,
    ) -> Result<KsRows<'static>> {
        let words = table.has_words();
        let code = self.ks_code(table.format().clone());
        let people = people_of(table, &code);
        let to: fn(i16) -> i16 = match self.plan.association() {
            Some(Association::Correlation) => |x| x,
            Some(Association::KsOnBins) => bin_of,
            _ => {
                let usable = hold(table, features, limit, &code)?;
                return self.ks_rows_of(usable, people, words);
            }
        };
        let mut on_grid = OnGrid::new(table, &self.plan.scaling, to);
        let usable = hold(&mut on_grid, features, limit, &code)?;
        self.ks_rows_of(usable, people, false)
    }

    fn ks_rows_of<'t>(
        &self,
        usable: UsableSamples<'t>,
        people: Option<(Vec<(f64, u16)>, u64)>,
        words: bool,
    ) -> Result<KsRows<'t>> {
        let UsableSamples { columns, targets, roles, samples } = usable;
        let columns = KsColumns::Values { columns, words };
        let (people, rows) = match people {
            Some((people, all)) => (Some(people), all),
            None => (None, samples),
        };
        let family = family(self.plan.association());
        Ok(KsRows { columns, targets, roles, people, family, rows })
    }

    /// The scores of all features, given the first ones, in as many passes as the other columns
    /// need for lack of memory; `scored` scores columns.
    ///
    /// # Errors
    ///
    /// As for [`ranks`](Self::ranks).
    pub(crate) fn other_values(
        &self,
        table: &mut dyn Table,
        mut values: Vec<i64>,
        scored: impl Fn(&KsRows<'_>) -> Result<Vec<i64>>,
    ) -> Result<Vec<i64>> {
        let limit = self.limit(table);
        while values.len() < self.plan.features {
            // A number of columns that fitted before is likely to fit again.
            let most = values.len().saturating_mul(2).min(self.plan.features);
            let features: Vec<usize> = (values.len()..most).collect();
            let rows = self.ks_rows(table, &features, limit)?;
            values.extend(scored(&rows)?);
        }
        Ok(values)
    }

    /// The coding of a target for columns, before a median is known.
    pub(super) fn ks_code(
        &self,
        format: CellFormat,
    ) -> impl Fn(TargetCell<'_>) -> Option<f64> + Sync + use<'_> {
        move |cell| match &self.plan.scoring {
            Scoring::Coded(coded) => match &coded.target {
                CodedAs::Classes(labels) => {
                    labels.class_of(cell, &format).map(|class| class as f64)
                }
                CodedAs::Number(Coding::Given(code)) => {
                    code.code(cell, &format, GRID).map(f64::from)
                }
                CodedAs::Number(Coding::MedianSplit) => cell.number(&format),
            },
            _ => cell.number(&format),
        }
    }
}

/// The functions of a column's values whose sums make a score of columns.
pub(crate) fn family(association: Option<Association>) -> Family {
    match association {
        Some(Association::Correlation) => Family::Value,
        Some(Association::Paired) => Family::Signs,
        _ => Family::Thresholds,
    }
}
