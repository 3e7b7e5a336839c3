//! The target file, and the number of samples that have a target in it.

use std::collections::HashSet;

use super::column::ColumnSummary;
use super::people::People;
use crate::error::Result;
use crate::request::Target;
use crate::table::{CellFormat, TableFacts, TargetTable};

/// The targets in a target file.
pub(super) struct TargetFile {
    /// The targets that belong to a sample.
    pub(super) column: ColumnSummary,
    /// Whether the targets are joined by identifiers.
    pub(super) by_id: bool,
    /// The number of targets.
    pub(super) targets: usize,
    /// The number of targets whose identifier is in the table; all, if they are joined by order.
    pub(super) joined: usize,
    /// The number of targets whose identifier is in the table if case is ignored.
    pub(super) alike: usize,
    /// The number of identifiers that occur more than once in the file.
    pub(super) repeated: usize,
    /// The number of targets whose identifier is the name of a column.
    pub(super) in_header: usize,
}

impl TargetFile {
    /// Reads the given target file, if there is one. `ids` are the identifiers of the table, and
    /// `header` holds the names of columns if each row is read as a sample. The labels of a target
    /// are counted.
    ///
    /// # Errors
    ///
    /// As for reading the file.
    pub(super) fn read(
        facts: &TableFacts,
        (ids, format): (&People, &CellFormat),
        header: &[String],
        target: Option<&Target>,
    ) -> Result<Option<Self>> {
        let Some(path) = &facts.target_file else { return Ok(None) };
        let table = TargetTable::read(path, format, target.and_then(Target::time_to_event))?;
        let (by_id, cells) = (!table.in_order(), table.cells());
        let targets = cells.len();
        let count =
            |is: &dyn Fn(&[u8]) -> bool| cells.iter().filter(|(id, _)| id.is_some_and(is)).count();
        let lower: HashSet<String> = ids.identifiers().map(|id| in_lower_case(id)).collect();
        let alike = count(&|id| lower.contains(&in_lower_case(id)));
        let names: HashSet<&[u8]> = header.iter().map(|name| name.as_bytes()).collect();
        let in_header = count(&|id| names.contains(id));
        let mut column = ColumnSummary::of_target(target, format);
        let mut joined = 0;
        for (number, (_, value)) in
            cells.into_iter().filter(|(id, _)| id.is_none_or(|id| ids.has(id))).enumerate()
        {
            column.take_in(value, number as u64 + 1, format);
            joined += 1;
        }
        let repeated = table.repeated();
        Ok(Some(Self { column, by_id, targets, joined, alike, repeated, in_header }))
    }

    /// Whether the identifiers are in the header and not below it, so that the columns are the
    /// samples.
    pub(super) fn is_of_columns(&self) -> bool {
        2 * self.in_header > self.targets && self.in_header > self.joined
    }
}

fn in_lower_case(id: &[u8]) -> String {
    String::from_utf8_lossy(id).to_lowercase()
}
