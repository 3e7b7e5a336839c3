//! Dry runs: the budget and noise of a run, from the request and the header alone.

use serde::Serialize;

use crate::error::Result;
use crate::estimate::{EffectNoise, MIDDLE_POINTS, MedianGrid, ROWS_FOR_A_CENTER};
use crate::exact::two_digits;
use crate::forecast::{Forecast, Least, Simulated, check_method};
use crate::mechanism::{Mechanism, Peel};
use crate::privacy::{Epsilon, Purpose};
use crate::release::describe::{guarantee, mechanism_used, score_used, target_used, warnings};
use crate::release::record::{
    Guarantee, MechanismReason, MechanismUsed, RandomnessUsed, ScoreUsed, TargetUsed, Warning,
};
use crate::request::check::checked_threads;
use crate::request::fields::Request;
use crate::request::plan::{
    Choice, FalseDiscoveryBound, FwerControl, Known, Plan, ScaleUsed, Scoring,
};
use crate::run::steps::{header, plan_of_header};
use crate::table::{SetFacts, Source};

/// The effect sizes whose rows a dry run reports: weak, moderate and strong.
const EFFECT_SIZES: [f64; 3] = [0.2, 0.3, 0.5];

/// The number of names to plan with, where the number of significant features is not known.
pub(crate) const EXAMPLE: usize = 5;

/// The same where a delta is for many names.
const MANY: usize = 30;

/// A plan that was not executed.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct DryRun {
    /// Version of this program.
    pub version: String,
    /// Always true; distinguishes this record from that of a release.
    pub dry_run: bool,
    /// The number of features in the header, or of the feature sets that are used.
    pub features: usize,
    /// The number of features requested; `None` if all significant features are requested.
    pub k: Option<usize>,
    /// The bound on false discoveries, if all significant features are requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub false_discoveries: Option<FalseDiscoveryBound>,
    /// The guarantee that a run would give and the budget it would spend.
    pub guarantee: Guarantee,
    /// How the features would be chosen.
    pub mechanism: MechanismUsed,
    /// How the features would be scored.
    pub score: ScoreUsed,
    /// The target and its coding.
    pub target: TargetUsed,
    /// All given sets of features in this table, used or not; empty without sets.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sets: Vec<SetFacts>,
    /// The rows needed to find features of several effect sizes, and to find them significant;
    /// empty for methods without a [forecast](crate::forecast::Forecast).
    pub rows_needed: Vec<RowsNeeded>,
    /// The noise of each private part.
    pub noise: Vec<Noise>,
    /// Problems that are already known.
    pub warnings: Vec<Warning>,
}

/// The rows with which features of one effect size are found, if all classes, or both sides of the
/// split, have equally many.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RowsNeeded {
    /// The effect size in the population, from 0 to 1.
    pub effect_size: f64,
    /// The rows with which features of this effect size are found in half of all runs: k of them,
    /// or without k a single one.
    pub found: Option<f64>,
    /// The rows with which they are significant in half of all runs; `None` without a test.
    pub significant: Option<f64>,
    /// The rows with which they are found in half of all runs if only names are released
    /// (`estimates` has a share of 0); `None` if the request does so already, or without k.
    pub names_only: Option<f64>,
}

/// The effect of the noise of one private part.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Noise {
    /// The part.
    #[serde(rename = "for")]
    pub purpose: Purpose,
    /// The effect as text.
    pub text: String,
}

/// Plans a run of a checked request.
///
/// # Errors
///
/// The errors of a run that depend on the request and the header alone.
pub(crate) fn dry_run(request: &Request, source: &(impl Source + ?Sized)) -> Result<DryRun> {
    let schema = header(request, source, &request.hooks.for_a_run())?;
    let plan = plan_of_header(request, &schema)?;
    let units = schema.privacy_unit().plural();
    let noise = plan.spent.iter().map(|part| Noise {
        purpose: part.purpose,
        text: noise(&plan, part.purpose, &part.epsilon, units),
    });
    let noise = noise.collect();
    Ok(DryRun {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        dry_run: true,
        features: plan.features,
        k: plan.given_k(),
        false_discoveries: plan.fwer.as_ref().map(FwerControl::bound),
        guarantee: guarantee(&plan, &schema),
        mechanism: planned_mechanism(&plan),
        score: score_used(&plan, None),
        target: target_used(&plan, &schema),
        sets: plan.groups.as_ref().map_or_else(Vec::new, |(grouping, _)| grouping.facts.clone()),
        rows_needed: rows_needed(&plan)?,
        noise,
        warnings: warnings(&plan, &RandomnessUsed::of(request.entropy), &schema),
    })
}

/// The rows that several effect sizes need.
fn rows_needed(plan: &Plan) -> Result<Vec<RowsNeeded>> {
    if check_method(plan).is_err() {
        return Ok(Vec::new());
    }
    let simulated =
        Simulated { threads: checked_threads(plan.request.threads)?, ..Simulated::default() };
    let forecast = Forecast::new(plan.at_epsilon(&plan.epsilon)?, simulated)?;
    let names_only = match plan.estimates {
        Some(_) if plan.fwer.is_none() => Some(forecast.of_names_only()?),
        _ => None,
    };
    let shares = forecast.even_shares();
    let needed = |effect_size| {
        let half = |needed: [Option<Least>; 2]| needed[0].map(|least| least.value);
        let rows = forecast.rows(&shares, effect_size)?;
        let names_only = names_only.as_ref().map(|forecast| forecast.rows(&shares, effect_size));
        let names_only = names_only.transpose()?.and_then(|needed| half(needed.found));
        Ok(RowsNeeded {
            effect_size,
            found: half(rows.found),
            significant: half(rows.significant),
            names_only,
        })
    };
    EFFECT_SIZES.into_iter().map(needed).collect()
}

/// The mechanism, or the rule that chooses it.
fn planned_mechanism(plan: &Plan) -> MechanismUsed {
    let used = mechanism_used(plan, &plan.choice.chosen(Known::default()), None);
    match &plan.choice {
        Choice::ByCounts(by) => {
            let canonical_from = two_digits(by.rows(plan.scoring.classes()));
            MechanismUsed { chosen: Some(MechanismReason::Rows { canonical_from }), ..used }
        }
        _ => used,
    }
}

/// The noise of a part; `units` names rows, or samples that are columns.
fn noise(plan: &Plan, purpose: Purpose, part: &Epsilon, units: &str) -> String {
    let epsilon = part.to_f64();
    let steps = plan.request.neighbors.steps() as f64;
    let (k, of_names) = match plan.given_k() {
        Some(k) => (k, ""),
        None => (EXAMPLE, ", if there are five names"),
    };
    match purpose {
        // P(rank error > r) <= (grid points) e^(-eps r).
        Purpose::TargetMedian => {
            let ranks = steps * (MedianGrid::shared().len() as f64 / 0.05).ln() / epsilon;
            format!(
                "the split is within {ranks:.0} ranks of the middle 95 times of 100, if values lie \
                 from 1e-6 to 1e15 in magnitude and differ in their first three digits, or four from 0.01 to 100,000"
            )
        }
        Purpose::TargetCenter if plan.strata > 1 => {
            let (rows, least) = (2.0 / epsilon, two_digits(ROWS_FOR_A_CENTER / epsilon));
            format!(
                "{units} of each of {} strata are counted with a standard deviation of at most {rows:.1}; a stratum \
                 of fewer than about {least} {units} has no center of its own",
                plan.strata
            )
        }
        Purpose::TargetCenter => {
            let rows = 2.0 * steps / epsilon;
            format!("{units} are counted with a standard deviation of at least {rows:.1}")
        }
        Purpose::Rows => {
            let rows = 2f64.sqrt() / epsilon;
            format!("{units} are counted with a standard deviation of about {rows:.1}")
        }
        Purpose::FeatureMedians => {
            let points = match plan.scale {
                ScaleUsed::None => MedianGrid::shared().len(),
                _ => MIDDLE_POINTS,
            };
            let ranks = plan.picks() as f64 * steps * (points as f64 / 0.05).ln() / epsilon;
            format!(
                "each screened feature is split within {ranks:.0} ranks of its middle at least 95 \
                 times of 100"
            )
        }
        Purpose::Signs => {
            let numbers = 1.0 + (plan.picks() + 1) as f64 * (plan.picks() + 2) as f64 / 2.0;
            let rows = ((numbers + 1.0) * (numbers + 2.0) / 3.0).sqrt() * steps / epsilon;
            format!(
                "{} screened features are compared in pairs, each with a standard deviation of {rows:.0} {units}: \
                 with fewer than about {:.0} {units}, expect little",
                plan.picks(),
                30.0 * rows
            )
        }
        Purpose::Estimates => {
            let half = EffectNoise::Pure(part.clone()).half_width(k, 0.9) * steps / epsilon;
            format!(
                "90 of 100 effect sizes are off by less than the effect of {half:.0} {units}{of_names}"
            )
        }
        Purpose::Findings => {
            let Some(concentrated) = &plan.concentrated else { return String::new() };
            let k = MANY.min(plan.k);
            let noise = Peel.gap(plan.features, k, &concentrated.rounds(k)) * steps;
            let effects = concentrated.estimates();
            let off = effects.half_width(k, 0.9) * steps / effects.rate(k);
            format!(
                "if there are {k} names, the noise of the selection is as large as the effect of about {noise:.0} {units}, and 90 \
                 of 100 effect sizes are off by less than the effect of {off:.0} {units}"
            )
        }
        Purpose::Direction => {
            let half = EffectNoise::Pure(part.clone()).half_width(k, 0.9) * steps / epsilon;
            format!(
                "90 of 100 directions are right where more than {half:.0} {units} support one direction{of_names}"
            )
        }
        Purpose::Mechanism => {
            let rows = steps / epsilon;
            format!(
                "it is drawn by scores whose noise is as large as the effect of about {rows:.0} {units}"
            )
        }
        // Not parts of a selection.
        Purpose::Number | Purpose::Ranges | Purpose::Model => String::new(),
        Purpose::Selection if matches!(plan.scoring, Scoring::TwoStage(_)) => {
            let votes = plan.votes_needed();
            format!(
                "features can be distinguished if their votes differ by about {votes:.0}: with fewer blocks, expect \
                 noise"
            )
        }
        Purpose::Selection => {
            let mechanism = plan.choice.chosen(Known::default()).mechanism;
            let picks = if plan.fwer.is_some() { k.min(plan.features) } else { plan.picks() };
            let rows = mechanism.gap(plan.features, picks, &plan.calibrated.noise) * steps;
            format!("its noise is as large as the effect of about {rows:.0} {units}{of_names}")
        }
    }
}
