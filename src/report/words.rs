//! Phrases common to all report formats.

use std::fmt::Write;

use crate::error::Parameter;
use crate::privacy::{Purpose, Receipt, Unit};
use crate::select::{
    DryRun, Guarantee, MechanismUsed, PickOrder, Record, ScaleUsed, ScoreId, ScoreUsed,
    TargetCoding, TargetUsed,
};

/// The mechanism with its parameters.
pub(super) fn chosen_by(mechanism: &MechanismUsed, order: PickOrder) -> String {
    let parameter = |(name, value): (&&str, &String)| format!(", {name} {value}");
    let parameters: Vec<String> = mechanism.parameters.iter().map(parameter).collect();
    let order = match order {
        PickOrder::Pick => ", in the order of the picks",
        PickOrder::File => "",
    };
    format!("the mechanism {}{}{order}", mechanism.id, parameters.concat())
}

pub(super) fn is_paper(score: &ScoreUsed) -> bool {
    score.scale == ScaleUsed::Paper
}

pub(super) fn protected(score: &ScoreUsed, guarantee: &Guarantee) -> String {
    if is_paper(score) {
        return "NOTHING: this output is NOT PRIVATE".into();
    }
    let unit = guarantee.unit;
    format!("one {unit} of the table: a {unit} must hold all data of one person")
}

/// How features were scored and values scaled.
pub(super) fn scored(score: &ScoreUsed) -> String {
    let how = scored_by(score);
    match score.per_million {
        true => format!("in counts per million, each value divided by its sample's sum: {how}"),
        false => how,
    }
}

fn scored_by(score: &ScoreUsed) -> String {
    let ks = score.id == ScoreId::Ks;
    let how = match (score.scale, score.bounds) {
        (ScaleUsed::None, _) if ks => {
            "by the best threshold or word of each feature (Kolmogorov-Smirnov): suits features of any \
             kind, in any units; words and dates count, missing cells are left out"
        }
        (ScaleUsed::None, _) => {
            "by Kendall's rank correlation, feature by feature: suits any units"
        }
        (ScaleUsed::Paper, _) => "every column by its own mean and range: NOT PRIVATE",
        (ScaleUsed::BoundsFile | ScaleUsed::BoundsByFeature, _) => {
            "every feature clipped to its own stated range: suits features whose ranges are public \
             knowledge"
        }
        (_, Some([low, high])) => {
            return by_threshold(
                ks,
                format!(
                    "every feature clipped to [{low}, {high}]: suits features that share this range by \
                 public knowledge"
                ),
            );
        }
        _ => {
            "values to their ranks within the sample: suits columns of one kind (expression, \
             methylation, counts, spectra), not columns in different units"
        }
    };
    by_threshold(ks && score.scale != ScaleUsed::None, how.into())
}

fn by_threshold(on_bins: bool, how: String) -> String {
    if on_bins { format!("{how}; by the best of 15 thresholds") } else { how }
}

/// The line of the file that holds a feature: a column, or a row if features are rows.
pub(super) fn line_of_features(record: &Record) -> &'static str {
    line_of(record.guarantee.unit)
}

fn line_of(unit: Unit) -> &'static str {
    if unit == Unit::Column { "row" } else { "column" }
}

/// The place of a target in the table.
fn place_of(target: &TargetUsed, unit: Unit) -> String {
    match (&target.name, target.column) {
        (Some(name), Some(index)) => format!("{name:?}, {} {index}", line_of(unit)),
        _ => "outside the table".into(),
    }
}

/// The target of a request that was not run: nothing is known of its values.
pub(super) fn planned_target(plan: &DryRun, words: &dyn Fn(&[Parameter]) -> String) -> String {
    let (target, units) = (&plan.target, plan.guarantee.unit.plural());
    let coding = match (target.coding, target.bounds, &plan.score.classes) {
        (_, _, Some(classes)) => format!(
            "classes {}; labels are not checked: {units} with any other, or a misspelled one, would count nowhere",
            classes.join(", ")
        ),
        (_, Some([low, high]), _) => {
            format!("a number, clipped to [{low}, {high}]; values are not checked")
        }
        (TargetCoding::MedianSplit, ..) => format!(
            "a number, split at a private median; values are not checked, and labels such as 0/1 are better stated \
             as classes{}",
            words(&[Parameter::Classes])
        ),
        _ => "a number; values are not checked".to_owned(),
    };
    format!("{}: {coding}", place_of(target, plan.guarantee.unit))
}

pub(super) fn target(target: &TargetUsed, record: &Record) -> String {
    let name = place_of(target, record.guarantee.unit);
    let (released, units) = (&record.released, record.guarantee.unit.plural());
    let coding = match (released.target_median, target.bounds, &record.score.classes) {
        (Some(median), ..) => format!("a number, split at a private median of {median}"),
        (_, Some([low, high]), _) => format!("a number, clipped to [{low}, {high}]"),
        (_, _, Some(classes)) => format!("classes {}", classes.join(", ")),
        _ => "a number".into(),
    };
    let mut words = format!("{name}: {coding}");
    if let Some(rows) = record.public.rows {
        let _ = write!(words, "; {rows} {units} (public)");
    } else if let Some(rows) = released.rows_estimate {
        let _ = write!(words, "; about {rows} {units}");
        match released.unusable_estimate {
            Some(unusable) => {
                let _ = write!(words, " with it and {unusable} without (private estimates)");
            }
            None => words.push_str(" (a private estimate)"),
        }
    }
    if record.score.classes.is_some() && released.center.is_none() {
        words.push_str(
            "; classes are not counted: nothing tells whether they are spelled as in the file",
        );
    }
    words
}

/// What a part of the budget is for.
pub fn purpose(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::TargetMedian => "target median",
        Purpose::TargetCenter => "target center",
        Purpose::Rows => "count of rows",
        Purpose::Selection => "selection",
        Purpose::Estimates => "strengths",
        Purpose::Direction => "directions",
    }
}

/// What a ledger says about a release that it paid for.
pub(super) fn paid(receipt: &Receipt) -> String {
    let Receipt { name, cap, spent, left, delta, spent_delta, .. } = receipt;
    let name = if name.is_empty() { String::new() } else { format!("{name}: ") };
    let deltas = match delta.is_zero() {
        true => String::new(),
        false => format!("; delta {spent_delta} of {delta}"),
    };
    format!("{name}spent {spent} of {cap}, {left} left{deltas}")
}
