//! Selections from tables.

use std::path::PathBuf;

use dpsis::{
    Ledger, NotPrivate, Record, Result, RunNote, Select, SelectOptions, Selection, Source,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::OrRaise;
use crate::interruptible::{Watch, run};
use crate::released::released;
use crate::table::{Content, Table};

/// The result of a run.
enum Outcome {
    Private(Selection),
    NotPrivate(NotPrivate<Record>),
}

/// The ledger that pays, with a note; the seed; and the note on the run in the record.
struct Terms {
    ledger: Option<(PathBuf, String)>,
    seed: Option<u64>,
    note: RunNote,
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
    let terms = Terms { ledger, seed, note: RunNote::new(run_note.0, run_note.1) };
    let outcome = match &table.0 {
        Content::File(file) => run(py, &watch, progress.as_ref(), || go(request, file, terms)),
        Content::F64(matrix) => {
            matrix.with(py, |x| run(py, &watch, progress.as_ref(), || go(request, x, terms)))
        }
        Content::F32(matrix) => {
            matrix.with(py, |x| run(py, &watch, progress.as_ref(), || go(request, x, terms)))
        }
    };
    match outcome? {
        Outcome::Private(selection) => released(py, &selection, &selection.indices()),
        Outcome::NotPrivate(record) => released(py, &record, &record.indices()),
    }
}

/// The request that options make, a JSON object.
pub(crate) fn stated(options: &str) -> Result<Select> {
    SelectOptions::from_json(options)?.request()
}

fn go(request: Select, table: &(impl Source + ?Sized), terms: Terms) -> Result<Outcome> {
    if let Some(seed) = terms.seed {
        let record = request.seed(seed).run(table)?;
        return Ok(Outcome::NotPrivate(record.with_run(terms.note)));
    }
    let selection = match &terms.ledger {
        Some((path, note)) => request.run_with_ledger(table, &Ledger::open(path)?, note)?,
        None => request.run(table)?,
    };
    Ok(Outcome::Private(selection.with_run(terms.note)))
}
