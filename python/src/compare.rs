//! Comparisons of methods on public tables.

use std::path::PathBuf;
use std::sync::Arc;

use dpsis::internals::checked_threads;
use dpsis::job::Watch;
use dpsis::method::Lasso;
use dpsis::{Bounds, Error, FileTable, Parameter, Result, Target};
use dpsis_eval::datasets::PublicTable;
use dpsis_eval::{
    Arm, ArmScale, ComparisonCells, Count, LazyStudy, OutputFolder, Settled, Study, Sweep,
    compare as run_sweep, labels_of, summary,
};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::interruptible::run_detached;
use crate::table::Table;

/// The options of a comparison; numbers that are read exactly come as text.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Options {
    methods: Vec<String>,
    scales: Vec<String>,
    epsilons: Vec<String>,
    /// Numbers of features to select; 0 means the logarithm of the number of features.
    counts: Vec<usize>,
    trials: u64,
    penalty: f64,
    bounds: Option<Clip>,
    classes: Option<Vec<String>>,
    /// Whether the target of each table is one of the labels that it holds.
    labels: bool,
    target_bounds: Option<(f64, f64)>,
    output: PathBuf,
    seed: u64,
    threads: Option<usize>,
}

#[derive(FromPyObject)]
enum Clip {
    All((f64, f64)),
    File(PathBuf),
}

/// Compares methods on tables by name: the cells and a summary as text.
#[pyfunction]
pub(crate) fn compare<'py>(
    py: Python<'py>,
    tables: Vec<(String, Bound<'py, Table>)>,
    options: Options,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Bound<'py, PyList>, String)> {
    let files = tables.iter().map(|(name, table)| Ok((name.clone(), table.get().file()?.clone())));
    let files = files.collect::<PyResult<Vec<(String, FileTable)>>>()?;
    let watch = Watch::default();
    let steps = watch.clone();
    let (cells, text) = run_detached(py, &watch, progress.as_ref(), move || {
        let sweep = options.sweep()?;
        let target = options.target()?;
        Lasso::new(options.penalty)?;
        let mut studies = Vec::new();
        for (name, file) in &files {
            steps.step(0.0)?;
            studies.push(options.study(name, file, &target, &sweep)?);
        }
        let folder = OutputFolder::open(&options.output, "compare")?;
        let cells = run_sweep(&sweep, &studies, &folder, &|share| steps.step(share))?;
        let text = summary(&cells, &options.output);
        Ok((cells, text))
    })?;
    Ok((rows(py, &cells)?, text))
}

impl Options {
    fn sweep(&self) -> Result<Sweep> {
        let given = match &self.bounds {
            Some(Clip::All((low, high))) => {
                let bounds = Bounds::new(*low, *high)?;
                Some(ArmScale::Bounds(bounds.low(), bounds.high()))
            }
            Some(Clip::File(path)) => Some(ArmScale::BoundsFile(path.clone())),
            None => None,
        };
        let mut arms = Vec::new();
        for scale in &self.scales {
            for method in &self.methods {
                let arm = Arm::parse(method, ArmScale::parse(scale, given.clone())?)?;
                if !arms.contains(&arm) {
                    arms.push(arm);
                }
            }
        }
        if self.trials == 0 {
            return Err(Error::request("there must be at least one trial"));
        }
        let count = |k: &usize| if *k == 0 { Count::Log } else { Count::Number(*k) };
        Ok(Sweep {
            arms,
            counts: self.counts.iter().map(count).collect(),
            epsilons: self.epsilons.iter().map(|one| one.parse()).collect::<Result<_>>()?,
            trials: self.trials,
            seed: self.seed,
            threads: checked_threads(self.threads)?,
        })
    }

    fn target(&self) -> Result<Target> {
        Ok(match (&self.classes, self.target_bounds) {
            (Some(labels), _) => Target::Classes(labels.clone()),
            (_, Some((low, high))) => Target::Bounded(Bounds::new(low, high)?),
            _ => Target::Numeric,
        })
    }

    /// Reads a table, and checks the sweep against it.
    fn study(
        &self,
        name: &str,
        file: &FileTable,
        target: &Target,
        sweep: &Sweep,
    ) -> Result<LazyStudy<'static>> {
        let table = PublicTable::read(file)?;
        let target = if self.labels { labels_of(&table) } else { target.clone() };
        let settled = Arc::new(Settled::of(table, target)?);
        let d = settled.table.features.len();
        for k in sweep.counts.iter().map(|count| count.of(d)) {
            if k > d {
                let rule = format!("{name} has {d} features, fewer than k = {k}");
                return Err(Error::request(rule).about([Parameter::K]));
            }
            sweep.arms.iter().try_for_each(|arm| arm.check(k))?;
        }
        let (penalty, seed) = (self.penalty, self.seed);
        let data = settled.fingerprint(penalty);
        let (own, name) = (name.to_owned(), name.to_owned());
        let read = move || Study::new(&own, Settled::clone(&settled), penalty, seed);
        Ok(LazyStudy { name, data, read: Box::new(read) })
    }
}

/// The cells as dictionaries.
fn rows<'py>(py: Python<'py>, cells: &ComparisonCells) -> PyResult<Bound<'py, PyList>> {
    let rows = PyList::empty(py);
    for (key, cell) in cells {
        let row = PyDict::new(py);
        row.set_item("table", &key.table)?;
        row.set_item("method", &key.method)?;
        row.set_item("scale", &key.scale)?;
        row.set_item("k", cell.k)?;
        row.set_item("epsilon", key.epsilon.parse::<f64>().unwrap_or(f64::NAN))?;
        row.set_item("trials", cell.trials)?;
        row.set_item("lasso", cell.lasso.mean)?;
        row.set_item("overlap", cell.overlap.mean)?;
        row.set_item("model", cell.model.mean)?;
        row.set_item("baseline", cell.baseline)?;
        row.set_item("lasso_model", cell.lasso_model)?;
        row.set_item("seconds", cell.seconds)?;
        rows.append(row)?;
    }
    Ok(rows)
}
