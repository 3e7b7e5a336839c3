//! Runs whose rows are in the executors of an engine: sums and chunks of record batches there,
//! releases in the driver.

use std::path::PathBuf;

use arrow_array::cast::AsArray;
use dpsis::{ColumnScore, Error, Ledger, ReleasedTarget, Result, RunNote};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::columns::read_stream;
use crate::errors::{OrRaise, exception};
use crate::released::released;
use crate::select::stated;
use crate::table::Table;

/// The sums of some rows for a stage of a release: not private.
#[pyclass(module = "dpsis._native")]
pub(crate) struct Partial(dpsis::Partial);

#[pymethods]
impl Partial {
    /// The sums of a table, at what was released in the stage before.
    #[staticmethod]
    fn of_table(
        py: Python<'_>,
        table: &Table,
        options: &str,
        released: Option<&str>,
    ) -> PyResult<Self> {
        let table = table.file()?;
        let sums = || -> Result<dpsis::Partial> {
            let released = released.map(ReleasedTarget::from_text).transpose()?;
            stated(options)?.stage_partial(table, released.as_ref())
        };
        py.detach(sums).or_raise(py).map(Self)
    }

    /// The sums that a text holds.
    #[staticmethod]
    fn of_text(py: Python<'_>, text: &str) -> PyResult<Self> {
        dpsis::Partial::from_text(text).or_raise(py).map(Self)
    }

    /// The text of these sums.
    fn text(&self, py: Python<'_>) -> PyResult<String> {
        self.0.to_text().or_raise(py)
    }

    /// Adds the sums of other rows.
    fn add(&mut self, py: Python<'_>, other: &Self) -> PyResult<()> {
        self.0 = self.0.clone().merge(&other.0).or_raise(py)?;
        Ok(())
    }

    /// The places of the columns that the sums are made of, features before the target, from 0.
    fn places(&self) -> (Vec<usize>, Option<usize>) {
        let features = match self.0.stage() {
            dpsis::Stage::Selection => self.0.feature_places().to_vec(),
            _ => Vec::new(),
        };
        (features, self.0.target_place())
    }

    /// The places of all features.
    fn features(&self) -> Vec<usize> {
        self.0.feature_places().to_vec()
    }

    /// The number of rows: private.
    fn rows(&self) -> u64 {
        self.0.rows()
    }

    /// The scores of all columns instead, each text those of some features, in order.
    fn with_columns(&self, py: Python<'_>, released: &str, scores: Vec<String>) -> PyResult<Self> {
        let partial = || -> Result<dpsis::Partial> {
            let mut all: Vec<ColumnScore> = Vec::new();
            for some in &scores {
                let some: Vec<ColumnScore> = serde_json::from_str(some)
                    .map_err(|_| Error::input("the scores of a column are damaged"))?;
                all.extend(some);
            }
            self.0.clone().with_columns(&ReleasedTarget::from_text(released)?, all)
        };
        partial().or_raise(py).map(Self)
    }
}

/// The chunks of the columns of a table, of so many features each.
#[pyfunction]
pub(crate) fn column_chunks<'py>(
    py: Python<'py>,
    table: &Table,
    options: &str,
    released: &str,
    features: usize,
) -> PyResult<Vec<Bound<'py, PyBytes>>> {
    let table = table.file()?;
    let chunks = || -> Result<Vec<Vec<u8>>> {
        let released = ReleasedTarget::from_text(released)?;
        stated(options)?.column_chunks(table, &released, features)
    };
    let chunks = py.detach(chunks).or_raise(py)?;
    Ok(chunks.iter().map(|chunk| PyBytes::new(py, chunk)).collect())
}

/// The scores, as text, of the features whose chunks are the one column of a stream.
#[pyfunction]
pub(crate) fn score_chunks(
    py: Python<'_>,
    released: &str,
    stream: &Bound<'_, PyAny>,
    threads: usize,
) -> PyResult<String> {
    let (_, batches) = read_stream(stream)?;
    let mut chunks: Vec<&[u8]> = Vec::new();
    for batch in &batches {
        let column = batch.column(0);
        match (column.as_binary_opt::<i32>(), column.as_binary_opt::<i64>()) {
            (Some(some), _) => chunks.extend(some.iter().flatten()),
            (_, Some(some)) => chunks.extend(some.iter().flatten()),
            _ => return Err(PyTypeError::new_err("chunks are bytes")),
        }
    }
    let scores = || -> Result<String> {
        let scores = ReleasedTarget::from_text(released)?.score_chunks(chunks, Some(threads))?;
        serde_json::to_string(&scores).map_err(|_| Error::io("scores cannot be written"))
    };
    py.detach(scores).or_raise(py)
}

/// Selects features of rows that `gather(released, at_center)` sums or scores, stage by stage; else
/// as `select`. A request that does not fit the sums of no rows costs nothing.
#[pyfunction]
pub(crate) fn select_in_parts<'py>(
    py: Python<'py>,
    options: &str,
    run_note: (String, String),
    ledger: Option<(PathBuf, String)>,
    seed: Option<u64>,
    none: &Partial,
    gather: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyDict>> {
    let request = stated(options).or_raise(py)?;
    request.check_ref().and_then(|checked| checked.spending(none.0.features())).or_raise(py)?;
    let note = RunNote::new(run_note.0, run_note.1);
    let mut raised = None;
    let ask = |target: Option<&ReleasedTarget>| -> Result<dpsis::Partial> {
        let text = target.map(ReleasedTarget::to_text).transpose()?;
        let at_center = target.is_some_and(ReleasedTarget::has_center);
        let gathered = gather.call1((text, at_center));
        let partial = gathered.and_then(|partial| {
            let partial: PyRef<'_, Partial> = partial.extract()?;
            Ok(partial.0.clone())
        });
        partial.map_err(|error| {
            let meant = Failure::of(py, error);
            let error = meant.error();
            raised = Some(meant);
            error
        })
    };
    let outcome = match (seed, ledger) {
        (Some(seed), _) => {
            let record = request.seed(seed).run_in_parts(ask);
            record.map(|record| {
                let record = record.with_run(note);
                released(py, &record, &record.indices())
            })
        }
        (None, ledger) => {
            let run = || {
                let request = request.check()?;
                match &ledger {
                    Some((path, entry)) => {
                        request.run_in_parts_with_ledger(&Ledger::open(path)?, entry, ask)
                    }
                    None => request.run_in_parts(ask),
                }
            };
            run().map(|selection| {
                let selection = selection.with_run(note);
                released(py, &selection, &selection.indices())
            })
        }
    };
    match (outcome, raised) {
        (Ok(released), _) => released,
        (Err(error), Some(failure)) => Err(failure.raised(py, &error)),
        (Err(error), None) => Err(exception(py, &error)),
    }
}

/// The exception that was raised while sums were gathered.
struct Failure {
    raised: PyErr,
    /// The class and the message of an error of the package.
    own: Option<(String, String)>,
}

impl Failure {
    fn of(py: Python<'_>, raised: PyErr) -> Self {
        let own = || -> PyResult<(String, String)> {
            let message = raised.value(py).getattr("message")?.extract()?;
            Ok((raised.get_type(py).name()?.to_string(), message))
        };
        let own = own().ok();
        Self { raised, own }
    }

    /// The error that a ledger records for it.
    fn error(&self) -> Error {
        match &self.own {
            Some((class, message)) => match class.as_str() {
                "RequestError" => Error::request(message.clone()),
                "InputError" => Error::input(message.clone()),
                _ => Error::io(message.clone()),
            },
            None => Error::canceled(),
        }
    }

    /// The exception; one of the package tells what a ledger has added.
    fn raised(self, py: Python<'_>, error: &Error) -> PyErr {
        if self.own.is_none() {
            return self.raised;
        }
        let told = exception(py, error);
        let parameters = self.raised.value(py).getattr("parameters");
        // Without them the exception says the same.
        let _ = parameters.and_then(|names| told.value(py).setattr("parameters", names));
        told
    }
}
