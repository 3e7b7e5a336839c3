//! A table in a file of any format, ready for passes over its samples.

use std::sync::Arc;

use crate::data::block_samples::BlockSamples;
use crate::data::file::FileTable;
use crate::data::formats::Format;
use crate::data::number::CellFormat;
use crate::data::sample::SampleFold;
use crate::data::samples::{Opening, Samples};
use crate::data::schema::Schema;
use crate::data::table::reads_again;
use crate::data::targets::TargetTable;
use crate::data::text_samples::TextSamples;
use crate::error::{Error, Result};

/// An open table of any format.
pub enum FileSamples {
    /// Read line by line.
    Text(TextSamples),
    /// Read block by block.
    Blocks(BlockSamples),
}

impl Samples for FileSamples {
    fn schema(&self) -> &Schema {
        match self {
            Self::Text(table) => table.schema(),
            Self::Blocks(table) => table.schema(),
        }
    }

    fn format(&self) -> &CellFormat {
        match self {
            Self::Text(table) => table.format(),
            Self::Blocks(table) => table.format(),
        }
    }

    fn can_repeat(&self) -> bool {
        match self {
            Self::Text(table) => table.can_repeat(),
            Self::Blocks(table) => table.can_repeat(),
        }
    }

    fn has_words(&self) -> bool {
        match self {
            Self::Text(table) => table.has_words(),
            Self::Blocks(table) => table.has_words(),
        }
    }

    fn fold<F: SampleFold>(&mut self, new: &(dyn Fn() -> F + Sync)) -> Result<F> {
        match self {
            Self::Text(table) => table.fold(new),
            Self::Blocks(table) => table.fold(new),
        }
    }

    fn no_usable_target(&self, labels: bool) -> Error {
        match self {
            Self::Text(table) => table.no_usable_target(labels),
            Self::Blocks(table) => table.no_usable_target(labels),
        }
    }
}

impl FileSamples {
    /// Passes the features on in another order: that of these places.
    pub(super) fn reorder(&mut self, order: &Arc<[usize]>) {
        let slot = match self {
            Self::Text(table) => &mut table.order,
            Self::Blocks(table) => &mut table.order,
        };
        *slot = Some(order.clone());
    }

    /// The targets in another file, if there are some.
    pub(super) fn targets(&mut self) -> &mut Option<TargetTable> {
        match self {
            Self::Text(table) => &mut table.targets,
            Self::Blocks(table) => &mut table.targets,
        }
    }
}

impl FileTable {
    /// Opens the file for passes over its samples, whose rows are numbered from `before` on.
    pub(super) fn samples(&self, opening: &Opening<'_>, before: u64) -> Result<FileSamples> {
        Ok(match self.check()? {
            Format::Text => {
                let mut table = TextSamples::open(self, opening)?;
                table.before = before;
                FileSamples::Text(table)
            }
            format => {
                let mut table = BlockSamples::new(self.open_blocks(format)?, self, opening)?;
                table.before = before;
                FileSamples::Blocks(table)
            }
        })
    }

    /// Whether it can be read more than once, with the targets beside it.
    pub(super) fn repeats(&self) -> bool {
        self.rows_repeat() && self.facts.target_file.as_deref().is_none_or(reads_again)
    }

    /// Whether its rows can be read more than once.
    pub(super) fn rows_repeat(&self) -> bool {
        self.is_in_batches() || self.file().path().is_some_and(reads_again)
    }

    /// Whether the type of the target says that it is a number.
    pub(super) fn has_number_target(&self, opening: &Opening<'_>) -> Result<bool> {
        if let Some(path) = &self.facts.target_file {
            return Ok(TargetTable::read_header(path, &self.facts.cells())?.holds_numbers());
        }
        match self.check()? {
            Format::Text => Ok(false),
            format => {
                let table = BlockSamples::new(self.open_blocks(format)?, self, opening)?;
                Ok(table.has_number_target())
            }
        }
    }

    /// The features, by their names alone.
    pub(super) fn schema(&self, opening: &Opening<'_>) -> Result<Schema> {
        match self.check()? {
            Format::Text => self.header_of_text(opening),
            format => {
                BlockSamples::new(self.open_blocks(format)?, self, opening).map(|t| t.into_schema())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::*;
    use crate::data::{Hooks, Opened, Source, TargetColumn};

    fn data(name: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/formats").join(name)
    }

    fn has_words(table: &impl Source) -> bool {
        let opening = Opening { threads: 1, hooks: Hooks::default(), memory: None, labels: None };
        match table.open(&opening).unwrap() {
            Opened::Files(table) => table.has_words(),
            Opened::Other(table) => table.has_words(),
        }
    }

    #[test]
    fn tables_with_words() {
        let of_age = |name: &str| {
            FileTable::new(data(name)).id("id").target_column(TargetColumn::Named("age".into()))
        };
        assert!(has_words(&data("table.csv")) && has_words(&of_age("table.csv")));
        assert!(has_words(&of_age("frame.rds").exclude(["three"])));
        assert!(!has_words(&of_age("frame.rds").exclude(["two", "three"])));
        let beside = |name: &str| FileTable::new(data(name)).target_file(data("age.csv"));
        assert!(has_words(&beside("v12.gct")));
        assert!(!has_words(&beside("matrix.rds")) && !has_words(&beside("c-f4.npy")));
        #[cfg(feature = "arrow")]
        {
            assert!(has_words(&of_age("none.parquet")) && has_words(&of_age("plain.arrow")));
            assert!(!has_words(&of_age("none.parquet").exclude(["two", "three"])));
        }
        #[cfg(feature = "ndarray")]
        {
            let x = ndarray::array![[f64::from_bits(f64::NAN.to_bits() | 1954)], [1.0]];
            let y = ndarray::array![0.0, 1.0];
            assert!(!has_words(&crate::ArrayTable::new(x.view(), y.view()).unwrap()));
        }
    }
}
