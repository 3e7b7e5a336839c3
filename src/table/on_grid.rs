//! Samples whose values are on the grid, for scores of scaled values by column.

use crate::error::Result;
use crate::table::batch::{Batch, Folds, Layout, Map, MapBatch, Mapped, Values};
use crate::table::cell::CellFormat;
use crate::table::held_columns::Limit;
use crate::table::open_table::{Table, UsableSamples, hold_all};
use crate::table::people::People;
use crate::table::scaling::{Scaler, Scaling};
use crate::table::schema::Schema;
use crate::table::target::Code;

/// A table whose values are mapped to the grid, each sample on its own; missing ones
/// stay missing.
pub(crate) struct OnGrid<'t> {
    table: &'t mut dyn Table,
    to_grid: ToGrid<'t>,
}

struct ToGrid<'t> {
    scaling: &'t Scaling,
    /// Converts a grid value to another integer type.
    to: fn(i16) -> i16,
}

impl<'t> OnGrid<'t> {
    /// A table on the grid of a scaling; `to` makes another integer of each grid value.
    pub(crate) fn new(table: &'t mut dyn Table, scaling: &'t Scaling, to: fn(i16) -> i16) -> Self {
        Self { table, to_grid: ToGrid { scaling, to } }
    }
}

impl Table for OnGrid<'_> {
    fn schema(&self) -> &Schema {
        self.table.schema()
    }

    fn format(&self) -> &CellFormat {
        self.table.format()
    }

    fn can_repeat(&self) -> bool {
        self.table.can_repeat()
    }

    /// Words are missing on the grid.
    fn has_words(&self) -> bool {
        false
    }

    fn people(&self) -> Option<&People> {
        self.table.people()
    }

    fn pass(&mut self, folds: &dyn Folds) -> Result<()> {
        self.table.pass(&Mapped { map: &self.to_grid, folds })
    }

    fn columns(&mut self, limit: Option<Limit>, code: &Code<'_>) -> Result<UsableSamples<'_>> {
        hold_all(self, limit, code)
    }
}

impl Map for ToGrid<'_> {
    fn reads_values(&self) -> bool {
        false
    }

    fn start(&self) -> Box<MapBatch<'_>> {
        let mut scaler = Scaler::new(self.scaling);
        let (mut codes, mut values) = (Vec::new(), Vec::new());
        Box::new(move |batch, sink| {
            if matches!(batch.values, Values::Unread) {
                return sink(batch);
            }
            values.clear();
            batch.each_row(|_, row| {
                codes.clear();
                codes.resize(row.len(), 0);
                scaler.sample(row, &mut codes);
                let on_grid = |(code, value): (&i16, &f64)| match value.is_finite() {
                    true => f64::from((self.to)(*code)),
                    false => f64::NAN,
                };
                values.extend(codes.iter().zip(row).map(on_grid));
            });
            sink(&Batch { values: Values::F64(Layout::Rows(&values)), ..*batch });
        })
    }
}
