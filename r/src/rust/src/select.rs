//! Selections from tables.

use dpsis::report::{dry_run_with, to_json};
use dpsis::{Ledger, NotPrivate, Record, Result, RunNote, SelectOptions, Selection};
use extendr_api::prelude::*;

use crate::errors::{found_or_error, words};
use crate::interruptible::Watch;
use crate::released::{Terms, released};
use crate::table::Table;

extendr_module! {
    mod select;
    fn select;
    fn select_dry_run;
}

/// The result of a run.
enum Outcome {
    Private(Selection),
    NotPrivate(NotPrivate<Record>),
}

/// Selects features of a table by options and terms in JSON.
#[extendr]
fn select(data: Robj, x: Robj, options: &str, terms: &str, look: Function) -> List {
    found_or_error(selected(&data, &x, options, terms, &look))
}

fn selected(data: &Robj, x: &Robj, options: &str, terms: &str, look: &Function) -> Result<List> {
    let watch = Watch::default();
    let (stop, report) = (watch.clone(), watch.clone());
    let request = SelectOptions::from_json(options)?
        .request()?
        .cancel_when(move || stop.is_stopped())
        .progress(move |share| report.report(share));
    let Terms { run: (day, asked), ledger, seed } = Terms::new(terms)?;
    let note = RunNote::new(day, asked);
    let outcome = Table::new(data, x)?.run(&watch, look, |source| {
        Ok(match (seed, &ledger) {
            (Some(seed), _) => Outcome::NotPrivate(request.seed(seed).run(source)?.with_run(note)),
            (None, Some((path, entry))) => {
                let ledger = Ledger::open(path)?;
                let selection = request.run_with_ledger(source, &ledger, entry)?;
                Outcome::Private(selection.with_run(note))
            }
            (None, None) => Outcome::Private(request.run(source)?.with_run(note)),
        })
    })?;
    match outcome {
        Outcome::Private(selection) => released(&selection, &selection.indices()),
        Outcome::NotPrivate(record) => released(&record, &record.indices()),
    }
}

/// Plans a selection, of which nothing is drawn or spent: `json` and `report`.
#[extendr]
fn select_dry_run(data: Robj, x: Robj, options: &str, terms: &str, look: Function) -> List {
    let planned = || {
        let request = SelectOptions::from_json(options)?.request()?;
        let Terms { ledger, seed, .. } = Terms::new(terms)?;
        let table = Table::new(&data, &x)?;
        let plan = table.run(&Watch::default(), &look, |source| match (seed, ledger) {
            (Some(seed), _) => request.seed(seed).dry_run(source),
            (None, Some((path, _))) => {
                request.check()?.dry_run_with_ledger(source, &Ledger::open(path)?)
            }
            (None, None) => request.check()?.dry_run(source),
        })?;
        Ok(list!(json = to_json(&plan)?, report = dry_run_with(&plan, words)))
    };
    found_or_error(planned())
}
