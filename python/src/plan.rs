//! A power analysis, before any data are touched.

use std::path::PathBuf;

use dpsis::forecast::PlanOptions;
use dpsis::report::{plan as text, to_json};
use dpsis_eval::{OutputFolder, write_plan};
use pyo3::prelude::*;

use crate::errors::OrRaise;
use crate::interruptible::{Watch, run_detached};

/// Plans a selection by a JSON object of options: the record as JSON and as text.
#[pyfunction]
pub(crate) fn plan(
    py: Python<'_>,
    options: &str,
    output: Option<PathBuf>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(String, String)> {
    let options = PlanOptions::from_json(options).and_then(|options| {
        options.check()?;
        Ok(options)
    });
    let options = options.or_raise(py)?;
    let watch = Watch::default();
    let steps = watch.clone();
    run_detached(py, &watch, progress.as_ref(), move || {
        let folder = output.as_deref().map(|path| OutputFolder::open(path, "plan")).transpose()?;
        let record = options.run(&|share| steps.step(share))?;
        if let Some(folder) = &folder {
            write_plan(&record, folder)?;
        }
        Ok((to_json(&record)?, text(&record)))
    })
}
