//! Random candidates, and the losses of the mechanisms on them.

use dpsis::internals::in_parallel;
use dpsis::mechanism::{Relation, correlations, gem_bound, recommend};
use dpsis::{Epsilon, Result};
use dpsis_eval::Estimate;
use dpsis_eval::internals::seed_of;
use rand::Rng;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;

use crate::experiments::experiment::Experiment;
use crate::parts_file::{Parts, ResultRow};
use crate::rivals::{Contest, LONG_RANDOM_STOPPING, Rival};

/// The random instances, and the draws of each for each repetition: 1,000 for 100.
pub(super) const INSTANCES: u64 = 300;
const DRAWS: u64 = 10;
pub(super) const BUDGETS: [&str; 4] = ["0.1", "1", "4", "16"];
const DATA: &str = "conditions.csv";

/// The mechanisms that are drawn.
pub(super) const DRAWN: [&str; 7] =
    ["rnm", "gem", "mgem", "rs", LONG_RANDOM_STOPPING, "cgem", "krr"];

/// An instance at a budget.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Instance {
    pub(super) epsilon: &'static str,
    /// Condition (18): GEM's bound is worse than the bound of report-noisy-max.
    pub(super) worse_than_rnm: bool,
    /// Condition (19): GEM's bound is vacuous.
    pub(super) vacuous: bool,
    /// Whether sensitivities were made to fall with the scores: knowledge of the domain.
    pub(super) falls: bool,
    pub(super) spearman: f64,
    /// The recommendations of the library: by the correlation of the scores, by the domain, and if
    /// nothing is known.
    pub(super) by_scores: String,
    pub(super) by_domain: String,
    pub(super) by_nothing: String,
    /// The error of a uniform choice.
    random: f64,
    /// The errors, in the order of [`DRAWN`].
    errors: [Estimate; 7],
}

impl Instance {
    /// The error of a mechanism, or of a uniform choice.
    pub(super) fn error(&self, name: &str) -> Estimate {
        match DRAWN.iter().position(|drawn| *drawn == name) {
            Some(place) => self.errors[place],
            None => Estimate { mean: self.random, error: 0.0 },
        }
    }

    /// By how many standard errors the first is better than the second.
    pub(super) fn lead(&self, first: &str, second: &str) -> f64 {
        self.error(second).z(&self.error(first))
    }
}

/// Candidates of random number, range and relation: m from 5 to 100, sensitivities from 0.05 to 1
/// that mix the score's place (rising or falling) and chance in random shares.
pub(super) struct Made {
    pub(super) contest: Contest,
    scores: Vec<f64>,
    sensitivities: Vec<f64>,
    pub(super) falls: bool,
}

pub(super) fn made(seed: u64, number: u64) -> Result<Made> {
    let mut rng = ChaCha20Rng::seed_from_u64(seed_of(seed, &["conditions", "instance"], number));
    let m = rng.gen_range(5..=100);
    let range = 10f64.powf(rng.gen_range(-0.5..1.5));
    let (share, falls): (f64, bool) = (rng.gen_range(0.0..1.0), rng.gen_bool(0.5));
    let (mut scores, mut sensitivities) = (Vec::new(), Vec::new());
    for _ in 0..m {
        let (u, v): (f64, f64) = (rng.gen_range(0.0..1.0), rng.gen_range(0.0..1.0));
        let related = if falls { 1.0 - u } else { u };
        scores.push(range * u);
        sensitivities.push(0.05 + 0.95 * (share * related + (1.0 - share) * v));
    }
    Ok(Made { contest: Contest::new(&scores, &sensitivities)?, scores, sensitivities, falls })
}

fn measured(experiment: &Experiment<'_>, number: u64, words: &'static str) -> Result<Instance> {
    let Made { contest, scores, sensitivities, falls } = made(experiment.seed, number)?;
    let epsilon: Epsilon = words.parse()?;
    let own: Vec<u64> = sensitivities.iter().map(|own| (own * 1e6) as u64).collect();
    let found = correlations(contest.scores());
    let bound = gem_bound(contest.scores(), &epsilon);
    let rule = |relation| recommend(&own, 1, &epsilon, relation).map(|found| found.mechanism);
    let domain = if falls { Relation::Negative } else { Relation::Positive };
    let error = |name: &'static str| -> Result<Estimate> {
        let rival = match name {
            LONG_RANDOM_STOPPING => Rival::long_random_stopping()?,
            name => Rival::named(name)?,
        };
        let draw = |draw: u64| {
            let names = ["conditions", name, words, &number.to_string()];
            let pick = rival.pick(&contest, &epsilon, seed_of(experiment.seed, &names, draw))?;
            Ok(contest.shortfall(pick).powi(2))
        };
        let all: Vec<f64> = (0..DRAWS * experiment.trials).map(draw).collect::<Result<_>>()?;
        Ok(Estimate::of(all))
    };
    // A uniform choice needs no draws.
    let best = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let squares: f64 = scores.iter().map(|score| (best - score).powi(2)).sum();
    let mut errors = [Estimate { mean: 0.0, error: 0.0 }; 7];
    for (place, name) in DRAWN.into_iter().enumerate() {
        errors[place] = error(name)?;
    }
    Ok(Instance {
        epsilon: words,
        worse_than_rnm: bound.worse_than_noisy_max,
        vacuous: bound.vacuous,
        falls,
        spearman: found.spearman,
        by_scores: rule(found.relation())?.to_owned(),
        by_domain: rule(domain)?.to_owned(),
        by_nothing: rule(Relation::Unknown)?.to_owned(),
        random: squares / scores.len() as f64,
        errors,
    })
}

/// Measures all instances at all budgets, or reads earlier measurements.
pub(super) fn all(experiment: &Experiment<'_>) -> Result<Vec<Instance>> {
    let mut results = Parts::open(
        experiment.output,
        DATA,
        &["instance", "epsilon", "by_scores", "by_domain", "by_nothing"],
        &[
            "condition_18",
            "condition_19",
            "falls",
            "spearman",
            "random",
            "rnm",
            "rnm_error",
            "gem",
            "gem_error",
            "mgem",
            "mgem_error",
            "rs",
            "rs_error",
            "rs_long",
            "rs_long_error",
            "cgem",
            "cgem_error",
            "krr",
            "krr_error",
        ],
        (experiment.seed, experiment.trials),
    )?;
    let mut found = Vec::new();
    for (i, words) in BUDGETS.into_iter().enumerate() {
        (experiment.progress)(&format!("conditions: epsilon {words}"), i as f64 / 4.0);
        let rows = results.part(words, || {
            let instances = in_parallel(INSTANCES, experiment.threads, |number| {
                measured(experiment, number, words)
            })?;
            Ok(instances.iter().enumerate().map(|(number, one)| row_of(number, one)).collect())
        })?;
        found.extend(rows.iter().filter_map(|row| instance_of(row, words)));
    }
    Ok(found)
}

fn row_of(number: usize, one: &Instance) -> ResultRow {
    let yes = |condition: bool| f64::from(u8::from(condition));
    let mut numbers =
        vec![yes(one.worse_than_rnm), yes(one.vacuous), yes(one.falls), one.spearman, one.random];
    numbers.extend(one.errors.iter().flat_map(|error| [error.mean, error.error]));
    let words = [&one.by_scores, &one.by_domain, &one.by_nothing];
    ResultRow::new(&[&number.to_string(), one.epsilon, words[0], words[1], words[2]], &numbers)
}

fn instance_of(row: &ResultRow, epsilon: &'static str) -> Option<Instance> {
    let [worse, vacuous, falls, spearman, random, errors @ ..] = &row.numbers[..] else {
        return None;
    };
    let mut all = [Estimate { mean: 0.0, error: 0.0 }; 7];
    for (error, pair) in all.iter_mut().zip(errors.chunks(2)) {
        *error = Estimate { mean: pair[0], error: pair[1] };
    }
    Some(Instance {
        epsilon,
        worse_than_rnm: *worse == 1.0,
        vacuous: *vacuous == 1.0,
        falls: *falls == 1.0,
        spearman: *spearman,
        by_scores: row.key[2].clone(),
        by_domain: row.key[3].clone(),
        by_nothing: row.key[4].clone(),
        random: *random,
        errors: all,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::experiment::with;

    #[test]
    fn rows_hold_instances() {
        with(2, 2, |experiment| {
            let one = measured(experiment, 3, "4").unwrap();
            assert_eq!(instance_of(&row_of(3, &one), "4"), Some(one));
        });
    }
}
