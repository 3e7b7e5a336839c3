//! The second stage for correlated features, compared with the ordinary selection.
//!
//! Whole requests are rehearsed at a public scale and center, with the draws of a release except
//! for effect sizes and center.

use dpsis::internals::in_parallel;
use dpsis::report::Block;
use dpsis::{
    ArrayTable, Bounds, Center, Epsilon, Refine, Rehearsal, RehearsalSeeds, Result, Scaling,
    Select, Target,
};
use dpsis_eval::Estimate;
use dpsis_eval::internals::{f1, seed_of};
use ndarray::{Array1, Array2, Axis};

use crate::experiments::designs::cells::{DESIGNS, FEATURES, design};
use crate::experiments::experiment::Experiment;
use crate::experiments::parts::{paragraph, row};
use dpsis_eval::design::Design;

/// The numbers of rows.
const ROWS: [usize; 5] = [1000, 2000, 3000, 6000, 16_000];

/// The total budget.
const EPSILON: &str = "1";

/// The clip of values and target, in standard deviations.
const CLIP: f64 = 1.0;

/// A selection at a public scale, by bounds or by ranks within rows.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Arm {
    name: &'static str,
    refined: bool,
    row_ranks: bool,
}

const ARMS: [Arm; 4] = [
    Arm { name: "canonical", refined: false, row_ranks: false },
    Arm { name: "refined", refined: true, row_ranks: false },
    Arm { name: "canonical, row ranks", refined: false, row_ranks: true },
    Arm { name: "refined, row ranks", refined: true, row_ranks: true },
];

impl Arm {
    fn request(self, design: &Design) -> Result<Select> {
        let most = CLIP * design.target_deviation();
        let select = Select::new(Design::TRUE.len())
            .target(Target::Bounded(Bounds::new(-most, most)?))
            .center(Center::None);
        let select = match self.row_ranks {
            true => select.scaling(Scaling::RowRank),
            false => select.bounds(-CLIP, CLIP),
        };
        Ok(if self.refined { select.refine(Refine::Gram) } else { select })
    }
}

/// The results of an arm at a number of rows.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RefinedCell {
    design: &'static str,
    arm: &'static str,
    n: usize,
    f1: Estimate,
    /// The share of trials that found exactly the true features.
    exact: Estimate,
}

/// Measures a design with the fewest features. A trial is one growing table.
pub(super) fn measure(
    experiment: &Experiment<'_>,
    name: &'static str,
    sizes: &[usize],
) -> Result<Vec<RefinedCell>> {
    let features = FEATURES[0];
    let (design, epsilon): (_, Epsilon) = (design(name, features), EPSILON.parse()?);
    let most = sizes.iter().copied().max().unwrap_or(0);
    let trial = |trial: u64| -> Result<Vec<f64>> {
        let mut rows = design.rows(seed_of(experiment.seed, &["designs", "refined", name], trial));
        let (mut x, mut y) = (Array2::zeros((most, features)), Array1::zeros(most));
        let mut values = vec![0.0; features];
        for (mut to, target) in x.rows_mut().into_iter().zip(&mut y) {
            *target = rows.next_into(&mut values);
            to.iter_mut().zip(&values).for_each(|(to, value)| *to = *value);
        }
        let mut found = Vec::with_capacity(sizes.len() * ARMS.len());
        for &n in sizes {
            let (x, y) = (x.view().split_at(Axis(0), n).0, y.view().split_at(Axis(0), n).0);
            let table = ArrayTable::new(x, y)?;
            for arm in ARMS {
                let rehearsal = Rehearsal::new(arm.request(&design)?, &table)?;
                let names = ["designs", "refined", name, arm.name, &n.to_string()];
                let seeds = RehearsalSeeds::all(seed_of(experiment.seed, &names, trial));
                let picks = rehearsal.picks(Design::TRUE.len(), &epsilon, None, seeds)?;
                found.push(f1(&picks, &Design::TRUE));
            }
        }
        Ok(found)
    };
    let trials = in_parallel(experiment.trials, experiment.threads, trial)?;
    let mut cells = Vec::new();
    for (i, &n) in sizes.iter().enumerate() {
        for (j, arm) in ARMS.iter().enumerate() {
            let values = || trials.iter().map(|found| found[i * ARMS.len() + j]);
            let exact = Estimate::of(values().map(|f1| f64::from(u8::from(f1 == 1.0))));
            let f1 = Estimate::of(values());
            cells.push(RefinedCell { design: name, arm: arm.name, n, f1, exact });
        }
    }
    Ok(cells)
}

/// Measures all designs, writes their data and describes them.
pub(super) fn blocks(experiment: &Experiment<'_>) -> Result<Vec<Block>> {
    let mut cells = Vec::new();
    for name in DESIGNS {
        cells.extend(measure(experiment, name, &ROWS)?);
    }
    let header =
        ["design", "arm", "epsilon", "n", "trials", "f1", "f1_error", "exact", "exact_error"];
    let line = |cell: &RefinedCell| {
        let mut line = row(&[cell.design, cell.arm, EPSILON]);
        line.extend([cell.n.to_string(), experiment.trials.to_string()]);
        let numbers = [cell.f1.mean, cell.f1.error, cell.exact.mean, cell.exact.error];
        line.extend(numbers.map(|number| format!("{number:.4}")));
        line
    };
    let lines: Vec<_> = cells.iter().map(line).collect();
    experiment.output.write_csv("designs-refined.csv", &header, &lines)?;
    Ok(vec![
        paragraph(
            "Refined: ten features are screened with a quarter of epsilon, and the five of them that together explain the \
             target best are selected by private correlations of the signs of all eleven. Where features are correlated it \
             finds exact supports that screening finds with many more rows or never; where they hardly are, it costs rows, \
             for the screening alone would have done. With mixed signs and bounds, ten screened features do not hold the \
             negative ones, whose covariance with the target is 0; ranks within rows take out what all features share. Clip \
             1 sd; scale and center are public.",
        ),
        table(&cells),
    ])
}

fn table(cells: &[RefinedCell]) -> Block {
    let mut header = row(&["design", "selection"]);
    header.extend(ROWS.map(|n| format!("{n} rows")));
    let shares = |name: &str, arm: &str| {
        let of = cells.iter().filter(|cell| cell.design == name && cell.arm == arm);
        of.map(|cell| format!("{:.2}", cell.exact.mean)).collect::<Vec<_>>()
    };
    let mut rows = Vec::new();
    for name in DESIGNS {
        for arm in ARMS {
            let mut line = row(&[name, arm.name]);
            line.extend(shares(name, arm.name));
            rows.push(line);
        }
    }
    Block::Table {
        caption: "Share of runs with exact support: 100 features, epsilon 1.".into(),
        header,
        rows,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::experiment::with;

    /// At this size, screening alone selects features correlated with the true ones.
    #[test]
    fn the_second_stage_separates_correlated_features() {
        let cells = with(4, 2, |experiment| measure(experiment, "AR 0.5", &[6000]).unwrap());
        let exact = |arm: &str| cells.iter().find(|cell| cell.arm == arm).unwrap().exact.mean;
        assert_eq!(exact("refined"), 1.0);
        assert_eq!(exact("refined, row ranks"), 1.0);
    }
}
