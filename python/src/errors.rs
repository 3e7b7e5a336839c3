//! Errors of the library as exceptions of the package, in Python's words.

use dpsis::{Error, ErrorKind, Parameter};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

/// The parameter of the package that states a parameter of the library; empty if there is none.
pub(crate) fn parameter(parameter: Parameter) -> &'static str {
    match parameter {
        Parameter::TargetIndex => "target",
        Parameter::BoundsFile => "bounds",
        Parameter::Inspect => "dpsis.inspect",
        // Of the command line alone.
        Parameter::Advice | Parameter::SiteKey | Parameter::Roster => "",
        _ => parameter.name(),
    }
}

/// The names of parameters, each once.
pub(crate) fn parameters(all: &[Parameter]) -> Vec<&'static str> {
    let mut names: Vec<&str> = Vec::new();
    for name in all.iter().map(|one| parameter(*one)) {
        if !name.is_empty() && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The names of parameters in parentheses, behind a blank; empty if there are none.
pub(crate) fn words(all: &[Parameter]) -> String {
    match parameters(all) {
        names if names.is_empty() => String::new(),
        names => format!(" ({})", names.join(", ")),
    }
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
    let arguments = (error.to_string(), parameters(error.parameters()), row, column);
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
