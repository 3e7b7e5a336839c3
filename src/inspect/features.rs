//! Findings on the features: columns of words, codes for missing values, units.

use super::column::{CODES, ColumnSummary};
use super::findings::{Draft, Seen, Written, labels_of, short};
use crate::data::TargetColumn;
use crate::error::Parameter;

/// So many columns are often of one kind.
const MANY: usize = 200;

impl Seen<'_> {
    /// The places of the features among the columns here, from 0; of the samples, where lines are features.
    fn feature_places(&self) -> Vec<usize> {
        let own = matches!(
            self.written,
            Written::Text(_) | Written::Blocks { features_as_rows: false, .. }
        ) || !matches!(self.stated.target, TargetColumn::Last)
            || matches!(self.written, Written::Blocks { target: true, .. });
        let here = own && self.stated.target_file.is_none();
        let skip = [self.id_column(), self.target_column().filter(|_| here)];
        let skipped = |c: &usize| {
            if self.lines_are_features() {
                *c == 0
            } else {
                skip.contains(&Some(*c)) || self.stated.exclude.contains(&self.header[*c])
            }
        };
        (0..self.columns.len()).filter(|c| !skipped(c)).collect()
    }

    pub(super) fn features(&self, draft: &mut Draft) {
        let places = self.feature_places();
        let comma = draft.suggestion.facts.decimal_comma;
        let columns = || places.iter().map(|&c| &self.columns[c]);
        let numeric = columns().filter(|c| c.is_numeric(comma)).count();
        draft.suggestion.features =
            if self.lines_are_features() { self.rows as usize } else { places.len() };
        if draft.suggestion.smallest.is_none() {
            draft.suggestion.rows =
                if self.lines_are_features() { places.len() as u64 } else { self.rows };
        }
        let words = columns().filter(|c| !c.is_numeric(comma) && c.texts > 0).count();
        let words = if words > 0 { format!(", {words} hold words") } else { String::new() };
        draft.say("features", format!("{numeric} of {} columns hold numbers{words}", places.len()));
        self.columns_of_words(draft, &places);
        let partly = |c: &&usize| {
            let column = &self.columns[**c];
            column.is_numeric(comma) && column.texts > 0 && !comma
        };
        for &c in places.iter().filter(partly).take(3) {
            let what = format!("column {} ({:?})", self.number(c), self.header[c]);
            self.texts(draft, "features", &what, &self.columns[c]);
        }
        self.amounts(draft, &places);
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

    /// Columns of words: those of ids and free text are excluded, for nearly each of their words stands alone.
    fn columns_of_words(&self, draft: &mut Draft, places: &[usize]) {
        if self.lines_are_features() {
            return;
        }
        let comma = draft.suggestion.facts.decimal_comma;
        let excluded: Vec<String> = places
            .iter()
            .filter(|&&c| self.columns[c].is_free_text(comma))
            .map(|&c| self.header[c].clone())
            .collect();
        if excluded.len() < places.len() {
            draft.suggestion.features -= excluded.len();
            draft.suggestion.facts.exclude.extend(excluded);
        }
        for &c in places.iter().filter(|&&c| !self.columns[c].is_numeric(comma)).take(3) {
            let (name, place, column) = (&self.header[c], self.number(c), &self.columns[c]);
            let what = format!("column {place} ({name:?}) holds");
            if column.texts == 0 {
                let text = format!("{what} no value: exclude it");
                draft.warn_about("features", text, [Parameter::Exclude]);
            } else if column.is_free_text(comma) {
                let text = format!(
                    "{what} words most of which occur once, as ids and free text do: no feature, \
                     exclude it"
                );
                draft.warn_about("features", text, [Parameter::Exclude]);
            } else if column.has_labels() {
                let labels = labels_of(column).join(", ");
                let text = format!(
                    "{what} labels ({labels}): state it if it is the target; as a feature its words \
                     are values"
                );
                draft.say_about("features", text, [Parameter::Target, Parameter::Exclude]);
            } else {
                draft.say("features", format!("{what} words, which are its values"));
            }
        }
    }

    /// Columns with numbers that are written in such a way that they are read as words.
    fn amounts(&self, draft: &mut Draft, places: &[usize]) {
        let comma = draft.suggestion.facts.decimal_comma;
        let holds_amounts = |c: &&usize| {
            let column = &self.columns[**c];
            let amounts = column.amounts(comma);
            amounts > 0 && (column.is_numeric(comma) || 2 * amounts >= column.texts)
        };
        for &c in places.iter().filter(holds_amounts).take(3) {
            let (name, place) = (&self.header[c], self.number(c));
            let amounts = self.columns[c].amounts(comma);
            draft.warn(
                "features",
                format!(
                    "column {place} ({name:?}): {amounts} cells look like numbers with a sign, a unit \
                     or commas, as <5, 12 mg or 1,234 are: they are read as words, write plain numbers"
                ),
            );
        }
    }

    /// Numbers that usually stand for missing values, in any column.
    fn codes(&self, draft: &mut Draft, columns: &[&ColumnSummary]) {
        let mut found = Vec::new();
        for (i, code) in CODES.iter().enumerate() {
            // Several of them at the far end of a column whose other values are much smaller.
            let value: f64 = code.parse().unwrap_or(0.0);
            let suspicious = |c: &ColumnSummary| {
                let low = value == c.low && -value > 3.0 * c.high;
                let high = value == c.high && value > 3.0 * c.magnitude();
                c.codes[i] > 1 && (low || high)
            };
            let stated = self.stated.missing.iter().any(|stated| stated == code);
            if self.columns.iter().any(suspicious) && !stated {
                found.push(*code);
            }
        }
        if columns.iter().any(|c| c.unstated > 0) {
            draft.say("features", "NA and the like are taken as missing");
        }
        if !found.is_empty() {
            let text = format!("{} may stand for missing values: state them", found.join(", "));
            draft.warn_about("missing", text, [Parameter::Missing]);
        }
    }

    /// Whether the columns are of one kind.
    fn scale(&self, draft: &mut Draft, columns: Vec<&ColumnSummary>) {
        let mut magnitudes: Vec<f64> =
            columns.iter().map(|c| c.magnitude()).filter(|m| *m > 0.0).collect();
        magnitudes.sort_unstable_by(f64::total_cmp);
        if magnitudes.len() < 2 || draft.suggestion.facts.decimal_comma {
            return;
        }
        let at = |share: f64| magnitudes[((magnitudes.len() - 1) as f64 * share) as usize];
        let ratio = at(0.9) / at(0.1);
        // Gene intensities differ by a few hundred between genes on one array; units by more.
        let one_kind = ratio <= if draft.suggestion.features >= MANY { 1000.0 } else { 10.0 };
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
    }
}
