//! Many draws of many methods on many tables, counted cell by cell.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use dpsis::{Epsilon, Error, RehearsalSeeds, Result};

use crate::arm::Arm;
use crate::metrics::{AgainstScores, Estimate, agreement};
use crate::seed::seed_of;
use crate::study::{ReadyArm, Study};

/// How many features, as written: a number, or `log`, the natural logarithm of their number rounded down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Count {
    /// This many.
    Number(usize),
    /// The natural logarithm of the number of features, rounded down.
    Log,
}

impl Count {
    /// Of d features.
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

/// A grid of comparisons: every method, number of features and budget.
pub struct Sweep {
    /// The methods.
    pub arms: Vec<Arm>,
    /// The numbers of features to pick.
    pub counts: Vec<Count>,
    /// The budgets.
    pub epsilons: Vec<Epsilon>,
    /// Draws per cell.
    pub trials: u64,
    /// The seed of all draws.
    pub seed: u64,
    /// How many threads draw; the result does not depend on it.
    pub threads: usize,
}

/// The coordinates of a cell, as written in results.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CellKey {
    /// The table's name.
    pub table: String,
    /// The method, with its mechanism.
    pub method: String,
    /// The scale.
    pub scale: String,
    /// The number of features to pick.
    pub count: String,
    /// The budget.
    pub epsilon: String,
}

/// What came out of a cell's trials.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparisonCell {
    /// The number of features picked.
    pub k: usize,
    /// How many draws it summarizes.
    pub trials: u64,
    /// The share of k that the k largest coefficients of the LASSO hold.
    pub lasso: Estimate,
    /// The share of k among the k best scores.
    pub overlap: Estimate,
    /// The share of draws that are TOP: all k best are picked.
    pub top: f64,
    /// The share of draws that are GREAT: the k/10 best picked, all picks among the 11k/10 best.
    pub great: f64,
    /// The share of draws that are GOOD: the k/100 best picked, all picks among the 3k/2 best.
    pub good: f64,
    /// Cross-validated accuracy or R^2 of a plain model on the picks.
    pub model: Estimate,
    /// The same without any feature.
    pub baseline: f64,
    /// The same on the LASSO's own.
    pub lasso_model: f64,
    /// The most that `lasso` can be: less than 1 where fewer than k coefficients are not zero.
    pub reach: f64,
    /// Which table and target it is of.
    pub data: String,
    /// Seconds of a draw: not the same in another run.
    pub seconds: f64,
}

impl ComparisonCell {
    /// How much better than without any feature the model is.
    pub fn lift(&self) -> f64 {
        self.model.mean - self.baseline
    }
}

/// All cells, by their keys.
pub type ComparisonCells = BTreeMap<CellKey, ComparisonCell>;

impl Sweep {
    /// The cells of a table, in order.
    pub(crate) fn keys(&self, table: &str) -> Vec<CellKey> {
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

    /// Runs the cells of a table that are missing, and hands out each as soon as it is there. What comes out does not depend on the number of threads, nor on what was done before.
    pub(crate) fn run(
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
            let seeds = RehearsalSeeds {
                blocks: seed_of(self.seed, &[&key.table, "blocks"], trial),
                draw: seed_of(self.seed, &names, trial),
            };
            let start = Instant::now();
            let picks = arm.picks(k, epsilon, seeds)?;
            let seconds = start.elapsed().as_secs_f64();
            let scores: Vec<i64> = picks.iter().map(|pick| arm.exact.values()[*pick]).collect();
            Ok(Trial {
                lasso: agreement(&picks, &truth, k),
                scores: arm.ranking.against(&scores),
                model: study.downstream.value(&picks),
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
            model: mean(&|trial| trial.model),
            baseline: study.downstream.baseline(),
            lasso_model: study.downstream.value(&truth),
            reach: truth.len() as f64 / k as f64,
            data: String::new(),
            seconds: mean(&|trial| trial.seconds).mean,
        })
    }
}

/// What one draw is worth.
struct Trial {
    lasso: f64,
    scores: AgainstScores,
    model: f64,
    seconds: f64,
}

/// The results of trials 0, 1, ..., in their order, whatever the number of threads.
pub(crate) fn in_parallel<T: Send>(
    trials: u64,
    threads: usize,
    trial: impl Fn(u64) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let next = AtomicU64::new(0);
    let found: Mutex<Vec<(u64, Result<T>)>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= trials {
                        return;
                    }
                    let result = trial(number);
                    let failed = result.is_err();
                    if let Ok(mut found) = found.lock() {
                        found.push((number, result));
                    }
                    if failed {
                        next.store(trials, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    let mut found = found.into_inner().map_err(|_| Error::io("a trial did not come to its end"))?;
    found.sort_unstable_by_key(|(number, _)| *number);
    found.into_iter().map(|(_, result)| result).collect()
}
