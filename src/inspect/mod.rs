//! Inspection of a table by the data holder: its content, oddities, and the facts to state of it.
//!
//! **Not private**: the results depend on the data without noise and must not be passed on.

mod blocks;
mod column;
mod features;
mod findings;
mod roles;

use std::collections::HashMap;

use crate::data::{CellFormat, FileTable, Format, Row, RowFold};
use crate::error::Result;
use column::ColumnSummary;

pub use findings::{Finding, Suggestion};

/// The result of an inspection. Not private.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Inspection {
    /// The number of samples; of a text table, the number of lines below the header.
    pub rows: u64,
    /// The number of columns.
    pub columns: usize,
    /// The findings, in the order to read them.
    pub findings: Vec<Finding>,
    /// The facts and the request that suit the table.
    pub suggestion: Suggestion,
}

/// Inspects a table of any format, with the facts that are stated of it.
///
/// # Errors
///
/// As for reading it: `Request` for facts that do not fit its format, `Io`, or `Input` with the place of the
/// first structure error.
pub fn inspect(table: &FileTable) -> Result<Inspection> {
    match table.format()? {
        Format::Text => inspect_text(table),
        format => blocks::inspect(table, format),
    }
}

fn inspect_text(table: &FileTable) -> Result<Inspection> {
    let stated = &table.facts;
    let open = table.file().open()?;
    let (header, delimiter) = (open.header().to_vec(), open.delimiter());
    // Decimal commas are counted, stated or not.
    let format = CellFormat { decimal_comma: false, ..stated.cells() };
    let id = stated.id.as_ref().and_then(|id| header.iter().position(|name| name == id));
    let new = || TextLook {
        format: &format,
        rows: 0,
        columns: vec![ColumnSummary::default(); header.len()],
        id: id.unwrap_or(0),
        ids: HashMap::new(),
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let look = open.fold(threads, new)?;
    let duplicated_ids = look.ids.values().filter(|&&count| count > 1).count();
    let (findings, suggestion) = findings::draw(findings::Seen {
        stated,
        header: &header,
        written: findings::Written::Text(delimiter),
        rows: look.rows,
        columns: &look.columns,
        different_ids: look.ids.len(),
        duplicated_ids,
    });
    Ok(Inspection { rows: look.rows, columns: header.len(), findings, suggestion })
}

/// Counts what each column holds.
struct TextLook<'a> {
    format: &'a CellFormat,
    rows: u64,
    columns: Vec<ColumnSummary>,
    /// The column that may hold ids.
    id: usize,
    /// The number of times that each of its values occurs.
    ids: HashMap<Vec<u8>, u64>,
}

impl RowFold for TextLook<'_> {
    fn row(&mut self, number: u64, row: &Row<'_>) {
        self.rows += 1;
        for (c, column) in self.columns.iter_mut().enumerate() {
            column.take_in(row.cell(c), number, self.format);
        }
        *self.ids.entry(row.cell(self.id).trim_ascii().to_vec()).or_default() += 1;
    }

    fn merge(&mut self, other: Self) {
        self.rows += other.rows;
        for (column, more) in self.columns.iter_mut().zip(other.columns) {
            column.merge(more);
        }
        for (value, count) in other.ids {
            *self.ids.entry(value).or_default() += count;
        }
    }
}
