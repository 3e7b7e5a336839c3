//! Jobs of the library, and predictions of models.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;

use dpsis::job::{Answer, Job, Watch};
use dpsis::model::Model;
use dpsis::report::{Heading, SavedRecord, to_html_with};
use dpsis::{Error, FileTable};
use dpsis_eval::run_job;
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::{OrRaise, words_by};
use crate::interruptible::run;
use crate::table::Table;

/// Runs a job in JSON on a table, if there is one; a power analysis is written to the folder
/// `output`. `names` are other names for arguments, in warnings and the report. See
/// [`dict_of`] for the answer; `interrupt` is the exception of a signal that came when it was
/// ready.
#[pyfunction]
#[pyo3(signature = (job, table=None, progress=None, output=None, names=HashMap::new()))]
pub(crate) fn run_job_on<'py>(
    py: Python<'py>,
    job: &str,
    table: Option<&Table>,
    progress: Option<Py<PyAny>>,
    output: Option<PathBuf>,
    names: HashMap<String, String>,
) -> PyResult<Bound<'py, PyDict>> {
    let watch = Watch::default();
    let job =
        Job::from_json(job).or_raise(py)?.words(move |all| words_by(all, &names)).watched(&watch);
    let answer = match table {
        Some(table) => {
            table.run(py, &watch, progress.as_ref(), |source| run_job(&job, None, Some(source)))
        }
        None => {
            run(py, &watch, progress.as_ref(), || run_job(&job, output.as_deref(), None::<&str>))
        }
    };
    let (answer, signal) = answer?;
    let all = dict_of(py, &answer)?;
    all.set_item("interrupt", signal.map(|signal| signal.into_value(py)))?;
    Ok(all)
}

/// Refuses a job in JSON that would exceed the ledger of its terms now; nothing is spent.
#[pyfunction]
pub(crate) fn check_ledger(py: Python<'_>, job: &str) -> PyResult<()> {
    Job::from_json(job).and_then(|job| job.check_ledger()).or_raise(py)
}

/// An answer as a dictionary: `private`, `names`, `indices` from 0, `json`, `report`,
/// `statement`, `model`, `remaining`, and the `warnings`, each with whether the answer would
/// mislead without it.
pub(crate) fn dict_of<'py>(py: Python<'py>, answer: &Answer) -> PyResult<Bound<'py, PyDict>> {
    let warnings: Vec<(&str, bool)> =
        answer.warnings.iter().map(|one| (one.text.as_str(), one.essential)).collect();
    let all = PyDict::new(py);
    all.set_item("private", answer.private)?;
    all.set_item("names", &answer.names)?;
    all.set_item("indices", &answer.indices)?;
    all.set_item("json", &answer.json)?;
    all.set_item("report", &answer.report)?;
    all.set_item("statement", &answer.statement)?;
    all.set_item("model", &answer.model)?;
    all.set_item("remaining", &answer.remaining)?;
    all.set_item("warnings", warnings)?;
    Ok(all)
}

/// A heading of title, study and contact.
pub(crate) fn heading_of((title, study, contact): (String, String, String)) -> Heading {
    Heading { title, study, contact }
}

/// The page of a record or a model in JSON, with a title, the study and the contact.
#[pyfunction]
pub(crate) fn page(
    py: Python<'_>,
    json: &str,
    heading: (String, String, String),
) -> PyResult<String> {
    let page = || to_html_with(&SavedRecord::from_json(json)?, &heading_of(heading));
    page().or_raise(py)
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
