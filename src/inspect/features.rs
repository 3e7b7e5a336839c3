//! Findings on the features: columns of words, ids, codes for missing values.

use std::collections::HashSet;

use super::column::{CODES, ColumnSummary};
use super::findings::{Draft, Seen, Written, labels_of};
use crate::data::{Names, TargetColumn, is_id_name};
use crate::error::Parameter;

impl Seen<'_> {
    /// The places of the features among the columns here, from 0.
    fn feature_places(&self) -> Vec<usize> {
        let own = !self.turned
            || !matches!(self.stated.target, TargetColumn::Last)
            || matches!(self.written, Written::Blocks { target: true, .. });
        let here = own && self.beside.is_none();
        let skip = [self.id_column(), self.target_column().filter(|_| here)];
        let names = Names::new(self.header);
        let excluded: HashSet<usize> =
            self.stated.exclude.iter().flat_map(|pattern| names.places(pattern)).collect();
        let skipped = |c: &usize| skip.contains(&Some(*c)) || excluded.contains(c);
        (0..self.columns.len()).filter(|c| !skipped(c)).collect()
    }

    pub(super) fn features(&self, draft: &mut Draft) {
        let places = self.feature_places();
        let comma = draft.suggestion.facts.decimal_comma;
        let columns = || places.iter().map(|&c| &self.columns[c]);
        let numeric = columns().filter(|c| c.is_numeric(comma)).count();
        draft.suggestion.features = places.len();
        if draft.suggestion.shares.is_empty() {
            draft.suggestion.rows = self.rows;
        }
        let words = columns().filter(|c| !c.is_numeric(comma) && c.texts > 0).count();
        let words = if words > 0 { format!(", {words} hold words") } else { String::new() };
        draft
            .say("features", format!("{numeric} of {} features hold numbers{words}", places.len()));
        self.columns_of_words(draft, &places);
        self.numeric_ids(draft, &places);
        self.words_among_numbers(draft, &places);
        self.other_notations(draft, &places);
        let constant = columns().filter(|c| c.is_constant()).count();
        if constant > 0 {
            draft.say("features", format!("features that hold one value only: {constant}"));
        }
        let missing: u64 = columns().map(|c| c.missing + c.unstated).sum();
        if missing > 0 {
            let text = format!("{missing} cells are missing: empty, NA and the like");
            draft.say("features", text);
        }
        self.codes(draft, &places);
    }

    /// Columns of words: those of ids and free text are excluded, for nearly each of their words
    /// stands alone.
    fn columns_of_words(&self, draft: &mut Draft, places: &[usize]) {
        let comma = draft.suggestion.facts.decimal_comma;
        let of = |is: &dyn Fn(&ColumnSummary) -> bool| -> Vec<usize> {
            let wordy = places.iter().filter(|&&c| !self.columns[c].is_numeric(comma));
            wordy.filter(|&&c| is(&self.columns[c])).copied().collect()
        };
        let amounts =
            |column: &ColumnSummary| 2 * column.amounts(comma).max(column.dates) >= column.texts;
        let free = |column: &ColumnSummary| column.is_free_text(comma) && !amounts(column);
        let is_free = of(&free);
        if is_free.len() < places.len() {
            self.exclude(draft, &is_free);
        }
        if !is_free.is_empty() {
            let text = format!(
                "{}: words most of which occur once, as ids and free text do: no feature, exclude it",
                self.named(&is_free)
            );
            draft.warn_about("features", text, [Parameter::Exclude]);
        }
        let empty = of(&|column| column.texts == 0);
        if !empty.is_empty() {
            draft.say("features", format!("{}: no value", self.named(&empty)));
        }
        let valued = |column: &ColumnSummary| column.texts > 0 && !free(column) && !amounts(column);
        let labels = of(&|column| valued(column) && column.has_labels());
        match labels.as_slice() {
            [] => {}
            &[c] => {
                let text = format!(
                    "{} holds labels ({}): state it if it is the target; as a feature its words are values, \
                     but missing for a model",
                    self.what(c),
                    labels_of(&self.columns[c]).join(", ")
                );
                draft.say_about("features", text, [Parameter::Target, Parameter::Exclude]);
            }
            several => {
                let text = format!(
                    "{} hold labels: state it if one is the target; as features their words are \
                     values, but missing for a model",
                    self.named(several)
                );
                draft.say_about("features", text, [Parameter::Target, Parameter::Exclude]);
            }
        }
        let words = of(&|column| valued(column) && !column.has_labels());
        if !words.is_empty() {
            draft.say(
                "features",
                format!("{}: words, which are values, but missing for a model", self.named(&words)),
            );
        }
    }

    /// Columns whose numbers are ids, by their names; others may be, for they count the rows.
    fn numeric_ids(&self, draft: &mut Draft, places: &[usize]) {
        if self.turned {
            return;
        }
        let whole = || places.iter().copied().filter(|&c| self.columns[c].is_whole());
        let (ids, others): (Vec<usize>, Vec<usize>) =
            whole().partition(|&c| is_id_name(&self.header[c]));
        if !ids.is_empty() && ids.len() < places.len() {
            self.exclude(draft, &ids);
            let text =
                format!("{}: ids, by name and numbers: no feature, exclude it", self.named(&ids));
            draft.warn_about("features", text, [Parameter::Exclude]);
        }
        let counting: Vec<usize> =
            others.into_iter().filter(|&c| self.columns[c].counts_rows()).collect();
        if !counting.is_empty() {
            let text = format!(
                "{}: whole numbers that go from one to the next, as those of rows do: exclude it if it is an id",
                self.named(&counting)
            );
            draft.warn_about("features", text, [Parameter::Exclude]);
        }
    }

    fn exclude(&self, draft: &mut Draft, columns: &[usize]) {
        draft.suggestion.features -= columns.len();
        draft.suggestion.facts.exclude.extend(columns.iter().map(|&c| self.header[c].clone()));
    }

    /// Numbers that usually stand for missing values, in features and the target.
    fn codes(&self, draft: &mut Draft, features: &[usize]) {
        let used: Vec<usize> = (0..self.columns.len())
            .filter(|c| features.contains(c) || self.target_column() == Some(*c))
            .collect();
        let suspicious = |code: usize| -> Vec<usize> {
            let used = used.iter().copied();
            used.filter(|&c| self.columns[c].may_be_missing(code)).collect()
        };
        for (i, code) in CODES.iter().enumerate() {
            let columns = suspicious(i);
            if !columns.is_empty() && !self.stated.missing.iter().any(|stated| stated == code) {
                let text = format!(
                    "{code} may stand for missing values in {}: state it",
                    self.named(&columns)
                );
                draft.warn_value("missing", text, Parameter::Missing, code);
            }
        }
    }
}
