//! Errors and run times of the mechanisms.

use std::sync::Arc;
use std::time::Instant;

use dpsis::internals::in_parallel;
use dpsis::mechanism::{Parameters, by_id};
use dpsis::{Epsilon, Mechanism, Neighbors, Result, Scores, Seeded};
use dpsis_eval::Estimate;
use dpsis_eval::internals::seed_of;

use crate::experiments::experiment::Experiment;
use crate::experiments::joint::counts::{ItemCounts, K};

/// The total budgets.
pub(super) const EPSILONS: [&str; 2] = ["1", "0.1"];

/// The mechanisms. All but [`TWO_SIDED`] use that the counts are monotonic.
pub(super) const MECHANISMS: [&str; 8] =
    ["joint-set", "joint", "joint-pnf", "canonical", "peel", "laplace", TWO_SIDED, "gamma"];
/// One-shot Laplace at the paper's scale 2k/eps; for monotonic counts k/eps suffices.
pub(super) const TWO_SIDED: &str = "laplace, 2k/eps";

/// The results of a mechanism on counts of d items.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ErrorCell {
    pub(super) counts: &'static str,
    pub(super) d: usize,
    pub(super) epsilon: &'static str,
    pub(super) mechanism: &'static str,
    /// The L-infinity error: see [`l_infinity`].
    pub(super) error: Estimate,
}

/// The run time of a mechanism on counts of d items.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RunTime {
    pub(super) mechanism: &'static str,
    pub(super) d: usize,
    pub(super) k: usize,
    pub(super) median: f64,
}

/// Returns max over i of |c_[i] - c_(S,i)|: the largest difference between the k largest counts and
/// the counts of the picks, both in descending order.
fn l_infinity(counts: &[i64], picks: &[usize]) -> i64 {
    let mut best = counts.to_vec();
    best.sort_unstable_by(|a, b| b.cmp(a));
    let mut picked: Vec<i64> = picks.iter().map(|pick| counts[*pick]).collect();
    picked.sort_unstable_by(|a, b| b.cmp(a));
    best.iter().zip(&picked).map(|(best, picked)| (best - picked).abs()).max().unwrap_or(0)
}

/// Scores for counts to which a user adds at most 1 each.
fn scores(counts: Vec<i64>, mechanism: &str) -> Result<Scores> {
    let scores = Scores::new(counts, 1, Neighbors::AddRemove)?;
    if mechanism == TWO_SIDED { Ok(scores) } else { scores.monotonic() }
}

fn ready(name: &str) -> Result<Arc<dyn Mechanism>> {
    by_id(if name == TWO_SIDED { "laplace" } else { name }, &Parameters::default())
}

pub(super) fn measure(
    experiment: &Experiment<'_>,
    counts: &ItemCounts,
    d: usize,
) -> Result<Vec<ErrorCell>> {
    let mechanisms: Vec<_> = MECHANISMS.iter().map(|name| ready(name)).collect::<Result<_>>()?;
    let epsilons: Vec<Epsilon> = EPSILONS.iter().map(|text| text.parse()).collect::<Result<_>>()?;
    let (seed, name, size) = (experiment.seed, counts.name(), d.to_string());
    let trial = |trial: u64| -> Result<Vec<f64>> {
        let values = counts.draw(d, seed_of(seed, &["joint", name, &size], trial));
        let mut errors = Vec::new();
        for (epsilon, words) in epsilons.iter().zip(EPSILONS) {
            for (mechanism, id) in mechanisms.iter().zip(MECHANISMS) {
                let seed = seed_of(seed, &["joint", name, &size, words, id], trial);
                let scores = scores(values.clone(), id)?;
                let picks = mechanism.pick(&scores, K, epsilon, Seeded(seed))?.into_inner();
                errors.push(l_infinity(&values, &picks) as f64);
            }
        }
        Ok(errors)
    };
    let trials = in_parallel(experiment.trials, experiment.threads, trial)?;
    let mut cells = Vec::new();
    for (i, epsilon) in EPSILONS.into_iter().enumerate() {
        for (j, mechanism) in MECHANISMS.into_iter().enumerate() {
            let place = i * MECHANISMS.len() + j;
            let error = Estimate::of(trials.iter().map(|errors| errors[place]));
            cells.push(ErrorCell { counts: name, d, epsilon, mechanism, error });
        }
    }
    Ok(cells)
}

/// The (d, k) to time: different d with k = 5, different k with d = 10,000.
const TIMED: [(usize, usize); 8] = [
    (1000, 5),
    (10_000, 5),
    (100_000, 5),
    (10_000, 10),
    (10_000, 20),
    (10_000, 50),
    (10_000, 100),
    (1000, 50),
];
/// The median time in seconds above which larger instances of a mechanism are skipped.
const LONGEST: f64 = 0.4;

/// The number of timed draws, fewer if they take longer than [`LONGEST`] in total.
const DRAWS: u64 = 15;

/// Measures the median time of sequential draws on one thread; not reproducible.
pub(super) fn times(experiment: &Experiment<'_>) -> Result<Vec<RunTime>> {
    let epsilon: Epsilon = "1".parse()?;
    let mut seconds: Vec<RunTime> = Vec::new();
    for (d, k) in TIMED {
        let values =
            ItemCounts::Uniform.draw(d, seed_of(experiment.seed, &["joint", "time"], d as u64));
        for name in MECHANISMS.into_iter().filter(|name| *name != TWO_SIDED) {
            let harder = |s: &&RunTime| s.mechanism == name && s.d <= d && s.k <= k;
            if seconds.iter().filter(harder).any(|s| s.median > LONGEST) {
                continue;
            }
            let (mechanism, scores) = (ready(name)?, scores(values.clone(), name)?);
            let mut times = Vec::new();
            for draw in 0..DRAWS {
                let start = Instant::now();
                mechanism.pick(&scores, k, &epsilon, Seeded(draw))?;
                times.push(start.elapsed().as_secs_f64());
                if times.iter().sum::<f64>() > LONGEST {
                    break;
                }
            }
            times.sort_unstable_by(f64::total_cmp);
            seconds.push(RunTime { mechanism: name, d, k, median: times[times.len() / 2] });
        }
    }
    Ok(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::experiment::with;

    #[test]
    fn the_error_by_hand() {
        let counts = [10, 50, 40, 7, 30];
        assert_eq!(l_infinity(&counts, &[2, 1, 4]), 0);
        // 50, 40, 30 against 40, 30, 7.
        assert_eq!(l_infinity(&counts, &[3, 4, 2]), 23);
        // 50, 40 against 50, 10; the order of the picks is irrelevant.
        assert_eq!(l_infinity(&counts, &[0, 1]), 30);
    }

    #[test]
    fn threads_change_nothing() {
        let cells = |threads| with(3, threads, |e| measure(e, &ItemCounts::Uniform, 60).unwrap());
        assert_eq!(cells(1), cells(3));
    }
}
