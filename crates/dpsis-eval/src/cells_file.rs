//! A CSV file of cells that grows while a comparison runs, so that an interrupted run can be
//! resumed.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use dpsis::{Error, Result};

use crate::metrics::Estimate;
use crate::output::replace;
use crate::sweep::{Balanced, CellKey, ComparisonCell, ComparisonCells};

const HEADER: [&str; 28] = [
    "table",
    "method",
    "scale",
    "k",
    "eps",
    "picks",
    "trials",
    "seed",
    "lasso",
    "lasso_error",
    "overlap",
    "overlap_error",
    "top",
    "great",
    "good",
    "model",
    "model_error",
    "baseline",
    "lasso_model",
    "lasso_low",
    "lasso_high",
    "lift",
    "lasso_most",
    "balanced",
    "balanced_error",
    "balanced_baseline",
    "balanced_lasso_model",
    "data",
];

const PICKS_HEADER: [&str; 8] =
    ["table", "method", "scale", "k", "eps", "feature", "times_picked", "trials"];

/// The features that the draws of cells picked, and how often.
type Picks = BTreeMap<CellKey, Vec<(String, u64)>>;

/// A file of cells, a second file of run times, and a third one of picks if they are wanted. Cells and picks are
/// reproducible to the byte; the times are not.
pub struct CellsFile {
    path: PathBuf,
    times: PathBuf,
    picks: Option<PathBuf>,
    seed: u64,
    trials: u64,
}

impl CellsFile {
    /// Names the files `name`.csv and `name`-seconds.csv in a folder; nothing is read or written.
    pub fn new(folder: &Path, name: &str, seed: u64, trials: u64) -> Self {
        let path = folder.join(format!("{name}.csv"));
        let times = folder.join(format!("{name}-seconds.csv"));
        Self { path, times, picks: None, seed, trials }
    }

    /// Also counts how often each feature was picked, in the file `name`-picks.csv; the cells that it does not
    /// count are run again.
    pub fn with_picks(self) -> Self {
        let stem = self.path.file_stem().unwrap_or_default().to_string_lossy();
        let picks = self.path.with_file_name(format!("{stem}-picks.csv"));
        Self { picks: Some(picks), ..self }
    }

    /// Reads the cells that exist already, and removes an incomplete last line from the file.
    ///
    /// # Errors
    ///
    /// `Request` if the cells belong to another seed or number of trials, or the file has other
    /// columns; `Io` if it cannot be read.
    pub fn read(&self) -> Result<ComparisonCells> {
        let mut cells = ComparisonCells::new();
        if !self.path.exists() {
            return Ok(cells);
        }
        let seconds = self.read_seconds()?;
        let mut picks = self.read_picks()?;
        let whole = whole_lines(&self.path)?;
        let mut csv = csv::Reader::from_reader(whole.as_bytes());
        let foreign = || {
            let name = self.path.display();
            Error::request(format!("{name} is not a file of this comparison's cells"))
                .hint("choose another folder, or remove it")
        };
        if csv.headers().map_err(|_| foreign())?.iter().ne(HEADER) {
            return Err(foreign());
        }
        for record in csv.records() {
            let record = record.map_err(|_| foreign())?;
            let text = |column: usize| record[column].to_owned();
            let number = |column: usize| record[column].parse::<f64>().map_err(|_| foreign());
            let whole = |column: usize| record[column].parse::<u64>().map_err(|_| foreign());
            let estimate = |mean: usize, error: usize| -> Result<Estimate> {
                Ok(Estimate { mean: number(mean)?, error: number(error)? })
            };
            if (whole(6)?, whole(7)?) != (self.trials, self.seed) {
                return Err(Error::request(
                    "the folder holds cells of another seed or number of trials",
                )
                .hint("state those, or choose another folder"));
            }
            let key = key_of(&record);
            let cell = ComparisonCell {
                k: whole(5)? as usize,
                trials: self.trials,
                lasso: estimate(8, 9)?,
                overlap: estimate(10, 11)?,
                top: number(12)?,
                great: number(13)?,
                good: number(14)?,
                model: estimate(15, 16)?,
                baseline: number(17)?,
                lasso_model: number(18)?,
                reach: number(22)?,
                balanced: match &record[23] {
                    "" => None,
                    _ => Some(Balanced {
                        model: estimate(23, 24)?,
                        baseline: number(25)?,
                        lasso_model: number(26)?,
                    }),
                },
                picked: picks.remove(&key).unwrap_or_default(),
                data: text(27),
                seconds: seconds.get(&key).copied().unwrap_or(f64::NAN),
            };
            let counted: u64 = cell.picked.iter().map(|(_, times)| times).sum();
            if self.picks.is_none() || counted == cell.k as u64 * self.trials {
                cells.insert(key, cell);
            }
        }
        // What is left was written for cells that were not completed, and will be written again.
        self.write_picks(&cells)?;
        Ok(cells)
    }

    /// Reads the picks that are counted already; malformed lines are no counts.
    fn read_picks(&self) -> Result<Picks> {
        let mut picks = Picks::new();
        let Some(path) = self.picks.as_ref().filter(|path| path.exists()) else {
            return Ok(picks);
        };
        let whole = whole_lines(path)?;
        let mut csv = csv::Reader::from_reader(whole.as_bytes());
        for record in csv.records().flatten().filter(|record| record.len() == PICKS_HEADER.len()) {
            if let Ok(times) = record[6].parse() {
                picks.entry(key_of(&record)).or_default().push((record[5].to_owned(), times));
            }
        }
        Ok(picks)
    }

    /// Replaces the file of picks by those of all cells, if it is wanted.
    fn write_picks(&self, cells: &ComparisonCells) -> Result<()> {
        let Some(path) = &self.picks else { return Ok(()) };
        replaced(path, &PICKS_HEADER, |csv| {
            cells.iter().try_for_each(|(key, cell)| write_picked(csv, key, cell))
        })
    }

    /// Reads the known run times. They are informative only, so malformed lines are ignored.
    fn read_seconds(&self) -> Result<BTreeMap<CellKey, f64>> {
        if !self.times.exists() {
            return Ok(BTreeMap::new());
        }
        let whole = whole_lines(&self.times)?;
        let mut csv = csv::Reader::from_reader(whole.as_bytes());
        let known = csv.records().flatten().filter(|record| record.len() == 6);
        let cell = |record: csv::StringRecord| {
            record[5].parse().ok().map(|seconds| (key_of(&record), seconds))
        };
        Ok(known.filter_map(cell).collect())
    }

    /// Appends a cell and its run time.
    pub fn add(&self, key: &CellKey, cell: &ComparisonCell) -> Result<()> {
        let times = |csv: &mut csv::Writer<Vec<u8>>| {
            let seconds = format!("{:.3e}", cell.seconds);
            let [table, method, scale, count, epsilon] = names(key);
            csv.write_record([table, method, scale, count, epsilon, &*seconds])
        };
        let header = ["table", "method", "scale", "k", "eps", "seconds"];
        append(&self.times, &header, times)?;
        if let Some(picks) = &self.picks {
            append(picks, &PICKS_HEADER, |csv| write_picked(csv, key, cell))?;
        }
        append(&self.path, &HEADER, |csv| self.write(csv, key, cell))
    }

    /// Replaces the file by all cells, sorted by their keys.
    pub fn finish(&self, cells: &ComparisonCells) -> Result<()> {
        self.write_picks(cells)?;
        replaced(&self.path, &HEADER, |csv| {
            cells.iter().try_for_each(|(key, cell)| self.write(csv, key, cell))
        })
    }

    fn write(
        &self,
        csv: &mut csv::Writer<Vec<u8>>,
        key: &CellKey,
        cell: &ComparisonCell,
    ) -> csv::Result<()> {
        let (low, high) = cell.lasso.band();
        let numbers = [
            cell.lasso.mean,
            cell.lasso.error,
            cell.overlap.mean,
            cell.overlap.error,
            cell.top,
            cell.great,
            cell.good,
            cell.model.mean,
            cell.model.error,
            cell.baseline,
            cell.lasso_model,
            low,
            high,
            cell.lift(),
            cell.reach,
        ];
        let wholes = [cell.k as u64, cell.trials, self.seed];
        let fields = names(key).map(str::to_owned).into_iter();
        let fields = fields.chain(wholes.map(|whole| whole.to_string()));
        let fields = fields.chain(numbers.map(|number| number.to_string()));
        let balanced = cell.balanced.map(|balanced| {
            let Balanced { model, baseline, lasso_model } = balanced;
            [model.mean, model.error, baseline, lasso_model].map(|number| number.to_string())
        });
        let fields = fields.chain(balanced.unwrap_or_default());
        csv.write_record(fields.chain([cell.data.clone()]))
    }
}

/// Writes the picks of a cell.
fn write_picked(
    csv: &mut csv::Writer<Vec<u8>>,
    key: &CellKey,
    cell: &ComparisonCell,
) -> csv::Result<()> {
    cell.picked.iter().try_for_each(|(feature, times)| {
        let (times, trials) = (times.to_string(), cell.trials.to_string());
        csv.write_record(names(key).into_iter().chain([feature, &*times, &*trials]))
    })
}

/// Replaces a file by a header and rows.
fn replaced(
    path: &Path,
    header: &[&str],
    rows: impl FnOnce(&mut csv::Writer<Vec<u8>>) -> csv::Result<()>,
) -> Result<()> {
    let mut csv = csv::Writer::from_writer(Vec::new());
    let written = csv.write_record(header).and_then(|()| rows(&mut csv));
    let bytes = written.ok().and_then(|()| csv.into_inner().ok());
    let bytes = bytes.ok_or_else(|| Error::io("the cells cannot be written as CSV"))?;
    replace(path, &bytes).map_err(|error| failed(path, &error))
}

/// Reads the key from the first five columns.
fn key_of(record: &csv::StringRecord) -> CellKey {
    let text = |column: usize| record[column].to_owned();
    CellKey { table: text(0), method: text(1), scale: text(2), count: text(3), epsilon: text(4) }
}

fn names(key: &CellKey) -> [&str; 5] {
    [&key.table, &key.method, &key.scale, &key.count, &key.epsilon]
}

/// Reads the complete lines of a file and removes an incomplete last line from it.
fn whole_lines(path: &Path) -> Result<String> {
    let mut text = fs::read_to_string(path).map_err(|error| failed(path, &error))?;
    let end = text.rfind('\n').map_or(0, |end| end + 1);
    if end < text.len() {
        text.truncate(end);
        let file = File::options().write(true).open(path);
        file.and_then(|file| file.set_len(end as u64)).map_err(|error| failed(path, &error))?;
    }
    Ok(text)
}

fn append(
    path: &Path,
    header: &[&str],
    row: impl FnOnce(&mut csv::Writer<Vec<u8>>) -> csv::Result<()>,
) -> Result<()> {
    let mut csv = csv::Writer::from_writer(Vec::new());
    let written = match path.exists() {
        true => Ok(()),
        false => csv.write_record(header),
    };
    let bytes = written.and_then(|()| row(&mut csv)).ok().and_then(|()| csv.into_inner().ok());
    let bytes = bytes.ok_or_else(|| Error::io("a cell cannot be written as CSV"))?;
    let file = File::options().create(true).append(true).open(path);
    file.and_then(|mut file| file.write_all(&bytes)).map_err(|error| failed(path, &error))
}

fn failed(path: &Path, error: &std::io::Error) -> Error {
    Error::io(format!("cannot use {}: {}", path.display(), error.kind()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(mean: f64) -> (CellKey, ComparisonCell) {
        let key = CellKey {
            table: "a, b".to_owned(),
            method: "dp-sis".to_owned(),
            scale: "paper".to_owned(),
            count: "log".to_owned(),
            epsilon: "1/3".to_owned(),
        };
        let estimate = Estimate { mean, error: 0.1 };
        let cell = ComparisonCell {
            k: 7,
            trials: 10,
            lasso: estimate,
            overlap: estimate,
            top: 0.5,
            great: 0.25,
            good: 1.0,
            model: estimate,
            baseline: 0.6,
            lasso_model: 0.9,
            reach: 1.0,
            balanced: None,
            picked: vec![("f, 1".to_owned(), 60), ("f2".to_owned(), 10)],
            data: "0a".to_owned(),
            seconds: 0.001,
        };
        (key, cell)
    }

    #[test]
    fn a_stopped_sweep_goes_on_from_its_whole_lines() {
        let folder = tempfile::tempdir().unwrap();
        let file = CellsFile::new(folder.path(), "cells", 1, 10);
        assert!(file.read().unwrap().is_empty());
        let (key, cell) = cell(1.0 / 3.0);
        file.add(&key, &cell).unwrap();
        let path = folder.path().join("cells.csv");
        let whole = fs::read_to_string(&path).unwrap();
        fs::write(&path, format!("{whole}\"a, b\",dp-s")).unwrap();
        let cells = file.read().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), whole);
        let read = &cells[&key];
        assert_eq!(read.seconds, 0.001);
        assert_eq!((read.k, read.lasso, read.good), (7, cell.lasso, 1.0));
        assert!(read.picked.is_empty() && read.balanced.is_none());
        file.finish(&cells).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), whole);
        assert!(folder.path().join("cells-seconds.csv").exists());
        assert!(!folder.path().join("cells-picks.csv").exists());
    }

    /// Cells and picks come back as they were; a cell whose picks are not all there is run again, and those of a
    /// cell that was not completed are forgotten.
    #[test]
    fn picks_are_kept_beside_the_cells() {
        let folder = tempfile::tempdir().unwrap();
        let file = CellsFile::new(folder.path(), "cells", 1, 10).with_picks();
        let (key, first) = cell(0.5);
        let balanced = Balanced {
            model: Estimate { mean: 0.7, error: 0.01 },
            baseline: 0.5,
            lasso_model: 0.8,
        };
        let first = ComparisonCell { balanced: Some(balanced), ..first };
        let other = CellKey { epsilon: "2".to_owned(), ..key.clone() };
        file.add(&key, &first).unwrap();
        file.add(&other, &first).unwrap();
        let cells = file.read().unwrap();
        assert_eq!((cells.len(), &cells[&key]), (2, &first));
        let path = folder.path().join("cells-picks.csv");
        let whole = fs::read_to_string(&path).unwrap();
        assert_eq!(whole.lines().nth(1), Some("\"a, b\",dp-sis,paper,log,1/3,\"f, 1\",60,10"),);

        // Torn in the picks of the second cell, after all of the first and one line of a third.
        let third = whole.lines().nth(1).unwrap().replace("1/3", "3");
        let lines: Vec<&str> = whole.lines().take(4).chain([&*third]).collect();
        fs::write(&path, format!("{}\n\"a, b\",dp", lines.join("\n"))).unwrap();
        let cells = file.read().unwrap();
        assert_eq!(cells.keys().collect::<Vec<_>>(), [&key]);
        assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 3);
        file.add(&other, &first).unwrap();
        file.finish(&file.read().unwrap()).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), whole);
    }

    #[test]
    fn cells_of_other_runs_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (key, cell) = cell(0.5);
        CellsFile::new(folder.path(), "cells", 1, 10).add(&key, &cell).unwrap();
        assert!(CellsFile::new(folder.path(), "cells", 2, 10).read().is_err());
        assert!(CellsFile::new(folder.path(), "cells", 1, 11).read().is_err());
        fs::write(folder.path().join("other.csv"), "name,value\n").unwrap();
        assert!(CellsFile::new(folder.path(), "other", 1, 10).read().is_err());
    }
}
