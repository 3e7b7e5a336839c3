//! The roles of samples in scores: the person and the stratum of each.

use crate::error::{Error, Parameter, Result};
use crate::table::batch::{Batch, Fold, Role, Sample};
use crate::table::cell::CellFormat;
use crate::table::open_table::{Table, fold};
use crate::table::people::{FindPeople, People, PeopleRule};
use crate::table::schema::Schema;
use crate::table::strata::{Covariate, Strata};
use crate::table::target::TargetCell;

/// The roles of a table's samples, where people or covariates are given.
pub(crate) struct Roles {
    /// The schema without ids of people and covariates.
    pub(super) schema: Schema,
    /// The place of the value that is the id of a person, if there is one.
    unit: Option<usize>,
    strata: Option<Strata>,
    pub(super) people: Option<People>,
    /// The places of features among the columns of the table, ids and covariates included.
    features: Vec<usize>,
}

/// The features that are ids of people or covariates, and therefore not features to select.
pub(crate) struct RoleColumns<'a> {
    /// The name of the feature that holds the ids of people.
    pub(crate) unit: Option<&'a str>,
    pub(crate) covariates: &'a [Covariate],
}

impl RoleColumns<'_> {
    fn unit_place(&self, schema: &Schema) -> Result<Option<usize>> {
        self.unit.map(|name| schema.place_of_feature(name, Parameter::Unit)).transpose()
    }

    /// The table without these features.
    ///
    /// # Errors
    ///
    /// `Request` if it is not a feature, if people are identified twice, or if no other feature is left.
    pub(crate) fn features(&self, schema: Schema) -> Result<Schema> {
        let place = |one: &Covariate| schema.place_of_feature(one.name(), Parameter::Covariates);
        let mut places = self.covariates.iter().map(place).collect::<Result<Vec<usize>>>()?;
        let Some(unit) = self.unit_place(&schema)? else {
            return if places.is_empty() { Ok(schema) } else { schema.without_features(&places) };
        };
        if schema.has_people() {
            let rule = "give person identifiers as a column or as a feature, not both";
            return Err(Error::request(rule).about([Parameter::Unit]));
        }
        if schema.has_one_row_each() {
            let rule = "give a column of identifiers, each of one row, or the column of persons as the unit: not both";
            return Err(Error::request(rule).about([Parameter::Unit, Parameter::Id]));
        }
        places.push(unit);
        Ok(schema.without_features(&places)?.with_people(true))
    }
}

impl Roles {
    /// Finds the people of a table, if it has ids of them, in a pass of its own, and takes ids and
    /// covariates out of its features. `None` if neither people nor covariates are given.
    ///
    /// # Errors
    ///
    /// `Request` if a column of roles is not a feature, or if people are given for a table that can be
    /// read only once; read errors.
    pub(super) fn of_table(
        table: &mut dyn Table,
        columns: &RoleColumns<'_>,
        rule: impl FnOnce(&CellFormat) -> Result<PeopleRule>,
    ) -> Result<Option<Self>> {
        let format = table.format().clone();
        let strata = match columns.covariates {
            [] => None,
            covariates => Some(Strata::new(covariates, table.schema(), &format)?),
        };
        if columns.unit.is_some() && table.has_words() {
            let rule = "a feature identifies people in a matrix; for this table give the column of identifiers";
            return Err(Error::request(rule).about([Parameter::Unit]));
        }
        let unit = columns.unit_place(table.schema())?;
        let schema = columns.features(table.schema().clone())?;
        let others: Vec<usize> = strata.iter().flat_map(Strata::places).chain(unit).collect();
        let features = (0..table.schema().d()).filter(|place| !others.contains(place)).collect();
        if !schema.has_people() {
            let roles = Self { schema, unit, strata, people: None, features };
            return Ok(roles.strata.is_some().then_some(roles));
        }
        if !table.can_repeat() {
            let rule = "with several rows of a person the table is read twice: no pipe or reader";
            return Err(Error::request(rule).hint("write it to a file first"));
        }
        let rule = rule(&format)?;
        let new = || FindPeople::new(&rule);
        let people = match (&strata, unit) {
            (None, None) => fold(table, &new)?.people(),
            _ => {
                let strata = strata.as_ref();
                fold(table, &|| MeetByValues { strata, unit, met: new() })?.met.people()
            }
        };
        Ok(Some(Self { schema, unit, strata, people: Some(people), features }))
    }

    /// The places of features among the values of a sample; `None` if all values are features.
    pub(super) fn features(&self) -> Option<&[usize]> {
        (self.strata.is_some() || self.unit.is_some()).then_some(&self.features)
    }

    /// The target of a row and its role in scores; without a target if it contributes nothing. If
    /// each row is its own privacy unit, a row in no stratum keeps its target, because such rows
    /// are counted.
    pub(super) fn of<'t>(&'t self, sample: &Sample<'t, '_>) -> (Option<TargetCell<'t>>, Role) {
        if let Some(people) = &self.people {
            return match people.role(id_by(self.unit, sample), sample.target) {
                Some((target, role)) => (Some(target), role),
                None => (None, sample.role),
            };
        }
        let value = |place: usize| sample.values[place];
        let Some(strata) = &self.strata else { return (sample.target, sample.role) };
        let stratum = strata.stratum(value).unwrap_or(Role::NO_STRATUM);
        (sample.target, Role { stratum, ..sample.role })
    }
}

/// Adds rows whose stratum or person is determined by values.
struct MeetByValues<'a> {
    strata: Option<&'a Strata>,
    unit: Option<usize>,
    met: FindPeople<'a>,
}

impl Fold for MeetByValues<'_> {
    fn batch(&mut self, batch: &Batch<'_>) {
        batch.each(|sample| {
            let value = |place: usize| sample.values[place];
            let stratum = self.strata.map_or(Some(0), |strata| strata.stratum(value));
            let id = id_by(self.unit, &sample);
            self.met.row(sample.number, id, sample.target, stratum);
        });
    }

    fn merge(&mut self, other: Self) {
        self.met.merge(other.met);
    }
}

/// The id of the person of a sample: its own, or the value at a place.
fn id_by<'a>(unit: Option<usize>, sample: &Sample<'a, '_>) -> Option<TargetCell<'a>> {
    let Some(place) = unit else { return sample.id };
    let id = sample.values[place];
    // Positive and negative zero identify the same person.
    id.is_finite().then_some(TargetCell::Number(id + 0.0))
}
