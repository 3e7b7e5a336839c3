//! Reads a text whose lines are features and whose columns are samples.

use super::Columns;
use super::column::ColumnSummary;
use super::missing::MissingByTarget;
use super::people::People;
use crate::error::Result;
use crate::request::Target;
use crate::table::{CellFormat, OpenText, Row, TableFacts, TargetColumn};

/// Reads the names and the content of the lines; the identifiers are in the header.
///
/// # Errors
///
/// As for a pass over the rows.
pub(super) fn look<'a>(
    open: OpenText,
    facts: &TableFacts,
    format: &'a CellFormat,
    (threads, target): (usize, Option<&Target>),
) -> Result<(Vec<String>, Columns<'a>)> {
    let mut ids = People::default();
    let samples = open.shape().columns - 1;
    for id in &open.ids()[1..] {
        ids.row(id, None, format);
    }
    let named = match &facts.target {
        TargetColumn::Named(name) => {
            Some((name.as_str(), ColumnSummary::of_target(target, format)))
        }
        _ => None,
    };
    let line = |row: &Row<'_>| {
        let name = String::from_utf8_lossy(row.cell(0)).into_owned();
        let target = named.as_ref().filter(|(target, _)| *target == name);
        let mut line = target.map(|(_, column)| column.clone()).unwrap_or_default();
        for sample in 1..=samples {
            line.take_in(row.cell(sample), sample as u64, format);
        }
        (name, line)
    };
    let lines = open.rows(threads, &line)?;
    let (names, columns) = lines.into_iter().map(|(_, line)| line).unzip();
    // The targets are in another line and not available here.
    let missing = MissingByTarget::default();
    let rows = samples as u64;
    Ok((names, Columns { format, rows, target: None, columns, missing, id: 0, ids, next_cells: 0 }))
}
