//! Findings on the columns of ids and of the target.

use super::findings::{Draft, Seen, Written, labels_of, short};
use crate::data::{Format, TargetColumn};
use crate::error::Parameter;
use crate::select::Target;

impl Seen<'_> {
    /// The place of the ids among the columns here, from 0.
    pub(super) fn id_column(&self) -> Option<usize> {
        match self.written {
            Written::Blocks { ids: true, .. } => return Some(0),
            Written::Blocks { format: Format::Npy | Format::Npz, .. } => return None,
            _ => {}
        }
        if let Some(id) = &self.stated.id {
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

    pub(super) fn ids(&self, draft: &mut Draft) {
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
            draft.suggestion.facts.id = Some(name.clone());
        }
    }

    pub(super) fn target(&self, draft: &mut Draft) {
        let stated = match &self.stated.target {
            TargetColumn::Named(name) => Some(name),
            TargetColumn::At(_) => self.target_column().map(|column| &self.header[column]),
            TargetColumn::Last => None,
        };
        if let Some(name) = stated {
            draft.suggestion.facts.target = TargetColumn::Named(name.clone());
        }
        if self.stated.target_file.is_some() {
            let apart = "in its own file: if it holds labels, state them";
            draft.say_about("target", apart, [Parameter::Classes]);
            return;
        }
        let apart = matches!(self.written, Written::Blocks { features_as_rows: true, target, .. }
            if !target && stated.is_none());
        if self.lines_are_features() || apart {
            if stated.is_none() {
                draft.warn_about(
                    "target",
                    "state a file of targets (id,value), or the name of the row that holds them",
                    [Parameter::TargetFile, Parameter::Target],
                );
                draft.suggestion.undecided = true;
            }
            return;
        }
        match self.target_column() {
            Some(place) => self.target_in(draft, place),
            None => draft.warn_about("target", "there is no such column", [Parameter::Target]),
        }
    }

    /// The target in the column at a place here, from 0.
    fn target_in(&self, draft: &mut Draft, place: usize) {
        let (name, column) = (&self.header[place], &self.columns[place]);
        let what = format!("column {} ({name:?})", self.number(place));
        let decimal_comma = draft.suggestion.facts.decimal_comma;
        let numeric = column.is_numeric(decimal_comma);
        if numeric && !column.has_label_numbers() {
            (draft.suggestion.rows, draft.suggestion.smallest) = (column.numbers, Some(0.5));
            draft.say(
                "target",
                format!("{what}: numbers from {} to {}", short(column.low), short(column.high)),
            );
            if column.texts > 0 && !decimal_comma {
                self.texts(draft, "target", &what, column);
            }
        } else if column.has_labels() {
            let mut labels = labels_of(column);
            let counted: Vec<String> =
                labels.iter().map(|label| format!("{label} ({})", column.values[label])).collect();
            draft.say("target", format!("{what}: labels {}", counted.join(", ")));
            if numeric {
                draft.warn_about(
                    "target",
                    "its numbers look like labels; state no classes if they are amounts",
                    [Parameter::Classes],
                );
            }
            if labels.len() < 2 {
                draft.warn("target", "a target needs at least two labels");
            } else {
                let counts = labels.iter().map(|label| column.values[label]);
                let (rows, least) = (counts.clone().sum::<u64>(), counts.min().unwrap_or(0));
                draft.suggestion.rows = rows;
                draft.suggestion.smallest = Some(least as f64 / rows.max(1) as f64);
                // In alphabetical order: their order by count is not public.
                labels.sort_unstable();
                draft.suggestion.target = Target::Classes(labels);
            }
        } else if column.is_constant() {
            draft.warn("target", format!("{what} holds one value only"));
        } else {
            draft.warn_about(
                "target",
                format!("{what} holds neither numbers nor a few labels: state another target"),
                [Parameter::Target],
            );
        }
        // Labels are counted as texts, numbers as numbers.
        let missing = column.missing + if numeric { column.unstated } else { 0 };
        if missing > 0 {
            draft.say("target", format!("{missing} rows have none and count nowhere"));
        }
    }
}
