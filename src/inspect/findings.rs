//! From counts to words and a command.

use super::Known;
use super::column::{CODES, Column};
use crate::data::{Format, Orientation, TargetColumn};
use crate::select::WIDE;

/// One line of the inspection.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// What it is about.
    pub topic: &'static str,
    /// What was found.
    pub text: String,
    /// Whether something should be done about it.
    pub odd: bool,
}

/// What to state to `select`, as options and as facts.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Suggestion {
    /// Whether it is open which way the table lies: then nothing should be run yet.
    pub undecided: bool,
    /// Options and values, in order.
    pub options: Vec<String>,
    /// How many features there are to select from.
    pub features: usize,
    /// The target, by name, where it was stated.
    pub target: Option<String>,
    /// The labels found in the target, in the order of the alphabet.
    pub classes: Option<Vec<String>>,
    /// A column of ids.
    pub id: Option<String>,
    /// Columns of text, which would be missing everywhere as features.
    pub exclude: Vec<String>,
    /// Whether lines are features: stated, never guessed.
    pub features_as_rows: bool,
    /// What separates cells.
    pub delimiter: Option<u8>,
    /// Whether `3,5` means three and a half.
    pub decimal_comma: bool,
    /// Texts that stand for a missing value.
    pub missing: Vec<String>,
}

/// How a table is written.
pub(super) enum Written {
    /// As text, with this between cells.
    Text(u8),
    /// Otherwise: its columns are features even where they are the file's rows.
    Blocks {
        format: Format,
        /// Whether the first column here holds ids that stand beside the file's columns.
        ids: bool,
        /// Whether the last one here is a target that stands beside them.
        target: bool,
        /// Whether the file's rows are features.
        features_as_rows: bool,
    },
}

/// What was counted.
pub(super) struct Seen<'a> {
    pub(super) known: &'a Known,
    pub(super) header: &'a [String],
    pub(super) written: Written,
    pub(super) rows: u64,
    pub(super) columns: &'a [Column],
    /// Different values of the id column, or of the first.
    pub(super) different_ids: usize,
    pub(super) duplicated_ids: usize,
}

/// Texts that usually mean a missing value, and are taken as such without being stated.
const MISSING: [&str; 8] = ["NA", "N/A", "NaN", "nan", "null", "NULL", "?", "."];

struct Draft {
    findings: Vec<Finding>,
    suggestion: Suggestion,
}

impl Draft {
    fn say(&mut self, topic: &'static str, text: impl Into<String>) {
        self.findings.push(Finding { topic, text: text.into(), odd: false });
    }

    fn warn(&mut self, topic: &'static str, text: impl Into<String>) {
        self.findings.push(Finding { topic, text: text.into(), odd: true });
    }

    fn delimiter(&mut self, delimiter: u8) {
        let stated =
            if delimiter == b'\t' { "tab".into() } else { char::from(delimiter).to_string() };
        self.option("--delimiter", &stated);
    }

    fn option(&mut self, option: &str, value: &str) {
        self.suggestion.options.push(option.to_owned());
        self.suggestion.options.push(value.to_owned());
    }
}

pub(super) fn draw(seen: Seen<'_>) -> (Vec<Finding>, Suggestion) {
    let mut draft = Draft { findings: Vec::new(), suggestion: Suggestion::default() };
    seen.shape(&mut draft);
    seen.way(&mut draft);
    seen.ids(&mut draft);
    seen.target(&mut draft);
    seen.features(&mut draft);
    (draft.findings, draft.suggestion)
}

impl Seen<'_> {
    fn shape(&self, draft: &mut Draft) {
        let delimiter = match self.written {
            Written::Text(b'\t') => "separated by tabs".to_owned(),
            Written::Text(other) => format!("separated by {:?}", char::from(other)),
            Written::Blocks { format, .. } => format!("format {}", format.name()),
        };
        let columns = self.header.len() - self.beside();
        draft.say("shape", format!("{} rows and {columns} columns, {delimiter}", self.rows));
        if let Written::Text(delimiter) = self.written {
            draft.suggestion.delimiter = Some(delimiter);
            if let Some(delimiter) = self.known.delimiter {
                draft.delimiter(delimiter);
            }
            if self.header.len() == 1 {
                let alone = "there is one column only: state what separates cells: --delimiter";
                draft.warn("shape", alone);
            }
        }
        if self.uses_decimal_comma() {
            draft.warn("numbers", "numbers are written with a decimal comma: --decimal-comma");
            draft.suggestion.decimal_comma = true;
            draft.suggestion.options.push("--decimal-comma".to_owned());
        }
    }

    fn uses_decimal_comma(&self) -> bool {
        let sum = |count: fn(&Column) -> u64| self.columns.iter().map(count).sum::<u64>();
        let Written::Text(delimiter) = self.written else { return false };
        self.known.decimal_comma
            || delimiter != b',' && sum(|c| c.decimal_commas) > sum(|c| c.numbers) / 10 + 1
    }

    /// How many of the columns here stand beside those of the file.
    fn beside(&self) -> usize {
        match self.written {
            Written::Text(_) => 0,
            Written::Blocks { ids, target, .. } => usize::from(ids) + usize::from(target),
        }
    }

    /// The number of a column in the file, from 1.
    fn number(&self, column: usize) -> usize {
        let ids = matches!(self.written, Written::Blocks { ids: true, .. });
        column + usize::from(!ids)
    }

    /// Whether the columns here are samples.
    fn lines_are_features(&self) -> bool {
        matches!(self.written, Written::Text(_))
            && self.known.orientation == Some(Orientation::FeaturesAsRows)
    }

    /// Many more lines than columns, each with a name of its own, and nothing that speaks for samples
    /// as rows: no column of ids by name, no column of labels.
    fn lines_may_be_features(&self) -> bool {
        let first = self.columns.first();
        let named = first.is_some_and(|first| first.texts > 0 && first.numbers == 0)
            && self.different_ids as u64 == self.rows;
        let is_label = |c: &Column| c.has_label_numbers() || c.texts > 0 && c.has_labels();
        let labels = self.columns.iter().skip(1).any(is_label);
        let may = match self.written {
            Written::Text(_) => true,
            Written::Blocks { format, features_as_rows, .. } => {
                format == Format::R && !features_as_rows
            }
        };
        may && named
            && !labels
            && !self.first_is_named_as_ids()
            && self.rows > 4 * self.header.len() as u64
            && self.rows > 200
    }

    fn first_is_named_as_ids(&self) -> bool {
        let name = self.header[0].to_lowercase();
        let words = ["id", "sample", "patient", "subject", "participant", "person", "donor"];
        words.iter().any(|word| {
            name == *word
                || name.ends_with(&format!("_{word}"))
                || name.starts_with(&format!("{word}_"))
        })
    }

    fn way(&self, draft: &mut Draft) {
        if let Written::Blocks { format, features_as_rows: true, .. } = self.written {
            draft.say("lies", "each row of the file is a feature and each column a sample");
            draft.suggestion.features_as_rows = true;
            if format != Format::Gct {
                draft.option("--orient", "features-as-rows");
            }
        } else if self.lines_are_features() {
            draft.say(
                "lies",
                "each line is a feature and each column a sample, as stated: the first column's texts \
                 are feature names, and are printed when selected",
            );
            draft.suggestion.features_as_rows = true;
            draft.option("--orient", "features-as-rows");
            if let (Written::Text(delimiter), None) = (&self.written, self.known.delimiter) {
                // `select` does not look for it in a header that holds ids.
                draft.delimiter(*delimiter);
            }
        } else if self.known.orientation.is_none() && self.lines_may_be_features() {
            draft.suggestion.undecided = true;
            draft.warn(
                "lies",
                "is a line a person or a feature? Each has a name of its own. If a line is a person, \
                 inspect again with --orient samples-as-rows. If it is a feature (as genes often are), \
                 with --orient features-as-rows, for else features would be protected instead of \
                 people; the targets then come from --target-file (id,value) or a row, --target NAME",
            );
        } else {
            draft.say(
                "lies",
                "each row is taken for one sample: it must be all there is of one person",
            );
        }
    }

    fn id_column(&self) -> Option<usize> {
        match self.written {
            Written::Blocks { ids: true, .. } => return Some(0),
            Written::Blocks { format: Format::Npy | Format::Npz, .. } => return None,
            _ => {}
        }
        if let Some(id) = &self.known.id {
            return self.header.iter().position(|name| name == id);
        }
        let first = self.columns.first()?;
        let texts = first.texts > 0 && first.numbers == 0;
        let unnamed = self.header[0].is_empty();
        let named_so = self.first_is_named_as_ids()
            || ["name", "row.names", "index"].contains(&self.header[0].to_lowercase().as_str());
        (self.header.len() > 2 && (unnamed || named_so || texts && !first.has_labels()))
            .then_some(0)
    }

    fn ids(&self, draft: &mut Draft) {
        if self.lines_are_features() {
            return;
        }
        let Some(id) = self.id_column() else { return };
        let name = &self.header[id];
        if matches!(self.written, Written::Blocks { ids: true, .. }) {
            draft.say("ids", "each sample has an id beside the columns");
        } else {
            draft.say("ids", format!("column {} ({name:?}) holds ids, no feature", id + 1));
        }
        if self.duplicated_ids > 0 {
            draft.warn(
                "ids",
                format!(
                    "{} ids occur more than once: if a person has several rows, bring them to one \
                     first, for rows are protected and not people",
                    self.duplicated_ids
                ),
            );
        }
        if !name.is_empty() {
            draft.option("--id", name);
            draft.suggestion.id = Some(name.clone());
        }
    }

    fn target_column(&self) -> Option<usize> {
        match &self.known.target {
            TargetColumn::Last => self.header.len().checked_sub(1),
            TargetColumn::Named(name) => self.header.iter().position(|other| other == name),
            TargetColumn::At(place) => {
                (0..self.header.len()).find(|&column| self.number(column) == *place)
            }
        }
    }

    fn target(&self, draft: &mut Draft) {
        let stated = match &self.known.target {
            TargetColumn::Named(name) => Some(name),
            TargetColumn::At(_) => self.target_column().map(|column| &self.header[column]),
            TargetColumn::Last => None,
        };
        if let Some(name) = stated {
            draft.option("--target", name);
            draft.suggestion.target = Some(name.clone());
        }
        if self.known.target_elsewhere {
            draft.say("target", "in its own file: if it holds labels, add --classes a,b");
            return;
        }
        let apart = matches!(self.written, Written::Blocks { features_as_rows: true, target, .. }
            if !target && stated.is_none());
        if self.lines_are_features() || apart {
            if stated.is_none() {
                draft.warn("target", "state --target-file (id,value), or a row: --target NAME");
                draft.suggestion.undecided = true;
            }
            return;
        }
        let Some(place) = self.target_column() else {
            draft.warn("target", "there is no such column");
            return;
        };
        let (name, column) = (&self.header[place], &self.columns[place]);
        let what = format!("column {} ({name:?})", self.number(place));
        let numeric = column.is_numeric(draft.suggestion.decimal_comma);
        if numeric && !column.has_label_numbers() {
            draft.say(
                "target",
                format!("{what}: numbers from {} to {}", short(column.low), short(column.high)),
            );
            if column.texts > 0 && !draft.suggestion.decimal_comma {
                self.texts(draft, "target", &what, column);
            }
        } else if column.has_labels() {
            let labels = labels_of(column);
            let counted: Vec<String> =
                labels.iter().map(|label| format!("{label} ({})", column.values[label])).collect();
            draft.say("target", format!("{what}: labels {}", counted.join(", ")));
            if numeric {
                draft.warn(
                    "target",
                    "its numbers look like labels; leave --classes out if they are amounts",
                );
            }
            if labels.len() < 2 {
                draft.warn("target", "a target needs at least two labels");
            } else {
                // In the order of the alphabet: their order by count is not public.
                let mut labels = labels;
                labels.sort_unstable();
                draft.option("--classes", &record(&labels));
                draft.suggestion.classes = Some(labels);
            }
        } else if column.is_constant() {
            draft.warn("target", format!("{what} holds one value only"));
        } else {
            draft.warn(
                "target",
                format!("{what} holds neither numbers nor a few labels: state --target"),
            );
        }
        if column.missing > 0 {
            draft.say("target", format!("{} rows have none and count nowhere", column.missing));
        }
    }

    fn texts(&self, draft: &mut Draft, topic: &'static str, what: &str, column: &Column) {
        let row = column.first_text.unwrap_or(0);
        draft.warn(
            topic,
            format!("{what}: {} cells are no numbers, the first in row {row}", column.texts),
        );
    }

    fn features(&self, draft: &mut Draft) {
        let own = matches!(
            self.written,
            Written::Text(_) | Written::Blocks { features_as_rows: false, .. }
        ) || !matches!(self.known.target, TargetColumn::Last)
            || matches!(self.written, Written::Blocks { target: true, .. });
        let target = self.target_column().filter(|_| own && !self.known.target_elsewhere);
        let skip = [self.id_column(), target];
        let skipped = |c: &usize| {
            if self.lines_are_features() {
                *c == 0
            } else {
                skip.contains(&Some(*c)) || self.known.exclude.contains(&self.header[*c])
            }
        };
        draft.suggestion.exclude.clone_from(&self.known.exclude);
        let places: Vec<usize> = (0..self.columns.len()).filter(|c| !skipped(c)).collect();
        let comma = draft.suggestion.decimal_comma;
        let columns = || places.iter().map(|&c| &self.columns[c]);
        let numeric = columns().filter(|c| c.is_numeric(comma)).count();
        draft.suggestion.features =
            if self.lines_are_features() { self.rows as usize } else { places.len() };
        draft.say("features", format!("{numeric} of {} columns hold numbers", places.len()));
        let texts = places.iter().filter(|&&c| !self.columns[c].is_numeric(comma)).take(3);
        let excluded: Vec<String> = places
            .iter()
            .filter(|&&c| self.columns[c].numbers == 0 && self.columns[c].texts > 0 && !comma)
            .map(|&c| self.header[c].clone())
            .collect();
        if !excluded.is_empty() && !self.lines_are_features() && excluded.len() < places.len() {
            draft.suggestion.features -= excluded.len();
            draft.suggestion.exclude.extend(excluded);
        }
        for &c in texts {
            let (name, place, column) = (&self.header[c], self.number(c), &self.columns[c]);
            let what = if column.has_labels() {
                let labels = labels_of(column).join(", ");
                format!(
                    "holds labels ({labels}): if it is the target, --target {name:?}; else code"
                )
            } else {
                "holds text: code".to_owned()
            };
            draft.warn(
                "features",
                format!("column {place} ({name:?}) {what} it as numbers, or --exclude it"),
            );
        }
        if !draft.suggestion.exclude.is_empty() {
            let list = record(&draft.suggestion.exclude);
            draft.option("--exclude", &list);
        }
        let partly = |c: &&usize| {
            let column = &self.columns[**c];
            column.is_numeric(comma) && column.texts > 0 && !comma
        };
        for &c in places.iter().filter(partly).take(3) {
            let what = format!("column {} ({:?})", self.number(c), self.header[c]);
            self.texts(draft, "features", &what, &self.columns[c]);
        }
        let constant = columns().filter(|c| c.is_constant()).count();
        if constant > 0 {
            draft.say("features", format!("{constant} columns hold one value only"));
        }
        let missing: u64 = columns().map(|c| c.missing).sum();
        if missing > 0 {
            draft.say("features", format!("{missing} cells are empty and count as missing"));
        }
        self.codes(draft, &columns().collect::<Vec<_>>());
        self.scale(draft, columns().filter(|c| c.is_numeric(comma)).collect());
    }

    /// Numbers that are no numbers, in any column.
    fn codes(&self, draft: &mut Draft, columns: &[&Column]) {
        let codes = self.known.missing.clone();
        let mut found = Vec::new();
        for (i, code) in CODES.iter().enumerate() {
            // Several of them at the far end of a column whose other values are much smaller.
            let value: f64 = code.parse().unwrap_or(0.0);
            let suspicious = |c: &Column| {
                let low = value == c.low && -value > 3.0 * c.high;
                let high = value == c.high && value > 3.0 * c.magnitude();
                c.codes[i] > 1 && (low || high)
            };
            if self.columns.iter().any(suspicious) && !codes.iter().any(|known| known == code) {
                found.push((*code).to_owned());
            }
        }
        let holds = |word: &&str| columns.iter().any(|c| c.values.contains_key(*word));
        if MISSING.iter().any(holds) {
            draft.say("features", "NA and the like are taken as missing");
        }
        if !found.is_empty() {
            let list = record(&found);
            draft.warn("missing", format!("{list} may stand for missing values: --na={list}"));
        }
        if !codes.is_empty() {
            draft.suggestion.options.push(format!("--na={}", record(&codes)));
            draft.suggestion.missing = codes;
        }
    }

    /// Whether ranks within a row make sense.
    fn scale(&self, draft: &mut Draft, columns: Vec<&Column>) {
        let mut magnitudes: Vec<f64> =
            columns.iter().map(|c| c.magnitude()).filter(|m| *m > 0.0).collect();
        magnitudes.sort_unstable_by(f64::total_cmp);
        if magnitudes.len() < 2 || draft.suggestion.decimal_comma {
            return;
        }
        let at = |share: f64| magnitudes[((magnitudes.len() - 1) as f64 * share) as usize];
        let ratio = at(0.9) / at(0.1);
        let wide = draft.suggestion.features >= WIDE;
        // Gene intensities differ by a few hundred between genes on one array; units by more.
        let one_kind = ratio <= 1000.0 && (wide || ratio <= 10.0);
        let low = columns.iter().map(|c| c.low).fold(f64::INFINITY, f64::min);
        let high = columns.iter().map(|c| c.high).fold(f64::NEG_INFINITY, f64::max);
        let words = format!(
            "typical sizes of the columns differ by a factor of {ratio:.1}; all values lie from \
             {} to {}",
            short(low),
            short(high)
        );
        if one_kind {
            draft.say("scale", format!("{words}: the columns may be of one kind"));
        } else {
            draft.say("scale", format!("{words}: the columns are rather in different units"));
        }
        match (one_kind, wide) {
            (true, false) => draft.say(
                "scale",
                "the default for so few columns is Kendall's correlation; --scale row-rank suits \
                 columns of one kind",
            ),
            (false, true) => {
                draft.warn("scale", "ranks within a row would mislead: --score kendall");
                draft.option("--score", "kendall");
            }
            _ => {}
        }
    }
}

/// A number with six places at most.
fn short(value: f64) -> f64 {
    format!("{value:.6}").parse().unwrap_or(value)
}

/// Labels by count, the most frequent first; codes for missing values left out.
fn labels_of(column: &Column) -> Vec<String> {
    let mut labels: Vec<(&String, &u64)> =
        column.values.iter().filter(|(label, _)| !MISSING.contains(&label.as_str())).collect();
    labels.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
    labels.into_iter().map(|(label, _)| label.clone()).collect()
}

/// One CSV record.
fn record(values: &[String]) -> String {
    let quote = |value: &String| {
        if value.contains([',', '"']) {
            format!("\"{}\"", value.replace('"', "\"\""))
        } else {
            value.clone()
        }
    };
    values.iter().map(quote).collect::<Vec<_>>().join(",")
}
