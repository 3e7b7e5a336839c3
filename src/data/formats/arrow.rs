//! Parquet and Arrow's own files and streams, by Arrow's readers: record batch by record batch.
//!
//! A batch of an Arrow file, or a row group of Parquet as far as its pages are decoded, is in memory at a
//! time, with only those columns that are wanted. Integers, floats and booleans are numbers; texts, also as
//! dictionaries, are texts; null is missing. The column `__index_level_0__`, where pandas puts a table's index,
//! holds ids.
//!
//! What Arrow's readers say of a broken file may quote it, so it is not passed on; where they panic, that is
//! an error here.

use std::fs::File;
use std::io::BufReader;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, RecordBatch};
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, DataType, SchemaRef};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use crate::data::block_table::{
    Block, BlockTable, Blocks, Cell, Layout, Place, Values, Wanted, number_cell, rows_in,
};
use crate::data::formats::Format;
use crate::data::number::parse_number;
use crate::error::{Error, Result};

/// Where pandas keeps an index.
const INDEX: &str = "__index_level_0__";
/// More rows at a time are not read faster.
const MOST_ROWS: usize = 1 << 13;

/// A file of Arrow's or Parquet.
pub(super) struct ArrowTable {
    format: Format,
    path: PathBuf,
    schema: SchemaRef,
    layout: Layout,
    /// The file's column of each column.
    columns: Vec<usize>,
    /// The file's column of ids.
    index: Option<usize>,
}

type Batches = Box<dyn Iterator<Item = std::result::Result<RecordBatch, ArrowError>> + Send>;

impl ArrowTable {
    /// Reads what the file says of its columns.
    ///
    /// # Errors
    ///
    /// `Input` if it is malformed; `Io` if it cannot be read.
    pub(super) fn open(format: Format, path: &Path) -> Result<Self> {
        let (schema, rows, _) = read(format, path, None)?;
        let index = schema.fields().iter().position(|field| field.name() == INDEX);
        let columns: Vec<usize> =
            (0..schema.fields().len()).filter(|column| Some(*column) != index).collect();
        let names = columns.iter().map(|&column| schema.field(column).name().clone()).collect();
        let is_text = |place: &usize| !is_number(schema.field(columns[*place]).data_type());
        let texts = (0..columns.len()).filter(is_text).collect();
        let ids = index.is_some();
        let layout = Layout { names, named: true, texts, ids, rows, ..Layout::default() };
        Ok(Self { format, path: path.to_owned(), schema, layout, columns, index })
    }

    /// Whether `f32` holds all values of these columns exactly.
    fn is_narrow(&self, columns: &[usize]) -> bool {
        use DataType::{Boolean, Float16, Float32, Int8, Int16, UInt8, UInt16};
        columns.iter().all(|&place| {
            let of = self.schema.field(self.columns[place]).data_type();
            matches!(of, Boolean | Float16 | Float32 | Int8 | Int16 | UInt8 | UInt16)
        })
    }

    fn file_column(&self, place: Place) -> Option<usize> {
        match place {
            Place::Column(column) => self.columns.get(column).copied(),
            Place::Ids => self.index,
            Place::Target => None,
        }
    }
}

fn is_number(of: &DataType) -> bool {
    use DataType::{Boolean, Float16, Float32, Float64, Null};
    of.is_integer() || matches!(of, Boolean | Float16 | Float32 | Float64 | Null)
}

/// Some columns of a file, in its order, and so many rows at a time.
struct Part<'a> {
    columns: &'a [usize],
    rows: usize,
}

/// The schema of all columns, the number of rows where it is known, and the batches of a part.
fn read(
    format: Format,
    path: &Path,
    part: Option<&Part<'_>>,
) -> Result<(SchemaRef, Option<u64>, Option<Batches>)> {
    let file = File::open(path)
        .map_err(|error| Error::io(format!("cannot read {}: {error}", path.display())))?;
    let name = format.name();
    guarded(name, move || {
        let projection = part.map(|part| part.columns.to_vec());
        Ok(match format {
            Format::Parquet => {
                let builder = ParquetRecordBatchReaderBuilder::try_new(file)?;
                let schema = builder.schema().clone();
                let rows = u64::try_from(builder.metadata().file_metadata().num_rows()).ok();
                let batches = part.map(|part| {
                    let mask = ProjectionMask::roots(
                        builder.parquet_schema(),
                        part.columns.iter().copied(),
                    );
                    builder.with_projection(mask).with_batch_size(part.rows).build()
                });
                (schema, rows, batches.transpose()?.map(|batches| Box::new(batches) as Batches))
            }
            Format::ArrowStream => {
                let schema = StreamReader::try_new(BufReader::new(&file), None)?.schema();
                let stream = BufReader::new(File::open(path)?);
                let batches = part.map(|_| StreamReader::try_new(stream, projection));
                (schema, None, batches.transpose()?.map(|batches| Box::new(batches) as Batches))
            }
            _ => {
                let schema = FileReader::try_new(BufReader::new(&file), None)?.schema();
                let file = BufReader::new(File::open(path)?);
                let batches = part.map(|_| FileReader::try_new(file, projection));
                (schema, None, batches.transpose()?.map(|batches| Box::new(batches) as Batches))
            }
        })
    })
}

/// Runs a reader; what it says is not passed on.
fn guarded<T>(name: &str, run: impl FnOnce() -> std::result::Result<T, ArrowError>) -> Result<T> {
    let malformed = || {
        Error::input(format!(
            "{name}: the file is damaged, ends too early or is of a form not read"
        ))
        .hint("read are the codecs snappy, gzip, zstd and lz4")
    };
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(read)) => Ok(read),
        Ok(Err(_)) | Err(_) => Err(malformed()),
    }
}

impl BlockTable for ArrowTable {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn blocks(&self, wanted: &Wanted) -> Result<Blocks<'_>> {
        let numbers: Vec<usize> = wanted.numbers.iter().map(|&c| self.columns[c]).collect();
        let texts = wanted.texts.iter().map(|&place| self.file_column(place));
        let texts: Vec<Option<usize>> = texts.collect();
        let mut columns: Vec<usize> =
            numbers.iter().copied().chain(texts.iter().copied().flatten()).collect();
        columns.sort_unstable();
        columns.dedup();
        for &column in &numbers {
            let of = self.schema.field(column).data_type();
            if !is_number(of) && !is_text(of) {
                let rule = "the column holds neither numbers nor texts: exclude it";
                return Err(Error::input(rule).at(None, Some(column + 1)));
            }
        }
        let rows = rows_in(wanted.block, 8 * columns.len()).min(MOST_ROWS);
        let part = Part { columns: &columns, rows };
        let (schema, _, batches) = read(self.format, &self.path, Some(&part))?;
        if schema != self.schema {
            let path = self.path.display();
            return Err(Error::input(format!("{path} changed while it was being read")));
        }
        let of = |column: &usize| columns.binary_search(column).unwrap_or_default();
        Ok(Box::new(Cut {
            name: self.format.name(),
            batches,
            batch: None,
            rows,
            narrow: self.is_narrow(&wanted.numbers),
            numbers: numbers.iter().map(of).collect(),
            texts: texts.iter().map(|column| column.as_ref().map(of)).collect(),
        }))
    }
}

/// Cuts batches into blocks.
struct Cut {
    name: &'static str,
    batches: Option<Batches>,
    /// The rest of a batch.
    batch: Option<RecordBatch>,
    rows: usize,
    narrow: bool,
    /// Columns of a batch.
    numbers: Vec<usize>,
    texts: Vec<Option<usize>>,
}

impl Iterator for Cut {
    type Item = Result<Block>;

    fn next(&mut self) -> Option<Self::Item> {
        self.block().transpose()
    }
}

impl Cut {
    fn block(&mut self) -> Result<Option<Block>> {
        let batch = match self.batch.take() {
            Some(batch) => batch,
            None => {
                let Some(batches) = &mut self.batches else { return Ok(None) };
                match guarded(self.name, || batches.next().transpose())? {
                    Some(batch) => batch,
                    None => return Ok(None),
                }
            }
        };
        let rows = batch.num_rows().min(self.rows);
        if rows < batch.num_rows() {
            self.batch = Some(batch.slice(rows, batch.num_rows() - rows));
        }
        let batch = batch.slice(0, rows);
        guarded(self.name, || Ok(self.converted(&batch)))?.map(Some)
    }

    fn converted(&self, batch: &RecordBatch) -> Result<Block> {
        let (rows, d) = (batch.num_rows(), self.numbers.len());
        let values = if self.narrow {
            let mut values = vec![0f32; rows * d];
            for (place, &column) in self.numbers.iter().enumerate() {
                spread(batch.column(column), &mut values, place, d, |value| value as f32)?;
            }
            Values::F32(values)
        } else {
            let mut values = vec![0f64; rows * d];
            for (place, &column) in self.numbers.iter().enumerate() {
                spread(batch.column(column), &mut values, place, d, |value| value)?;
            }
            Values::F64(values)
        };
        let texts = self.texts.iter().map(|column| match column {
            Some(column) => cells(batch.column(*column)),
            None => Ok(vec![None; rows]),
        });
        Ok(Block { rows, values, texts: texts.collect::<Result<_>>()? })
    }
}

/// Puts a column into its place of each row: NaN where null, or text that is no number.
fn spread<A>(
    column: &dyn Array,
    all: &mut [A],
    place: usize,
    d: usize,
    of: impl Fn(f64) -> A,
) -> Result<()> {
    let slots = all[place..].iter_mut().step_by(d);
    macro_rules! from {
        ($type:ty, $number:expr) => {
            for (slot, value) in slots.zip(column.as_primitive::<$type>()) {
                *slot = of(value.map_or(f64::NAN, $number));
            }
        };
    }
    match column.data_type() {
        DataType::Float64 => from!(Float64Type, |value| value),
        DataType::Float32 => from!(Float32Type, f64::from),
        DataType::Float16 => from!(Float16Type, f64::from),
        DataType::Int8 => from!(Int8Type, f64::from),
        DataType::Int16 => from!(Int16Type, f64::from),
        DataType::Int32 => from!(Int32Type, f64::from),
        // Beyond 2^53 rounded, as text would be.
        DataType::Int64 => from!(Int64Type, |value| value as f64),
        DataType::UInt8 => from!(UInt8Type, f64::from),
        DataType::UInt16 => from!(UInt16Type, f64::from),
        DataType::UInt32 => from!(UInt32Type, f64::from),
        DataType::UInt64 => from!(UInt64Type, |value| value as f64),
        DataType::Boolean => {
            for (slot, value) in slots.zip(column.as_boolean()) {
                *slot = of(value.map_or(f64::NAN, |value| f64::from(u8::from(value))));
            }
        }
        DataType::Null => slots.for_each(|slot| *slot = of(f64::NAN)),
        _ => {
            for (slot, cell) in slots.zip(cells(column)?) {
                *slot = of(cell.as_deref().and_then(parse_number).unwrap_or(f64::NAN));
            }
        }
    }
    Ok(())
}

fn is_text(of: &DataType) -> bool {
    match of {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Dictionary(_, values) => {
            matches!(**values, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
        }
        _ => false,
    }
}

/// The texts of a column; numbers in their shortest form.
fn cells(column: &dyn Array) -> Result<Vec<Cell>> {
    fn owned<'a>(texts: impl Iterator<Item = Option<&'a str>>) -> Vec<Cell> {
        texts.map(|text| text.map(|text| text.as_bytes().to_vec())).collect()
    }
    Ok(match column.data_type() {
        DataType::Utf8 => owned(column.as_string::<i32>().iter()),
        DataType::LargeUtf8 => owned(column.as_string::<i64>().iter()),
        DataType::Utf8View => owned(column.as_string_view().iter()),
        of @ DataType::Dictionary(..) if is_text(of) => {
            let dictionary = column.as_any_dictionary();
            let texts = cells(dictionary.values().as_ref())?;
            if texts.is_empty() {
                return Ok(vec![None; column.len()]);
            }
            let text = |(row, key): (usize, usize)| {
                if column.is_null(row) { None } else { texts.get(key).cloned().flatten() }
            };
            dictionary.normalized_keys().into_iter().enumerate().map(text).collect()
        }
        of if is_number(of) => {
            let mut values = vec![0f64; column.len()];
            spread(column, &mut values, 0, 1, |value| value)?;
            values.into_iter().map(number_cell).collect()
        }
        _ => {
            return Err(Error::input("the target or id column holds neither numbers nor texts"));
        }
    })
}
