//! The options of an inspection, and its result as a document.

use std::fmt::Write;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{Finding, Inspection, Suggestion};
use crate::error::{Parameter, Result};
use crate::json::read_options;
use crate::request::{Target, TargetOptions};
use crate::table::TargetColumn;

/// The options of an inspection: the target, as far as it is given. As JSON, one object of all
/// fields.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct InspectOptions {
    /// The target.
    #[serde(flatten)]
    pub target: TargetOptions,
}

impl InspectOptions {
    /// Reads a JSON object of options.
    ///
    /// # Errors
    ///
    /// As for [`SelectOptions::from_json`](crate::SelectOptions::from_json).
    pub fn from_json(json: &str) -> Result<Self> {
        read_options(json)
    }
}

impl Inspection {
    /// The inspection as a JSON object: numbers of rows, columns and features; names; findings,
    /// with their parameters named by `words`; the suggested arguments of a selection; the open
    /// parameters; the table options; and the number of rows of each class, or of both sides of a
    /// split.
    pub fn document(&self, words: impl Fn(&[Parameter]) -> String) -> Value {
        let found = &self.suggestion;
        let findings: Vec<Value> = self
            .findings
            .iter()
            .map(|one| {
                let Finding { topic, text, odd, about, value } = one;
                let text = text.clone() + &words(about);
                json!({ "topic": topic, "text": text, "odd": odd, "about": Parameter::arguments(about, ""), "value": value })
            })
            .collect();
        let rows = if found.shares.is_empty() { vec![0.5; 2] } else { found.shares.clone() };
        json!({
            "rows": self.rows,
            "columns": self.columns,
            "names": self.names,
            "features": found.features,
            "findings": findings,
            "undecided": !found.open.is_empty(),
            "open": Parameter::arguments(&found.open, ""),
            "suggestion": found.arguments(),
            "facts": found.facts,
            "counts": rows.iter().map(|share| share * found.rows as f64).collect::<Vec<f64>>(),
        })
    }

    /// All findings, one per line, with a mark on those that require action.
    pub(crate) fn report(&self, words: impl Fn(&[Parameter]) -> String) -> String {
        let mut text = "NOT PRIVATE: for the data holder's eyes only\n".to_owned();
        for Finding { topic, text: finding, odd, about, .. } in &self.findings {
            let mark = if *odd { '!' } else { ' ' };
            let _ = writeln!(text, "{mark} {topic}: {finding}{}", words(about));
        }
        text
    }
}

impl Suggestion {
    /// The arguments of a selection that suit the table, by name; a target without a name is given
    /// by its place, counted from 1.
    fn arguments(&self) -> Map<String, Value> {
        let mut all = Map::new();
        let mut add = |name: &str, value: Value| {
            all.insert(name.to_owned(), value);
        };
        match &self.facts.target {
            TargetColumn::Named(name) => add("target", json!(name)),
            TargetColumn::At(place) => add("target", json!(place)),
            TargetColumn::Last => {}
        }
        match &self.target {
            Target::Classes(labels) => add("classes", json!(labels)),
            Target::TimeToEvent(events) => {
                add("time", json!(events.time()));
                add("event", json!([events.event(), events.value()]));
                add("by", json!(events.by()));
            }
            Target::Bounded(range) => add("target_bounds", json!([range.low(), range.high()])),
            _ => {}
        }
        let unit = if self.is_paired { "paired" } else { "unit" };
        for (name, column) in [("id", &self.facts.id), (unit, &self.facts.unit)] {
            if let Some(column) = column {
                add(name, json!(column));
            }
        }
        for (name, texts) in [("exclude", &self.facts.exclude), ("missing", &self.facts.missing)] {
            if !texts.is_empty() {
                add(name, json!(texts));
            }
        }
        all
    }
}
