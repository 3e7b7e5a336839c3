//! Looks at tables, which are not private.

use dpsis::inspect::inspect as look_at;
use dpsis::{Result, SelectOptions, Target, TargetColumn};
use extendr_api::prelude::*;

use crate::errors::{found_or_error, words};
use crate::interruptible::{Watch, run};
use crate::table::Table;

extendr_module! {
    mod inspect;
    fn inspect;
}

/// Inspects a table: `findings` (columns `topic`, `text` with its arguments, whether it is `odd`),
/// numbers of `rows`, `columns` and `features`, whether something is `undecided`, and a
/// `suggestion`, the arguments of a selection. Of the options only the target's kind counts.
#[extendr]
fn inspect(data: Robj, x: Robj, options: &str, look: Function) -> List {
    found_or_error(inspected(&data, &x, options, &look))
}

fn inspected(data: &Robj, x: &Robj, options: &str, look: &Function) -> Result<List> {
    let target = SelectOptions::from_json(options)?.target.kind()?;
    let table = Table::new(data, x)?.file()?;
    let found = run(&Watch::default(), look, || look_at(&table, target.as_ref()))?;
    let suggested = &found.suggestion;
    let facts = &suggested.facts;
    let mut suggestion: Vec<(&str, Robj)> = Vec::new();
    match &facts.target {
        TargetColumn::Named(name) => suggestion.push(("target", r!(name))),
        TargetColumn::At(place) => suggestion.push(("target", r!(*place as f64))),
        TargetColumn::Last => {}
    }
    match &suggested.target {
        Target::Classes(labels) => suggestion.push(("classes", r!(labels))),
        Target::TimeToEvent(events) => {
            let event = List::from_pairs([(events.event(), r!(events.value()))]);
            suggestion.push(("time", r!(events.time())));
            suggestion.push(("event", r!(event)));
            suggestion.push(("by", r!(events.by())));
        }
        Target::Bounded(range) => {
            suggestion.push(("target_bounds", r!([range.low(), range.high()])));
        }
        _ => {}
    }
    let unit = if suggested.is_paired { "paired" } else { "unit" };
    for (argument, name) in [("id", &facts.id), (unit, &facts.unit)] {
        if let Some(name) = name {
            suggestion.push((argument, r!(name)));
        }
    }
    for (argument, texts) in [("exclude", &facts.exclude), ("missing", &facts.missing)] {
        if !texts.is_empty() {
            suggestion.push((argument, r!(texts)));
        }
    }
    let findings = &found.findings;
    let text: Vec<String> =
        findings.iter().map(|one| one.text.clone() + &words(&one.about)).collect();
    Ok(list!(
        rows = found.rows as f64,
        columns = found.columns as f64,
        features = suggested.features as f64,
        undecided = !suggested.open.is_empty(),
        findings = list!(
            topic = findings.iter().map(|one| one.topic).collect::<Vec<_>>(),
            text = text,
            odd = findings.iter().map(|one| one.odd).collect::<Vec<_>>()
        ),
        suggestion = List::from_pairs(suggestion)
    ))
}
