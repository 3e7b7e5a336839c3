//! Findings on categories among numbers: the most frequent ones, those that may stand for missing
//! values, and numbers or dates in a notation that is not supported.

use std::collections::BTreeMap;

use super::column::ColumnSummary;
use super::findings::{Draft, Seen, counted};
use crate::error::Parameter;

/// Words that often stand for missing values, in lower case; the user must give them if they do.
const MISSING_WORDS: [&str; 17] = [
    "-",
    "--",
    "---",
    "\u{2013}",
    "*",
    "n.a.",
    "na",
    "n.d.",
    "nd",
    "n/d",
    "#n/a",
    "nil",
    "missing",
    "unknown",
    "unk",
    "not available",
    "not done",
];

/// The number of most frequent categories that are shown.
const MAX_SHOWN: usize = 3;

impl Seen<'_> {
    /// Columns that are mostly numeric, with some categories.
    pub(super) fn words_among_numbers(&self, draft: &mut Draft, places: &[usize]) {
        let partly = |c: &&usize| {
            let column = &self.columns[**c];
            column.is_numeric() && column.categories > 0
        };
        let partly: Vec<usize> = places.iter().filter(partly).copied().collect();
        let cells: u64 = partly.iter().map(|&c| self.columns[c].categories).sum();
        let frequent = self.most_frequent(&partly);
        match partly.as_slice() {
            [] => {}
            &[c] => self.texts(draft, "features", &self.what(c), &self.columns[c]),
            several => {
                let text = format!(
                    "{}: {} among numbers are words{frequent}",
                    self.named(several),
                    counted(cells, "cell")
                );
                draft.warn("features", text);
            }
        }
        self.words_for_missing(draft, &partly);
    }

    /// Warns of the cells of a column that are categories, not numbers.
    pub(super) fn texts(
        &self,
        draft: &mut Draft,
        topic: &'static str,
        what: &str,
        column: &ColumnSummary,
    ) {
        let first = column.first_category.unwrap_or(0);
        let place =
            if self.turned { format!("column {}", first + 1) } else { format!("row {first}") };
        let are = if column.categories == 1 { "is not a number" } else { "are not numbers" };
        draft.warn(
            topic,
            format!(
                "{what}: {} {are}, the first in {place}{}",
                counted(column.categories, "cell"),
                frequent_words(&column.strays)
            ),
        );
    }

    /// The most frequent categories of columns, as the end of a finding.
    fn most_frequent(&self, columns: &[usize]) -> String {
        let mut words: BTreeMap<String, u64> = BTreeMap::new();
        for (word, count) in columns.iter().flat_map(|&c| &self.columns[c].strays) {
            *words.entry(word.clone()).or_default() += count;
        }
        frequent_words(&words)
    }

    /// Categories that may stand for missing values.
    fn words_for_missing(&self, draft: &mut Draft, columns: &[usize]) {
        let mut holding: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for &c in columns {
            for word in self.columns[c].strays.keys() {
                if MISSING_WORDS.contains(&word.to_lowercase().as_str()) {
                    holding.entry(word).or_default().push(c);
                }
            }
        }
        for (word, columns) in holding {
            let text = format!(
                "{word:?} may stand for missing values in {}: give it",
                self.named(&columns)
            );
            draft.warn_value("missing", text, Parameter::Missing, word);
        }
    }

    /// Columns with numbers or dates in a notation that is read as categories.
    pub(super) fn other_notations(&self, draft: &mut Draft, places: &[usize]) {
        let holding = |of: &dyn Fn(&ColumnSummary) -> u64| -> (Vec<usize>, u64) {
            let holds = |c: &&usize| {
                let column = &self.columns[**c];
                let found = of(column);
                found > 0 && (column.is_numeric() || 2 * found >= column.categories)
            };
            let holding: Vec<usize> = places.iter().filter(holds).copied().collect();
            let cells = holding.iter().map(|&c| of(&self.columns[c])).sum();
            (holding, cells)
        };
        let (columns, cells) = holding(&ColumnSummary::amounts);
        if !columns.is_empty() {
            let text = format!(
                "{}: {} like numbers with a sign, a unit or commas, such as <5, 12 mg or 1,234: they are read as \
                 categories, write plain numbers (for <5, any number below 5 will do: the default score uses the order of \
                 values alone)",
                self.named(&columns),
                looking(cells)
            );
            draft.warn("features", text);
        }
        let (columns, cells) = holding(&|column| column.dates);
        if !columns.is_empty() {
            let text = format!(
                "{}: {} like dates that are read as categories: write them as year-month-day, such as 2021-04-12, and times as 22:30",
                self.named(&columns),
                looking(cells)
            );
            draft.warn("features", text);
        }
    }
}

/// The number of cells that look like something.
pub(super) fn looking(cells: u64) -> String {
    format!("{} look{}", counted(cells, "cell"), if cells == 1 { "s" } else { "" })
}

/// The most frequent categories that occur more than once, as the end of a finding.
fn frequent_words(words: &BTreeMap<String, u64>) -> String {
    let mut words: Vec<(&String, &u64)> = words.iter().filter(|(_, count)| **count > 1).collect();
    words.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
    let shown: Vec<String> =
        words.iter().take(MAX_SHOWN).map(|(word, count)| format!("{word:?} ({count})")).collect();
    match shown.is_empty() {
        true => String::new(),
        false => format!("; most often {}", shown.join(", ")),
    }
}
