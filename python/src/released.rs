//! Records of releases, as the Python side takes them.

use dpsis::Warning;
use dpsis::report::{Reported, report_with, to_html, to_json};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::{OrRaise, words};

/// A record in all its forms: `record` (JSON), `report`, `html`, `statement` (JSON), the `indices`
/// of the picks, and its `warnings`, each with whether the output would mislead without it.
pub(crate) fn released<'py, R: Reported + serde::Serialize>(
    py: Python<'py>,
    record: &R,
    indices: &[usize],
) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    all.set_item("record", to_json(record).or_raise(py)?)?;
    all.set_item("report", report_with(record, words))?;
    all.set_item("html", to_html(record).or_raise(py)?)?;
    all.set_item("statement", to_json(&record.statement()).or_raise(py)?)?;
    all.set_item("indices", indices)?;
    all.set_item("warnings", warnings(record.warnings()))?;
    Ok(all)
}

/// Warnings, each with whether the output would mislead without it.
pub(crate) fn warnings<'a>(all: impl IntoIterator<Item = &'a Warning>) -> Vec<(String, bool)> {
    let told = |one: &Warning| (one.text.clone() + &words(&one.about), one.kind.is_essential());
    all.into_iter().map(told).collect()
}
