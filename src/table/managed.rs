//! Folders that belong to a table format: Delta Lake, Apache Iceberg, Apache Hudi.
//!
//! Such a table keeps files of rows that an update or a compaction has replaced, and its metadata
//! decide which files are current. A reader of all Parquet files of the folder counts some rows
//! several times, and rows that were deleted, so these files are refused at every level: the
//! folder, its partitions, patterns, lists and single files. Files are opened in one place,
//! [`FileTable`](crate::FileTable), and folders are listed in one, [`files`](crate::files); both
//! call this module. Datasets and frames of engines, which read the metadata, are not affected.

use std::fs;
use std::path::Path;

use crate::error::{Error, Result};

/// The maximum number of folders that a search below a folder examines.
#[cfg(feature = "patterns")]
const MAX_FOLDERS: usize = 1000;

/// A table format that manages a folder of data files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TableFormat {
    Delta,
    Iceberg,
    Hudi,
}

impl TableFormat {
    /// The format of the table whose folder this is.
    fn of(folder: &Path) -> Option<Self> {
        if folder.join("_delta_log").is_dir() {
            return Some(Self::Delta);
        }
        if folder.join(".hoodie").is_dir() {
            return Some(Self::Hudi);
        }
        let metadata = fs::read_dir(folder.join("metadata")).into_iter().flatten().flatten();
        let mut names = metadata.map(|entry| entry.file_name().to_string_lossy().into_owned());
        let is_version = |name: String| {
            [".metadata.json", ".metadata.json.gz"].iter().any(|ending| name.ends_with(ending))
        };
        names.any(is_version).then_some(Self::Iceberg)
    }

    fn name(self) -> &'static str {
        match self {
            Self::Delta => "Delta Lake",
            Self::Iceberg => "Iceberg",
            Self::Hudi => "Hudi",
        }
    }

    /// The part of the folder that shows the format.
    fn marker(self) -> &'static str {
        match self {
            Self::Delta => "_delta_log",
            Self::Iceberg => "metadata/*.metadata.json",
            Self::Hudi => ".hoodie",
        }
    }

    fn readers(self) -> &'static str {
        match self {
            Self::Delta => "deltalake or polars (scan_delta)",
            Self::Iceberg => "pyiceberg or polars (scan_iceberg)",
            Self::Hudi => "Spark or the package hudi",
        }
    }

    fn refusal(self, root: &Path) -> Error {
        let (root, name, marker) = (root.display(), self.name(), self.marker());
        Error::request(format!(
            "the folder {root} holds {marker}: its Parquet files belong to a table of {name}, and some may hold \
             rows that were replaced or deleted"
        ))
        .hint(format!(
            "open the table with {} and pass the frame or dataset to dpsis in Python, or export it to one Parquet \
             file outside this folder",
            self.readers()
        ))
    }
}

/// Refuses a file or a folder that lies in a folder of a table format, at any depth, by the path as
/// given and by the one that symbolic links lead to.
///
/// # Errors
///
/// `Request`, with the folder of the table and how to open it.
pub(super) fn refuse_managed(path: &Path) -> Result<()> {
    let given = std::path::absolute(path).ok();
    let real = path.canonicalize().ok().filter(|real| Some(real) != given.as_ref());
    for path in [given, real].into_iter().flatten() {
        for folder in path.ancestors() {
            if let Some(format) = TableFormat::of(folder) {
                return Err(format.refusal(folder));
            }
        }
    }
    Ok(())
}

/// Refuses a folder that lies in a folder of a table format, or that holds one.
///
/// # Errors
///
/// As for [`refuse_managed`].
#[cfg(feature = "patterns")]
pub(super) fn refuse_managed_below(folder: &Path) -> Result<()> {
    refuse_managed(folder)?;
    let mut folders = vec![folder.to_owned()];
    let mut next = 0;
    while next < folders.len().min(MAX_FOLDERS) {
        if let Some(format) = TableFormat::of(&folders[next]) {
            return Err(format.refusal(&folders[next]));
        }
        let entries = fs::read_dir(&folders[next]).into_iter().flatten().flatten();
        let is_folder = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
        folders.extend(entries.filter(is_folder).map(|entry| entry.path()));
        next += 1;
    }
    Ok(())
}
