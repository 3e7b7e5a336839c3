//! The measures of each contender, table by table and budget by budget.

use dpsis::Result;
use dpsis::internals::in_parallel;
use dpsis_eval::internals::seed_of;

use crate::experiments::experiment::Experiment;
use crate::experiments::regression::BUDGETS;
use crate::experiments::regression::contenders::{Contender, Contest};
use crate::experiments::regression::split::{Kind, Split};
use crate::experiments::sets::Sets;

/// A kind of synthetic tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Setting {
    pub(super) kind: Kind,
    pub(super) features: usize,
    pub(super) rows: usize,
}

const fn of(kind: Kind, features: usize, rows: usize) -> Setting {
    Setting { kind, features, rows }
}

impl Setting {
    /// All settings of the experiment, the quick ones first.
    pub(super) const ALL: [Self; 12] = [
        of(Kind::Number, 20, 1000),
        of(Kind::Number, 100, 1000),
        of(Kind::Classes, 20, 1000),
        of(Kind::Classes, 100, 1000),
        of(Kind::Number, 20, 10_000),
        of(Kind::Number, 100, 10_000),
        of(Kind::Classes, 20, 10_000),
        of(Kind::Classes, 100, 10_000),
        of(Kind::Number, 20, 100_000),
        of(Kind::Number, 100, 100_000),
        of(Kind::Classes, 20, 100_000),
        of(Kind::Classes, 100, 100_000),
    ];

    /// The name, as in data and figures.
    pub(super) fn name(&self) -> String {
        format!("{}, {} rows, {} features", self.kind.word(), self.rows, self.features)
    }

    /// The number of tables for a given number of repetitions: a third of them for each tenfold of
    /// the rows.
    fn tables(&self, trials: u64) -> u64 {
        let most = trials * 100 / (10 * self.rows as u64).isqrt();
        most.clamp(2, trials)
    }

    /// All contenders, but not DPKendall on the largest tables, since it takes k + 1 passes of n
    /// log n steps per feature.
    fn contenders(&self) -> Vec<Contender> {
        let large = self.rows * self.features > 5_000_000;
        let all = Contender::ALL.into_iter();
        all.filter(|one| *one != Contender::DpKendall || !large).collect()
    }
}

/// The measures of a contender on the tables of a kind at a budget.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Cell {
    pub(super) table: String,
    pub(super) contender: Contender,
    /// The total epsilon.
    pub(super) epsilon: &'static str,
    pub(super) trials: usize,
    /// The lower quartile.
    pub(super) low: f64,
    pub(super) median: f64,
    /// The upper quartile.
    pub(super) high: f64,
}

/// The cells of one kind of tables: a new table in each trial, on which all contenders are run at
/// all budgets.
pub(super) fn on_synthetic(experiment: &Experiment<'_>, setting: &Setting) -> Result<Vec<Cell>> {
    let (name, Setting { kind, features, rows }) = (setting.name(), *setting);
    let contenders = setting.contenders();
    let measured = in_parallel(setting.tables(experiment.trials), experiment.threads, |trial| {
        let seed = seed_of(experiment.seed, &["regression", &name], trial);
        contest(&Split::synthetic(kind, rows, features, seed)?, &contenders, seed)
    })?;
    Ok(cells(&name, &contenders, &measured))
}

/// The cells of the public sets of two classes: a new split in each trial, a fifth of the
/// repetitions.
pub(super) fn on_sets(experiment: &Experiment<'_>, sets: &Sets<'_>) -> Result<Vec<Cell>> {
    let mut all = Vec::new();
    for set in sets.present.iter().filter(|set| set.classes.len() == 2) {
        let table = sets.table(set)?;
        let trials = (experiment.trials / 5).max(experiment.trials.min(5));
        let measured = in_parallel(trials, experiment.threads, |trial| {
            let seed = seed_of(experiment.seed, &["regression", &set.name], trial);
            contest(&Split::of_set(&table, seed), &Contender::WIDE, seed)
        })?;
        all.extend(cells(&set.name, &Contender::WIDE, &measured));
    }
    Ok(all)
}

/// The measures by budget and contender.
fn contest(split: &Split, contenders: &[Contender], seed: u64) -> Result<Vec<Vec<f64>>> {
    let contest = Contest::new(split, contenders, seed)?;
    BUDGETS.iter().map(|budget| contest.qualities(contenders, budget)).collect()
}

fn cells(table: &str, contenders: &[Contender], measured: &[Vec<Vec<f64>>]) -> Vec<Cell> {
    let mut cells = Vec::new();
    for (i, budget) in BUDGETS.iter().enumerate() {
        for (j, &contender) in contenders.iter().enumerate() {
            let mut values: Vec<f64> = measured.iter().map(|trial| trial[i][j]).collect();
            values.sort_unstable_by(f64::total_cmp);
            cells.push(Cell {
                table: table.to_owned(),
                contender,
                epsilon: budget.total,
                trials: values.len(),
                low: quantile(&values, 0.25),
                median: quantile(&values, 0.5),
                high: quantile(&values, 0.75),
            });
        }
    }
    cells
}

/// A quantile of sorted values, interpolated; NaN without values.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let place = share * last as f64;
    let (below, part) = (place.floor() as usize, place.fract());
    sorted[below] + part * (sorted[(below + 1).min(last)] - sorted[below])
}

/// Cells that can be looked up.
#[derive(Clone, Copy)]
pub(super) struct Cells<'a>(pub(super) &'a [Cell]);

impl<'a> Cells<'a> {
    /// The cells of a contender on a kind of tables, by epsilon.
    pub(super) fn along(
        self,
        table: &'a str,
        contender: Contender,
    ) -> impl Iterator<Item = &'a Cell> {
        self.0.iter().filter(move |cell| cell.table == table && cell.contender == contender)
    }

    /// The median of a contender on a kind of tables; NaN if it was not run.
    pub(super) fn median(self, table: &str, contender: Contender, epsilon: &str) -> f64 {
        let is = |cell: &&Cell| {
            cell.table == table && cell.contender == contender && cell.epsilon == epsilon
        };
        self.0.iter().find(is).map_or(f64::NAN, |cell| cell.median)
    }

    /// The smallest epsilon at which the median reaches half of the median of the plain model on
    /// all features.
    pub(super) fn enough(self, table: &'a str, contender: Contender) -> Option<&'static str> {
        let half = self.along(table, Contender::PlainAll).next()?.median / 2.0;
        self.along(table, contender).find(|cell| cell.median >= half).map(|cell| cell.epsilon)
    }
}

#[cfg(test)]
mod unit {
    use super::*;

    #[test]
    fn quantiles_by_hand() {
        assert_eq!(
            [0.0, 0.25, 0.5, 1.0].map(|share| quantile(&[1.0, 2.0, 4.0], share)),
            [1.0, 1.5, 2.0, 4.0]
        );
        assert_eq!(quantile(&[3.0], 0.75), 3.0);
        assert!(quantile(&[], 0.5).is_nan());
    }

    #[test]
    fn the_smallest_epsilon_that_reaches_half_is_found() {
        let cell = |contender, epsilon, median| Cell {
            table: "t".into(),
            contender,
            epsilon,
            trials: 1,
            low: median,
            median,
            high: median,
        };
        let cells = [
            cell(Contender::Given, "1", 0.39),
            cell(Contender::Given, "2", 0.4),
            cell(Contender::All, "1", -3.0),
            cell(Contender::PlainAll, "1", 0.8),
        ];
        assert_eq!(Cells(&cells).enough("t", Contender::Given), Some("2"));
        assert_eq!(Cells(&cells).enough("t", Contender::All), None);
    }
}
