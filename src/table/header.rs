//! The roles of columns by a header, and checks that it is a header: a row of data that is mistaken
//! for a header would be printed.

use crate::error::{Error, Parameter, Place, Result};
use crate::table::cell::CellFormat;
use crate::table::file::FileTable;
use crate::table::formats::text::file::OpenText;
use crate::table::number::parse_number;
use crate::table::open_table::Opening;
use crate::table::schema::{Orientation, Schema, TargetColumn, TargetRole};
use crate::table::targets::TargetTable;
use crate::table::text::text;

impl FileTable {
    /// Assigns the roles of the columns by the header; a header that looks like a row is refused.
    pub(super) fn schema_of_columns(
        &self,
        header: &[String],
        targets: Option<&TargetTable>,
        opening: &Opening<'_>,
    ) -> Result<Schema> {
        self.check_not_turned(header)?;
        let (role, labels) = (self.target_role(targets, opening.events), opening.labels);
        let schema = Schema::of_columns(
            header.to_vec(),
            &role,
            self.facts.ids_given(),
            &self.facts.excluded(),
        )
        .map_err(|error| {
            // The hint contains names; without a header, these would be values.
            let cells = self.facts.cells();
            let value = header.iter().any(|name| is_value(name, &cells, labels));
            if value && !self.facts.numeric_names {
                error.without_hint()
            } else {
                of_text(error, header)
            }
        })?;
        self.check_no_comment(header, &schema)?;
        self.check_header_is_no_row(&schema, targets, labels)?;
        let by_id = matches!(role, TargetRole::Elsewhere);
        if by_id && !self.rows_repeat() {
            let rule = "with targets by ids the table is read twice: no pipe or reader";
            return Err(Error::request(rule)
                .hint("write it to a file first")
                .about([Parameter::TargetFile]));
        }
        let one_row_each = self.facts.has_one_row_each(by_id);
        let schema = schema.with_people(self.facts.unit.is_some()).joined(by_id);
        Ok(schema.with_events_elsewhere(opening.events).with_one_row_each(one_row_each))
    }

    /// Refuses a first line that may be a comment, unless it is given that names may be numbers, or
    /// the target or the first column is given by its name: then the user has seen the header. The
    /// next line, which may be a row, is not looked at.
    fn check_no_comment(&self, header: &[String], schema: &Schema) -> Result<()> {
        let is_feature = schema.feature_names().next() == header.first().map(String::as_str);
        let seen = matches!(self.facts.target, TargetColumn::Named(_))
            || schema.event().is_some()
            || self.facts.numeric_names;
        if seen || !is_feature || !header.first().is_some_and(|name| name.starts_with('#')) {
            return Ok(());
        }
        Err(Error::input("the first line starts with #, as lines of comments do")
            .hint(
                "remove the lines that start with # before the header; if this is the header, give the first column as \
                 the identifiers or exclude it, or give the target by its name",
            )
            .about([Parameter::Id, Parameter::Exclude, Parameter::Target]))
    }

    /// Refuses a header that looks like a row: then a person's values would be taken for names,
    /// which are printed. It looks like one if the target's name could be one of its values, or if
    /// half of the features' names are numbers; unless it is given that names may be numbers.
    pub(super) fn check_header_is_no_row(
        &self,
        schema: &Schema,
        targets: Option<&TargetTable>,
        labels: Option<&[String]>,
    ) -> Result<()> {
        if self.facts.numeric_names {
            return Ok(());
        }
        let cells = self.facts.cells();
        let is_number = |name: &str| cells.number(name.as_bytes()).is_some();
        let refuse = |rule: &str, column: Option<usize>| Err(no_header(rule, column));
        // A user who gives the target by its name has seen the header.
        let seen = matches!(self.facts.target, TargetColumn::Named(_)) || schema.event().is_some();
        if let Some(place) = schema.target().filter(|_| !seen)
            && is_value(schema.name(place), &cells, labels)
        {
            return refuse("the target's name looks like one of its values", Some(place + 1));
        }
        self.check_targets_have_header(targets, labels)?;
        let numbers = schema.feature_names().filter(|name| is_number(name)).count();
        if 2 * numbers >= schema.d() && numbers > 0 {
            return refuse("half of the features' names are numbers", None);
        }
        Ok(())
    }

    /// Assigns the roles of the columns, or of the lines where these are features, by their names
    /// alone.
    pub(super) fn header_of_text(&self, opening: &Opening<'_>) -> Result<Schema> {
        let file = self.facts.target_file.as_deref();
        let targets =
            file.map(|path| TargetTable::read_header(path, &self.facts.cells(), opening.events));
        let targets = targets.transpose()?;
        let table = self.open_text(opening)?;
        if self.given_orientation() == Orientation::SamplesAsRows {
            return self.schema_of_columns(&table.names()?, targets.as_ref(), opening);
        }
        let names = self.line_names(table, opening.threads).map_err(Error::without_column)?;
        self.schema_of_lines(names, targets.as_ref(), opening)
    }

    /// Opens the text. Where features are rows the header is private, and errors do not reveal the
    /// place in it.
    pub(super) fn open_text(&self, opening: &Opening<'_>) -> Result<OpenText> {
        let mut file = self.file();
        file.hooks = opening.hooks.clone();
        let open = file.open();
        let private_header = self.given_orientation() == Orientation::FeaturesAsRows;
        let open = if private_header { open.map_err(Error::without_column) } else { open }?;
        self.check_decimal(open.delimiter())?;
        Ok(open)
    }

    /// Assigns the roles of lines that are features, by their names.
    pub(super) fn schema_of_lines(
        &self,
        names: Vec<String>,
        targets: Option<&TargetTable>,
        opening: &Opening<'_>,
    ) -> Result<Schema> {
        let role = self.target_role(targets, opening.events);
        let schema = Schema::of_rows(names, &role, &self.facts.exclude);
        let schema = schema.map_err(Error::without_column)?;
        let schema = schema.joined(matches!(role, TargetRole::Elsewhere));
        self.check_header_is_no_row(&schema, targets, opening.labels)?;
        Ok(schema.with_events_elsewhere(opening.events))
    }

    /// The names of lines, their first cells.
    fn line_names(&self, table: OpenText, threads: usize) -> Result<Vec<String>> {
        let lines = table.rows(threads, &|row| row.cell(0).to_vec())?;
        lines.iter().map(|(number, name)| self.line_name(*number, name)).collect()
    }

    /// The name of a feature at the start of its line, by the line's number. A name that looks like
    /// a whole line is refused, because names are printed, unless the delimiter is given.
    pub(super) fn line_name(&self, number: u64, name: &[u8]) -> Result<String> {
        let place = |error: Error| error.at(Some(number), Some(1));
        let name = text(name)
            .ok_or_else(|| place(Error::input("the feature's name is not text in UTF-8")))?;
        if name.contains('\t') || self.facts.delimiter.is_none() && holds_cells(&name) {
            let rule = "the feature's name holds several cells: is the delimiter another one?";
            return Err(place(Error::input(rule).about([Parameter::Delimiter])));
        }
        Ok(name)
    }

    /// Refuses a target file without a header, because its first target would be taken for the
    /// header.
    pub(super) fn check_targets_have_header(
        &self,
        targets: Option<&TargetTable>,
        labels: Option<&[String]>,
    ) -> Result<()> {
        let name = targets.and_then(TargetTable::name);
        if name.is_some_and(|name| is_value(name, &self.facts.cells(), labels)) {
            return Err(no_header("the target file seems to have no header", None));
        }
        Ok(())
    }
}

/// An error about the columns of a text file, whose delimiters may be the cause.
fn of_text(error: Error, header: &[String]) -> Error {
    let Some(last) = header.last() else { return error };
    match error.place() {
        None if header.len() == 1 => error
            .hint("is the delimiter another one, or is there a line before the header?")
            .about([Parameter::Delimiter]),
        Some(Place { row: None, column }) if last.is_empty() && column == Some(header.len()) => {
            error.hint("remove the delimiter at the end of each line, or name the column")
        }
        _ => error,
    }
}

/// Whether a name holds numbers between delimiters.
fn holds_cells(name: &str) -> bool {
    let cells = |by: char| {
        let cells = name.split(by).skip(1);
        cells.fold((0, 0), |(all, numbers), cell| {
            (all + 1, numbers + usize::from(parse_number(cell.as_bytes()).is_some()))
        })
    };
    [';', ',', '|'].into_iter().map(cells).any(|(all, numbers)| all > 1 && 2 * numbers >= all)
}

/// Whether a name could be a value of the target.
fn is_value(name: &str, cells: &CellFormat, labels: Option<&[String]>) -> bool {
    match labels {
        Some(labels) => labels.iter().any(|label| label.trim() == name.trim()),
        None => cells.number(name.as_bytes()).is_some(),
    }
}

/// The error for a first row that was taken for a header.
fn no_header(rule: &str, column: Option<usize>) -> Error {
    Error::input(rule)
        .at(None, column)
        .hint(
            "is the header missing? If these really are names, give the target by its name, or that names may be \
             numbers",
        )
        .about([Parameter::Target, Parameter::NumericNames])
}
