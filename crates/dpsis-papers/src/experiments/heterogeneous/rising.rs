//! Figure 10: scenarios with increasing correlation.

use dpsis::Result;
use dpsis::mechanism::correlations;
use dpsis::report::{Block, Section};
use dpsis_eval::Estimate;

use crate::experiments::agreements::{CLEAR, agreement_of};
use crate::experiments::experiment::Experiment;
use crate::experiments::heterogeneous::candidates::Candidates;
use crate::experiments::heterogeneous::errors::{
    Errors, TRIALS, error_chart, errors_file, measure, point,
};
use crate::experiments::heterogeneous::scenarios::rising;
use crate::experiments::parts::{Given, curves, paragraph};
use crate::rivals::{RIVALS, Rival};
use dpsis_eval::figure::Curve;

/// The weights of the score in the sensitivity.
const WEIGHTS: [f64; 9] = [-1.0, -0.75, -0.5, -0.25, 0.0, 0.25, 0.5, 0.75, 1.0];
const BUDGETS: [&str; 3] = ["0.1", "1", "4"];
const DATA: &str = "rising-correlation.csv";
const SOURCE: &str = "\"Private Selection with Heterogeneous Sensitivities\" (2025), section VI, \
                      scenarios with increasing correlation";

fn setting(weight: f64) -> String {
    format!("weight {weight}")
}

/// Runs the experiment.
pub(in crate::experiments) fn run(experiment: &Experiment<'_>) -> Result<Section> {
    let (errors, correlations) = measured(experiment)?;
    let mut blocks = vec![paragraph(
        "In each scenario a candidate has scores N(10 u, sd), where u is a draw from U(0, 1) and sd mixes u \
         (on the left side 1 - u) with another draw from U(0, 1): the share of u is the weight, from 1 \
         (left) over 0 to 1 (right). The text of the paper has lost its own law. The horizontal axis is \
         Spearman's correlation of mean scores and sensitivities.",
    )];
    for epsilon in BUDGETS {
        let curve = |rival: &str| Curve {
            label: rival.into(),
            points: WEIGHTS
                .iter()
                .zip(&correlations)
                .map(|(weight, x)| point(*x, errors.of(&setting(*weight), rival, epsilon)))
                .collect(),
        };
        let title = format!("Errors against the correlation, epsilon {epsilon}");
        let chart = error_chart(title, "Spearman correlation", false, RIVALS.map(curve).to_vec());
        let caption = "Mean squared errors with 95% bands; each place is one scenario.";
        let name = format!("rising-correlation-{epsilon}");
        blocks.push(curves(experiment, &name, &chart, caption, DATA)?);
    }
    blocks.extend([profits(&errors), by_correlation(&errors)]);
    Ok(Section::new("rising-correlation", "Increasing correlation (figure 10)", blocks))
}

/// The errors, and the Spearman correlation of each scenario.
fn measured(experiment: &Experiment<'_>) -> Result<(Errors, Vec<f64>)> {
    let trials = TRIALS * experiment.trials;
    let mut results = errors_file(experiment, DATA, trials)?;
    let (mut errors, mut correlations) = (Errors::default(), Vec::new());
    for (i, weight) in WEIGHTS.into_iter().enumerate() {
        let name = setting(weight);
        (experiment.progress)(&format!("increasing correlation: {name}"), i as f64 / 9.0);
        let candidates = rising(weight, (experiment.seed, trials));
        let rows = results.part(&name, || {
            measure(experiment, &name, &Rival::all()?, &candidates, trials, &BUDGETS)
        })?;
        errors.add(&name, rows);
        correlations.push(spearman(&candidates)?);
    }
    Ok((errors, correlations))
}

/// Spearman's correlation of mean scores and sensitivities.
fn spearman(candidates: &Candidates) -> Result<f64> {
    let own = candidates.sensitivities().to_vec();
    let means = (0..own.len()).map(|candidate| candidates.mean(candidate, None)).collect();
    let contest = Candidates::constant(means, own).contest(0)?;
    Ok(correlations(contest.scores()).spearman)
}

/// Whether mGEM and RS gain over report-noisy-max at the right end and lose at the left one, and
/// GEM the reverse.
fn profits(errors: &Errors) -> Block {
    let (left, right) = (setting(-1.0), setting(1.0));
    let orders = [
        (&right, "mgem", "rnm"),
        (&right, "rs", "rnm"),
        (&right, "rnm", "gem"),
        (&left, "gem", "rnm"),
        (&left, "rnm", "mgem"),
        (&left, "rnm", "rs"),
    ];
    let leads = |epsilon: &'static str| {
        orders
            .iter()
            .map(move |(setting, better, worse)| errors.lead(setting, (better, worse), epsilon))
    };
    let all: Vec<f64> = ["0.1", "1"].into_iter().flat_map(leads).collect();
    let held = all.iter().filter(|z| **z > CLEAR).count();
    Given {
        statement: "mGEM and RS benefit most from strong positive correlation, and GEM from negative.",
        source: SOURCE,
        paper: "a figure",
    }
    .against(
        format!("{held} of {} comparisons with rnm at the two ends are as given", all.len()),
        agreement_of(held, all.len()),
        "At epsilon 0.1 and 1: right end, mgem and rs before rnm before gem; left end, gem before rnm \
         before mgem and rs; each by three standard errors.",
    )
}

/// The gain of the best of gem, mgem and rs over report-noisy-max, as a share of the latter's
/// error.
fn gain(errors: &Errors, weight: f64, epsilon: &str) -> Estimate {
    let setting = setting(weight);
    let rnm = errors.of(&setting, "rnm", epsilon);
    let best = ["gem", "mgem", "rs"]
        .map(|rival| errors.of(&setting, rival, epsilon))
        .into_iter()
        .fold(rnm, |best, error| if error.mean < best.mean { error } else { best });
    Estimate { mean: 1.0 - best.mean / rnm.mean, error: best.error.hypot(rnm.error) / rnm.mean }
}

fn by_correlation(errors: &Errors) -> Block {
    let mut agreements = Vec::new();
    let mut words = Vec::new();
    for epsilon in ["0.1", "1"] {
        let gains = [-1.0, 0.0, 1.0].map(|weight| gain(errors, weight, epsilon));
        agreements.extend([gains[0].z(&gains[1]) > CLEAR, gains[2].z(&gains[1]) > CLEAR]);
        let shares = gains.map(|gain| format!("{:.2}", gain.mean));
        words.push(format!("epsilon {epsilon}: {}", shares.join(", ")));
    }
    let held = agreements.iter().filter(|held| **held).count();
    Given {
        statement: "The benefit of the best performing heterogeneous mechanism relative to RNM increases \
                    with the correlation strength.",
        source: SOURCE,
        paper: "a figure",
    }
    .against(
        format!("gain at the left end, in the middle, at the right end: {}", words.join("; ")),
        agreement_of(held, agreements.len()),
        "The gain is 1 minus the smallest error of gem, mgem and rs over that of rnm. Rule: larger at \
         either end than in the middle, by three standard errors.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::experiment::with;

    #[test]
    fn gains_grow_towards_the_ends() {
        with(3, 2, |experiment| {
            let (errors, correlations) = measured(experiment).unwrap();
            assert!(correlations.is_sorted(), "{correlations:?}");
            assert!(matches!(profits(&errors), Block::Comparison { .. }));
            let gains = [-1.0, 0.0, 1.0].map(|weight| gain(&errors, weight, "1").mean);
            assert!(gains[0] > gains[1] && gains[2] > gains[1], "{gains:?}");
        });
    }
}
