//! The public parts of a record, from the plan and the header alone: guarantee, score, target,
//! mechanism and warnings.

use std::sync::Arc;

use crate::error::Parameter;
use crate::exact::GRID;
use crate::mechanism::Mechanism;
use crate::release::record::{
    AtHorizon, GroupsUsed, Guarantee, MechanismReason, MechanismUsed, MissingRule, RandomnessUsed,
    ScoreId, ScoreUsed, TargetCoding, TargetUsed, Warning, WarningKind,
};
use crate::request::fields::{Association, Method, Target, TwoStage};
use crate::request::plan::{ChosenBy, ChosenMechanism, Plan, ScaleUsed, Scoring};
use crate::score::KENDALL_GRID;
use crate::table::{Grouping, Scaling, Schema, SetSize, is_id_name};

/// The plural noun for the unit that holds one person's data.
pub(crate) fn units(schema: &Schema) -> &'static str {
    schema.privacy_unit().plural()
}

/// The guarantee for a table and the budget spent.
pub(crate) fn guarantee(plan: &Plan, schema: &Schema) -> Guarantee {
    Guarantee {
        epsilon: plan.epsilon.clone(),
        delta: plan.calibrated.delta.clone(),
        pure_epsilon: plan.pure_epsilon(),
        neighbors: plan.request.neighbors,
        unit: schema.privacy_unit(),
        one_row_per_identifier: schema.has_one_row_each(),
        spent: plan.spent.clone(),
        events: plan.events.clone(),
    }
}

/// The score and the scaling of values.
pub(crate) fn score_used(plan: &Plan, sensitivity: Option<u64>) -> ScoreUsed {
    let (id, grid, missing_value) = match &plan.scoring {
        Scoring::Coded(coded) => match coded.association {
            Association::Correlation => {
                (ScoreId::Correlation, GRID.into(), MissingRule::SmallestScore)
            }
            Association::Paired => (ScoreId::Paired, GRID.into(), MissingRule::NoPair),
            _ => (ScoreId::Ks, GRID.into(), MissingRule::SmallestScore),
        },
        Scoring::Paper { .. } => (ScoreId::Correlation, GRID.into(), MissingRule::GridMiddle),
        Scoring::Kendall { .. } => (ScoreId::Kendall, KENDALL_GRID, MissingRule::NoPair),
        Scoring::TwoStage(_) => (ScoreId::Votes, 1, MissingRule::GridMiddle),
        Scoring::DpKendall { .. } => (ScoreId::DpKendall, KENDALL_GRID, MissingRule::NoPair),
    };
    let groups = plan.groups.as_ref().map(groups_used);
    ScoreUsed {
        id,
        grid,
        scale: plan.scale,
        per_million: plan.request.per_million,
        by_default: plan.request.is_scored_by_default(),
        bounds: match &groups {
            Some(groups) => groups.bounds,
            None => common_bounds(&plan.scaling),
        },
        missing: if groups.is_some() { MissingRule::GridMiddle } else { missing_value },
        groups,
        sensitivity,
        center: plan.center,
        classes: plan.request.target.labels().map(<[String]>::to_vec),
    }
}

fn common_bounds(scaling: &Scaling) -> Option<[f64; 2]> {
    match scaling {
        Scaling::Bounds(bounds) => Some([bounds.low(), bounds.high()]),
        Scaling::BoundsByFeature(_) | Scaling::RowRank => None,
    }
}

/// The sets of features, with the scaling of their members' values.
fn groups_used((grouping, scale): &(Arc<Grouping>, ScaleUsed)) -> GroupsUsed {
    let count = |size: SetSize| grouping.facts.iter().filter(|set| set.size == size).count();
    GroupsUsed {
        used: count(SetSize::Used),
        too_small: count(SetSize::TooSmall),
        too_large: count(SetSize::TooLarge),
        least: grouping.least,
        most: grouping.most,
        features: grouping.features,
        missing: grouping.used().map(|set| set.members.missing.len()).sum(),
        scale: *scale,
        bounds: common_bounds(grouping.scaling()),
    }
}

/// The target and its coding.
pub(crate) fn target_used(plan: &Plan, schema: &Schema) -> TargetUsed {
    // For a target at a horizon, the column of events.
    let place = schema.event().or(schema.target());
    TargetUsed {
        // No name for a target from a separate file: without a header its first cell would be
        // printed.
        name: place.map(|place| schema.name(place).to_owned()),
        column: place.map(|place| place + 1),
        coding: match &plan.request.target {
            Target::Classes(_) | Target::TimeToEvent(_) => TargetCoding::Classes,
            _ if plan.median().is_some() => TargetCoding::MedianSplit,
            Target::Bounded(_) => TargetCoding::Bounds,
            Target::Numeric => TargetCoding::Number,
        },
        bounds: match &plan.request.target {
            Target::Bounded(bounds) => Some([bounds.low(), bounds.high()]),
            _ => None,
        },
        time_to_event: schema.time_to_event().map(AtHorizon::new),
        of_person: (schema.has_people() && !plan.request.is_paired())
            .then_some(plan.request.rule_of_people()),
        adjusted_for: plan.request.covariates.iter().map(ToString::to_string).collect(),
    }
}

/// The mechanism with its parameters and the parameters of the method.
pub(crate) fn mechanism_used(
    plan: &Plan,
    ChosenMechanism { mechanism, by }: &ChosenMechanism,
    blocks: Option<u64>,
) -> MechanismUsed {
    let chosen = match by {
        ChosenBy::Statement => None,
        ChosenBy::Size => Some(MechanismReason::Size),
        ChosenBy::Number => Some(MechanismReason::Number),
        ChosenBy::Counts { ratio } => {
            Some(MechanismReason::Counts { ratio: format!("{:.1}", (ratio * 10.0).floor() / 10.0) })
        }
        ChosenBy::Scores { many } => Some(MechanismReason::Scores { many: *many }),
    };
    let used = MechanismUsed { chosen, ..MechanismUsed::of(&**mechanism, plan.picks()) };
    match plan.request.method {
        // A refinement takes no weights.
        Method::Scores => match (&plan.refinement, &plan.weights) {
            (Some(_), _) => used.with("screened", plan.picks()).with("refine", "gram"),
            (None, Some(weights)) => {
                used.with("weights", weights.given).with("weights_uniform", weights.uniform)
            }
            (None, None) => used,
        },
        Method::TwoStage(TwoStage { penalty, .. }) => {
            let used = used.with("method", "two-stage").with("penalty", penalty);
            match blocks {
                Some(blocks) => used.with("blocks", blocks),
                None => used,
            }
        }
        Method::DpKendall => {
            let em: &dyn Mechanism = &crate::mechanism::ExponentialMechanism;
            MechanismUsed::of(em, 1).with("method", "dpkendall").with("rounds", plan.k)
        }
    }
}

/// Tables with fewer features than this more often have columns in different units.
const NARROW: usize = 200;

/// The warnings that follow from the plan.
pub(crate) fn warnings(plan: &Plan, randomness: &RandomnessUsed, schema: &Schema) -> Vec<Warning> {
    let mut warnings = Vec::new();
    if plan.request.paper {
        let text = "NOT PRIVATE: columns and target were centered and scaled by the data \
                    themselves; epsilon does not cover that";
        warnings.push(Warning::new(WarningKind::NotPrivate, text));
    }
    warnings.extend(randomness.warning());
    warnings.extend(Warning::of_epsilon(&plan.epsilon));
    warnings.extend(Warning::of_delta(&plan.calibrated));
    warnings.extend(id_as_feature(schema));
    let (ranks, features) = match &plan.groups {
        Some((grouping, scale)) => (*scale == ScaleUsed::RowRank, grouping.features),
        None => (plan.scales_rows() && plan.scale == ScaleUsed::RowRank, plan.features),
    };
    if ranks && features < NARROW {
        let (remedy, parameter) = match plan.request.method {
            _ if plan.groups.is_some() => ("give the range of each", Parameter::Bounds),
            Method::Scores => ("the score ks without a scaling suits them", Parameter::Score),
            _ => ("give the range of each, or use DPKendall", Parameter::Method),
        };
        let text = format!(
            "tables with few features often have columns in different units, for which ranks within a row mislead: \
             {remedy}"
        );
        warnings.push(Warning::new(WarningKind::RowRankNarrow, text).about([parameter]));
    }
    warnings
}

/// A warning about features whose names suggest identifiers: each value identifies one person.
fn id_as_feature(schema: &Schema) -> Option<Warning> {
    let named = schema.feature_names().filter(|name| is_id_name(name));
    let named: Vec<String> = named.take(3).map(|name| format!("{name:?}")).collect();
    (!named.is_empty()).then(|| {
        let text = format!("{} is a feature here: if it holds ids, leave it out", named.join(", "));
        Warning::new(WarningKind::IdAsFeature, text).about([Parameter::Id, Parameter::Exclude])
    })
}
