//! Selections from tables.

use std::path::PathBuf;

use dpsis::report::{dry_run_with, to_json};
use dpsis::{Ledger, NotPrivate, Record, Result, RunNote, Select, SelectOptions, Selection};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::{OrRaise, words};
use crate::interruptible::Watch;
use crate::released::released;
use crate::table::Table;

/// The result of a run.
enum Outcome {
    Private(Selection),
    NotPrivate(NotPrivate<Record>),
}

/// Selects features of a table. `options` is a JSON object, `run_note` the day and the request,
/// `ledger` the file that pays with a note on the entry.
#[pyfunction]
#[pyo3(signature = (table, options, run_note, ledger, seed, progress))]
pub(crate) fn select<'py>(
    py: Python<'py>,
    table: &Table,
    options: &str,
    run_note: (String, String),
    ledger: Option<(PathBuf, String)>,
    seed: Option<u64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let watch = Watch::default();
    let (stop, report) = (watch.clone(), watch.clone());
    let request = stated(options)
        .or_raise(py)?
        .cancel_when(move || stop.is_stopped())
        .progress(move |share| report.report(share));
    let note = RunNote::new(run_note.0, run_note.1);
    let outcome = table.run(py, &watch, progress.as_ref(), |source| {
        Ok(match (seed, &ledger) {
            (Some(seed), _) => Outcome::NotPrivate(request.seed(seed).run(source)?.with_run(note)),
            (None, Some((path, text))) => {
                let ledger = Ledger::open(path)?;
                Outcome::Private(request.run_with_ledger(source, &ledger, text)?.with_run(note))
            }
            (None, None) => Outcome::Private(request.run(source)?.with_run(note)),
        })
    })?;
    match outcome {
        Outcome::Private(selection) => released(py, &selection, &selection.indices()),
        Outcome::NotPrivate(record) => released(py, &record, &record.indices()),
    }
}

/// Plans a selection, of which nothing is drawn or spent: the plan as JSON and as text.
#[pyfunction]
pub(crate) fn select_dry_run(
    py: Python<'_>,
    table: &Table,
    options: &str,
    ledger: Option<PathBuf>,
    seed: Option<u64>,
) -> PyResult<(String, String)> {
    let request = stated(options).or_raise(py)?;
    let plan = table.run(py, &Watch::default(), None, |source| match (seed, ledger) {
        (Some(seed), _) => request.seed(seed).dry_run(source),
        (None, Some(path)) => request.check()?.dry_run_with_ledger(source, &Ledger::open(path)?),
        (None, None) => request.check()?.dry_run(source),
    })?;
    Ok((to_json(&plan).or_raise(py)?, dry_run_with(&plan, words)))
}

/// The request that options make, a JSON object.
pub(crate) fn stated(options: &str) -> Result<Select> {
    SelectOptions::from_json(options)?.request()
}
