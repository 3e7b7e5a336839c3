//! Power analyses as text.

use std::fmt::Write;

use crate::exact::two_digits;
use crate::forecast::{Least, Needed, PROBABILITIES, PlanRecord, Wanted};
use crate::release::{MechanismReason, PickOrder, ScoreId};
use crate::report::text::wrap;
use crate::report::words::{chosen_by, drawn_by_scores, parts, unless, weighted};
use crate::report::wrap::wrapped;
use crate::table::quoted;

/// The width of the plot of effect sizes from 0 to 1, in columns.
const PLOT: usize = 31;

/// A power analysis as text, in lines of at most 80 columns: the answer, the effect sizes over
/// epsilon as a plot, then the details.
pub fn plan(record: &PlanRecord) -> String {
    let mut text = wrapped(&answer(record), 0) + "\n";
    if !record.over.is_empty() {
        let _ = writeln!(text, "\n{}\n", wrapped(&about_plot(record), 0));
        plot(&mut text, record);
    }
    if let Some(wanted) = &record.wanted {
        let _ = writeln!(text, "\n{}", wrapped(&wanted_in_words(record, wanted), 0));
    }
    text.push('\n');
    for (label, words) in details(record) {
        wrap(&mut text, label, &words);
    }
    text
}

/// The answer in one sentence: the effect sizes from which features are significant, or from which
/// they are found if significance is not tested.
pub fn answer(record: &PlanRecord) -> String {
    let rows = all_rows(record);
    let lead = format!("With {rows} {} at epsilon {}", units(record), record.epsilon);
    let effect = effect_size(record.score.id);
    let Needed { found, significant } = &record.needed;
    let tested = record.tested;
    let (what, needed) = if tested { ("significant", significant) } else { ("found", found) };
    let also = match (tested, found) {
        (true, found) if record.k.is_some() && found[0].is_some() => {
            format!("; found from {}", both(found))
        }
        _ => String::new(),
    };
    match needed[0] {
        Some(_) => format!("{lead}: {what} from {effect} {}{also}.", both(needed)),
        None if tested && record.k.is_some() && found[0].is_some() => {
            format!("{lead}: no feature is significant in half of all runs, at any {effect}{also}.")
        }
        None => format!("{lead}: no feature is {what} in half of all runs, at any {effect}."),
    }
}

/// The effect sizes for both probabilities, as text.
fn both([half, most]: &[Option<Least>; 2]) -> String {
    let Some(half) = half else { return "at no effect size".to_owned() };
    let most = match most {
        Some(most) => format!("{} (nine in ten)", short(*most)),
        None => "none (nine in ten)".to_owned(),
    };
    format!("{} (half of all runs), {most}", short(*half))
}

fn about_plot(record: &PlanRecord) -> String {
    let what = match (record.tested, record.k) {
        (true, Some(_)) => "is significant",
        (true, None) => "is named",
        (false, _) => "is found",
    };
    format!(
        "The {} from which a feature {what} in half of all runs (o) and in nine of ten (x), by epsilon{}:",
        effect_size(record.score.id),
        who(record.strong).trim_end_matches(','),
    )
}

/// The number of features that have the effect size, as text.
fn who(strong: usize) -> String {
    match strong {
        1 => String::new(),
        strong => format!(", if {strong} features have it,"),
    }
}

/// One line for each epsilon: the effect sizes, and their positions between 0 and 1.
fn plot(text: &mut String, record: &PlanRecord) {
    let of = |needed: &Needed| if record.tested { needed.significant } else { needed.found };
    let widest = record.over.iter().map(|at| at.epsilon.to_string().len()).max().unwrap_or(0);
    let width = widest.max("epsilon".len());
    let axis = format!("0{:>1$}", "1", PLOT - 1);
    let _ = writeln!(text, "{:<width$}   half  9/10  {axis}", "epsilon");
    for at in &record.over {
        let [half, most] = of(&at.needed);
        let cell = |least: Option<Least>| least.map_or_else(|| "none".to_owned(), short);
        let mut line = vec!['-'; PLOT];
        for (least, mark) in [(most, 'x'), (half, 'o')] {
            if let Some(least) = least {
                line[(least.value * (PLOT - 1) as f64).round() as usize] = mark;
            }
        }
        let line: String = line.into_iter().collect();
        let (epsilon, half, most) = (at.epsilon.to_string(), cell(half), cell(most));
        let _ = writeln!(text, "{epsilon:<width$}  {half:>5} {most:>5}  {line}");
    }
}

/// The number of rows of all classes, without the rounding errors of their shares.
fn all_rows(record: &PlanRecord) -> f64 {
    let rows: f64 = record.rows.iter().sum();
    (rows * 1e6).round() / 1e6
}

/// The request and the assumptions, by label.
pub fn details(record: &PlanRecord) -> Vec<(&'static str, String)> {
    let rows = all_rows(record);
    let counts: Vec<String> = record.rows.iter().map(|rows| format!("{rows:.0}")).collect();
    let target = match (record.splits, &record.score.classes) {
        (true, _) => "a number, split at a private median".to_owned(),
        (false, Some(classes)) if record.score.id == ScoreId::Paired => {
            let classes: Vec<String> = classes.iter().map(|class| quoted(class)).collect();
            format!("the classes {}, with rows of both in each pair", classes.join(" and "))
        }
        (false, Some(_)) => {
            format!("{} classes with {} {}", counts.len(), counts.join(", "), units(record))
        }
        // One share stands for two classes.
        (false, None) if record.score.id == ScoreId::Kendall => "a number".to_owned(),
        (false, None) => "a number in a range".to_owned(),
    };
    let what = match (record.k, &record.false_discoveries) {
        (Some(k), _) => format!("{k} of {} features", record.features),
        (None, Some(bound)) => {
            let most = bound.at_most.map_or(String::new(), |most| format!(", at most {most}"));
            format!(
                "all significant ones of {} features{most} (fwer {})",
                record.features, bound.fwer
            )
        }
        (None, None) => format!("{} features", record.features),
    };
    let change = if record.replaces { "replacing" } else { "adding or removing" };
    let unit = if record.score.id == ScoreId::Paired { "person" } else { "row" };
    let delta = unless(record.delta.is_zero(), format!("; delta {}", record.delta));
    let mut details = vec![
        ("plan", format!("{what}, {rows} {}; the target is {target}", units(record))),
        (
            "budget",
            format!(
                "epsilon {} = {}{delta}; {change} one {unit}",
                record.epsilon,
                parts(&record.spent)
            ),
        ),
        ("mechanism", mechanism(record)),
        (
            "simulated",
            format!(
                "{} tables (seed {}), no data: numeric features, independent of each other, {} with the effect size in \
                 the population, all others without association; the largest of these looks like {}; {}",
                record.tables,
                record.seed,
                match record.strong {
                    1 => "one".to_owned(),
                    strong => strong.to_string(),
                },
                number(record.largest_null),
                errors(record),
            ),
        ),
    ];
    for other in &record.others {
        let of = if record.tested { &other.needed.significant } else { &other.needed.found };
        let lead = match other.strong {
            1 => "if one feature has it".to_owned(),
            strong => format!("if {strong} features have it"),
        };
        let from = if of[0].is_some() { "from " } else { "" };
        details.push(("", format!("{lead}: {from}{}", both(of))));
    }
    details.extend(record.warnings.iter().map(|warning| ("warning", warning.clone())));
    details
}

/// The mechanism of the selection with these rows.
fn mechanism(record: &PlanRecord) -> String {
    let how = match record.mechanism.chosen {
        Some(MechanismReason::Number) => "features are drawn together with their number".to_owned(),
        Some(MechanismReason::Scores { .. }) => drawn_by_scores(),
        _ => chosen_by(&record.mechanism, PickOrder::File),
    };
    how + &weighted(&record.mechanism)
}

/// The standard error of the effect sizes of the answer.
fn errors(record: &PlanRecord) -> String {
    let of = if record.tested { &record.needed.significant } else { &record.needed.found };
    let share = |least: &Least| 100.0 * least.error / least.value;
    let largest =
        of.iter().flatten().filter(|least| least.value > 0.0).map(share).fold(0.0, f64::max);
    format!("standard error of an effect size about {:.0}%", largest.ceil().max(1.0))
}

/// The rows and the epsilon for an effect size, as text.
pub(super) fn wanted_in_words(record: &PlanRecord, wanted: &Wanted) -> String {
    let rows = all_rows(record);
    let tested = record.tested;
    let of = |needed: &Needed| if tested { needed.significant } else { needed.found };
    let chance = match wanted.chances.significant {
        Some(chance) if tested => chance,
        _ => wanted.chances.found,
    };
    let what = if tested { "significant" } else { "found" };
    let list = |needed: &Needed, unit: &str, none: &str| {
        let each = of(needed).into_iter().zip(["half", "nine in ten"]);
        let each = each.map(|(least, share)| match least {
            Some(least) if least.value > 0.0 => {
                format!("{}{unit} ({share})", two_digits(least.value))
            }
            Some(_) => format!("any{unit} ({share})"),
            None => format!("{none} ({share})"),
        });
        each.collect::<Vec<_>>().join(", ")
    };
    format!(
        "A feature of {} {}{} is {what} in {:.0}% of runs. It takes {} at epsilon {}, or with {rows} {} epsilon {}.",
        effect_size(record.score.id),
        wanted.effect_size,
        who(record.strong),
        100.0 * chance.mean,
        list(&wanted.rows, &format!(" {}", units(record)), "no number"),
        record.epsilon,
        units(record),
        list(&wanted.epsilon, "", "none"),
    )
}

/// The name of the effect size of a score.
pub fn effect_size(score: ScoreId) -> &'static str {
    match score {
        ScoreId::Correlation => "correlation",
        ScoreId::Kendall => "Kendall correlation",
        ScoreId::Paired => "mean sign",
        _ => "KS distance",
    }
}

fn units(record: &PlanRecord) -> &'static str {
    if record.score.id == ScoreId::Paired { "pairs" } else { "rows" }
}

/// An effect size; "any" if features are found without any association.
fn short(least: Least) -> String {
    if least.value == 0.0 { "any".to_owned() } else { number(least.value) }
}

/// Two decimals without the leading zero, three below .1.
fn number(value: f64) -> String {
    let text = if value < 0.0995 { format!("{value:.3}") } else { format!("{value:.2}") };
    text.strip_prefix('0').map(str::to_owned).unwrap_or(text)
}

/// The probabilities that the texts name.
const _: () = assert!(PROBABILITIES[0] == 0.5 && PROBABILITIES[1] == 0.9);
