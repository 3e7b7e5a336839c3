//! A table as a request takes it: its samples with their parts in scores, as counts per million, as means of sets.

use std::sync::Arc;

use crate::data::grouped::Grouping;
use crate::data::held_columns::Limit;
use crate::data::number::CellFormat;
use crate::data::people::{Meeting, People};
use crate::data::per_million::per_million;
use crate::data::roles::{Roles, Tell};
use crate::data::sample::{Sample, SampleFold, Value};
use crate::data::samples::{Samples, UsableSamples};
use crate::data::scaling::Scaler;
use crate::data::schema::Schema;
use crate::data::target::TargetCell;
use crate::error::{Error, Result};

/// An open table whose samples go through what a request states, in this order: roles, counts per million, sets.
pub(crate) struct Taken<T> {
    table: T,
    roles: Option<Roles>,
    per_million: bool,
    grouping: Option<Arc<Grouping>>,
}

impl<T: Samples> Taken<T> {
    /// The table as it is.
    pub(crate) fn as_it_is(table: T) -> Self {
        Self { table, roles: None, per_million: false, grouping: None }
    }

    /// With the parts of samples in scores, if something tells them.
    ///
    /// # Errors
    ///
    /// `Request` if what tells roles is no feature, or if people are told of a table that can be read only once; read errors.
    pub(crate) fn with_roles(
        mut self,
        tell: &Tell<'_>,
        meeting: impl FnOnce(&CellFormat) -> Result<Meeting>,
    ) -> Result<Self> {
        let roles = Roles::of_table(&mut self.table, tell, meeting)?;
        Ok(Self { roles, ..self })
    }

    /// With [counts per million](crate::data::per_million) for values, if they are wanted.
    pub(crate) fn per_million(self, wanted: bool) -> Self {
        Self { per_million: wanted, ..self }
    }

    /// With sets in place of features, if there are any.
    pub(crate) fn grouped(self, grouping: Option<Grouping>) -> Self {
        Self { grouping: grouping.map(Arc::new), ..self }
    }

    /// The sets, if there are any.
    pub(crate) fn grouping(&self) -> Option<&Arc<Grouping>> {
        self.grouping.as_ref()
    }

    fn is_as_it_is(&self) -> bool {
        self.roles.is_none() && !self.per_million && self.grouping.is_none()
    }
}

impl<T: Samples> Samples for Taken<T> {
    fn schema(&self) -> &Schema {
        match (&self.grouping, &self.roles) {
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
        self.grouping.is_none() && self.table.has_words()
    }

    fn people(&self) -> Option<&People> {
        self.roles.as_ref()?.people.as_ref()
    }

    fn fold<F: SampleFold>(&mut self, new: &(dyn Fn() -> F + Sync)) -> Result<F> {
        if self.is_as_it_is() || (self.roles.is_none() && !F::READS_VALUES) {
            return self.table.fold(new);
        }
        let Self { table, roles, per_million, grouping } = self;
        let (roles, grouping) = (roles.as_ref(), grouping.as_deref());
        let new = || TakenFold {
            fold: new(),
            roles,
            per_million: *per_million,
            sets: grouping.map(|grouping| (grouping, Scaler::new(grouping.scaling()))),
            values: Vec::new(),
            shares: Vec::new(),
            grid: Vec::new(),
            means: Vec::new(),
        };
        table.fold(&new).map(|folded| folded.fold)
    }

    fn columns(
        &mut self,
        limit: Option<Limit>,
        code: impl Fn(TargetCell<'_>) -> Option<f64> + Sync,
    ) -> Result<UsableSamples<'_>> {
        if self.is_as_it_is() {
            return self.table.columns(limit, code);
        }
        let all: Vec<usize> = (0..self.schema().d()).collect();
        self.hold(&all, limit, code)
    }

    fn no_usable_target(&self, labels: bool) -> Error {
        self.table.no_usable_target(labels)
    }
}

/// Passes samples on as they are taken.
struct TakenFold<'a, F> {
    fold: F,
    roles: Option<&'a Roles>,
    per_million: bool,
    sets: Option<(&'a Grouping, Scaler<'a>)>,
    /// The values of the current sample, those of features.
    values: Vec<f64>,
    /// The same as counts per million.
    shares: Vec<f64>,
    /// The grid values of the members of sets.
    grid: Vec<i16>,
    /// The means of sets.
    means: Vec<i16>,
}

/// Values are always read: strata are made of them.
impl<F: SampleFold> SampleFold for TakenFold<'_, F> {
    fn sample<A: Value>(&mut self, sample: Sample<'_, A>) {
        let (target, role) = match self.roles {
            Some(roles) => roles.of(&sample),
            None => (sample.target, sample.role),
        };
        let row = sample.row;
        let value = |value: &A| -> f64 { (*value).into() };
        self.values.clear();
        match self.roles.and_then(Roles::features) {
            Some(features) => {
                self.values.extend(features.iter().map(|&place| value(&sample.values[place])));
            }
            None => self.values.extend(sample.values.iter().map(value)),
        }
        let mut values = &self.values;
        if self.per_million && F::READS_VALUES {
            per_million(values, &mut self.shares);
            values = &self.shares;
        }
        match &mut self.sets {
            Some((grouping, scaler)) if F::READS_VALUES => {
                self.grid.resize(values.len(), 0);
                scaler.sample(values, &mut self.grid);
                grouping.members().means(&self.grid, &mut self.means);
                self.fold.sample(Sample { target, values: &self.means, row, role });
            }
            _ => self.fold.sample(Sample { target, values, row, role }),
        }
    }

    fn merge(&mut self, other: Self) {
        self.fold.merge(other.fold);
    }
}
