//! The arguments, and the request they make.

use std::ops::Deref;
use std::path::{Path, PathBuf};

use crate::bounds::BoundsArguments;
use crate::choose_arguments::ChooseArguments;
use crate::compare::CompareArguments;
use crate::datasets::DatasetsArguments;
use crate::mechanism_arguments::MechanismArguments;
use crate::progress::progress;
use crate::reproduce::ReproduceArguments;
use crate::schema_file::{SchemaFile, read_schema};
use crate::values::{parse_bounds, parse_center, parse_delimiter, parse_record, parse_split};
use clap::{Args, Parser, Subcommand, ValueEnum};
use dpsis::{Bounds, FileTable, Orientation, Scaling, TargetColumn};
use dpsis::{Epsilon, Neighbors};
use dpsis::{Error, Result};
use dpsis::{Method, TwoStage};
use dpsis::{NotPrivateSelect, ScoreKind, Select, Target};

/// Differentially private feature selection.
///
/// Chooses k features of a sensitive table so that what it prints tells almost nothing about any
/// single row: pure epsilon-differential privacy, with nothing outside the budget.
#[derive(Debug, Parser)]
#[command(name = "dpsis", version)]
pub(super) struct Arguments {
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    Select(Box<SelectArguments>),
    Choose(Box<ChooseArguments>),
    Inspect(Box<InspectArguments>),
    Compare(Box<CompareArguments>),
    Reproduce(ReproduceArguments),
    Bounds(Box<BoundsArguments>),
    Datasets(DatasetsArguments),
    /// Print completions for a shell
    Completions {
        /// The shell
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man,
}

/// Print the names of k features, chosen privately.
///
/// The file is a table, one row a person, one column a feature, the target in the last column: text with
/// a header (CSV, TSV; plain, .gz or .zst), .npy, .npz, .gct, R's .rds and .RData, Parquet and Arrow (a build
/// with feature arrow). The names go to stdout, a report to stderr.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct SelectArguments {
    #[command(flatten)]
    table: TableArguments,

    /// How many features to select
    #[arg(short, long)]
    k: usize,

    #[command(flatten)]
    budget: BudgetArgument,

    /// How features are found
    #[arg(long, value_enum, default_value_t = MethodId::DpSis, help_heading = "Method")]
    method: MethodId,

    /// two-stage: the number of blocks, if it is public [default: the root of a private count of rows]
    #[arg(long, value_name = "N", help_heading = "Method")]
    blocks: Option<u64>,

    /// two-stage: the penalty of the LASSO, for values in [-1, 1] [default: 0.1]
    #[arg(long, value_name = "LAMBDA", allow_hyphen_values = true, help_heading = "Method")]
    penalty: Option<f64>,

    /// How features are scored [default: correlation if bounds, scale or center are stated or there
    /// are 200 features or more, else kendall]
    #[arg(long, value_enum, help_heading = "Features")]
    score: Option<Score>,

    /// Clip every feature to this range, known from public sources
    #[arg(long, value_name = "LO,HI", allow_hyphen_values = true, help_heading = "Features")]
    bounds: Option<String>,

    /// Clip features to ranges from a CSV file feature,lo,hi (a row with * stands for all others)
    #[arg(long, value_name = "FILE", conflicts_with = "bounds", help_heading = "Features")]
    bounds_file: Option<PathBuf>,

    /// How features are made comparable [default: bounds if stated, else row-rank]
    #[arg(long, value_enum, help_heading = "Features")]
    scale: Option<Scale>,

    /// Center and scale by the data as the DP-SIS paper does: needs --not-private
    #[arg(long, value_enum, requires = "not_private", help_heading = "Features")]
    preprocess: Option<Preprocess>,

    /// I know that the output is not private
    #[arg(long, requires = "preprocess", help_heading = "Features")]
    not_private: bool,

    /// The target is a number in this range, known from public sources
    #[arg(long, value_name = "LO,HI", allow_hyphen_values = true, help_heading = "Target")]
    target_bounds: Option<String>,

    /// The target is one of these labels
    #[arg(
        long,
        value_name = "A,B[,C...]",
        conflicts_with = "target_bounds",
        help_heading = "Target"
    )]
    classes: Option<String>,

    /// The target's center: private, none, or its publicly known value: a mean, the share of the
    /// second of two classes, or A=0.3,B=0.5,C=0.2
    #[arg(
        long,
        value_name = "private|none|VALUE",
        default_value = "private",
        allow_hyphen_values = true,
        help_heading = "Target"
    )]
    center: String,

    /// What neighboring tables differ by
    #[arg(long, value_enum, default_value_t = Relation::AddRemove, help_heading = "Privacy")]
    neighbors: Relation,

    /// Shares of the budget for the target's center (two-stage: the count of rows) and median, where they
    /// are drawn; the selection gets the rest [default: center=0.05,target=0.10]
    #[arg(long, value_name = "center=C,target=T", help_heading = "Privacy")]
    split: Option<String>,

    #[command(flatten)]
    mechanism: MechanismArguments,

    #[command(flatten)]
    pub(super) output: OutputArguments,

    /// No progress on the terminal
    #[arg(long, help_heading = "Output")]
    no_progress: bool,

    /// Say what would be spent on what, from the header alone; draw nothing
    #[arg(long, help_heading = "Running")]
    pub(super) dry_run: bool,

    /// Draw from a stated seed: for tests; the output is then not for release
    #[arg(long, value_name = "N", help_heading = "Running")]
    seed: Option<u64>,

    /// Threads that work on rows [default: all cores]; the result does not depend on it
    #[arg(long, value_name = "N", help_heading = "Running")]
    threads: Option<usize>,
}

/// What a release may spend.
#[derive(Debug, Args)]
pub(super) struct BudgetArgument {
    /// The privacy budget: 2, 0.5, 1e-3 or 1/3
    #[arg(
        short,
        long = "eps",
        visible_alias = "epsilon",
        value_name = "EPSILON",
        allow_hyphen_values = true
    )]
    pub(super) eps: Epsilon,
}

/// Where the output goes, and in which form.
#[derive(Debug, Args)]
pub(super) struct OutputArguments {
    /// The form of the output
    #[arg(long, value_enum, default_value_t = Format::Text, help_heading = "Output")]
    pub(super) format: Format,

    /// Write what stdout would receive to this file, whole or not at all
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub(super) output: Option<PathBuf>,

    /// No report (that an output is not private or seeded is always said)
    #[arg(short, long, help_heading = "Output")]
    pub(super) quiet: bool,
}

/// Where the table is and how it is written.
#[derive(Debug, Args)]
pub(super) struct TableArguments {
    /// The table: CSV or TSV, plain, .gz or .zst; .npy, .npz, .gct, .rds, .RData, .parquet, .arrow, .feather;
    /// - is standard input, text
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

/// How tables are written, and which columns are what.
#[derive(Debug, Args)]
pub(super) struct TableOptions {
    /// The target's column by name [default: the last]
    #[arg(long, value_name = "NAME", help_heading = "Table")]
    pub(super) target: Option<String>,

    /// The target's column by place, counted from 1
    #[arg(long, value_name = "N", conflicts_with = "target", help_heading = "Table")]
    pub(super) target_index: Option<usize>,

    /// Targets from a file: CSV id,value, joined by the ids; or CSV with one column, .npy or .cls, joined by
    /// the order of the samples
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["target", "target_index"],
        help_heading = "Table"
    )]
    pub(super) target_file: Option<PathBuf>,

    /// A column of ids, to leave out [default: the first if it has no name, or to join --target-file by id
    /// to a table without row names]
    #[arg(long, value_name = "NAME", help_heading = "Table")]
    pub(super) id: Option<String>,

    /// Columns that are no features, to leave out
    #[arg(long, value_name = "A,B,...", help_heading = "Table")]
    pub(super) exclude: Option<String>,

    /// Which way the table lies [default: samples-as-rows, but in .gct]
    #[arg(long, value_enum, value_name = "WAY", help_heading = "Table")]
    pub(super) orient: Option<Orient>,

    /// Text: what separates cells, one character or tab [default: found in the header]
    #[arg(long, value_name = "CHAR", help_heading = "Table")]
    pub(super) delimiter: Option<String>,

    /// Text: 3,5 means three and a half
    #[arg(long, help_heading = "Table")]
    pub(super) decimal_comma: bool,

    /// Texts that stand for a missing value, besides empty and unparseable cells
    #[arg(long, value_name = "A,B,...", allow_hyphen_values = true, help_heading = "Table")]
    pub(super) na: Option<String>,

    /// Text: the names in the header may be numbers; without this a header that looks like data is refused
    #[arg(long, help_heading = "Table")]
    pub(super) numeric_names: bool,

    /// Public facts from a file that `dpsis inspect --write-schema` made; options override it
    #[arg(long, value_name = "FILE", help_heading = "Table")]
    pub(super) schema: Option<PathBuf>,
}

/// Look at a table before a release: for the data holder's eyes only.
///
/// Says what the file holds, what is odd in it, which way it lies and which command to use. It reads
/// the data without privacy: nothing of its output may be passed on.
#[derive(Debug, Args)]
pub(super) struct InspectArguments {
    #[command(flatten)]
    pub(super) table: TableArguments,

    /// Write the facts it found to a schema file, for you to check and use with `select --schema`
    #[arg(long, value_name = "FILE")]
    pub(super) write_schema: Option<PathBuf>,
}

const AFTER_HELP: &str = "\
Examples:
  dpsis select --k 5 --eps 2 data.csv
  dpsis select --k 5 --eps 2 --bounds 0,1 --classes control,case methylation.csv.gz
  dpsis select --k 10 --eps 1 --target age --target-bounds 18,90 --id patient data.csv
  dpsis select --k 5 --eps 2 --classes no,yes --orient features-as-rows --target-file y.csv genes.tsv
  dpsis select --k 5 --eps 2 --classes no,yes --target-file status.cls genes.gct
  dpsis select --k 5 --eps 2 --classes no,yes --target-file y.npy x.npy

Exit codes: 0 released; 2 wrong request; 3 malformed input; 5 reading or writing failed.";
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MethodId {
    /// Each feature scored by itself, the best chosen privately
    DpSis,
    /// The LASSO on blocks of rows, which vote
    TwoStage,
    /// One by one by Kendall's correlation, less what is shared with earlier picks
    #[value(name = "dpkendall")]
    DpKendall,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Score {
    /// Correlation of scaled values with the target
    Correlation,
    /// Kendall's rank correlation, column by column: for columns in different units
    Kendall,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Scale {
    /// Clip to --bounds or --bounds-file
    Bounds,
    /// Ranks within each row
    RowRank,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Preprocess {
    /// Columns and target centered and divided by their largest magnitude
    Paper,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Relation {
    /// One row more or less: the number of rows is private
    AddRemove,
    /// One row replaced by another: the number of rows is public
    ReplaceOne,
}

impl Relation {
    pub(super) fn neighbors(self) -> Neighbors {
        match self {
            Self::AddRemove => Neighbors::AddRemove,
            Self::ReplaceOne => Neighbors::ReplaceOne,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Orient {
    /// One row a person
    SamplesAsRows,
    /// One column a person, as in genomics
    FeaturesAsRows,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// Names on stdout, a report on stderr
    Text,
    /// One JSON document on stdout
    Json,
    /// Names and columns on stdout, tab-separated
    Tsv,
    /// The record as a self-contained page on stdout
    Html,
}

impl TableArguments {
    /// The table with the facts stated of it; options go before the schema.
    pub(super) fn table(&self, schema: &SchemaFile) -> Result<FileTable> {
        self.options.table(&self.file, schema)
    }
}

impl TableOptions {
    /// The schema file, if one is stated, with its hash.
    pub(super) fn schema(&self) -> Result<(SchemaFile, Option<String>)> {
        match &self.schema {
            None => Ok((SchemaFile::default(), None)),
            Some(path) => read_schema(path).map(|(schema, hash)| (schema, Some(hash))),
        }
    }

    /// Whether the command line says where the target is: then a schema's facts about its target are
    /// about another one.
    fn states_target(&self) -> bool {
        self.target.is_some() || self.target_index.is_some() || self.target_file.is_some()
    }

    pub(super) fn delimiter_byte(&self, schema: &SchemaFile) -> Result<Option<u8>> {
        let stated = self.delimiter.as_deref().or(schema.delimiter.as_deref());
        stated.map(parse_delimiter).transpose()
    }

    pub(super) fn excluded(&self) -> Result<Vec<String>> {
        self.exclude.as_deref().map_or(Ok(Vec::new()), parse_record)
    }

    pub(super) fn missing(&self) -> Result<Vec<String>> {
        self.na.as_deref().map_or(Ok(Vec::new()), parse_record)
    }

    /// The table with the facts stated of it; options go before the schema.
    pub(super) fn table(&self, file: &Path, schema: &SchemaFile) -> Result<FileTable> {
        if self.target_file.is_some() && schema.target.is_some() {
            return Err(Error::request(
                "the schema states a target in the table: no --target-file",
            ));
        }
        let stated = self.states_target();
        let target_file =
            self.target_file.as_ref().or(schema.target_file.as_ref().filter(|_| !stated));
        let target = self.target.as_ref().or(schema.target.as_ref());
        let mut table = FileTable::new(file).target_column(match (self.target_index, target) {
            (Some(place), _) => TargetColumn::At(place),
            (_, Some(name)) => TargetColumn::Named(name.clone()),
            _ => TargetColumn::Last,
        });
        if let Some(path) = target_file {
            table = table.target_file(path);
        }
        if let Some(id) = self.id.as_ref().or(schema.id.as_ref()) {
            table = table.id(id);
        }
        table = table.exclude(match &self.exclude {
            Some(names) => parse_record(names)?,
            None => schema.exclude.clone(),
        });
        match (self.orient, schema.features_as_rows) {
            (Some(Orient::FeaturesAsRows), _) | (None, true) => {
                table = table.orientation(Orientation::FeaturesAsRows);
            }
            (Some(Orient::SamplesAsRows), _) => {
                table = table.orientation(Orientation::SamplesAsRows);
            }
            (None, false) => {}
        }
        if let Some(delimiter) = self.delimiter_byte(schema)? {
            table = table.delimiter(delimiter);
        }
        table = table
            .decimal_comma(self.decimal_comma || schema.decimal_comma)
            .numeric_names(self.numeric_names);
        table = table.missing(match &self.na {
            Some(codes) => parse_record(codes)?,
            None => schema.missing.clone(),
        });
        Ok(table)
    }
}

/// What is asked for on the command line.
pub(super) struct Job {
    pub(super) table: FileTable,
    pub(super) select: Select,
    seed: Option<u64>,
    paper: bool,
}

impl Job {
    /// The request, where its result is not private.
    pub(super) fn not_private(&self) -> Option<NotPrivateSelect> {
        let select = || self.select.clone();
        match (self.seed, self.paper) {
            (None, false) => None,
            (Some(seed), false) => Some(select().seed(seed)),
            (None, true) => Some(select().paper_preprocessing()),
            (Some(seed), true) => Some(select().seed(seed).paper_preprocessing()),
        }
    }
}

impl SelectArguments {
    /// All files that are read.
    pub(super) fn inputs(&self) -> Vec<&Path> {
        let table = &self.table;
        let beside = [&table.target_file, &table.schema, &self.bounds_file];
        let beside = beside.into_iter().filter_map(|path| path.as_deref());
        std::iter::once(table.file.as_path()).chain(beside).collect()
    }

    /// What is asked for, with everything checked that can be checked without the table.
    pub(super) fn job(&self) -> Result<Job> {
        if self.inputs().iter().filter(|path| **path == Path::new("-")).count() > 1 {
            return Err(Error::request("only one file can be standard input"));
        }
        let (mut schema, hash) = self.table.schema()?;
        if self.table.states_target() {
            (schema.classes, schema.target_bounds) = (None, None);
        }
        let neighbors = self.neighbors.neighbors();
        let mut select = Select::new(self.k)
            .epsilon(self.budget.eps.clone())
            .target(self.target(&schema)?)
            .center(parse_center(&self.center)?)
            .neighbors(neighbors);
        if let Some(hash) = hash {
            select = select.schema_hash(hash);
        }
        if let Some(score) = self.score {
            select = select.score(match score {
                Score::Correlation => ScoreKind::Correlation,
                Score::Kendall => ScoreKind::Kendall,
            });
        }
        select = self.scale(select, &schema)?;
        if let Some(split) = &self.split {
            let (target, center) = parse_split(split)?;
            select = select.shares(&target, &center);
        }
        select = self.method(select)?;
        if let Some(threads) = self.threads {
            select = select.threads(threads);
        }
        if self.shows_progress()
            && let Some(report) = progress()
        {
            select = select.progress(report);
        }
        let table = self.table.table(&schema)?;
        let job = Job { table, select, seed: self.seed, paper: self.preprocess.is_some() };
        match job.not_private() {
            Some(request) => request.check()?,
            None => job.select.check_ref().map(|_| ())?,
        }
        Ok(job)
    }

    /// States the method and its mechanism.
    fn method(&self, select: Select) -> Result<Select> {
        if self.method != MethodId::DpSis {
            return self.whole_method(select);
        }
        if self.blocks.is_some() || self.penalty.is_some() {
            return Err(Error::request("--blocks and --penalty belong to --method two-stage"));
        }
        Ok(select.mechanism(self.mechanism.mechanism("canonical")?))
    }
    fn whole_method(&self, mut select: Select) -> Result<Select> {
        let two_stage = self.method == MethodId::TwoStage;
        if !two_stage && (self.blocks.is_some() || self.penalty.is_some()) {
            return Err(Error::request("--blocks and --penalty belong to --method two-stage"));
        }
        if !two_stage && self.mechanism.is_stated() {
            return Err(Error::request("DPKendall takes no mechanism: it has its own"));
        }
        if !two_stage {
            return Ok(select.method(Method::DpKendall));
        }
        if self.mechanism.is_stated() {
            select = select.mechanism(self.mechanism.mechanism("peel")?);
        }
        let TwoStage { penalty, .. } = TwoStage::default();
        let penalty = self.penalty.unwrap_or(penalty);
        Ok(select.method(Method::TwoStage(TwoStage { blocks: self.blocks, penalty })))
    }

    /// Whether progress may be shown.
    fn shows_progress(&self) -> bool {
        !self.no_progress && !self.output.quiet
    }

    fn target(&self, schema: &SchemaFile) -> Result<Target> {
        Ok(match (&self.classes, &self.target_bounds, &schema.classes, schema.target_bounds) {
            (Some(labels), ..) => Target::Classes(parse_record(labels)?),
            (_, Some(bounds), ..) => Target::Bounded(parse_bounds(bounds)?),
            (_, _, Some(labels), _) => Target::Classes(labels.clone()),
            (.., Some([low, high])) => Target::Bounded(Bounds::new(low, high)?),
            _ => Target::Numeric,
        })
    }

    /// States how features are scaled.
    fn scale(&self, select: Select, schema: &SchemaFile) -> Result<Select> {
        let stated = self.bounds.as_deref().map(parse_bounds).transpose()?;
        let from_schema = |select: Select| match (schema.bounds, &schema.bounds_file) {
            (Some([low, high]), _) => Some(select.bounds(low, high)),
            (_, Some(path)) => Some(select.bounds_file(path)),
            _ => None,
        };
        let row_ranks = self.scale == Some(Scale::RowRank);
        if row_ranks && (stated.is_some() || self.bounds_file.is_some()) {
            return Err(Error::request("bounds and --scale row-rank exclude each other"));
        }
        if let Some(bounds) = stated {
            return Ok(select.scaling(Scaling::Bounds(bounds)));
        }
        if let Some(path) = &self.bounds_file {
            return Ok(select.bounds_file(path));
        }
        if row_ranks {
            return Ok(select.scaling(Scaling::RowRank));
        }
        if self.scale == Some(Scale::Bounds) {
            let rule = "--scale bounds needs --bounds LO,HI or --bounds-file";
            return from_schema(select).ok_or_else(|| Error::request(rule));
        }
        let whole = self.method == MethodId::DpKendall;
        if self.score == Some(Score::Kendall) || self.preprocess.is_some() || whole {
            return Ok(select);
        }
        Ok(from_schema(select.clone()).unwrap_or(select))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_of_the_arguments_is_consistent() {
        <Arguments as clap::CommandFactory>::command().debug_assert();
    }
}
