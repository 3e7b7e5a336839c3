//! The output folder of an evaluation.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use csv::StringRecord;
use dpsis::report::Page;
use dpsis::{Error, Result};
use serde::Serialize;

/// The name of the file that marks a folder as the output of an evaluation.
const MARKER: &str = "dpsis-evaluation.txt";

/// A folder for results: new, empty, or written earlier by the same command.
pub struct OutputFolder(PathBuf);

impl OutputFolder {
    /// Creates the folder, or reopens one that the same command has written.
    ///
    /// # Errors
    ///
    /// `Request` if the folder holds other files; `Io` if it cannot be created or written to.
    pub fn open(path: &Path, command: &str) -> Result<Self> {
        let folder = Self(path.to_owned());
        let words =
            format!("Results on public or synthetic data, made by dpsis {command}. NOT PRIVATE.\n");
        let ours = || fs::read_to_string(path.join(MARKER)).is_ok_and(|text| text == words);
        let foreign = match fs::read_dir(path) {
            // A run may have been killed while it made the folder.
            Ok(entries) => {
                let unfinished = format!("{MARKER}.new");
                entries.flatten().any(|entry| entry.file_name() != *unfinished) && !ours()
            }
            Err(_) if path.exists() => return Err(folder.failed("it is not a folder")),
            Err(_) => false,
        };
        if foreign {
            return Err(Error::request("the output folder holds something else")
                .hint(format!("name a new folder, or one that {command} has made")));
        }
        fs::create_dir_all(path).map_err(|error| folder.failed(&error.kind().to_string()))?;
        folder.write(MARKER, &words)?;
        Ok(folder)
    }

    /// The path of the folder.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Writes a file atomically.
    pub fn write(&self, name: &str, text: &str) -> Result<()> {
        let failed = |error: io::Error| self.failed(&error.kind().to_string());
        replace(&self.0.join(name), text.as_bytes()).map_err(failed)
    }

    /// Writes a header and rows as a CSV file, atomically.
    pub fn write_csv(&self, name: &str, header: &[&str], rows: &[Vec<String>]) -> Result<()> {
        let bytes = csv_lines(Some(&header.to_vec().into()), rows)?;
        replace(&self.0.join(name), &bytes).map_err(|error| self.failed(&error.kind().to_string()))
    }

    /// Writes a page to `index.html`.
    pub fn write_page(&self, page: &Page) -> Result<()> {
        self.write("index.html", &page.html())
    }

    fn failed(&self, reason: &str) -> Error {
        Error::io(format!("cannot write to {}: {reason}", self.0.display()))
    }
}

/// Rows as lines of CSV, after a header if there is one.
pub(crate) fn csv_lines<R: Serialize>(
    header: Option<&StringRecord>,
    rows: impl IntoIterator<Item = R>,
) -> Result<Vec<u8>> {
    let mut csv = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
    let header = header.map(|header| csv.write_record(header)).transpose();
    let written = header.and_then(|_| rows.into_iter().try_for_each(|row| csv.serialize(row)));
    let bytes = written.ok().and_then(|()| csv.into_inner().ok());
    bytes.ok_or_else(|| Error::io("rows cannot be written as CSV"))
}

/// Creates or replaces a file atomically: if writing fails, the old file remains.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(".new");
    let replaced = fs::write(&temporary, bytes).and_then(|()| fs::rename(&temporary, path));
    if replaced.is_err() {
        // The temporary file may not exist.
        let _ = fs::remove_file(&temporary);
    }
    replaced
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_with_other_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let ours = folder.path().join("a/b");
        let open = |path: &Path| OutputFolder::open(path, "compare");
        open(&ours).unwrap().write_csv("x.csv", &["a"], &[vec!["1,2".into()]]).unwrap();
        assert_eq!(fs::read_to_string(ours.join("x.csv")).unwrap(), "a\n\"1,2\"\n");
        open(&ours).unwrap();
        assert!(open(folder.path()).is_err());
        assert!(open(&ours.join("x.csv")).is_err());
        assert!(OutputFolder::open(&ours, "reproduce").is_err());
    }

    /// A folder of a run that was killed before its marker was complete can be used again.
    #[test]
    fn a_folder_with_an_incomplete_marker_is_reopened() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(format!("{MARKER}.new")), "Results").unwrap();
        let output = OutputFolder::open(folder.path(), "compare").unwrap();
        output.write("x", "1").unwrap();
        let names = fs::read_dir(folder.path()).unwrap().flatten();
        let mut names: Vec<_> = names.map(|entry| entry.file_name()).collect();
        names.sort();
        assert_eq!(names, [MARKER, "x"]);
    }
}
