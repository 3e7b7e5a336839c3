//! Findings and suggestions, drawn from the counts of a table.

use std::collections::BTreeMap;

use super::column::ColumnSummary;
use super::counts::{Counts, Units};
use super::missing::MissingByTarget;
use super::names::{has_identifiers_by_name, place_of_target};
use super::people::People;
use super::target_file::TargetFile;
use super::{Decimal, GivenTarget};
use crate::error::Parameter;
use crate::request::Target;
use crate::table::{
    CellFormat, FileTable, Format, Orientation, TableFacts, TargetColumn, looks_turned, quoted,
};

/// A finding of the inspection, one line of text.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The part of the table that it is about, such as `target`. Odd findings on `names` must be
    /// repaired in the file: until then every run refuses it.
    pub topic: &'static str,
    /// The finding.
    pub text: String,
    /// Whether the user should act on it.
    pub odd: bool,
    /// The parameters that resolve it, the most likely first; often empty.
    pub about: Vec<Parameter>,
    /// The value for the first of these parameters, if there is one.
    pub value: Option<String>,
}

/// Suggested table options and parts of a request.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Suggestion {
    /// The parameters of the orientation and the target that are unknown, or must be repaired,
    /// before anything can be run. Empty if nothing is unknown.
    pub open: Vec<Parameter>,
    /// The given table options, completed by the findings.
    pub facts: TableFacts,
    /// The target: the classes found in it in alphabetical order, or a number. Its range is never
    /// suggested, because the range of the data is not public. If two columns look like a time to
    /// an event, a draft of that, while [`Parameter::Event`] is open.
    pub target: Target,
    /// The number of features to select from.
    pub features: usize,
    /// The number of rows with a usable target, if the target was read; otherwise of all samples.
    /// With person identifiers, the number of people.
    pub rows: u64,
    /// Whether the user must give the orientation although it is the default, because the header
    /// indicates otherwise.
    pub must_state_orientation: bool,
    /// Whether the rows of each person should be compared with each other: a paired design. The
    /// number of rows is then the number of pairs.
    pub is_paired: bool,
    /// The share of each class, or of both sides of a split target; empty if the target was not
    /// read.
    pub shares: Vec<f64>,
}

impl Suggestion {
    /// Sets the rows and shares from the rows of each class.
    pub(super) fn count(&mut self, classes: impl Iterator<Item = u64> + Clone) {
        self.rows = classes.clone().sum();
        let rows = self.rows.max(1) as f64;
        self.shares = classes.map(|class| class as f64 / rows).collect();
    }
}

/// The file format of a table.
pub(super) enum Written {
    /// Text, with this delimiter.
    Text(u8),
    /// Another format.
    Blocks {
        format: Format,
        /// Whether the first column here holds identifiers that are separate from the file's
        /// columns.
        ids: bool,
        /// Whether the last column here is a target that is separate from them.
        target: bool,
    },
}

/// The counts of a table.
pub(super) struct Seen<'a> {
    /// The given table options.
    pub(super) given: &'a TableFacts,
    pub(super) given_target: &'a GivenTarget,
    /// The names of the columns. Columns here are features, also if features are the file's rows.
    pub(super) header: &'a [String],
    pub(super) written: Written,
    /// Whether features are the file's rows.
    pub(super) turned: bool,
    /// The number of samples.
    pub(super) rows: u64,
    pub(super) columns: &'a [ColumnSummary],
    /// Missing values of these columns by the value of the target.
    pub(super) missing: &'a MissingByTarget,
    /// The values of the column of identifiers, or of the first column.
    pub(super) people: &'a People,
    /// The target file.
    pub(super) target_file: Option<&'a TargetFile>,
    /// The number of cells of the line after a header of one cell, by its likely delimiter.
    pub(super) next_cells: usize,
    /// The decimal sign.
    pub(super) decimal: Decimal,
    /// The given codes for missing values that occur nowhere.
    pub(super) unused_codes: Vec<String>,
    /// The places of the index columns among the columns here.
    pub(super) index: &'a [usize],
    /// The rows of each class of a target at a horizon.
    pub(super) event_counts: Option<&'a Counts>,
    /// The table, for further passes.
    pub(super) table: &'a FileTable,
}

/// The findings so far.
pub(super) struct Draft {
    pub(super) findings: Vec<Finding>,
    pub(super) suggestion: Suggestion,
}

impl Draft {
    pub(super) fn say(&mut self, topic: &'static str, text: impl Into<String>) {
        self.say_about(topic, text, []);
    }

    /// Adds a finding that requires no action, with the parameters it concerns.
    pub(super) fn say_about(
        &mut self,
        topic: &'static str,
        text: impl Into<String>,
        about: impl IntoIterator<Item = Parameter>,
    ) {
        let about = about.into_iter().collect();
        self.findings.push(Finding { topic, text: text.into(), odd: false, about, value: None });
    }

    pub(super) fn warn(&mut self, topic: &'static str, text: impl Into<String>) {
        self.warn_about(topic, text, []);
    }

    /// Adds a finding that requires action, with the parameters to set.
    pub(super) fn warn_about(
        &mut self,
        topic: &'static str,
        text: impl Into<String>,
        about: impl IntoIterator<Item = Parameter>,
    ) {
        let about = about.into_iter().collect();
        self.findings.push(Finding { topic, text: text.into(), odd: true, about, value: None });
    }

    /// Adds a finding that requires action, with a parameter and the value to set.
    pub(super) fn warn_value(
        &mut self,
        topic: &'static str,
        text: impl Into<String>,
        about: Parameter,
        value: &str,
    ) {
        let (text, value) = (text.into(), Some(value.to_owned()));
        self.findings.push(Finding { topic, text, odd: true, about: vec![about], value });
    }
}

impl Draft {
    /// Joins the suggested codes for missing values, which are given together with the codes given
    /// before.
    fn join_codes(&mut self) {
        let is_code = |finding: &Finding| {
            finding.value.is_some() && finding.about.first() == Some(&Parameter::Missing)
        };
        let mut all = self.suggestion.facts.missing.clone();
        let before = all.len();
        all.extend(self.findings.iter().filter(|f| is_code(f)).filter_map(|f| f.value.clone()));
        if all.len() > before && all.len() > 1 {
            for finding in self.findings.iter_mut().filter(|finding| is_code(finding)) {
                (finding.value, finding.about) = (None, Vec::new());
            }
            let text = "all codes for missing values are given at once";
            self.warn_value("missing", text, Parameter::Missing, &all.join(","));
        }
    }
}

/// Derives the findings from the counts.
pub(super) fn draw(seen: Seen<'_>) -> (Vec<Finding>, Suggestion) {
    // The suggestion gives the roles of columns again where they are found.
    let facts = TableFacts {
        target: TargetColumn::Last,
        id: None,
        unit: None,
        delimiter: None,
        ..seen.given.clone()
    };
    let suggestion = Suggestion { facts, ..Suggestion::default() };
    let mut draft = Draft { findings: Vec::new(), suggestion };
    seen.shape(&mut draft);
    seen.names(&mut draft);
    seen.orientation(&mut draft);
    seen.index(&mut draft);
    seen.ids(&mut draft);
    seen.target(&mut draft);
    seen.pairs(&mut draft);
    seen.ask_about_events(&mut draft);
    seen.features(&mut draft);
    draft.join_codes();
    if draft.suggestion.is_paired {
        draft.suggestion.rows = seen.people.pairs() as u64;
        draft.suggestion.shares = vec![0.5; 2];
    } else {
        seen.units_of_a_release(&mut draft);
    }
    (draft.findings, draft.suggestion)
}

impl Seen<'_> {
    /// The people with a usable target, or the rows where identifiers or covariates exclude some.
    fn units_of_a_release(&self, draft: &mut Draft) {
        let Suggestion { facts, target, rows, .. } = &draft.suggestion;
        let (has_unit, covariates) = (facts.unit.is_some(), &self.given_target.covariates);
        let is_needed = has_unit || facts.id.is_some() || !covariates.is_empty();
        let is_known = |parameter| !draft.suggestion.open.contains(&parameter);
        let has_target = is_known(Parameter::Event) && is_known(Parameter::Target);
        if *rows == 0 || !is_needed || !has_target || draft.suggestion.shares.is_empty() {
            return;
        }
        let mut table = self.table.clone();
        table.facts = facts.clone();
        let Some(units) = Units::read(&table, target, self.given_target) else {
            if has_unit {
                // Assumes that people have usable targets as often as rows do.
                let of_a_person = self.people.len() as f64 / self.rows.max(1) as f64;
                draft.suggestion.rows = (*rows as f64 * of_a_person).round() as u64;
            }
            return;
        };
        let noun = if has_unit { "people" } else { self.units() };
        if let (Some(labels), true) = (target.labels(), has_unit) {
            let counts = labels_with_counts(labels.iter().zip(units.classes.iter().copied()));
            if units.classes.contains(&0) {
                let text = format!("people by their targets: {counts}. A class has no people");
                let cause = match target.time_to_event() {
                    Some(_) => Parameter::Horizon,
                    None => Parameter::Classes,
                };
                draft.warn_about("target", text, [Parameter::UnitTarget, cause]);
                draft.suggestion.open.push(Parameter::UnitTarget);
            } else {
                draft.say("target", format!("people by their targets: {counts}"));
            }
        }
        match units.classes[..] {
            [numbers] => draft.suggestion.rows = numbers,
            _ => draft.suggestion.count(units.classes.iter().copied()),
        }
        if !covariates.is_empty() {
            let least = units.strata.iter().min().copied().unwrap_or_default();
            let text = format!(
                "{} strata, the smallest with {least} {noun} with a target",
                units.strata.len()
            );
            let without = match units.without_stratum {
                0 => String::new(),
                without => format!("; in none, and not used: {without}"),
            };
            let text = text + &without;
            match least == 0 || 10 * units.without_stratum > draft.suggestion.rows {
                true => draft.warn_about("strata", text, [Parameter::Covariates]),
                false => draft.say("strata", text),
            }
        }
    }

    fn shape(&self, draft: &mut Draft) {
        let delimiter = match self.written {
            Written::Text(b'\t') => "separated by tabs".to_owned(),
            Written::Text(other) => format!("separated by {:?}", char::from(other)),
            Written::Blocks { format, .. } => format!("format {}", format.name()),
        };
        let (columns, rows) = (self.header.len() - self.target_file(), self.rows);
        draft.say(
            "shape",
            match self.turned {
                false => format!(
                    "{} and {}, {delimiter}",
                    counted(rows, "row"),
                    counted(columns as u64, "column")
                ),
                true => format!(
                    "{} of {} each, {delimiter}",
                    counted(columns as u64, "row"),
                    counted(rows, "sample")
                ),
            },
        );
        if let Written::Text(delimiter) = self.written {
            draft.suggestion.facts.delimiter = Some(delimiter);
            if self.next_cells > 1 {
                let text = format!(
                    "the header has 1 cell, the next line {}: is there a line before the header? If so, remove it",
                    self.next_cells
                );
                draft.warn("shape", text);
            } else if self.header.len() == 1 && !self.turned {
                let alone = "there is only one column: give the delimiter";
                draft.warn_about("shape", alone, [Parameter::Delimiter]);
            }
        }
        self.decimal_sign(draft);
    }

    /// Names that every run refuses.
    fn names(&self, draft: &mut Draft) {
        const MAX_LISTED: usize = 10;
        let kind = if self.turned { "row" } else { "column" };
        let mut places: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        // Identifiers and targets that are separate from the file's columns have no name in it.
        let (before, behind) = match self.written {
            Written::Text(_) => (0, 0),
            Written::Blocks { ids, target, .. } => (usize::from(ids), usize::from(target)),
        };
        for column in before..self.header.len().saturating_sub(behind) {
            places.entry(&self.header[column]).or_default().push(column);
        }
        let nameless = places.remove("").unwrap_or_default();
        let mut repeated: Vec<_> = places.into_iter().filter(|(_, of)| of.len() > 1).collect();
        repeated.sort_by_key(|(_, of)| of[0]);
        for (name, of) in repeated.iter().take(MAX_LISTED) {
            let numbers: Vec<String> =
                of.iter().take(MAX_LISTED).map(|&column| self.number(column).to_string()).collect();
            let more = if of.len() > MAX_LISTED { " and others" } else { "" };
            let text = format!(
                "{kind}s {}{more} have the same name, {name:?}: give each {kind} a name of its own",
                numbers.join(", ")
            );
            draft.warn("names", text);
        }
        if let Some(more @ 1..) = repeated.len().checked_sub(MAX_LISTED) {
            let text = format!("also repeated: {}", counted(more as u64, "more name"));
            draft.warn("names", text);
        }
        // The first column may contain row names.
        let first = usize::from(!self.turned);
        if let (Written::Text(_), Some(column)) =
            (&self.written, nameless.into_iter().find(|column| *column >= first))
        {
            draft.warn("names", format!("{kind} {} has no name: name it", self.number(column)));
        }
    }

    fn decimal_sign(&self, draft: &mut Draft) {
        let Written::Text(delimiter) = self.written else { return };
        let is_given = self.given.decimal_comma.is_some();
        match self.decimal {
            Decimal::Comma if is_given => {
                draft.say("numbers", "numbers are read with a decimal comma, as given");
            }
            Decimal::Comma => {
                let comma = "numbers are written with a decimal comma: it must be given";
                draft.warn_about("numbers", comma, [Parameter::DecimalComma]);
                draft.suggestion.facts.decimal_comma = Some(true);
            }
            Decimal::Unclear => {
                draft.suggestion.open.push(Parameter::DecimalComma);
                draft.warn_about(
                    "numbers",
                    "is 1,234 more than a thousand, or a little more than one? If commas separate thousands, \
                     remove them from the numbers; if they are decimal commas, give that",
                    [Parameter::DecimalComma],
                );
            }
            Decimal::PointsOfThousands => {
                draft.suggestion.open.push(Parameter::DecimalComma);
                draft.warn_about(
                    "numbers",
                    "numbers as 1.234,5 have points between thousands: remove the points from the numbers, and \
                     give the decimal comma",
                    [Parameter::DecimalComma],
                );
            }
            Decimal::Mixed => {
                draft.suggestion.open.push(Parameter::DecimalComma);
                let commas = |column: &usize| self.columns[*column].decimal_commas > 0;
                let columns: Vec<usize> = (0..self.columns.len()).filter(commas).collect();
                let text = format!(
                    "{} with a decimal comma, others with a point: use one decimal sign",
                    self.named(&columns)
                );
                draft.warn_about(
                    "numbers",
                    text,
                    [Parameter::DecimalComma, Parameter::DecimalPoint],
                );
            }
            Decimal::Point if delimiter == b';' && !is_given => {
                let point =
                    "semicolons separate the cells: give the decimal sign, which is a point here";
                draft.warn_about("numbers", point, [Parameter::DecimalPoint]);
                draft.suggestion.facts.decimal_comma = Some(false);
            }
            Decimal::Point => {}
        }
    }

    /// The number of columns here that are separate from the file's columns.
    fn target_file(&self) -> usize {
        match self.written {
            Written::Text(_) => 0,
            Written::Blocks { ids, target, .. } => usize::from(ids) + usize::from(target),
        }
    }

    /// The noun for the units that hold one person's data.
    pub(super) fn units(&self) -> &'static str {
        if self.turned { "samples" } else { "rows" }
    }

    /// The number of a column (of a row, where features are rows) in the file, from 1.
    pub(super) fn number(&self, column: usize) -> usize {
        let ids = matches!(self.written, Written::Blocks { ids: true, .. });
        column + usize::from(!ids)
    }

    /// Describes a column.
    pub(super) fn what(&self, column: usize) -> String {
        let kind = if self.turned { "row" } else { "column" };
        format!("{kind} {} ({:?})", self.number(column), self.header[column])
    }

    /// Lists columns by name, unless there are many.
    pub(super) fn named(&self, columns: &[usize]) -> String {
        /// The maximum number of names in a list.
        const MAX_LISTED: usize = 40;
        if let &[column] = columns {
            return self.what(column);
        }
        let names: Vec<String> =
            columns.iter().take(MAX_LISTED).map(|&c| format!("{:?}", self.header[c])).collect();
        let more = match columns.len().saturating_sub(MAX_LISTED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let kind = if self.turned { "rows" } else { "columns" };
        format!("{} {kind} ({}{more})", columns.len(), names.join(", "))
    }

    /// Whether lines may be features: many more lines than columns, each with a different name, and
    /// nothing that indicates samples as rows, such as a column named as identifiers or a column of
    /// labels.
    fn lines_may_be_features(&self) -> bool {
        let first = self.columns.first();
        let named = first.is_some_and(|first| first.categories > 0 && first.numbers == 0)
            && self.people.len() as u64 == self.rows;
        let is_label =
            |c: &ColumnSummary| c.has_label_numbers() || c.categories > 0 && c.has_labels();
        let labels = self.columns.iter().skip(1).any(is_label);
        let may = match self.written {
            Written::Text(_) => true,
            Written::Blocks { format, .. } => format == Format::R,
        };
        may && !self.turned
            && named
            && !labels
            && !has_identifiers_by_name(self.header)
            && self.rows > 4 * self.header.len() as u64
            && self.rows > 200
    }

    fn orientation(&self, draft: &mut Draft) {
        let ask = [Parameter::Orientation, Parameter::TargetFile, Parameter::Target];
        let looks = looks_turned(self.header).filter(|_| !self.turned);
        if self.turned {
            draft.say(
                "layout",
                "each row is a feature and each column a sample: the first column's texts are names of features, \
                 and are printed when selected",
            );
            draft.suggestion.facts.orientation = Some(Orientation::FeaturesAsRows);
        } else if self.target_file.is_some_and(TargetFile::is_of_columns) {
            draft.suggestion.open.push(Parameter::Orientation);
            draft.warn_about(
                "layout",
                "the ids of the target file are names of columns: each column is a sample and each row a feature. \
                 Give features as rows; otherwise features are protected instead of people, and ids are printed",
                [Parameter::Orientation],
            );
        } else if let (None, Some(reason)) = (self.given.orientation, looks) {
            draft.suggestion.open.push(Parameter::Orientation);
            draft.warn_about(
                "layout",
                format!(
                    "{reason}: if each row is a feature, give features as rows; otherwise features would be \
                     protected instead of people, and ids would be printed. The targets then come from a file \
                     (id,value) or from a row, by its name. If each row is a person, give samples as rows. Then \
                     inspect again"
                ),
                ask,
            );
        } else if self.given.orientation.is_none() && self.lines_may_be_features() {
            draft.suggestion.open.push(Parameter::Orientation);
            draft.warn_about(
                "layout",
                "is a line a person or a feature? Each has its own name. If a line is a person, give samples as rows \
                 and inspect again. If it is a feature (as genes often are), give features as rows; otherwise \
                 features would be protected instead of people. The targets then come from a file (id,value) or from \
                 a row, by its name",
                ask,
            );
        } else {
            // The orientation that the header suggests must be given, but the default need not be.
            draft.suggestion.facts.orientation = Some(Orientation::SamplesAsRows);
            draft.suggestion.must_state_orientation = looks.is_some();
            draft.say(
                "layout",
                match self.given.unit {
                    Some(_) => "rows with the same identifier hold the data of one person",
                    None => "each row is read as one sample: it must hold all data of one person",
                },
            );
        }
    }

    fn index(&self, draft: &mut Draft) {
        if !self.index.is_empty() {
            let text = format!(
                "{}: the index of a pandas table, neither features nor the default target",
                self.named(self.index)
            );
            draft.say("layout", text);
        }
    }

    /// The place of the target among the columns here, from 0; at a horizon, the place of the
    /// times.
    pub(super) fn target_column(&self) -> Option<usize> {
        if let Some([time, _]) = self.places_of_events() {
            return time;
        }
        match &self.given.target {
            TargetColumn::At(place) => {
                (0..self.header.len()).find(|&column| self.number(column) == *place)
            }
            other => place_of_target(other, self.header, self.index),
        }
    }
}

/// A number with its noun, in the singular or plural.
pub(super) fn counted(number: u64, thing: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {thing}{ending}")
}

/// A number rounded to six decimal places.
pub(super) fn short(value: f64) -> f64 {
    format!("{value:.6}").parse().unwrap_or(value)
}

/// Labels in a sentence, each with its number of rows.
pub(super) fn labels_with_counts<T: AsRef<str>>(
    labels: impl IntoIterator<Item = (T, u64)>,
) -> String {
    let labels = labels.into_iter();
    let labels: Vec<String> =
        labels.map(|(label, count)| format!("{} ({count})", quoted(label.as_ref()))).collect();
    labels.join(", ")
}

/// The labels in a column with their counts, the most frequent first, without texts that are more
/// likely to stand for a missing value. A class may well be called None.
pub(super) fn labels_of(column: &ColumnSummary) -> Vec<(String, u64)> {
    let format = CellFormat::default();
    let is_label = |label: &str| label == "None" || !format.is_missing(label.as_bytes());
    let mut labels: Vec<(String, u64)> =
        column.labels().filter(|(label, _)| is_label(label)).collect();
    labels.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    labels
}
