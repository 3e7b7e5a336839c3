//! Parquet, Arrow files and streams, decoded by Arrow's crates in record batches, and such batches
//! in memory or from an engine.
//!
//! In memory is one batch of an Arrow file at a time, or the decoded pages of one row group of
//! Parquet, with the wanted columns only, and of very many a [group](wide) at a time. Integers,
//! floats, booleans, dates and timestamps are numbers; texts, also in dictionaries, are texts; null
//! is missing.
//!
//! The columns of a pandas index, which the metadata names, are neither features nor the default
//! target. A single one holds ids if it holds texts. A column `__index_level_0__`, an index without
//! a name, is left out: pandas stores numbers of rows there as soon as one row was left out, and
//! they do not identify people.

mod batches;
#[cfg(feature = "arrow")]
mod claims;
mod columns;
#[cfg(feature = "arrow")]
mod decoded;
mod guard;
#[cfg(feature = "arrow")]
mod ipc;
mod objects;
#[cfg(feature = "arrow")]
mod pages;
#[cfg(feature = "arrow")]
mod parquet;
#[cfg(feature = "arrow")]
mod wide;

use std::ops::Range;

#[cfg(feature = "arrow")]
use ::parquet::arrow::ProjectionMask;
#[cfg(feature = "arrow")]
use ::parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
#[cfg(feature = "arrow")]
use ::parquet::file::metadata::{ParquetStatisticsPolicy, RowGroupMetaData};
use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, SchemaRef};

use crate::error::Result;
use crate::table::block_table::{
    BlockTable, FileColumns, RowBlock, RowBlocks, RowValues, TextCell, TextPlace, Wanted, rows_in,
};
use crate::table::cell::CellFormat;
use crate::table::formats::Format;
#[cfg(feature = "arrow")]
use crate::table::formats::positioned::Positioned;
pub use batches::BatchIterator;
pub(in crate::table) use batches::RecordBatches;
use columns::{cells, is_boolean, is_date, is_number, is_read, read_values};
use guard::guarded;
pub use guard::quiet_caught_panics;
#[cfg(feature = "arrow")]
use ipc::Messages;
pub use objects::as_objects;
use objects::is_of_objects;
#[cfg(feature = "arrow")]
use parquet::ParquetSource;
#[cfg(feature = "arrow")]
use wide::Wide;

/// The start of the names of the columns in which pandas stores an index without a name.
const INDEX: &str = "__index_level_";
/// The number of rows per batch: the values of a column and their targets fit in the cache.
const MOST_ROWS: usize = 1 << 12;

/// An open Arrow or Parquet file.
pub(in crate::table) struct ArrowTable {
    format: Format,
    content: Content,
    schema: SchemaRef,
    layout: FileColumns,
    /// For each column, its place in the file.
    columns: Vec<usize>,
    /// The place of the ids in the file.
    index: Option<usize>,
    /// The place of the targets, if they are outside the columns.
    target: Option<usize>,
}

/// The file and the metadata with which it is decoded.
enum Content {
    #[cfg(feature = "arrow")]
    Parquet(ParquetSource, ArrowReaderMetadata),
    #[cfg(feature = "arrow")]
    Arrow(Messages),
    Batches(RecordBatches),
}

type Batches<'a> = Box<dyn Iterator<Item = Result<RecordBatch>> + Send + 'a>;

impl ArrowTable {
    /// Opens a file: reads its metadata.
    ///
    /// # Errors
    ///
    /// `Input` if it is malformed; `Io` if it cannot be read.
    #[cfg(feature = "arrow")]
    pub(super) fn open(format: Format, bytes: Positioned) -> Result<Self> {
        let messages = match format {
            Format::Parquet => {
                let source = ParquetSource::new(bytes);
                // Statistics of values are private, and not needed.
                let skip = ParquetStatisticsPolicy::SkipAll;
                let options = ArrowReaderOptions::new()
                    .with_column_stats_policy(skip.clone())
                    .with_size_stats_policy(skip.clone())
                    .with_encoding_stats_policy(skip);
                let load = || {
                    let metadata = ArrowReaderMetadata::load(&source, options)?;
                    let schema = metadata.schema().clone();
                    Ok((schema, decoded::metadata_of_parquet(metadata)?))
                };
                let loaded = guarded(format.name(), load).map_err(|error| source.cause(error));
                let (schema, metadata) = loaded?;
                return Ok(Self::of_content(format, schema, Content::Parquet(source, metadata)));
            }
            Format::ArrowStream => Messages::of_stream(bytes)?,
            _ => Messages::of_file(bytes)?,
        };
        Ok(Self::of_content(format, messages.schema.clone(), Content::Arrow(messages)))
    }

    /// The table that batches in memory make.
    pub(in crate::table) fn of_batches(batches: &RecordBatches) -> Self {
        let content = Content::Batches(batches.clone());
        Self::of_content(Format::Arrow, batches.schema().clone(), content)
    }

    /// The table of a content with the schema that it has by itself.
    fn of_content(format: Format, schema: SchemaRef, content: Content) -> Self {
        let (rows, units, target) = match &content {
            #[cfg(feature = "arrow")]
            Content::Parquet(_, metadata) => {
                let rows = metadata.metadata().file_metadata().num_rows();
                (u64::try_from(rows).ok(), None, None)
            }
            #[cfg(feature = "arrow")]
            Content::Arrow(_) => (None, None, None),
            Content::Batches(batches) => (batches.rows(), batches.units(), batches.target()),
        };
        let index = index_columns(&schema);
        let is_unnamed = |column: &usize| {
            index.contains(column) && schema.field(*column).name().starts_with(INDEX)
        };
        let outside = [units, target];
        let columns: Vec<usize> = (0..schema.fields().len())
            .filter(|column| !outside.contains(&Some(*column)) && !is_unnamed(column))
            .collect();
        let names = columns.iter().map(|&column| schema.field(column).name().clone()).collect();
        let is_text = |place: &usize| !is_number(schema.field(columns[*place]).data_type());
        let texts: Vec<usize> = (0..columns.len()).filter(is_text).collect();
        let is_typed = |place: &usize| !is_of_objects(schema.field(columns[*place]));
        let text_types = texts.iter().copied().filter(is_typed).collect();
        let is_unread = |place: &usize| !is_read(schema.field(columns[*place]).data_type());
        let unread = (0..columns.len()).filter(is_unread).collect();
        let is_date = |place: &usize| is_date(schema.field(columns[*place]).data_type());
        let dates = (0..columns.len()).filter(is_date).collect();
        let is_boolean = |place: usize| is_boolean(schema.field(place).data_type());
        let booleans = (0..columns.len()).filter(|place| is_boolean(columns[*place])).collect();
        let places = (0..columns.len()).filter(|place| index.contains(&columns[*place])).collect();
        let is_index = |place: &&usize| !is_number(schema.field(**place).data_type());
        let index = index.first().filter(|_| index.len() == 1).filter(is_index).copied();
        // Person identifiers take precedence over an index.
        let index = units.or(index);
        let ids = index.is_some();
        let is_number = |place: usize| is_number(schema.field(place).data_type());
        let given = matches!(&content, Content::Batches(batches) if batches.has_number_target());
        let layout = FileColumns {
            number_target: given || target.is_some_and(is_number),
            boolean_target: target.is_some_and(is_boolean),
            booleans,
            names,
            named: true,
            texts,
            text_types,
            index: places,
            unread,
            dates,
            ids,
            units: units.is_some(),
            rows,
            target: target.is_some(),
            ..FileColumns::default()
        };
        Self { format, content, schema, layout, columns, index, target }
    }

    /// Whether `f32` holds all values of these columns exactly.
    fn is_narrow(&self, columns: &[usize]) -> bool {
        use DataType::{Boolean, Float16, Float32, Int8, Int16, UInt8, UInt16};
        columns.iter().all(|&column| {
            let of = self.schema.field(column).data_type();
            matches!(of, Boolean | Float16 | Float32 | Int8 | Int16 | UInt8 | UInt16)
        })
    }

    fn file_column(&self, place: TextPlace) -> Option<usize> {
        match place {
            TextPlace::Column(column) => self.columns.get(column).copied(),
            TextPlace::Ids => self.index,
            TextPlace::Target => self.target,
        }
    }

    /// The batches with the given columns of the file, ascending; those that a file is cut into
    /// have this number of rows.
    #[cfg_attr(not(feature = "arrow"), allow(unused_variables, reason = "no file is read"))]
    fn batches(&self, columns: &[usize], rows: usize, part: Option<usize>) -> Result<Batches<'_>> {
        match &self.content {
            #[cfg(feature = "arrow")]
            Content::Arrow(messages) => Ok(Box::new(messages.batches(columns))),
            Content::Batches(batches) => batches.projected(columns),
            #[cfg(feature = "arrow")]
            Content::Parquet(source, metadata) => {
                Self::batches_of_parquet(source, metadata, columns, (rows, part))
            }
        }
    }

    #[cfg(feature = "arrow")]
    fn batches_of_parquet<'s>(
        source: &'s ParquetSource,
        metadata: &ArrowReaderMetadata,
        columns: &[usize],
        (rows, part): (usize, Option<usize>),
    ) -> Result<Batches<'s>> {
        let name = Format::Parquet.name();
        let cause = |error| source.cause(error);
        let mut batches = guarded(name, || {
            let (source, metadata) = (source.of_one_reader(), metadata.clone());
            let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(source, metadata);
            let mask = ProjectionMask::roots(builder.parquet_schema(), columns.iter().copied());
            let builder = builder.with_projection(mask).with_batch_size(rows);
            let builder = match part {
                Some(group) => builder.with_row_groups(vec![group]),
                None => builder,
            };
            Ok(builder.build()?)
        })
        .map_err(cause)?;
        let next = move || guarded(name, || batches.next().transpose()).map_err(cause).transpose();
        Ok(Box::new(std::iter::from_fn(next)))
    }
}

/// The places of the columns of a pandas index, by pandas' metadata or their names.
fn index_columns(schema: &SchemaRef) -> Vec<usize> {
    let metadata = schema.metadata().get("pandas");
    let metadata: Option<serde_json::Value> =
        metadata.and_then(|text| serde_json::from_str(text).ok());
    let listed = metadata.as_ref().and_then(|pandas| pandas.get("index_columns")?.as_array());
    // A range without a column is an object.
    let names: Vec<&str> =
        listed.into_iter().flatten().filter_map(serde_json::Value::as_str).collect();
    let is_index = |name: &str| names.contains(&name) || name.starts_with(INDEX);
    let fields = schema.fields().iter().enumerate();
    fields.filter(|(_, field)| is_index(field.name())).map(|(place, _)| place).collect()
}

/// The places of the columns that are read, ascending.
fn columns_read(numbers: &[usize], texts: &[Option<usize>]) -> Vec<usize> {
    let texts = texts.iter().copied().flatten();
    let mut columns: Vec<usize> = numbers.iter().copied().chain(texts).collect();
    columns.sort_unstable();
    columns.dedup();
    columns
}

impl BlockTable for ArrowTable {
    fn layout(&self) -> &FileColumns {
        &self.layout
    }

    fn blocks(&self, wanted: &Wanted) -> Result<RowBlocks<'_>> {
        let numbers: Vec<usize> = wanted.numbers.iter().map(|&c| self.columns[c]).collect();
        let texts = wanted.texts.iter().map(|&place| self.file_column(place));
        let texts: Vec<Option<usize>> = texts.collect();
        let columns = columns_read(&numbers, &texts);
        #[cfg(feature = "arrow")]
        if let Content::Parquet(source, metadata) = &self.content
            && columns.len() > wide::GROUP
        {
            let (of, narrow) = ((source, metadata), self.is_narrow(&numbers));
            return Ok(Box::new(Wide::new(of, (numbers, texts), narrow, wanted)));
        }
        let rows = rows_in(wanted.block, 8 * columns.len()).min(MOST_ROWS);
        let of = |column: &usize| columns.binary_search(column).unwrap_or_default();
        Ok(Box::new(Cut {
            name: self.format.name(),
            batches: self.batches(&columns, rows, wanted.part)?,
            batch: None,
            rows,
            narrow: self.is_narrow(&numbers),
            format: wanted.format.clone(),
            numbers: numbers.iter().map(of).collect(),
            texts: texts.iter().map(|column| column.as_ref().map(of)).collect(),
        }))
    }

    /// The row groups of a Parquet file that is not read in groups of columns.
    #[cfg(feature = "arrow")]
    fn parts(&self, wanted: &Wanted) -> Vec<u64> {
        let Content::Parquet(_, metadata) = &self.content else { return Vec::new() };
        if wanted.numbers.len() + wanted.texts.len() > wide::GROUP {
            return Vec::new();
        }
        let rows = |group: &RowGroupMetaData| u64::try_from(group.num_rows()).unwrap_or(0);
        metadata.metadata().row_groups().iter().map(rows).collect()
    }

    /// The columns of a single batch whose wanted numbers are all `f64` without nulls.
    fn columns(&self, wanted: &Wanted) -> Option<Vec<&[f64]>> {
        let batch = self.only_batch().filter(|_| !wanted.format.has_codes())?;
        let numbers = |&column: &usize| {
            let column = batch.column(self.columns[column]).as_primitive_opt::<Float64Type>()?;
            (column.null_count() == 0).then(|| &column.values()[..])
        };
        wanted.numbers.iter().map(numbers).collect()
    }

    fn texts(&self, wanted: &Wanted, rows: Range<usize>) -> Result<Vec<Vec<TextCell>>> {
        let one = |&place: &TextPlace| match (self.only_batch(), self.file_column(place)) {
            (Some(batch), Some(column)) => {
                cells(&batch.column(column).slice(rows.start, rows.len()))
            }
            _ => Ok(vec![None; rows.len()]),
        };
        wanted.texts.iter().map(one).collect()
    }
}

impl ArrowTable {
    fn only_batch(&self) -> Option<&RecordBatch> {
        match &self.content {
            Content::Batches(batches) => batches.only(),
            #[cfg(feature = "arrow")]
            _ => None,
        }
    }
}

/// Cuts batches into blocks.
struct Cut<'a> {
    name: &'static str,
    batches: Batches<'a>,
    /// The rows of a batch that are still to be passed on.
    batch: Option<RecordBatch>,
    rows: usize,
    narrow: bool,
    format: CellFormat,
    /// The columns of a batch.
    numbers: Vec<usize>,
    texts: Vec<Option<usize>>,
}

impl Iterator for Cut<'_> {
    type Item = Result<RowBlock>;

    fn next(&mut self) -> Option<Self::Item> {
        self.block().transpose()
    }
}

impl Cut<'_> {
    /// The values of the wanted columns, one column after the other.
    fn values<A: Copy + From<f32> + Into<f64>>(
        &self,
        batch: &RecordBatch,
        of: impl Fn(f64) -> A + Copy,
    ) -> Result<Vec<A>> {
        let mut values = vec![A::from(0.0); batch.num_rows() * self.numbers.len()];
        let slots = values.chunks_exact_mut(batch.num_rows().max(1));
        for (&column, slots) in self.numbers.iter().zip(slots) {
            read_values(batch.column(column), slots, &self.format, of)?;
        }
        Ok(values)
    }

    fn block(&mut self) -> Result<Option<RowBlock>> {
        let batch = match self.batch.take() {
            Some(batch) => batch,
            None => match self.batches.next().transpose()? {
                Some(batch) => batch,
                None => return Ok(None),
            },
        };
        let rows = batch.num_rows().min(self.rows);
        if rows < batch.num_rows() {
            self.batch = Some(batch.slice(rows, batch.num_rows() - rows));
        }
        let batch = batch.slice(0, rows);
        guarded(self.name, || Ok(self.converted(&batch)))?.map(Some)
    }

    fn converted(&self, batch: &RecordBatch) -> Result<RowBlock> {
        let rows = batch.num_rows();
        let values = match self.narrow {
            true => RowValues::F32(self.values(batch, |value| value as f32)?),
            false => RowValues::F64(self.values(batch, |value| value)?),
        };
        let texts = self.texts.iter().map(|column| match column {
            Some(column) => cells(batch.column(*column)),
            None => Ok(vec![None; rows]),
        });
        Ok(RowBlock { rows, values, by_column: true, texts: texts.collect::<Result<_>>()? })
    }
}

#[cfg(all(test, feature = "arrow"))]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn a_failed_read_is_no_damage() {
        for format in [Format::Parquet, Format::Arrow, Format::ArrowStream] {
            let error =
                ArrowTable::open(format, Positioned::unreadable(1 << 10).unwrap()).err().unwrap();
            assert_eq!(error.kind(), ErrorKind::Io, "{}: {error}", format.name());
            let error =
                ArrowTable::open(format, Positioned::Memory(vec![0xff; 100])).err().unwrap();
            assert_eq!(error.kind(), ErrorKind::Input, "{}: {error}", format.name());
        }
    }
}
