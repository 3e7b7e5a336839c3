//! Sources: the tables that features can be selected from.

use std::path::{Path, PathBuf};

use crate::error::Result;
use crate::table::cell::CellFormat;
use crate::table::event::TimeToEvent;
use crate::table::file::FileTable;
use crate::table::files::FileTables;
use crate::table::open_table::{Identifiers, Opening, Table};
use crate::table::schema::Schema;

/// A table that features can be selected from: the path of a text file, a [`FileTable`] for files
/// and readers of any form, or an `ArrayTable` (feature `ndarray`) for a matrix in memory.
///
/// [`FileTable`]: crate::FileTable
pub trait Source: sealed::Open {}

impl<T: sealed::Open + ?Sized> Source for T {}

pub(crate) mod sealed {
    use super::*;

    /// The sealed part of a source: opening it.
    #[allow(private_interfaces, reason = "sealed: nobody outside can call it")]
    pub trait Open {
        /// Opens the table: reads all that is needed before the first pass.
        fn open(&self, opening: &Opening<'_>) -> Result<Box<dyn Table + '_>>;

        /// The features, by their names alone: no value is used.
        fn header(&self, opening: &Opening<'_>) -> Result<Schema>;

        /// The table, if it is one file, or record batches in memory.
        fn file(&self) -> Option<&FileTable> {
            None
        }

        /// A text with the names of its files and all facts given about it. Tables in memory have
        /// no names: equal texts do not mean equal data.
        fn identity(&self) -> String {
            String::new()
        }

        /// The format of its cells, as it was given.
        fn cells(&self) -> CellFormat;

        /// Whether it can be opened more than once.
        fn repeats(&self) -> bool;

        /// Refuses a table that can be read only once if its identifiers need a separate pass.
        fn check_identifiers(&self, _: Identifiers, _: Option<&TimeToEvent>) -> Result<()> {
            Ok(())
        }

        /// Whether the target is a number by its type; text files have no types.
        fn has_number_target(&self, opening: &Opening<'_>) -> Result<bool>;
    }
}

#[allow(private_interfaces, reason = "sealed: nobody outside can call it")]
impl<T: sealed::Open + ?Sized> sealed::Open for &T {
    fn open(&self, opening: &Opening<'_>) -> Result<Box<dyn Table + '_>> {
        (**self).open(opening)
    }

    fn header(&self, opening: &Opening<'_>) -> Result<Schema> {
        (**self).header(opening)
    }

    fn file(&self) -> Option<&FileTable> {
        (**self).file()
    }

    fn identity(&self) -> String {
        (**self).identity()
    }

    fn cells(&self) -> CellFormat {
        (**self).cells()
    }

    fn repeats(&self) -> bool {
        (**self).repeats()
    }

    fn check_identifiers(
        &self,
        identifiers: Identifiers,
        events: Option<&TimeToEvent>,
    ) -> Result<()> {
        (**self).check_identifiers(identifiers, events)
    }

    fn has_number_target(&self, opening: &Opening<'_>) -> Result<bool> {
        (**self).has_number_target(opening)
    }
}

/// Makes files a source.
macro_rules! files_are_a_table {
    ($($table:ty),*) => {$(
        #[allow(private_interfaces, reason = "sealed: nobody outside can call it")]
        impl sealed::Open for $table {
            fn open(&self, opening: &Opening<'_>) -> Result<Box<dyn Table + '_>> {
                Ok(Box::new(self.open_files(opening)?))
            }

            fn header(&self, opening: &Opening<'_>) -> Result<Schema> {
                self.schema(opening)
            }

            fn file(&self) -> Option<&FileTable> {
                <$table>::as_file(self)
            }

            fn identity(&self) -> String {
                <$table>::identity(self)
            }

            fn cells(&self) -> CellFormat {
                <$table>::cells(self)
            }

            fn repeats(&self) -> bool {
                <$table>::repeats(self)
            }

            fn check_identifiers(
                &self,
                identifiers: Identifiers,
                events: Option<&TimeToEvent>,
            ) -> Result<()> {
                <$table>::check_identifiers(self, identifiers, events)
            }

            fn has_number_target(&self, opening: &Opening<'_>) -> Result<bool> {
                <$table>::has_number_target(self, opening)
            }
        }
    )*};
}

files_are_a_table!(FileTable, FileTables);

/// Makes a path a source: the file there, with no facts given.
macro_rules! path_is_a_table {
    ($($path:ty),*) => {$(
        #[allow(private_interfaces, reason = "sealed: nobody outside can call it")]
        impl sealed::Open for $path {
            fn open(&self, opening: &Opening<'_>) -> Result<Box<dyn Table + '_>> {
                Ok(Box::new(FileTable::new(self).open_files(opening)?))
            }

            fn header(&self, opening: &Opening<'_>) -> Result<Schema> {
                FileTable::new(self).schema(opening)
            }

            fn identity(&self) -> String {
                FileTable::new(self).identity()
            }

            fn cells(&self) -> CellFormat {
                CellFormat::default()
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
