//! Joint costs of releases, enumerations of mechanisms, and audits.

use dpsis::job::Watch;
use dpsis::report::{Quantity, Releases, audit as findings, to_json, verification};
use dpsis::verify::{Claim, Tally, VerifyOptions};
use dpsis::{Delta, Exact, Result};
use pyo3::prelude::*;

use crate::errors::OrRaise;
use crate::interruptible::run_detached;

/// Prices releases, each an event, the name of a file, or a record in JSON with the name that
/// errors call it: the account as JSON and as text. Epsilon is computed at `delta`, unless an
/// epsilon is given.
#[pyfunction]
pub(crate) fn account(
    py: Python<'_>,
    releases: Vec<(String, Option<String>)>,
    delta: String,
    epsilon: Option<String>,
) -> PyResult<(String, String)> {
    run_detached(py, &Watch::default(), None, move || {
        let mut all = Releases::default();
        for (name, record) in &releases {
            match record {
                Some(json) => all.add_record(name, json)?,
                None => all.add(name)?,
            }
        }
        let account = all.account(match epsilon {
            Some(epsilon) => Quantity::Delta(epsilon.parse()?),
            None => Quantity::Epsilon(Delta::try_from(Exact::from(delta))?),
        })?;
        Ok((to_json(&account)?, account.text()))
    })
}

/// Enumerates a mechanism, by options as JSON: the result as JSON and as text, and whether the
/// claim holds.
#[pyfunction]
pub(crate) fn verify(
    py: Python<'_>,
    options: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<(String, String, bool)> {
    let watch = Watch::default();
    let steps = watch.clone();
    let options = VerifyOptions::from_json(options).or_raise(py)?;
    run_detached(py, &watch, progress.as_ref(), move || {
        let found = options.check(|share| steps.report(share))?;
        Ok((to_json(&found)?, verification(&found), found.holds()))
    })
}

/// Judges a claim by the outcomes of runs on two neighboring tables, pair by pair: the audit as
/// JSON and as text, and whether the outcomes are consistent with the claim.
#[pyfunction]
pub(crate) fn audit(
    py: Python<'_>,
    epsilon: &str,
    delta: f64,
    outcomes: Vec<(String, String)>,
) -> PyResult<(String, String, bool)> {
    let judged = || -> Result<_> {
        let claim = Claim::new(epsilon.parse()?).delta(delta)?;
        let mut tally = Tally::new();
        for (first, second) in outcomes {
            tally.add(false, first);
            tally.add(true, second);
        }
        let found = tally.judge(&claim);
        Ok((to_json(&found)?, findings(&found), found.consistent))
    };
    judged().or_raise(py)
}
