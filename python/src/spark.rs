//! Runs whose rows are in the executors of an engine: sums and chunks of record batches there,
//! releases in the driver.

use arrow_array::cast::AsArray;
use dpsis::job::{Answer, Terms};
use dpsis::{Error, ReleasedTarget, Result, SelectOptions};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::columns::read_stream;
use crate::errors::{OrRaise, exception, words};
use crate::job::dict_of;
use crate::partial::Partial;
use crate::table::Table;

/// A hash of the identifier of each row of a table, in their order; `None` for a row without an
/// identifier.
#[pyfunction]
pub(crate) fn identifiers(py: Python<'_>, table: &Table) -> PyResult<Vec<Option<i64>>> {
    let table = table.file()?;
    let hashes = py.detach(|| dpsis::internals::identifiers(table)).or_raise(py)?;
    Ok(hashes.into_iter().map(|hash| hash.map(u64::cast_signed)).collect())
}

/// The chunks of the columns of a table, of this number of features each.
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
        SelectOptions::from_json(options)?.request()?.column_chunks(table, &released, features)
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

/// Selects features of rows that `gather(released, at_center)` sums or scores, stage by stage. A
/// request that does not fit the sums of no rows spends nothing.
#[pyfunction]
pub(crate) fn select_in_parts<'py>(
    py: Python<'py>,
    options: &str,
    terms: &str,
    none: &Partial,
    gather: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyDict>> {
    let request = SelectOptions::from_json(options).and_then(|options| options.request());
    let (request, terms) = (request.or_raise(py)?, Terms::from_json(terms).or_raise(py)?);
    request.check_ref().and_then(|checked| checked.spending(none.0.features())).or_raise(py)?;
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
    let outcome = terms.select_in_parts(&request, ask);
    match (outcome, raised) {
        (Ok(record), _) => dict_of(py, &Answer::of_record(&record, &words).or_raise(py)?),
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

    /// The exception; an exception of the package has the remark of the ledger.
    fn raised(self, py: Python<'_>, error: &Error) -> PyErr {
        if self.own.is_none() {
            return self.raised;
        }
        let raised = exception(py, error);
        let parameters = self.raised.value(py).getattr("parameters");
        // The exception has the same text without them.
        let _ = parameters.and_then(|names| raised.value(py).setattr("parameters", names));
        raised
    }
}
