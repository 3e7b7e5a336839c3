//! What a header tells of a table, and whether it is one: a row of data that is taken for a header would be
//! printed.

use crate::data::file::FileTable;
use crate::data::samples::Opening;
use crate::data::schema::{Orientation, Schema};
use crate::data::targets::TargetTable;
use crate::error::{Error, Result};

/// What helps where the first row was taken for a header.
const NO_HEADER: &str = "is the header missing? If these really are names, say so: --numeric-names";

impl FileTable {
    /// The roles of the columns by a header that is none of the rows.
    pub(super) fn schema_of_columns(
        &self,
        header: &[String],
        targets: Option<&TargetTable>,
        labels: Option<&[String]>,
    ) -> Result<Schema> {
        let role = self.target_role(targets);
        let schema = Schema::of_columns(header.to_vec(), &role, self.id.as_deref(), &self.exclude)
            .map_err(|error| {
                // A name that is offered could be a value, if this is no header.
                let value = header.iter().any(|name| self.is_value(name, labels));
                if value && !self.numeric_names { error.without_hint() } else { error }
            })?;
        self.check_header_is_no_row(&schema, targets, labels)?;
        Ok(schema)
    }

    /// Whether a name could be a value of the target.
    fn is_value(&self, name: &str, labels: Option<&[String]>) -> bool {
        match labels {
            Some(labels) => labels.iter().any(|label| label.trim() == name.trim()),
            None => self.cells.number(name.as_bytes()).is_some(),
        }
    }

    /// Without a header the first row would be taken for one, and a person's values for names, which
    /// are printed. Refused if the target's name could be one of its values, or half of the features'
    /// names are numbers, unless the user says that names are numbers.
    pub(super) fn check_header_is_no_row(
        &self,
        schema: &Schema,
        targets: Option<&TargetTable>,
        labels: Option<&[String]>,
    ) -> Result<()> {
        if self.numeric_names {
            return Ok(());
        }
        let is_number = |name: &str| self.cells.number(name.as_bytes()).is_some();
        let is_value = |name: &str| self.is_value(name, labels);
        let refuse = |rule: &str, column: Option<usize>| {
            Err(Error::input(rule).at(None, column).hint(NO_HEADER))
        };
        if let Some(place) = schema.target()
            && is_value(schema.name(place))
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

    /// The features by the header alone: no sample is read.
    pub(super) fn header_of_text(&self, opening: &Opening<'_>) -> Result<Schema> {
        if self.lies() == Orientation::FeaturesAsRows {
            return Err(Error::request(
                "with features as rows the header does not tell their number",
            ));
        }
        let table = self.file().open()?;
        self.check_decimal(table.delimiter())?;
        self.schema_of_columns(table.header(), None, opening.labels)
    }

    /// Without a header the first target would be taken for one.
    pub(super) fn check_targets_have_header(
        &self,
        schema: &Schema,
        targets: Option<&TargetTable>,
        labels: Option<&[String]>,
    ) -> Result<()> {
        let Some(targets) = targets else { return Ok(()) };
        let id = schema.id().map(|place| schema.name(place));
        if targets.name().is_some_and(|name| self.is_value(name, labels))
            || id.is_some_and(|id| targets.has_id(id.as_bytes()))
        {
            let rule = "the table or the target file seems to have no header";
            return Err(Error::input(rule).at(None, None).hint(NO_HEADER));
        }
        Ok(())
    }
}
