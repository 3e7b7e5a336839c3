//! A ledger as plain lines and as an HTML page: remaining budget, releases and notes.

use std::fmt::Write;

use super::text::wrap;
use super::words::{relation_words, unless};
use crate::privacy::{Balance, LedgerEntry, LedgerNote, LedgerTerms};

#[cfg(feature = "html")]
pub(super) use page::page_of_ledger;

/// A ledger as plain lines: its terms, one line for each release, then the notes.
pub fn ledger(balance: &Balance) -> String {
    let mut text = String::new();
    let mut line = |label: &str, words: &str| wrap(&mut text, label, words);
    let LedgerTerms { name, cap, .. } = &balance.terms;
    if !name.is_empty() {
        line("ledger", name);
    }
    line("cap", &cap.to_string());
    line("spent", &balance.spent());
    line("left", &balance.left());
    line("for", &terms(balance));
    for entry in &balance.entries {
        line(&entry.number.to_string(), &release(entry));
    }
    for note in &balance.notes {
        line("note", &noted(note));
    }
    if let Some(note) = &balance.closed {
        line("closed", &noted(note));
    }
    text
}

/// The guarantee of all releases.
fn terms(balance: &Balance) -> String {
    let LedgerTerms { delta, neighbors, unit, .. } = &balance.terms;
    let relation = relation_words(*neighbors, &unit.to_string());
    let spent = unless(delta.is_zero(), format!(", {} spent", balance.spent_delta));
    format!("{relation}; delta {delta}{spent}")
}

/// The time of a line.
fn time(when: Option<&str>) -> &str {
    when.unwrap_or("the line is cut off")
}

/// A release in one line.
fn release(entry: &LedgerEntry) -> String {
    let delta = unless(entry.delta.is_zero(), format!(", delta {}", entry.delta));
    let mut words = format!("epsilon {}{delta}, {}", entry.epsilon, time(entry.when.as_deref()));
    for part in [entry.command.as_deref().unwrap_or_default(), &entry.note] {
        if !part.is_empty() {
            words.extend([", ", part]);
        }
    }
    if let Some(key) = &entry.run_key {
        let _ = write!(words, ", run key {key}");
    }
    if let Some(outcome) = outcome(entry) {
        let _ = write!(words, " ({outcome})");
    }
    words
}

/// The outcome of a run without a release.
fn outcome(entry: &LedgerEntry) -> Option<String> {
    match (&entry.failed, &entry.returned) {
        (Some(kind), _) => Some(format!("failed: {kind}; counts as spent")),
        (_, Some(returned)) => {
            Some(format!("ended early, after its private counts: {returned} returned"))
        }
        _ if entry.is_open() => Some("no recorded end; counts as spent".to_owned()),
        _ => None,
    }
}

/// A note in one line.
fn noted(note: &LedgerNote) -> String {
    let separator = if note.text.is_empty() { "" } else { ", " };
    format!("{}{separator}{}", time(note.when.as_deref()), note.text)
}

#[cfg(feature = "html")]
mod page {
    use num_rational::BigRational;

    use super::{outcome, terms, time};
    use crate::exact::{format_rational, near_f64};
    use crate::privacy::{Balance, LedgerEntry};
    use crate::report::front::{self, row, table_of};
    use crate::report::page::{Block, Heading, Level, Notice, Page, Section};

    /// The page of a ledger, for the person who manages the budget of a study.
    pub(in crate::report) fn page_of_ledger(balance: &Balance, heading: &Heading) -> Page {
        let name = &balance.terms.name;
        let title = if name.is_empty() { "A privacy budget".to_owned() } else { name.clone() };
        let sections = vec![
            Section::new("left", "What is left", left(balance)),
            Section::new("releases", "Charges", vec![releases(&balance.entries)]),
            Section::new("terms", "Terms and notes", notes(balance)),
        ];
        front::page(heading, title, &[], sections)
    }

    fn left(balance: &Balance) -> Vec<Block> {
        let (cap, left) = (&balance.terms.cap, balance.left());
        let level = if left == "0" { Level::Warning } else { Level::Good };
        let banner = |level, words: String, text: String| Block::Banner { level, words, text };
        let spent = format!(
            "Epsilon {} is spent, {}.",
            balance.spent(),
            count(balance.entries.len(), "entry", "entries")
        );
        let state = match &balance.closed {
            Some(note) => {
                let why = if note.text.is_empty() { "" } else { ": " };
                let text = format!(
                    "Nothing more can be spent, since {}{why}{}.",
                    at(note.when.as_deref()),
                    note.text
                );
                banner(Level::Note, "CLOSED".to_owned(), text)
            }
            None => {
                let text = "Releases can be charged while enough is left.".to_owned();
                banner(Level::Note, "OPEN".to_owned(), text)
            }
        };
        let mut blocks = vec![Block::SideBySide(vec![
            banner(level, format!("{left} OF {cap} LEFT"), spent),
            state,
        ])];
        let open = balance.entries.iter().filter(|entry| entry.is_open());
        let open: Vec<String> = open.map(|entry| entry.number.to_string()).collect();
        if !open.is_empty() {
            let text = format!(
                "{} did not report an end (number {}): stopped, still running, or from an older version. Their \
                 output is unknown, so they count as spent.",
                count(open.len(), "run", "runs"),
                open.join(", ")
            );
            blocks.push(Block::Notice(Notice::new(Level::Warning, text)));
        }
        blocks
            .push(Block::Parts { caption: "Where epsilon went".to_owned(), parts: parts(balance) });
        blocks
    }

    /// The budget that each command has spent, and the rest, as shares of the larger of cap and
    /// sum.
    fn parts(balance: &Balance) -> Vec<(String, f64, String)> {
        let mut parts: Vec<(String, BigRational)> = Vec::new();
        for entry in &balance.entries {
            let mut cost = entry.epsilon.as_rational().clone();
            if let Some(returned) = &entry.returned {
                cost -= returned.as_rational();
            }
            let command = entry.command.as_deref().unwrap_or("cut off");
            match parts.iter_mut().find(|(known, _)| known == command) {
                Some((_, sum)) => *sum += cost,
                None => parts.push((command.to_owned(), cost)),
            }
        }
        parts.push(("left".to_owned(), balance.left.clone()));
        let whole: BigRational = parts.iter().map(|(_, part)| part).sum();
        let shown = |(name, part): (String, BigRational)| {
            (name, near_f64(&(&part / &whole)), format_rational(&part))
        };
        parts.into_iter().map(shown).collect()
    }

    fn releases(entries: &[LedgerEntry]) -> Block {
        if entries.is_empty() {
            return Block::Paragraph("No charges.".to_owned());
        }
        let has_delta = entries.iter().any(|entry| !entry.delta.is_zero());
        let has_key = entries.iter().any(|entry| entry.run_key.is_some());
        let row = |entry: &LedgerEntry| {
            let mut row = vec![entry.number.to_string(), at(entry.when.as_deref())];
            row.push(entry.command.clone().unwrap_or_default());
            row.push(entry.epsilon.to_string());
            row.extend(has_delta.then(|| entry.delta.to_string()));
            row.push(outcome(entry).unwrap_or_else(|| "released".to_owned()));
            row.push(entry.note.clone());
            row.extend(has_key.then(|| entry.run_key.clone().unwrap_or_default()));
            row
        };
        let [outcome_of, key] = ["what came of it", "run key"];
        let header =
            ["entry", "charged for", "command", "epsilon", "delta", outcome_of, "note", key];
        let header = header
            .into_iter()
            .filter(|name| (has_delta || *name != "delta") && (has_key || *name != key));
        Block::Table {
            caption: "In the order of the charges; times in UTC.".to_owned(),
            header: header.map(str::to_owned).collect(),
            rows: entries.iter().map(row).collect(),
        }
    }

    fn notes(balance: &Balance) -> Vec<Block> {
        let of_terms = vec![row("cap", balance.terms.cap.to_string()), row("for", terms(balance))];
        let mut blocks = vec![table_of("Fixed when it was created", of_terms)];
        let closing = balance.closed.iter().map(|note| (note, "closed: "));
        let notes = balance.notes.iter().map(|note| (note, "")).chain(closing);
        let notes: Vec<_> = notes
            .map(|(note, what)| row(&at(note.when.as_deref()), format!("{what}{}", note.text)))
            .collect();
        if !notes.is_empty() {
            blocks.push(table_of("Notes; times in UTC", notes));
        }
        let text = "All releases together are differentially private with the cap as epsilon, if every release from \
             the table was charged to this file. Anyone with write access can change the file.";
        blocks.push(Block::Paragraph(text.to_owned()));
        blocks
    }

    /// Formats a time for readers.
    fn at(when: Option<&str>) -> String {
        time(when).replace('T', " ").trim_end_matches('Z').to_owned()
    }

    fn count(number: usize, one: &str, several: &str) -> String {
        format!("{number} {}", if number == 1 { one } else { several })
    }
}
