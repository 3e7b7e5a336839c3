//! Looks at tables, which are not private.

use dpsis::inspect::inspect as look;
use dpsis::{Parameter, SelectOptions, Target, TargetColumn};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::{OrRaise, parameters, words};
use crate::table::Table;

/// Inspects a table: `findings` (topic, text with its parameters, whether it is odd), `rows`,
/// `columns`, and `suggestion`, the arguments of a selection.
#[pyfunction]
pub(crate) fn inspect<'py>(
    py: Python<'py>,
    table: &Table,
    options: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let options = SelectOptions::from_json(options).or_raise(py)?;
    let target = options.target.kind().or_raise(py)?;
    let inspection =
        table.read(py, progress.as_ref(), move |table| look(&table, target.as_ref()))?;
    let findings: Vec<_> = inspection
        .findings
        .iter()
        .map(|one| (one.topic, one.text.clone() + &words(&one.about), one.odd))
        .collect();
    let suggestion = PyDict::new(py);
    let found = &inspection.suggestion;
    match &found.facts.target {
        TargetColumn::Named(name) => suggestion.set_item("target", name)?,
        TargetColumn::At(place) => suggestion.set_item("target", place.saturating_sub(1))?,
        TargetColumn::Last => {}
    }
    match &found.target {
        Target::Classes(labels) => suggestion.set_item("classes", labels)?,
        Target::TimeToEvent(events) => {
            suggestion.set_item("time", events.time())?;
            suggestion.set_item("event", (events.event(), events.value()))?;
            suggestion.set_item("by", events.by())?;
        }
        Target::Bounded(range) => {
            suggestion.set_item("target_bounds", (range.low(), range.high()))?;
        }
        _ => {}
    }
    if let Some(id) = &found.facts.id {
        suggestion.set_item("id", id)?;
    }
    if let Some(unit) = &found.facts.unit {
        suggestion.set_item(if found.is_paired { "paired" } else { "unit" }, unit)?;
    }
    for (parameter, values) in
        [(Parameter::Exclude, &found.facts.exclude), (Parameter::Missing, &found.facts.missing)]
    {
        if !values.is_empty() {
            suggestion.set_item(parameters(&[parameter])[0], values)?;
        }
    }
    let all = PyDict::new(py);
    all.set_item("rows", inspection.rows)?;
    all.set_item("columns", inspection.columns)?;
    all.set_item("features", found.features)?;
    all.set_item("undecided", !found.open.is_empty())?;
    all.set_item("findings", findings)?;
    all.set_item("suggestion", suggestion)?;
    Ok(all)
}
