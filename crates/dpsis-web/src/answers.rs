//! Answers of the library, as JSON.

use serde::Serialize;
use serde_json::{Value, json};

use dpsis::forecast::PlanOptions;
use dpsis::inspect::inspect as look;
use dpsis::internals::ALPHA;
use dpsis::report::{Reported, answer, names, to_html, to_json};
use dpsis::{Error, Ledger, Parameter, Result, Target};

use crate::question::Question;

pub(crate) fn defaults() -> Value {
    json!({ "version": env!("CARGO_PKG_VERSION"), "fwer": ALPHA })
}

pub(crate) fn inspect(question: Question) -> Result<Value> {
    let target = question.options()?.target.kind()?.filter(|target| *target != Target::Numeric);
    let found = look(&question.table(), target.as_ref())?;
    let suggested = &found.suggestion;
    let findings: Vec<Value> = found
        .findings
        .iter()
        .map(|one| {
            let about = parameters(&one.about);
            json!({ "topic": one.topic, "text": one.text, "odd": one.odd, "about": about, "value": one.value })
        })
        .collect();
    let classes = match &suggested.target {
        Target::Classes(labels) => Some(labels),
        _ => None,
    };
    let event = suggested.target.time_to_event().map(|events| {
        let by = events.by().to_string();
        [events.time().to_owned(), events.event().to_owned(), events.value().to_owned(), by]
    });
    let shares = &suggested.shares;
    let rows = if shares.is_empty() { vec![0.5; 2] } else { shares.clone() };
    Ok(json!({
        "rows": found.rows,
        "columns": found.columns,
        "names": found.names,
        "findings": findings,
        "open": parameters(&suggested.open),
        "facts": suggested.facts,
        "paired": suggested.is_paired,
        "classes": classes,
        "event": event,
        "features": suggested.features,
        "counts": rows.iter().map(|share| share * suggested.rows as f64).collect::<Vec<f64>>(),
    }))
}

pub(crate) fn forecast(question: Question) -> Result<Value> {
    let request = question.options()?.request()?.check()?;
    let spent: Vec<Value> = request
        .spending(question.features)?
        .iter()
        .map(|part| json!({ "for": part.purpose, "epsilon": part.epsilon }))
        .collect();
    let rows: f64 = question.rows.iter().sum();
    let plan = PlanOptions {
        select: question.options()?,
        rows: rows.round() as u64,
        features: question.features,
        class_shares: question.rows.iter().map(|class| class / rows).collect(),
        ..PlanOptions::default()
    };
    // Some methods have no forecast.
    let text = match plan.run(&|_| Ok(())) {
        Ok(record) => answer(&record),
        Err(error) => format!("{error}."),
    };
    Ok(json!({ "spent": spent, "text": text }))
}

pub(crate) fn select(question: Question) -> Result<Value> {
    let request = question.options()?.request()?;
    let (table, note) = (question.table(), question.note());
    if let Some(seed) = question.seed {
        return released(&*request.seed(seed).run(&table)?.with_run(note));
    }
    let selection = match question.ledger()? {
        Some((ledger, entry)) => request.run_with_ledger(&table, &ledger, entry)?,
        None => request.run(&table)?,
    };
    released(&*selection.with_run(note))
}

pub(crate) fn new_ledger(question: Question) -> Result<Value> {
    Ok(json!({ "text": Ledger::text_of(&question.terms()?)? }))
}

pub(crate) fn read_ledger(question: Question) -> Result<Value> {
    let Some((ledger, _)) = question.ledger()? else {
        return Err(Error::request("there is no ledger").about([Parameter::Ledger]));
    };
    let balance = ledger.read()?;
    Ok(json!({
        "name": balance.terms.name,
        "cap": balance.terms.cap,
        "spent": balance.spent(),
        "left": balance.left(),
        "entries": balance.entries.len(),
    }))
}

/// An error, with the names of the options that mend it.
pub(crate) fn error(error: &Error) -> Value {
    json!({
        "kind": format!("{:?}", error.kind()),
        "text": error.to_string(),
        "about": parameters(error.parameters()),
    })
}

fn released(record: &(impl Reported + Serialize)) -> Result<Value> {
    Ok(json!({
        "names": names(record).lines().collect::<Vec<_>>(),
        "json": to_json(record)?,
        "html": to_html(record)?,
    }))
}

fn parameters(all: &[Parameter]) -> Vec<&'static str> {
    let mut names: Vec<&str> = all.iter().map(|one| one.name()).collect();
    names.retain(|name| !name.is_empty());
    names.dedup();
    names
}
