//! A CSV file of cells that grows while a comparison runs, so that an interrupted run can be
//! resumed.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use dpsis::{Error, Result};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::metrics::Estimate;
use crate::output::replace;
use crate::sweep::{Balanced, CellKey, ComparisonCell, ComparisonCells};

/// A number as it is printed: the shortest text that is read as the same number.
#[derive(Debug, Default, Clone, Copy)]
struct Printed(f64);

impl Serialize for Printed {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Printed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        f64::deserialize(deserializer).map(Self)
    }
}

/// A line of the file of cells: the names of its columns are those of the fields.
#[derive(Debug, Default, Serialize, Deserialize)]
struct CellRow {
    table: String,
    method: String,
    scale: String,
    k: String,
    eps: String,
    picks: u64,
    trials: u64,
    seed: u64,
    lasso: Printed,
    lasso_error: Printed,
    overlap: Printed,
    overlap_error: Printed,
    top: Printed,
    great: Printed,
    good: Printed,
    model: Printed,
    model_error: Printed,
    baseline: Printed,
    lasso_model: Printed,
    lasso_low: Printed,
    lasso_high: Printed,
    lift: Printed,
    lasso_most: Printed,
    balanced: Option<Printed>,
    balanced_error: Option<Printed>,
    balanced_baseline: Option<Printed>,
    balanced_lasso_model: Option<Printed>,
    data: String,
}

impl CellRow {
    fn new(key: &CellKey, cell: &ComparisonCell, seed: u64) -> Self {
        let [table, method, scale, k, eps] = names(key).map(str::to_owned);
        let (low, high) = cell.lasso.band();
        let balanced = |of: fn(Balanced) -> f64| cell.balanced.map(|b| Printed(of(b)));
        Self {
            table,
            method,
            scale,
            k,
            eps,
            picks: cell.k as u64,
            trials: cell.trials,
            seed,
            lasso: Printed(cell.lasso.mean),
            lasso_error: Printed(cell.lasso.error),
            overlap: Printed(cell.overlap.mean),
            overlap_error: Printed(cell.overlap.error),
            top: Printed(cell.top),
            great: Printed(cell.great),
            good: Printed(cell.good),
            model: Printed(cell.model.mean),
            model_error: Printed(cell.model.error),
            baseline: Printed(cell.baseline),
            lasso_model: Printed(cell.lasso_model),
            lasso_low: Printed(low),
            lasso_high: Printed(high),
            lift: Printed(cell.lift()),
            lasso_most: Printed(cell.reach),
            balanced: balanced(|b| b.model.mean),
            balanced_error: balanced(|b| b.model.error),
            balanced_baseline: balanced(|b| b.baseline),
            balanced_lasso_model: balanced(|b| b.lasso_model),
            data: cell.data.clone(),
        }
    }

    /// The cell with what other files tell of it. `None` if the numbers of rare classes are not all there.
    fn cell(self, picked: Vec<(String, u64)>, seconds: f64) -> Option<ComparisonCell> {
        let estimate = |mean: Printed, error: Printed| Estimate { mean: mean.0, error: error.0 };
        let balanced = match self.balanced {
            None => None,
            Some(mean) => Some(Balanced {
                model: estimate(mean, self.balanced_error?),
                baseline: self.balanced_baseline?.0,
                lasso_model: self.balanced_lasso_model?.0,
            }),
        };
        Some(ComparisonCell {
            k: self.picks as usize,
            trials: self.trials,
            lasso: estimate(self.lasso, self.lasso_error),
            overlap: estimate(self.overlap, self.overlap_error),
            top: self.top.0,
            great: self.great.0,
            good: self.good.0,
            model: estimate(self.model, self.model_error),
            baseline: self.baseline.0,
            lasso_model: self.lasso_model.0,
            reach: self.lasso_most.0,
            balanced,
            picked,
            data: self.data,
            seconds,
        })
    }
}

/// How often a feature was picked for a cell.
#[derive(Debug, Default, Serialize, Deserialize)]
struct PickRow {
    table: String,
    method: String,
    scale: String,
    k: String,
    eps: String,
    feature: String,
    times_picked: u64,
    trials: u64,
}

/// How long a cell took.
#[derive(Debug, Default, Serialize, Deserialize)]
struct TimeRow {
    table: String,
    method: String,
    scale: String,
    k: String,
    eps: String,
    seconds: String,
}

/// The key of a row, whose first fields they are.
macro_rules! key {
    ($row:expr) => {
        CellKey {
            table: $row.table.clone(),
            method: $row.method.clone(),
            scale: $row.scale.clone(),
            count: $row.k.clone(),
            epsilon: $row.eps.clone(),
        }
    };
}

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
        let foreign = || {
            let name = self.path.display();
            Error::request(format!("{name} is not a file of this comparison's cells"))
                .hint("choose another folder, or remove it")
        };
        if !whole.as_bytes().starts_with(&header::<CellRow>()?) {
            return Err(foreign());
        }
        let mut csv = csv::Reader::from_reader(whole.as_bytes());
        for row in csv.deserialize::<CellRow>() {
            let row = row.map_err(|_| foreign())?;
            if (row.trials, row.seed) != (self.trials, self.seed) {
                return Err(Error::request(
                    "the folder holds cells of another seed or number of trials",
                )
                .hint("state those, or choose another folder"));
            }
            let key = key!(row);
            let seconds = seconds.get(&key).copied().unwrap_or(f64::NAN);
            let picked = picks.remove(&key).unwrap_or_default();
            let cell = row.cell(picked, seconds).ok_or_else(foreign)?;
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
        for row in csv::Reader::from_reader(whole.as_bytes()).deserialize::<PickRow>().flatten() {
            picks.entry(key!(row)).or_default().push((row.feature, row.times_picked));
        }
        Ok(picks)
    }

    /// Replaces the file of picks by those of all cells, if it is wanted.
    fn write_picks(&self, cells: &ComparisonCells) -> Result<()> {
        let Some(path) = &self.picks else { return Ok(()) };
        replaced(path, cells.iter().flat_map(|(key, cell)| picked(key, cell)))
    }

    /// Reads the known run times. They are informative only, so malformed lines are ignored.
    fn read_seconds(&self) -> Result<BTreeMap<CellKey, f64>> {
        if !self.times.exists() {
            return Ok(BTreeMap::new());
        }
        let whole = whole_lines(&self.times)?;
        let mut csv = csv::Reader::from_reader(whole.as_bytes());
        let known = csv.deserialize::<TimeRow>().flatten();
        Ok(known.filter_map(|row| Some((key!(row), row.seconds.parse().ok()?))).collect())
    }

    /// Appends a cell and its run time.
    pub fn add(&self, key: &CellKey, cell: &ComparisonCell) -> Result<()> {
        let [table, method, scale, k, eps] = names(key).map(str::to_owned);
        let seconds = format!("{:.3e}", cell.seconds);
        append(&self.times, [TimeRow { table, method, scale, k, eps, seconds }])?;
        if let Some(picks) = &self.picks {
            append(picks, picked(key, cell))?;
        }
        append(&self.path, [CellRow::new(key, cell, self.seed)])
    }

    /// Replaces the file by all cells, sorted by their keys.
    pub fn finish(&self, cells: &ComparisonCells) -> Result<()> {
        self.write_picks(cells)?;
        replaced(&self.path, cells.iter().map(|(key, cell)| CellRow::new(key, cell, self.seed)))
    }
}

/// The picks of a cell.
fn picked(key: &CellKey, cell: &ComparisonCell) -> Vec<PickRow> {
    let row = |(feature, times): &(String, u64)| {
        let [table, method, scale, k, eps] = names(key).map(str::to_owned);
        let (feature, times_picked, trials) = (feature.clone(), *times, cell.trials);
        PickRow { table, method, scale, k, eps, feature, times_picked, trials }
    };
    cell.picked.iter().map(row).collect()
}

/// Rows as CSV.
fn lines<R: Serialize>(rows: impl IntoIterator<Item = R>, header: bool) -> Result<Vec<u8>> {
    let mut csv = csv::WriterBuilder::new().has_headers(header).from_writer(Vec::new());
    let written = rows.into_iter().try_for_each(|row| csv.serialize(row));
    let bytes = written.ok().and_then(|()| csv.into_inner().ok());
    bytes.ok_or_else(|| Error::io("the cells cannot be written as CSV"))
}

/// The first line of a file of rows: the names of their fields.
fn header<R: Serialize + Default>() -> Result<Vec<u8>> {
    let mut bytes = lines([R::default()], true)?;
    let end = bytes.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |at| at + 1);
    bytes.truncate(end);
    Ok(bytes)
}

/// Replaces a file by rows.
fn replaced<R: Serialize + Default>(path: &Path, rows: impl IntoIterator<Item = R>) -> Result<()> {
    replace(path, &[header::<R>()?, lines(rows, false)?].concat())
        .map_err(|error| failed(path, &error))
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

/// Adds rows at the end of a file, which begins with the names of their fields.
fn append<R: Serialize + Default>(path: &Path, rows: impl IntoIterator<Item = R>) -> Result<()> {
    let header = if path.exists() { Vec::new() } else { header::<R>()? };
    let bytes = [header, lines(rows, false)?].concat();
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
