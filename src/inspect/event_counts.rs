//! Passes over the times and events of a table, for findings on them: the rows of each class at a
//! horizon, and the times.

use crate::error::Result;
use crate::request::Target;
use crate::table::{
    Batch, Cell, CellFormat, FileTable, Fold, Opening, Source, TargetCell, TargetColumn,
    TimeToEvent, fold,
};

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
        let none = || Classes(events, Self { classes: [0; 2], without: 0 });
        read(table, Some(events), &none).ok().flatten().map(|found| found.1)
    }
}

/// Folds over the targets of a table, if it can be read again.
fn read<F: Fold>(
    table: &FileTable,
    events: Option<&TimeToEvent>,
    new: &(dyn Fn() -> F + Sync),
) -> Result<Option<F>> {
    if !table.rows_repeat() {
        return Ok(None);
    }
    let source: &dyn Source = table;
    let opening = Opening { events, ..Opening::of_all_rows(1) };
    fold(&mut *source.open(&opening)?, new).map(Some)
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
    let found = read(&named, None, &|| Times(format.clone(), Vec::new()));
    let mut times = found.ok().flatten().map(|found| found.1).unwrap_or_default();
    times.sort_by(f64::total_cmp);
    times
}
