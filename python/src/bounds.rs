//! Bounds and weights from public tables.

use dpsis::{Rehearsal, SelectOptions};
use dpsis_eval::datasets::{Clip, PublicTable, bounds as compute};
use pyo3::prelude::*;

use crate::errors::OrRaise;
use crate::table::Table;

/// The range of each feature of a public table: name, low, high.
#[pyfunction]
pub(crate) fn bounds(
    py: Python<'_>,
    table: &Table,
    clip: &str,
    no_target: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<Vec<(String, f64, f64)>> {
    let clip: Clip = clip.parse().or_raise(py)?;
    table.read(py, progress.as_ref(), move |mut table| {
        if no_target {
            table = table.without_target();
        }
        let table = PublicTable::read(&table)?;
        let ranges = compute(&table, &clip)?;
        let ranges = ranges.iter().map(|range| (range.low(), range.high()));
        Ok(table.features.into_iter().zip(ranges).map(|(n, (low, high))| (n, low, high)).collect())
    })
}

/// The weight of each feature by its association in a public table: name, weight.
#[pyfunction]
pub(crate) fn weights(
    py: Python<'_>,
    table: &Table,
    options: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<Vec<(String, f64)>> {
    let request = SelectOptions::from_json(options).and_then(|options| options.request());
    let request = request.or_raise(py)?;
    table.read(py, progress.as_ref(), move |table| {
        Ok(Rehearsal::new(request, &table)?.feature_weights()?.into_inner())
    })
}
