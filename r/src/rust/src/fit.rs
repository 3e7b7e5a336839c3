//! Models of what is selected, and their predictions.

use dpsis::model::Model;
use dpsis::report::{fit_dry_run as text_of_plan, fit_report, to_json};
use dpsis::{FitOptions, FitRecord, FittedModel, Ledger, NotPrivate, Result};
use extendr_api::prelude::*;

use crate::errors::{found_or_error, words};
use crate::interruptible::{Watch, run};
use crate::released::{Terms, places, warnings};
use crate::table::Table;

extendr_module! {
    mod fit;
    fn fit;
    fn fit_dry_run;
    fn predict;
}

/// The result of a fit.
enum Outcome {
    Private(FittedModel),
    NotPrivate(NotPrivate<FitRecord>),
}

/// Selects features of a table and fits a model to them; arguments are those of `select`. The
/// `model` is JSON, `NULL` if there is none.
#[extendr]
fn fit(data: Robj, x: Robj, options: &str, terms: &str, look: Function) -> List {
    found_or_error(fitted(&data, &x, options, terms, &look))
}

fn fitted(data: &Robj, x: &Robj, options: &str, terms: &str, look: &Function) -> Result<List> {
    let watch = Watch::default();
    let (stop, report) = (watch.clone(), watch.clone());
    let request = FitOptions::from_json(options)?.request_with(|select| {
        select.cancel_when(move || stop.is_stopped()).progress(move |share| report.report(share))
    })?;
    let Terms { ledger, seed, .. } = Terms::new(terms)?;
    let outcome = Table::new(data, x)?.run(&watch, look, |source| {
        Ok(match (seed, &ledger) {
            (Some(seed), _) => Outcome::NotPrivate(request.seed(seed).run(source)?),
            (None, Some((path, note))) => {
                let ledger = Ledger::open(path)?;
                Outcome::Private(request.run_with_ledger(source, &ledger, note)?)
            }
            (None, None) => Outcome::Private(request.run(source)?),
        })
    })?;
    let record: &FitRecord = match &outcome {
        Outcome::Private(fitted) => fitted,
        Outcome::NotPrivate(record) => record,
    };
    let model = record.model.as_ref().map(Model::to_json).transpose()?;
    let (texts, essential) = warnings(record.all_warnings());
    Ok(list!(
        json = to_json(record)?,
        model = model.map_or_else(|| r!(NULL), |text| r!(text)),
        report = fit_report(record, words),
        indices = places(record.indices()),
        warnings = texts,
        essential = essential
    ))
}

/// Plans a fit: see `select_dry_run`.
#[extendr]
fn fit_dry_run(data: Robj, x: Robj, options: &str, terms: &str, look: Function) -> List {
    let planned = || {
        let request = FitOptions::from_json(options)?.request()?;
        let Terms { ledger, seed, .. } = Terms::new(terms)?;
        let table = Table::new(&data, &x)?;
        let plan = table.run(&Watch::default(), &look, |source| match (seed, ledger) {
            (Some(seed), _) => request.seed(seed).dry_run(source),
            (None, Some((path, _))) => {
                request.check()?.dry_run_with_ledger(source, &Ledger::open(path)?)
            }
            (None, None) => request.check()?.dry_run(source),
        })?;
        Ok(list!(json = to_json(&plan)?, report = text_of_plan(&plan, words)))
    };
    found_or_error(planned())
}

/// The predictions of a model, in JSON, for the rows of a table.
#[extendr]
fn predict(model: &str, data: Robj, x: Robj, look: Function) -> List {
    let predicted = || {
        let model = Model::from_json(model)?;
        // New rows need no target: if they have one, it is a column like others.
        let table = Table::new(&data, &x)?.file()?.without_target();
        let predicted = run(&Watch::default(), &look, || model.predict_table(&table))?;
        Ok(list!(predicted = predicted))
    };
    found_or_error(predicted())
}
