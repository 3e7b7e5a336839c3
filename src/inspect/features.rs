//! Findings on the features: categorical columns, identifiers, codes for missing values.

use std::collections::HashSet;

use super::column::{CODES, ColumnSummary};
use super::findings::{Draft, Seen, Written, labels_of};
use crate::error::Parameter;
use crate::table::{CellFormat, GivenCell, Names, TargetColumn, is_id_name, listed};

impl Seen<'_> {
    /// The places of the features among the columns here, from 0.
    pub(super) fn feature_places(&self) -> Vec<usize> {
        let own = !self.turned
            || !matches!(self.given.target, TargetColumn::Last)
            || matches!(self.written, Written::Blocks { target: true, .. });
        let here = own && self.target_file.is_none();
        let events = self.places_of_events().and_then(|[_, event]| event);
        let skip = [self.id_column(), self.target_column().filter(|_| here), events];
        let given = [self.given.id.as_deref(), self.given.unit.as_deref()];
        let covariates = &self.given_target.covariates;
        let names = Names::new(self.header);
        let excluded: HashSet<usize> =
            self.given.exclude.iter().flat_map(|pattern| names.places(pattern)).collect();
        let skipped = |c: &usize| {
            skip.contains(&Some(*c))
                || excluded.contains(c)
                || self.index.contains(c)
                || given.contains(&Some(self.header[*c].as_str()))
                || covariates.iter().any(|covariate| covariate.name() == self.header[*c])
        };
        (0..self.columns.len()).filter(|c| !skipped(c)).collect()
    }

    pub(super) fn features(&self, draft: &mut Draft) {
        let places = self.feature_places();
        let columns = || places.iter().map(|&c| &self.columns[c]);
        let numeric = columns().filter(|c| c.is_numeric()).count();
        draft.suggestion.features = places.len();
        if draft.suggestion.shares.is_empty() {
            draft.suggestion.rows = self.rows;
        }
        let words = columns().filter(|c| !c.is_numeric() && c.categories > 0).count();
        let words = match words {
            0 => String::new(),
            1 => ", 1 holds categories".to_owned(),
            words => format!(", {words} hold categories"),
        };
        draft
            .say("features", format!("{numeric} of {} features hold numbers{words}", places.len()));
        self.numeric_names(draft, &places);
        self.unread_columns(draft, &places);
        self.columns_of_words(draft, &places);
        self.numeric_ids(draft, &places);
        self.words_among_numbers(draft, &places);
        self.other_notations(draft, &places);
        let constant = columns().filter(|c| c.is_constant()).count();
        if constant > 0 {
            draft.say("features", format!("features that hold one value only: {constant}"));
        }
        let missing: u64 = columns().map(|c| c.missing + c.not_available).sum();
        if missing > 0 {
            let text = format!("{missing} cells are missing: empty, NA and the like");
            draft.say("features", text);
        }
        self.missing_by_target(draft, &places);
        self.codes(draft, &places);
    }

    /// Features that are missing more often in one class than in others.
    fn missing_by_target(&self, draft: &mut Draft, places: &[usize]) {
        let difference = |&c: &usize| Some((c, self.missing.difference(c, places.len())?));
        let different: Vec<(usize, String)> = places.iter().filter_map(difference).collect();
        let columns: Vec<usize> = different.iter().map(|(c, _)| *c).collect();
        let Some((_, first)) = different.first() else { return };
        let first =
            if columns.len() > 1 { format!("the first one {first}") } else { first.clone() };
        let text = format!(
            "{}: missing more often for some targets than for others ({first}). Scores compare the values that \
             are present, and missing values never raise them; if being measured is of interest, add a column for it",
            self.named(&columns)
        );
        draft.say("features", text);
    }

    /// Numbers as names: such as wavelengths, or the first row of a table without a header.
    fn numeric_names(&self, draft: &mut Draft, places: &[usize]) {
        let is_number = |name: &str| CellFormat::default().number(name.as_bytes()).is_some();
        let numbers = places.iter().filter(|&&c| is_number(&self.header[c])).count();
        let of_target = self.target_column().filter(|_| self.target_file.is_none());
        let names_target = of_target.is_none_or(|target| !is_number(&self.header[target]));
        let is_unclear = matches!(self.written, Written::Text(_)) && !self.given.numeric_names;
        if is_unclear && numbers > 0 && 2 * numbers >= places.len() && names_target {
            draft.warn_about(
                "header",
                "are the numbers in the header names, as of wavelengths? If the header is missing and they are values, \
                 add one: names are printed",
                [Parameter::NumericNames],
            );
            draft.suggestion.facts.numeric_names = true;
        }
    }

    /// Columns of an unsupported type, which must be excluded.
    fn unread_columns(&self, draft: &mut Draft, places: &[usize]) {
        let is_unread = |column: &&usize| self.columns[**column].is_unread;
        let unread: Vec<usize> = places.iter().filter(is_unread).copied().collect();
        let why = "values that are neither numbers, dates nor texts: exclude it";
        self.exclude(draft, places, &unread, why);
    }

    /// Categorical columns. Identifiers and free text are excluded, because nearly each of their
    /// categories occurs once.
    fn columns_of_words(&self, draft: &mut Draft, places: &[usize]) {
        let of = |is: &dyn Fn(&ColumnSummary) -> bool| -> Vec<usize> {
            let wordy = places.iter().filter(|&&c| !self.columns[c].is_numeric());
            wordy.filter(|&&c| is(&self.columns[c])).copied().collect()
        };
        let is_free = of(&ColumnSummary::is_free_text);
        let why = "texts that mostly occur once, such as ids or free text: exclude this column";
        self.exclude(draft, places, &is_free, why);
        let empty = of(&|column| column.categories == 0 && !column.is_unread);
        if !empty.is_empty() {
            draft.say("features", format!("{}: no value", self.named(&empty)));
        }
        let valued = |column: &ColumnSummary| {
            column.categories > 0 && !column.is_free_text() && !column.is_notation()
        };
        let labels = of(&|column| valued(column) && column.has_labels());
        match labels.as_slice() {
            [] => {}
            &[c] => {
                let text = format!(
                    "{} holds labels ({}): give it if it is the target; as a feature its categories \
                     are used for selection, but missing in a model",
                    self.what(c),
                    listed(labels_of(&self.columns[c]).into_iter().map(|(label, _)| label))
                );
                draft.say_about("features", text, [Parameter::Target, Parameter::Exclude]);
            }
            several => {
                let text = format!(
                    "{} hold labels: give it if one is the target; as features their categories \
                     are used for selection, but missing in a model",
                    self.named(several)
                );
                draft.say_about("features", text, [Parameter::Target, Parameter::Exclude]);
            }
        }
        let words = of(&|column| valued(column) && !column.has_labels());
        if !words.is_empty() {
            draft.say(
                "features",
                format!(
                    "{}: categories, which are used for selection, but missing in a model",
                    self.named(&words)
                ),
            );
        }
    }

    /// Columns whose numbers are identifiers by their names, or may be because they count the rows.
    fn numeric_ids(&self, draft: &mut Draft, places: &[usize]) {
        if self.turned {
            return;
        }
        let whole = || places.iter().copied().filter(|&c| self.columns[c].is_whole());
        let (ids, others): (Vec<usize>, Vec<usize>) =
            whole().partition(|&c| is_id_name(&self.header[c]));
        if ids.len() < places.len() {
            let why = "ids, by name and numbers: no feature, exclude it";
            self.exclude(draft, places, &ids, why);
        }
        let counting: Vec<usize> =
            others.into_iter().filter(|&c| self.columns[c].counts_rows()).collect();
        if !counting.is_empty() {
            let text = format!(
                "{}: consecutive whole numbers, like row numbers: exclude it if it is an id",
                self.named(&counting)
            );
            draft.warn_about("features", text, [Parameter::Exclude]);
        }
    }

    /// Warns of columns, and suggests to exclude them unless no other would be left.
    fn exclude(&self, draft: &mut Draft, places: &[usize], columns: &[usize], why: &str) {
        if columns.len() < places.len() {
            draft.suggestion.features -= columns.len();
            draft.suggestion.facts.exclude.extend(columns.iter().map(|&c| self.header[c].clone()));
        }
        if !columns.is_empty() {
            let text = format!("{}: {why}", self.named(columns));
            draft.warn_about("features", text, [Parameter::Exclude]);
        }
    }

    /// Numbers that usually stand for missing values, in features and the target.
    fn codes(&self, draft: &mut Draft, features: &[usize]) {
        let target = self.target_column().filter(|target| features.binary_search(target).is_err());
        let covariates = self.given_target.covariates.iter();
        let covariates =
            covariates.filter_map(|one| self.header.iter().position(|name| name == one.name()));
        let used: Vec<usize> = features.iter().copied().chain(target).chain(covariates).collect();
        let suspicious = |code: usize| -> Vec<usize> {
            let used = used.iter().copied();
            used.filter(|&c| self.columns[c].may_be_missing(code)).collect()
        };
        let given: Vec<GivenCell> =
            self.given.missing.iter().map(|code| GivenCell::new(code)).collect();
        let format = CellFormat::default();
        for (i, code) in CODES.iter().enumerate() {
            let columns = suspicious(i);
            let is_given = given.iter().any(|given| given.is_cell(code.as_bytes(), &format));
            if !columns.is_empty() && !is_given {
                let text = format!(
                    "{code} may stand for missing values in {}: give it",
                    self.named(&columns)
                );
                draft.warn_value("missing", text, Parameter::Missing, code);
            }
        }
        for code in &self.unused_codes {
            let text = format!("the code {code:?} occurs nowhere: check how it is written");
            draft.warn_about("missing", text, [Parameter::Missing]);
        }
    }
}
