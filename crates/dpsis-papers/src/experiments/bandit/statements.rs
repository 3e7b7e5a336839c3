//! The statements about bandits compared with the results.

use dpsis::report::{Agreement, Block};
use dpsis_eval::Estimate;

use crate::experiments::agreements::{Clear, agreement_of};
use crate::experiments::bandit::cells::{Outcomes, Trace};
use crate::experiments::bandit::policy::{NARROW_UCB, POLICIES, PRIVATE, UCB};
use crate::experiments::bandit::rewards::{SHIFT, STEPS};
use crate::experiments::parts::Given;

const SOURCE: &str = "\"Private Selection with Heterogeneous Sensitivities\" (2025), section IX";

/// The policies whose noise follows each arm's own sensitivity, and those whose noise does not.
const HETEROGENEOUS: [&str; 3] = ["mgem", "gem", "rs"];
const HOMOGENEOUS: [&str; 2] = ["rnm", "krr"];

/// The number of steps after the shift in which adaptation is measured.
const ADAPTATION: usize = 500;

const RULE: &str = "Rule: the mean of the differences between two policies on the same rewards counts from three \
                    standard errors.";

const READING: &str = "The text has lost the scale of the rewards and the constant of the bonus. Read as a bonus that \
                       is small beside the rewards (a hundredth of that for rewards in [0, 1]), UCB behaves as \
                       described.";

/// The number of comparisons, and how many are clearly in favor of the first or the second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Tally {
    of: usize,
    better: usize,
    worse: usize,
}

impl Tally {
    /// Counts leads in standard errors.
    fn of(leads: &[f64]) -> Self {
        let Clear { held, reversed } = Clear::of(leads.iter().copied());
        Self { of: leads.len(), better: held, worse: reversed }
    }

    /// The agreement for a statement that should hold in all comparisons.
    fn agreement(self) -> Agreement {
        match self {
            Self { better: 0, worse: 0, .. } => Agreement::Undecided,
            Self { better, of, .. } => agreement_of(better, of),
        }
    }

    fn words(self) -> String {
        let Self { of, better, worse } = self;
        format!("of {of} comparisons: better in {better}, worse in {worse}")
    }
}

/// Compares each of some policies with each of some others by a number of every run.
fn tally(outcomes: &[Outcomes], first: &[&str], second: &[&str], of: fn(&Trace) -> f64) -> Tally {
    let all = first.iter().flat_map(|a| second.iter().map(move |b| (*a, *b)));
    let leads: Vec<f64> = all.map(|(a, b)| lead(outcomes, a, b, of)).collect();
    Tally::of(&leads)
}

/// The mean difference of two policies over the trials, in standard errors; 0 if either is missing.
fn lead(outcomes: &[Outcomes], first: &str, second: &str, of: fn(&Trace) -> f64) -> f64 {
    let numbers = |name: &str| {
        let found = outcomes.iter().find(|outcome| outcome.policy == name);
        found.map(|outcome| outcome.each(of)).unwrap_or_default()
    };
    let (first, second) = (numbers(first), numbers(second));
    if first.is_empty() || second.is_empty() {
        return 0.0;
    }
    let differences = first.iter().zip(&second).map(|(a, b)| a - b);
    Estimate::of(differences).z(&Estimate { mean: 0.0, error: 0.0 })
}

/// The means of all policies, for notes.
fn means(outcomes: &[Outcomes], digits: usize, of: fn(&Trace) -> f64) -> String {
    let mean =
        |outcome: &Outcomes| format!("{} {:.digits$}", outcome.policy, outcome.mean(of).mean);
    outcomes.iter().map(mean).collect::<Vec<_>>().join(", ")
}

/// All statements.
pub(super) fn comparisons(outcomes: &[Outcomes]) -> Vec<Block> {
    vec![
        private_beats_ucb(outcomes),
        ucb_stays(outcomes),
        correlated(outcomes),
        mgem_is_best(outcomes),
        beneficial_from_the_start(outcomes),
        adapts_faster(outcomes),
        means_adjust(outcomes),
    ]
}

fn private_beats_ucb(outcomes: &[Outcomes]) -> Block {
    let against = |ucb| tally(outcomes, &POLICIES[..PRIVATE], &[ucb], Trace::reward_after_shift);
    let (found, wide) = (against(NARROW_UCB), against(UCB));
    Given {
        statement: "All DP variants outperform the non-private UCB baseline after the distribution shift occurs.",
        source: SOURCE,
        paper: "all five",
    }
    .against(
        found.words(),
        found.agreement(),
        &format!(
            "{RULE} {READING} Against UCB with the bonus for rewards in [0, 1], which leaves arm 1, {}. Rewards \
             after the shift: {}.",
            wide.words(),
            means(outcomes, 0, Trace::reward_after_shift)
        ),
    )
}

fn ucb_stays(outcomes: &[Outcomes]) -> Block {
    let share = |ucb: &str| {
        let found = outcomes.iter().find(|outcome| outcome.policy == ucb)?;
        Some(found.mean(|trace| trace.arm_1_after).mean)
    };
    let words = |share: Option<f64>| {
        share.map_or("not run".into(), |share| format!("{:.0}% of the steps", 100.0 * share))
    };
    Given {
        statement: "The UCB bandit keeps picking action 1 for all time steps in the simulation even once it is the \
                    sub-optimal action.",
        source: SOURCE,
        paper: "all steps",
    }
    .against(
        format!("after the shift UCB takes arm 1 at {}", words(share(NARROW_UCB))),
        match share(NARROW_UCB) {
            None => Agreement::NotTested,
            Some(share) if share >= 0.95 => Agreement::Matches,
            Some(share) if share >= 0.5 => Agreement::Partly,
            Some(_) => Agreement::DoesNotMatch,
        },
        &format!(
            "Rule: 95% of the steps after the shift match, half of them in part. {READING} With the bonus for \
             rewards in [0, 1] it takes arm 1 at {}.",
            words(share(UCB))
        ),
    )
}

fn correlated(outcomes: &[Outcomes]) -> Block {
    let gaps: [fn(&Trace) -> f64; 2] = [
        |trace| trace.after(SHIFT).sensitivities[1] - trace.after(SHIFT).sensitivities[0],
        |trace| trace.after(STEPS).sensitivities[0] - trace.after(STEPS).sensitivities[1],
    ];
    let zero = Estimate { mean: 0.0, error: 0.0 };
    let leads: Vec<f64> = outcomes
        .iter()
        .filter(|outcome| HETEROGENEOUS.contains(&outcome.policy))
        .flat_map(|outcome| gaps.map(|gap| outcome.mean(gap).z(&zero)))
        .collect();
    let found = Tally::of(&leads);
    let (held, opposite) = (found.better, found.worse);
    Given {
        statement: "Both before and after the distribution shift, the scores and candidate sensitivities have \
                    positive correlation.",
        source: SOURCE,
        paper: "positive before and after",
    }
    .against(
        format!(
            "private sensitivity of the better arm at the shift and at the end, in {} cases: larger in {held}, \
             smaller in {opposite}",
            found.of
        ),
        found.agreement(),
        "Rule: the mean difference of the private sensitivities counts from three standard errors. True rewards are drawn \
         so that it holds; at the end an arm's last window may still be from before the shift.",
    )
}

fn mgem_is_best(outcomes: &[Outcomes]) -> Block {
    let total = |trace: &Trace| trace.after(STEPS).reward;
    let found = tally(outcomes, &["mgem"], &["gem", "rs", "rnm", "krr"], total);
    Given {
        statement: "The mGEM mechanism is found to outperform all others, including original GEM, RS, kRR, and RNM.",
        source: SOURCE,
        paper: "all four",
    }
    .against(
        found.words(),
        found.agreement(),
        &format!("{RULE} Rewards in all: {}.", means(outcomes, 0, total)),
    )
}

fn beneficial_from_the_start(outcomes: &[Outcomes]) -> Block {
    let before = |trace: &Trace| trace.after(SHIFT).reward;
    let found = tally(outcomes, &HETEROGENEOUS, &HOMOGENEOUS, before);
    Given {
        statement: "Heterogeneous noise proves to be beneficial from the start.",
        source: SOURCE,
        paper: "beneficial",
    }
    .against(
        found.words(),
        found.agreement(),
        &format!(
            "{RULE} Each of mgem, gem and rs against each of rnm and krr. Rewards before the shift: {}.",
            means(outcomes, 0, before)
        ),
    )
}

fn adapts_faster(outcomes: &[Outcomes]) -> Block {
    let soon = |trace: &Trace| trace.better_after_shift(ADAPTATION);
    let found = tally(outcomes, &HETEROGENEOUS, &HOMOGENEOUS, soon);
    Given {
        statement: "In addition it also appears to speed up the adaptation to the shift in distribution.",
        source: SOURCE,
        paper: "faster",
    }
    .against(
        found.words(),
        found.agreement(),
        &format!(
            "{RULE} Each of mgem, gem and rs against each of rnm and krr, by the share of the better arm in the {ADAPTATION} \
             steps after the shift: {}.",
            means(outcomes, 2, soon)
        ),
    )
}

fn means_adjust(outcomes: &[Outcomes]) -> Block {
    let soon = |trace: &Trace| trace.gap(SHIFT + ADAPTATION);
    let last = |trace: &Trace| trace.gap(STEPS);
    let found = tally(outcomes, &["mgem", "rs"], &["gem", "rnm", "krr"], soon);
    Given {
        statement: "For mGEM and RS, the predicted means adjust more rapidly and they target action 0.",
        source: SOURCE,
        paper: "more rapidly than the others",
    }
    .against(
        found.words(),
        found.agreement(),
        &format!(
            "{RULE} The predicted mean of arm 0 less that of arm 1, {ADAPTATION} steps after the shift: {}. At the end: {}. \
             The number of the action is lost in the extracted text; it can only be 0.",
            means(outcomes, 3, soon),
            means(outcomes, 3, last)
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::bandit::cells::{EVERY, TracePoint};

    /// Runs of a policy that gain a constant reward per step before the shift and another after it,
    /// with a little noise of alternating sign over the trials.
    fn outcomes(policy: &'static str, before: f64, after: f64) -> Outcomes {
        let trace = |trial: u64| {
            let noise = if trial.is_multiple_of(2) { 0.01 } else { -0.01 };
            let points = (1..=STEPS / EVERY).map(|point| {
                let steps = (point * EVERY) as f64;
                let early = steps.min(SHIFT as f64);
                TracePoint {
                    reward: early * before + (steps - early) * after + noise * steps,
                    better: if steps > SHIFT as f64 { after } else { before },
                    means: [0.5 + after / 10.0 + noise / 100.0, 0.5],
                    sensitivities: [0.2 + noise, 0.2],
                }
            });
            Trace { points: points.collect(), arm_1_after: 1.0 - after }
        };
        Outcomes { policy, traces: (0..10).map(trace).collect() }
    }

    fn agreements(gains: [(f64, f64); 8]) -> Vec<Agreement> {
        let all: Vec<Outcomes> = POLICIES
            .into_iter()
            .zip(gains)
            .map(|(policy, (before, after))| outcomes(policy, before, after))
            .collect();
        comparisons(&all)
            .into_iter()
            .map(|block| match block {
                Block::Comparison { agreement, .. } => agreement,
                other => panic!("no comparison: {other:?}"),
            })
            .collect()
    }

    #[test]
    fn significance_follows_from_the_numbers() {
        // As the paper has it; sensitivities differ by less than three standard errors.
        let as_printed = [
            (0.9, 0.9),
            (0.8, 0.7),
            (0.85, 0.8),
            (0.6, 0.5),
            (0.5, 0.4),
            (0.9, 0.04),
            (0.9, 0.04),
            (0.9, 0.8),
        ];
        let [ucb, stays, correlated, best, start, adapts, means] = agreements(as_printed)[..]
        else {
            panic!("seven statements")
        };
        assert_eq!(correlated, Agreement::Undecided);
        for agreement in [ucb, stays, best, start, adapts, means] {
            assert_eq!(agreement, Agreement::Matches);
        }
        // Turned around.
        let turned = [
            (0.1, 0.1),
            (0.2, 0.3),
            (0.15, 0.2),
            (0.4, 0.5),
            (0.5, 0.6),
            (0.9, 0.96),
            (0.9, 0.96),
            (0.9, 0.8),
        ];
        let [ucb, stays, _, best, start, adapts, means] = agreements(turned)[..] else {
            panic!("seven statements")
        };
        for agreement in [ucb, stays, best, start, adapts, means] {
            assert_eq!(agreement, Agreement::DoesNotMatch);
        }
        // All equal.
        let [ucb, stays, _, best, ..] = agreements([(0.5, 0.4); 8])[..] else {
            panic!("seven statements")
        };
        assert_eq!(
            [ucb, stays, best],
            [Agreement::Undecided, Agreement::Partly, Agreement::Undecided]
        );
    }
}
