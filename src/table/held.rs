//! A table whose columns are held in memory, read in blocks of rows.

use std::ops::Range;

use crate::error::Result;
use crate::table::block_table::{
    BlockTable, FileColumns, RowBlock, RowBlocks, RowValues, TextCell, TextPlace, Wanted,
    number_cell, rows_in,
};
use crate::table::cell::{CellFormat, Kind};
use crate::table::date::date_text;

/// The number of rows in a block: at least a cache line of each column.
const ROWS: usize = 64;

/// One column of a table.
#[derive(Debug)]
pub(crate) enum HeldColumn {
    /// Values of cells: numbers, `f64::NAN` where missing, or words.
    Values(Vec<f64>),
    /// Numbers of a kind, `f64::NAN` where missing.
    Numbers(Kind, Vec<f64>),
    /// Texts.
    Texts(Vec<TextCell>),
    /// A type that is not read: such a column has no role unless it is excluded.
    Unread,
}

impl HeldColumn {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Values(values) | Self::Numbers(_, values) => values.len(),
            Self::Texts(cells) => cells.len(),
            Self::Unread => 0,
        }
    }

    /// The value of a feature; texts are read as in a text file.
    pub(crate) fn value(&self, row: usize, format: &CellFormat) -> f64 {
        match self {
            Self::Values(values) => values[row],
            Self::Numbers(kind, values) if format.is_code_value(*kind, values[row]) => f64::NAN,
            Self::Numbers(_, values) => values[row],
            Self::Texts(cells) => cells[row].as_deref().map_or(f64::NAN, |cell| format.value(cell)),
            Self::Unread => f64::NAN,
        }
    }

    pub(crate) fn cell(&self, row: usize) -> TextCell {
        match self {
            Self::Numbers(Kind::Date, values) if values[row].is_finite() => {
                let text = date_text(microseconds(values[row])).map(String::into_bytes);
                text.or_else(|| number_cell(values[row]))
            }
            Self::Values(values) | Self::Numbers(_, values) => number_cell(values[row]),
            Self::Texts(cells) => cells[row].clone(),
            Self::Unread => None,
        }
    }
}

/// The nanoseconds of a number of days, to the microsecond, which is as exact as a number of days
/// is.
fn microseconds(days: f64) -> i128 {
    let of_day = (days - days.floor()) * 86_400e6;
    1_000 * (86_400_000_000 * days.floor() as i128 + of_day.round() as i128)
}

/// A table whose columns, all of the same length, are held in memory.
#[derive(Debug)]
pub(crate) struct HeldTable {
    layout: FileColumns,
    rows: usize,
    columns: Vec<HeldColumn>,
    ids: Option<Vec<TextCell>>,
    target: Option<Vec<TextCell>>,
}

impl HeldTable {
    /// A table of columns of `rows` values each, in the order of the layout's names; `ids` and
    /// `target` have `rows` cells each.
    pub(crate) fn new(
        mut layout: FileColumns,
        rows: usize,
        columns: Vec<HeldColumn>,
        ids: Option<Vec<TextCell>>,
        target: Option<Vec<TextCell>>,
    ) -> Self {
        let places = |is: fn(&HeldColumn) -> bool| {
            (0..columns.len()).filter(|&column| is(&columns[column])).collect()
        };
        layout.texts = places(|column| matches!(column, HeldColumn::Texts(_)));
        layout.unread = places(|column| matches!(column, HeldColumn::Unread));
        (layout.ids, layout.target) = (ids.is_some(), target.is_some());
        layout.rows = Some(rows as u64);
        Self { layout, rows, columns, ids, target }
    }

    fn cells(&self, place: TextPlace, rows: Range<usize>) -> Vec<TextCell> {
        let outside = |cells: &Option<Vec<TextCell>>| match cells {
            Some(cells) => cells[rows.clone()].to_vec(),
            None => vec![None; rows.len()],
        };
        match place {
            TextPlace::Column(column) => rows.map(|row| self.columns[column].cell(row)).collect(),
            TextPlace::Ids => outside(&self.ids),
            TextPlace::Target => outside(&self.target),
        }
    }
}

impl BlockTable for HeldTable {
    fn layout(&self) -> &FileColumns {
        &self.layout
    }

    fn blocks(&self, wanted: &Wanted) -> Result<RowBlocks<'_>> {
        let wanted = wanted.clone();
        let d = wanted.numbers.len();
        let size = rows_in(wanted.block, 8 * d).min(ROWS);
        let block = move |first: usize| {
            let rows = first..(first + size).min(self.rows);
            let mut values = Vec::with_capacity(rows.len() * d);
            for &column in &wanted.numbers {
                let column = &self.columns[column];
                values.extend(rows.clone().map(|row| column.value(row, &wanted.format)));
            }
            let texts = self.texts(&wanted, rows.clone())?;
            let (rows, values) = (rows.len(), RowValues::F64(values));
            Ok(RowBlock { rows, values, by_column: true, texts })
        };
        Ok(Box::new((0..self.rows).step_by(size).map(block)))
    }

    fn columns(&self, wanted: &Wanted) -> Option<Vec<&[f64]>> {
        let numbers = |&column: &usize| match &self.columns[column] {
            HeldColumn::Values(values) => Some(&values[..]),
            HeldColumn::Numbers(_, values) => (!wanted.format.has_codes()).then_some(&values[..]),
            HeldColumn::Texts(_) | HeldColumn::Unread => None,
        };
        wanted.numbers.iter().map(numbers).collect()
    }

    fn texts(&self, wanted: &Wanted, rows: Range<usize>) -> Result<Vec<Vec<TextCell>>> {
        Ok(wanted.texts.iter().map(|&place| self.cells(place, rows.clone())).collect())
    }
}
