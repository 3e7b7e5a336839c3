//! The targets in a file of their own, and how many samples have one.

use std::collections::HashMap;

use super::column::ColumnSummary;
use crate::data::{CellFormat, TableFacts, TargetTable};
use crate::error::Result;

/// The targets in a file.
pub(super) struct Beside {
    /// The values of those that belong to a sample.
    pub(super) column: ColumnSummary,
    /// Whether they are joined by ids.
    pub(super) by_id: bool,
    /// The number of targets.
    pub(super) targets: usize,
    /// The number of those whose id is in the table; of all, in order.
    pub(super) joined: usize,
}

impl Beside {
    /// Reads the stated target file, if there is one; `ids` are those of the table.
    ///
    /// # Errors
    ///
    /// As for reading it.
    pub(super) fn read(facts: &TableFacts, ids: &HashMap<Vec<u8>, u64>) -> Result<Option<Self>> {
        let Some(path) = &facts.target_file else { return Ok(None) };
        let table = TargetTable::read(path, &facts.cells())?;
        let format = CellFormat { decimal_comma: false, ..facts.cells() };
        let (by_id, cells) = (!table.in_order(), table.cells());
        let targets = cells.len();
        let mut column = ColumnSummary::default();
        let mut joined = 0;
        for (number, (_, value)) in
            cells.into_iter().filter(|(id, _)| id.is_none_or(|id| ids.contains_key(id))).enumerate()
        {
            column.take_in(value, number as u64 + 1, &format);
            joined += 1;
        }
        Ok(Some(Self { column, by_id, targets, joined }))
    }
}
