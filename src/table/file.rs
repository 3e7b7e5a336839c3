//! A table in a file, from a reader or in record batches, with the given facts about it.

use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::{Error, Parameter, Result};
use crate::table::block_table::BlockTable;
use crate::table::event::TimeToEvent;
use crate::table::facts::TableFacts;
use crate::table::formats::Format;
#[cfg(feature = "batches")]
use crate::table::formats::arrow::{ArrowTable, BatchIterator, RecordBatches};
use crate::table::formats::text::file::{TextFile, reads_again};
use crate::table::hooks::Hooks;
use crate::table::managed::refuse_managed;
use crate::table::open_table::Identifiers;
use crate::table::schema::{Orientation, TargetColumn, TargetRole, target_of_rows};
use crate::table::targets::TargetTable;

/// A table in a file or from a reader, with the given facts about it: how it is written and the
/// roles of its columns. These facts must be public knowledge.
///
/// The format is recognized by the first bytes of the content or, for formats without such a
/// signature, by the file's name:
///
/// | format | names of features | target, if not given otherwise |
/// | --- | --- | --- |
/// | text: CSV, TSV or with another delimiter; plain, gzip or zstd | the header | the last column |
/// | `.npy`: a matrix of numbers | `feature-1` and so on | the last column |
/// | `.npz`: `X`, `x` or `data` | `feature_names`, `names` or `columns`; else as above | `y` or `target`; else the last column |
/// | R (`.rds`, `.RData`): a matrix, a data frame, or a list of `x` and `y` | the columns' | `y`; else the last column |
/// | `.gct`: features are rows | the column `Name` | none: it comes from a file, such as a `.cls` |
/// | Parquet, Arrow, Feather (feature `arrow`) | the columns' | the last column |
///
/// A cell of a feature is a number (booleans are 0 and 1, dates such as `2024-02-29` days since
/// 1970-01-01), a category, or missing: empty, NaN or infinite, or one of the texts `NA`, `N/A`,
/// `n/a`, `NaN`, `null`, `NULL`, `None`, `.` and `?`. The name of a label that is a number is its
/// shortest text: `1`, not `1.0`.
///
/// ```no_run
/// use dpsis::{Select, TargetColumn, FileTable};
///
/// let table = FileTable::new("visits.tsv.gz")
///     .target_column(TargetColumn::Named("age".into()))
///     .exclude(["visit", "billing_*"]);
/// let selection = Select::new(5).epsilon("2").run(&table)?;
/// # Ok::<(), dpsis::Error>(())
/// ```
///
/// Where no fact has to be given, the path itself is a table.
#[derive(Clone)]
pub struct FileTable {
    file: TextFile,
    pub(crate) facts: TableFacts,
    /// Whether there is no target: all columns except ids are features.
    no_target: bool,
    /// The record batches that are read instead of the file.
    #[cfg(feature = "batches")]
    batches: Option<RecordBatches>,
}

impl FileTable {
    /// The file at a path; `-` is standard input.
    ///
    /// A file is read once, or twice where the target is split at a private median. In that case
    /// the values of an input that can be read only once (a pipe, a reader) are held in memory, two
    /// bytes each.
    pub fn new(path: impl AsRef<Path>) -> Self {
        Self::of(TextFile::new(path.as_ref()))
    }

    /// A text table from a reader. A run or a dry run consumes the reader; a second one is refused,
    /// also of a clone.
    pub fn from_reader(reader: impl Read + Send + 'static) -> Self {
        Self::of(TextFile::of_reader(Box::new(reader)))
    }

    /// A text table that is read as often as needed: each call of `open` returns a reader of the
    /// same bytes from their start. Messages contain `name`, whose extension determines the
    /// delimiter as that of a file does.
    pub fn from_readers<R: Read + Send + 'static>(
        name: impl Into<PathBuf>,
        open: impl Fn() -> R + Send + Sync + 'static,
    ) -> Self {
        Self::of(TextFile::of_readers(name.into(), Arc::new(move || Box::new(open()))))
    }

    /// A table in Arrow's record batches, which all have this schema; they are read like an Arrow
    /// file.
    ///
    /// # Errors
    ///
    /// `Request` if a batch has other columns.
    #[cfg(feature = "batches")]
    #[cfg_attr(docsrs, doc(cfg(feature = "batches")))]
    pub fn from_batches(
        schema: arrow_schema::SchemaRef,
        batches: impl IntoIterator<Item = arrow_array::RecordBatch>,
    ) -> Result<Self> {
        RecordBatches::new(schema, batches.into_iter().collect()).map(Self::of_batches)
    }

    /// A table in Arrow's record batches of this schema, which are not held in memory: for each
    /// pass `open` returns them again, with only the columns at the given places, from 0,
    /// ascending. They must contain the same rows each time.
    #[cfg(feature = "batches")]
    #[cfg_attr(docsrs, doc(cfg(feature = "batches")))]
    pub fn from_passes(
        schema: arrow_schema::SchemaRef,
        open: impl Fn(&[usize]) -> Result<BatchIterator> + Send + Sync + 'static,
    ) -> Self {
        Self::of_batches(RecordBatches::opened(schema, Arc::new(open)))
    }

    #[cfg(feature = "batches")]
    fn of_batches(batches: RecordBatches) -> Self {
        let nothing = Self::of(TextFile::of_reader(Box::new(std::io::empty())));
        Self { batches: Some(batches), ..nothing }
    }

    /// Declares that the last column of the batches holds targets, outside the table, and whether
    /// these targets are numbers by their type although they are stored as text.
    #[cfg(feature = "batches")]
    #[doc(hidden)]
    pub fn with_appended_target(mut self, of_numbers: bool) -> Self {
        self.batches = self.batches.map(|batches| batches.with_appended_target(of_numbers));
        self
    }

    /// Declares that the last column of the batches, or the last but one if targets follow, holds
    /// the person identifier of each row. It is outside the table, unlike a column that
    /// [`unit`](Self::unit) names.
    #[cfg(feature = "batches")]
    #[doc(hidden)]
    pub fn with_appended_units(mut self) -> Self {
        self.batches = self.batches.map(RecordBatches::with_appended_units);
        self
    }

    /// The names of the formats that this build can read.
    pub fn formats() -> Vec<&'static str> {
        Format::READ.iter().map(|format| format.name()).collect()
    }

    fn of(file: TextFile) -> Self {
        Self {
            file,
            facts: TableFacts::default(),
            no_target: false,
            #[cfg(feature = "batches")]
            batches: None,
        }
    }

    /// Sets a callback for progress, which receives the share of the table that is read. It is for
    /// uses of the table without a request; a request has [its own](crate::Select::progress).
    pub fn progress(mut self, report: impl Fn(f64) + Send + Sync + 'static) -> Self {
        let hooks = Hooks { progress: Some(Arc::new(report)), ..Hooks::default() };
        self.file.hooks = hooks;
        self
    }

    /// The same table, read with these hooks.
    #[cfg(feature = "inspect")]
    pub(crate) fn with_hooks(mut self, hooks: Hooks) -> Self {
        self.file.hooks = hooks;
        self
    }

    /// The table.
    pub(crate) fn as_file(&self) -> Option<&Self> {
        Some(self)
    }

    /// A text with the name of the file and all given facts, or the columns of batches.
    pub(super) fn identity(&self) -> String {
        // Where features are rows, the names of columns identify samples, and may not be hashed.
        #[cfg(feature = "batches")]
        let columns = match self.facts.orientation {
            Some(Orientation::FeaturesAsRows) => None,
            _ => self.batches.as_ref().map(RecordBatches::identity),
        };
        #[cfg(not(feature = "batches"))]
        let columns = None::<String>;
        format!("{:?}", (self.file.name(), &self.facts, self.no_target, columns))
    }

    /// The hooks of a pass: the hooks of the request, or the table's own.
    pub(crate) fn hooks(&self, of_request: &Hooks) -> Hooks {
        let progress = of_request.progress.clone().or(self.file.hooks.progress.clone());
        Hooks { progress, ..of_request.clone() }
    }

    /// Sets all facts at once and replaces earlier ones.
    pub fn facts(mut self, facts: TableFacts) -> Self {
        self.facts = facts;
        self
    }

    /// Sets the column that holds the target; by default the last.
    pub fn target_column(mut self, column: TargetColumn) -> Self {
        self.facts.target = column;
        self
    }

    /// Sets a file with the targets. CSV `id,value` is joined to the id column (by default the
    /// table's own ids, otherwise the first column) by equality of text; a sample without an entry
    /// has a missing target. CSV with one column, a vector as `.npy` and a `.cls` are joined by the
    /// order of the samples and must hold one target per sample.
    pub fn target_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.facts.target_file = Some(path.into());
        self
    }

    /// Sets the column of ids, which is not a feature.
    pub fn id(mut self, name: impl Into<String>) -> Self {
        self.facts.id = Some(name.into());
        self
    }

    /// Sets the column of person identifiers, which is not a feature: a person, a donor, or
    /// another privacy unit. Cells are compared as text without surrounding blanks; a
    /// row with a missing one contributes nothing. A target file of ids and values holds one target
    /// for each of them.
    pub fn unit(mut self, name: impl Into<String>) -> Self {
        self.facts.unit = Some(name.into());
        self
    }

    /// Excludes columns (rows, where features are rows) from the features, by names or
    /// patterns; see [`TableFacts::exclude`].
    pub fn exclude<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.facts.exclude = names.into_iter().map(Into::into).collect();
        self
    }

    /// Declares that there is no target, for uses of the features alone.
    #[doc(hidden)]
    pub fn without_target(mut self) -> Self {
        self.no_target = true;
        self
    }

    /// Sets whether samples are rows or columns. By default samples are rows, except in `.gct`.
    /// Where features are rows, the header holds the sample ids, which are private; the delimiter
    /// is then not looked for in it, but has to be given or follow from the file's name (`.csv`,
    /// `.tsv`).
    pub fn orientation(mut self, orientation: Orientation) -> Self {
        self.facts.orientation = Some(orientation);
        self
    }

    /// Sets the delimiter of cells, an ASCII character. By default it is the most frequent of
    /// comma, tab and semicolon in the header.
    pub fn delimiter(mut self, delimiter: u8) -> Self {
        self.facts.delimiter = Some(delimiter);
        self
    }

    /// Gives the decimal sign: whether `3,5` means three and a half. By default it is a point; for
    /// a file in which semicolons separate cells it must be given.
    pub fn decimal_comma(mut self, decimal_comma: bool) -> Self {
        self.facts.decimal_comma = Some(decimal_comma);
        self
    }

    /// Adds texts that stand for a missing value, besides empty cells, `NA` and the like.
    pub fn missing<N: Into<String>>(mut self, codes: impl IntoIterator<Item = N>) -> Self {
        self.facts.missing = codes.into_iter().map(Into::into).collect();
        self
    }

    /// Allows names in the header to be numbers. Otherwise a header that looks like a row
    /// of data is refused, because names are printed.
    pub fn numeric_names(mut self, numeric_names: bool) -> Self {
        self.facts.numeric_names = numeric_names;
        self
    }

    /// Checks all that can be checked without the rows, and recognizes the format.
    pub(crate) fn check(&self, events: Option<&TimeToEvent>) -> Result<Format> {
        let format = self.format()?;
        self.check_unit(format)?;
        if let Some(events) = events {
            self.check_events(format, events)?;
        }
        if format == Format::Text {
            self.check_text(events.is_some())?;
        }
        Ok(format)
    }

    /// Recognizes the format; facts that do not fit it are refused, and so is a file that a table
    /// format manages.
    pub(crate) fn format(&self) -> Result<Format> {
        let format = match self.file.path() {
            _ if self.is_in_batches() => Format::Arrow,
            Some(path) => {
                let format = Format::of(path)?;
                if format == Format::Parquet || path.is_dir() {
                    refuse_managed(path)?;
                }
                format
            }
            None => Format::Text,
        };
        if format != Format::Text {
            self.check_binary(format)?;
        }
        Ok(format)
    }

    /// Refuses a pipe or a reader if identifiers need a separate pass.
    pub(super) fn check_identifiers(
        &self,
        identifiers: Identifiers,
        events: Option<&TimeToEvent>,
    ) -> Result<()> {
        if self.rows_repeat() || !self.facts.has_one_row_each(false) {
            return Ok(());
        }
        let joined = match self.facts.target_file.as_deref().filter(|path| reads_again(path)) {
            Some(path) => !TargetTable::read_header(path, &self.facts.cells(), events)?.in_order(),
            None => self.facts.target_file.is_some(),
        };
        identifiers.check(self.facts.has_one_row_each(joined), false)
    }

    fn check_unit(&self, format: Format) -> Result<()> {
        if self.facts.unit.is_none() {
            return Ok(());
        }
        let refuse = |rule: &str| Err(Error::request(rule).about([Parameter::Unit]));
        if self.facts.orientation == Some(Orientation::FeaturesAsRows) || format == Format::Gct {
            return refuse("person identifiers need a table with samples as rows");
        }
        if self.facts.id.is_some() && self.facts.target_file.is_some() {
            return refuse("targets are joined by the column of people: no other ids are given");
        }
        Ok(())
    }

    fn check_text(&self, has_events: bool) -> Result<()> {
        if self.facts.delimiter.is_some_and(|byte| !byte.is_ascii() || b"\"\r\n".contains(&byte)) {
            return Err(Error::request("the delimiter must be one ASCII character, not a quote"));
        }
        if self.given_orientation() == Orientation::SamplesAsRows {
            return Ok(());
        }
        if self.facts.id.is_some() {
            let rule = "with features as rows the header holds the ids: no column of ids is given";
            return Err(Error::request(rule).about([Parameter::Id]));
        }
        let named = matches!(self.facts.target, TargetColumn::Named(_));
        if !named && !has_events && self.facts.target_file.is_none() && !self.no_target {
            return Err(target_of_rows());
        }
        if self.facts.delimiter.or(self.file.delimiter_by_name()).is_none() {
            let rule = "with features as rows, give the delimiter: the header is private";
            return Err(Error::request(rule)
                .hint("give the delimiter, or name the file .csv or .tsv")
                .about([Parameter::Delimiter]));
        }
        Ok(())
    }

    /// Refuses facts that do not apply to a format other than text.
    fn check_binary(&self, format: Format) -> Result<()> {
        let of_text = [
            (self.facts.delimiter.is_some(), "a delimiter", Parameter::Delimiter),
            (self.facts.has_decimal_comma(), "a decimal comma", Parameter::DecimalComma),
            (self.facts.numeric_names, "a header of numbers", Parameter::NumericNames),
        ];
        let name = format.name();
        if let Some((_, fact, parameter)) = of_text.iter().find(|(given, ..)| *given) {
            let rule = format!("{fact} applies to text only, and the format here is {name}");
            return Err(Error::request(rule).about([*parameter]));
        }
        let one_way = match format {
            Format::Gct => Some(Orientation::FeaturesAsRows),
            Format::Arrow | Format::ArrowStream | Format::Parquet => {
                Some(Orientation::SamplesAsRows)
            }
            _ => None,
        };
        if self.facts.orientation.is_some_and(|given| one_way.is_some_and(|way| way != given)) {
            let rule = match format {
                Format::Gct => "a .gct file has features as rows: no other way".to_owned(),
                _ if self.is_in_batches() => {
                    "a table in memory has samples as rows: pass its transpose".to_owned()
                }
                _ => format!("{name} is read with samples as rows: no other way"),
            };
            return Err(Error::request(rule).about([Parameter::Orientation]));
        }
        let no_id = format == Format::Npy
            || format == Format::Npz
            || one_way.or(self.facts.orientation) == Some(Orientation::FeaturesAsRows);
        if self.facts.id.is_some() && no_id {
            let rule = "this table has no column of ids: none can be given";
            return Err(Error::request(rule).about([Parameter::Id]));
        }
        Ok(())
    }

    /// Whether the table is in record batches, which can be read any number of times.
    pub(super) fn is_in_batches(&self) -> bool {
        #[cfg(feature = "batches")]
        return self.batches.is_some();
        #[cfg(not(feature = "batches"))]
        false
    }

    /// Opens a table that is not text.
    ///
    /// # Errors
    ///
    /// `Request` if this build does not read the format; `Input` if the file is malformed.
    pub(crate) fn open_blocks(&self, format: Format) -> Result<Box<dyn BlockTable>> {
        #[cfg(feature = "batches")]
        if let Some(batches) = &self.batches {
            return Ok(Box::new(ArrowTable::of_batches(batches)));
        }
        let path =
            self.file.path().ok_or_else(|| Error::request("a reader can supply text only"))?;
        format.open(path, &self.facts)
    }

    /// The given orientation; by default, samples are rows.
    pub(super) fn given_orientation(&self) -> Orientation {
        self.facts.orientation.unwrap_or_default()
    }

    /// The input as a text table, ready to be opened.
    pub(crate) fn file(&self) -> TextFile {
        let by_name = || match self.given_orientation() {
            Orientation::SamplesAsRows => None,
            Orientation::FeaturesAsRows => self.file.delimiter_by_name(),
        };
        let mut file = self.file.clone();
        file.delimiter = self.facts.delimiter.or_else(by_name);
        file.decimal_comma = self.facts.has_decimal_comma();
        file.lines_are_features = self.given_orientation() == Orientation::FeaturesAsRows;
        file
    }

    /// Reads the target file, if there is one.
    pub(super) fn targets(&self, events: Option<&TimeToEvent>) -> Result<Option<TargetTable>> {
        let path = self.facts.target_file.as_deref().filter(|_| !self.no_target);
        path.map(|path| TargetTable::read(path, &self.facts.cells(), events)).transpose()
    }

    pub(super) fn target_role<'a>(
        &'a self,
        targets: Option<&TargetTable>,
        events: Option<&'a TimeToEvent>,
    ) -> TargetRole<'a> {
        match (&self.facts.target_file, targets, events) {
            _ if self.no_target => TargetRole::Apart,
            (Some(_), Some(targets), _) if targets.in_order() => TargetRole::Apart,
            (Some(_), _, _) => TargetRole::Elsewhere,
            (None, _, Some(events)) => TargetRole::Events(events),
            (None, _, None) => TargetRole::Here(&self.facts.target),
        }
    }

    /// Refuses facts that exclude a target of times and events.
    fn check_events(&self, format: Format, events: &TimeToEvent) -> Result<()> {
        let refuse = |rule: &str, hint: &str, about: [Parameter; 3]| {
            Err(Error::request(rule).hint(hint).about(about))
        };
        if self.facts.target != TargetColumn::Last {
            return refuse(
                "the target is made of times and events, or is a column: not both",
                "leave out the target's column, or the times, the events and the horizon",
                [Parameter::Target, Parameter::Time, Parameter::Event],
            );
        }
        if format == Format::Gct && self.facts.target_file.is_none() {
            return refuse(
                "a .gct file holds numbers of features: no times and events",
                "give them in a target file with the samples' ids, one line for each sample",
                [Parameter::TargetFile, Parameter::Time, Parameter::Event],
            );
        }
        let has_role = |name: &str| {
            [&self.facts.id, &self.facts.unit].into_iter().any(|id| id.as_deref() == Some(name))
        };
        if self.facts.target_file.is_none()
            && let Some((name, about)) = events.columns().into_iter().find(|one| has_role(one.0))
        {
            let rule =
                format!("the column {name:?} cannot be part of the target and an identifier");
            return refuse(
                &rule,
                "give another column for one of them",
                [about, Parameter::Id, Parameter::Unit],
            );
        }
        Ok(())
    }

    /// Refuses decimal commas where commas separate cells, and requires the decimal sign where
    /// semicolons do. Programs separate cells by semicolons if the comma is their decimal sign, and
    /// only the rows, which are private, show which sign the file has.
    pub(super) fn check_decimal(&self, delimiter: u8) -> Result<()> {
        if delimiter == b',' && self.facts.has_decimal_comma() {
            return Err(Error::request("decimal commas need cells that commas do not separate")
                .hint(
                    "give the delimiter if another one was found in the header; if cells with commas stand in \
                     quotes, save the table with semicolons between cells",
                )
                .about([Parameter::Delimiter]));
        }
        if delimiter == b';' && self.facts.decimal_comma.is_none() {
            let rule = "semicolons separate the cells: give the decimal sign of the numbers";
            return Err(Error::request(rule)
                .hint("a decimal comma if 3,5 is three and a half, a decimal point if 3.5 is")
                .about([Parameter::DecimalComma, Parameter::DecimalPoint]));
        }
        Ok(())
    }
}

impl fmt::Debug for FileTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let input = match self.is_in_batches() {
            true => "record batches".to_owned(),
            false => self.file.name(),
        };
        f.debug_struct("FileTable").field("input", &input).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_facts_are_refused_before_anything_is_read() {
        let table = || FileTable::new("not there");
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
            FileTable::from_reader(&b""[..])
                .orientation(Orientation::FeaturesAsRows)
                .target_file("t"),
        ] {
            assert_eq!(wrong.check(None).unwrap_err().kind(), crate::error::ErrorKind::Request);
        }
        for name in ["g.csv", "g.TSV", "g.tsv.gz", "g.csv.zst", "g.tab"] {
            let named = FileTable::new(name).orientation(Orientation::FeaturesAsRows);
            assert!(named.target_file("t").check(None).is_ok(), "{name}");
        }
    }

    /// A file and readers with its bytes give the same results: in passes over rows, with columns
    /// in parts, and with the delimiter of features as rows.
    #[test]
    fn readers_are_a_file() {
        let row = |i: usize| format!("{},{},{}\n", i * 37 % 101, i * i % 13, i * 37 % 101 / 3);
        let rows: String = (0..200).map(row).collect();
        let turned = "gene,p1,p2,p3\na,1,2,3\nb,3,1,2\ny,5,6,7\n".to_owned();
        let turned = turned.replace(',', "\t");
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [("rows.csv", format!("a,b,y\n{rows}")), ("turned.tsv", turned)] {
            let path = folder.path().join(name);
            std::fs::write(&path, &text).unwrap();
            let readers =
                FileTable::from_readers(&path, move || std::io::Cursor::new(text.clone()));
            let record = |table: FileTable| {
                let table = match name {
                    "turned.tsv" => table
                        .orientation(Orientation::FeaturesAsRows)
                        .target_column(TargetColumn::Named("y".into())),
                    _ => table,
                };
                let select = crate::Select::new(1).epsilon("4").column_memory(8).seed(7);
                serde_json::to_string(&select.run(&table).unwrap()).unwrap()
            };
            assert_eq!(record(readers.clone()), record(FileTable::new(&path)), "{name}");
            assert!(readers.repeats());
            std::fs::remove_file(&path).unwrap();
            record(readers);
        }
    }
}
