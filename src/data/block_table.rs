//! Files of numbers: columns that are known before the first row, and rows block by block.
//!
//! A reader of such a format is a [`BlockTable`]; everything else - roles, targets from elsewhere, threads,
//! missing values - is done once, for all of them, in [`BlockSamples`](super::block_samples).

use crate::data::schema::Orientation;
use crate::error::Result;

/// What a file says of its columns.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    /// Which way the file lies. Where features are its rows, they are the columns here all the same.
    pub(crate) orientation: Orientation,
    /// The names of the columns: public.
    pub(crate) names: Vec<String>,
    /// The places of the columns that hold text, in order.
    pub(crate) texts: Vec<usize>,
    /// Whether the names are the file's, not made of numbers here.
    pub(crate) named: bool,
    /// Whether each sample has an id beside the columns: private.
    pub(crate) ids: bool,
    /// Whether each sample has a target beside the columns.
    pub(crate) target: bool,
    /// What that target is called, where it has to be stated to be taken.
    pub(crate) target_name: Option<String>,
    /// The number of samples, where it is known: private, for progress on a terminal alone.
    pub(crate) rows: Option<u64>,
}

/// Where texts come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextPlace {
    /// A column; its numbers in the shortest text that reads back to them.
    Column(usize),
    /// The ids beside the columns.
    Ids,
    /// The target beside the columns.
    Target,
}

/// What is wanted of each row.
#[derive(Debug, Clone, Default)]
pub(crate) struct Wanted {
    /// Columns whose values are wanted, ascending.
    pub(crate) numbers: Vec<usize>,
    /// Texts that are wanted.
    pub(crate) texts: Vec<TextPlace>,
    /// What a block should take at most, in bytes, if it has more than one row.
    pub(crate) block: usize,
}

/// A text, such as a label or an id; `None` is missing.
pub(crate) type TextCell = Option<Vec<u8>>;

/// Some rows.
#[derive(Debug)]
pub(crate) struct RowBlock {
    /// How many.
    pub(crate) rows: usize,
    /// The wanted columns, row by row; NaN where missing.
    pub(crate) values: RowValues,
    /// The wanted texts, each with one cell a row.
    pub(crate) texts: Vec<Vec<TextCell>>,
}

/// Values in the narrower type that holds them exactly.
#[derive(Debug)]
pub(crate) enum RowValues {
    F32(Vec<f32>),
    F64(Vec<f64>),
}

/// The blocks of one pass, in the order of the file.
pub(crate) type RowBlocks<'a> = Box<dyn Iterator<Item = Result<RowBlock>> + Send + 'a>;

/// A table that is read block by block.
pub(crate) trait BlockTable: Send + Sync {
    /// Its columns.
    fn layout(&self) -> &Layout;

    /// Starts a pass.
    ///
    /// # Errors
    ///
    /// `Input` if the file is malformed; `Io` if it cannot be read. The same of each block.
    fn blocks(&self, wanted: &Wanted) -> Result<RowBlocks<'_>>;
}

/// A number as the text that stands for it: what a file of text would hold. `None` for NaN and infinity.
pub(crate) fn number_cell(value: f64) -> TextCell {
    value.is_finite().then(|| value.to_string().into_bytes())
}

/// How many rows of `row` bytes each a block of `most` bytes takes: at least one.
pub(crate) fn rows_in(most: usize, row: usize) -> usize {
    (most / row.max(1)).max(1)
}
