//! Ledgers.

use std::path::PathBuf;

use dpsis::report::{ledger_html, to_json};
use dpsis::{Ledger, LedgerOptions};
use pyo3::prelude::*;

use crate::errors::OrRaise;

/// Opens the ledger of options in JSON, or creates it.
#[pyfunction]
pub(crate) fn open_ledger(py: Python<'_>, options: &str) -> PyResult<()> {
    LedgerOptions::from_json(options).and_then(|it| it.open()).map(|_| ()).or_raise(py)
}

/// The content of a ledger as JSON, the epsilon spent, the epsilon left, and a page of all.
#[pyfunction]
pub(crate) fn read_ledger(
    py: Python<'_>,
    path: PathBuf,
) -> PyResult<(String, String, String, String)> {
    let balance = Ledger::open(path).and_then(|ledger| ledger.read()).or_raise(py)?;
    let page = ledger_html(&balance);
    Ok((to_json(&balance).or_raise(py)?, balance.spent(), balance.left(), page))
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
