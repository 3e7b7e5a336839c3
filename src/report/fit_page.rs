//! Fits as HTML pages: the model, with the coefficients that differ from 0, then its interpretation
//! and rules for publication.

use super::facts::{self, Fact};
use super::fit::{four_digits, has_no_coefficients, one_prediction, regression};
use super::front::{FIGURE, Front, row, table_of};
use super::html::{all_features, part_of, tables};
use super::methods;
use super::names::short_name;
use super::page::{Axis, Block, Heading, Interval, Level, Page, Section};
use crate::model::{Model, ModelFeature, ModelKind};
use crate::release::Record;
use crate::run::FitRecord;
use crate::table::listed;

/// The additional lines of text on the first page, compared with a selection.
const LONGER: usize = 3;

/// The page of a fit, without the JSON record.
pub(super) fn page_of_fit(record: &FitRecord, heading: &Heading) -> Page {
    let front = Front::of_fit(record);
    let mut found = front.top(finding(record));
    let mut shown = 0;
    if let Some(model) = &record.model {
        let order = by_change(model);
        let labels: Vec<String> = order.iter().map(|feature| feature.label()).collect();
        shown = front.first(labels.iter().map(String::as_str), LONGER).min(order.len());
        let first = &order[..shown];
        found.push(Block::SideBySide(vec![
            coefficients(model, first, short_name),
            changes(model, first),
        ]));
    }
    let mut sections = vec![
        Section::new("model", "Model", found),
        front.use_and_privacy(conclusions(record)),
        methods::section(&methods::of_fit(record)),
    ];
    if let Some(model) = record.model.as_ref().filter(|model| shown < model.features.len()) {
        let mut all = vec![coefficients(model, &by_change(model), str::to_owned)];
        all.extend(figures_of_fit(record));
        sections.push(Section::new("coefficients", "All coefficients", all));
    }
    if let Some(selection) = &record.selection {
        sections.push(Section::new(
            "released",
            "The selection of its features",
            all_features(selection, true),
        ));
    }
    let mut details = vec![table_of("The model", rows_of_model(record))];
    // Unknown for a model alone.
    if !record.guarantee.spent.is_empty() {
        details.extend(tables(&facts_of_fit(record)));
        details.push(front.parts());
    }
    sections.push(Section::new("how", "How it was fitted", details));
    let title = match &record.model {
        Some(model) => first_capital(&regression(model)),
        None => "No model".to_owned(),
    };
    let units = record.guarantee.unit.plural();
    let rows = record.rows_estimate.map_or(String::new(), |rows| format!("about {rows} {units}"));
    front.page(heading, title, rows, sections)
}

/// The facts of the run and of the selection of its features.
fn facts_of_fit(record: &FitRecord) -> Vec<Fact> {
    let FitRecord { command, version, run, ledger, randomness, selection, .. } = record;
    match selection {
        // The selection is a part of the run.
        Some(selection) => facts::of_selection(&Record {
            command: *command,
            version: version.clone(),
            run: run.clone(),
            ledger: ledger.clone(),
            ..selection.clone()
        }),
        None => facts::of_run((randomness, *command, version), run.as_ref(), ledger.as_ref()),
    }
}

fn first_capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// The banner: how many coefficients differ from 0.
fn finding(record: &FitRecord) -> Block {
    let banner = |level, words: String, text: String| Block::Banner { level, words, text };
    let units = record.guarantee.unit.plural();
    let Some(model) = &record.model else {
        let text = format!(
            "Too few {units} for a model under this budget; about {} are needed.",
            record.rows_needed
        );
        return banner(Level::Warning, "NO MODEL".to_owned(), text);
    };
    if has_no_coefficients(model) {
        let text = format!("Every prediction is {}.", one_prediction(model));
        return banner(Level::Warning, "ONE PREDICTION".to_owned(), text);
    }
    let differing =
        model.features.iter().filter(|feature| feature.is_like_zero() == Some(false)).count();
    let by = match model.kind {
        ModelKind::Linear => "by their 90% intervals",
        ModelKind::Logistic => "by the noise of privacy alone: sampling is not included",
    };
    let text = format!("Coefficients that are distinguishable from 0 {by}.");
    let level = if differing == 0 { Level::Warning } else { Level::Note };
    banner(level, format!("{differing} OF {} DIFFER FROM 0", model.features.len()), text)
}

/// The conclusions that a model allows.
fn conclusions(record: &FitRecord) -> String {
    let Some(model) = &record.model else {
        return "Nothing about a relation of features and target: no model was fitted.".to_owned();
    };
    let target = model.target.name.as_deref().unwrap_or("the target");
    let [low, high] = predictions(model);
    match (model.kind, &model.target.classes) {
        (ModelKind::Linear, _) => format!(
            "A coefficient is the change of the predicted {target} per unit of its feature, within the range of that \
             feature and with the others fixed; predictions lie between {} and {}. A coefficient that does not differ \
             from 0 may be noise. An association is not a cause.",
            four_digits(low),
            four_digits(high)
        ),
        (ModelKind::Logistic, classes) => {
            let class = classes.as_ref().map_or("the second class", |[_, second]| second);
            format!(
                "A coefficient is the change of the log-odds of {class} per unit of its feature, within the range of that \
                 feature and with the others fixed; predicted probabilities lie between {} and {}. A \
                 coefficient that does not differ from 0 may be noise. Calibration, the agreement of predicted \
                 probabilities with observed shares, was not measured, because that would need a part of the budget: \
                 check it with other data. An association is not a cause.",
                four_digits(low),
                four_digits(high)
            )
        }
    }
}

/// The smallest and the largest prediction for values within their ranges.
fn predictions(model: &Model) -> [f64; 2] {
    // Of the levels of a feature one at most has the value 1.
    let mut ends: Vec<(&str, [f64; 2])> = Vec::new();
    for feature in &model.features {
        let [a, b] = feature.range.map(|end| feature.coefficient * end);
        let own = if feature.level.is_some() {
            [a.min(b).min(0.0), a.max(b).max(0.0)]
        } else {
            [a.min(b), a.max(b)]
        };
        match ends.last_mut() {
            Some((name, of)) if feature.level.is_some() && *name == feature.name => {
                *of = [of[0].min(own[0]), of[1].max(own[1])];
            }
            _ => ends.push((&feature.name, own)),
        }
    }
    [0, 1].map(|end| {
        let sum = model.intercept + ends.iter().map(|(_, of)| of[end]).sum::<f64>();
        match (model.kind, model.target.range) {
            (ModelKind::Logistic, _) => 1.0 / (1.0 + libm::exp(-sum)),
            (ModelKind::Linear, Some([low, high])) => sum.clamp(low, high),
            (ModelKind::Linear, None) => sum,
        }
    })
}

/// The coefficients by the size of the change that they stand for.
fn by_change(model: &Model) -> Vec<&ModelFeature> {
    let mut features: Vec<&ModelFeature> = model.features.iter().collect();
    features.sort_by(|a, b| change(b).abs().total_cmp(&change(a).abs()));
    features
}

/// The change of the prediction from the lowest to the highest value of a feature's range.
fn change(feature: &ModelFeature) -> f64 {
    feature.coefficient * (feature.range[1] - feature.range[0])
}

/// The ends of a coefficient's interval: given, or two standard deviations of noise.
fn ends(feature: &ModelFeature) -> Option<[f64; 2]> {
    match (feature.low, feature.high, feature.noise) {
        (Some(low), Some(high), _) => Some([low, high]),
        (_, _, Some(noise)) => {
            Some([feature.coefficient - 2.0 * noise, feature.coefficient + 2.0 * noise])
        }
        _ => None,
    }
}

fn coefficients(model: &Model, order: &[&ModelFeature], name_of: fn(&str) -> String) -> Block {
    let interval = match model.kind {
        ModelKind::Linear => "90% interval",
        ModelKind::Logistic => "within noise",
    };
    let header = ["feature", "coefficient", interval, "range", "differs from 0"];
    let rows = order.iter().map(|feature| {
        let interval = ends(feature).map_or("\u{2013}".to_owned(), |[low, high]| {
            format!("{} to {}", four_digits(low), four_digits(high))
        });
        let [low, high] = feature.range;
        let values = match &feature.reference {
            Some(reference) => format!("against {reference}"),
            None => format!("{} to {}", four_digits(low), four_digits(high)),
        };
        let differs = match feature.is_like_zero() {
            Some(true) => "no",
            Some(false) => "yes",
            None => "\u{2013}",
        };
        let cells = [four_digits(feature.coefficient), interval, values, differs.to_owned()];
        let cells = cells.map(|cell| cell.replace(' ', "\u{a0}"));
        std::iter::once(name_of(&feature.label())).chain(cells).collect()
    });
    let caption = match model.kind {
        ModelKind::Linear => {
            "Sorted by the change over the range. Intervals allow for noise and sampling."
        }
        ModelKind::Logistic => {
            "Sorted by the change over the range. Within noise: two standard deviations of it; \
                                sampling is not included."
        }
    };
    Block::Table {
        caption: part_of(order.len(), model.features.len(), caption),
        header: header.map(str::to_owned).to_vec(),
        rows: rows.collect(),
    }
}

/// The figure of the changes over the ranges of these features.
fn changes(model: &Model, order: &[&ModelFeature]) -> Block {
    let what = match model.kind {
        ModelKind::Linear => "prediction",
        ModelKind::Logistic => "log-odds",
    };
    let intervals: Vec<Interval> = order
        .iter()
        .map(|feature| {
            let width = feature.range[1] - feature.range[0];
            let ends = ends(feature).unwrap_or([feature.coefficient; 2]).map(|end| end * width);
            Interval::new(feature.label(), change(feature), ends)
                .filled(feature.is_like_zero() != Some(true))
        })
        .collect();
    let texts: Vec<String> =
        intervals.iter().map(|one| format!("{} {}", one.name, four_digits(one.value))).collect();
    Block::Intervals {
        caption: format!(
            "Change of the {what} from the lowest to the highest value of each feature's range. Hollow: not \
             distinguishable from 0."
        ),
        label: format!("Changes of the {what} over the ranges: {}", texts.join("; ")),
        intervals,
        axis: Axis::Change { name: format!("change of the {what}") },
    }
}

fn rows_of_model(record: &FitRecord) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    if let Some(model) = &record.model {
        rows.push(row("intercept", four_digits(model.intercept)));
        let target = model.target.range.map(|[low, high]| {
            row("range of the target", format!("{} to {}", four_digits(low), four_digits(high)))
        });
        rows.extend(target);
        rows.extend(model.target.classes.as_ref().map(|classes| row("classes", listed(classes))));
        let levels = model.features.iter().any(|feature| feature.level.is_some());
        let of_levels = if levels { "; of a category, its reference" } else { "" };
        rows.push(row("missing values", format!("{}{of_levels}", model.missing)));
    }
    rows.extend(record.lambda.map(|lambda| row("lambda", four_digits(lambda))));
    // Unknown for a model alone.
    if record.rows_needed > 0 {
        let units = record.guarantee.unit.plural();
        rows.push(row(&format!("{units} needed"), record.rows_needed.to_string()));
    }
    rows
}

/// The figures of a fit, if there is a model.
pub(super) fn figures_of_fit(record: &FitRecord) -> Vec<Block> {
    let figures =
        |model| by_change(model).chunks(FIGURE).map(|part| changes(model, part)).collect();
    record.model.as_ref().map_or_else(Vec::new, figures)
}
