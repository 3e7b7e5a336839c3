//! Parquet files of very many columns, read in groups of them.
//!
//! The crate holds readers and buffers of every column that it reads, some 25 kB each, and works
//! through all of them for every batch. So of wide tables a group of columns is read at a time, for
//! as many rows of a row group as a block holds: the block is the only thing that is as wide as the
//! table. Columns of integers, floats and booleans are decoded one by one, by the page decoders of
//! the crate: its readers of batches search all columns of the file for every group.

use std::sync::{Mutex, PoisonError};

use arrow_array::RecordBatch;
use arrow_schema::DataType;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ParquetRecordBatchReaderBuilder};
use parquet::basic::Type;
use parquet::column::reader::{get_column_reader, get_typed_column_reader};
use parquet::data_type::{
    BoolType, DataType as ParquetType, DoubleType, FloatType, Int32Type, Int64Type,
};
use parquet::file::metadata::ColumnChunkMetaData;

use super::columns::{canonical, cells, read_values};
use super::guard::{guarded, malformed};
use super::pages::Pages;
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
        let pages = Pages::new(self.source.of_one_reader());
        let mut others = Vec::new();
        for (&column, slots) in columns.iter().zip(slots.chunks_exact_mut(part.rows)) {
            match self.flat_column(&pages, part, column) {
                Some(flat) => {
                    flat.read(slots, &self.format, of).map_err(|e| self.source.cause(e))?
                }
                None => others.push((column, slots)),
            }
        }
        if others.is_empty() {
            return Ok(());
        }
        let columns: Vec<usize> = others.iter().map(|(column, _)| *column).collect();
        let mut start = 0;
        self.each_batch(part, &columns, |batch| {
            let rows = start..start + batch.num_rows();
            if batch.num_columns() != columns.len() {
                return Err(malformed(NAME));
            }
            for (column, (_, slots)) in batch.columns().iter().zip(&mut others) {
                let slots = slots.get_mut(rows.clone()).ok_or_else(|| malformed(NAME))?;
                read_values(column, slots, &self.format, of)?;
            }
            start = rows.end;
            Ok(())
        })?;
        if start == part.rows { Ok(()) } else { Err(malformed(NAME)) }
    }

    /// A column in a row group, if it holds integers, floats or booleans without nesting.
    fn flat_column<'c>(
        &'c self,
        pages: &'c Pages,
        part: &'c Part,
        column: usize,
    ) -> Option<FlatColumn<'c>> {
        use DataType::{
            Boolean, Float32, Float64, Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64,
        };
        let schema = self.metadata.schema();
        let group = self.metadata.metadata().row_groups().get(part.group)?;
        // Otherwise a column of the table may be several of the file.
        if group.num_columns() != schema.fields().len() {
            return None;
        }
        let (data_type, chunk) = (schema.field(column).data_type(), group.column(column));
        let stored = match data_type {
            Boolean => Type::BOOLEAN,
            Float32 => Type::FLOAT,
            Float64 => Type::DOUBLE,
            Int8 | Int16 | Int32 | UInt8 | UInt16 | UInt32 => Type::INT32,
            Int64 | UInt64 => Type::INT64,
            _ => return None,
        };
        let form = chunk.column_descr();
        let is_flat = form.path().parts().len() == 1 && form.max_rep_level() == 0;
        let is_flat = is_flat && form.max_def_level() <= 1 && chunk.column_type() == stored;
        is_flat.then_some(FlatColumn { pages, chunk, data_type, part })
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

/// A column of integers, floats or booleans in some rows of a row group.
struct FlatColumn<'a> {
    pages: &'a Pages,
    chunk: &'a ColumnChunkMetaData,
    data_type: &'a DataType,
    part: &'a Part,
}

impl FlatColumn<'_> {
    /// Writes the values, as [`read_values`] does.
    fn read<A: Copy + From<f32> + Into<f64>>(
        &self,
        slots: &mut [A],
        format: &CellFormat,
        of: impl Fn(f64) -> A,
    ) -> Result<()> {
        use DataType::{
            Boolean, Float32, Float64, Int8, Int16, Int32, UInt8, UInt16, UInt32, UInt64,
        };
        macro_rules! read {
            ($stored:ty, $number:expr) => {
                self.read_as::<$stored, A>(slots, of(f64::NAN), |value| of($number(value)))?
            };
        }
        // Integers of other types are the low bits of the stored ones, as in the crate's batches.
        match self.data_type {
            Float64 => read!(DoubleType, canonical),
            Float32 => read!(FloatType, canonical),
            Boolean => read!(BoolType, |value: bool| f64::from(u8::from(value))),
            Int8 => read!(Int32Type, |value: i32| f64::from(value as i8)),
            Int16 => read!(Int32Type, |value: i32| f64::from(value as i16)),
            Int32 => read!(Int32Type, f64::from),
            UInt8 => read!(Int32Type, |value: i32| f64::from(value as u8)),
            UInt16 => read!(Int32Type, |value: i32| f64::from(value as u16)),
            UInt32 => read!(Int32Type, |value: i32| f64::from(value as u32)),
            UInt64 => read!(Int64Type, |value: i64| value as u64 as f64),
            // Integers beyond 2^53 are rounded, as in text.
            _ => read!(Int64Type, |value: i64| value as f64),
        }
        clean(slots.iter_mut(), Kind::Number, format);
        Ok(())
    }

    fn read_as<T: ParquetType, A: Copy>(
        &self,
        slots: &mut [A],
        null: A,
        of: impl Fn(T::T) -> A,
    ) -> Result<()>
    where
        T::T: Copy,
    {
        let (values, levels) = self.stored::<T>()?;
        if values.len() == slots.len() {
            slots.iter_mut().zip(values).for_each(|(slot, value)| *slot = of(value));
            return Ok(());
        }
        // Nulls are not stored: their level is 0.
        let mut values = values.into_iter();
        for (slot, level) in slots.iter_mut().zip(levels) {
            let value = if level == 1 { values.next() } else { None };
            *slot = value.map_or(null, &of);
        }
        Ok(())
    }

    /// The values that are not null, and the definition level of each row.
    fn stored<T: ParquetType>(&self) -> Result<(Vec<T::T>, Vec<i16>)> {
        let Part { first, rows, .. } = *self.part;
        let (mut values, mut levels) = (Vec::with_capacity(rows), Vec::new());
        let found = guarded(NAME, || {
            let pages = self.pages.of(self.chunk, first + rows)?;
            let column = get_column_reader(self.chunk.column_descr_ptr(), pages);
            let mut column = get_typed_column_reader::<T>(column);
            if column.skip_records(first)? != first {
                return Ok(0);
            }
            let mut found = 0;
            // A page without rows ends a call.
            let mut calls_without_rows = 0;
            while found < rows && calls_without_rows < 2 {
                let left = rows - found;
                let (read, ..) = column.read_records(left, Some(&mut levels), None, &mut values)?;
                found += read;
                calls_without_rows = if read == 0 { calls_without_rows + 1 } else { 0 };
            }
            Ok(found)
        })?;
        if found == rows { Ok((values, levels)) } else { Err(malformed(NAME)) }
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
    use std::sync::Arc;

    use arrow_array::{
        ArrayRef, BooleanArray, Date32Array, Float32Array, Float64Array, Int8Array, Int16Array,
        Int32Array, Int64Array, StringArray, UInt8Array, UInt16Array, UInt32Array, UInt64Array,
    };
    use parquet::arrow::ArrowWriter;
    use parquet::basic::{Compression, ZstdLevel};
    use parquet::file::properties::{WriterProperties, WriterVersion};

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
    fn check_groups(path: &Path, format: &CellFormat) {
        let table = ArrowTable::open(Format::Parquet, Positioned::open(path).unwrap()).unwrap();
        let columns: Vec<usize> = (0..table.layout().names.len()).collect();
        let places = vec![TextPlace::Column(0), TextPlace::Ids];
        let texts: Vec<_> = places.iter().map(|place| table.file_column(*place)).collect();
        let numbers: Vec<usize> = columns.iter().map(|&column| table.columns[column]).collect();
        let (block, format) = (1 << 20, format.clone());
        let wanted = Wanted { numbers: columns, texts: places, block, format, ..Wanted::default() };
        let expected = whole(table.blocks(&wanted).unwrap());
        assert!(!expected.0.is_empty());
        let Content::Parquet(source, metadata) = &table.content else { panic!("{path:?}") };
        for (group, most) in [(1, 1), (2, 7), (3, 1000), (100, 3)] {
            let narrow = table.is_narrow(&numbers);
            let read = (numbers.clone(), texts.clone());
            let wide = Wide::new((source, metadata), read, narrow, &wanted);
            let found = whole(Wide { group, most, threads: 1 + group % 3, ..wide });
            assert_eq!(found, expected, "{path:?}: {group}, {most}");
        }
    }

    #[test]
    fn groups_of_columns_make_the_table() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/formats");
        for name in ["none", "snappy", "gzip", "zstd", "lz4", "index"] {
            check_groups(&folder.join(format!("{name}.parquet")), &CellFormat::default());
        }
    }

    /// Columns of each type that is decoded by itself, without nulls, with some and of nulls alone,
    /// and two columns of others, at places 5 and 12.
    fn columns_of_all_types() -> RecordBatch {
        /// The ends of each type, and values between them.
        macro_rules! numbers {
            ($($array:ident: $type:ty),*) => {{
                let of = |nulls: bool| -> Vec<ArrayRef> { vec![$({
                    let value = |row: usize| match row % 5 {
                        0 if nulls => None,
                        1 => Some(<$type>::MIN),
                        2 => Some(<$type>::MAX),
                        _ => Some((row % 3) as $type),
                    };
                    Arc::new((0..50).map(value).collect::<$array>())
                }),*] };
                [of(false), of(true)].concat()
            }};
        }
        let mut columns = numbers!(
            Int8Array: i8, Int16Array: i16, Int32Array: i32, Int64Array: i64, UInt8Array: u8,
            UInt16Array: u16, UInt32Array: u32, UInt64Array: u64, Float32Array: f32,
            Float64Array: f64
        );
        let yes = (0..50).map(|row| Some(row % 3 == 0)).collect::<BooleanArray>();
        let perhaps = (0..50).map(|row| (row % 2 == 0).then_some(row % 4 == 0));
        columns.insert(3, Arc::new(yes));
        columns.insert(9, Arc::new(perhaps.collect::<BooleanArray>()));
        columns.push(Arc::new(Int32Array::new_null(50)));
        let texts = (0..50).map(|row| Some((row % 3).to_string())).collect::<StringArray>();
        columns.insert(5, Arc::new(texts));
        columns.insert(12, Arc::new((0..50).map(Some).collect::<Date32Array>()));
        let names = (0..).map(|place| format!("c{place}"));
        RecordBatch::try_from_iter(names.zip(columns)).unwrap()
    }

    /// Writes three row groups of several pages.
    fn written(
        batch: &RecordBatch,
        (compression, version, dictionaries): (Compression, WriterVersion, bool),
    ) -> tempfile::NamedTempFile {
        let properties = WriterProperties::builder()
            .set_compression(compression)
            .set_writer_version(version)
            .set_dictionary_enabled(dictionaries)
            .set_max_row_group_row_count(Some(20))
            .set_data_page_row_count_limit(6)
            .set_write_batch_size(3)
            .build();
        let file = tempfile::NamedTempFile::new().unwrap();
        let (own, schema) = (file.reopen().unwrap(), batch.schema());
        let mut writer = ArrowWriter::try_new(own, schema, Some(properties)).unwrap();
        writer.write(batch).unwrap();
        writer.close().unwrap();
        file
    }

    fn zstandard() -> Compression {
        Compression::ZSTD(ZstdLevel::default())
    }

    #[test]
    fn columns_of_all_types_are_read_in_groups() {
        let batch = columns_of_all_types();
        for of in [
            (Compression::UNCOMPRESSED, WriterVersion::PARQUET_1_0, true),
            (Compression::SNAPPY, WriterVersion::PARQUET_2_0, false),
            (zstandard(), WriterVersion::PARQUET_1_0, true),
            (zstandard(), WriterVersion::PARQUET_2_0, true),
            (zstandard(), WriterVersion::PARQUET_2_0, false),
        ] {
            let file = written(&batch, of);
            check_groups(file.path(), &CellFormat::default());
            check_groups(file.path(), &CellFormat::new(false, ["2"]));
            // All integers, floats and booleans are decoded by themselves.
            let file = Positioned::open(file.path()).unwrap();
            let table = ArrowTable::open(Format::Parquet, file).unwrap();
            let Content::Parquet(source, metadata) = &table.content else { panic!() };
            let none = (Vec::new(), Vec::new());
            let wide = Wide::new((source, metadata), none, false, &Wanted::default());
            let pages = Pages::new(source.of_one_reader());
            let part = Part { group: 1, first: 3, rows: 9 };
            let is_other = |column: &usize| wide.flat_column(&pages, &part, *column).is_none();
            let others: Vec<_> = (0..batch.num_columns()).filter(is_other).collect();
            assert_eq!(others, [5, 12]);
        }
    }

    /// Groups of a damaged file give values or an error about the input.
    #[test]
    fn damage_is_an_error_about_the_input() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/formats");
        let damaged = tempfile::NamedTempFile::new().unwrap();
        let of_pages = (zstandard(), WriterVersion::PARQUET_2_0, true);
        let all_types = written(&columns_of_all_types(), of_pages);
        let names = ["none", "zstd"].map(|name| folder.join(format!("{name}.parquet")));
        for path in [&names[0], &names[1], all_types.path()] {
            let whole = std::fs::read(path).unwrap();
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
                        panic!("{path:?}")
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
            assert!(errors > 10, "{path:?}: {errors}");
        }
    }
}
