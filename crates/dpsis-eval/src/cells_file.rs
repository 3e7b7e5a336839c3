//! A CSV file of cells that grows while a comparison runs, so that an interrupted run can be
//! resumed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use csv::StringRecord;
use dpsis::Result;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::metrics::Estimate;
use crate::results_file::{ResultsFile, header_of};
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

/// A line of the file of cells: its columns have the names of the fields.
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

    /// The cell with its values from other files. `None` if the numbers of rare classes are not all
    /// there.
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

/// A file of cells, a second file of run times, and a third one of picks if they are wanted. Cells
/// and picks are reproducible to the byte; the times are not.
pub struct CellsFile {
    cells: ResultsFile,
    times: ResultsFile,
    picks: Option<ResultsFile>,
    place: (PathBuf, String),
    stamp: (u64, u64),
}

impl CellsFile {
    /// Names the files `name`.csv and `name`-seconds.csv in a folder; nothing is read or written.
    pub fn new(folder: &Path, name: &str, seed: u64, trials: u64) -> Result<Self> {
        let (place, stamp) = ((folder.to_owned(), name.to_owned()), (seed, trials));
        let cells = results::<CellRow>(&place, "", stamp)?;
        let times = results::<TimeRow>(&place, "-seconds", stamp)?;
        Ok(Self { cells, times, picks: None, place, stamp })
    }

    /// Also counts how often each feature was picked, in the file `name`-picks.csv; the cells that
    /// it does not count are run again.
    pub fn with_picks(self) -> Result<Self> {
        let picks = results::<PickRow>(&self.place, "-picks", self.stamp)?;
        Ok(Self { picks: Some(picks), ..self })
    }

    /// Reads the cells that exist already, and removes an incomplete last line from the file.
    ///
    /// # Errors
    ///
    /// `Request` if the cells belong to another seed or number of trials, or the file has other
    /// columns; `Io` if it cannot be read.
    pub fn read(&self) -> Result<ComparisonCells> {
        let mut cells = ComparisonCells::new();
        let seconds: BTreeMap<CellKey, f64> = rows_of::<TimeRow>(&self.times)?
            .into_iter()
            .filter_map(|row| Some((key!(row), row.seconds.parse().ok()?)))
            .collect();
        let mut picks: BTreeMap<CellKey, Vec<(String, u64)>> = BTreeMap::new();
        if let Some(file) = &self.picks {
            for row in rows_of::<PickRow>(file)? {
                picks.entry(key!(row)).or_default().push((row.feature, row.times_picked));
            }
        }
        for row in rows_of::<CellRow>(&self.cells)? {
            let key = key!(row);
            let seconds = seconds.get(&key).copied().unwrap_or(f64::NAN);
            let picked = picks.remove(&key).unwrap_or_default();
            let cell = row.cell(picked, seconds).ok_or_else(|| self.cells.foreign())?;
            let counted: u64 = cell.picked.iter().map(|(_, times)| times).sum();
            if self.picks.is_none() || counted == cell.k as u64 * cell.trials {
                cells.insert(key, cell);
            }
        }
        // The rest was written for cells that were not completed, and will be written again.
        self.write_picks(&cells)?;
        Ok(cells)
    }

    /// Replaces the file of picks by the picks of all cells, if it is wanted.
    fn write_picks(&self, cells: &ComparisonCells) -> Result<()> {
        let Some(picks) = &self.picks else { return Ok(()) };
        picks.replace(cells.iter().flat_map(|(key, cell)| picked(key, cell)))
    }

    /// Appends a cell and its run time.
    pub fn add(&self, key: &CellKey, cell: &ComparisonCell) -> Result<()> {
        let [table, method, scale, k, eps] = names(key).map(str::to_owned);
        let seconds = format!("{:.3e}", cell.seconds);
        self.times.append([TimeRow { table, method, scale, k, eps, seconds }])?;
        if let Some(picks) = &self.picks {
            picks.append(picked(key, cell))?;
        }
        self.cells.append([CellRow::new(key, cell, self.stamp.0)])
    }

    /// Replaces the file by all cells, sorted by their keys.
    pub fn finish(&self, cells: &ComparisonCells) -> Result<()> {
        self.write_picks(cells)?;
        self.cells.replace(cells.iter().map(|(key, cell)| CellRow::new(key, cell, self.stamp.0)))
    }
}

/// The file of these rows whose name ends so.
fn results<R: Serialize + Default>(
    (folder, name): &(PathBuf, String),
    ending: &str,
    stamp: (u64, u64),
) -> Result<ResultsFile> {
    Ok(ResultsFile::new(folder.join(format!("{name}{ending}.csv")), header_of::<R>()?, stamp))
}

fn rows_of<R: DeserializeOwned>(file: &ResultsFile) -> Result<Vec<R>> {
    let row = |row: StringRecord| row.deserialize(Some(file.header()));
    file.read()?
        .into_iter()
        .map(row)
        .collect::<std::result::Result<_, _>>()
        .map_err(|_| file.foreign())
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

fn names(key: &CellKey) -> [&str; 5] {
    [&key.table, &key.method, &key.scale, &key.count, &key.epsilon]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

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
        let file = CellsFile::new(folder.path(), "cells", 1, 10).unwrap();
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

    /// Cells and picks come back as they were; a cell whose picks are not all there is run again,
    /// and the results of a cell that was not completed are dropped.
    #[test]
    fn picks_are_stored_with_the_cells() {
        let folder = tempfile::tempdir().unwrap();
        let file = CellsFile::new(folder.path(), "cells", 1, 10).unwrap().with_picks().unwrap();
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
        CellsFile::new(folder.path(), "cells", 1, 10).unwrap().add(&key, &cell).unwrap();
        assert!(CellsFile::new(folder.path(), "cells", 2, 10).unwrap().read().is_err());
        assert!(CellsFile::new(folder.path(), "cells", 1, 11).unwrap().read().is_err());
        fs::write(folder.path().join("other.csv"), "name,value\n").unwrap();
        assert!(CellsFile::new(folder.path(), "other", 1, 10).unwrap().read().is_err());
    }
}
