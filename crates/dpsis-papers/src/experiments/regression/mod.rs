//! Private models after a private selection, on rows that took part in neither.
//!
//! Synthetic tables with five true features, and the public sets of two classes. Each contender
//! gets the same total epsilon, and where it selects first, 0.4 of it for that.

mod cells;
mod contenders;
mod page;
mod split;
mod statements;

use dpsis::Result;
use dpsis::report::{Block, Section};

use crate::experiments::experiment::Experiment;
use crate::experiments::regression::cells::{Cell, Setting, on_sets, on_synthetic};
use crate::experiments::sets::Sets;

/// The number of features of a model that selects.
const K: usize = 5;

/// A total epsilon with its parts for the selection and for the model.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Budget {
    total: &'static str,
    selection: &'static str,
    model: &'static str,
}

const fn of(total: &'static str, selection: &'static str, model: &'static str) -> Budget {
    Budget { total, selection, model }
}

/// The budgets, 0.4 of each for the selection.
const BUDGETS: [Budget; 5] = [
    of("0.5", "0.2", "0.3"),
    of("1", "0.4", "0.6"),
    of("2", "0.8", "1.2"),
    of("5", "2", "3"),
    of("10", "4", "6"),
];

/// Runs the experiment.
pub(super) fn run(experiment: &Experiment<'_>) -> Result<Section> {
    run_on(experiment, &Setting::ALL)
}

fn run_on(experiment: &Experiment<'_>, settings: &[Setting]) -> Result<Section> {
    let mut cells = Vec::new();
    for (i, setting) in settings.iter().enumerate() {
        let doing = format!("regression: {}", setting.name());
        (experiment.progress)(&doing, i as f64 / (settings.len() + 1) as f64);
        cells.extend(on_synthetic(experiment, setting)?);
        page::write_data(experiment, "regression.csv", &cells)?;
    }
    let sets = Sets::all(experiment)?;
    (experiment.progress)(
        "regression: public sets",
        settings.len() as f64 / (settings.len() + 1) as f64,
    );
    let of_sets: Vec<Cell> = on_sets(experiment, &sets)?;
    page::write_data(experiment, "regression-sets.csv", &of_sets)?;
    let mut blocks = page::synthetic(experiment, settings, &cells)?;
    blocks.extend(statements::comparisons(settings, &cells));
    blocks.extend(page::sets(experiment, &of_sets)?);
    blocks.extend::<Option<Block>>(sets.skipped());
    Ok(Section::new("regression", "Private models after a private selection", blocks))
}

#[cfg(test)]
mod tests;
