//! Repeated draws of methods on tables, summarized per combination of settings.

use std::collections::BTreeMap;
use std::time::Instant;

use dpsis::internals::in_parallel;
use dpsis::{Epsilon, RehearsalSeeds, Result};

use crate::arm::Arm;
use crate::downstream::Performance;
use crate::metrics::{AgainstScores, Estimate, agreement};
use crate::seed::seed_of;
use crate::study::{ReadyArm, Study};

/// A number of features to pick: fixed, or `log`, the natural logarithm of the number of features
/// in the table, rounded down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Count {
    /// A fixed number.
    Number(usize),
    /// The natural logarithm of the number of features, rounded down, at least 1.
    Log,
}

impl Count {
    /// Returns the number of features to pick from `d` features.
    pub fn of(self, d: usize) -> usize {
        match self {
            Self::Number(k) => k,
            Self::Log => ((d as f64).ln().floor() as usize).max(1),
        }
    }
}

impl std::fmt::Display for Count {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(k) => write!(f, "{k}"),
            Self::Log => write!(f, "log"),
        }
    }
}

/// The grid of a comparison: every method with every number of features and every budget.
pub struct Sweep {
    /// The methods with their scales.
    pub arms: Vec<Arm>,
    /// The numbers of features to pick, k.
    pub counts: Vec<Count>,
    /// The total budgets.
    pub epsilons: Vec<Epsilon>,
    /// The number of draws per cell, at least 1.
    pub trials: u64,
    /// The seed of all draws.
    pub seed: u64,
    /// The number of threads; results do not depend on it.
    pub threads: usize,
}

/// The coordinates of a cell, as text, in the order in which results are sorted.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CellKey {
    /// The table's name.
    pub table: String,
    /// The method, as [`Arm::name`] gives it.
    pub method: String,
    /// The scale, as [`Arm::scale_name`] gives it.
    pub scale: String,
    /// The number of features to pick: a number or `log`.
    pub count: String,
    /// The total budget epsilon.
    pub epsilon: String,
}

/// The results of one method on one table at one budget, averaged over all draws.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparisonCell {
    /// The number of features picked.
    pub k: usize,
    /// The number of draws.
    pub trials: u64,
    /// The number of picks among the LASSO's k largest coefficients, divided by k, from 0 to 1.
    pub lasso: Estimate,
    /// The share of the picks among the k best scores without noise, from 0 to 1.
    pub overlap: Estimate,
    /// The share of TOP draws: exactly the k best scores are picked.
    pub top: f64,
    /// The share of GREAT draws: the k/10 best are picked and all picks are among the 11k/10 best.
    pub great: f64,
    /// The share of GOOD draws: the k/100 best are picked and all picks are among the 3k/2 best.
    pub good: f64,
    /// The cross-validated accuracy (classes) or R^2 (numeric target) of a plain model on the
    /// picks.
    pub model: Estimate,
    /// The accuracy or R^2 of a model without features.
    pub baseline: f64,
    /// The accuracy or R^2 of a plain model on the LASSO's k largest coefficients.
    pub lasso_model: f64,
    /// The upper limit of `lasso`: less than 1 where the LASSO has fewer than k nonzero
    /// coefficients.
    pub reach: f64,
    /// The balanced accuracy, where a class is rare.
    pub balanced: Option<Balanced>,
    /// The features that were picked, with the number of draws that picked them, the most picked
    /// one first.
    pub picked: Vec<(String, u64)>,
    /// The fingerprint of the table, its target and the penalty.
    pub data: String,
    /// The mean time of a draw in seconds; not reproducible.
    pub seconds: f64,
}

/// The balanced accuracy of plain models: the mean over the classes of the share that is
/// recognized.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Balanced {
    /// On the picks, cross-validated.
    pub model: Estimate,
    /// Without features.
    pub baseline: f64,
    /// On the LASSO's k largest coefficients.
    pub lasso_model: f64,
}

impl ComparisonCell {
    /// The difference between the model on the picks and the model without features.
    pub fn lift(&self) -> f64 {
        self.model.mean - self.baseline
    }
}

/// Cells by their coordinates.
pub type ComparisonCells = BTreeMap<CellKey, ComparisonCell>;

impl Sweep {
    /// Returns the coordinates of all cells of a table, in the order in which they are run.
    pub fn keys(&self, table: &str) -> Vec<CellKey> {
        let mut keys = Vec::new();
        for arm in &self.arms {
            for count in &self.counts {
                for epsilon in &self.epsilons {
                    keys.push(self.key(table, arm, *count, epsilon));
                }
            }
        }
        keys
    }

    fn key(&self, table: &str, arm: &Arm, count: Count, epsilon: &Epsilon) -> CellKey {
        CellKey {
            table: table.to_owned(),
            method: arm.name(),
            scale: arm.scale_name(),
            count: count.to_string(),
            epsilon: epsilon.to_string(),
        }
    }

    /// Runs the missing cells of a table and passes each one on as soon as it is complete. The
    /// results do not depend on the number of threads or on earlier runs.
    pub fn run(
        &self,
        study: &Study,
        is_missing: impl Fn(&CellKey) -> bool,
        mut found: impl FnMut(CellKey, ComparisonCell) -> Result<()>,
    ) -> Result<()> {
        for arm in &self.arms {
            let mut ready: Option<ReadyArm> = None;
            for count in &self.counts {
                for epsilon in &self.epsilons {
                    let key = self.key(&study.name, arm, *count, epsilon);
                    if !is_missing(&key) {
                        continue;
                    }
                    let ready = match &mut ready {
                        Some(ready) => ready,
                        none => none.insert(study.arm(arm)?),
                    };
                    let k = count.of(study.features());
                    let cell = self.cell(study, ready, k, epsilon, &key)?;
                    found(key, cell)?;
                }
            }
        }
        Ok(())
    }

    fn cell(
        &self,
        study: &Study,
        arm: &ReadyArm,
        k: usize,
        epsilon: &Epsilon,
        key: &CellKey,
    ) -> Result<ComparisonCell> {
        let truth = study.truth(&arm.scale, k)?;
        let names = [&*key.table, &key.method, &key.scale, &key.count, &key.epsilon];
        let trial = |trial: u64| -> Result<Trial> {
            let blocks = seed_of(self.seed, &[&key.table, "blocks"], trial);
            let seeds = RehearsalSeeds::new(blocks, seed_of(self.seed, &names, trial));
            let start = Instant::now();
            let picks = arm.picks(k, epsilon, seeds)?;
            let seconds = start.elapsed().as_secs_f64();
            let scores: Vec<i64> = picks.iter().map(|pick| arm.exact.values()[*pick]).collect();
            Ok(Trial {
                lasso: agreement(&picks, &truth, k),
                scores: arm.ranking.against(&scores),
                model: study.downstream.performance(&picks),
                picks,
                seconds,
            })
        };
        let trials = in_parallel(self.trials, self.threads, trial)?;
        let mean = |value: &dyn Fn(&Trial) -> f64| Estimate::of(trials.iter().map(value));
        let share = |value: &dyn Fn(&AgainstScores) -> bool| {
            mean(&|trial| f64::from(u8::from(value(&trial.scores)))).mean
        };
        Ok(ComparisonCell {
            k,
            trials: self.trials,
            lasso: mean(&|trial| trial.lasso),
            overlap: mean(&|trial| trial.scores.overlap),
            top: share(&|scores| scores.top),
            great: share(&|scores| scores.great),
            good: share(&|scores| scores.good),
            model: mean(&|trial| trial.model.value),
            baseline: study.downstream.baseline(),
            lasso_model: study.downstream.value(&truth),
            reach: truth.len() as f64 / k as f64,
            balanced: study.downstream.has_rare_class().then(|| Balanced {
                model: mean(&|trial| trial.model.balanced),
                baseline: study.downstream.balanced_baseline(),
                lasso_model: study.downstream.performance(&truth).balanced,
            }),
            picked: times_picked(&trials, &study.table.features),
            data: String::new(),
            seconds: mean(&|trial| trial.seconds).mean,
        })
    }
}

/// The measures of one draw.
struct Trial {
    lasso: f64,
    scores: AgainstScores,
    model: Performance,
    picks: Vec<usize>,
    seconds: f64,
}

/// The names of the features that were picked and how often, the most picked one first, then in the
/// order of the table.
fn times_picked(trials: &[Trial], features: &[String]) -> Vec<(String, u64)> {
    let mut times: BTreeMap<usize, u64> = BTreeMap::new();
    for pick in trials.iter().flat_map(|trial| &trial.picks) {
        *times.entry(*pick).or_default() += 1;
    }
    let mut times: Vec<(usize, u64)> = times.into_iter().collect();
    times.sort_by_key(|(feature, times)| (std::cmp::Reverse(*times), *feature));
    times.into_iter().map(|(feature, times)| (features[feature].clone(), times)).collect()
}
