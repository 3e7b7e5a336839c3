//! Errors of the library as exceptions of the package, in Python's words.

use std::collections::HashMap;

use dpsis::{Error, ErrorKind, Parameter, in_parentheses};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

/// The names of arguments for parameters, each once.
fn arguments(all: &[Parameter]) -> Vec<&'static str> {
    let mut names = Parameter::arguments(all, "dpsis.inspect");
    // A name that is a keyword of Python ends in an underscore.
    names.iter_mut().filter(|name| **name == "lambda").for_each(|name| *name = "lambda_");
    names
}

/// The names of arguments in parentheses, after a blank; empty without arguments.
pub(crate) fn words(all: &[Parameter]) -> String {
    in_parentheses(&arguments(all))
}

/// The same with other names for some arguments.
pub(crate) fn words_by(all: &[Parameter], names: &HashMap<String, String>) -> String {
    let name = |own: &'static str| names.get(own).map_or(own, String::as_str);
    in_parentheses(&arguments(all).into_iter().map(name).collect::<Vec<&str>>())
}

/// Whether each column is excluded, by its name or by a pattern.
#[pyfunction]
pub(crate) fn are_excluded(
    py: Python<'_>,
    names: Vec<String>,
    exclude: Vec<String>,
) -> PyResult<Vec<bool>> {
    dpsis::internals::are_excluded(&names, &exclude).or_raise(py)
}

/// The names that are close to a mistyped one, the closest first.
#[pyfunction]
pub(crate) fn near(known: Vec<String>, name: &str) -> Vec<String> {
    dpsis::internals::near(&known, name).into_iter().map(str::to_owned).collect()
}

/// The exception for an error.
pub(crate) fn exception(py: Python<'_>, error: &Error) -> PyErr {
    let class = match error.kind() {
        ErrorKind::Request => "RequestError",
        ErrorKind::Input => "InputError",
        ErrorKind::Budget => "BudgetExceeded",
        ErrorKind::Canceled => return PyKeyboardInterrupt::new_err(error.to_string()),
        _ => "ReadError",
    };
    let (row, column) = error.place().map_or((None, None), |place| (place.row, place.column));
    let arguments = (error.to_string(), arguments(error.parameters()), row, column);
    let made = py
        .import("dpsis._errors")
        .and_then(|module| module.getattr(class))
        .and_then(|class| class.call1(arguments));
    match made {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}

/// Turns the error of a result into an exception.
pub(crate) trait OrRaise<T> {
    /// The value, or the exception for its error.
    fn or_raise(self, py: Python<'_>) -> PyResult<T>;
}

impl<T> OrRaise<T> for dpsis::Result<T> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|error| exception(py, &error))
    }
}
