//! The data and the figures of the bandits.

use dpsis::Result;
use dpsis::report::{Block, Section};
use dpsis_eval::Estimate;

use crate::experiments::bandit::cells::{EVERY, Outcomes, TracePoint};
use crate::experiments::bandit::policy::{
    ACTION_EPSILON, KRR_EPSILON, MEANS_EPSILON, PRIVATE, QUANTILES_EPSILON, WINDOW,
};
use crate::experiments::bandit::rewards::{ARMS, SHIFT, STEPS, UNIT};
use crate::experiments::bandit::statements::comparisons;
use crate::experiments::experiment::Experiment;
use crate::experiments::parts::{curves, paragraph, row};
use dpsis_eval::figure::{Curve, CurveChart, CurvePoint};

const DATA: &str = "bandit.csv";

/// The numbers of steps at which a run is measured.
fn steps() -> impl Iterator<Item = usize> {
    (1..=STEPS / EVERY).map(|point| point * EVERY)
}

/// A mean over the runs after a number of steps.
fn at(outcomes: &Outcomes, steps: usize, of: impl Fn(&TracePoint) -> f64) -> Estimate {
    outcomes.mean(|trace| of(trace.after(steps)))
}

/// Writes all points of all policies.
pub(super) fn write_data(experiment: &Experiment<'_>, outcomes: &[Outcomes]) -> Result<()> {
    let mut lines = Vec::new();
    for outcome in outcomes {
        for steps in steps() {
            let mut line = row(&[outcome.policy, &steps.to_string()]);
            line.push(experiment.trials.to_string());
            let measured: [fn(&TracePoint) -> f64; 6] = [
                |point| point.reward,
                |point| point.better,
                |point| point.means[0],
                |point| point.means[1],
                |point| point.sensitivities[0],
                |point| point.sensitivities[1],
            ];
            for of in measured {
                let Estimate { mean, error } = at(outcome, steps, of);
                line.extend([mean, error].map(|number| format!("{number:.5}")));
            }
            lines.push(line);
        }
    }
    let header = [
        "policy",
        "steps",
        "trials",
        "reward",
        "reward_error",
        "better_arm",
        "better_arm_error",
        "mean_0",
        "mean_0_error",
        "mean_1",
        "mean_1_error",
        "sensitivity_0",
        "sensitivity_0_error",
        "sensitivity_1",
        "sensitivity_1_error",
    ];
    experiment.output.write_csv(DATA, &header, &lines)
}

/// A chart over the steps.
struct Drawn {
    name: &'static str,
    title: &'static str,
    y_label: &'static str,
    private_only: bool,
    of: fn(&TracePoint) -> f64,
}

const CHARTS: [Drawn; 4] = [
    Drawn {
        name: "bandit-reward",
        title: "Cumulative reward",
        y_label: "sum of rewards",
        private_only: false,
        of: |point| point.reward,
    },
    Drawn {
        name: "bandit-better",
        title: "Share of the better arm",
        y_label: "share of the last 50 steps",
        private_only: false,
        of: |point| point.better,
    },
    Drawn {
        name: "bandit-means-0",
        title: "Predicted mean of arm 0 (better after the shift)",
        y_label: "private mean",
        private_only: true,
        of: |point| point.means[0],
    },
    Drawn {
        name: "bandit-means-1",
        title: "Predicted mean of arm 1 (better before the shift)",
        y_label: "private mean",
        private_only: true,
        of: |point| point.means[1],
    },
];

/// The section of the page.
pub(super) fn section(experiment: &Experiment<'_>, outcomes: &[Outcomes]) -> Result<Section> {
    let mut blocks = introduction();
    for drawn in CHARTS {
        let policies = if drawn.private_only { &outcomes[..PRIVATE] } else { outcomes };
        let chart = CurveChart {
            title: format!("{}, {} trials", drawn.title, experiment.trials),
            x_label: format!("steps; the arms change places after {SHIFT}"),
            y_label: drawn.y_label.into(),
            x_log: false,
            y_log: false,
            y_range: None,
            curves: policies.iter().map(|outcome| curve(outcome, drawn.of)).collect(),
            references: Vec::new(),
        };
        blocks.push(curves(experiment, drawn.name, &chart, "Means with 95% bands.", DATA)?);
    }
    blocks.push(table(outcomes));
    blocks.extend(comparisons(outcomes));
    Ok(Section::new("bandit", "Bandits whose arms change places", blocks))
}

fn introduction() -> Vec<Block> {
    let [(low, narrow), (high, wide)] = ARMS;
    vec![
        paragraph(&format!(
            "At each of {STEPS} steps a policy takes one of two arms and sees its reward: Gaussian, clipped to 0 to 1. \
             Arm 0 has mean {low} and standard deviation {narrow}, arm 1 mean {high} and standard deviation {wide}; after \
             step {SHIFT} they are exchanged. The better arm has the wider rewards throughout: scores and sensitivities \
             are positively correlated. All policies of a trial meet the same rewards. The text of the paper at hand has lost \
             its numbers (steps, shift, means, deviations, window, budgets, UCB's bonus): these are readings."
        )),
        paragraph(&format!(
            "Private policies predict an arm's mean by the noisy sum of a hybrid counter, divided by the public number of \
             times that it was taken and clipped to 0 to 1, and select an arm by these scores (in units of 1/{UNIT}). An \
             arm's sensitivity is the private 90% quantile less the private 10% quantile of its last {WINDOW} rewards: \
             after {WINDOW} new ones it is estimated again, so each reward is used once; before the first estimate it is \
             the whole range, so that mgem favors an arm without one. mgem, gem (beta 0.05) and rs (stop 0.05) use each arm's own sensitivity, rnm (exponential \
             noise) the larger one, krr none. ucb adds sqrt(2 ln t/n) to an arm's exact mean, or a hundredth of it (ucb/100); thompson draws from a normal \
             law around it with standard deviation 1/(2 sqrt(n)). Every policy takes each arm once at first."
        )),
        Block::Table {
            caption: "The budget of each part, for neighbors that differ in one reward. As in the paper, actions are \
                      counted one by one, and sensitivities bound what is typical, not what is possible."
                .into(),
            header: row(&["part", "mgem, gem, rs, rnm", "krr"]),
            rows: vec![
                row(&["all released means of an arm, paid for each of two arms", MEANS_EPSILON, MEANS_EPSILON]),
                row(&["each pair of quantiles of an arm, paid for each of two arms", QUANTILES_EPSILON, "none"]),
                row(&["each action", ACTION_EPSILON, KRR_EPSILON]),
            ],
        },
    ]
}

fn curve(outcomes: &Outcomes, of: impl Fn(&TracePoint) -> f64) -> Curve {
    let point = |steps: usize| {
        let found = at(outcomes, steps, &of);
        let (low, high) = found.band();
        CurvePoint { x: steps as f64, y: found.mean, low, high }
    };
    Curve { label: outcomes.policy.into(), points: steps().map(point).collect() }
}

fn table(outcomes: &[Outcomes]) -> Block {
    let rows = outcomes.iter().map(|outcome| {
        let with_error = |found: Estimate| format!("{:.0} ({:.0})", found.mean, found.error);
        vec![
            outcome.policy.to_owned(),
            with_error(at(outcome, SHIFT, |point| point.reward)),
            with_error(outcome.mean(|trace| trace.reward_after_shift())),
            with_error(at(outcome, STEPS, |point| point.reward)),
        ]
    });
    Block::Table {
        caption: "Mean rewards, with standard errors in parentheses.".into(),
        header: row(&["policy", "before the shift", "after it", "in all"]),
        rows: rows.collect(),
    }
}
