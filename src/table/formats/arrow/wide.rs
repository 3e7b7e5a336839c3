//! Parquet files of very many columns, read in groups of them.
//!
//! The crate holds readers and buffers of every column that it reads, some 25 kB each, and works
//! through all of them for every batch. So of wide tables a group of columns is read at a time, for
//! as many rows of a row group as a block holds: the block is the only thing that is as wide as the
//! table. Columns of floats are decoded one by one, by the page decoders of the crate: its readers of
//! batches search all columns of the file for every group.

use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::RecordBatch;
use arrow_schema::DataType;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ParquetRecordBatchReaderBuilder};
use parquet::basic::Type;
use parquet::column::reader::{get_column_reader, get_typed_column_reader};
use parquet::data_type::{DataType as ParquetType, DoubleType, FloatType};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::serialized_reader::SerializedPageReader;

use super::columns::{canonical, cells, read_values};
use super::guard::{guarded, malformed};
use super::parquet::ParquetSource;
use crate::error::Result;
use crate::table::block_table::{RowBlock, RowValues, TextCell, Wanted, clean, rows_in};
use crate::table::cell::{CellFormat, Kind};
use crate::table::formats::Format;
use crate::threads::on_threads;

/// The number of columns that are read at a time: of more, the others wait.
pub(super) const GROUP: usize = 2048;

const NAME: &str = Format::Parquet.name();

/// The blocks of a wide table.
pub(super) struct Wide<'a> {
    source: &'a ParquetSource,
    metadata: &'a ArrowReaderMetadata,
    /// The places in the file of the columns of values, ascending.
    numbers: Vec<usize>,
    /// The places of the columns of texts, where they are in the file.
    texts: Vec<Option<usize>>,
    narrow: bool,
    format: CellFormat,
    /// The number of columns that are read at a time.
    group: usize,
    /// The number of threads that read a block.
    threads: usize,
    /// The most rows of a block.
    most: usize,
    /// The next row: its row group, and its place there.
    next: (usize, usize),
}

/// Some rows of a row group.
struct Part {
    group: usize,
    first: usize,
    rows: usize,
}

impl<'a> Wide<'a> {
    pub(super) fn new(
        (source, metadata): (&'a ParquetSource, &'a ArrowReaderMetadata),
        (numbers, texts): (Vec<usize>, Vec<Option<usize>>),
        narrow: bool,
        wanted: &Wanted,
    ) -> Self {
        let most = rows_in(wanted.wide, numbers.len() * if narrow { 4 } else { 8 });
        let format = wanted.format.clone();
        let (next, threads) = ((0, 0), wanted.threads);
        Self { source, metadata, numbers, texts, narrow, format, group: GROUP, threads, most, next }
    }

    /// The rows of the next block.
    fn part(&mut self) -> Option<Part> {
        loop {
            let (group, first) = self.next;
            let all = self.metadata.metadata().row_groups().get(group)?.num_rows();
            let left = usize::try_from(all).unwrap_or(0).saturating_sub(first);
            if left > 0 {
                let rows = left.min(self.most);
                self.next = (group, first + rows);
                return Some(Part { group, first, rows });
            }
            self.next = (group + 1, 0);
        }
    }

    fn block(&self, part: &Part) -> Result<RowBlock> {
        let values = match self.narrow {
            true => RowValues::F32(self.values(part, |value| value as f32)?),
            false => RowValues::F64(self.values(part, |value| value)?),
        };
        let texts = self.texts.iter().map(|column| self.texts(part, *column));
        let texts = texts.collect::<Result<_>>()?;
        Ok(RowBlock { rows: part.rows, values, by_column: true, texts })
    }

    /// Reads all values, one column after the other; threads take turns at groups of columns.
    fn values<A: Copy + From<f32> + Into<f64> + Send>(
        &self,
        part: &Part,
        of: impl Fn(f64) -> A + Copy + Sync,
    ) -> Result<Vec<A>> {
        let mut values = vec![A::from(0.0); part.rows * self.numbers.len()];
        let slots = values.chunks_mut((self.group * part.rows).max(1));
        let groups = Mutex::new(self.numbers.chunks(self.group).zip(slots));
        let read = |_| {
            loop {
                let next = groups.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some((columns, slots)) = next else { return Ok(()) };
                self.read_group(part, columns, slots, of)?;
            }
        };
        let results = on_threads(self.threads, read);
        results.into_iter().collect::<Result<()>>()?;
        Ok(values)
    }

    /// Reads the values of a group of columns.
    fn read_group<A: Copy + From<f32> + Into<f64>>(
        &self,
        part: &Part,
        columns: &[usize],
        slots: &mut [A],
        of: impl Fn(f64) -> A + Copy,
    ) -> Result<()> {
        if let Some(chunks) = self.float_chunks(part.group, columns) {
            let source = Arc::new(self.source.of_one_reader());
            let mut columns = chunks.into_iter().zip(slots.chunks_exact_mut(part.rows));
            let read = |(chunk, slots): (_, &mut [A])| {
                FloatColumn { source: &source, chunk, part }.read(slots, &self.format, of)
            };
            return columns.try_for_each(read).map_err(|error| self.source.cause(error));
        }
        let mut start = 0;
        self.each_batch(part, columns, |batch| {
            let rows = start..start + batch.num_rows();
            for (column, slots) in batch.columns().iter().zip(slots.chunks_exact_mut(part.rows)) {
                let slots = slots.get_mut(rows.clone()).ok_or_else(|| malformed(NAME))?;
                read_values(column, slots, &self.format, of)?;
            }
            start = rows.end;
            Ok(())
        })?;
        if start == part.rows { Ok(()) } else { Err(malformed(NAME)) }
    }

    /// The chunks of some columns in a row group, if all are columns of floats without nesting.
    fn float_chunks(&self, group: usize, columns: &[usize]) -> Option<Vec<&ColumnChunkMetaData>> {
        let schema = self.metadata.schema();
        let group = self.metadata.metadata().row_groups().get(group)?;
        // Otherwise a column of the table may be several of the file.
        if group.num_columns() != schema.fields().len() {
            return None;
        }
        let chunk = |&column: &usize| {
            let chunk = group.column(column);
            let is_float = match schema.field(column).data_type() {
                DataType::Float64 => chunk.column_type() == Type::DOUBLE,
                DataType::Float32 => chunk.column_type() == Type::FLOAT,
                _ => false,
            };
            let form = chunk.column_descr();
            let is_flat = form.path().parts().len() == 1 && form.max_rep_level() == 0;
            (is_float && is_flat && form.max_def_level() <= 1).then_some(chunk)
        };
        columns.iter().map(chunk).collect()
    }

    fn texts(&self, part: &Part, column: Option<usize>) -> Result<Vec<TextCell>> {
        let Some(column) = column else { return Ok(vec![None; part.rows]) };
        let mut all = Vec::with_capacity(part.rows);
        self.each_batch(part, &[column], |batch| {
            all.extend(cells(batch.column(0))?);
            Ok(())
        })?;
        if all.len() == part.rows { Ok(all) } else { Err(malformed(NAME)) }
    }

    /// The batches of some columns, ascending, that hold the rows of a part.
    fn each_batch(
        &self,
        part: &Part,
        columns: &[usize],
        mut take: impl FnMut(&RecordBatch) -> Result<()>,
    ) -> Result<()> {
        let read = || {
            let (source, metadata) = (self.source.of_one_reader(), self.metadata.clone());
            let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(source, metadata);
            let mask = ProjectionMask::roots(builder.parquet_schema(), columns.iter().copied());
            let builder = builder.with_projection(mask).with_row_groups(vec![part.group]);
            let builder = builder.with_offset(part.first).with_limit(part.rows);
            Ok(builder.with_batch_size(part.rows).build()?)
        };
        let cause = |error| self.source.cause(error);
        let mut batches = guarded(NAME, read).map_err(cause)?;
        while let Some(batch) = guarded(NAME, || batches.next().transpose()).map_err(cause)? {
            guarded(NAME, || Ok(take(&batch)))??;
        }
        Ok(())
    }
}

/// A column of floats in some rows of a row group.
struct FloatColumn<'a> {
    source: &'a Arc<ParquetSource>,
    chunk: &'a ColumnChunkMetaData,
    part: &'a Part,
}

impl FloatColumn<'_> {
    /// Writes the values, as [`read_values`] does.
    fn read<A: Copy + From<f32> + Into<f64>>(
        &self,
        slots: &mut [A],
        format: &CellFormat,
        of: impl Fn(f64) -> A,
    ) -> Result<()> {
        match self.chunk.column_type() {
            Type::FLOAT => self.read_as::<FloatType, A>(slots, of)?,
            _ => self.read_as::<DoubleType, A>(slots, of)?,
        }
        clean(slots.iter_mut(), Kind::Number, format);
        Ok(())
    }

    fn read_as<T: ParquetType, A>(&self, slots: &mut [A], of: impl Fn(f64) -> A) -> Result<()>
    where
        T::T: Copy + Into<f64>,
    {
        let Part { first, rows, .. } = *self.part;
        let (mut values, mut levels) = (Vec::with_capacity(rows), Vec::new());
        let found = guarded(NAME, || {
            let pages =
                SerializedPageReader::new(self.source.clone(), self.chunk, first + rows, None)?;
            let column = get_column_reader(self.chunk.column_descr_ptr(), Box::new(pages));
            let mut column = get_typed_column_reader::<T>(column);
            if column.skip_records(first)? != first {
                return Ok(0);
            }
            let (found, ..) = column.read_records(rows, Some(&mut levels), None, &mut values)?;
            Ok(found)
        })?;
        if found != slots.len() {
            return Err(malformed(NAME));
        }
        let number = |value: &T::T| canonical((*value).into());
        if values.len() == slots.len() {
            slots.iter_mut().zip(&values).for_each(|(slot, value)| *slot = of(number(value)));
            return Ok(());
        }
        // Nulls are not stored: their level is 0.
        let mut values = values.iter();
        for (slot, level) in slots.iter_mut().zip(levels) {
            let value = if level == 1 { values.next() } else { None };
            *slot = of(value.map_or(f64::NAN, number));
        }
        Ok(())
    }
}

impl Iterator for Wide<'_> {
    type Item = Result<RowBlock>;

    fn next(&mut self) -> Option<Self::Item> {
        self.part().map(|part| self.block(&part))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::{ArrowTable, Content};
    use super::*;
    use crate::error::ErrorKind;
    use crate::table::block_table::{BlockTable, TextPlace};
    use crate::table::formats::positioned::Positioned;

    /// All values as bits, row by row, and all texts.
    fn whole(blocks: impl Iterator<Item = Result<RowBlock>>) -> (Vec<u64>, Vec<Vec<TextCell>>) {
        let (mut bits, mut texts) = (Vec::new(), Vec::new());
        for block in blocks {
            let block = block.unwrap();
            let values: Vec<u64> = match block.values {
                RowValues::F32(values) => {
                    values.iter().map(|value| f64::from(*value).to_bits()).collect()
                }
                RowValues::F64(values) => values.iter().map(|value| value.to_bits()).collect(),
            };
            assert!(block.by_column);
            for row in 0..block.rows {
                bits.extend(values.iter().skip(row).step_by(block.rows));
            }
            texts.resize(block.texts.len(), Vec::new());
            texts.iter_mut().zip(block.texts).for_each(|(all, more): (&mut Vec<TextCell>, _)| {
                all.extend(more);
            });
        }
        (bits, texts)
    }

    /// In groups of any size and blocks of any height, a file holds what it holds when it is read
    /// at once.
    #[test]
    fn groups_of_columns_make_the_table() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/formats");
        for name in ["none", "snappy", "gzip", "zstd", "lz4", "index"] {
            let file = Positioned::open(&folder.join(format!("{name}.parquet"))).unwrap();
            let table = ArrowTable::open(Format::Parquet, file).unwrap();
            let columns: Vec<usize> = (0..table.layout().names.len()).collect();
            let places = vec![TextPlace::Column(0), TextPlace::Ids];
            let texts = places.iter().map(|place| table.file_column(*place)).collect();
            let numbers: Vec<usize> = columns.iter().map(|&column| table.columns[column]).collect();
            let wanted =
                Wanted { numbers: columns, texts: places, block: 1 << 20, ..Wanted::default() };
            let expected = whole(table.blocks(&wanted).unwrap());
            assert!(!expected.0.is_empty());
            let Content::Parquet(source, metadata) = &table.content else { panic!("{name}") };
            for (group, most) in [(1, 1), (2, 7), (3, 1000), (100, 3)] {
                let narrow = table.is_narrow(&numbers);
                let read = (numbers.clone(), Clone::clone(&texts));
                let wide = Wide::new((source, metadata), read, narrow, &wanted);
                let found = whole(Wide { group, most, threads: 1 + group % 3, ..wide });
                assert_eq!(found, expected, "{name}: {group}, {most}");
            }
        }
    }

    /// Groups of a damaged file give values or an error about the input.
    #[test]
    fn damage_is_an_error_about_the_input() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/formats");
        let damaged = tempfile::NamedTempFile::new().unwrap();
        for name in ["none", "zstd"] {
            let whole = std::fs::read(folder.join(format!("{name}.parquet"))).unwrap();
            let mut errors = 0;
            for place in (4..whole.len()).step_by(17) {
                let mut bytes = whole.clone();
                bytes[place] ^= 1 << (place % 8);
                std::fs::write(damaged.path(), bytes).unwrap();
                let file = Positioned::open(damaged.path()).unwrap();
                let read = ArrowTable::open(Format::Parquet, file).and_then(|table| {
                    let numbers: Vec<usize> = (0..table.columns.len()).collect();
                    let wanted = Wanted { block: 1 << 20, ..Wanted::default() };
                    let Content::Parquet(source, metadata) = &table.content else {
                        panic!("{name}")
                    };
                    let wide = Wide::new((source, metadata), (numbers, Vec::new()), false, &wanted);
                    Wide { group: 1, most: 1000, threads: 2, ..wide }
                        .try_for_each(|block| block.map(drop))
                });
                if let Err(error) = read {
                    assert_eq!(error.kind(), ErrorKind::Input, "{place}: {error}");
                    errors += 1;
                }
            }
            assert!(errors > 10, "{name}: {errors}");
        }
    }
}
