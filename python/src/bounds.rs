//! Bounds from public reference tables.

use dpsis_eval::datasets::{Clip, PublicTable, bounds as compute};
use pyo3::prelude::*;

use crate::errors::OrRaise;
use crate::interruptible::{Watch, run_detached};
use crate::table::Table;

/// The range of each feature of a public table: name, low, high.
#[pyfunction]
pub(crate) fn bounds(
    py: Python<'_>,
    table: &Table,
    clip: &str,
    no_target: bool,
) -> PyResult<Vec<(String, f64, f64)>> {
    let clip: Clip = clip.parse().or_raise(py)?;
    let mut table = table.file()?.clone();
    if no_target {
        table = table.without_target();
    }
    run_detached(py, &Watch::default(), None, move || {
        let table = PublicTable::read(&table)?;
        let ranges = compute(&table, &clip)?;
        let ranges = ranges.iter().map(|range| (range.low(), range.high()));
        Ok(table.features.into_iter().zip(ranges).map(|(n, (low, high))| (n, low, high)).collect())
    })
}
