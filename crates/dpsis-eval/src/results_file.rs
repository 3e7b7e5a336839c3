//! A CSV file of results that grows while an evaluation runs, so that an interrupted run can be
//! resumed: its columns, and the seed and the number of trials that all its rows carry.

use std::fs::{self, File};
use std::io::Write;
use std::path::PathBuf;

use csv::StringRecord;
use dpsis::{Error, Result};
use serde::Serialize;

use crate::output::{csv_lines, replace};

/// A file of results with these columns, `trials` and `seed` among them.
pub struct ResultsFile {
    path: PathBuf,
    header: StringRecord,
    stamp: Option<[(usize, String); 2]>,
}

impl ResultsFile {
    /// Names the file; nothing is read or written. A file without the columns `trials` and `seed`
    /// has no stamp.
    pub fn new(path: PathBuf, header: StringRecord, (seed, trials): (u64, u64)) -> Self {
        let place = |name| header.iter().position(|column| column == name);
        let stamp = place("trials").zip(place("seed"));
        let stamp = stamp.map(|(t, s)| [(t, trials.to_string()), (s, seed.to_string())]);
        Self { path, header, stamp }
    }

    /// The names of the columns.
    pub fn header(&self) -> &StringRecord {
        &self.header
    }

    /// Reads the rows that exist already, and removes an incomplete last line from the file.
    ///
    /// # Errors
    ///
    /// `Request` if the rows belong to another seed or number of trials, or the file has other
    /// columns; `Io` if it cannot be read.
    pub fn read(&self) -> Result<Vec<StringRecord>> {
        if !self.path.exists() {
            return Ok(Vec::new());
        }
        let whole = self.whole_lines()?;
        if whole.is_empty() {
            return Ok(Vec::new());
        }
        let mut csv = csv::Reader::from_reader(whole.as_bytes());
        if *csv.headers().map_err(|_| self.foreign())? != self.header {
            return Err(self.foreign());
        }
        let rows = csv.records().map(|row| row.map_err(|_| self.foreign()));
        let rows = rows.collect::<Result<Vec<_>>>()?;
        let ours = |row: &StringRecord| {
            let mut stamp = self.stamp.iter().flatten();
            stamp.all(|(place, value)| row.get(*place) == Some(value))
        };
        if !rows.iter().all(ours) {
            return Err(Error::request(
                "the folder holds results of another seed or number of trials",
            )
            .hint("give those, or choose another folder"));
        }
        Ok(rows)
    }

    /// The error of a file that holds something else.
    pub fn foreign(&self) -> Error {
        Error::request(format!("{} is not a file of these results", self.path.display()))
            .hint("choose another folder, or remove it")
    }

    /// Adds rows at the end.
    pub fn append<R: Serialize>(&self, rows: impl IntoIterator<Item = R>) -> Result<()> {
        let begun = fs::metadata(&self.path).is_ok_and(|file| file.len() > 0);
        let bytes = csv_lines((!begun).then_some(&self.header), rows)?;
        let file = File::options().create(true).append(true).open(&self.path);
        file.and_then(|mut file| file.write_all(&bytes)).map_err(|error| self.failed(&error))
    }

    /// Replaces the file by rows.
    pub fn replace<R: Serialize>(&self, rows: impl IntoIterator<Item = R>) -> Result<()> {
        replace(&self.path, &csv_lines(Some(&self.header), rows)?)
            .map_err(|error| self.failed(&error))
    }

    /// The complete lines of the file; an incomplete last line is removed from it.
    fn whole_lines(&self) -> Result<String> {
        let mut text = fs::read_to_string(&self.path).map_err(|error| self.failed(&error))?;
        let end = text.rfind('\n').map_or(0, |end| end + 1);
        if end < text.len() {
            text.truncate(end);
            let file = File::options().write(true).open(&self.path);
            let cut = file.and_then(|file| file.set_len(end as u64));
            cut.map_err(|error| self.failed(&error))?;
        }
        Ok(text)
    }

    fn failed(&self, error: &std::io::Error) -> Error {
        Error::io(format!("cannot use {}: {}", self.path.display(), error.kind()))
    }
}

/// The names of the fields of a row.
pub(crate) fn header_of<R: Serialize + Default>() -> Result<StringRecord> {
    let mut csv = csv::Writer::from_writer(Vec::new());
    let bytes = csv.serialize(R::default()).ok().and_then(|()| csv.into_inner().ok());
    let bytes = bytes.ok_or_else(|| Error::io("the results cannot be written as CSV"))?;
    let header = csv::Reader::from_reader(&bytes[..]).headers().cloned();
    header.map_err(|_| Error::io("the results cannot be written as CSV"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stopped_run_goes_on_and_results_of_others_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.csv");
        let file = |header: &[&str], stamp| ResultsFile::new(path.clone(), header.into(), stamp);
        let columns = ["who", "mean", "trials", "seed"];
        let ours = file(&columns, (7, 10));
        assert!(ours.read().unwrap().is_empty());
        let row = ("a, b", 0.5, 10, 7);
        ours.append([row]).unwrap();
        let whole = fs::read_to_string(&path).unwrap();
        fs::write(&path, format!("{whole}\"a, b\",0.")).unwrap();
        let rows = ours.read().unwrap();
        assert_eq!(rows, [StringRecord::from(&["a, b", "0.5", "10", "7"][..])]);
        assert_eq!(fs::read_to_string(&path).unwrap(), whole);
        ours.replace([row]).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), whole);
        for (header, stamp) in [(&columns[..], (8, 10)), (&columns[..], (7, 11))] {
            assert!(file(header, stamp).read().is_err());
        }
        fs::write(&path, "who,me").unwrap();
        assert!(ours.read().unwrap().is_empty());
        ours.append([row]).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), whole);
        assert!(file(&["who", "trials", "seed"], (7, 10)).read().is_err());
    }
}
