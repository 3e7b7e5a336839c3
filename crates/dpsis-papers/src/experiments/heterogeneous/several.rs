//! Whether a sensitivity for each candidate helps when k candidates are picked. Not in the paper.

use std::sync::Arc;

use dpsis::internals::in_parallel;
use dpsis::mechanism::{Parameters, by_id};
use dpsis::report::{Block, Section};
use dpsis::{Epsilon, Mechanism, Result, Scores, Seeded};
use dpsis_eval::Estimate;
use dpsis_eval::internals::seed_of;

use crate::experiments::agreements::CLEAR;
use crate::experiments::experiment::Experiment;
use crate::experiments::heterogeneous::instances::{BUDGETS, INSTANCES, Made, made};
use crate::experiments::parts::{paragraph, row};
use crate::parts_file::{Parts, ResultRow};

/// The numbers of picks.
const PICKS: [usize; 2] = [2, 5];
/// The draws per instance for each repetition: 200 for 100.
const DRAWS: u64 = 2;
const DATA: &str = "several-picks.csv";

/// The mechanisms; the first two take the largest sensitivity for all candidates.
const DRAWN: [&str; 5] = ["canonical", "peel-pnf", "gem", "mgem", "rs"];

/// The losses of the mechanisms on an instance, each divided by the loss of a uniform choice.
struct Losses {
    falls: bool,
    losses: Vec<Estimate>,
}

/// The mean score of the k best minus the mean score of the picks.
fn loss(scores: &[i64], picks: &[usize], k: usize) -> f64 {
    let mut sorted = scores.to_vec();
    sorted.sort_unstable_by(|a, b| b.cmp(a));
    let best: i64 = sorted[..k].iter().sum();
    let picked: i64 = picks.iter().map(|pick| scores[*pick]).sum();
    (best - picked) as f64 / k as f64
}

fn measured(experiment: &Experiment<'_>, number: u64, k: usize, words: &str) -> Result<Losses> {
    let Made { contest, falls, .. } = made(experiment.seed, number)?;
    let epsilon: Epsilon = words.parse()?;
    let own: &Scores = contest.scores();
    let common = own.with_the_largest_sensitivity();
    let values = own.values();
    let all: Vec<usize> = (0..values.len()).collect();
    // The mean loss of a uniform choice is the mean of the best k minus the mean of all.
    let mean = values.iter().sum::<i64>() as f64 / all.len() as f64;
    let best = loss(values, &[], k);
    let uniform = best - mean;
    let mut losses = Vec::new();
    for name in DRAWN {
        let mechanism: Arc<dyn Mechanism> = by_id(name, &Parameters::default())?;
        let scores = if ["canonical", "peel-pnf"].contains(&name) { &common } else { own };
        let draw = |draw: u64| -> Result<f64> {
            let names = ["several", name, words, &k.to_string(), &number.to_string()];
            let seed = Seeded(seed_of(experiment.seed, &names, draw));
            let picks = mechanism.pick(scores, k, &epsilon, seed)?;
            // Where all candidates are picked nothing is lost.
            let lost = loss(values, &picks, k);
            Ok(if uniform > 0.0 { lost / uniform } else { 0.0 })
        };
        let draws: Vec<f64> = (0..DRAWS * experiment.trials).map(draw).collect::<Result<_>>()?;
        losses.push(Estimate::of(draws));
    }
    Ok(Losses { falls, losses })
}

/// Runs the experiment.
pub(in crate::experiments) fn run(experiment: &Experiment<'_>) -> Result<Section> {
    let mut results = Parts::open(
        experiment.output,
        DATA,
        &["instance", "k", "epsilon", "mechanism"],
        &["falls", "loss", "loss_error"],
        (experiment.seed, experiment.trials),
    )?;
    let mut rows = Vec::new();
    for (i, k) in PICKS.into_iter().enumerate() {
        for (j, words) in BUDGETS.into_iter().enumerate() {
            let share = (i * BUDGETS.len() + j) as f64 / 8.0;
            (experiment.progress)(&format!("several picks: k = {k}, epsilon {words}"), share);
            let part = results.part(&format!("k = {k}, epsilon {words}"), || {
                let all = in_parallel(INSTANCES, experiment.threads, |number| {
                    measured(experiment, number, k, words)
                })?;
                Ok(all.iter().enumerate().flat_map(|(n, one)| rows_of(n, one, k, words)).collect())
            })?;
            rows.extend(part);
        }
    }
    let blocks = vec![
        paragraph(
            "The random instances of the conditions, with several picks. canonical and peel-pnf take the \
             largest sensitivity for all candidates; gem, mgem and rs (with its own probability of \
             stopping, 1/(10 m)) pick one after the other, each with epsilon/k. The loss of a draw is the mean score of the k best minus that of the picks. Not an \
             experiment of the paper.",
        ),
        table(&rows, true),
        table(&rows, false),
    ];
    Ok(Section::new("several-picks", "Several picks", blocks))
}

fn rows_of(number: usize, one: &Losses, k: usize, words: &str) -> Vec<ResultRow> {
    let falls = f64::from(u8::from(one.falls));
    let row = |(name, loss): (&&str, &Estimate)| {
        let key = [&*number.to_string(), &*k.to_string(), words, *name];
        ResultRow::new(&key, &[falls, loss.mean, loss.error])
    };
    DRAWN.iter().zip(&one.losses).map(row).collect()
}

/// For each k and budget the mean loss of each mechanism over that of a uniform choice, and how
/// often it is clearly better and worse than canonical, where sensitivities fall with the scores,
/// or rise.
fn table(rows: &[ResultRow], falls: bool) -> Block {
    let of = |k: usize, epsilon: &str, mechanism: &str| -> Vec<Estimate> {
        let is = |row: &&ResultRow| {
            row.key[1..] == [k.to_string(), epsilon.to_owned(), mechanism.to_owned()]
                && (row.numbers[0] == 1.0) == falls
        };
        let estimate = |row: &ResultRow| Estimate { mean: row.numbers[1], error: row.numbers[2] };
        rows.iter().filter(is).map(estimate).collect()
    };
    let cell = |k: usize, epsilon: &str, mechanism: &str| {
        let (own, canonical) = (of(k, epsilon, mechanism), of(k, epsilon, DRAWN[0]));
        let mean = own.iter().map(|loss| loss.mean).sum::<f64>() / own.len() as f64;
        if mechanism == DRAWN[0] {
            return format!("{mean:.2}");
        }
        let leads: Vec<f64> = canonical.iter().zip(&own).map(|(a, b)| a.z(b)).collect();
        let better = leads.iter().filter(|z| **z > CLEAR).count();
        let worse = leads.iter().filter(|z| **z < -CLEAR).count();
        format!("{mean:.2} ({better}, {worse})")
    };
    let lines = PICKS.into_iter().flat_map(|k| BUDGETS.map(|epsilon| (k, epsilon)));
    let lines = lines.map(|(k, epsilon)| {
        let mut line = row(&[&k.to_string(), epsilon]);
        line.extend(DRAWN.map(|mechanism| cell(k, epsilon, mechanism)));
        line
    });
    let mut header = row(&["k", "epsilon"]);
    header.extend(DRAWN.map(String::from));
    let words = if falls { "fall" } else { "rise" };
    Block::Table {
        caption: format!(
            "Sensitivities that {words} with the scores: mean loss over that of a uniform choice; in \
             parentheses in how many instances a mechanism is clearly better, and worse, than canonical."
        ),
        rows: lines.collect(),
        header,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_by_hand() {
        assert_eq!(loss(&[3, 9, 4, 7], &[1, 3], 2), 0.0);
        assert_eq!(loss(&[3, 9, 4, 7], &[0, 2], 2), 4.5);
    }
}
