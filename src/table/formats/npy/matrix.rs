//! A numpy matrix as a table.

use std::ops::Range;

use super::{Array, malformed};
use crate::error::{Error, Result};
use crate::table::block_table::{
    BlockTable, FileColumns, RowBlock, RowBlocks, RowValues, TextCell, TextPlace, Wanted, clean,
    number_cell, rows_in,
};
use crate::table::cell::Kind;
use crate::table::formats::MAX_COLUMNS_WITHOUT_ROWS;
use crate::table::formats::positioned::too_short;
use crate::table::schema::Orientation;

/// The largest number of columns; more indicate a damaged header.
const MAX_COLUMNS: u64 = 1 << 31;
/// The size of a block of rows in C order, in bytes; larger ones are not read faster.
pub(super) const BLOCK: usize = 1 << 22;
/// The largest size of a short column in Fortran order, in bytes: reading over it takes no longer
/// than another call of read.
const SHORT: usize = 1 << 13;
/// The number of bytes of short columns that are read at once.
const READ_BYTES: usize = 1 << 20;
/// The number of columns that are transposed together: some cache lines.
const TILE: usize = 16;

/// A matrix of numbers as a table: samples by columns.
#[derive(Debug)]
pub(crate) struct Matrix {
    array: Array,
    layout: FileColumns,
    pub(super) rows: u64,
    /// Whether the values of a sample are contiguous.
    by_rows: bool,
    target: Option<Vec<TextCell>>,
}

impl Matrix {
    /// An array of two dimensions, whose columns (rows, where features are rows) have the names, or
    /// are called `feature-1` and so on.
    ///
    /// # Errors
    ///
    /// `Input` unless it is a matrix of numbers with a name for each column.
    pub(crate) fn new(
        array: Array,
        names: Option<Vec<String>>,
        orientation: Orientation,
    ) -> Result<Self> {
        let &[first, second] = array.shape.as_slice() else {
            return Err(Error::input("the array must have two dimensions, samples by features"));
        };
        if array.is_text() {
            return Err(Error::input("the array of features holds texts, not numbers"));
        }
        // A transposed matrix has the same bytes in the other order.
        let transposed = orientation == Orientation::FeaturesAsRows;
        let (rows, columns) = if transposed { (second, first) } else { (first, second) };
        if columns >= MAX_COLUMNS || rows >= 1 << 60 {
            return Err(malformed("it has more than 2^31 columns"));
        }
        if rows == 0 && columns > MAX_COLUMNS_WITHOUT_ROWS {
            return Err(malformed("it has no rows and more than 2^24 columns"));
        }
        let made = || (1..=columns).map(|column| format!("feature-{column}")).collect();
        let (named, names): (bool, Vec<String>) = (names.is_some(), names.unwrap_or_else(made));
        if names.len() as u64 != columns {
            return Err(Error::input("there must be one name for each feature of the array"));
        }
        let by_rows = array.fortran == transposed;
        let layout =
            FileColumns { orientation, names, named, rows: Some(rows), ..FileColumns::default() };
        Ok(Self { array, layout, rows, by_rows, target: None })
    }

    /// Adds targets outside the matrix.
    ///
    /// # Errors
    ///
    /// `Input` unless there is one for each sample.
    pub(crate) fn with_target(mut self, target: Vec<TextCell>, of_numbers: bool) -> Result<Self> {
        if target.len() as u64 != self.rows {
            return Err(Error::input("X and y in the file differ in their number of samples"));
        }
        (self.layout.target, self.layout.number_target) = (true, of_numbers);
        self.target = Some(target);
        Ok(self)
    }

    pub(super) fn d(&self) -> usize {
        self.layout.names.len()
    }

    /// Reads `rows` rows from `first` on, counted from 0; `bytes` is a buffer.
    fn block(
        &self,
        wanted: &Reading,
        first: u64,
        rows: usize,
        bytes: &mut Vec<u8>,
    ) -> Result<RowBlock> {
        let of = self.array.of;
        let mut values = of.values(0);
        let mut texts = vec![Vec::with_capacity(rows); wanted.texts.len()];
        if self.by_rows {
            let row_bytes = self.d() * of.size;
            bytes.resize(rows * row_bytes, 0);
            self.array.bytes.read_at(self.place(first * row_bytes as u64)?, bytes)?;
            match &mut values {
                RowValues::F32(values) => values.reserve_exact(rows * wanted.numbers),
                RowValues::F64(values) => values.reserve_exact(rows * wanted.numbers),
            }
            for row in bytes.chunks_exact(row_bytes.max(1)) {
                for run in &wanted.runs {
                    of.decode_into(&row[run.start * of.size..run.end * of.size], &mut values);
                }
                for (cells, place) in texts.iter_mut().zip(&wanted.texts) {
                    if let TextPlace::Column(column) = place {
                        let mut value = Vec::with_capacity(1);
                        of.decode(&row[column * of.size..][..of.size], &mut value);
                        cells.push(value.first().copied().and_then(number_cell));
                    }
                }
            }
        } else {
            values = self.by_columns(wanted, first, rows, &mut texts)?;
        }
        for (cells, place) in texts.iter_mut().zip(&wanted.texts) {
            if *place == TextPlace::Target {
                let all = self.target.as_deref().unwrap_or_default();
                *cells = all.iter().skip(first as usize).take(rows).cloned().collect();
            }
        }
        Ok(RowBlock { rows, values, by_column: false, texts })
    }

    /// Reads rows of a matrix whose columns are contiguous: with one read per column or, if columns
    /// are so short that skipping the rest of them takes no longer than a read, with one read for
    /// many columns.
    fn by_columns(
        &self,
        wanted: &Reading,
        first: u64,
        rows: usize,
        texts: &mut [Vec<TextCell>],
    ) -> Result<RowValues> {
        let (of, length) = (self.array.of, rows * self.array.of.size);
        let column_bytes = self.rows * of.size as u64;
        let short = usize::try_from(column_bytes).ok().filter(|bytes| *bytes <= SHORT);
        let at_once = short.map_or(TILE, |bytes| TILE.max(READ_BYTES / bytes));
        let mut bytes = Vec::new();
        // Parts of neighboring columns, one after the other.
        let mut read = |columns: Range<usize>| -> Result<RowValues> {
            let mut parts = of.values(0);
            let place =
                |column: usize| self.place(column as u64 * column_bytes + first * of.size as u64);
            if let Some(whole) = short {
                bytes.resize((columns.len() - 1) * whole + length, 0);
                self.array.bytes.read_at(place(columns.start)?, &mut bytes)?;
                for column in bytes.chunks(whole) {
                    of.decode_into(&column[..length], &mut parts);
                }
            } else {
                bytes.resize(length, 0);
                for column in columns {
                    self.array.bytes.read_at(place(column)?, &mut bytes)?;
                    of.decode_into(&bytes, &mut parts);
                }
            }
            Ok(parts)
        };
        let d = wanted.numbers;
        let mut all = of.values(rows * d);
        let mut at = 0;
        for run in &wanted.runs {
            for start in run.clone().step_by(at_once) {
                let columns = start..run.end.min(start + at_once);
                let width = columns.len();
                match (&mut all, read(columns)?) {
                    (RowValues::F32(all), RowValues::F32(parts)) => {
                        transpose(all, &parts, at, d, rows)
                    }
                    (RowValues::F64(all), RowValues::F64(parts)) => {
                        transpose(all, &parts, at, d, rows)
                    }
                    _ => {}
                }
                at += width;
            }
        }
        for (cells, place) in texts.iter_mut().zip(&wanted.texts) {
            if let TextPlace::Column(column) = *place {
                *cells = match read(column..column + 1)? {
                    RowValues::F32(part) => {
                        part.into_iter().map(|v| number_cell(v.into())).collect()
                    }
                    RowValues::F64(part) => part.into_iter().map(number_cell).collect(),
                };
            }
        }
        Ok(all)
    }

    /// The offset in the file of a byte of the values.
    fn place(&self, byte: u64) -> Result<u64> {
        self.array.start.checked_add(byte).ok_or_else(too_short)
    }
}

/// Writes columns to their places in each row, from the place `at` on; few columns at a time, so
/// that writes to a row are contiguous.
fn transpose<A: Copy>(all: &mut [A], parts: &[A], at: usize, d: usize, rows: usize) {
    for (columns, at) in parts.chunks(TILE * rows).zip((at..).step_by(TILE)) {
        let width = columns.len() / rows;
        for row in 0..rows {
            for (column, value) in all[row * d + at..][..width].iter_mut().enumerate() {
                *value = columns[column * rows + row];
            }
        }
    }
}

/// The columns that a pass reads.
struct Reading {
    /// The wanted columns, in runs of neighbors.
    runs: Vec<Range<usize>>,
    /// The number of wanted columns.
    numbers: usize,
    texts: Vec<TextPlace>,
}

impl Reading {
    fn new(wanted: &Wanted) -> Self {
        let mut runs: Vec<Range<usize>> = Vec::new();
        for &column in &wanted.numbers {
            match runs.last_mut().filter(|run| run.end == column) {
                Some(run) => run.end += 1,
                None => runs.push(column..column + 1),
            }
        }
        Self { runs, numbers: wanted.numbers.len(), texts: wanted.texts.clone() }
    }
}

impl BlockTable for Matrix {
    fn layout(&self) -> &FileColumns {
        &self.layout
    }

    fn blocks(&self, wanted: &Wanted) -> Result<RowBlocks<'_>> {
        let (reading, format) = (Reading::new(wanted), wanted.format.clone());
        // In Fortran order a block takes a read of each column: the larger the blocks, the fewer
        // reads.
        let most = if self.by_rows { wanted.block.min(BLOCK) } else { wanted.block };
        let size = rows_in(most, self.d().saturating_mul(self.array.of.size.max(4)));
        let (mut first, mut bytes) = (0, Vec::new());
        Ok(Box::new(std::iter::from_fn(move || {
            let rows = usize::try_from(self.rows - first).unwrap_or(size).min(size);
            if rows == 0 {
                return None;
            }
            let mut block = self.block(&reading, first, rows, &mut bytes);
            first += rows as u64;
            match block.as_mut().map(|block| &mut block.values) {
                Ok(RowValues::F32(values)) => clean(values.iter_mut(), Kind::Number, &format),
                Ok(RowValues::F64(values)) => clean(values.iter_mut(), Kind::Number, &format),
                Err(_) => {}
            }
            Some(block)
        })))
    }
}
