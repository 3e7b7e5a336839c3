//! A table of text: where it is and how it is written.

use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::data::number::CellFormat;
use crate::data::samples::{Opening, sealed};
use crate::data::schema::{Orientation, Schema, TargetColumn, TargetRole};
use crate::data::side::TargetTable;
use crate::data::table::TableFile;
use crate::data::text_samples::TextSamples;
use crate::error::{Error, Result};

/// A table of text (CSV, TSV or with another delimiter; plain, gzip or zstd): where it is, how it is
/// written and which columns are what. All of that is public knowledge, stated by the user.
///
/// ```no_run
/// use dpsis::{Select, TargetColumn, TextTable};
///
/// let table = TextTable::new("visits.tsv.gz")
///     .target_column(TargetColumn::Named("age".into()))
///     .exclude(["visit"]);
/// let selection = Select::new(5).epsilon("2".parse()?).run(&table)?;
/// # Ok::<(), dpsis::Error>(())
/// ```
///
/// Where nothing but the path is to be said, the path itself does.
#[derive(Clone)]
pub struct TextTable {
    file: TableFile,
    pub(super) orientation: Orientation,
    delimiter: Option<u8>,
    pub(super) format: CellFormat,
    pub(super) target: TargetColumn,
    pub(super) target_file: Option<PathBuf>,
    pub(super) id: Option<String>,
    pub(super) exclude: Vec<String>,
    numeric_names: bool,
}

impl TextTable {
    /// The file at a path; `-` is standard input.
    ///
    /// A file is read once, or twice where the target is split at a private median. Of what can be read
    /// only once (pipes, readers) the values are then held in memory, two bytes each.
    pub fn new(path: impl AsRef<Path>) -> Self {
        Self::of(TableFile::new(path.as_ref(), None))
    }

    /// What a reader gives: a run or a dry run takes it, and a second one is refused, of clones as well.
    pub fn from_reader(reader: impl Read + Send + 'static) -> Self {
        Self::of(TableFile::of_reader(Box::new(reader)))
    }

    fn of(file: TableFile) -> Self {
        Self {
            file,
            orientation: Orientation::default(),
            delimiter: None,
            format: CellFormat::default(),
            target: TargetColumn::default(),
            target_file: None,
            id: None,
            exclude: Vec::new(),
            numeric_names: false,
        }
    }

    /// Which column holds the target; by default the last.
    pub fn target_column(mut self, column: TargetColumn) -> Self {
        self.target = column;
        self
    }

    /// A CSV file `id,value` with the targets; joined by equality of text with the id column (by
    /// default the first). A sample without an entry has a missing target.
    pub fn target_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.target_file = Some(path.into());
        self
    }

    /// A column that is no feature: ids.
    pub fn id(mut self, name: impl Into<String>) -> Self {
        self.id = Some(name.into());
        self
    }

    /// Columns (rows, where features are rows) that are no features.
    pub fn exclude<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.exclude = names.into_iter().map(Into::into).collect();
        self
    }

    /// Which way the table lies. Where features are rows, the header holds the sample ids, which are
    /// private: then the delimiter is not found there, but stated or told by the file's name (`.csv`,
    /// `.tsv`).
    pub fn orientation(mut self, orientation: Orientation) -> Self {
        self.orientation = orientation;
        self
    }

    /// What separates cells: an ASCII character. By default the most frequent of comma, tab and
    /// semicolon in the header.
    pub fn delimiter(mut self, delimiter: u8) -> Self {
        self.delimiter = Some(delimiter);
        self
    }

    /// Whether `3,5` means three and a half.
    pub fn decimal_comma(mut self, decimal_comma: bool) -> Self {
        self.format.decimal_comma = decimal_comma;
        self
    }

    /// Texts that stand for a missing value, besides empty and unparseable cells.
    pub fn missing<N: Into<String>>(mut self, codes: impl IntoIterator<Item = N>) -> Self {
        self.format.missing = codes.into_iter().map(Into::into).collect();
        self
    }

    /// Says that the names in the header may be numbers. Otherwise a header that looks like a row of
    /// data is refused, for its names are printed.
    pub fn numeric_names(mut self, numeric_names: bool) -> Self {
        self.numeric_names = numeric_names;
        self
    }

    /// Everything that can be refused without a look at the file.
    pub(crate) fn check(&self) -> Result<()> {
        if self.delimiter.is_some_and(|byte| !byte.is_ascii() || b"\"\r\n".contains(&byte)) {
            return Err(Error::request("the delimiter must be one ASCII character, not a quote"));
        }
        if self.orientation == Orientation::SamplesAsRows {
            return Ok(());
        }
        if self.id.is_some() {
            return Err(Error::request("with features as rows the header holds the ids: no --id"));
        }
        let named = matches!(self.target, TargetColumn::Named(_));
        if !named && self.target_file.is_none() {
            return Err(Error::request(
                "with features as rows state the target: --target-file, or --target NAME of a row",
            ));
        }
        if self.delimiter.or(self.file.delimiter_by_name()).is_none() {
            let rule = "with features as rows state what separates cells: the header is private";
            return Err(Error::request(rule).hint("--delimiter, or a file name with .csv or .tsv"));
        }
        Ok(())
    }

    /// Where the file is, ready to be opened.
    pub(super) fn file(&self) -> TableFile {
        let by_name = || match self.orientation {
            Orientation::SamplesAsRows => None,
            Orientation::FeaturesAsRows => self.file.delimiter_by_name(),
        };
        self.file
            .clone()
            .with_delimiter(self.delimiter.or_else(by_name))
            .with_decimal_comma(self.format.decimal_comma)
    }

    pub(super) fn target_role(&self) -> TargetRole<'_> {
        match self.target_file {
            Some(_) => TargetRole::Elsewhere,
            None => TargetRole::Here(&self.target),
        }
    }

    /// A comma cannot both separate cells and stand in numbers.
    pub(super) fn check_decimal(&self, delimiter: u8) -> Result<()> {
        if delimiter == b',' && self.format.decimal_comma {
            return Err(Error::request("decimal commas need cells that commas do not separate")
                .hint("state --delimiter if it was not found in the header"));
        }
        Ok(())
    }

    /// The roles of the columns by a header that is none of the rows.
    pub(super) fn schema_of_columns(
        &self,
        header: &[String],
        targets: Option<&TargetTable>,
        labels: Option<&[String]>,
    ) -> Result<Schema> {
        let role = self.target_role();
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
            None => self.format.number(name.as_bytes()).is_some(),
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
        let is_number = |name: &str| self.format.number(name.as_bytes()).is_some();
        let is_value = |name: &str| self.is_value(name, labels);
        let refuse = |rule: &str, column: Option<usize>| {
            Err(Error::input(rule)
                .at(None, column)
                .hint("is the header missing? If these really are names, say so: --numeric-names"))
        };
        if let Some(place) = schema.target()
            && is_value(schema.name(place))
        {
            return refuse("the target's name looks like one of its values", Some(place + 1));
        }
        if let Some(targets) = targets {
            let id = schema.id().map(|place| schema.name(place));
            if is_value(targets.name())
                || id.is_some_and(|id| targets.find(id.as_bytes()).is_some())
            {
                return refuse("the table or the target file seems to have no header", None);
            }
        }
        let numbers = schema.feature_names().filter(|name| is_number(name)).count();
        if 2 * numbers >= schema.d() && numbers > 0 {
            return refuse("half of the features' names are numbers", None);
        }
        Ok(())
    }
}

impl fmt::Debug for TextTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TextTable").field("input", &self.file.name()).finish_non_exhaustive()
    }
}

#[allow(private_interfaces, reason = "sealed: nobody outside can call it")]
impl sealed::Open for TextTable {
    type Table<'s> = TextSamples;

    fn open(&self, opening: &Opening<'_>) -> Result<TextSamples> {
        self.check()?;
        TextSamples::open(self, opening)
    }

    fn header(&self, opening: &Opening<'_>) -> Result<Schema> {
        self.check()?;
        if self.orientation == Orientation::FeaturesAsRows {
            return Err(Error::request(
                "with features as rows the header does not tell their number",
            ));
        }
        let table = self.file().open()?;
        self.check_decimal(table.delimiter())?;
        self.schema_of_columns(table.header(), None, opening.labels)
    }
}

/// A path stands for the table of text there, with its target in the last column.
macro_rules! path_is_a_table {
    ($($path:ty),*) => {$(
        #[allow(private_interfaces, reason = "sealed: nobody outside can call it")]
        impl sealed::Open for $path {
            type Table<'s> = TextSamples;

            fn open(&self, opening: &Opening<'_>) -> Result<TextSamples> {
                TextTable::new(self).open(opening)
            }

            fn header(&self, opening: &Opening<'_>) -> Result<Schema> {
                TextTable::new(self).header(opening)
            }
        }
    )*};
}

path_is_a_table!(str, String, Path, PathBuf);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_facts_are_refused_before_anything_is_read() {
        let table = || TextTable::new("not there");
        for wrong in [
            table().delimiter(b'"'),
            table().delimiter(200),
            table().delimiter(b',').orientation(Orientation::FeaturesAsRows),
            table()
                .delimiter(b',')
                .orientation(Orientation::FeaturesAsRows)
                .target_file("t")
                .id("x"),
            table().orientation(Orientation::FeaturesAsRows).target_file("t"),
            TextTable::from_reader(&b""[..])
                .orientation(Orientation::FeaturesAsRows)
                .target_file("t"),
        ] {
            assert_eq!(wrong.check().unwrap_err().kind(), crate::error::ErrorKind::Request);
        }
        for name in ["g.csv", "g.TSV", "g.tsv.gz", "g.csv.zst", "g.tab"] {
            let named = TextTable::new(name).orientation(Orientation::FeaturesAsRows);
            assert!(named.target_file("t").check().is_ok(), "{name}");
        }
    }
}
