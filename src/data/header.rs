//! The roles of columns by a header, and checks that it is a header: a row of data taken for one would
//! be printed.

use crate::data::file::FileTable;
use crate::data::number::CellFormat;
use crate::data::samples::Opening;
use crate::data::schema::{Orientation, Schema};
use crate::data::targets::TargetTable;
use crate::error::{Error, Parameter, Result};

impl FileTable {
    /// Assigns the roles of the columns by the header; a header that looks like a row is refused.
    pub(super) fn schema_of_columns(
        &self,
        header: &[String],
        targets: Option<&TargetTable>,
        labels: Option<&[String]>,
    ) -> Result<Schema> {
        let role = self.target_role(targets);
        let schema = Schema::of_columns(
            header.to_vec(),
            &role,
            self.facts.id.as_deref(),
            &self.facts.exclude,
        )
        .map_err(|error| {
            // The hint offers names, which are values if this is no header.
            let cells = self.facts.cells();
            let value = header.iter().any(|name| is_value(name, &cells, labels));
            if value && !self.facts.numeric_names { error.without_hint() } else { error }
        })?;
        self.check_header_is_no_row(&schema, targets, labels)?;
        Ok(schema)
    }

    /// Refuses a header that looks like a row: then a person's values would be taken for names, which
    /// are printed. It looks like one if the target's name could be one of its values, or if half of
    /// the features' names are numbers; unless it is stated that names may be numbers.
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
        if let Some(place) = schema.target()
            && is_value(schema.name(place), &cells, labels)
        {
            return refuse("the target's name looks like one of its values", Some(place + 1));
        }
        self.check_targets_have_header(schema, targets, labels)?;
        let numbers = schema.feature_names().filter(|name| is_number(name)).count();
        if 2 * numbers >= schema.d() && numbers > 0 {
            return refuse("half of the features' names are numbers", None);
        }
        Ok(())
    }

    /// Assigns the roles of the columns by the header alone; no sample is read.
    pub(super) fn header_of_text(&self, opening: &Opening<'_>) -> Result<Schema> {
        if self.stated_orientation() == Orientation::FeaturesAsRows {
            return Err(Error::request(
                "with features as rows the header does not tell their number",
            ));
        }
        let table = self.file().open()?;
        self.check_decimal(table.delimiter())?;
        self.schema_of_columns(table.header(), None, opening.labels)
    }

    /// Refuses a target file without a header, whose first target would be taken for one.
    pub(super) fn check_targets_have_header(
        &self,
        schema: &Schema,
        targets: Option<&TargetTable>,
        labels: Option<&[String]>,
    ) -> Result<()> {
        let Some(targets) = targets else { return Ok(()) };
        let id = schema.id().map(|place| schema.name(place));
        if targets.name().is_some_and(|name| is_value(name, &self.facts.cells(), labels))
            || id.is_some_and(|id| targets.has_id(id.as_bytes()))
        {
            return Err(no_header("the table or the target file seems to have no header", None));
        }
        Ok(())
    }
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
        .hint("is the header missing? If these really are names, state that names may be numbers")
        .about([Parameter::NumericNames])
}
