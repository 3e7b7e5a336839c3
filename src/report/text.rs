//! Records as a few plain lines.

use std::fmt::Write;

use super::facts::{self, Fact};
use super::findings;
use super::words::{
    asked_for, planned_by, planned_target, protected, purpose, scored, sets_used, spent, unless,
};
use super::wrap::{WIDTH, wrapped};
use crate::choose::ChoiceRecord;
use crate::error::Parameter;
use crate::exact::two_digits;
use crate::privacy::Unit;
use crate::release::{Estimate, Guarantee, Record, ScoreId, Warning};
use crate::run::{DryRun, RowsNeeded};
use crate::table::{SetFacts, SetMembers, SetSize, listed};

pub(super) fn lines_of_choice(
    record: &ChoiceRecord,
    words: &dyn Fn(&[Parameter]) -> String,
) -> String {
    let mut text = String::new();
    let direction = if record.score.monotonic { ", all in one direction" } else { "" };
    let moves = facts::sensitivity_of(record);
    let protected = format!(
        "one unit of the data behind the scores: it moves a score by {moves}{direction}, as given"
    );
    wrap(&mut text, "protected", &protected);
    lines(&mut text, &facts::of_choice(record));
    warnings(&mut text, &record.warnings, words);
    wrap(&mut text, "result", findings::CHOICE_NOT_TESTED);
    text
}

/// The result is the last line.
pub(super) fn lines_of_selection(
    record: &Record,
    words: &dyn Fn(&[Parameter]) -> String,
) -> String {
    let mut text = String::new();
    if record.public.false_discoveries.is_some() {
        wrap(&mut text, "asked for", &asked_for(&record.public));
    }
    let who = protected(&record.score, &record.guarantee);
    wrap(&mut text, "protected", &(who + &of_units(&record.guarantee, words)));
    lines(&mut text, &facts::of_selection(record));
    found(&mut text, record);
    warnings(&mut text, &record.warnings, words);
    wrap(&mut text, "result", &record.significance.text);
    text
}

/// Writes the facts that have a label.
fn lines(text: &mut String, facts: &[Fact]) {
    for Fact { label, words, .. } in facts {
        if let Some(label) = label {
            wrap(text, label, words);
        }
    }
}

fn warnings(text: &mut String, warnings: &[Warning], words: &dyn Fn(&[Parameter]) -> String) {
    for warning in warnings {
        wrap(text, "warning", &format!("{}{}", warning.text, words(&warning.about)));
    }
}

/// Writes the meaning of effect sizes and the effect size of each feature, then the same of
/// directions.
fn found(text: &mut String, record: &Record) {
    if findings::has(record, |estimate| estimate.effect_size) {
        let what = findings::effect_size_in_words(record);
        let threshold = findings::threshold_in_words(record).map(|words| format!("; {words}"));
        let bound = findings::bound_in_words(record);
        let threshold = threshold.unwrap_or_default();
        wrap(text, "effect", &format!("{what} (90% interval){bound}{threshold}"));
        let cells = |estimate: &Estimate| {
            vec![
                findings::effect_size(estimate)
                    .zip(findings::interval(estimate))
                    .map(|(effect_size, interval)| format!("{effect_size} ({interval})")),
                findings::p_value(estimate).map(|p| format!("p {p}")),
                findings::standing(estimate).map(str::to_owned),
            ]
        };
        by_feature(text, record, cells);
    }
    if record.directions.is_some() {
        wrap(text, "direction", findings::DIRECTION);
        by_feature(text, record, |estimate| vec![findings::direction_with_error(record, estimate)]);
    }
}

/// Writes one line for each feature, in aligned columns. A name too long for its column has a
/// separate line.
fn by_feature(
    text: &mut String,
    record: &Record,
    cells: impl Fn(&Estimate) -> Vec<Option<String>>,
) {
    let row = |estimate: &Estimate| -> Vec<String> {
        cells(estimate).into_iter().map(Option::unwrap_or_default).collect()
    };
    let rows: Vec<Vec<String>> = record.estimates.iter().map(row).collect();
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    let taken: usize = widths.iter().filter(|width| **width > 0).map(|width| width + 2).sum();
    let names = || record.estimates.iter().map(|estimate| findings::short(&estimate.name, NAME));
    let longest = names().map(|name| name.chars().count()).max().unwrap_or(0);
    let column = longest.min((WIDTH - LABEL).saturating_sub(taken));
    for (name, row) in names().zip(&rows) {
        let name = if name.chars().count() > column {
            format!("{name}\n{:1$}", "", LABEL + column)
        } else {
            format!("{name:<column$}")
        };
        let filled = row.iter().zip(&widths).filter(|(_, width)| **width > 0);
        let cells: String = filled.map(|(cell, &width)| format!("  {cell:<width$}")).collect();
        let _ = writeln!(text, "{:LABEL$}{}", "", format!("{name}{cells}").trim_end());
    }
}

/// Longer names are cut.
const NAME: usize = WIDTH - LABEL;

/// A text report of the budget that a run would spend and the noise to expect, with a formatter of
/// parameters: see [`report_with`](super::report_with).
pub fn dry_run_with(plan: &DryRun, words: impl Fn(&[Parameter]) -> String) -> String {
    nothing_drawn(plan.guarantee.unit) + &lines_of_plan(plan, &words)
}

/// The first line of a dry run.
pub(super) fn nothing_drawn(unit: Unit) -> String {
    let read = match unit {
        Unit::Row | Unit::Person | Unit::Unit => "columns",
        Unit::Column => "features",
    };
    let mut text = String::new();
    wrap(
        &mut text,
        "dry run",
        &format!("only the names of {read} were read; nothing was drawn or spent"),
    );
    text
}

/// The other lines of a selection's dry run.
pub(super) fn lines_of_plan(plan: &DryRun, words: &dyn Fn(&[Parameter]) -> String) -> String {
    let mut text = String::new();
    let mut line = |label: &str, words: String| wrap(&mut text, label, &words);
    line("protected", protected(&plan.score, &plan.guarantee) + &of_units(&plan.guarantee, words));
    line("scored", scored(&plan.score));
    if let Some(groups) = &plan.score.groups {
        line("sets", sets_used(groups));
        for set in plan.sets.iter().filter_map(set_in_words).take(MAX_LISTED_SETS) {
            line("", set);
        }
    }
    line("target", planned_target(plan, words));
    line("would", spent(&plan.guarantee));
    line("choose", planned_by(plan));
    if !plan.rows_needed.is_empty() {
        line(plan.guarantee.unit.plural(), rows_needed(plan));
    }
    for noise in &plan.noise {
        line(purpose(noise.purpose).rsplit(' ').next().unwrap_or_default(), noise.text.clone());
    }
    warnings(&mut text, &plan.warnings, words);
    text
}

/// The text for the option that identifies people with several rows; empty if it is not needed.
fn of_units(guarantee: &Guarantee, words: &dyn Fn(&[Parameter]) -> String) -> String {
    if guarantee.unit == Unit::Row { words(&[Parameter::Unit]) } else { String::new() }
}

/// Further sets are in the JSON form of a dry run only.
const MAX_LISTED_SETS: usize = 20;

/// Further missing members are not named.
const MAX_LISTED_MEMBERS: usize = 5;

/// Describes a set that is left out, or has members that the table lacks.
fn set_in_words(set: &SetFacts) -> Option<String> {
    let SetMembers { present, missing, .. } = &set.members;
    let left_out = match set.size {
        SetSize::TooSmall => "; too small",
        SetSize::TooLarge => "; too large",
        _ if missing.is_empty() => return None,
        _ => "",
    };
    let all = present + missing.len();
    let name = |name: &String| findings::short(name, NAME / 2);
    let named = missing.iter().take(MAX_LISTED_MEMBERS).map(name);
    let more = match missing.len() - named.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let lacking = match missing.len() {
        0 => String::new(),
        _ => format!(", without {}{more}", listed(named)),
    };
    Some(format!("{}: {present} of {all} members{lacking}{left_out}", name(&set.name)))
}

/// The numbers of rows for features of given effect sizes, as text.
fn rows_needed(plan: &DryRun) -> String {
    // Any number is enough if random picks find them, too.
    let number = |rows: f64| if rows > 0.0 { two_digits(rows) } else { "any number".to_owned() };
    let count = |rows: Option<f64>| match rows {
        None => "no number".to_owned(),
        Some(rows) if rows > 0.0 => format!("about {}", two_digits(rows)),
        Some(rows) => number(rows),
    };
    let each = |needed: &RowsNeeded| {
        let found = format!("{}: {}", needed.effect_size, count(needed.found));
        match needed.significant {
            Some(rows) if plan.k.is_some() => {
                format!("{found} (significant: {})", number(rows))
            }
            _ => found,
        }
    };
    let each: Vec<String> = plan.rows_needed.iter().map(each).collect();
    let lead = match plan.k {
        Some(_) => "features are found",
        None => "a single associated feature is named",
    };
    let names_only: Vec<String> =
        plan.rows_needed.iter().filter_map(|needed| needed.names_only).map(number).collect();
    let names_only = unless(
        names_only.is_empty(),
        format!(
            "; if only names are released (a share of 0 for the effect sizes), about {}",
            names_only.join(", ")
        ),
    );
    format!(
        "in half of all runs, {lead} with these numbers of {}, by effect size: {}; {}{names_only}",
        plan.guarantee.unit.plural(),
        each.join("; "),
        of_equal_size(plan.score.id)
    )
}

/// The assumption behind these numbers.
fn of_equal_size(score: ScoreId) -> &'static str {
    match score {
        ScoreId::Paired => "if all have rows of both classes",
        _ => {
            "if both classes or sides have equally many (three to five times as many if one class has a tenth of them)"
        }
    }
}

/// The width of labels, in columns.
const LABEL: usize = 11;

/// Writes a label and its text, wrapped.
pub(super) fn wrap(text: &mut String, label: &str, words: &str) {
    let line = wrapped(&format!("{label:<width$} {words}", width = LABEL - 1), LABEL);
    let _ = writeln!(text, "{line}");
}

#[cfg(test)]
mod tests {
    use crate::release::Record;
    use crate::report::report;
    use crate::report::testing::{record, with_directions, with_effect_sizes};

    const NAMES: [&str; 2] = ["age", "a_very_long_name_of_a_feature_of_this_table"];

    fn lines_of(record: &Record) -> Vec<String> {
        report(record).lines().map(str::to_owned).collect()
    }

    #[test]
    fn every_selected_feature_has_a_line() {
        let lines = lines_of(&with_effect_sizes(NAMES));
        let first = lines.iter().position(|line| line.starts_with("chosen")).unwrap() + 1;
        assert_eq!(
            lines[first..first + 5],
            [
                "effect     Kolmogorov-Smirnov distance, 0 to 1 (90% interval), a lower bound",
                "           where values are missing; significant from 0.45 on",
                "           age                0.62 (0.52 to 0.72)  p at most 0.0012  significant",
                "           a_very_long_name_of_a_feature_of_this_table",
                "                              0.30 (0.20 to 0.40)  p at most 0.44",
            ]
        );
    }

    #[test]
    fn directions_end_the_lines() {
        let text = report(&with_directions(NAMES));
        assert!(text.contains("\ndirection  of numbers and dates; a categorical column"), "{text}");
        let [age, long] = ["age", ""].map(|name| format!("\n           {name:<36}  "));
        assert!(text.contains(&format!("{age}rises with y (error about 0.02)\n")), "{text}");
        assert!(
            text.contains(&format!("{}{long}falls with y (error about 0.31)\n", NAMES[1])),
            "{text}"
        );
        let mut classes = with_directions(NAMES);
        classes.score.classes = Some(vec!["control".to_owned(), "case".to_owned()]);
        let text = report(&classes);
        assert!(text.contains("higher in case (error") && text.contains("lower in case (error"));
        classes.score.classes = Some(vec!["0".to_owned(), "1".to_owned()]);
        assert!(report(&classes).contains("higher in class 1 (error"));
    }

    #[test]
    fn effect_sizes_other_than_distances_are_shares() {
        let mut record = with_effect_sizes(NAMES);
        record.score.id = crate::release::ScoreId::Correlation;
        record.significance.threshold = Some(1.3);
        record.significance.significant = Some(0);
        record.score.missing = crate::release::MissingRule::GridMiddle;
        let text = report(&record).replace("\n          ", "");
        let share = "share of the largest possible score, 0 to 1 (90% interval); ";
        assert!(text.contains(&format!("{share}not even an effect size of 1")), "{text}");
    }

    #[test]
    fn significance_is_the_last_line() {
        for record in [record(NAMES), with_effect_sizes(NAMES), with_directions(NAMES)] {
            let text = report(&record);
            let last = text.rfind("\nresult ").unwrap();
            let printed: Vec<&str> = text[last..].split_whitespace().skip(1).collect();
            assert_eq!(printed.join(" "), record.significance.text);
        }
        let text = report(&record(NAMES));
        assert!(!text.contains("\neffect ") && !text.contains("direction "), "{text}");
    }

    #[test]
    fn no_line_is_wider_than_80_columns() {
        let long = "n".repeat(100);
        for names in [NAMES, ["a", "b"], [&long, "b"]] {
            for record in [record(names), with_effect_sizes(names), with_directions(names)] {
                for line in lines_of(&record) {
                    assert!(line.chars().count() <= 80, "{line}");
                }
            }
        }
    }
}
