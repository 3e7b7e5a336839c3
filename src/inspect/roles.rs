//! Findings on the columns of identifiers and of the target.

use super::column::{ColumnSummary, MAX_LABELS};
use super::findings::{Draft, Seen, Written, counted, labels_of, labels_with_counts, short};
use super::names::{is_sample_name, named_as_identifiers, words};
use super::strays::looking;
use super::target_file::TargetFile;
use crate::error::Parameter;
use crate::request::Target;
use crate::table::{CellFormat, Format, TargetColumn, UnitTarget, listed};

impl Seen<'_> {
    /// The place of the column of identifiers among the columns here, from 0.
    pub(super) fn id_column(&self) -> Option<usize> {
        match self.written {
            Written::Blocks { ids: true, .. } => return Some(0),
            _ if self.turned => return None,
            Written::Blocks { format: Format::Npy | Format::Npz, .. } => return None,
            _ => {}
        }
        if let Some(id) = self.given.ids() {
            return self.header.iter().position(|name| name == id);
        }
        let named = named_as_identifiers(self.header);
        let first =
            || self.columns.first().filter(|first| first.looks_like_identifiers()).map(|_| 0);
        named.or_else(first).filter(|&column| {
            let is_target = self.target_file.is_none() && self.target_column() == Some(column);
            self.header.len() > 2 && !is_target && !self.is_rather_a_category(column)
        })
    }

    /// Whether a column is named after people but has a few frequent values, like the subjects
    /// taught in a school.
    fn is_rather_a_category(&self, column: usize) -> bool {
        let is_one_word = words(&self.header[column]).is_some_and(|(_, second)| second.is_none());
        let few = self.people.len() <= MAX_LABELS && self.rows > 10 * self.people.len() as u64;
        is_one_word && few && self.columns[column].categories > 0
    }

    pub(super) fn ids(&self, draft: &mut Draft) {
        if self.turned && matches!(self.written, Written::Text(_)) {
            draft.say("ids", "the header holds the samples' ids, which are private");
        }
        let Some(id) = self.id_column() else { return };
        let name = &self.header[id];
        let is_given = self.given.ids() == Some(name);
        if matches!(self.written, Written::Blocks { ids: true, .. }) {
            draft.say("ids", "each sample has an id outside the columns");
        } else if is_given || name.is_empty() || named_as_identifiers(self.header) == Some(id) {
            draft.say("ids", format!("column {} ({name:?}) holds identifiers", self.number(id)));
        } else {
            let text = format!("column {} ({name:?}) looks like identifiers", self.number(id));
            draft.say("ids", text);
        }
        let units = self.units();
        let without = self.people.rows_without();
        if without > 0 {
            let text = format!(
                "{units} without an identifier, which are not used if this column is given as identifiers or as the \
                 unit: {without}"
            );
            draft.warn("ids", text);
        }
        let has_unit = self.given.unit.is_some();
        let repeats = self.people.repeated() > 0;
        if repeats && !has_unit {
            let occurs = match self.people.repeated() {
                1 => "1 identifier occurs".to_owned(),
                more => format!("{more} identifiers occur"),
            };
            let dropped = match self.target_file {
                Some(TargetFile { by_id: true, .. }) => {
                    ", and those with such an identifier are left out, since targets are joined by them"
                        .to_owned()
                }
                _ if self.given.id.is_some() => {
                    format!("; while the column is given as identifiers, {units} that share one are left out")
                }
                _ => String::new(),
            };
            let text = format!(
                "{occurs} more than once. Does the column identify people? If so, give it as \
                 the unit; otherwise {units} are protected instead of people{dropped}"
            );
            match self.turned {
                true => draft.warn("ids", text),
                false => draft.warn_about("ids", text, [Parameter::Unit]),
            }
        }
        let facts = &mut draft.suggestion.facts;
        (facts.id, facts.unit) = (self.given.id.clone(), self.given.unit.clone());
        if facts.id.is_none() && facts.unit.is_none() && !name.is_empty() {
            match repeats && !self.turned {
                // Sample identifiers may repeat without being people.
                true if is_sample_name(name) => facts.exclude.push(name.clone()),
                true if named_as_identifiers(self.header) == Some(id) => {
                    facts.unit = Some(name.clone());
                }
                // A category may have the same form.
                true => draft.suggestion.open.push(Parameter::Unit),
                false => facts.id = Some(name.clone()),
            }
        }
    }

    /// Targets that differ between the rows of one person.
    pub(super) fn pairs(&self, draft: &mut Draft) {
        let (pairs, people) = (self.people.pairs(), self.people.len());
        let Some(id) = self.id_column().filter(|_| pairs > 0 && !self.turned) else { return };
        let name = &self.header[id];
        let has_two =
            matches!(&draft.suggestion.target, Target::Classes(labels) if labels.len() == 2);
        if has_two && 2 * pairs > people {
            let text = format!(
                "it differs between rows of the same {name:?}: {}. To compare the rows of each person with each other, give the \
                 column as the unit, and the score paired. With the unit alone, each person has one target, that of the \
                 last row which has one",
                counted(pairs as u64, "pair")
            );
            draft.say_about("target", text, [Parameter::Unit, Parameter::Score]);
            let facts = &draft.suggestion.facts;
            draft.suggestion.is_paired = facts.unit.is_some() && self.given.unit.is_none();
        } else if draft.suggestion.facts.unit.is_some() {
            let rule = match self.given_target.rule {
                None => "by default each person has the target of the last row which has one",
                Some(UnitTarget::Last) => {
                    "each person has the target of the last row which has one"
                }
                Some(UnitTarget::Mean) => "each person has the mean as target",
                Some(UnitTarget::AnyPositive) => "a person has the second class if any row has it",
            };
            let text = format!(
                "it differs between rows of the same {name:?} for {pairs} of {people}: {rule}"
            );
            draft.say_about("target", text, [Parameter::UnitTarget]);
        }
    }

    pub(super) fn target(&self, draft: &mut Draft) {
        let given = match &self.given.target {
            TargetColumn::Named(name) => Some(name),
            TargetColumn::At(_) => self.target_column().map(|column| &self.header[column]),
            TargetColumn::Last => None,
        };
        if let Some(name) = given {
            draft.suggestion.facts.target = TargetColumn::Named(name.clone());
        }
        if let Some(target_file) = self.target_file {
            self.target_beside(draft, target_file);
            return;
        }
        if self.places_of_events().is_some() {
            self.target_at_horizon(draft);
            return;
        }
        let own = matches!(self.written, Written::Blocks { target: true, .. });
        if self.turned && !own && given.is_none() {
            draft.warn_about(
                "target",
                "give a file of targets (id,value), or the name of the row that holds them",
                [Parameter::TargetFile, Parameter::Target],
            );
            draft.suggestion.open.push(Parameter::TargetFile);
            return;
        }
        match self.target_column() {
            Some(place) => {
                self.target_in(draft, &self.what(place), &self.columns[place]);
                // A header whose last name is a label looks like a row, unless the user gave the
                // label.
                if let Target::Classes(labels) = &draft.suggestion.target
                    && labels.contains(&self.header[place])
                {
                    draft.suggestion.facts.target = TargetColumn::Named(self.header[place].clone());
                }
            }
            None => draft.warn_about("target", "there is no such column", [Parameter::Target]),
        }
    }

    /// The target in a target file.
    fn target_beside(&self, draft: &mut Draft, target_file: &TargetFile) {
        let TargetFile { column, by_id, targets, joined, .. } = target_file;
        if *by_id {
            if *joined == 0 {
                self.no_id_matches(draft, target_file);
                return;
            }
            let without = self.rows.saturating_sub(*joined as u64);
            let without = match without {
                0 => String::new(),
                rows => format!("; {rows} samples have no target in it"),
            };
            let text = format!("{joined} of the {targets} ids in its file are here, too{without}");
            draft.say("target", text);
            if target_file.repeated > 0 {
                let text = format!(
                    "{} occur more than once in its file: rows with one of these are left out",
                    counted(target_file.repeated as u64, "id")
                );
                draft.warn("target", text);
            }
            if target_file.alike > *joined {
                let text = format!(
                    "{} more differ in capitals alone from ids here: use the same spelling",
                    target_file.alike - joined
                );
                draft.warn("target", text);
            }
        } else if *targets as u64 != self.rows {
            let text = format!("its file holds {targets} values for {} samples", self.rows);
            draft.warn_about("target", text, [Parameter::TargetFile]);
        }
        match self.places_of_events() {
            Some(_) => self.target_at_horizon(draft),
            None => self.target_in(draft, "its file", column),
        }
    }

    /// No identifier of the target file is in the table: no run is possible.
    fn no_id_matches(&self, draft: &mut Draft, target_file: &TargetFile) {
        draft.suggestion.open.push(Parameter::TargetFile);
        let none = format!("none of the {} ids in its file is in the table", target_file.targets);
        if target_file.alike > 0 {
            let text = format!(
                "{none}; {} differ in capitals alone from ids there: use the same spelling",
                target_file.alike
            );
            draft.warn("target", text);
        } else if self.turned {
            draft.warn(
                "target",
                format!("{none}, whose ids are in the header: use the same spelling"),
            );
        } else if target_file.is_of_columns() {
            draft.say("target", format!("{none}'s rows"));
        } else {
            let text = format!("{none}: give the column that holds them, or use the same spelling");
            draft.warn_about("target", text, [Parameter::Id]);
        }
    }

    /// The target in a column.
    fn target_in(&self, draft: &mut Draft, what: &str, column: &ColumnSummary) {
        let numeric = column.is_numeric();
        if let Some(Target::Classes(classes)) = &self.given_target.target {
            self.given_classes(draft, what, column, classes);
            return;
        }
        if numeric && (!column.has_label_numbers() || self.given_target.target.is_some()) {
            (draft.suggestion.rows, draft.suggestion.shares) = (column.numbers, vec![0.5; 2]);
            self.split(draft, column);
            let (low, high) = (short(column.low), short(column.high));
            draft.say(
                "target",
                match low.is_finite() {
                    true => format!("{what}: numbers from {low} to {high}"),
                    false => format!("{what}: numbers"),
                },
            );
            if let Some(target) = &self.given_target.target {
                draft.suggestion.target = target.clone();
            }
            if column.categories > 0 {
                self.texts(draft, "target", what, column);
            }
            self.lost_amounts(draft, column);
        } else if column.has_labels() {
            let found = labels_of(column);
            let all: u64 = column.labels().map(|(_, count)| count).sum();
            let not_available = all - found.iter().map(|(_, count)| count).sum::<u64>();
            let mut labels: Vec<String> = found.iter().map(|(label, _)| label.clone()).collect();
            draft.say(
                "target",
                format!("{what}: labels {}", labels_with_counts(found.iter().cloned())),
            );
            if numeric {
                draft.warn_about(
                    "target",
                    "its values look like labels; give no classes if they are amounts",
                    [Parameter::Classes],
                );
            }
            if not_available > 0 && !numeric {
                let text = format!(
                    "{} with NA or the like, which are used only if NA itself is given as a class: {not_available}",
                    self.units()
                );
                draft.say_about("target", text, [Parameter::Classes]);
            }
            if labels.iter().any(|label| label.contains(char::REPLACEMENT_CHARACTER)) {
                let text =
                    "labels that are not text in UTF-8 cannot be given: save the file as UTF-8";
                draft.warn("target", text);
                draft.suggestion.open.push(Parameter::Classes);
            }
            if labels.len() < 2 {
                self.warn_of_constant_target(draft, "a target needs at least two labels");
            } else {
                draft.suggestion.count(found.iter().map(|(_, count)| *count));
                // Alphabetical, because the order by count is not public. The second of two classes
                // is the one whose features count as risen.
                labels.sort_unstable_by_key(|label| (!is_absence(label), label.clone()));
                // Which of them is misspelled is unknown, so there are no classes to suggest yet.
                if warn_of_capitals(draft, &labels, &[]) {
                    draft.suggestion.open.push(Parameter::Classes);
                }
                draft.suggestion.target = Target::Classes(labels);
            }
        } else if column.is_constant() {
            self.warn_of_constant_target(draft, &format!("{what} holds one value only"));
        } else {
            draft.warn_about(
                "target",
                format!("{what} holds neither numbers nor a few labels: give another target"),
                [Parameter::Target],
            );
            self.ask_for_target(draft);
            self.lost_amounts(draft, column);
        }
        // Labels are compared as text, numbers as numbers.
        let missing = column.missing + if numeric { column.not_available } else { 0 };
        self.without_target(draft, missing);
    }

    fn without_target(&self, draft: &mut Draft, rows: u64) {
        if rows > 0 {
            let text = format!("{} without one, which are not used: {rows}", self.units());
            draft.say("target", text);
        }
    }

    /// With a target that is the same for all rows, nothing can be found.
    fn warn_of_constant_target(&self, draft: &mut Draft, text: &str) {
        draft.warn_about("target", format!("{text}: give another target"), [Parameter::Target]);
        // One row has one value of everything.
        if self.rows > 1 {
            self.ask_for_target(draft);
        }
    }

    /// Requests another target, if there is another column.
    fn ask_for_target(&self, draft: &mut Draft) {
        if self.header.len() > 1 {
            draft.suggestion.open.push(Parameter::Target);
        }
    }

    /// The rows on both sides of the median at which a run splits a target.
    fn split(&self, draft: &mut Draft, column: &ColumnSummary) {
        let Some(sides) = column.split() else { return };
        draft.suggestion.count(sides.into_iter());
        let smaller = sides[0].min(sides[1]);
        if 20 * smaller < sides[0] + sides[1] {
            let text = format!(
                "a run would split it with {smaller} of {} on one side: nearly all have one value, or values lie \
                 close together for their size. Subtract a constant, or give the public range",
                counted(sides[0] + sides[1], "number")
            );
            draft.warn_about("target", text, [Parameter::TargetBounds]);
        }
        if smaller == 0 {
            draft.suggestion.open.push(Parameter::TargetBounds);
        }
    }

    /// Numbers and dates in a notation that is read as categories: their rows have no target.
    fn lost_amounts(&self, draft: &mut Draft, column: &ColumnSummary) {
        let amounts = column.amounts();
        if column.dates > 0 {
            let text = format!(
                "{} like dates that are not read: write them as year-month-day, as 2021-04-12 is, and times as 22:30",
                looking(column.dates)
            );
            draft.warn("target", text);
        }
        if amounts > 0 {
            draft.warn(
                "target",
                format!(
                    "{} like numbers with a sign, a unit or commas, such as <5, 12 mg or 1,234.50: \
                     their {} would not be used, write plain numbers",
                    looking(amounts),
                    self.units()
                ),
            );
        }
    }

    /// The given classes, and the number of rows in each.
    fn given_classes(
        &self,
        draft: &mut Draft,
        what: &str,
        column: &ColumnSummary,
        classes: &[String],
    ) {
        let count = |class: &String| column.count_of(class);
        let counted = labels_with_counts(classes.iter().map(|class| (class, count(class))));
        draft.say("target", format!("{what}: labels {counted}"));
        let others: Vec<String> = labels_of(column)
            .into_iter()
            .map(|(label, _)| label)
            .filter(|label| !classes.iter().any(|class| class.trim_ascii() == label))
            .collect();
        let (missing, found): (Vec<&String>, _) =
            classes.iter().partition(|class| count(class) == 0);
        for class in &missing {
            let alike = others.iter().find(|other| other.to_lowercase() == class.to_lowercase());
            let hint = alike.map_or(String::new(), |other| format!("; {other:?} does"));
            let text = format!("the label {class:?} does not occur{hint}");
            draft.warn_about("target", text, [Parameter::Classes]);
        }
        if !missing.is_empty() {
            draft.suggestion.open.push(Parameter::Classes);
        }
        let all: Vec<String> = found.into_iter().chain(&others).cloned().collect();
        warn_of_capitals(draft, &all, classes);
        if !others.is_empty() {
            let text = format!("other labels are not used: {}", listed(&others));
            draft.say_about("target", text, [Parameter::Classes]);
        }
        let format = CellFormat::default();
        // Listed above: given as a class, or a label as which NA and the like are not taken.
        let is_listed = |label: &String| {
            format.is_missing(label.as_bytes())
                && (label == "None" || classes.iter().any(|class| class.trim_ascii() == label))
        };
        let above = column.labels().filter(|(label, _)| is_listed(label)).map(|(_, count)| count);
        let not_available = column.not_available.saturating_sub(above.sum());
        self.without_target(draft, column.missing + not_available);
        draft.suggestion.count(classes.iter().map(count));
        draft.suggestion.target = Target::Classes(classes.to_vec());
    }
}

/// Whether a label means that something is absent.
pub(super) fn is_absence(label: &str) -> bool {
    let words = [
        "0", "no", "false", "control", "normal", "healthy", "well", "negative", "neg", "none",
        "ok", "wt", "wildtype", "benign", "alive", "living", "censored",
    ];
    words.contains(&label.to_lowercase().as_str())
}

/// Warns of labels that differ only in case, unless they are all given.
fn warn_of_capitals(draft: &mut Draft, labels: &[String], given: &[String]) -> bool {
    let lower: Vec<String> = labels.iter().map(|label| label.to_lowercase()).collect();
    let alike: Vec<&str> = labels
        .iter()
        .zip(&lower)
        .filter(|(_, one)| lower.iter().filter(|other| other == one).count() > 1)
        .map(|(label, _)| label.as_str())
        .collect();
    let open = alike.iter().any(|label| !given.iter().any(|given| given == label));
    if open {
        let text = format!(
            "labels that differ in capitals alone: {}: make them one, or give the classes as they are",
            listed(alike)
        );
        draft.warn_about("target", text, [Parameter::Classes]);
    }
    open
}
