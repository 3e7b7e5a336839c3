//! `dpsis sql`: the query that computes the sums of a table in a database.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use crate::files::read_text;
use crate::output::{self, Destination};
use crate::schema_file::SchemaFile;
use crate::score_arguments::{ScalingArguments, ScoreArguments, scored_by_sums, scoring};
use crate::table_arguments::{file_of, parse_names};
use crate::target_arguments::{TargetArguments, without_people};
use crate::values::{parse_record, unused, with_values};
use dpsis::{Error, ReleasedTarget, Result, Select, SelectOptions, SqlDialect, SqlForm, SqlTable};

/// Print the query that computes the sums of a table in a database.
///
/// Its result - item, place, value; exact sums, not private - is exported as CSV or Parquet, and
/// dpsis choose --sums releases from it. Where the target is released first (a number without a
/// range: its median; the score ks without bounds or row ranks: its center), the first query counts
/// targets alone, and --released gives the next one.
///
/// Scores are ks and correlation, of numbers: words are missing values here.
#[derive(Debug, Args)]
#[command(
    after_help = MORE,
    after_long_help = AFTER_HELP,
    mut_arg("time", unused),
    mut_arg("event", unused),
    mut_arg("by", unused),
    mut_args(without_people),
    mut_arg("score", scored_by_sums),
)]
pub(super) struct SqlArguments {
    /// The engine: duckdb, spark or postgres
    #[arg(
        long,
        value_enum,
        hide_possible_values = true,
        long_help = with_values::<Dialect>("The engine")
    )]
    dialect: Dialect,

    /// The table: NAME or SCHEMA.NAME
    ///
    /// As the engine has it, upper and lower case included; "a.b" in double quotes is one name
    #[arg(long, value_name = "NAME", help_heading = "Table")]
    table: String,

    /// One row per person, one column per feature and one for the target
    #[arg(long, conflicts_with = "long", required_unless_present = "long", help_heading = "Table")]
    wide: bool,

    /// One row per sample and feature: three columns
    ///
    /// The columns of the sample, of the feature's name and of the value
    #[arg(long, value_name = "S,F,V", requires = "targets", help_heading = "Table")]
    long: Option<String>,

    /// The features, which are public: names, @FILE
    ///
    /// Names with commas between them, or a file with one per line. They cannot be found in the
    /// data of a long table, which are private. Other features are not read
    #[arg(long, value_name = "LIST", help_heading = "Table")]
    features: String,

    /// With --wide: the column of the target
    #[arg(
        long,
        value_name = "NAME",
        required_unless_present = "long",
        conflicts_with = "long",
        help_heading = "Target"
    )]
    target: Option<String>,

    /// With --long: the table of targets
    ///
    /// One row per sample, and :S,T are the columns of the sample and of the target [default:
    /// sample,target]
    #[arg(long, value_name = "NAME[:S,T]", requires = "long", help_heading = "Target")]
    targets: Option<String>,

    #[command(flatten)]
    kind: TargetArguments,

    #[command(flatten)]
    score: ScoreArguments,

    #[command(flatten)]
    scaling: ScalingArguments,

    /// The release of the target that choose --sums made before
    #[arg(long, value_name = "FILE")]
    released: Option<PathBuf>,

    /// Write the query to this file
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,
}

const MORE: &str = "More options, with examples: dpsis sql --help";

const AFTER_HELP: &str = "\
Examples:
  dpsis sql --dialect duckdb --table visits --wide --target status \\
    --features @names.txt --classes no,yes --bounds 0,100 -o sums.sql
  dpsis choose --sums sums.csv --k 5 --eps 2

  dpsis sql --dialect postgres --table lab.values --long patient,test,result \\
    --targets lab.patients:id,age --features @tests.txt --scale row-rank -o counts.sql
  dpsis choose --sums counts.csv --k 5 --eps 2 -o age.released
  dpsis sql --dialect postgres --table lab.values --long patient,test,result \\
    --targets lab.patients:id,age --features @tests.txt --scale row-rank \\
    --released age.released -o sums.sql
  dpsis choose --sums sums.csv --k 5 --eps 2";

/// The dialect of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Dialect {
    /// DuckDB
    #[value(name = "duckdb")]
    DuckDb,
    /// Spark SQL
    Spark,
    /// PostgreSQL: long tables, values in columns of numbers
    Postgres,
}

impl SqlArguments {
    fn table(&self) -> Result<SqlTable> {
        let dialect = match self.dialect {
            Dialect::DuckDb => SqlDialect::DuckDb,
            Dialect::Spark => SqlDialect::Spark,
            Dialect::Postgres => SqlDialect::Postgres,
        };
        let form = match (&self.long, &self.targets, &self.target) {
            (Some(columns), Some(targets), _) => {
                let wrong = || Error::request("--long takes the names of three columns");
                let [sample, feature, value] =
                    parse_record(columns)?.try_into().map_err(|_| wrong())?;
                let (targets, columns) = match targets.rsplit_once(':') {
                    Some((targets, columns)) => (targets, parse_record(columns)?),
                    None => (targets.as_str(), ["sample", "target"].map(str::to_owned).to_vec()),
                };
                let wrong = || Error::request("--targets takes the names of two columns");
                let [targets_sample, target] = columns.try_into().map_err(|_| wrong())?;
                let targets = targets.to_owned();
                SqlForm::Long { sample, feature, value, targets, targets_sample, target }
            }
            (None, _, Some(target)) => SqlForm::Wide { target: target.clone() },
            _ => {
                return Err(Error::request("give --wide with --target, or --long with --targets"));
            }
        };
        Ok(SqlTable::new(dialect, &self.table, form))
    }

    fn request(&self) -> Result<Select> {
        let schema = SchemaFile::default();
        let mut options = SelectOptions { k: Some(1), ..SelectOptions::default() };
        options.target = self.kind.options(&schema)?;
        options.scoring = scoring(&self.score, &self.scaling, &schema, false)?;
        options.request()
    }
}

pub(super) fn sql(arguments: &SqlArguments) -> Result<()> {
    let inputs = [arguments.scaling.bounds_file.as_ref(), arguments.released.as_ref()];
    let inputs = inputs.into_iter().flatten().map(PathBuf::as_path);
    let inputs: Vec<&Path> = inputs.chain(file_of(&arguments.features)).collect();
    let destination = Destination::check(arguments.output.as_deref(), &inputs)?;
    let released = match &arguments.released {
        None => None,
        Some(path) => Some(ReleasedTarget::from_text(&read_text(path)?)?),
    };
    let features = parse_names(&arguments.features)?;
    let query = arguments.request()?.query(&arguments.table()?, &features, released.as_ref())?;
    output::remark(
        "The result will be exact sums: NOT PRIVATE. Keep it like the table; dpsis choose --sums releases from it.\n",
    );
    destination.write(&format!("{query};\n"))
}
