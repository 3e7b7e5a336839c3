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

/// Refuses the folder of a table that a table format manages.
fn refuse(folder: &Path) -> Result<()> {
    let has_versions = || {
        let entries = fs::read_dir(folder.join("metadata")).into_iter().flatten().flatten();
        let mut names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        names.any(|name| {
            [".metadata.json", ".metadata.json.gz"].iter().any(|ending| name.ends_with(ending))
        })
    };
    let (name, marker, readers) = if folder.join("_delta_log").is_dir() {
        ("Delta Lake", "_delta_log", "deltalake or polars (scan_delta)")
    } else if folder.join(".hoodie").is_dir() {
        ("Hudi", ".hoodie", "Spark or the package hudi")
    } else if has_versions() {
        ("Iceberg", "metadata/*.metadata.json", "pyiceberg or polars (scan_iceberg)")
    } else {
        return Ok(());
    };
    let root = folder.display();
    Err(Error::request(format!(
        "the folder {root} holds {marker}: its Parquet files belong to a table of {name}, and some may hold rows that \
         were replaced or deleted"
    ))
    .hint(format!(
        "open the table with {readers} and pass the frame or dataset to dpsis in Python, or export it to one Parquet \
         file outside this folder"
    )))
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
        path.ancestors().try_for_each(refuse)?;
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
        refuse(&folders[next])?;
        let entries = fs::read_dir(&folders[next]).into_iter().flatten().flatten();
        let is_folder = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
        folders.extend(entries.filter(is_folder).map(|entry| entry.path()));
        next += 1;
    }
    Ok(())
}
