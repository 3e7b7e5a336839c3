//! Records in all output formats.

use std::ops::Deref;

#[cfg(feature = "exports")]
use super::statement::Statement;
use super::{findings, text, words};
use crate::choose::ChoiceRecord;
use crate::error::Parameter;
use crate::release::{Record, Warning};

/// A record of a release, or of a result of the same form that is not private.
pub trait Reported {
    /// The names of the picks with their places in the input, counted from 1.
    fn picked(&self) -> impl Iterator<Item = (&str, usize)>;

    /// The kind of place: `column` or `row`.
    fn place(&self) -> &'static str;

    /// Further columns about the picks, in their order: a name and a cell for each pick.
    fn columns(&self) -> Vec<(&'static str, Vec<String>)> {
        Vec::new()
    }

    /// A note on these columns, if there is one.
    fn note_on_columns(&self) -> Option<&str> {
        None
    }

    /// The warnings of the record.
    fn warnings(&self) -> &[Warning];

    /// A few plain lines on the guarantee, the assumptions and the budget; `words` formats the
    /// parameters of a warning, and its text is appended to the warning.
    fn lines(&self, words: &dyn Fn(&[Parameter]) -> String) -> String;

    /// The release as text, from which other formats are made.
    #[cfg(feature = "exports")]
    fn statement(&self) -> Statement;
}

impl<T: Deref<Target: Reported>> Reported for T {
    fn picked(&self) -> impl Iterator<Item = (&str, usize)> {
        (**self).picked()
    }

    fn place(&self) -> &'static str {
        (**self).place()
    }

    fn columns(&self) -> Vec<(&'static str, Vec<String>)> {
        (**self).columns()
    }

    fn note_on_columns(&self) -> Option<&str> {
        (**self).note_on_columns()
    }

    fn warnings(&self) -> &[Warning] {
        (**self).warnings()
    }

    fn lines(&self, words: &dyn Fn(&[Parameter]) -> String) -> String {
        (**self).lines(words)
    }

    #[cfg(feature = "exports")]
    fn statement(&self) -> Statement {
        (**self).statement()
    }
}

/// The names of the picks, one per line; no name contains a line break.
pub fn names(record: &impl Reported) -> String {
    record.picked().map(|(name, _)| format!("{name}\n")).collect()
}

/// The names of the picks, their places and their released values, tab-separated, below a header; a
/// tab in a name becomes a space.
pub fn to_tsv(record: &impl Reported) -> String {
    let columns = record.columns();
    let names: String = columns.iter().map(|(name, _)| format!("\t{name}")).collect();
    let line = |(i, (name, place)): (usize, (&str, usize))| {
        let cell = |(_, cells): &(_, Vec<String>)| {
            format!("\t{}", cells.get(i).map_or("", String::as_str))
        };
        let cells: String = columns.iter().map(cell).collect();
        format!("{}\t{place}{cells}\n", name.replace('\t', " "))
    };
    let header = format!("name\t{}{names}\n", record.place());
    std::iter::once(header).chain(record.picked().enumerate().map(line)).collect()
}

/// A text report: the guarantee, the scaling of values and the data it suits, and the budget spent.
pub fn report(record: &impl Reported) -> String {
    report_with(record, |_| String::new())
}

/// Like [`report`], with a formatter of parameters, such as option names: its text is appended to
/// each warning.
pub fn report_with(record: &impl Reported, words: impl Fn(&[Parameter]) -> String) -> String {
    record.lines(&words)
}

impl Reported for Record {
    fn picked(&self) -> impl Iterator<Item = (&str, usize)> {
        self.selected.iter().map(|picked| (picked.name.as_str(), picked.column))
    }

    fn place(&self) -> &'static str {
        words::line_of_features(self)
    }

    fn columns(&self) -> Vec<(&'static str, Vec<String>)> {
        findings::columns(self)
    }

    fn note_on_columns(&self) -> Option<&str> {
        self.directions.as_deref()
    }

    fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    fn lines(&self, words: &dyn Fn(&[Parameter]) -> String) -> String {
        text::lines_of_selection(self, words)
    }

    #[cfg(feature = "exports")]
    fn statement(&self) -> Statement {
        Statement::of_selection(self)
    }
}

impl Reported for ChoiceRecord {
    fn picked(&self) -> impl Iterator<Item = (&str, usize)> {
        self.selected.iter().map(|chosen| (chosen.name.as_str(), chosen.row))
    }

    fn place(&self) -> &'static str {
        "row"
    }

    fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    fn lines(&self, words: &dyn Fn(&[Parameter]) -> String) -> String {
        text::lines_of_choice(self, words)
    }

    #[cfg(feature = "exports")]
    fn statement(&self) -> Statement {
        Statement::of_choice(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::testing::{record, with_directions, with_effect_sizes};

    const NAMES: [&str; 2] = ["a\tb", "dose"];

    #[test]
    fn a_table_has_the_columns_that_were_released() {
        assert_eq!(to_tsv(&record(NAMES)), "name\tcolumn\na b\t1\ndose\t2\n");
        assert_eq!(
            to_tsv(&with_effect_sizes(NAMES)),
            "name\tcolumn\teffect_size\tlow\thigh\tp_value\tsignificant\n\
             a b\t1\t0.62\t0.52\t0.72\t0.0012\tyes\n\
             dose\t2\t0.3\t0.2\t0.4\t0.4321\tno\n"
        );
        let mut directed = with_directions(NAMES);
        for estimate in &mut directed.estimates {
            (estimate.effect_size, estimate.low, estimate.high) = (None, None, None);
            (estimate.p_value, estimate.significant) = (None, None);
        }
        assert_eq!(
            to_tsv(&directed),
            "name\tcolumn\tdirection\tdirection_error\na b\t1\trises\t0.0192\ndose\t2\tfalls\t0.31\n"
        );
    }

    /// The wrapper of a record forwards everything.
    #[test]
    fn a_reference_is_reported_like_the_record() {
        let record = with_directions(NAMES);
        assert_eq!(to_tsv(&&record), to_tsv(&record));
        assert_eq!(report(&&record), report(&record));
        assert_eq!(names(&&record), "a\tb\ndose\n");
        let reference = &record;
        let note = (&reference).note_on_columns();
        assert_eq!(note, Some("whether the target rises or falls; categories have no direction"));
    }
}
