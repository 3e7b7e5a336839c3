//! Reads a text whose lines are features and whose columns are samples.

use super::Columns;
use super::column::ColumnSummary;
use super::missing::MissingByTarget;
use super::people::People;
use crate::error::Result;
use crate::request::Target;
use crate::table::{CellFormat, OpenText, Row, TableFacts, TakeRows, TargetColumn};

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
        ids.row(id, None);
    }
    let named = match &facts.target {
        TargetColumn::Named(name) => {
            Some((name.as_str(), ColumnSummary::of_target(target, format)))
        }
        _ => None,
    };
    let new = || Lines { format, samples, target: named.as_ref(), lines: Vec::new() };
    let mut lines = open.fold(threads, &new, |all, more| all.lines.extend(more.lines))?.lines;
    lines.sort_unstable_by_key(|(number, ..)| *number);
    let (names, columns) = lines.into_iter().map(|(_, name, line)| (name, line)).unzip();
    // The targets are in another line and not available here.
    let missing = MissingByTarget::default();
    let rows = samples as u64;
    Ok((names, Columns { format, rows, target: None, columns, missing, id: 0, ids, next_cells: 0 }))
}

struct Lines<'a> {
    format: &'a CellFormat,
    samples: usize,
    /// The name of the target's line, if it is given, and its content.
    target: Option<&'a (&'a str, ColumnSummary)>,
    lines: Vec<(u64, String, ColumnSummary)>,
}

impl TakeRows for Lines<'_> {
    fn row(&mut self, number: u64, row: &Row<'_>) {
        let name = String::from_utf8_lossy(row.cell(0)).into_owned();
        let target = self.target.filter(|(target, _)| *target == name);
        let mut line = target.map(|(_, column)| column.clone()).unwrap_or_default();
        for sample in 1..=self.samples {
            line.take_in(row.cell(sample), sample as u64, self.format);
        }
        self.lines.push((number, name, line));
    }
}
