//! A look at a text whose lines are features and whose columns are samples.

use std::collections::HashMap;

use super::TextLook;
use super::column::ColumnSummary;
use crate::data::{CellFormat, OpenText, Row, TakeRows};
use crate::error::Result;

/// The names of the lines, and what each holds; the ids are those of the header.
///
/// # Errors
///
/// As for a pass over the rows.
pub(super) fn look<'a>(
    open: OpenText,
    format: &'a CellFormat,
    threads: usize,
) -> Result<(Vec<String>, TextLook<'a>)> {
    let mut ids: HashMap<Vec<u8>, u64> = HashMap::new();
    let samples = open.shape().columns - 1;
    for id in &open.ids()[1..] {
        *ids.entry(id.trim_ascii().to_vec()).or_default() += 1;
    }
    let new = || Lines { format, samples, lines: Vec::new() };
    let mut lines = open.fold(threads, &new, |all, more| all.lines.extend(more.lines))?.lines;
    lines.sort_unstable_by_key(|(number, ..)| *number);
    let (names, columns) = lines.into_iter().map(|(_, name, line)| (name, line)).unzip();
    let look = TextLook {
        format,
        decimal_comma: false,
        rows: samples as u64,
        columns,
        id: 0,
        ids,
        next_cells: 0,
    };
    Ok((names, look))
}

struct Lines<'a> {
    format: &'a CellFormat,
    samples: usize,
    lines: Vec<(u64, String, ColumnSummary)>,
}

impl TakeRows for Lines<'_> {
    fn row(&mut self, number: u64, row: &Row<'_>) {
        let mut line = ColumnSummary::default();
        for sample in 1..=self.samples {
            line.take_in(row.cell(sample), sample as u64, self.format);
        }
        self.lines.push((number, String::from_utf8_lossy(row.cell(0)).into_owned(), line));
    }
}
