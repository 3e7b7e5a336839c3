//! The report of a fit.

use std::fmt::Write;

use crate::error::Parameter;
use crate::model::{Model, ModelFeature, ModelKind};
use crate::report::facts::{self, Fact};
use crate::report::text::{lines_of_plan, nothing_drawn, wrap};
use crate::report::words::{charged, parts, relation_words, spent, unless};
use crate::run::{FitDryRun, FitRecord};
use crate::table::listed;

/// The report of a fit: guarantee, parts of the budget, features with their coefficients, caveats.
///
/// `options` formats the parameters that a warning is about, for example as option names in
/// parentheses.
pub fn fit_report(record: &FitRecord, options: impl Fn(&[Parameter]) -> String) -> String {
    let FitRecord { model, guarantee, selection, .. } = record;
    let mut text = String::new();
    let relation = relation_words(guarantee.neighbors, &guarantee.unit.to_string());
    let delta = unless(guarantee.delta.is_zero(), format!(" and delta {}", guarantee.delta));
    let private = if record.private { "private" } else { "NOT PRIVATE: seeded" };
    let _ = writeln!(text, "{private}: epsilon {}{delta} for {relation}", guarantee.epsilon);
    let _ = writeln!(text, "spent: {}", parts(&guarantee.spent));
    if let Some(receipt) = &record.ledger {
        let _ = writeln!(text, "ledger: {}", charged(receipt));
    }
    if let (Some(lambda), Some(_)) = (record.lambda, model) {
        let _ = writeln!(text, "lambda: {}", four_digits(lambda));
    }
    let units = guarantee.unit.plural();
    match (selection, record.rows_estimate) {
        (Some(selection), _) => {
            for Fact { label, words, .. } in facts::of_selection(selection) {
                let label = label.filter(|label| ["scored", "target", "chosen"].contains(label));
                label.map(|label| writeln!(text, "{label}: {words}"));
            }
        }
        (None, Some(rows)) => {
            let _ = writeln!(text, "{units}: about {rows} with a target (private estimate)");
        }
        (None, None) => {}
    }
    match model {
        Some(model) => lines_of_model(&mut text, model),
        None => {
            let names = selection.iter().flat_map(|record| &record.selected);
            let names = listed(names.map(|picked| &picked.name));
            let _ = writeln!(
                text,
                "no model: the released values do not determine even the mean of the target. More {units}, a larger epsilon, \
                 or public ranges that fit the values may help{}",
                options(&[Parameter::Epsilon, Parameter::Bounds, Parameter::TargetBounds])
            );
            if !names.is_empty() {
                let _ = writeln!(text, "selected: {names}");
            }
        }
    }
    if record.rows_estimate.is_none() {
        let _ = writeln!(text, "{}; how many there are was not counted", record.needs);
    }
    if selection.is_some() {
        let _ = writeln!(text, "{WORDS}{}", options(&[Parameter::Levels]));
    }
    for warning in record.all_warnings() {
        let _ = writeln!(text, "warning: {}{}", warning.text, options(&warning.about));
    }
    text
}

/// The note on categorical columns. Whether there are any may be private: it is given for every
/// table.
const WORDS: &str = "a model uses numbers and the given levels of categorical columns; other categories count as \
     missing, so that another categorical column is selected only by noise, and its coefficient is noise";

/// A model and its caveats.
fn lines_of_model(text: &mut String, model: &Model) {
    let _ = writeln!(text, "{}", kind(model));
    if has_no_coefficients(model) {
        let names = listed(model.feature_names());
        let prediction = one_prediction(model);
        let none = if names.is_empty() { "no feature: " } else { "" };
        let _ = writeln!(text, "  {none}every prediction is {prediction}");
        if !names.is_empty() {
            let _ = writeln!(text, "  features, with coefficient 0: {names}");
        }
        return;
    }
    for feature in &model.features {
        let _ = writeln!(text, "  {}", line(feature));
    }
    let _ = writeln!(text, "  intercept: {}", four_digits(model.intercept));
    let note = match model.kind {
        ModelKind::Linear => {
            "intervals: about 90% each, for noise and sampling; clipping and the choice of features are not in them"
        }
        ModelKind::Logistic => {
            "noise: the standard deviation of the privacy noise in a coefficient; sampling is not in it, nor \
             the pull of lambda towards 0"
        }
    };
    let _ = writeln!(text, "{note}");
}

/// The prediction of a model without coefficients.
pub(super) fn one_prediction(model: &Model) -> String {
    match &model.target.classes {
        None => format!("the mean of the target, {}", four_digits(model.intercept)),
        Some([_, second]) => {
            let share = 1.0 / (1.0 + libm::exp(-model.intercept));
            format!("a probability of {} of {second}", four_digits(share))
        }
    }
}

/// Whether all predictions of a model are the same.
pub(super) fn has_no_coefficients(model: &Model) -> bool {
    model
        .features
        .iter()
        .all(|feature| feature.coefficient == 0.0 && feature.is_like_zero().is_none())
}

/// The report of a dry run of a fit: its budget and the rows that it takes, then the same for the
/// selection alone.
///
/// `options` formats the parameters that a warning is about, for example as option names in
/// parentheses.
pub fn fit_dry_run(plan: &FitDryRun, options: impl Fn(&[Parameter]) -> String) -> String {
    let FitDryRun { guarantee, selection, needs, warnings, .. } = plan;
    let (mut text, units) = (nothing_drawn(guarantee.unit), guarantee.unit.plural());
    wrap(&mut text, "would", &spent(guarantee));
    wrap(&mut text, units, &format!("{needs}; with fewer, expect poor predictions"));
    if let Some(lambda) = plan.lambda {
        let columns = if plan.features == 1 { "column" } else { "columns" };
        let lambda =
            format!("{} for {} {columns} of the model", four_digits(lambda), plan.features);
        wrap(&mut text, "lambda", &lambda);
    }
    wrap(&mut text, "categories", &format!("{WORDS}{}", options(&[Parameter::Levels])));
    for warning in warnings {
        wrap(&mut text, "warning", &format!("{}{}", warning.text, options(&warning.about)));
    }
    if let Some(selection) = selection {
        let _ = write!(text, "\nThe selection alone:\n{}", lines_of_plan(selection, &options));
    }
    text
}

/// The model and the meaning of its coefficients.
fn kind(model: &Model) -> String {
    let meaning = match &model.target.classes {
        Some([_, second]) => format!("log-odds of {second}"),
        None => "change".to_owned(),
    };
    format!("{}: {meaning} per unit of a feature", regression(model))
}

/// The kind of regression, and its target.
pub(super) fn regression(model: &Model) -> String {
    let kind = match model.kind {
        ModelKind::Linear => "linear",
        ModelKind::Logistic => "logistic",
    };
    let name = model.target.name.as_deref().map_or(String::new(), |name| format!(" of {name}"));
    format!("{kind} regression{name}")
}

fn line(feature: &ModelFeature) -> String {
    let ModelFeature { reference, coefficient, noise, low, high, range: [from, to], .. } = feature;
    let like_zero = match feature.is_like_zero() {
        Some(true) => ": not distinguishable from 0",
        _ => "",
    };
    let interval = match (low, high, noise) {
        (Some(low), Some(high), _) => {
            format!(" ({} to {}{like_zero})", four_digits(*low), four_digits(*high))
        }
        (_, _, Some(noise)) => format!(" (noise {}{like_zero})", four_digits(*noise)),
        _ => String::new(),
    };
    let values = match reference {
        Some(reference) => format!("compared with {reference}"),
        // The ends of a narrow range may have the same four digits.
        None if four_digits(*from) == four_digits(*to) => format!("clipped to {from} to {to}"),
        None => format!("clipped to {} to {}", four_digits(*from), four_digits(*to)),
    };
    format!("{}: {}{interval}, {values}", feature.label(), four_digits(*coefficient))
}

/// A number with four digits.
pub(super) fn four_digits(value: f64) -> String {
    // Without the sign of a zero.
    let exact = format!("{value:.3e}").parse::<f64>().unwrap_or(value) + 0.0;
    if exact == 0.0 || (1e-4..1e7).contains(&exact.abs()) {
        exact.to_string()
    } else {
        format!("{exact:e}")
    }
}
