//! Appendix J: conditions (18) and (19) against the mechanism that is better.

use dpsis::mechanism::advise;
use dpsis::report::{Agreement, Block, Section};
use dpsis::{Epsilon, Result};
use rand::Rng;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;

use crate::experiments::experiment::Experiment;
use crate::experiments::parts::{CLEAR, Stated, paragraph, row};
use crate::metrics::Estimate;
use crate::results_file::{ResultRow, ResultsFile};
use crate::rivals::{Contest, Rival};
use crate::seed::seed_of;
use crate::sweep::in_parallel;

/// The random instances, and the draws of each for each repetition: 1,000 for 100.
const INSTANCES: u64 = 300;
const DRAWS: u64 = 10;
const BUDGETS: [&str; 4] = ["0.1", "1", "4", "16"];
const DATA: &str = "conditions.csv";
const SOURCE: &str = "\"Private Selection with Heterogeneous Sensitivities\" (2025), appendix J";

/// An instance at a budget: what the conditions say, and the measured leads in standard errors.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Instance {
    /// Condition (18): GEM's bound is worse than that of report-noisy-max.
    worse_than_rnm: bool,
    /// Condition (19): GEM's bound is vacuous.
    vacuous: bool,
    /// The lead of GEM over report-noisy-max.
    over_rnm: f64,
    /// The lead of GEM over a uniform choice.
    over_random: f64,
    spearman: f64,
}

/// Candidates of random number, range and relation: m from 5 to 100, sensitivities from 0.05 to 1 that
/// mix the score's place (rising or falling) and chance in random shares.
fn instance(seed: u64, number: u64) -> Result<(Contest, Vec<f64>)> {
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
    Ok((Contest::new(&scores, &sensitivities)?, scores))
}

fn measured(experiment: &Experiment<'_>, number: u64, words: &str) -> Result<Instance> {
    let (contest, scores) = instance(experiment.seed, number)?;
    let epsilon: Epsilon = words.parse()?;
    let advice = advise(contest.scores(), &epsilon);
    let error = |name: &'static str| -> Result<Estimate> {
        let rival = Rival::named(name)?;
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
    let random =
        scores.iter().map(|score| (best - score).powi(2)).sum::<f64>() / scores.len() as f64;
    let random = Estimate { mean: random, error: 0.0 };
    let gem = error("gem")?;
    Ok(Instance {
        worse_than_rnm: advice.gem_bound_worse_than_noisy_max,
        vacuous: advice.gem_bound_vacuous,
        over_rnm: error("rnm")?.z(&gem),
        over_random: random.z(&gem),
        spearman: advice.spearman,
    })
}

/// Runs the experiment.
pub(in crate::experiments) fn run(experiment: &Experiment<'_>) -> Result<Section> {
    let all = all(experiment)?;
    let blocks = vec![
        paragraph(
            "Random instances: 5 to 100 candidates, scores uniform on a range of 0.3 to 30 times the largest \
             possible sensitivity, sensitivities that mix the place of the score (rising or falling) with \
             chance. Condition (18): the best candidate has more than half of the largest sensitivity. \
             Condition (19) is lost in the text and read as (4/epsilon) D_best ln(m/beta) > q_best - \
             q_worst.",
        ),
        table(&all),
        eighteen(&all),
        nineteen(&all),
        correlation(&all),
    ];
    Ok(Section::new("conditions", "Conditions (18) and (19)", blocks))
}

fn all(experiment: &Experiment<'_>) -> Result<Vec<(&'static str, Instance)>> {
    let mut results = ResultsFile::open(
        experiment.output,
        DATA,
        &["instance", "epsilon"],
        &["condition_18", "condition_19", "gem_over_rnm", "gem_over_random", "spearman"],
        (experiment.seed, experiment.trials),
    )?;
    let mut found = Vec::new();
    for (i, words) in BUDGETS.into_iter().enumerate() {
        (experiment.progress)(&format!("conditions: epsilon {words}"), i as f64 / 4.0);
        let rows = results.part(words, || {
            let instances = in_parallel(INSTANCES, experiment.threads, |number| {
                measured(experiment, number, words)
            })?;
            let row = |(number, one): (usize, Instance)| {
                let yes = |condition: bool| f64::from(u8::from(condition));
                let numbers = [
                    yes(one.worse_than_rnm),
                    yes(one.vacuous),
                    one.over_rnm,
                    one.over_random,
                    one.spearman,
                ];
                ResultRow::new(&[&number.to_string(), words], &numbers)
            };
            Ok(instances.into_iter().enumerate().map(row).collect())
        })?;
        found.extend(rows.iter().map(|row| {
            let [worse, vacuous, over_rnm, over_random, spearman] = row.numbers[..] else {
                return (words, NOTHING);
            };
            let (worse_than_rnm, vacuous) = (worse == 1.0, vacuous == 1.0);
            (words, Instance { worse_than_rnm, vacuous, over_rnm, over_random, spearman })
        }));
    }
    Ok(found)
}

/// An instance that decides nothing.
const NOTHING: Instance = Instance {
    worse_than_rnm: false,
    vacuous: false,
    over_rnm: 0.0,
    over_random: 0.0,
    spearman: 0.0,
};

/// How often a prediction that GEM is worse agrees with a clear difference: the clear ones, and those that
/// agree.
fn agreement<'a>(
    all: impl IntoIterator<Item = &'a Instance>,
    predicts_worse: impl Fn(&Instance) -> bool,
    lead: impl Fn(&Instance) -> f64,
) -> (usize, usize) {
    let clear: Vec<&Instance> = all.into_iter().filter(|one| lead(one).abs() > CLEAR).collect();
    let right = clear.iter().filter(|one| predicts_worse(one) == (lead(one) < 0.0)).count();
    (right, clear.len())
}

fn table(all: &[(&str, Instance)]) -> Block {
    let line = |epsilon: &str| {
        let here = || all.iter().filter(|(words, _)| *words == epsilon).map(|(_, one)| one);
        let words = |(right, of): (usize, usize)| format!("{right} of {of}");
        let worse = here().filter(|one| one.over_rnm < -CLEAR).count();
        row(&[
            epsilon,
            &words(agreement(here(), |one| one.worse_than_rnm, |one| one.over_rnm)),
            &words(agreement(here(), |one| one.spearman > 0.0, |one| one.over_rnm)),
            &words(agreement(here(), |one| one.vacuous, |one| one.over_random)),
            &worse.to_string(),
        ])
    };
    Block::Table {
        caption: format!(
            "How often a condition tells which of two is better, of the instances (of {INSTANCES}) in which \
             one is, by three standard errors."
        ),
        header: row(&[
            "epsilon",
            "(18), gem or rnm",
            "sign of Spearman, gem or rnm",
            "(19), gem or random",
            "gem worse than rnm",
        ]),
        rows: BUDGETS.into_iter().map(line).collect(),
    }
}

/// The verdict for a rule of thumb: a match from 90% of the clear cases, none at half of them.
fn rule_of_thumb(right: usize, of: usize) -> Agreement {
    match right as f64 / of as f64 {
        _ if of == 0 => Agreement::Undecided,
        share if share >= 0.9 => Agreement::Matches,
        share if share > 0.5 => Agreement::Partly,
        _ => Agreement::DoesNotMatch,
    }
}

const RULE: &str = "Of the instances and budgets at which one of the two is better by three standard errors. \
                    A match from 90%, in part from more than a half.";

fn stated(statement: &str, (right, of): (usize, usize), note: &str) -> Block {
    Stated { statement, source: SOURCE, paper: "proposed as a heuristic" }.against(
        format!("right in {right} of {of} clear cases"),
        rule_of_thumb(right, of),
        &format!("{RULE} {note}"),
    )
}

fn eighteen(all: &[(&str, Instance)]) -> Block {
    let instances = all.iter().map(|(_, one)| one);
    stated(
        "GEM will have a utility bound worse than RNM when the sensitivity of the best candidate is greater \
         than half the maximum sensitivity (18).",
        agreement(instances, |one| one.worse_than_rnm, |one| one.over_rnm),
        "The statement is about bounds; this tests whether the errors follow.",
    )
}

fn nineteen(all: &[(&str, Instance)]) -> Block {
    let instances = all.iter().map(|(_, one)| one);
    let worse = all.iter().filter(|(_, one)| one.over_random < -CLEAR).count();
    let vacuous = all.iter().filter(|(_, one)| one.over_random < -CLEAR && one.vacuous).count();
    stated(
        "GEM will have a utility bound worse than selecting a candidate uniformly at random when the \
         following condition is met (19).",
        agreement(instances, |one| one.vacuous, |one| one.over_random),
        &format!("Where gem was worse than a uniform choice, (19) held in {vacuous} of {worse}."),
    )
}

fn correlation(all: &[(&str, Instance)]) -> Block {
    let instances = all.iter().map(|(_, one)| one);
    stated(
        "We propose using the correlation between the scores and sensitivities as the basis for deciding \
         which mechanism to use.",
        agreement(instances, |one| one.spearman > 0.0, |one| one.over_rnm),
        "The sign of Spearman's correlation as a prediction that gem is worse than rnm.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agreement_counts_clear_cases() {
        let with = |worse_than_rnm, over_rnm| Instance { worse_than_rnm, over_rnm, ..NOTHING };
        let all = [with(true, -5.0), with(true, 5.0), with(false, 9.0), with(false, 1.0)];
        let counts = agreement(&all, |one| one.worse_than_rnm, |one| one.over_rnm);
        assert_eq!(counts, (2, 3));
        assert_eq!(rule_of_thumb(2, 3), Agreement::Partly);
        assert_eq!(rule_of_thumb(0, 0), Agreement::Undecided);
        assert_eq!(rule_of_thumb(9, 10), Agreement::Matches);
        assert_eq!(rule_of_thumb(5, 10), Agreement::DoesNotMatch);
    }
}
