//! A power analysis, before any data are touched.

use std::path::PathBuf;

use dpsis::Result;
use dpsis::forecast::PlanOptions;
use dpsis::report::{plan as text, to_json};
use dpsis_eval::{OutputFolder, write_plan};
use extendr_api::prelude::*;

use crate::errors::found_or_error;
use crate::interruptible::{Watch, run};
use crate::released::read;

extendr_module! {
    mod plan;
    fn plan;
}

/// Plans a selection by options in JSON: the record as `json` and as `report`.
#[extendr]
fn plan(options: &str, output: &str, look: Function) -> List {
    found_or_error(planned(options, output, &look))
}

fn planned(options: &str, output: &str, look: &Function) -> Result<List> {
    let options = PlanOptions::from_json(options)?;
    options.check()?;
    let output: Option<PathBuf> = read(output)?;
    let watch = Watch::default();
    let record = run(&watch, look, || {
        let folder = output.as_deref().map(|path| OutputFolder::open(path, "plan")).transpose()?;
        let record = options.run(&|share| watch.step(share))?;
        if let Some(folder) = &folder {
            write_plan(&record, folder)?;
        }
        Ok(record)
    })?;
    Ok(list!(json = to_json(&record)?, report = text(&record)))
}
