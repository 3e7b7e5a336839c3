//! Ledgers.

use std::path::PathBuf;

use dpsis::report::{ledger_html, to_json};
use dpsis::{Delta, Error, Exact, Expense, Ledger, LedgerTerms, Parameter, Result, Unit};
use pyo3::prelude::*;

use crate::errors::OrRaise;

/// Opens the ledger at a path; with a cap, makes one if there is none. `words` are its name and a
/// first note. What is stated of its terms must be what the file says.
#[pyfunction]
pub(crate) fn open_ledger(
    py: Python<'_>,
    path: PathBuf,
    cap: Option<String>,
    words: (Option<String>, Option<String>),
    delta: Option<String>,
    relation: Option<String>,
    protected: Option<String>,
) -> PyResult<()> {
    let (name, note) = words;
    let opened = || -> Result<()> {
        let cap = cap.as_deref().map(str::parse).transpose()?;
        let delta = delta.map(|stated| Delta::try_from(Exact::from(stated))).transpose()?;
        let relation = relation.as_deref().map(str::parse).transpose()?;
        let protected = protected.as_deref().map(str::parse).transpose()?;
        if !path.exists() {
            let Some(cap) = &cap else {
                let rule = "there is no ledger at this path: dpsis.Ledger(path, cap=...) makes one";
                return Err(Error::io(rule).about([Parameter::Ledger]).or_near_file(&path));
            };
            let mut terms = LedgerTerms::new(dpsis::Epsilon::clone(cap));
            terms = terms.name(name.as_deref().unwrap_or_default());
            terms = terms.delta(delta.clone().unwrap_or_else(Delta::zero));
            terms = terms.neighbors(relation.unwrap_or_default());
            terms = terms.unit(protected.unwrap_or(Unit::Row));
            match Ledger::create_with_note(&path, terms, note.as_deref().unwrap_or_default()) {
                Ok(_) => return Ok(()),
                // Another process may have made it since.
                Err(error) if !path.exists() => return Err(error),
                Err(_) => {}
            }
        }
        let terms = Ledger::open(&path)?.read()?.terms;
        let differs = [
            ("cap", cap.is_some_and(|stated| stated != terms.cap)),
            ("name", name.is_some_and(|stated| stated != terms.name)),
            ("delta", delta.is_some_and(|stated| stated != terms.delta)),
            ("unit", protected.is_some_and(|stated| stated != terms.unit)),
            ("neighbor relation", relation.is_some_and(|stated| stated != terms.neighbors)),
        ];
        match differs.iter().find(|(_, differs)| *differs) {
            None => Ok(()),
            Some((what, _)) => {
                let rule = format!("the ledger at this path has another {what}, which is fixed");
                Err(Error::request(rule).about([Parameter::Ledger]))
            }
        }
    };
    opened().or_raise(py)
}

/// Refuses a selection that the ledger at a path could not pay for now; nothing is spent.
#[pyfunction]
pub(crate) fn check_ledger(
    py: Python<'_>,
    path: PathBuf,
    epsilon: &str,
    delta: Option<String>,
    relation: &str,
    protected: &str,
) -> PyResult<()> {
    let checked = || -> Result<()> {
        let delta = delta.map(|stated| Delta::try_from(Exact::from(stated))).transpose()?;
        let expense = Expense::new(epsilon.parse()?, "select")
            .delta(delta.unwrap_or_else(Delta::zero))
            .neighbors(relation.parse()?)
            .unit(protected.parse()?);
        Ledger::open(&path)?.check(&expense)
    };
    checked().or_raise(py)
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
