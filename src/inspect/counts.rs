//! Passes over a table that count as a release does: the rows of each class at a horizon, the
//! people or rows of each class and stratum, and the times of a column.

use super::GivenTarget;
use crate::error::Result;
use crate::request::Target;
use crate::table::{
    Batch, Cell, CellFormat, FileTable, Fold, Identifiers, Labels, Opening, PeopleRule,
    PreparedTable, RoleColumns, Source, Table, TargetCell, TargetColumn, TimeToEvent, fold,
    strata_of,
};
use crate::threads::available_threads;

/// The rows of each class at a horizon, and the rows without a usable target.
pub(super) struct Counts {
    pub(super) classes: [u64; 2],
    pub(super) without: u64,
}

impl Counts {
    /// Counts the classes of a table in a separate pass. `None` if the table cannot be read again,
    /// or not with the given options.
    pub(super) fn read(table: &FileTable, target: Option<&Target>) -> Option<Self> {
        struct Classes<'a>(&'a TimeToEvent, Counts);

        impl Fold for Classes<'_> {
            const READS_VALUES: bool = false;

            fn batch(&mut self, batch: &Batch<'_>) {
                for place in (0..batch.len()).filter(|place| !batch.is_left_out(*place)) {
                    let text = batch.target(place).map(|cell| cell.text().into_owned());
                    let is_it = |class: &String| Some(class.as_bytes()) == text.as_deref();
                    match self.0.classes().iter().position(is_it) {
                        Some(class) => self.1.classes[class] += 1,
                        None => self.1.without += 1,
                    }
                }
            }

            fn merge(&mut self, other: Self) {
                let all = self.1.classes.iter_mut().zip(other.1.classes);
                all.for_each(|(count, more)| *count += more);
                self.1.without += other.1.without;
            }
        }

        let events = target?.time_to_event()?;
        let mut open = open(table, Some(events), Identifiers::Ignored).ok()??;
        let none = || Classes(events, Self { classes: [0; 2], without: 0 });
        fold(&mut *open, &none).ok().map(|found| found.1)
    }
}

/// Opens a table, if it can be read again.
fn open<'a>(
    table: &'a FileTable,
    events: Option<&'a TimeToEvent>,
    identifiers: Identifiers,
) -> Result<Option<Box<dyn Table + 'a>>> {
    if !table.rows_repeat() {
        return Ok(None);
    }
    let source: &dyn Source = table;
    let all = Opening::of_all_rows(available_threads());
    source.open(&Opening { events, identifiers, ..all }).map(Some)
}

/// The people of a table, or its rows if each is of another person, with a target that a release
/// uses.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Units {
    /// Their number in each class; of numbers, one count.
    pub(super) classes: Vec<u64>,
    /// Their number in each stratum.
    pub(super) strata: Vec<u64>,
    /// The number of those in no stratum.
    pub(super) without_stratum: u64,
}

impl Units {
    /// Counts the units of a table in passes of their own. `None` if the table cannot be read
    /// again, or not with these options.
    pub(super) fn read(table: &FileTable, target: &Target, given: &GivenTarget) -> Option<Self> {
        Self::counted(table, target, given).ok().flatten()
    }

    fn counted(table: &FileTable, target: &Target, given: &GivenTarget) -> Result<Option<Self>> {
        let events = target.time_to_event();
        let Some(open) = open(table, events, Identifiers::Compared)? else { return Ok(None) };
        let columns = RoleColumns { unit: None, covariates: &given.covariates };
        let labels = target.checked_labels()?;
        let mut table = PreparedTable::new(open).with_roles(&columns, |format| {
            let (rule, labels) = (given.rule.unwrap_or_default(), labels.clone());
            Ok(PeopleRule { rule, compares_rows: false, labels, format: format.clone() })
        })?;
        let format = table.format().clone();
        let units = Self {
            classes: vec![0; labels.as_ref().map_or(1, |labels| labels.as_slice().len())],
            strata: vec![0; strata_of(&given.covariates)?],
            without_stratum: 0,
        };
        let new = || Counting { units: units.clone(), labels: &labels, format: &format };
        if let Some(people) = table.people() {
            let mut counting = new();
            people.targets().for_each(|(cell, stratum)| counting.unit(cell, stratum));
            return Ok(Some(counting.units));
        }
        Ok(Some(fold(&mut table, &|| OfRows(new()))?.0.units))
    }
}

/// Units that are being counted.
struct Counting<'a> {
    units: Units,
    labels: &'a Option<Labels>,
    format: &'a CellFormat,
}

impl Counting<'_> {
    fn unit(&mut self, target: TargetCell<'_>, stratum: u16) {
        let class = match self.labels {
            Some(labels) => labels.class_of(target, self.format),
            None => target.number(self.format).map(|_| 0),
        };
        let Some(class) = class else { return };
        match self.units.strata.get_mut(usize::from(stratum)) {
            Some(count) => {
                *count += 1;
                self.units.classes[class] += 1;
            }
            None => self.units.without_stratum += 1,
        }
    }
}

/// Counts rows, whose strata are found before.
struct OfRows<'a>(Counting<'a>);

impl Fold for OfRows<'_> {
    const READS_VALUES: bool = false;

    fn batch(&mut self, batch: &Batch<'_>) {
        for place in 0..batch.len() {
            let Some(target) = batch.target(place) else { continue };
            let stratum = batch.roles.get(place).copied().unwrap_or_default().stratum;
            self.0.unit(target, stratum);
        }
    }

    fn merge(&mut self, other: Self) {
        let (units, more) = (&mut self.0.units, other.0.units);
        let counts = units.classes.iter_mut().chain(&mut units.strata);
        counts.zip(more.classes.into_iter().chain(more.strata)).for_each(|(n, more)| *n += more);
        units.without_stratum += more.without_stratum;
    }
}

/// The times in a column.
pub(super) fn times(table: &FileTable, column: &str) -> Vec<f64> {
    struct Times(CellFormat, Vec<f64>);

    impl Fold for Times {
        const READS_VALUES: bool = false;

        fn batch(&mut self, batch: &Batch<'_>) {
            let number = |cell: &TargetCell<'_>| match self.0.cell(&cell.text()) {
                Cell::Number(value) => Some(value),
                _ => None,
            };
            self.1.extend(batch.targets.iter().flatten().filter_map(number));
        }

        fn merge(&mut self, other: Self) {
            self.1.extend(other.1);
        }
    }

    let named = table.clone().target_column(TargetColumn::Named(column.to_owned()));
    let format = table.facts.cells();
    let open = open(&named, None, Identifiers::Ignored).ok().flatten();
    let found = open.and_then(|mut open| {
        fold(&mut *open, &|| Times(format.clone(), Vec::new())).ok().map(|found| found.1)
    });
    let mut times = found.unwrap_or_default();
    times.sort_by(f64::total_cmp);
    times
}
