//! A record as a few plain lines.

use std::fmt::Write;

use crate::privacy::Purpose;
use crate::select::{Selection, TargetUsed};

/// The selected names, one a line; no name holds a line break.
pub fn names(selection: &Selection) -> String {
    selection.selected.iter().map(|picked| format!("{}\n", picked.name)).collect()
}

/// What was protected, how values were scaled and what that suits, what was spent.
pub fn report(selection: &Selection) -> String {
    let mut text = String::new();
    let mut line = |label: &str, words: String| wrap(&mut text, label, &words);
    line("protected", "one row of the file: a row must hold all there is of one person".into());
    line("scaled", scaled(selection));
    line("target", target(&selection.target, selection));
    if let Some(column) = selection.public.id_column {
        line("ids", format!("column {column} is taken for ids and left out"));
    }
    line("spent", spent(selection));
    line(
        "chosen",
        format!(
            "{} of {} features by the mechanism {}, gamma {}",
            selection.public.k,
            selection.public.features,
            selection.mechanism.id,
            selection.mechanism.gamma
        ),
    );
    for warning in &selection.warnings {
        line("warning", warning.text.clone());
    }
    text
}

/// Columns of the report, and of them its labels.
const WIDTH: usize = 92;
const LABEL: usize = 11;

/// A label and its words, broken into lines of at most [`WIDTH`] columns.
fn wrap(text: &mut String, label: &str, words: &str) {
    let _ = write!(text, "{label:<width$}", width = LABEL - 1);
    let mut column = LABEL - 1;
    for word in words.split(' ') {
        let width = word.chars().count();
        if column + 1 + width > WIDTH && column >= LABEL {
            let _ = write!(text, "\n{:indent$}", "", indent = LABEL - 1);
            column = LABEL - 1;
        }
        let _ = write!(text, " {word}");
        column += 1 + width;
    }
    text.push('\n');
}

fn scaled(selection: &Selection) -> String {
    match selection.score.bounds {
        Some([low, high]) => format!(
            "every feature clipped to [{low}, {high}]: suits features that share this range by \
             public knowledge"
        ),
        None => "values to their ranks within the row: suits columns of one kind (expression, \
                 methylation, counts, spectra), not columns in different units"
            .into(),
    }
}

fn target(target: &TargetUsed, selection: &Selection) -> String {
    let name = format!("{:?}, column {}", target.name, target.index);
    let released = &selection.released;
    let coding = match (released.target_median, target.bounds, &selection.score.classes) {
        (Some(median), ..) => format!("a number, split at a private median of {median}"),
        (_, Some([low, high]), _) => format!("a number, clipped to [{low}, {high}]"),
        (_, _, Some(classes)) => format!("classes {}", classes.join(", ")),
        _ => "a number".into(),
    };
    let mut words = format!("{name}: {coding}");
    if let Some(rows) = released.rows_estimate {
        let _ = write!(words, "; about {rows} rows (a private estimate)");
    }
    words
}

fn spent(selection: &Selection) -> String {
    let guarantee = &selection.guarantee;
    let parts: Vec<String> = guarantee
        .spent
        .iter()
        .map(|part| {
            let purpose = match part.purpose {
                Purpose::TargetMedian => "target median",
                Purpose::TargetCenter => "target centre",
                Purpose::Selection => "selection",
            };
            format!("{} {purpose}", part.epsilon)
        })
        .collect();
    format!(
        "epsilon {} = {}; delta {}; adding or removing one row",
        guarantee.epsilon,
        parts.join(" + "),
        guarantee.delta
    )
}
