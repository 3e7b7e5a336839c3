//! Models of what is selected, and their predictions.

use std::fs;
use std::path::PathBuf;

use dpsis::model::Model;
use dpsis::report::{Statement, fit_dry_run as text_of_plan, fit_report, to_json};
use dpsis::{Error, FileTable, FitOptions, FitRecord, FittedModel, Ledger, NotPrivate};
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::{OrRaise, words};
use crate::interruptible::Watch;
use crate::released::warnings;
use crate::table::Table;

/// The result of a fit.
enum Outcome {
    Private(FittedModel),
    NotPrivate(NotPrivate<FitRecord>),
}

/// Selects features of a table and fits a model to them: `record` and `model` (JSON; None if there
/// is none), `report`, `statement`, the `indices` of the features, and the `warnings`. Arguments are
/// those of `select`.
#[pyfunction]
#[pyo3(signature = (table, options, ledger, seed, progress))]
pub(crate) fn fit<'py>(
    py: Python<'py>,
    table: &Table,
    options: &str,
    ledger: Option<(PathBuf, String)>,
    seed: Option<u64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let watch = Watch::default();
    let (stop, report) = (watch.clone(), watch.clone());
    let request = FitOptions::from_json(options).and_then(|options| {
        options.request_with(|select| {
            select
                .cancel_when(move || stop.is_stopped())
                .progress(move |share| report.report(share))
        })
    });
    let request = request.or_raise(py)?;
    let outcome = table.run(py, &watch, progress.as_ref(), |source| {
        Ok(match (seed, &ledger) {
            (Some(seed), _) => Outcome::NotPrivate(request.seed(seed).run(source)?),
            (None, Some((path, note))) => {
                let ledger = Ledger::open(path)?;
                Outcome::Private(request.run_with_ledger(source, &ledger, note)?)
            }
            (None, None) => Outcome::Private(request.run(source)?),
        })
    })?;
    let record: &FitRecord = match &outcome {
        Outcome::Private(fitted) => fitted,
        Outcome::NotPrivate(record) => record,
    };
    let all = PyDict::new(py);
    all.set_item("record", to_json(record).or_raise(py)?)?;
    all.set_item("model", record.model.as_ref().map(Model::to_json).transpose().or_raise(py)?)?;
    all.set_item("report", fit_report(record, words))?;
    all.set_item("statement", to_json(&Statement::of_fit(record)).or_raise(py)?)?;
    all.set_item("indices", record.indices())?;
    all.set_item("warnings", warnings(record.all_warnings()))?;
    Ok(all)
}

/// Plans a fit: see `select_dry_run`.
#[pyfunction]
pub(crate) fn fit_dry_run(
    py: Python<'_>,
    table: &Table,
    options: &str,
    ledger: Option<PathBuf>,
    seed: Option<u64>,
) -> PyResult<(String, String)> {
    let request = FitOptions::from_json(options).and_then(|options| options.request());
    let request = request.or_raise(py)?;
    let plan = table.run(py, &Watch::default(), None, |source| match (seed, ledger) {
        (Some(seed), _) => request.seed(seed).dry_run(source),
        (None, Some(path)) => request.check()?.dry_run_with_ledger(source, &Ledger::open(path)?),
        (None, None) => request.check()?.dry_run(source),
    })?;
    Ok((to_json(&plan).or_raise(py)?, text_of_plan(&plan, words)))
}

/// The predictions of a model, in JSON, for the rows of a table.
#[pyfunction]
pub(crate) fn predict<'py>(
    py: Python<'py>,
    model: &str,
    table: &Table,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let model = Model::from_json(model).or_raise(py)?;
    // New rows need no target: if they have one, it is a column like others.
    let predict = move |table: FileTable| model.predict_table(&table.without_target());
    let predicted = table.read(py, progress.as_ref(), predict)?;
    Ok(predicted.into_pyarray(py))
}

/// The model in a file, as JSON.
#[pyfunction]
pub(crate) fn load_model(py: Python<'_>, path: PathBuf) -> PyResult<String> {
    let text = fs::read_to_string(&path).map_err(|error| Error::cannot_read(&path, &error));
    text.and_then(|text| Model::from_json(&text)?.to_json()).or_raise(py)
}
