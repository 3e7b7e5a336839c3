//! Figure 18: the share of high scores.

use dpsis::Result;
use dpsis::report::{Block, Section};
use dpsis_eval::Estimate;

use crate::experiments::agreements::{CLEAR, Clear, agreement_of, mostly};
use crate::experiments::experiment::Experiment;
use crate::experiments::heterogeneous::errors::{
    Errors, TRIALS, error_chart, errors_file, measure, point,
};
use crate::experiments::heterogeneous::scenarios::{Relation, bimodal};
use crate::experiments::parts::{Given, curves, paragraph};
use crate::rivals::{RIVALS, Rival};
use dpsis_eval::figure::Curve;

/// The numbers of high scores among 100.
const HIGH: [usize; 11] = [1, 5, 10, 20, 35, 50, 65, 80, 90, 95, 99];
const EPSILON: &str = "1";
const DATA: &str = "share-of-high.csv";
const SOURCE: &str = "\"Private Selection with Heterogeneous Sensitivities\" (2025), appendix E";
const RELATIONS: [(Relation, &str); 3] =
    [(Relation::Positive, "positive"), (Relation::Negative, "negative"), (Relation::None, "no")];

fn setting(relation: &str, high: usize) -> String {
    format!("{relation} correlation, {high} high")
}

/// Runs the experiment.
pub(in crate::experiments) fn run(experiment: &Experiment<'_>) -> Result<Section> {
    let errors = measured(experiment, &HIGH)?;
    let mut blocks = vec![paragraph(
        "Scenarios 1 to 3 with other shares of high scores, at epsilon 1 (the paper's own epsilon is lost \
         in the text).",
    )];
    for (_, words) in RELATIONS {
        let curve = |rival: &str| Curve {
            label: rival.into(),
            points: HIGH
                .iter()
                .map(|high| point(*high as f64, errors.of(&setting(words, *high), rival, EPSILON)))
                .collect(),
        };
        let title = format!("Errors against the share of high scores: {words} correlation");
        let x_label = "candidates with a high score, of 100";
        let chart = error_chart(title, x_label, false, RIVALS.map(curve).to_vec());
        let caption =
            format!("Mean squared errors with 95% bands, {words} correlation, epsilon 1.");
        blocks.push(curves(experiment, &format!("share-of-high-{words}"), &chart, &caption, DATA)?);
    }
    blocks.extend([
        orders(
            &errors,
            "In the positive correlation case, RNMH, mGEM and RS perform better than the homogeneous \
             alternatives or the standard GEM, for most proportions of high scores.",
            "positive",
            &[
                ("rnm-h", "rnm"),
                ("mgem", "rnm"),
                ("rs", "rnm"),
                ("rnm-h", "krr"),
                ("mgem", "krr"),
                ("rs", "krr"),
                ("rnm-h", "gem"),
                ("mgem", "gem"),
                ("rs", "gem"),
            ],
        ),
        extremes(&errors),
        orders(
            &errors,
            "In the case of negative correlation, the use of heterogeneous noise is only beneficial in \
             GEM. The other heterogeneous algorithms perform worse than random across all non-trivial \
             splits at this epsilon value.",
            "negative",
            &[("gem", "rnm"), ("random", "rnm-h"), ("random", "mgem"), ("random", "rs")],
        ),
        orders(
            &errors,
            "When there's no correlation, it's not beneficial to use heterogeneity and RNM suffices at \
             all splits.",
            "no",
            &[("rnm", "rs"), ("rnm", "mgem"), ("rnm", "gem")],
        ),
    ]);
    Ok(Section::new("share-of-high", "The share of high scores (figure 18)", blocks))
}

fn measured(experiment: &Experiment<'_>, numbers: &[usize]) -> Result<Errors> {
    let trials = TRIALS * experiment.trials;
    let mut results = errors_file(experiment, DATA, trials)?;
    let mut errors = Errors::default();
    let settings =
        RELATIONS.iter().flat_map(|relation| numbers.iter().map(move |n| (*relation, *n)));
    for (i, ((relation, words), high)) in settings.enumerate() {
        let (name, share) = (setting(words, high), i as f64 / (3 * numbers.len()) as f64);
        (experiment.progress)(&format!("share of high scores: {name}"), share);
        let candidates = bimodal(relation, high);
        let rows = results.part(&name, || {
            measure(experiment, &name, &Rival::all()?, &candidates, trials, &[EPSILON])
        })?;
        errors.add(&name, rows);
    }
    Ok(errors)
}

/// The leads of orders over all shares.
fn leads(errors: &Errors, relation: &str, orders: &[(&str, &str)]) -> Vec<f64> {
    let lead = |high: &usize, order: &(&str, &str)| {
        errors.lead(&setting(relation, *high), *order, EPSILON)
    };
    HIGH.iter().flat_map(|high| orders.iter().map(move |order| lead(high, order))).collect()
}

fn orders(errors: &Errors, statement: &str, relation: &str, orders: &[(&str, &str)]) -> Block {
    let leads = leads(errors, relation, orders);
    let Clear { held, reversed } = Clear::of(leads.iter().copied());
    let pairs: Vec<String> =
        orders.iter().map(|(better, worse)| format!("{better} before {worse}")).collect();
    Given { statement, source: SOURCE, paper: "a figure" }.against(
        format!("of {} comparisons: clear in {held}, reversed in {reversed}", leads.len()),
        mostly(held, reversed, leads.len()),
        &format!(
            "{}, at each share of high scores; clear from three standard errors. It matches if most are \
             clear and none is reversed.",
            pairs.join(", ")
        ),
    )
}

/// Whether the lead of modified GEM over report-noisy-max is smaller at both extremes than in the
/// middle.
fn extremes(errors: &Errors) -> Block {
    let gap = |high: usize| {
        let of = |rival: &str| errors.of(&setting("positive", high), rival, EPSILON);
        let (rnm, mgem) = (of("rnm"), of("mgem"));
        Estimate { mean: rnm.mean - mgem.mean, error: rnm.error.hypot(mgem.error) }
    };
    let [first, middle, last] = [1, 50, 99].map(gap);
    let held = [first, last].iter().filter(|end| middle.z(end) > CLEAR).count();
    Given {
        statement: "The gap in performance is smallest at the extremes.",
        source: SOURCE,
        paper: "a figure",
    }
    .against(
        format!(
            "error of rnm minus that of mgem with 1, 50 and 99 high scores: {:.2}, {:.2}, {:.2}",
            first.mean, middle.mean, last.mean
        ),
        agreement_of(held, 2),
        "Positive correlation. Rule: smaller at either extreme than in the middle, by three standard \
         errors.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::experiment::with;

    #[test]
    fn gem_alone_is_better_where_low_scores_are_sensitive() {
        with(10, 2, |experiment| {
            let errors = measured(experiment, &[50]).unwrap();
            let name = setting("negative", 50);
            let clear = |order| errors.lead(&name, order, EPSILON) > CLEAR;
            assert!(clear(("gem", "rnm")) && clear(("random", "mgem")) && clear(("random", "rs")));
        });
    }
}
