//! Answers of the library, as JSON.

use serde_json::{Value, json};

use dpsis::forecast::PlanOptions;
use dpsis::inspect::{InspectOptions, inspect as look};
use dpsis::internals::ALPHA;
use dpsis::job::{Answer, Terms};
use dpsis::report::{answer, to_html};
use dpsis::{Error, Ledger, Parameter, Result};

use crate::question::Question;

pub(crate) fn defaults() -> Value {
    json!({ "version": env!("CARGO_PKG_VERSION"), "fwer": ALPHA })
}

pub(crate) fn inspect(question: Question) -> Result<Value> {
    let mut options = InspectOptions { target: question.options()?.target };
    options.target.target_number = false;
    let mut found = look(&question.table(), &options)?.document(|_| String::new());
    let suggestion = found["suggestion"].take();
    let event = match (&suggestion["event"], &suggestion["time"]) {
        (Value::Array(event), time) => json!([time, event[0], event[1], suggestion["by"]]),
        _ => Value::Null,
    };
    found["paired"] = (!suggestion["paired"].is_null()).into();
    found["classes"] = suggestion["classes"].clone();
    found["event"] = event;
    Ok(found)
}

pub(crate) fn forecast(question: Question) -> Result<Value> {
    let request = question.options()?.request()?.check()?;
    let spent: Vec<Value> = request
        .spending(question.features)?
        .iter()
        .map(|part| json!({ "for": part.purpose, "epsilon": part.epsilon }))
        .collect();
    let rows: f64 = question.rows.iter().sum();
    let mut select = question.options()?;
    // Shares without classes would be of classes.
    select.target.target_number |= select.target.kind()?.is_none();
    let plan = PlanOptions {
        select,
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
    // Not a whole job: the page would carry models and choices, too.
    let terms = Terms { kept: question.ledger()?, ..question.terms() };
    let record = terms.select(&request, &question.table())?;
    let answer = Answer::of_record(&record, &|_| String::new())?;
    let mut value = serde_json::to_value(&answer)
        .map_err(|_| Error::io("the answer cannot be written as JSON"))?;
    value["html"] = to_html(&*record)?.into();
    Ok(value)
}

pub(crate) fn new_ledger(question: Question) -> Result<Value> {
    Ok(json!({ "text": Ledger::text_of(&question.ledger_terms()?)? }))
}

pub(crate) fn read_ledger(question: Question) -> Result<Value> {
    let Some(ledger) = question.ledger()? else {
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
        "about": Parameter::arguments(error.parameters(), ""),
    })
}
