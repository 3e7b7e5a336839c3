//! Parquet files of very many columns, read in groups of them.
//!
//! The crate holds readers and buffers of every column that it reads, some 25 kB each, and works
//! through all of them for every batch. So of wide tables a group of columns is read at a time, for
//! as many rows of a row group as a block holds: the block is the only thing that is as wide as the
//! table.

use arrow_array::RecordBatch;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ParquetRecordBatchReaderBuilder};

use super::columns::{cells, spread};
use super::guard::{guarded, malformed};
use super::parquet::ParquetSource;
use crate::error::Result;
use crate::table::block_table::{RowBlock, RowValues, TextCell, Wanted, rows_in};
use crate::table::cell::CellFormat;
use crate::table::formats::Format;

/// The number of columns that are read at a time: of more, the others wait.
pub(super) const GROUP: usize = 2048;

const NAME: &str = Format::Parquet.name();

/// The blocks of a wide table.
pub(super) struct Wide<'a> {
    source: &'a ParquetSource,
    metadata: &'a ArrowReaderMetadata,
    /// The places in the file of the columns of values, ascending.
    numbers: Vec<usize>,
    /// Those of texts, where they are in the file.
    texts: Vec<Option<usize>>,
    narrow: bool,
    format: CellFormat,
    /// The number of columns that are read at a time.
    group: usize,
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
        let next = (0, 0);
        Self { source, metadata, numbers, texts, narrow, format, group: GROUP, most, next }
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
        let length = part.rows * self.numbers.len();
        let values = match self.narrow {
            true => RowValues::F32(self.values(part, vec![0f32; length], |value| value as f32)?),
            false => RowValues::F64(self.values(part, vec![0f64; length], |value| value)?),
        };
        let texts = self.texts.iter().map(|column| self.texts(part, *column));
        Ok(RowBlock { rows: part.rows, values, texts: texts.collect::<Result<_>>()? })
    }

    /// Reads all values, group by group.
    fn values<A: Copy + From<f32> + Into<f64>>(
        &self,
        part: &Part,
        mut values: Vec<A>,
        of: impl Fn(f64) -> A + Copy,
    ) -> Result<Vec<A>> {
        let d = self.numbers.len();
        for (number, group) in self.numbers.chunks(self.group).enumerate() {
            let mut start = 0;
            self.each_batch(part, group, |batch| {
                let rows = values.get_mut(start * d..).unwrap_or_default();
                for (column, values_of) in batch.columns().iter().enumerate() {
                    spread(values_of, rows, number * self.group + column, d, &self.format, of)?;
                }
                start += batch.num_rows();
                Ok(())
            })?;
            if start != part.rows {
                return Err(malformed(NAME));
            }
        }
        Ok(values)
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
            let (source, metadata) = (self.source.clone(), self.metadata.clone());
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
    use crate::table::block_table::{BlockTable, TextPlace};
    use crate::table::formats::positioned::Positioned;

    /// All values as bits, and all texts.
    fn whole(blocks: impl Iterator<Item = Result<RowBlock>>) -> (Vec<u64>, Vec<Vec<TextCell>>) {
        let (mut bits, mut texts) = (Vec::new(), Vec::new());
        for block in blocks {
            let block = block.unwrap();
            match block.values {
                RowValues::F32(values) => {
                    bits.extend(values.iter().map(|value| f64::from(*value).to_bits()));
                }
                RowValues::F64(values) => bits.extend(values.iter().map(|value| value.to_bits())),
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
                let found = whole(Wide { group, most, ..wide });
                assert_eq!(found, expected, "{name}: {group}, {most}");
            }
        }
    }
}
