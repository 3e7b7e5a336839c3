//! `dpsis choose --advise`: the suitable mechanism, with reasons.

use std::fmt::Write;

use clap::ValueEnum;

use super::ChooseArguments;
use crate::inspect::shell_word;
use crate::output::{self, Destination, Format};
use crate::privacy_arguments::Relation;
use dpsis::internals::{LARGEST, wrapped};
use dpsis::mechanism::{self, Advice, advise, recommend};
use dpsis::{Error, Result, report};

/// The relation of scores and sensitivities, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum KnownRelation {
    /// Good candidates tend to be the more sensitive ones
    Positive,
    /// Good candidates tend to be the less sensitive ones
    Negative,
    /// Neither
    None,
    /// Nothing is known
    Unknown,
}

impl KnownRelation {
    fn relation(self) -> mechanism::Relation {
        match self {
            Self::Positive => mechanism::Relation::Positive,
            Self::Negative => mechanism::Relation::Negative,
            Self::None => mechanism::Relation::None,
            Self::Unknown => mechanism::Relation::Unknown,
        }
    }
}

/// The indent of the text after the first word of a line.
const INDENT: usize = 13;

/// Writes advice: from public information, or with --not-private from the scores.
pub(super) fn advice(
    arguments: &ChooseArguments,
    format: Format,
    destination: Destination,
) -> Result<()> {
    if ![Format::Text, Format::Json].contains(&format) {
        return Err(Error::request("advice comes as text or json"));
    }
    if arguments.parameters.is_given() {
        return Err(Error::request("advice takes no parameters of a mechanism"));
    }
    if arguments.monotonic && arguments.neighbors == Relation::ReplaceOne {
        return Err(Error::request("scores can be monotonic only if units are added or removed"));
    }
    if arguments.not_private {
        return by_scores(arguments, format, destination);
    }
    let public = arguments.options().read_public()?;
    let relation = arguments.relation.unwrap_or(KnownRelation::Unknown).relation();
    let found = recommend(&public.sensitivities, arguments.k(), &arguments.budget.eps, relation)?;
    output::remark(
        "From public facts alone: no score was looked at, nothing is spent, and a release may follow this\n",
    );
    if format == Format::Json {
        return destination.write(&report::to_json(&found)?);
    }
    let choice = (found.mechanism, found.largest_sensitivity_for_all);
    let mut text = chosen(choice);
    text.push_str(&line("why", &found.reasons.join(" ")));
    let file = arguments.file.to_string_lossy();
    // A name that begins with a hyphen would be read as an option.
    let file =
        if file.len() > 1 && file.starts_with('-') { format!("./{file}") } else { file.into() };
    text.push_str(&command(arguments, choice, &shell_word(&file)));
    if !public.has_scores {
        text.push_str(&line("", "(the file will need a column of scores)"));
    }
    destination.write(&text)
}

fn by_scores(arguments: &ChooseArguments, format: Format, destination: Destination) -> Result<()> {
    let candidates = arguments.options().candidates()?;
    let scores = arguments.scores(&candidates)?;
    let mut found = advise(&scores, arguments.k(), &arguments.budget.eps)?.into_inner();
    for loss in &mut found.losses {
        loss.mean *= candidates.unit();
        loss.standard_error *= candidates.unit();
    }
    found.uniform_loss *= candidates.unit();
    if format == Format::Json {
        return destination.write(&report::to_json(&found)?);
    }
    let choice = (found.mechanism, found.largest_sensitivity_for_all);
    let mut text = wrapped(
        "NOT PRIVATE: read off the scores, which must be public: do not choose the mechanism by the scores \
         that it will choose from",
        0,
    ) + "\n";
    text.push_str(&chosen(choice));
    text.push_str(&line("why", &found.rule.reasons.join(" ")));
    if choice != (found.rule.mechanism, found.rule.largest_sensitivity_for_all) {
        let rule = named((found.rule.mechanism, found.rule.largest_sensitivity_for_all));
        let words = format!(
            "That speaks for {rule}. On these very scores another mechanism lost less, so that goes first."
        );
        text.push_str(&line("but", &words));
    }
    text.push_str(&command(arguments, choice, "FILE"));
    text.push_str(&line("", "(FILE holds the private scores)"));
    text.push_str(&details(&found));
    destination.write(&text)
}

fn details(found: &Advice) -> String {
    let correlations = &found.correlations;
    let mut text = line(
        "correlation",
        &format!(
            "of scores and sensitivities: Spearman {:+.2}, Pearson {:+.2}, weighted {:+.2}",
            correlations.spearman, correlations.pearson, correlations.weighted
        ),
    );
    let draws = found.losses.first().map_or(0, |loss| loss.draws);
    let words =
        format!("how far picks were below the best, mean of {draws} draws on these scores:");
    text.push_str(&line("losses", &words));
    for loss in &found.losses {
        let name = named((loss.mechanism, loss.largest_sensitivity_for_all));
        let _ = writeln!(text, "{:INDENT$}{name:<42} {:.4}", "", loss.mean);
    }
    let _ = writeln!(text, "{:INDENT$}{:<42} {:.4}", "", "a random choice", found.uniform_loss);
    text
}

/// A mechanism, and whether it takes the largest sensitivity for all candidates.
type Choice = (&'static str, bool);

fn named((mechanism, largest): Choice) -> String {
    if largest {
        format!("{mechanism}, with the largest sensitivity")
    } else {
        mechanism.to_owned()
    }
}

fn chosen((mechanism, largest): Choice) -> String {
    let with = if largest { " with the largest sensitivity for all candidates" } else { "" };
    line("mechanism", &format!("{mechanism}{with}"))
}

/// The command that follows the advice, in one line, to be copied.
fn command(arguments: &ChooseArguments, (mechanism, largest): Choice, file: &str) -> String {
    let mut words = vec!["dpsis choose".to_owned(), format!("--eps {}", arguments.budget.eps)];
    let mut add = |option: &str, value: Option<&str>| {
        if let Some(value) = value {
            words.push(format!("--{option} {}", shell_word(value)));
        }
    };
    add("k", (arguments.k() > 1).then(|| arguments.k().to_string()).as_deref());
    add("sensitivity", if largest { Some(LARGEST) } else { arguments.sensitivity.as_deref() });
    add("name-column", arguments.name_column.as_deref());
    add("score-column", arguments.score_column.as_deref());
    add("sensitivity-column", arguments.sensitivity_column.as_deref());
    add("mechanism", Some(mechanism));
    words.extend(arguments.monotonic.then(|| "--monotonic".to_owned()));
    let replaced = arguments.neighbors == Relation::ReplaceOne;
    words.extend(replaced.then(|| "--neighbors replace-one".to_owned()));
    words.push(file.to_owned());
    format!("{:<INDENT$}{}\n", "command", words.join(" "))
}

fn line(name: &str, words: &str) -> String {
    wrapped(&format!("{name:<INDENT$}{words}"), INDENT) + "\n"
}
