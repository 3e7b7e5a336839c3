//! The parts that the pages of all releases share: heading, banners, privacy and use, budget.

use super::names::fitting_names;
use super::page::{Block, Heading, Level, Notice, Page, Section};
use super::words::{
    PROTECTED_BY_CHOICE, charged, is_paper, meaning, protected, protected_by_fit, purpose,
    relation, sentence,
};
use crate::choose::ChoiceRecord;
use crate::privacy::Receipt;
use crate::release::{Guarantee, Record, RunNote, Warning};
use crate::run::FitRecord;

/// The number of features on the first page, if their names are short and there are no warnings.
const FIRST: usize = 10;

/// The number of lines that names have in a figure of the first page.
const LINES: usize = 12;

/// The number of features of one figure.
pub(super) const FIGURE: usize = 60;

/// The common fields of a record.
pub(super) struct Front<'a> {
    private: bool,
    /// Whether the guarantee is only nominal: the values were scaled by the data.
    nominal: bool,
    guarantee: &'a Guarantee,
    ledger: Option<&'a Receipt>,
    run: Option<&'a RunNote>,
    warnings: Vec<&'a Warning>,
    protected: String,
}

impl<'a> Front<'a> {
    pub(super) fn of_selection(record: &'a Record) -> Self {
        let Record { private, guarantee, ledger, run, score, .. } = record;
        let warnings = record.warnings.iter().collect();
        let front = Self::new(*private, guarantee, ledger.as_ref(), run.as_ref(), warnings);
        Self { nominal: is_paper(score), protected: protected(score, guarantee), ..front }
    }

    pub(super) fn of_choice(record: &'a ChoiceRecord) -> Self {
        let ChoiceRecord { private, guarantee, ledger, run, warnings, .. } = record;
        let warnings = warnings.iter().collect();
        let front = Self::new(*private, guarantee, ledger.as_ref(), run.as_ref(), warnings);
        Self { protected: PROTECTED_BY_CHOICE.to_owned(), ..front }
    }

    pub(super) fn of_fit(record: &'a FitRecord) -> Self {
        let FitRecord { private, guarantee, ledger, run, selection, .. } = record;
        let warnings = record.all_warnings().collect();
        let front = Self::new(*private, guarantee, ledger.as_ref(), run.as_ref(), warnings);
        let protected = match selection {
            Some(selection) => protected(&selection.score, guarantee),
            None => protected_by_fit(guarantee),
        };
        Self { protected, ..front }
    }

    /// The fields of any record, without its protected data.
    fn new(
        private: bool,
        guarantee: &'a Guarantee,
        ledger: Option<&'a Receipt>,
        run: Option<&'a RunNote>,
        warnings: Vec<&'a Warning>,
    ) -> Self {
        Self { private, nominal: false, guarantee, ledger, run, warnings, protected: String::new() }
    }

    /// A page with this heading: the given title or else the default, and below it one line with
    /// study, contact, day and `data`.
    pub(super) fn page(
        &self,
        heading: &Heading,
        title: String,
        data: String,
        sections: Vec<Section>,
    ) -> Page {
        let made = if self.private { "released" } else { "computed" };
        let day = self.run.map_or(String::new(), |run| format!("{made} {}", run.day));
        page(heading, title, &[&day, &data], sections)
    }

    /// The banner of a finding next to the banner of privacy, then the warnings.
    pub(super) fn top(&self, finding: Block) -> Vec<Block> {
        let essential = |warning: &&&Warning| warning.kind.is_essential();
        let Guarantee { epsilon, delta, .. } = self.guarantee;
        let privacy = if self.private {
            Block::Banner {
                level: Level::Good,
                words: "PRIVATE".into(),
                text: format!(
                    "Differentially private: epsilon {epsilon}, delta {delta}, for {}.",
                    relation(self.guarantee)
                ),
            }
        } else {
            let reasons = self.warnings.iter().filter(essential);
            let reasons: Vec<String> = reasons.map(|warning| sentence(&warning.text)).collect();
            Block::Banner {
                level: Level::Danger,
                words: "NOT PRIVATE".into(),
                text: reasons.join(" "),
            }
        };
        // The banner has the essential ones.
        let others = self.warnings.iter().filter(|warning| self.private || !essential(warning));
        let notices = others.map(|warning| {
            let level = if warning.kind.is_essential() { Level::Danger } else { Level::Warning };
            Block::Notice(Notice::new(level, sentence(&warning.text)))
        });
        std::iter::once(Block::SideBySide(vec![finding, privacy])).chain(notices).collect()
    }

    /// The number of features, by their names in order, that fit on the first page; `taken` lines
    /// are taken by longer texts.
    pub(super) fn first<'n>(&self, names: impl Iterator<Item = &'n str>, taken: usize) -> usize {
        let taken = (self.warnings.len() + taken).min(LINES / 2);
        fitting_names(names.take(FIRST), LINES - taken)
    }

    /// The section on what the result allows: `conclusions` is its interpretation.
    pub(super) fn use_and_privacy(&self, conclusions: String) -> Section {
        let Guarantee { epsilon, delta, neighbors, unit, .. } = self.guarantee;
        let mut rows = vec![row("What may be concluded", conclusions)];
        if self.private {
            let meaning = meaning(epsilon.to_f64(), delta, *neighbors, *unit, "this page");
            rows.push(row("What is protected", sentence(&self.protected)));
            rows.push(row("What privacy means", meaning));
        }
        let budget = match self.ledger {
            Some(receipt) => {
                format!(
                    "Epsilon {epsilon} for this release. The ledger after it: {}.",
                    charged(receipt)
                )
            }
            None => format!(
                "Epsilon {epsilon} for this release. No charge to a ledger is recorded, so what is left to spend is unknown."
            ),
        };
        rows.push(row("Budget", budget));
        let published = if self.private {
            "This page and the record at its end. Not the table, not partial sums of its rows, and no result that was \
             drawn from a seed."
        } else {
            "Nothing on this page: it is not private."
        };
        rows.push(row("What may be published", published.to_owned()));
        Section::new("use", "Interpretation and privacy", vec![table_of("", rows)])
    }

    /// The parts of the budget.
    pub(super) fn parts(&self) -> Block {
        let total = self.guarantee.epsilon.to_f64();
        let parts = self.guarantee.spent.iter().map(|part| {
            let share = part.epsilon.to_f64() / total;
            (purpose(part.purpose).to_owned(), share, part.epsilon.to_string())
        });
        let what = match (self.private, self.nominal) {
            (true, _) => "Parts of epsilon",
            (false, false) => "Parts of epsilon in a run without a seed",
            (false, true) => "Parts of the nominal epsilon",
        };
        let pure = self.guarantee.pure_epsilon.as_ref();
        let pure =
            pure.map_or(String::new(), |pure| format!("; with delta 0 the same is epsilon {pure}"));
        let Guarantee { epsilon, delta, .. } = self.guarantee;
        Block::Parts {
            caption: format!("{what}: {epsilon} in all, delta {delta}{pure}"),
            parts: parts.collect(),
        }
    }
}

/// A page with this heading: the given title or else the default, and below it one line with the
/// study, these parts and the contact.
pub(super) fn page(
    heading: &Heading,
    title: String,
    parts: &[&str],
    sections: Vec<Section>,
) -> Page {
    let Heading { title: given, study, contact } = heading;
    let contact = if contact.is_empty() { String::new() } else { format!("Contact: {contact}") };
    let all =
        std::iter::once(study.as_str()).chain(parts.iter().copied()).chain([contact.as_str()]);
    let all: Vec<&str> = all.filter(|part| !part.is_empty()).collect();
    let lead = if all.is_empty() { Vec::new() } else { vec![all.join(" \u{b7} ")] };
    Page::new(if given.is_empty() { title } else { given.clone() }, sections).lead(lead)
}

pub(super) fn table_of(caption: &str, rows: Vec<Vec<String>>) -> Block {
    Block::Table { caption: caption.into(), header: Vec::new(), rows }
}

pub(super) fn row(name: &str, value: String) -> Vec<String> {
    vec![name.to_owned(), value]
}
