//! Records of runs. They depend on the data only through released values.

use crate::error::Parameter;
use crate::estimate::RowsEstimate;
use crate::exact::two_digits;
use crate::forecast::{Forecast, Simulated};
use crate::privacy::Neighbors;
use crate::random::Entropy;
use crate::release::describe::{
    guarantee, mechanism_used, score_used, target_used, units, warnings,
};
use crate::release::draws::Chosen;
use crate::release::record::{
    Command, Estimate, LARGE_EPSILON, PickOrder, Picked, PublicFacts, RandomnessUsed, Record,
    Released, Significance, Warning, WarningKind, lower_end,
};
use crate::request::check::checked_threads;
use crate::request::fields::Target;
use crate::request::plan::{ChosenBy, FwerControl, Plan, PlannedCenter, Scoring};
use crate::run::within::warnings_of_strata;
use crate::table::Schema;

/// The record of a run.
pub(crate) fn record(plan: &Plan, schema: &Schema, entropy: Entropy, chosen: Chosen) -> Record {
    let randomness = RandomnessUsed::of(entropy);
    let sets = plan.groups.as_ref().map(|(grouping, _)| Vec::from_iter(grouping.used()));
    let picked = |&index: &usize| {
        let place = schema.features()[index];
        let set = sets.as_ref().map(|sets| sets[index]);
        Picked {
            name: schema.name(place).to_owned(),
            column: set.map_or(place + 1, |set| set.line),
            members: set.map(|set| set.members.clone()),
            index: schema.index(index),
        }
    };
    // A person who is replaced may have no identifier, or no entry in a file of targets.
    let rows_are_public = plan.request.neighbors == Neighbors::ReplaceOne
        && !schema.compares_ids()
        && !schema.has_people();
    let (estimates, significance) = estimates_and_significance(plan, schema, &chosen);
    let mut warnings = warnings(plan, &randomness, schema);
    warnings.extend(chosen.scarce.warning(plan, schema));
    if let Some(counted) = &chosen.strata {
        warnings.extend(warnings_of_strata(plan, schema, counted));
    }
    let estimate = chosen.estimate.as_ref().map(|estimate| estimate.rows);
    let rows = if rows_are_public { Some(chosen.rows) } else { estimate };
    warnings.extend(rows.and_then(|rows| {
        Warning::of_delta_and_rows(&plan.calibrated.delta, rows, schema.privacy_unit())
    }));
    warnings.extend(few_rows(schema, &chosen, &significance));
    warnings.extend(unusable_targets(plan, schema, &chosen.released, chosen.estimate));
    warnings.extend(one_sided_split(schema, &chosen.released));
    warnings.extend(few_blocks(plan, schema, chosen.blocks));
    Record {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        command: Command::Select,
        run: None,
        ledger: None,
        private: !randomness.seeded && !plan.request.paper,
        selected: chosen.picks.iter().map(picked).collect(),
        screened: chosen.screened.map(|screened| screened.iter().map(picked).collect()),
        order: match (&plan.refinement, chosen.mechanism.by) {
            (None, ChosenBy::Statement) => PickOrder::of(chosen.mechanism.mechanism.card()),
            _ => PickOrder::File,
        },
        guarantee: guarantee(plan, schema),
        mechanism: mechanism_used(plan, &chosen.mechanism, chosen.blocks),
        score: score_used(plan, chosen.sensitivity),
        target: target_used(plan, schema),
        released: chosen.released,
        directions: directions_in_words(plan, &estimates),
        estimates,
        significance,
        public: PublicFacts {
            features: schema.d(),
            role_columns: schema.role_columns(),
            k: plan.given_k(),
            false_discoveries: plan.fwer.as_ref().map(FwerControl::bound),
            id_column: schema.id().map(|column| column + 1),
            rows: rows_are_public.then_some(chosen.rows),
            schema_sha256: plan.request.schema_hash.clone(),
        },
        randomness,
        warnings,
    }
}

/// The estimates about the picks and their significance.
fn estimates_and_significance(
    plan: &Plan,
    schema: &Schema,
    chosen: &Chosen,
) -> (Vec<Estimate>, Significance) {
    let effect_sizes = chosen.findings.as_ref().and_then(|findings| findings.effect_sizes.as_ref());
    let directions = chosen.findings.as_ref().and_then(|findings| findings.directions.as_ref());
    let estimate = |(i, &index): (usize, &usize)| {
        let effect_size = effect_sizes.map(|effect_sizes| &effect_sizes[i]);
        let direction = directions.map(|directions| directions[i]);
        Estimate {
            name: schema.name(schema.features()[index]).to_owned(),
            effect_size: effect_size.map(|effect_size| digits(effect_size.effect_size)),
            low: effect_size.map(|effect_size| digits(effect_size.low)),
            high: effect_size.map(|effect_size| digits(effect_size.high)),
            p_value: effect_size.and_then(|effect_size| effect_size.p_value),
            significant: effect_size.and_then(|effect_size| effect_size.significant),
            direction: direction.map(|(direction, _)| direction),
            direction_error: direction.map(|(_, error)| error),
        }
    };
    let estimates: Vec<Estimate> = match (effect_sizes, directions) {
        (None, None) => Vec::new(),
        _ => chosen.picks.iter().enumerate().map(estimate).collect(),
    };
    let significance = significance(plan, schema, chosen, &estimates);
    (estimates, significance)
}

/// The meaning of the directions. Whether a column is categorical is private, so the text always
/// includes that categories have no direction.
fn directions_in_words(plan: &Plan, estimates: &[Estimate]) -> Option<String> {
    estimates.iter().find(|estimate| estimate.direction.is_some())?;
    let meaning = match plan.request.target.labels() {
        Some(labels) if labels.len() == 2 => {
            format!("rises: larger values in class {}; falls: in class {}", labels[1], labels[0])
        }
        _ => "whether the target rises or falls with the feature".to_owned(),
    };
    Some(format!(
        "{meaning}. This holds for numbers and dates: a categorical column has no direction, and what is printed for one is \
         noise"
    ))
}

/// Rounds to four decimal places, because further ones are noise.
fn digits(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

/// Which features are significant, or why that was not tested.
fn significance(
    plan: &Plan,
    schema: &Schema,
    chosen: &Chosen,
    estimates: &[Estimate],
) -> Significance {
    let untested = |text: &str| Significance {
        significant: None,
        threshold: None,
        text: format!("significance was not tested: {text}"),
    };
    if plan.estimates.is_none() {
        return match &plan.scoring {
            _ if plan.request.is_adjusted() => {
                untested("no test is proven for scores within strata")
            }
            Scoring::Coded(coded) if coded.center == PlannedCenter::Private => {
                untested("the share of effect sizes is 0")
            }
            Scoring::Coded(_) => {
                untested("the test needs the counts released with a private center")
            }
            _ => untested("no test is proven for this score or method"),
        };
    }
    if let Some(fwer) = &plan.fwer {
        return all_significant(plan, schema, chosen, fwer);
    }
    if let Some(reason) = plan.request.without_threshold() {
        return untested(&format!("{reason}; effect sizes are still estimates"));
    }
    let tested: Option<Vec<bool>> = estimates.iter().map(|estimate| estimate.significant).collect();
    let Some(tested) = tested.filter(|tested| !tested.is_empty()) else {
        return untested(&too_few(plan, schema, chosen));
    };
    let (count, k) = (tested.iter().filter(|significant| **significant).count(), tested.len());
    let threshold = threshold(chosen);
    let help = |whose| rows_for_the_strongest(whose, plan, schema, chosen, estimates);
    let text = match count {
        0 if threshold.is_some_and(|threshold| threshold > 1.0) => {
            format!(
                "no feature can be significant with these {}{}",
                units(schema),
                help("the strongest")
            )
        }
        0 => format!("none of these features is significant{}", help("the strongest")),
        _ if k == 1 => "the feature is significant".to_owned(),
        _ if count == k => format!("{k} of {k} features are significant"),
        _ => format!(
            "{count} of {k} features {} significant{}",
            if count == 1 { "is" } else { "are" },
            help("the strongest of the others")
        ),
    };
    Significance { significant: Some(count), threshold: common(plan, threshold), text }
}

/// The smallest significance threshold of any feature.
fn threshold(chosen: &Chosen) -> Option<f64> {
    chosen.findings.as_ref().and_then(|findings| findings.threshold)
}

/// This threshold, if it is that of all features: with weights they differ.
fn common(plan: &Plan, threshold: Option<f64>) -> Option<f64> {
    threshold.filter(|_| plan.weights.is_none()).map(digits)
}

/// The result of a selection of all significant features: each named feature is significant.
fn all_significant(
    plan: &Plan,
    schema: &Schema,
    chosen: &Chosen,
    fwer: &FwerControl,
) -> Significance {
    let what = if plan.groups.is_some() { "set" } else { "feature" };
    let alpha = fwer.in_percent();
    let text = match chosen.picks.len() {
        0 => {
            let help = rows_for_one_name(plan, schema, chosen, what);
            format!("no {what} is significant{help}")
        }
        n => {
            let (s, are) = if n == 1 { ("", "is") } else { ("s", "are") };
            format!(
                "{n} {what}{s} {are} significant (any false discovery in at most {alpha} of runs)"
            )
        }
    };
    let threshold = common(plan, threshold(chosen));
    Significance { significant: Some(chosen.picks.len()), threshold, text }
}

/// The reason why nothing is tested, by the released counts.
fn too_few(plan: &Plan, schema: &Schema, chosen: &Chosen) -> String {
    match chosen.scarce.counted(plan, schema) {
        Some(counted) => format!("{counted} were counted, no more than noise can show"),
        None => format!("too few {} were counted under this budget", units(schema)),
    }
}

/// The effect size from which a single feature would be named in half of all runs with these rows,
/// and the rows for a smaller one, from the released counts.
fn rows_for_one_name(plan: &Plan, schema: &Schema, chosen: &Chosen, what: &str) -> String {
    /// Effect sizes to name: moderate, weak.
    const EFFECT_SIZES: [f64; 2] = [0.3, MIN_EFFECT_SIZE];
    /// Several of the same effect size are harder to name than one.
    const SEVERAL_FEATURES: usize = 10;
    let units = units(schema);
    let Some(findings) = chosen.findings.as_ref().filter(|findings| findings.threshold.is_some())
    else {
        return format!(": {}", too_few(plan, schema, chosen));
    };
    let shares = &findings.shares;
    let rows = rows_of(chosen, shares);
    let of_several = SEVERAL_FEATURES.min(plan.features);
    let from = |strong: usize| forecast(plan, Some(strong))?.significant_effect(&rows).ok()?;
    let now = from(1);
    let lead = match now {
        Some(effect) => {
            let several = match from(of_several) {
                Some(effect) => format!("from {effect:.2} on"),
                None => "at no effect size".to_owned(),
            };
            format!(
                "; with these {units} a single {what} is named in half of all runs from effect size {effect:.2} on, \
                 {of_several} of the same effect size {several}"
            )
        }
        None => format!("; with these {units} none is expected to be named at any effect size"),
    };
    let weaker = EFFECT_SIZES.into_iter().find(|effect| now.is_none_or(|now| *effect < now));
    let needed = weaker.and_then(|effect| {
        let rows = forecast(plan, Some(1))?.significant_rows(shares, effect).ok()??;
        Some(format!("; with about {} a single one of effect size {effect:.2}", two_digits(rows)))
    });
    lead + &needed.unwrap_or_default()
}

/// The forecast of this plan, if there is one.
fn forecast(plan: &Plan, strong: Option<usize>) -> Option<Forecast> {
    let threads = checked_threads(plan.request.threads).ok()?;
    let simulated = Simulated { strong, threads, ..Simulated::default() };
    Forecast::new(plan.at_epsilon(&plan.epsilon).ok()?, simulated).ok()
}

/// The estimated number of rows of each class or side.
fn rows_of(chosen: &Chosen, shares: &[f64]) -> Vec<f64> {
    let rows = chosen.released.rows_estimate.unwrap_or(0) as f64;
    shares.iter().map(|share| share * rows).collect()
}

/// The smallest effect size to plan for: smaller ones need very many rows.
const MIN_EFFECT_SIZE: f64 = 0.1;

/// The rows, and the epsilon if one of up to 10 is enough, with which the strongest feature that is
/// not significant would be significant in half of all runs, by the released values: if its effect
/// size is as large as estimated, and if it is at the lower end of its interval. Empty where the
/// interval holds all effect sizes.
fn rows_for_the_strongest(
    whose: &str,
    plan: &Plan,
    schema: &Schema,
    chosen: &Chosen,
    estimates: &[Estimate],
) -> String {
    let rows = chosen.released.rows_estimate.unwrap_or(0) as f64;
    let Some(findings) = &chosen.findings else { return String::new() };
    let shares = &findings.shares;
    let ends = |estimate: &Estimate| Some((estimate.effect_size?, estimate.low?, estimate.high?));
    let open = estimates.iter().filter(|estimate| estimate.significant != Some(true));
    let strongest =
        open.filter_map(ends).max_by(|a, b| a.1.total_cmp(&b.1).then(a.0.total_cmp(&b.0)));
    let Some((effect_size, low, _)) = strongest.filter(|(_, low, high)| *low > 0.0 || *high < 1.0)
    else {
        return String::new();
    };
    let Some(forecast) = forecast(plan, None) else { return String::new() };
    let needed =
        |effect: f64| forecast.significant_rows(shares, effect.max(MIN_EFFECT_SIZE)).ok().flatten();
    let Some(most) = needed(low).filter(|most| *most > rows) else { return String::new() };
    let fewest = needed(effect_size).filter(|fewest| *fewest > rows);
    let epsilon = forecast.significant_epsilon(&rows_of(chosen, shares), low.max(MIN_EFFECT_SIZE));
    let epsilon = epsilon.ok().flatten().filter(|epsilon| *epsilon <= LARGE_EPSILON);
    help_in_words(whose, [fewest, Some(most)], units(schema), epsilon, (effect_size, low))
}

/// The same as text: the rows at the feature's effect size and at the lower end of its interval,
/// and an epsilon that is enough for both.
fn help_in_words(
    whose: &str,
    [fewest, most]: [Option<f64>; 2],
    units: &str,
    epsilon: Option<f64>,
    (effect_size, low): (f64, f64),
) -> String {
    let [fewest, most] = [fewest, most].map(|rows| rows.map(two_digits));
    let most = most.unwrap_or_default();
    let rows = match fewest {
        Some(fewest) if fewest == most => format!("about {most} {units}"),
        Some(fewest) => format!("about {fewest} to {most} {units}"),
        None => format!("up to about {most} {units}"),
    };
    // A new run is a separate release.
    let epsilon = epsilon.map_or(String::new(), |epsilon| {
        format!(", or a new run at epsilon {} (added to the spent budget)", two_digits(epsilon))
    });
    if effect_size < MIN_EFFECT_SIZE {
        format!("; effect sizes below {MIN_EFFECT_SIZE:.2} would need more than {rows}")
    } else {
        let least = lower_end(low);
        // The larger number of rows, and epsilon, are for this effect size then.
        let if_larger = match low < MIN_EFFECT_SIZE {
            true => format!(", if its effect size is at least {MIN_EFFECT_SIZE:.2}"),
            false => String::new(),
        };
        format!(
            "; {whose}, with effect size {effect_size:.2} (at least {least:.2}), would need {rows}{epsilon}{if_larger}"
        )
    }
}

/// A warning that every name is a guess: no feature can be significant at these counts, or, where
/// significance is not tested, almost no rows were counted.
fn few_rows(schema: &Schema, chosen: &Chosen, significance: &Significance) -> Option<Warning> {
    let RowsEstimate { rows, noise } = chosen.estimate?;
    if chosen.scarce.leaves_nothing || chosen.picks.is_empty() {
        return None;
    }
    let (units, few) = (schema.privacy_unit().noun(rows), (rows as f64) < 3.0 * noise);
    let text = match significance.significant {
        Some(_) if threshold(chosen).is_none_or(|level| level > 1.0) => format!(
            "with about {rows} usable {units} under this budget no feature can be significant, not even one that \
             determines the target: the names may be noise"
        ),
        None if few => format!(
            "about {rows} usable {units} (standard deviation {noise:.0}): little can be found under this budget"
        ),
        _ => return None,
    };
    Some(Warning::new(WarningKind::FewRows, text).about([Parameter::Epsilon]))
}

/// A warning about many rows without a usable target according to the private counts.
fn unusable_targets(
    plan: &Plan,
    schema: &Schema,
    released: &Released,
    estimate: Option<RowsEstimate>,
) -> Option<Warning> {
    /// The share of rows without a target from which there is a warning.
    const SHARE: f64 = 0.1;
    let (RowsEstimate { rows, noise }, unusable) = (estimate?, released.unusable_estimate?);
    let (rows, unusable) = (rows as f64, unusable as f64);
    if unusable < 3.0 * noise || unusable < SHARE * (rows + unusable) {
        return None;
    }
    if plan.request.is_paired() {
        let text = format!(
            "about {unusable} people have no rows of both classes and take no part: are the labels and the identifiers \
             spelled alike in all rows?"
        );
        let about = [Parameter::Classes, Parameter::Unit, Parameter::Inspect];
        return Some(Warning::new(WarningKind::UnusableTargets, text).about(about));
    }
    let target = &plan.request.target;
    let remedy = match target {
        Target::TimeToEvent(_) => {
            "they were lost before the horizon without the event, or their time or event is missing or not a number; an \
             earlier horizon keeps more"
        }
        Target::Classes(_) if schema.is_joined() => {
            "are all ids in the target file, all classes given, and spelled as there?"
        }
        Target::Classes(_) => {
            "are all classes given, and spelled as in the data? A look at the table shows them"
        }
        _ => {
            "cells that are not numbers, such as 1,234 or 12 mg, count as missing: inspecting the table shows them"
        }
    };
    let units = units(schema);
    let mut about = match target {
        Target::TimeToEvent(_) => vec![Parameter::Horizon, Parameter::Inspect],
        Target::Classes(_) => vec![Parameter::Classes, Parameter::Inspect],
        _ => vec![Parameter::Inspect],
    };
    let text = if schema.has_one_row_each() {
        about.push(Parameter::Unit);
        format!(
            "about {unusable} {units} have no usable target, or an identifier that repeats or is missing: for several \
             {units} per person name the unit; otherwise, {remedy}"
        )
    } else {
        format!("about {unusable} {units} have no usable target: {remedy}")
    };
    Some(Warning::new(WarningKind::UnusableTargets, text).about(about))
}

/// A warning about a split with nearly all rows on one side, which makes the scores useless. It is
/// derived from the released center.
fn one_sided_split(schema: &Schema, released: &Released) -> Option<Warning> {
    released.target_median?;
    let [above] = released.center.as_deref()? else { return None };
    if (0.05..=0.95).contains(above) {
        return None;
    }
    let text = format!(
        "nearly all {} lie on one side of the split, so little can be found: nearly all \
         rows have one value, or values lie too close together for their size, or beyond 1e-6 to 1e15; subtract a constant, give their \
         range, or use Kendall's correlation",
        units(schema)
    );
    let about = [Parameter::TargetBounds, Parameter::Score];
    Some(Warning::new(WarningKind::OneSidedSplit, text).about(about))
}

/// A warning about too few blocks to distinguish features by votes. The number of blocks is public
/// or was released.
fn few_blocks(plan: &Plan, schema: &Schema, blocks: Option<u64>) -> Option<Warning> {
    let (blocks, votes) = (blocks?, plan.votes_needed());
    let text = format!(
        "{blocks} blocks vote, and only votes that differ by about {votes:.0} can be distinguished: expect noise; \
         two-stage needs many {} or a large epsilon",
        units(schema)
    );
    ((blocks as f64) < votes).then(|| Warning::new(WarningKind::FewBlocks, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No effect size is printed that none of the features has.
    #[test]
    fn rows_needed_are_for_a_printed_effect_size() {
        let words = |rows: [f64; 2], epsilon, effect_sizes| {
            let rows = rows.map(|rows| (rows > 0.0).then_some(rows));
            help_in_words("the strongest", rows, "rows", epsilon, effect_sizes)
        };
        assert_eq!(
            words([900.0, 2400.0], None, (0.28, 0.152)),
            "; the strongest, with effect size 0.28 (at least 0.15), would need about 900 to 2400 rows"
        );
        assert!(words([0.0, 2400.0], None, (0.28, 0.2)).ends_with("need up to about 2400 rows"));
        assert_eq!(
            words([900.0, 2400.0], None, (0.15, 0.04)),
            "; the strongest, with effect size 0.15 (at least 0.04), would need about 900 to 2400 rows, if its effect size is \
             at least 0.10"
        );
        for effect_size in [0.0, 0.05, 0.0999] {
            assert_eq!(
                words([2400.0; 2], None, (effect_size, 0.0)),
                "; effect sizes below 0.10 would need more than about 2400 rows"
            );
        }
        let new_run = "about 2400 rows, or a new run at epsilon 2.4 (added to the spent budget)";
        assert!(words([2400.0; 2], Some(2.35), (0.28, 0.28)).ends_with(new_run));
    }
}
