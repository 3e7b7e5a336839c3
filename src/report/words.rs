//! Phrases common to all report formats.

use std::fmt::Write;

use crate::UnitTarget;
use crate::error::Parameter;
#[cfg(any(feature = "exports", feature = "html"))]
use crate::exact::near_f64;
#[cfg(any(feature = "exports", feature = "html"))]
use crate::privacy::Delta;
use crate::privacy::{Neighbors, Purpose, Receipt, Spending, Unit};
use crate::release::{
    AtHorizon, GroupsUsed, Guarantee, MechanismReason, MechanismUsed, PickOrder, PublicFacts,
    Record, ScoreId, ScoreUsed, TargetCoding, TargetUsed,
};
use crate::report::findings::{WEIGHTS, short};
use crate::request::{FalseDiscoveryBound, ScaleUsed};
use crate::run::DryRun;
use crate::table::listed;

/// The mechanism with its parameters.
pub(super) fn chosen_by(mechanism: &MechanismUsed, order: PickOrder) -> String {
    let own = mechanism.parameters.iter().filter(|(name, _)| !WEIGHTS.contains(&name.as_str()));
    let parameters: Vec<String> = own.map(|(name, value)| format!(", {name} {value}")).collect();
    let order = match order {
        PickOrder::Pick => ", in the order of the picks",
        PickOrder::File => "",
    };
    format!("the mechanism {}{}{order}", mechanism.id, parameters.concat())
}

/// The weights of features, after a comma, if there are any.
pub(super) fn weighted(mechanism: &MechanismUsed) -> String {
    let [given, uniform] = WEIGHTS.map(|name| mechanism.parameters.get(name));
    given.zip(uniform).map_or(String::new(), |(given, uniform)| {
        format!(", with public weights of {given} features (uniform share {uniform})")
    })
}

/// The number of selected features, the method and the reason for it.
pub(super) fn selected_by(record: &Record) -> String {
    let how = match (&record.mechanism.chosen, record.released.rows_estimate) {
        (Some(MechanismReason::Counts { .. }), Some(rows)) => {
            let about = format!("about {rows} {}", record.guarantee.unit.noun(rows));
            let are = if rows == 1 { "is" } else { "are" };
            if record.mechanism.id == PEEL_PNF {
                format!(", one after the other ({about} {are} too few for all at once),")
            } else {
                format!(", all at once ({about} {are} enough for that),")
            }
        }
        (Some(MechanismReason::Scores { many: Some(true) }), _) => {
            ", one after the other (many scores are large, by a private draw),".to_owned()
        }
        (Some(MechanismReason::Scores { many: Some(false) }), _) => {
            ", all at once (few scores are large, by a private draw),".to_owned()
        }
        _ => String::new(),
    };
    let number = number_of(Some(record.selected.len()), record.public.features, &record.score);
    let weighted = weighted(&record.mechanism);
    if let Some(bound) = &record.public.false_discoveries {
        let drawn =
            record.released.number.map_or(String::new(), |drawn| match is_concentrated(record) {
                true => format!(", among {drawn} drawn after their number"),
                false => format!(", among {drawn} drawn together with their number"),
            });
        return format!("{number}: {}{drawn}{weighted}", beyond(bound));
    }
    format!("{number}{how} by {}{weighted}", chosen_by(&record.mechanism, record.order))
}

/// Whether features were drawn after their number, with Gaussian noise of their effect sizes.
pub(super) fn is_concentrated(record: &Record) -> bool {
    record.public.false_discoveries.is_some() && record.mechanism.id == "peel"
}

/// The mechanisms between which a private draw decides.
pub(super) fn drawn_by_scores() -> String {
    format!(
        "{PEEL_PNF} if many scores are large, by canonical otherwise, which a private draw decides"
    )
}

/// The requested features: k, or all significant ones.
pub(super) fn asked_for(public: &PublicFacts) -> String {
    match (public.k, &public.false_discoveries) {
        (Some(k), _) => k.to_string(),
        (None, Some(bound)) => beyond(bound),
        (None, None) => String::new(),
    }
}

/// All significant features, with the bound on false discoveries.
pub(super) fn beyond(FalseDiscoveryBound { fwer, at_most }: &FalseDiscoveryBound) -> String {
    let most = at_most.map_or(String::new(), |most| format!(", at most {most}"));
    format!("all significant features{most} (fwer {fwer})")
}

/// The number of selected features and of all features.
fn number_of(k: Option<usize>, features: usize, score: &ScoreUsed) -> String {
    let k = k.map_or(String::new(), |k| format!("{k} of "));
    format!("{k}{features} {}", features_or_sets(score))
}

pub(super) fn features_or_sets(score: &ScoreUsed) -> &'static str {
    if score.groups.is_some() { "sets" } else { "features" }
}

/// The part of the table that a unit needs to be counted.
pub(super) fn needed_of_unit(score: &ScoreUsed) -> &'static str {
    match score.id {
        ScoreId::Paired => "rows of both classes",
        _ => "a target",
    }
}

/// The mechanism that is chosen for small counts, or when few scores are large.
const PEEL_PNF: &str = "peel-pnf";

/// The number of features that a run selects, and how its mechanism will be chosen.
pub(super) fn planned_by(plan: &DryRun) -> String {
    let how = match &plan.mechanism.chosen {
        Some(MechanismReason::Rows { canonical_from }) => format!(
            "{PEEL_PNF} below about {canonical_from} usable {} {}, by canonical from there on",
            plan.guarantee.unit.plural(),
            match plan.score.id {
                ScoreId::Paired => "with rows of both classes",
                _ => "in classes (or sides) of equal size",
            }
        ),
        Some(MechanismReason::Number) => "a draw of features together with their number".to_owned(),
        Some(MechanismReason::Scores { .. }) => drawn_by_scores(),
        _ => chosen_by(&plan.mechanism, PickOrder::File),
    };
    let number = number_of(plan.k, plan.features, &plan.score);
    let weighted = weighted(&plan.mechanism);
    match &plan.false_discoveries {
        Some(bound) => format!("of {number}: {}, by {how}{weighted}", beyond(bound)),
        None => format!("{number} by {how}{weighted}"),
    }
}

/// The parts of a budget.
pub(super) fn parts(spent: &[Spending]) -> String {
    let part = |part: &Spending| format!("{} {}", part.epsilon, purpose(part.purpose));
    spent.iter().map(part).collect::<Vec<_>>().join(" + ")
}

/// The budget and its parts.
pub(super) fn spent(guarantee: &Guarantee) -> String {
    let relation = relation_words(guarantee.neighbors, &guarantee.unit.to_string());
    let (epsilon, delta) = (&guarantee.epsilon, &guarantee.delta);
    let pure = guarantee.pure_epsilon.as_ref();
    let pure = pure.map(|pure| format!("; with delta 0 the same is epsilon {pure}"));
    format!(
        "epsilon {epsilon} = {}; delta {delta}; {relation}{}",
        parts(&guarantee.spent),
        pure.unwrap_or_default()
    )
}

/// The features from which a refinement chose.
pub(super) fn screened(record: &Record) -> Option<String> {
    let screened = record.screened.as_ref()?;
    Some(listed(screened.iter().map(|picked| short(&picked.name, LONGEST))))
}

/// Longer names are cut in lists.
const LONGEST: usize = 40;

pub(super) fn is_paper(score: &ScoreUsed) -> bool {
    score.scale == ScaleUsed::Paper
}

/// The protected data of a choice among external scores.
#[cfg(any(feature = "exports", feature = "html"))]
pub(super) const PROTECTED_BY_CHOICE: &str =
    "one unit of the data behind the scores, by the sensitivity given";

/// The protected data of a fit whose features were given.
#[cfg(any(feature = "exports", feature = "html"))]
pub(super) fn protected_by_fit(guarantee: &Guarantee) -> String {
    format!("one {} of the table", guarantee.unit)
}

pub(super) fn protected(score: &ScoreUsed, guarantee: &Guarantee) -> String {
    if is_paper(score) {
        return "NOTHING: this output is NOT PRIVATE".into();
    }
    let unit = guarantee.unit;
    if unit == Unit::Person {
        return "one person: all rows with the same identifier".into();
    }
    if guarantee.one_row_per_identifier {
        return format!(
            "one {unit} of the table; {unit}s with a repeated or missing identifier are left out: with several \
             {unit}s per person, name the person column as the unit"
        );
    }
    format!(
        "one {unit} of the table; assumes one {unit} per person: with several {unit}s per person, name the person \
         column"
    )
}

/// The use of the column of identifiers.
pub(super) fn ids(column: usize, record: &Record) -> String {
    match record.guarantee.unit {
        Unit::Person => format!("column {column} identifies people"),
        _ if record.guarantee.one_row_per_identifier => {
            format!("column {column} holds the identifiers, which are compared, and is left out")
        }
        _ => format!("column {column} holds identifiers and is left out"),
    }
}

/// How features were scored and values scaled.
pub(super) fn scored(score: &ScoreUsed) -> String {
    let how = match &score.groups {
        Some(groups) => sets_scored_by(score, groups),
        None => scored_by(score),
    };
    match score.per_million {
        true => format!(
            "in counts per million, each value divided by its sample's sum, in which missing values and categories \
             count 0: {how}"
        ),
        false => how,
    }
}

fn sets_scored_by(score: &ScoreUsed, groups: &GroupsUsed) -> String {
    let of = match (groups.scale, groups.bounds) {
        (_, Some([low, high])) => format!("values clipped to [{low}, {high}]"),
        (ScaleUsed::RowRank, _) => "ranks within the sample".to_owned(),
        _ => "values clipped to the given range of each".to_owned(),
    };
    let by = match (score.id, score.scale) {
        (ScoreId::Ks, ScaleUsed::None) => "the best threshold of each set (Kolmogorov-Smirnov)",
        (ScoreId::Ks, _) => "the best of 15 thresholds",
        (ScoreId::Correlation, _) => "correlation",
        (ScoreId::Votes, _) => "votes",
        (ScoreId::Kendall | ScoreId::DpKendall, _) => "Kendall's rank correlation",
        (ScoreId::Paired, _) => {
            "how many more people rise than fall from the first class to the second"
        }
    };
    format!(
        "sets of features, each by the mean of its members' {of}, where a missing value counts as the middle: by {by}"
    )
}

/// The sets that are used, by the rule for their sizes.
pub(super) fn sets_used(groups: &GroupsUsed) -> String {
    let GroupsUsed { used, too_small, too_large, least, features, missing, .. } = groups;
    let all = used + too_small + too_large;
    let most = groups.most.map_or(String::new(), |most| format!(" to {most}"));
    let more = if groups.most.is_none() { " or more" } else { "" };
    let mut words = format!(
        "{used} of {all} are used, those with {least}{most}{more} members among the {features} features of the table"
    );
    if *too_small > 0 {
        let _ = write!(words, "; {too_small} with fewer left out");
    }
    if *too_large > 0 {
        let _ = write!(words, "; {too_large} with more left out");
    }
    if *missing > 0 {
        let _ = write!(words, "; {missing} members of used sets are not features of the table");
    }
    words
}

fn scored_by(score: &ScoreUsed) -> String {
    let ks = score.id == ScoreId::Ks;
    let how = match (score.scale, score.bounds) {
        (ScaleUsed::None, _) if ks && score.per_million => {
            "by the best threshold of each feature (Kolmogorov-Smirnov)"
        }
        (ScaleUsed::None, _) if ks => {
            "by the best threshold or category of each feature (Kolmogorov-Smirnov): suits features of any \
             kind, in any units; categories and dates count, missing values never raise a score"
        }
        (ScaleUsed::None, _) if score.id == ScoreId::Paired => {
            "by how much more often values are larger than smaller in the second class, among the \
             pairs of rows of each person (sign test): suits any units; missing values, categories \
             and ties count 0"
        }
        (ScaleUsed::None, _) => {
            "by Kendall's rank correlation, feature by feature: suits any units; categories count as \
             missing"
        }
        (ScaleUsed::Paper, _) => "every column by its own mean and range: NOT PRIVATE",
        (ScaleUsed::BoundsFile | ScaleUsed::BoundsByFeature, _) => {
            "every feature clipped to its own given range: suits features whose ranges are public \
             knowledge; categories count as missing"
        }
        (_, Some([low, high])) => {
            return by_threshold(
                ks,
                format!(
                    "every feature clipped to [{low}, {high}]: suits features that share this range by \
                 public knowledge; categories count as missing"
                ),
            );
        }
        _ => {
            "values to their ranks within the sample: suits columns of one kind (expression, \
             methylation, counts, spectra), not columns in different units; categories count as \
             missing"
        }
    };
    by_threshold(ks && score.scale != ScaleUsed::None, how.into())
}

fn by_threshold(on_bins: bool, how: String) -> String {
    if on_bins { format!("{how}; by the best of 15 thresholds") } else { how }
}

/// The line of the file that holds a feature: a column, or a row if features are rows; for sets, a
/// line of their file.
pub(super) fn line_of_features(record: &Record) -> &'static str {
    if record.score.groups.is_some() { "line" } else { line_of(record.guarantee.unit) }
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

/// The meaning of the classes of a target at a horizon, and their assumptions.
fn at_horizon(horizon: &AtHorizon) -> String {
    let AtHorizon { columns, assumes, .. } = horizon;
    let (time, event, value, by) = (columns.time(), columns.event(), columns.value(), columns.by());
    format!(
        ", the second where {event:?} is {value:?} at a time of at most {by} in {time:?}, the first where the time is \
         later, or {by} without the event; {assumes}"
    )
}

/// The target of a dry run, whose values are unknown.
pub(super) fn planned_target(plan: &DryRun, words: &dyn Fn(&[Parameter]) -> String) -> String {
    let (target, units) = (&plan.target, plan.guarantee.unit.plural());
    let horizon = target.time_to_event.as_ref().map(at_horizon);
    let coding = match (target.coding, target.bounds, &plan.score.classes) {
        (_, _, Some(classes)) if horizon.is_some() => {
            let horizon = horizon.unwrap_or_default();
            format!("classes {}{horizon}; values are not checked", listed(classes))
        }
        (_, _, Some(classes)) => format!(
            "classes {}; labels are not checked: {units} with other or misspelled labels would not be used, perhaps \
             without an error; inspecting the table shows them{}",
            listed(classes),
            words(&[Parameter::Inspect])
        ),
        (_, Some([low, high]), _) => {
            format!("a number, clipped to [{low}, {high}]; values are not checked")
        }
        (TargetCoding::MedianSplit, ..) => format!(
            "a number, split at a private median; values are not checked; give labels such as 0/1 as classes{}",
            words(&[Parameter::Classes])
        ),
        _ => "a number; values are not checked".to_owned(),
    };
    format!("{}: {coding}", place_of(target, plan.guarantee.unit))
}

pub(super) fn target(target: &TargetUsed, record: &Record) -> String {
    let name = place_of(target, record.guarantee.unit);
    let (released, unit) = (&record.released, record.guarantee.unit);
    let coding = match (released.target_median, target.bounds, &record.score.classes) {
        (Some(median), ..) => format!("a number, split at a private median of {median}"),
        (_, Some([low, high]), _) => format!("a number, clipped to [{low}, {high}]"),
        (_, _, Some(classes)) => format!("classes {}", listed(classes)),
        _ => "a number".into(),
    };
    let horizon = target.time_to_event.as_ref().map(at_horizon).unwrap_or_default();
    let mut words = format!("{name}: {coding}{horizon}");
    if let Some(rows) = record.public.rows {
        let _ = write!(words, "; {rows} {} (public)", unit.noun(rows));
    } else if let Some(rows) = released.rows_estimate {
        let _ = write!(words, "; about {rows} {}", unit.noun(rows));
        match released.unusable_estimate {
            Some(others) if record.score.id == ScoreId::Paired => {
                let _ = write!(words, " with rows of both and {others} others (private estimates)");
            }
            Some(unusable) => {
                let _ = write!(words, " with a target, {unusable} without (private estimates)");
                if record.guarantee.one_row_per_identifier {
                    words.push_str("; rows with a repeated identifier count as without");
                }
            }
            None => words.push_str(" (a private estimate)"),
        }
    }
    if let Some(rule) = target.of_person {
        words.push_str(match rule {
            UnitTarget::Last => "; a person's target is that of the last row",
            UnitTarget::Mean => "; a person's target is the mean over the rows",
            UnitTarget::AnyPositive => "; a person has the second class if any row has it",
        });
    }
    if !target.adjusted_for.is_empty() {
        let strata = target.adjusted_for.join(" and ");
        let _ = write!(words, "; compared within strata of {strata}, each with its own center");
        if let Some(outside) = released.no_stratum_estimate {
            let _ = write!(
                words,
                "; about {outside} {} in no stratum (a private estimate)",
                unit.noun(outside)
            );
        }
    }
    let is_counted = released.center.is_some() || record.score.id == ScoreId::Paired;
    if record.score.classes.is_some() && !is_counted {
        words.push_str("; classes are not counted, so misspelled labels go unnoticed");
    }
    words
}

/// The words, unless there is nothing to say.
pub(super) fn unless(is_empty: bool, words: String) -> String {
    if is_empty { String::new() } else { words }
}

/// A neighbor relation and its unit, as short text: "adding or removing one row".
pub(super) fn relation_words(neighbors: Neighbors, unit: &str) -> String {
    let change = match neighbors {
        Neighbors::ReplaceOne => "replacing",
        Neighbors::AddRemove => "adding or removing",
    };
    format!("{change} one {unit}")
}

/// The protected change of a table, as full text.
#[cfg(feature = "html")]
pub(super) fn relation(guarantee: &Guarantee) -> String {
    let relation = relation_words(guarantee.neighbors, &guarantee.unit.to_string());
    match guarantee.neighbors {
        Neighbors::AddRemove => relation,
        Neighbors::ReplaceOne => format!("{relation} by another"),
    }
}

/// The purpose of a part of the budget, as text.
pub(super) fn purpose(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::TargetMedian => "target median",
        Purpose::TargetCenter => "target center",
        Purpose::Rows => "count of rows",
        Purpose::Number => "number of features",
        Purpose::Mechanism => "choice of mechanism",
        Purpose::Selection => "selection",
        Purpose::FeatureMedians => "feature medians",
        Purpose::Signs => "refinement",
        Purpose::Findings => "selection and effect sizes",
        Purpose::Estimates => "effect sizes",
        Purpose::Direction => "directions",
        Purpose::Ranges => "ranges of the columns",
        Purpose::Model => "model",
    }
}

/// The state of a ledger after it was charged for a release, as text.
pub(super) fn charged(receipt: &Receipt) -> String {
    let Receipt { name, cap, spent, left, delta, spent_delta, .. } = receipt;
    let name = if name.is_empty() { String::new() } else { format!("{name}: ") };
    let deltas = unless(delta.is_zero(), format!("; delta {spent_delta} of {delta}"));
    format!("{name}spent {spent} of {cap}, {left} left{deltas}")
}

/// The meaning of epsilon for one unit, with all bounds rounded up, after someone has read the
/// result.
#[cfg(any(feature = "exports", feature = "html"))]
pub(super) fn meaning(
    epsilon: f64,
    delta: &Delta,
    neighbors: Neighbors,
    unit: Unit,
    read: &str,
) -> String {
    let guess = match neighbors {
        Neighbors::AddRemove => format!("whether one {unit} is in the data"),
        Neighbors::ReplaceOne => format!("which of two given values one {unit} has"),
    };
    // (e^epsilon + delta) / (e^epsilon + 1), in tenths of a percent.
    let (failure, less) = (near_f64(delta.as_rational()), libm::exp(-epsilon));
    let tenths = (1000.0 * (1.0 + failure * less) / (1.0 + less) + 1e-9).ceil();
    let apart = unless(delta.is_zero(), format!(", apart from a probability of {delta}"));
    let limit = if tenths < 1000.0 {
        let factor = (libm::exp(epsilon) * 100.0 + 1e-9).ceil() / 100.0;
        format!(
            "at most {:.1}% (the odds change by a factor of at most e^epsilon, here {factor:.2}{apart})",
            tenths / 10.0
        )
    } else {
        "nearly 100%: an epsilon as large as this hardly limits it".to_owned()
    };
    format!(
        "Someone with all other information and even odds on {guess} can, after reading {read}, be right with a \
         probability of {limit}. Findings about people in general are not hidden, and the epsilons of further \
         releases from the same data add up."
    )
}

/// A text with an initial capital and a period at the end.
#[cfg(feature = "html")]
pub(super) fn sentence(text: &str) -> String {
    let mut letters = text.trim_end_matches('.').chars();
    letters
        .next()
        .map(|first| first.to_uppercase().chain(letters).chain(['.']).collect())
        .unwrap_or_default()
}

#[cfg(all(test, feature = "html"))]
mod tests {
    use super::*;

    /// Probabilities and factors are rounded up.
    #[test]
    fn meaning_of_epsilon_is_rounded_up() {
        let words = |epsilon| {
            meaning(epsilon, &Delta::zero(), Neighbors::AddRemove, Unit::Row, "this page")
        };
        assert!(words(2.0).contains("at most 88.1% (the odds"), "{}", words(2.0));
        assert!(words(2.0).contains("here 7.39)"), "{}", words(2.0));
        assert!(words(1e-6).contains("at most 50.1%"));
        assert!(words(1e6).contains("hardly limits"));
    }
}
