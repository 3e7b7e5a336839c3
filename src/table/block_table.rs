//! Tables that are not text: the columns are known before the first row, and the rows are read in
//! blocks.
//!
//! A reader of such a format is a [`BlockTable`]. Roles, targets in other files, threads and
//! missing values are implemented once for all of them, in [`block_rows`](super::block_rows).

use std::ops::Range;

use crate::error::Result;
use crate::table::cell::{CellFormat, Kind};
use crate::table::schema::Orientation;

/// The columns of a file.
#[derive(Debug, Default)]
pub(crate) struct FileColumns {
    /// The orientation of the file. The columns here are the features also where features are the
    /// rows of the file.
    pub(crate) orientation: Orientation,
    /// The names of the columns: public.
    pub(crate) names: Vec<String>,
    /// The places of the columns that hold text, in order.
    pub(crate) texts: Vec<usize>,
    /// The places of the columns that are text by their type, where one row cannot change it.
    pub(crate) text_types: Vec<usize>,
    /// The places of the columns of an index, in order: neither features nor the default target.
    pub(crate) index: Vec<usize>,
    /// The places of the columns of a type that is not read, in order: they can be excluded.
    pub(crate) unread: Vec<usize>,
    /// The places of the columns of dates and times of day by their type, in order.
    pub(crate) dates: Vec<usize>,
    /// The places of the columns of booleans by their type, in order.
    pub(crate) booleans: Vec<usize>,
    /// Whether the values of all columns come from cells of text, and any may be a word.
    pub(crate) all_texts: bool,
    /// Whether the names come from the file; otherwise they were made up by number.
    pub(crate) named: bool,
    /// Whether each sample has an id outside the columns: private.
    pub(crate) ids: bool,
    /// Whether these ids identify people.
    pub(crate) units: bool,
    /// Whether all of those are missing.
    #[cfg_attr(
        not(feature = "inspect"),
        allow(dead_code, reason = "nothing private depends on it")
    )]
    pub(crate) no_ids: bool,
    /// Whether each sample has a target outside the columns.
    pub(crate) target: bool,
    /// Whether the target is a number by its type.
    pub(crate) number_target: bool,
    /// Whether the target is boolean by its type.
    pub(crate) boolean_target: bool,
    /// The name of this target, if it is used only when a request names it.
    pub(crate) target_name: Option<String>,
    /// The number of samples, if it is known. It is private: only the progress on a terminal may
    /// use it.
    pub(crate) rows: Option<u64>,
}

impl FileColumns {
    /// The last column that is not an index, where features are columns.
    pub(crate) fn last(&self) -> Option<usize> {
        let is_index = |column: &usize| self.index.binary_search(column).is_ok();
        match self.orientation {
            Orientation::SamplesAsRows => (0..self.names.len()).rfind(|column| !is_index(column)),
            Orientation::FeaturesAsRows => None,
        }
    }
}

/// The source of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextPlace {
    /// A column; numbers are given as the shortest text that reads back to them.
    Column(usize),
    /// The ids outside the columns.
    Ids,
    /// The target outside the columns.
    Target,
}

/// The parts of each row that a pass reads.
#[derive(Debug, Clone, Default)]
pub(crate) struct Wanted {
    /// The columns whose values are read, ascending; texts are read as in a text file.
    pub(crate) numbers: Vec<usize>,
    /// The texts that are read.
    pub(crate) texts: Vec<TextPlace>,
    /// The largest size of a block of more than one row, in bytes.
    pub(crate) block: usize,
    /// The same where a table is so wide that its columns are read in groups, repeatedly for every
    /// block.
    #[cfg_attr(not(feature = "arrow"), allow(dead_code, reason = "no other format is read so"))]
    pub(crate) wide: usize,
    /// The format of texts that are read as values, with the codes for missing values.
    pub(crate) format: CellFormat,
    /// The number of threads that one block may use.
    #[cfg_attr(not(feature = "arrow"), allow(dead_code, reason = "no other format uses several"))]
    pub(crate) threads: usize,
    /// The [part](BlockTable::parts) of the table that is read; all of it if `None`.
    #[cfg_attr(not(feature = "arrow"), allow(dead_code, reason = "no other format has parts"))]
    pub(crate) part: Option<usize>,
}

/// A cell as text, such as a label or an id; `None` if it is missing.
pub(crate) type TextCell = Option<Vec<u8>>;

/// A block of consecutive rows.
#[derive(Debug)]
pub(crate) struct RowBlock {
    /// The number of rows.
    pub(crate) rows: usize,
    /// The values of the wanted columns. Missing values and codes for missing values are NaN; in a
    /// table with words, they are `f64::NAN`.
    pub(crate) values: RowValues,
    /// Whether they are stored column by column; otherwise row by row.
    pub(crate) by_column: bool,
    /// The wanted texts: for each, one cell per row.
    pub(crate) texts: Vec<Vec<TextCell>>,
}

#[cfg(feature = "inspect")]
impl RowBlock {
    /// Calls `take` with each value of one of the `columns` wanted columns, in the order of rows.
    pub(crate) fn each_value(&self, column: usize, columns: usize, mut take: impl FnMut(f64)) {
        let (start, step) = match self.by_column {
            true => (column * self.rows, 1),
            false => (column, columns.max(1)),
        };
        match &self.values {
            RowValues::F32(values) => {
                let values = values.iter().skip(start).step_by(step);
                values.take(self.rows).for_each(|value| take((*value).into()));
            }
            RowValues::F64(values) => {
                let values = values.iter().skip(start).step_by(step);
                values.take(self.rows).for_each(|value| take(*value));
            }
        }
    }
}

/// Values in the narrower type that holds them exactly.
#[derive(Debug)]
pub(crate) enum RowValues {
    F32(Vec<f32>),
    F64(Vec<f64>),
}

/// The blocks of one pass, in file order.
pub(crate) type RowBlocks<'a> = Box<dyn Iterator<Item = Result<RowBlock>> + Send + 'a>;

/// A table that is read block by block.
pub(crate) trait BlockTable: Send + Sync {
    /// The columns.
    fn layout(&self) -> &FileColumns;

    /// Starts a pass.
    ///
    /// # Errors
    ///
    /// `Input` if the file is malformed; `Io` if it cannot be read. Each block can fail likewise.
    fn blocks(&self, wanted: &Wanted) -> Result<RowBlocks<'_>>;

    /// The numbers of rows of the parts of the table that threads can read at the same time, in
    /// order; empty if it is read as one.
    fn parts(&self, _wanted: &Wanted) -> Vec<u64> {
        Vec::new()
    }

    /// The wanted numbers column by column, if they are in memory in this form and no code for a
    /// missing value is given: passes then use them in place.
    fn columns(&self, _wanted: &Wanted) -> Option<Vec<&[f64]>> {
        None
    }

    /// The wanted texts of some rows, if [`columns`](Self::columns) are in memory.
    ///
    /// # Errors
    ///
    /// `Input` for a column without texts.
    fn texts(&self, _wanted: &Wanted, _rows: Range<usize>) -> Result<Vec<Vec<TextCell>>> {
        Ok(Vec::new())
    }
}

/// Makes the codes for missing values among the numbers of a column missing.
pub(crate) fn clean<'a, A: Copy + From<f32> + Into<f64> + 'a>(
    values: impl Iterator<Item = &'a mut A>,
    kind: Kind,
    format: &CellFormat,
) {
    if format.has_codes() {
        values
            .filter(|value| format.is_code_value(kind, (**value).into()))
            .for_each(|value| *value = f32::NAN.into());
    }
}

/// A number as text, as a text file would hold it; `None` for NaN and infinity.
pub(crate) fn number_cell(value: f64) -> TextCell {
    value.is_finite().then(|| value.to_string().into_bytes())
}

/// The number of rows of `row` bytes each that fit in a block of `most` bytes; at least one.
pub(crate) fn rows_in(most: usize, row: usize) -> usize {
    (most / row.max(1)).max(1)
}
