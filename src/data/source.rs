//! Sources: the tables that features can be selected from.

use std::path::{Path, PathBuf};

use crate::data::file::FileTable;
use crate::data::number::CellFormat;
use crate::data::sample::SampleFold;
use crate::data::samples::{Opening, Samples};
use crate::data::schema::Schema;
use crate::data::several::{FileTables, TablesSamples};
use crate::error::{Error, Result};

/// A table that features can be selected from: the path of a text file, a [`FileTable`] for files and
/// readers of any form, or an `ArrayTable` (feature `ndarray`) for a matrix in memory.
///
/// [`FileTable`]: crate::FileTable
pub trait Source: sealed::Open {}

impl<T: sealed::Open + ?Sized> Source for T {}

#[allow(private_interfaces, reason = "sealed: nobody outside can call it")]
impl<T: sealed::Open + ?Sized> sealed::Open for &T {
    type Table<'s>
        = T::Table<'s>
    where
        Self: 's;

    fn open(&self, opening: &Opening<'_>) -> Result<Opened<Self::Table<'_>>> {
        (**self).open(opening)
    }

    fn header(&self, opening: &Opening<'_>) -> Result<Schema> {
        (**self).header(opening)
    }

    fn repeats(&self) -> bool {
        (**self).repeats()
    }

    fn has_number_target(&self, opening: &Opening<'_>) -> Result<bool> {
        (**self).has_number_target(opening)
    }
}

pub(crate) mod sealed {
    use super::*;

    /// The sealed part of a source: opening it.
    #[allow(private_interfaces, private_bounds, reason = "sealed: nobody outside can call it")]
    pub trait Open {
        /// An open table, where it is not of files.
        type Table<'s>: Samples
        where
            Self: 's;

        /// Opens the table: reads all that is needed before the first pass.
        fn open(&self, opening: &Opening<'_>) -> Result<Opened<Self::Table<'_>>>;

        /// The features, by their names alone: no value is used.
        fn header(&self, opening: &Opening<'_>) -> Result<Schema>;

        /// Whether it can be opened more than once.
        fn repeats(&self) -> bool;

        /// Whether the type of the target says that it is a number, whatever its values: texts do not.
        fn has_number_target(&self, opening: &Opening<'_>) -> Result<bool>;
    }
}

/// An open table: of files, for which all passes are compiled once, in this crate, or of another source.
#[allow(clippy::large_enum_variant, reason = "there is one per run")]
pub enum Opened<T> {
    /// One file or several.
    Files(TablesSamples),
    /// What a source of another kind opens.
    Other(T),
}

#[cfg(test)]
impl<T> Opened<T> {
    pub(crate) fn files(self) -> TablesSamples {
        match self {
            Self::Files(table) => table,
            Self::Other(_) => panic!("no files"),
        }
    }

    #[cfg(feature = "ndarray")]
    pub(crate) fn other(self) -> T {
        match self {
            Self::Files(_) => panic!("files"),
            Self::Other(table) => table,
        }
    }
}

/// What a source that is always files opens besides.
pub enum NoOther {}

impl Samples for NoOther {
    fn schema(&self) -> &Schema {
        match *self {}
    }

    fn format(&self) -> &CellFormat {
        match *self {}
    }

    fn can_repeat(&self) -> bool {
        match *self {}
    }

    fn has_words(&self) -> bool {
        match *self {}
    }

    fn fold<F: SampleFold>(&mut self, _: &(dyn Fn() -> F + Sync)) -> Result<F> {
        match *self {}
    }

    fn no_usable_target(&self, _: bool) -> Error {
        match *self {}
    }
}

#[allow(private_interfaces, reason = "sealed: nobody outside can call it")]
impl sealed::Open for FileTables {
    type Table<'s> = NoOther;

    fn open(&self, opening: &Opening<'_>) -> Result<Opened<NoOther>> {
        self.samples(opening).map(Opened::Files)
    }

    fn header(&self, opening: &Opening<'_>) -> Result<Schema> {
        self.schema(opening)
    }

    fn repeats(&self) -> bool {
        self.repeats()
    }

    fn has_number_target(&self, opening: &Opening<'_>) -> Result<bool> {
        self.has_number_target(opening)
    }
}

#[allow(private_interfaces, reason = "sealed: nobody outside can call it")]
impl sealed::Open for FileTable {
    type Table<'s> = NoOther;

    fn open(&self, opening: &Opening<'_>) -> Result<Opened<NoOther>> {
        self.samples(opening, 0).map(|table| Opened::Files(TablesSamples::One(table)))
    }

    fn header(&self, opening: &Opening<'_>) -> Result<Schema> {
        self.schema(opening)
    }

    fn repeats(&self) -> bool {
        self.repeats()
    }

    fn has_number_target(&self, opening: &Opening<'_>) -> Result<bool> {
        self.has_number_target(opening)
    }
}

/// Makes a path a source: the file there, with no facts stated.
macro_rules! path_is_a_table {
    ($($path:ty),*) => {$(
        #[allow(private_interfaces, reason = "sealed: nobody outside can call it")]
        impl sealed::Open for $path {
            type Table<'s> = NoOther;

            fn open(&self, opening: &Opening<'_>) -> Result<Opened<NoOther>> {
                sealed::Open::open(&FileTable::new(self), opening)
            }

            fn header(&self, opening: &Opening<'_>) -> Result<Schema> {
                FileTable::new(self).schema(opening)
            }

            fn repeats(&self) -> bool {
                FileTable::new(self).repeats()
            }

            fn has_number_target(&self, opening: &Opening<'_>) -> Result<bool> {
                FileTable::new(self).has_number_target(opening)
            }
        }
    )*};
}

path_is_a_table!(str, String, Path, PathBuf);
