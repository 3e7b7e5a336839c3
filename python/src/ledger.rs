//! Ledgers.

use std::path::PathBuf;

use dpsis::report::{to_html_with, to_json};
use dpsis::{Ledger, LedgerOptions};
use pyo3::prelude::*;

use crate::errors::OrRaise;
use crate::job::heading_of;

/// Opens the ledger of options in JSON, or creates it.
#[pyfunction]
pub(crate) fn open_ledger(py: Python<'_>, options: &str) -> PyResult<()> {
    LedgerOptions::from_json(options).and_then(|it| it.open()).map(|_| ()).or_raise(py)
}

/// The content of a ledger as JSON, the epsilon spent, and the epsilon left.
#[pyfunction]
pub(crate) fn read_ledger(py: Python<'_>, path: PathBuf) -> PyResult<(String, String, String)> {
    let balance = Ledger::open(path).and_then(|ledger| ledger.read()).or_raise(py)?;
    Ok((to_json(&balance).or_raise(py)?, balance.spent(), balance.left()))
}

/// The page of a ledger, with a title, the study and the contact.
#[pyfunction]
pub(crate) fn ledger_page(
    py: Python<'_>,
    path: PathBuf,
    heading: (String, String, String),
) -> PyResult<String> {
    let page = || to_html_with(&Ledger::open(path)?.read()?, &heading_of(heading));
    page().or_raise(py)
}

/// Appends a note.
#[pyfunction]
pub(crate) fn note_ledger(py: Python<'_>, path: PathBuf, words: &str) -> PyResult<()> {
    Ledger::open(path).and_then(|ledger| ledger.note(words)).or_raise(py)
}

/// Closes a ledger.
#[pyfunction]
pub(crate) fn close_ledger(py: Python<'_>, path: PathBuf, words: &str) -> PyResult<()> {
    Ledger::open(path).and_then(|ledger| ledger.close(words)).or_raise(py)
}
