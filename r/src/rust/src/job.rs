//! Jobs of the library, and predictions of models.

use std::fs;
use std::path::PathBuf;

use dpsis::internals::are_excluded;
use dpsis::job::{Answer, Job, Watch};
use dpsis::model::Model;
use dpsis::report::{Heading, SavedRecord, to_html_with};
use dpsis::{Error, Ledger, Result};
use dpsis_eval::run_job;
use extendr_api::prelude::*;

use crate::errors::{found_or_error, words};
use crate::table::Table;

extendr_module! {
    mod job;
    fn job;
    fn report_page;
    fn predict;
    fn excluded;
    fn load_model;
}

/// Runs a job in JSON on a table, if there is one; a power analysis is written to the folder
/// `output`, unless that is empty. `look` gets the share of the work that is done, and returns
/// whether to go on.
#[extendr]
fn job(json: &str, data: Robj, x: Robj, output: &str, look: Function) -> List {
    let watch = Watch::default();
    let run = || -> Result<Answer> {
        let job = Job::from_json(json)?.words(words).watched(&watch);
        let output = (!output.is_empty()).then(|| PathBuf::from(output));
        let table = if data.is_null() { None } else { Some(Table::new(&data, &x)?) };
        let work = || match &table {
            None => run_job(&job, output.as_deref(), None::<&str>),
            Some(Table::File(file)) => run_job(&job, None, Some(file)),
            Some(Table::Matrix(matrix)) => run_job(&job, None, Some(matrix)),
        };
        watch.run(going_on(&look), work)
    };
    found_or_error(run().map(|answer| list_of(&answer, watch.is_stopped())))
}

/// An answer as a list of R, and whether an interrupt came when it was ready; places are counted
/// from 1.
fn list_of(answer: &Answer, interrupted: bool) -> List {
    let texts: Vec<&str> = answer.warnings.iter().map(|one| one.text.as_str()).collect();
    let essential: Vec<bool> = answer.warnings.iter().map(|one| one.essential).collect();
    let text = |text: &Option<String>| text.as_ref().map_or_else(|| r!(NULL), |text| r!(text));
    list!(
        private = answer.private,
        names = answer.names.clone(),
        indices = answer.indices.iter().map(|index| *index as f64 + 1.0).collect::<Vec<f64>>(),
        json = answer.json.as_str(),
        report = answer.report.as_str(),
        model = text(&answer.model),
        remaining = text(&answer.remaining),
        warnings = texts,
        essential = essential,
        interrupted = interrupted
    )
}

/// Calls R's function `look`, on R's own thread.
fn going_on(look: &Function) -> impl FnMut(f64) -> bool {
    move |share| look.call(pairlist!(share)).ok().and_then(|answer| answer.as_bool()) == Some(true)
}

/// The page of a record or a model in JSON, or of the ledger in a file.
#[extendr]
fn report_page(json: &str, ledger: &str, title: &str, study: &str, contact: &str) -> List {
    let [title, study, contact] = [title, study, contact].map(str::to_owned);
    let heading = Heading { title, study, contact };
    let page = || match ledger {
        "" => to_html_with(&SavedRecord::from_json(json)?, &heading),
        path => to_html_with(&Ledger::open(path)?.read()?, &heading),
    };
    found_or_error(page().map(|page| list!(page = page)))
}

/// The predictions of a model, in JSON, for the rows of a table.
#[extendr]
fn predict(model: &str, data: Robj, x: Robj, look: Function) -> List {
    let predicted = || {
        let model = Model::from_json(model)?;
        // New rows need no target: if they have one, it is a column like others.
        let table = Table::new(&data, &x)?.file()?.without_target();
        let watch = Watch::default();
        let predicted = watch.run(going_on(&look), || model.predict_table(&table))?;
        watch.step(1.0)?;
        Ok(list!(predicted = predicted))
    };
    found_or_error(predicted())
}

/// Whether each column is excluded, by its name or by a pattern.
#[extendr]
fn excluded(names: Vec<String>, patterns: Vec<String>) -> List {
    let excluded = are_excluded(&names, &patterns);
    found_or_error(excluded.map(|excluded| list!(excluded = excluded)))
}

/// The model in a file, as JSON.
#[extendr]
fn load_model(path: &str) -> List {
    let text = fs::read_to_string(path).map_err(|error| Error::cannot_read(path.as_ref(), &error));
    let model = text.and_then(|text| Model::from_json(&text)?.to_json());
    found_or_error(model.map(|model| list!(model = model)))
}
