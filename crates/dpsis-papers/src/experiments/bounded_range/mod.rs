//! The statements of "Exponential Mechanisms - What's Wrong with Sensitivity?" (2020): theorem 0
//! bounds the privacy loss of a pick of the exponential mechanism by twice the sensitivity of its
//! scores, theorem 1 by their range.
//!
//! No mechanism is drawn from: distributions are computed by their definition, and epsilons by the
//! accountants of the library, whose numbers are rounded outward.

mod picks;
mod prices;
mod quality;
mod statements;

use dpsis::Result;
use dpsis::report::{Block, Section};

use crate::experiments::bounded_range::picks::{PICKS_DATA, picks_chart, picks_within};
use crate::experiments::bounded_range::prices::{PRICES_DATA, prices, prices_chart};
use crate::experiments::bounded_range::quality::{Measured, examples, random_scores};
use crate::experiments::experiment::Experiment;
use crate::experiments::parts::{curves, paragraph, row};

/// The delta of all prices.
const DELTA: &str = "1e-6";

/// Runs the experiment.
pub(super) fn run(experiment: &Experiment<'_>) -> Result<Section> {
    (experiment.progress)("bounded range: theorems 0 and 1", 0.0);
    let (examples, random) = (examples(), random_scores(experiment));
    (experiment.progress)("bounded range: composition", 0.1);
    let prices = prices()?;
    prices::write(experiment, &prices)?;
    (experiment.progress)("bounded range: how many picks", 0.5);
    let picks = picks_within()?;
    picks::write(experiment, &picks)?;

    let prices_caption = "The price of k picks by counts with parameter 0.1 (probabilities proportional to e^(0.1 count)) \
         at delta 1e-6. By theorem 0 a pick is 0.2-differentially private, by theorem 1 0.1-differentially \
         private, and 0.1-bounded-range. Picks that depend on earlier ones cost a little more than picks that are \
         fixed in advance. Dashed: by the central limit theorem.";
    let picks_caption = "How many picks have the price (1, 1e-6): by theorem 1 and the optimal composition of exponential \
         mechanisms, as a multiple of those by theorem 0 and optimal composition. The limit for small parameters is 16.";
    let blocks = vec![
        paragraph(
            "The exponential mechanism with scores q and parameter eps chooses y with a probability proportional to \
             e^(eps q(y)). Theorem 0 (McSherry and Talwar, 2007) says that it is 2 sens(q) eps-differentially private, \
             theorem 1 (Durfee and Rogers, 2019) that it is range(q) eps-differentially private: sens(q) is the \
             largest change of a score between neighbors, range(q) the largest difference between the changes of two \
             scores. The largest log-ratio below is that of the law itself, over all outcomes and neighbors.",
        ),
        table(&examples),
        statements::depends_on_scores(&examples),
        statements::theorem_one_holds(&random),
        statements::never_worse(&random),
        statements::monotone(&random),
        curves(experiment, "bounded-range", &prices_chart(&prices), prices_caption, PRICES_DATA)?,
        statements::in_order(&prices),
        statements::factor_of_four(&prices),
        curves(experiment, "bounded-range-picks", &picks_chart(&picks), picks_caption, PICKS_DATA)?,
        statements::sixteen_times(&picks),
    ];
    Ok(Section::new(
        "bounded-range",
        "Bounded range: what a pick of the exponential mechanism costs",
        blocks,
    ))
}

fn table(examples: &[Measured]) -> Block {
    let line = |one: &Measured| {
        let numbers = [
            one.sensitivity,
            one.range,
            2.0 * one.sensitivity * one.epsilon,
            one.range * one.epsilon,
            one.log_ratio,
        ];
        let mut line = row(&[one.name]);
        line.extend(numbers.map(|number| format!("{number:.4}")));
        line
    };
    let header = ["scores", "sensitivity", "range", "theorem 0", "theorem 1", "largest log-ratio"];
    Block::Table {
        caption: "Two theorems about the same mechanisms, with parameter 1".into(),
        header: row(&header),
        rows: examples.iter().map(line).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::experiment::with;

    /// All statements match for any seed: only scores are random, and the theorems hold for all
    /// scores.
    #[test]
    fn every_statement_matches() {
        with(10, 1, |experiment| {
            let section = run(experiment).unwrap();
            let agreements: Vec<String> = section
                .blocks
                .iter()
                .filter_map(|block| match block {
                    Block::Comparison { agreement, ours, .. } => {
                        Some(format!("{agreement:?} {ours}"))
                    }
                    _ => None,
                })
                .collect();
            assert_eq!(agreements.len(), 7);
            for agreement in &agreements {
                assert!(agreement.starts_with("Matches"), "{agreement}");
            }
            for file in [PRICES_DATA, PICKS_DATA, "bounded-range.svg", "bounded-range-picks.svg"] {
                assert!(experiment.output.path().join(file).exists(), "{file}");
            }
        });
    }
}
