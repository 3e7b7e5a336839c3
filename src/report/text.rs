//! A record as a few plain lines.

use std::fmt::Write;
use std::ops::Deref;

#[cfg(feature = "html")]
use super::html;
#[cfg(feature = "html")]
use super::page::Page;
use crate::choose::ChoiceRecord;
use crate::error::Parameter;
use crate::privacy::{Neighbors, Purpose, Spending};
use crate::select::{
    DryRun, Guarantee, MechanismUsed, PickOrder, Record, ScaleUsed, ScoreUsed, TargetUsed, Unit,
    WIDE, Warning,
};

/// A record of a release, or of what would be one if it were private.
pub trait Reported {
    /// The names that were picked, each with its place in the input, counted from 1.
    fn picked(&self) -> impl Iterator<Item = (&str, usize)>;

    /// What a place is: `column` or `row`.
    fn place(&self) -> &'static str;

    /// What the reader should know.
    fn warnings(&self) -> &[Warning];

    /// What was protected, assumed and spent, as a few plain lines; `words` are said after a warning for the
    /// parameters it is about.
    fn lines(&self, words: &dyn Fn(&[Parameter]) -> String) -> String;

    /// The same as a page, with what was picked.
    #[cfg(feature = "html")]
    fn page(&self) -> Page;
}

impl<T: Deref<Target: Reported>> Reported for T {
    fn picked(&self) -> impl Iterator<Item = (&str, usize)> {
        (**self).picked()
    }

    fn place(&self) -> &'static str {
        (**self).place()
    }

    fn warnings(&self) -> &[Warning] {
        (**self).warnings()
    }

    fn lines(&self, words: &dyn Fn(&[Parameter]) -> String) -> String {
        (**self).lines(words)
    }

    #[cfg(feature = "html")]
    fn page(&self) -> Page {
        (**self).page()
    }
}

/// The picked names, one a line; no name holds a line break.
pub fn names(record: &impl Reported) -> String {
    record.picked().map(|(name, _)| format!("{name}\n")).collect()
}

/// The picked names and their places, tab-separated, under a header; a tab in a name becomes a
/// blank.
pub fn to_tsv(record: &impl Reported) -> String {
    let line = |(name, place): (&str, usize)| format!("{}\t{place}\n", name.replace('\t', " "));
    let header = format!("name\t{}\n", record.place());
    std::iter::once(header).chain(record.picked().map(line)).collect()
}

/// What was protected, how values were scaled and what that suits, what was spent.
pub fn report(record: &impl Reported) -> String {
    report_with(record, |_| String::new())
}

/// The same for a program with words of its own for parameters, such as the names of its options: they are
/// said after each warning.
pub fn report_with(record: &impl Reported, words: impl Fn(&[Parameter]) -> String) -> String {
    record.lines(&words)
}

impl Reported for Record {
    fn picked(&self) -> impl Iterator<Item = (&str, usize)> {
        self.selected.iter().map(|picked| (picked.name.as_str(), picked.column))
    }

    fn place(&self) -> &'static str {
        line_of_features(self)
    }

    fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    fn lines(&self, words: &dyn Fn(&[Parameter]) -> String) -> String {
        lines_of_selection(self, words)
    }

    #[cfg(feature = "html")]
    fn page(&self) -> Page {
        html::page_of_selection(self)
    }
}

impl Reported for ChoiceRecord {
    fn picked(&self) -> impl Iterator<Item = (&str, usize)> {
        self.selected.iter().map(|chosen| (chosen.name.as_str(), chosen.row))
    }

    fn place(&self) -> &'static str {
        "row"
    }

    fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    fn lines(&self, words: &dyn Fn(&[Parameter]) -> String) -> String {
        lines_of_choice(self, words)
    }

    #[cfg(feature = "html")]
    fn page(&self) -> Page {
        html::page_of_choice(self)
    }
}

fn lines_of_choice(record: &ChoiceRecord, words: &dyn Fn(&[Parameter]) -> String) -> String {
    let mut text = String::new();
    let mut line = |label: &str, words: String| wrap(&mut text, label, &words);
    let score = &record.score;
    let whose = if score.own_sensitivities { "each its own, at most " } else { "" };
    let direction = if score.monotonic { ", all in one direction" } else { "" };
    line(
        "protected",
        format!(
            "one unit of the data behind the scores: it moves a score by {whose}{}{direction}, as stated",
            score.sensitivity
        ),
    );
    line("spent", spent(&record.guarantee));
    let (k, candidates) = (score.k, score.candidates);
    line(
        "chosen",
        format!("{k} of {candidates} candidates by {}", chosen_by(&record.mechanism, record.order)),
    );
    for warning in &record.warnings {
        line("warning", format!("{}{}", warning.text, words(&warning.about)));
    }
    text
}

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

fn lines_of_selection(record: &Record, words: &dyn Fn(&[Parameter]) -> String) -> String {
    let mut text = String::new();
    let mut line = |label: &str, words: String| wrap(&mut text, label, &words);
    let public = &record.public;
    line("protected", protected(&record.score, &record.guarantee));
    line("scaled", scaled(&record.score, public.features));
    line("target", target(&record.target, record));
    if let Some(column) = public.id_column {
        line("ids", format!("column {column} is taken for ids and left out"));
    }
    let label = if is_paper(&record.score) { "nominal" } else { "spent" };
    line(label, spent(&record.guarantee));
    line(
        "chosen",
        format!(
            "{} of {} features by {}",
            public.k,
            public.features,
            chosen_by(&record.mechanism, record.order)
        ),
    );
    if let Some(hash) = &public.schema_sha256 {
        line("schema", format!("sha256 {hash}"));
    }
    for warning in &record.warnings {
        line("warning", format!("{}{}", warning.text, words(&warning.about)));
    }
    text
}

/// What a run would spend, and on what.
pub fn dry_run(plan: &DryRun) -> String {
    dry_run_with(plan, |_| String::new())
}

/// The same for a program with words of its own for parameters: see [`report_with`].
pub fn dry_run_with(plan: &DryRun, words: impl Fn(&[Parameter]) -> String) -> String {
    let mut text = String::new();
    let mut line = |label: &str, words: String| wrap(&mut text, label, &words);
    line("dry run", "only the header was read; nothing was drawn or spent".into());
    line("protected", protected(&plan.score, &plan.guarantee));
    line("scaled", scaled(&plan.score, plan.features));
    line("would", spent(&plan.guarantee));
    for noise in &plan.noise {
        line(purpose(noise.purpose).rsplit(' ').next().unwrap_or_default(), noise.text.clone());
    }
    for warning in &plan.warnings {
        line("warning", format!("{}{}", warning.text, words(&warning.about)));
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

pub(super) fn is_paper(score: &ScoreUsed) -> bool {
    score.scale == ScaleUsed::Paper
}

pub(super) fn protected(score: &ScoreUsed, guarantee: &Guarantee) -> String {
    if is_paper(score) {
        return "NOTHING: this output is NOT PRIVATE".into();
    }
    let unit = guarantee.unit;
    format!("one {unit} of the table: a {unit} must hold all there is of one person")
}

pub(super) fn scaled(score: &ScoreUsed, features: usize) -> String {
    let how = match (score.scale, score.bounds) {
        (ScaleUsed::None, _) => {
            "not at all: Kendall's rank correlation, column by column, suits columns in any units"
        }
        (ScaleUsed::Paper, _) => "every column by its own mean and range: NOT PRIVATE",
        (ScaleUsed::BoundsFile | ScaleUsed::BoundsByFeature, _) => {
            "every feature clipped to its own stated range: suits features whose ranges are public \
             knowledge"
        }
        (_, Some([low, high])) => {
            return format!(
                "every feature clipped to [{low}, {high}]: suits features that share this range by \
                 public knowledge"
            );
        }
        _ => {
            "values to their ranks within the sample: suits columns of one kind (expression, \
             methylation, counts, spectra), not columns in different units"
        }
    };
    if !score.by_default {
        return how.into();
    }
    let range = if features < WIDE { "below" } else { "from" };
    format!(
        "{how}; the default {range} {WIDE} features (bounds of their own suit columns of known ranges)"
    )
}

/// What a feature is in the file: a column, or a row where features are rows.
pub(super) fn line_of_features(record: &Record) -> &'static str {
    if record.guarantee.unit == Unit::Column { "row" } else { "column" }
}

pub(super) fn target(target: &TargetUsed, record: &Record) -> String {
    let line = line_of_features(record);
    let name = match (&target.name, target.column) {
        (Some(name), Some(index)) => format!("{name:?}, {line} {index}"),
        _ => "apart from the table".into(),
    };
    let released = &record.released;
    let coding = match (released.target_median, target.bounds, &record.score.classes) {
        (Some(median), ..) => format!("a number, split at a private median of {median}"),
        (_, Some([low, high]), _) => format!("a number, clipped to [{low}, {high}]"),
        (_, _, Some(classes)) => format!("classes {}", classes.join(", ")),
        _ => "a number".into(),
    };
    let mut words = format!("{name}: {coding}");
    if let Some(rows) = record.public.rows {
        let _ = write!(words, "; {rows} rows (public)");
    } else if let Some(rows) = released.rows_estimate {
        let _ = write!(words, "; about {rows} rows (a private estimate)");
    }
    words
}

pub(super) fn purpose(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::TargetMedian => "target median",
        Purpose::TargetCenter => "target center",
        Purpose::Rows => "count of rows",
        Purpose::Selection => "selection",
    }
}

fn spent(guarantee: &Guarantee) -> String {
    let part = |part: &Spending| format!("{} {}", part.epsilon, purpose(part.purpose));
    let parts: Vec<String> = guarantee.spent.iter().map(part).collect();
    let neighbors = match guarantee.neighbors {
        Neighbors::AddRemove => "adding or removing one",
        Neighbors::ReplaceOne => "replacing one",
    };
    let unit = guarantee.unit;
    let (epsilon, delta) = (&guarantee.epsilon, &guarantee.delta);
    format!("epsilon {epsilon} = {}; delta {delta}; {neighbors} {unit}", parts.join(" + "))
}
