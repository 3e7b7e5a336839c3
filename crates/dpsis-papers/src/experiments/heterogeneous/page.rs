//! Figures and tables of scenarios.

use dpsis::Result;
use dpsis::report::Block;

use crate::experiments::agreements::CLEAR;
use crate::experiments::experiment::Experiment;
use crate::experiments::heterogeneous::candidates::Candidates;
use crate::experiments::heterogeneous::errors::{EPSILONS, Errors, TRIALS, errors_file, measure};
use crate::experiments::parts::{curves, row};
use crate::rivals::{RIVALS, Rival};

/// The private rivals of report-noisy-max.
const PRIVATE: [&str; 6] = ["gem", "mgem", "cgem", "rs", "rs-tnb", "krr"];

/// Measures scenarios and draws a pair of figures for each.
pub(super) fn scenarios(
    experiment: &Experiment<'_>,
    file: &str,
    all: &[(&str, &str, Candidates)],
) -> Result<(Errors, Vec<Block>)> {
    let trials = TRIALS * experiment.trials;
    let data = format!("{file}.csv");
    let mut results = errors_file(experiment, &data, trials)?;
    let mut errors = Errors::default();
    for (i, (name, _, candidates)) in all.iter().enumerate() {
        (experiment.progress)(&format!("{file}: {name}"), i as f64 / all.len() as f64);
        let rows = results.part(name, || {
            measure(experiment, name, &Rival::all()?, candidates, trials, &EPSILONS)
        })?;
        errors.add(name, rows);
    }
    let mut blocks = Vec::new();
    for (name, words, candidates) in all {
        blocks.push(scenario_figures(experiment, &errors, (name, words), candidates, &data)?);
    }
    blocks.push(best_table(&errors, &all.iter().map(|(name, ..)| *name).collect::<Vec<_>>()));
    Ok((errors, blocks))
}

/// The candidates of a scenario and the errors of all rivals, side by side.
fn scenario_figures(
    experiment: &Experiment<'_>,
    errors: &Errors,
    (name, words): (&str, &str),
    candidates: &Candidates,
    data: &str,
) -> Result<Block> {
    let id = name.replace(' ', "-");
    let chart = candidates.chart(format!("{name}: {words}"));
    let caption =
        format!("Candidates of {name}: mean scores, with bands as wide as the sensitivities.");
    let shown = curves(experiment, &format!("{id}-candidates"), &chart, &caption, data)?;
    let chart = errors.chart(name, &RIVALS, format!("{name}: errors"));
    let caption = format!("Mean squared errors in {name}, with 95% bands.");
    let measured = curves(experiment, &format!("{id}-errors"), &chart, &caption, data)?;
    Ok(Block::SideBySide(vec![shown, measured]))
}

/// For each setting and budget the private mechanism with the smallest error, and its error as a
/// share of the error of report-noisy-max.
fn best_table(errors: &Errors, settings: &[&str]) -> Block {
    let mut header = row(&["epsilon"]);
    header.extend(settings.iter().map(|setting| (*setting).to_owned()));
    let rows = EPSILONS.into_iter().map(|epsilon| {
        let mut line = row(&[epsilon]);
        line.extend(settings.iter().map(|setting| best(errors, setting, epsilon)));
        line
    });
    Block::Table {
        caption:
            "The private mechanism with the smallest error, and its error over that of rnm; rnm \
                  where none is smaller by three standard errors."
                .into(),
        rows: rows.collect(),
        header,
    }
}

fn best(errors: &Errors, setting: &str, epsilon: &str) -> String {
    let error = |rival: &str| errors.of(setting, rival, epsilon).mean;
    let best = PRIVATE
        .into_iter()
        .fold(PRIVATE[0], |best, rival| if error(rival) < error(best) { rival } else { best });
    if errors.lead(setting, (best, "rnm"), epsilon) > CLEAR {
        format!("{best} {:.2}", error(best) / error("rnm"))
    } else {
        "rnm".to_owned()
    }
}
