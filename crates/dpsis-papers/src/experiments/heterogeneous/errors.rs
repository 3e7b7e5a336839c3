//! Mean squared errors of rivals: how far below the best score the picked one is.

use std::collections::BTreeMap;

use dpsis::internals::in_parallel;
use dpsis::{Epsilon, Result};
use dpsis_eval::Estimate;
use dpsis_eval::internals::seed_of;

use crate::experiments::experiment::Experiment;
use crate::experiments::heterogeneous::candidates::Candidates;
use crate::parts_file::{Parts, ResultRow};
use crate::rivals::Rival;
use dpsis_eval::figure::{Curve, CurveChart, CurvePoint};

/// The budgets: the paper goes from 0.01 to 16.
pub(in crate::experiments) const EPSILONS: [&str; 10] =
    ["0.01", "0.05", "0.1", "0.25", "0.5", "1", "2", "4", "8", "16"];

/// The trials of this paper's experiments for each trial of the others: 10,000 for 100.
pub(super) const TRIALS: u64 = 100;

/// Mean squared errors by setting, rival and epsilon.
#[derive(Debug, Default, Clone, PartialEq)]
pub(in crate::experiments) struct Errors(BTreeMap<(String, String, String), Estimate>);

/// Opens the file of mean squared errors of an experiment.
pub(super) fn errors_file<'a>(
    experiment: &Experiment<'a>,
    name: &str,
    trials: u64,
) -> Result<Parts> {
    Parts::open(
        experiment.output,
        name,
        &["mechanism", "epsilon"],
        &["mean_squared_error", "standard_error"],
        (experiment.seed, trials),
    )
}

/// Measures rivals at the given budgets.
pub(super) fn measure(
    experiment: &Experiment<'_>,
    setting: &str,
    rivals: &[Rival],
    candidates: &Candidates,
    trials: u64,
    epsilons: &[&str],
) -> Result<Vec<ResultRow>> {
    let budgets: Vec<Epsilon> = epsilons.iter().map(|text| text.parse()).collect::<Result<_>>()?;
    let trial = |trial: u64| -> Result<Vec<f64>> {
        let contest = candidates.contest(trial)?;
        let mut errors = Vec::with_capacity(rivals.len() * budgets.len());
        for rival in rivals {
            for (epsilon, words) in budgets.iter().zip(epsilons) {
                let names = ["heterogeneous", setting, &*rival.name, words];
                let pick =
                    rival.pick(&contest, epsilon, seed_of(experiment.seed, &names, trial))?;
                errors.push(contest.shortfall(pick).powi(2));
            }
        }
        Ok(errors)
    };
    let found = in_parallel(trials, experiment.threads, trial)?;
    let names = rivals.iter().flat_map(|rival| epsilons.iter().map(|words| (&*rival.name, *words)));
    let rows = names.enumerate().map(|(place, (rival, words))| {
        let error = Estimate::of(found.iter().map(|errors| errors[place]));
        ResultRow::new(&[rival, words], &[error.mean, error.error])
    });
    Ok(rows.collect())
}

impl Errors {
    /// Adds the rows of a setting.
    pub(in crate::experiments) fn add(&mut self, setting: &str, rows: Vec<ResultRow>) {
        for row in rows {
            let key = (setting.to_owned(), row.key[0].clone(), row.key[1].clone());
            self.0.insert(key, Estimate { mean: row.numbers[0], error: row.numbers[1] });
        }
    }

    /// The error of a rival; NaN where it was not measured.
    pub(in crate::experiments) fn of(&self, setting: &str, rival: &str, epsilon: &str) -> Estimate {
        let key = (setting.to_owned(), rival.to_owned(), epsilon.to_owned());
        self.0.get(&key).copied().unwrap_or(Estimate { mean: f64::NAN, error: f64::NAN })
    }

    /// By how many standard errors the first rival is better than the second one.
    pub(in crate::experiments) fn lead(
        &self,
        setting: &str,
        (first, second): (&str, &str),
        epsilon: &str,
    ) -> f64 {
        self.of(setting, second, epsilon).z(&self.of(setting, first, epsilon))
    }

    /// The chart of rivals in a setting over epsilon.
    pub(in crate::experiments) fn chart(
        &self,
        setting: &str,
        rivals: &[&str],
        title: String,
    ) -> CurveChart {
        let curve = |rival: &&str| Curve {
            label: (*rival).into(),
            points: EPSILONS
                .into_iter()
                .map(|epsilon| {
                    point(dpsis_eval::internals::number(epsilon), self.of(setting, rival, epsilon))
                })
                .collect(),
        };
        error_chart(title, "epsilon", true, rivals.iter().map(curve).collect())
    }
}

/// A point with its 95% band.
pub(in crate::experiments) fn point(x: f64, error: Estimate) -> CurvePoint {
    let (low, high) = error.band();
    CurvePoint { x, y: error.mean, low: low.max(0.0), high }
}

/// A chart of mean squared errors.
pub(in crate::experiments) fn error_chart(
    title: String,
    x_label: &str,
    x_log: bool,
    curves: Vec<Curve>,
) -> CurveChart {
    CurveChart {
        title,
        x_label: x_label.into(),
        y_label: "mean squared error".into(),
        x_log,
        y_log: false,
        y_range: None,
        curves,
        references: Vec::new(),
    }
}
