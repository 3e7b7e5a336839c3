//! Releases as output checkers and a registry read them.

use std::path::PathBuf;

use dpsis::report::{self, AcroFolder, RegistryFacts, Statement};
use dpsis::{Error, Result};
use pyo3::prelude::*;

use crate::errors::OrRaise;

/// Writes the folder of a release for an output checker: what a record states, as JSON, the number
/// of the output, and its files.
#[pyfunction]
pub(crate) fn write_acro(
    py: Python<'_>,
    path: PathBuf,
    statement: &str,
    number: usize,
    files: Vec<(String, Vec<u8>)>,
) -> PyResult<()> {
    let folder = read(statement).and_then(|stated| AcroFolder::new(&stated, number, files));
    folder.and_then(|folder| folder.write(&path)).or_raise(py)
}

/// The entry of a release in the registry, in YAML, with the fields that are missing; facts are a
/// JSON object.
#[pyfunction]
pub(crate) fn registry_entry(
    py: Python<'_>,
    statement: &str,
    facts: &str,
) -> PyResult<(String, Vec<&'static str>)> {
    let entry = RegistryFacts::from_json(facts)
        .and_then(|facts| report::registry_entry(&read(statement)?, &facts));
    entry.map(|entry| (entry.yaml, entry.missing)).or_raise(py)
}

fn read(statement: &str) -> Result<Statement> {
    serde_json::from_str(statement)
        .map_err(|_| Error::input("the result is of another version of this package"))
}
