//! Releases as output checkers read them.

use std::path::PathBuf;

use dpsis::report::{AcroFolder, Statement};
use dpsis::{Error, Result};
use pyo3::prelude::*;

use crate::errors::OrRaise;

/// Writes the folder of a release for an output checker: the content of a record, as JSON, the
/// number of the output, and its files.
#[pyfunction]
pub(crate) fn write_acro(
    py: Python<'_>,
    path: PathBuf,
    statement: &str,
    number: usize,
    files: Vec<(String, Vec<u8>)>,
) -> PyResult<()> {
    let folder = read(statement).and_then(|given| AcroFolder::new(&given, number, files));
    folder.and_then(|folder| folder.write(&path)).or_raise(py)
}

fn read(statement: &str) -> Result<Statement> {
    serde_json::from_str(statement)
        .map_err(|_| Error::input("the result is of another version of this package"))
}
