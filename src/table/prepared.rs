//! Applies a request's per-row steps to a table: person and stratum, category levels, counts per
//! million, feature sets.

use std::sync::Arc;

use crate::error::Result;
use crate::table::batch::{Batch, Folds, Layout, Map, MapBatch, Mapped, Role, Sample, Values};
use crate::table::cell::CellFormat;
use crate::table::grouped::Grouping;
use crate::table::held_columns::Limit;
use crate::table::levels::{Levels, NumbersAndLevels};
use crate::table::open_table::{Table, UsableSamples, hold_all};
use crate::table::people::{People, PeopleRule};
use crate::table::per_million::per_million;
use crate::table::roles::{RoleColumns, Roles};
use crate::table::scaling::Scaler;
use crate::table::schema::Schema;
use crate::table::target::Code;
use crate::table::target::TargetCell;

/// An open table whose samples go through the steps of a request, in this order: roles,
/// levels, counts per million, sets.
pub(crate) struct PreparedTable<'t> {
    table: Box<dyn Table + 't>,
    steps: Steps,
    /// Whether all words are missing values.
    without_words: bool,
}

/// The steps that samples go through.
#[derive(Default)]
struct Steps {
    roles: Option<Roles>,
    levels: Option<NumbersAndLevels>,
    per_million: bool,
    grouping: Option<Arc<Grouping>>,
}

impl<'t> PreparedTable<'t> {
    /// The table as it is.
    pub(crate) fn new(table: Box<dyn Table + 't>) -> Self {
        Self { table, steps: Steps::default(), without_words: false }
    }

    /// Assigns roles in scores to the samples, if columns of roles are given.
    ///
    /// # Errors
    ///
    /// `Request` if a column of roles is not a feature, or if people are given for a table that can be
    /// read only once; read errors.
    pub(crate) fn with_roles(
        mut self,
        columns: &RoleColumns<'_>,
        rule: impl FnOnce(&CellFormat) -> Result<PeopleRule>,
    ) -> Result<Self> {
        self.steps.roles = Roles::of_table(&mut *self.table, columns, rule)?;
        Ok(self)
    }

    /// Keeps numbers and, in the columns of these levels, the categories at them; all other
    /// categories become missing values.
    ///
    /// # Errors
    ///
    /// `Request` if a column is not a feature, or a level is a code for missing values.
    pub(crate) fn numbers_and(mut self, levels: &[Levels]) -> Result<Self> {
        if levels.is_empty() {
            // Readers treat categories as missing when `has_words()` is false, so values need no
            // rewriting.
            self.without_words = true;
        } else {
            let table = (self.table.format(), self.table.has_words());
            self.steps.levels = Some(NumbersAndLevels::new(levels, self.schema(), table)?);
        }
        Ok(self)
    }

    /// Converts values to [counts per million](crate::table::per_million), if `wanted`.
    pub(crate) fn per_million(mut self, wanted: bool) -> Self {
        self.steps.per_million = wanted;
        self
    }

    /// Replaces features by sets, if any are given.
    pub(crate) fn grouped(mut self, grouping: Option<Grouping>) -> Self {
        self.steps.grouping = grouping.map(Arc::new);
        self
    }

    /// The sets, if there are any.
    pub(crate) fn grouping(&self) -> Option<&Arc<Grouping>> {
        self.steps.grouping.as_ref()
    }
}

impl Table for PreparedTable<'_> {
    fn schema(&self) -> &Schema {
        match (&self.steps.grouping, &self.steps.roles) {
            (Some(grouping), _) => grouping.schema(),
            (None, Some(roles)) => &roles.schema,
            (None, None) => self.table.schema(),
        }
    }

    fn format(&self) -> &CellFormat {
        self.table.format()
    }

    fn can_repeat(&self) -> bool {
        self.table.can_repeat()
    }

    fn has_words(&self) -> bool {
        self.steps.levels.is_some()
            || (!self.without_words && self.steps.grouping.is_none() && self.table.has_words())
    }

    fn compares_rows(&self) -> bool {
        self.table.compares_rows()
    }

    fn people(&self) -> Option<&People> {
        self.steps.roles.as_ref()?.people.as_ref()
    }

    fn pass(&mut self, folds: &dyn Folds) -> Result<()> {
        match self.steps.are_none() || (self.steps.roles.is_none() && !folds.read_values()) {
            true => self.table.pass(folds),
            false => self.table.pass(&Mapped { map: &self.steps, folds }),
        }
    }

    fn columns(&mut self, limit: Option<Limit>, code: &Code<'_>) -> Result<UsableSamples<'_>> {
        match self.steps.are_none() {
            true => self.table.columns(limit, code),
            false => hold_all(self, limit, code),
        }
    }
}

impl Steps {
    /// The target of a sample and its role in scores.
    fn part<'t>(&'t self, sample: &Sample<'t, '_>) -> (Option<TargetCell<'t>>, Role) {
        match &self.roles {
            Some(roles) => roles.of(sample),
            None => (sample.target, sample.role),
        }
    }

    /// Whether values change, apart from those taken out for roles.
    fn changes_values(&self) -> bool {
        self.levels.is_some() || self.per_million || self.grouping.is_some()
    }

    fn are_none(&self) -> bool {
        self.roles.is_none() && !self.changes_values()
    }
}

impl Map for Steps {
    /// Roles may be determined by values.
    fn reads_values(&self) -> bool {
        self.roles.as_ref().is_some_and(|roles| roles.features().is_some())
    }

    fn start(&self) -> Box<MapBatch<'_>> {
        let features = self.roles.as_ref().and_then(Roles::features);
        let mut sets = self.grouping.as_deref().map(|sets| (sets, Scaler::new(sets.scaling())));
        let (mut values, mut own, mut shares) = (Vec::new(), Vec::new(), Vec::new());
        let (mut grid, mut means) = (Vec::new(), Vec::new());
        let mut one = move |sample: &Sample<'_, '_>, values: &mut Vec<f64>| {
            own.clear();
            match features {
                Some(features) => own.extend(features.iter().map(|&place| sample.values[place])),
                None => own.extend_from_slice(sample.values),
            }
            if let Some(levels) = &self.levels {
                levels.map(&mut own);
            }
            if self.per_million {
                per_million(&own, &mut shares);
                std::mem::swap(&mut own, &mut shares);
            }
            let Some((grouping, scaler)) = &mut sets else { return values.extend_from_slice(&own) };
            grid.resize(own.len(), 0);
            scaler.sample(&own, &mut grid);
            grouping.members().means(&grid, &mut means);
            values.extend(means.iter().map(|mean| f64::from(*mean)));
        };
        let changes_values = features.is_some() || self.changes_values();
        Box::new(move |batch, sink| {
            let (mut targets, mut parts) = (Vec::new(), Vec::new());
            if !changes_values || matches!(batch.values, Values::Unread) {
                for place in 0..batch.len() {
                    let (target, role) = self.part(&batch.sample(place, &[]));
                    targets.push(target);
                    parts.push(role);
                }
                return sink(&Batch { targets: &targets, roles: &parts, ..*batch });
            }
            values.clear();
            batch.each(|sample| {
                let (target, role) = self.part(&sample);
                targets.push(target);
                parts.push(role);
                one(&sample, &mut values);
            });
            let values = Values::F64(Layout::Rows(&values));
            sink(&Batch { roles: &parts, ..Batch::new(batch.first, &targets, values) });
        })
    }
}
