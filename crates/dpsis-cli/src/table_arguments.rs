//! Arguments on a table: its location, its format and the roles of its columns.

use std::ops::Deref;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use crate::files::read_text;
use crate::progress::progress;
use crate::schema_file::{SchemaFile, read_schema};
use crate::values::{parse_delimiter, parse_record, with_values};
use dpsis::{Error, FileTable, FileTables, Orientation, Result, TableFacts, TargetColumn};

/// The table: where it is, how it is written, which columns are what.
#[derive(Debug, Args)]
pub(super) struct TableArguments {
    /// The table; - is standard input
    ///
    /// CSV or TSV, plain, .gz or .zst; .npy, .npz, .gct, .rds, .RData; .parquet, .arrow,
    /// .feather; - is standard input, text
    #[arg(display_order = 0, help_heading = "Table")]
    pub(super) file: PathBuf,

    #[command(flatten)]
    pub(super) options: TableOptions,
}

impl Deref for TableArguments {
    type Target = TableOptions;

    fn deref(&self) -> &TableOptions {
        &self.options
    }
}

/// How a table is written, and which columns are what.
#[derive(Debug, Args)]
pub(super) struct TableOptions {
    /// A column of identifiers, left out
    ///
    /// [default: the first if it has no name, or to join --target-file by id; none in tables of R]
    #[arg(long, value_name = "NAME", help_heading = "Table")]
    pub(super) id: Option<String>,

    /// The column of person identifiers, if a person may have several rows
    ///
    /// All rows of a person are protected together. Rows without an identifier are not used. A
    /// run reads the table twice, so it cannot be a pipe
    #[arg(long, value_name = "NAME", hide_short_help = true, help_heading = "Table")]
    pub(super) unit: Option<String>,

    /// Columns that are not features: names, 'lab_*', @FILE
    ///
    /// Names or patterns with commas between them: * stands for any run of characters, ? for one.
    /// @FILE: a file with one name or pattern per line. May be given several times
    #[arg(long, value_name = "A,B,...", help_heading = "Table")]
    pub(super) exclude: Vec<String>,

    /// samples-as-rows [default] or features-as-rows
    #[arg(
        long,
        value_enum,
        value_name = "WAY",
        hide_possible_values = true,
        long_help = with_values::<Orient>(
            "Whether samples are rows or columns [default: samples-as-rows, except in .gct]"
        ),
        help_heading = "Table"
    )]
    pub(super) orient: Option<Orient>,

    /// Text: the delimiter, one character or tab [default: found in the header]
    #[arg(long, value_name = "CHAR", hide_short_help = true, help_heading = "Table")]
    pub(super) delimiter: Option<String>,

    /// Text: 3,5 means three and a half
    #[arg(long, hide_short_help = true, help_heading = "Table")]
    pub(super) decimal_comma: bool,

    /// Text: 3.5 means three and a half; needed where semicolons separate cells
    #[arg(long, hide_short_help = true, conflicts_with = "decimal_comma", help_heading = "Table")]
    pub(super) decimal_point: bool,

    /// Codes for missing values, besides empty cells and NA
    #[arg(
        long,
        value_name = "A,B,...",
        allow_hyphen_values = true,
        hide_short_help = true,
        help_heading = "Table"
    )]
    pub(super) na: Option<String>,

    /// Text: names in the header may be numbers; otherwise a header that looks like data is refused
    #[arg(long, hide_short_help = true, help_heading = "Table")]
    pub(super) numeric_names: bool,

    /// Public facts from a file that `dpsis inspect --write-schema` made; options override it
    #[arg(long, value_name = "FILE", hide_short_help = true, help_heading = "Table")]
    pub(super) schema: Option<PathBuf>,

    /// The target's column by name [default: the last]
    #[arg(long, value_name = "NAME", help_heading = "Target")]
    pub(super) target: Option<String>,

    /// Targets from a file, joined by ids or by order
    ///
    /// CSV id,value, joined by the ids; or CSV with one column, .npy or .cls, joined by the order
    /// of the samples
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["target", "target_index"],
        help_heading = "Target"
    )]
    pub(super) target_file: Option<PathBuf>,

    /// The target's column by place, counted from 1
    #[arg(
        long,
        value_name = "N",
        conflicts_with = "target",
        hide_short_help = true,
        help_heading = "Target"
    )]
    pub(super) target_index: Option<usize>,
}

/// The orientation of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Orient {
    /// One row per person
    SamplesAsRows,
    /// One column per person, as in genomics
    FeaturesAsRows,
}

impl Orient {
    fn orientation(self) -> Orientation {
        match self {
            Self::SamplesAsRows => Orientation::SamplesAsRows,
            Self::FeaturesAsRows => Orientation::FeaturesAsRows,
        }
    }
}

impl TableArguments {
    /// The table with the given table options, which override the schema. Reading it shows
    /// progress.
    pub(super) fn table(&self, schema: &SchemaFile) -> Result<FileTable> {
        let table = self.options.table(&self.file, schema)?;
        Ok(match progress() {
            Some(report) => table.progress(report),
            None => table,
        })
    }
}

impl TableOptions {
    /// The schema file, if one is given, with its hash.
    pub(super) fn schema(&self) -> Result<(SchemaFile, Option<String>)> {
        match &self.schema {
            None => Ok((SchemaFile::default(), None)),
            Some(path) => read_schema(path).map(|(schema, hash)| (schema, Some(hash))),
        }
    }

    /// Whether the options give the target: then the target of a schema does not apply.
    pub(super) fn states_target(&self) -> bool {
        self.target.is_some() || self.target_index.is_some() || self.target_file.is_some()
    }

    /// The files that list excluded columns.
    pub(super) fn exclude_files(&self) -> impl Iterator<Item = &Path> {
        self.exclude.iter().filter_map(|given| file_of(given))
    }

    /// The table in `file` with the given table options, which override the schema.
    pub(super) fn table(&self, file: &Path, schema: &SchemaFile) -> Result<FileTable> {
        Ok(FileTable::new(file).facts(self.facts(&schema.facts)?))
    }

    /// Like [`table`](Self::table), for files that each contain some rows.
    pub(super) fn tables(&self, files: &[PathBuf], schema: &SchemaFile) -> Result<FileTables> {
        let tables: Result<Vec<_>> = files.iter().map(|file| self.table(file, schema)).collect();
        FileTables::new(tables?)
    }

    /// The table options, completed by the schema.
    ///
    /// # Errors
    ///
    /// `Request` for an option with an invalid value, or for a target file if the schema has a
    /// target.
    pub(super) fn facts(&self, schema: &TableFacts) -> Result<TableFacts> {
        if self.target_file.is_some() && schema.target != TargetColumn::Last {
            return Err(Error::request("the schema gives a target in the table: no --target-file"));
        }
        let mut facts = schema.clone();
        if self.states_target() {
            facts.target_file.clone_from(&self.target_file);
        }
        match (self.target_index, &self.target) {
            (Some(place), _) => facts.target = TargetColumn::At(place),
            (None, Some(name)) => facts.target = TargetColumn::Named(name.clone()),
            (None, None) => {}
        }
        facts.id = self.id.clone().or(facts.id);
        facts.unit = self.unit.clone().or(facts.unit);
        if !self.exclude.is_empty() {
            let lists = self.exclude.iter().map(|names| parse_names(names));
            facts.exclude = lists.collect::<Result<Vec<_>>>()?.concat();
        }
        facts.orientation = self.orient.map(Orient::orientation).or(facts.orientation);
        if let Some(delimiter) = &self.delimiter {
            facts.delimiter = Some(parse_delimiter(delimiter)?);
        }
        if self.decimal_comma || self.decimal_point {
            facts.decimal_comma = Some(self.decimal_comma);
        }
        if let Some(codes) = &self.na {
            facts.missing = parse_record(codes)?;
        }
        facts.numeric_names |= self.numeric_names;
        Ok(facts)
    }
}

/// The file in `@FILE`.
pub(super) fn file_of(names: &str) -> Option<&Path> {
    names.strip_prefix('@').map(Path::new)
}

/// The names in `A,B,...` or in a file `@FILE`.
///
/// # Errors
///
/// As for [`parse_record`] and [`read_names`].
pub(super) fn parse_names(names: &str) -> Result<Vec<String>> {
    match file_of(names) {
        Some(file) => read_names(file),
        None => parse_record(names),
    }
}

/// Names or patterns from a file, one per line; blank lines are skipped. A name may be in double
/// quotes.
///
/// # Errors
///
/// As for reading the file; `Request` if it is a table, whose cells would be taken for names.
fn read_names(path: &Path) -> Result<Vec<String>> {
    let text = read_text(path)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let name = |line: &str| {
        let quoted = line.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        quoted
            .filter(|name| !name.replace("\"\"", "").contains('"'))
            .map(|name| name.replace("\"\"", "\""))
    };
    let cells = |delimiter: char| {
        let mut counts = lines
            .iter()
            .filter(|line| name(line).is_none())
            .map(|line| line.matches(delimiter).count());
        counts.next().is_some_and(|first| first > 0 && counts.all(|count| count == first))
    };
    if [',', ';', '\t'].into_iter().any(cells) {
        let rule = format!("{} is a table: a list of names has one column", path.display());
        return Err(Error::request(rule)
            .hint("one name on each line; where all hold a comma, write them in double quotes"));
    }
    Ok(lines.into_iter().map(|line| name(line).unwrap_or_else(|| line.to_owned())).collect())
}
