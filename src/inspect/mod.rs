//! A look at a table for the data holder's eyes: what it holds, what is odd, which command to use.
//!
//! **Not private**: everything here is read off the data and may not be passed on.

mod blocks;
mod column;
mod findings;

use std::collections::HashMap;
use std::path::Path;

use crate::data::{
    CellFormat, FileTable, Format, Orientation, Row, RowFold, TableFile, TargetColumn,
};
use crate::error::Result;
use column::Column;

pub use findings::{Finding, Suggestion};

/// What is known of a table before it is looked at.
#[derive(Debug, Clone, Default)]
pub struct Known {
    /// What separates cells; found in the header if none.
    pub delimiter: Option<u8>,
    /// Whether `3,5` means three and a half; found if not stated.
    pub decimal_comma: bool,
    /// Texts that stand for a missing value.
    pub missing: Vec<String>,
    /// Which column holds the target.
    pub target: TargetColumn,
    /// Whether the targets are in another file.
    pub target_elsewhere: bool,
    /// A column of ids.
    pub id: Option<String>,
    /// Columns that are no features.
    pub exclude: Vec<String>,
    /// Which way the table lies, where that is stated.
    pub orientation: Option<Orientation>,
}

/// What a table holds. Not private.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Inspection {
    /// The number of samples; of a table of text, of lines below the header.
    pub rows: u64,
    /// The number of columns.
    pub columns: usize,
    /// What separates cells, in a table of text.
    pub delimiter: Option<u8>,
    /// What was found, in the order to read it.
    pub findings: Vec<Finding>,
    /// The options to state.
    pub suggestion: Suggestion,
}

/// Looks at a table of any format.
///
/// # Errors
///
/// As for reading it: `Request` for what is known of text alone and of another format, `Io`, or `Input` with
/// the place of the first structure error.
pub fn inspect(path: &Path, known: &Known) -> Result<Inspection> {
    let mut table = FileTable::new(path).decimal_comma(known.decimal_comma);
    if let Some(delimiter) = known.delimiter {
        table = table.delimiter(delimiter);
    }
    match table.format()? {
        Format::Text => inspect_text(path, known),
        format => blocks::inspect(table.missing(known.missing.clone()), format, known),
    }
}

fn inspect_text(path: &Path, known: &Known) -> Result<Inspection> {
    let file = TableFile::new(path, known.delimiter).with_decimal_comma(known.decimal_comma);
    let table = file.open()?;
    let (header, delimiter) = (table.header().to_vec(), table.delimiter());
    let format = CellFormat { decimal_comma: false, missing: known.missing.clone() };
    let id = known.id.as_ref().and_then(|id| header.iter().position(|name| name == id));
    let new = || Look {
        format: &format,
        rows: 0,
        columns: vec![Column::default(); header.len()],
        id: id.unwrap_or(0),
        ids: HashMap::new(),
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let look = table.fold(threads, new)?;
    let duplicated_ids = look.ids.values().filter(|&&count| count > 1).count();
    let (findings, suggestion) = findings::draw(findings::Seen {
        known,
        header: &header,
        written: findings::Written::Text(delimiter),
        rows: look.rows,
        columns: &look.columns,
        different_ids: look.ids.len(),
        duplicated_ids,
    });
    let delimiter = Some(delimiter);
    Ok(Inspection { rows: look.rows, columns: header.len(), delimiter, findings, suggestion })
}

/// Gathers what each column holds.
struct Look<'a> {
    format: &'a CellFormat,
    rows: u64,
    columns: Vec<Column>,
    /// The column that may hold ids.
    id: usize,
    /// How often each of its values occurs.
    ids: HashMap<Vec<u8>, u64>,
}

impl RowFold for Look<'_> {
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
