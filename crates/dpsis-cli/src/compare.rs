//! `dpsis compare`: methods on public tables.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::output::{self, Destination};
use crate::run_arguments::RunArguments;
use crate::table_arguments::TableOptions;
use crate::values::{parse_bounds, parse_counts, parse_epsilons, parse_record, unused};
use dpsis::method::Lasso;
use dpsis::{Bounds, Error, Result, Target};
use dpsis_eval::datasets::PublicTable;
use dpsis_eval::{
    Arm, ArmScale, LazyStudy, OutputFolder, Settled, Study, Sweep, compare as run, labels_of,
    summary,
};

/// Compare selection methods on tables that are public.
///
/// Draws each selection many times and reports how well it agrees with a LASSO, with the best
/// scores, and how accurate a plain model on the selected features is. The files are read without
/// privacy: use it on public data only. A run that was stopped is resumed when it is started again.
#[derive(Debug, Args)]
#[command(after_help = MORE, after_long_help = AFTER_HELP, mut_arg("unit", unused))]
pub(super) struct CompareArguments {
    /// Public tables
    ///
    /// CSV or TSV, plain, .gz or .zst; one row per sample, the target in the last column
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Methods
    ///
    /// dp-sis, two-stage (each also with a mechanism: dp-sis:joint), significant (at most k),
    /// dpkendall, sis, random
    #[arg(
        long,
        value_name = "LIST",
        default_value = "dp-sis,two-stage,sis",
        value_delimiter = ','
    )]
    methods: Vec<String>,

    /// Scales
    ///
    /// default (what select takes), cpm (the same on counts per million), row-rank, kendall,
    /// bounds, paper (by the data), quantiles (one pair of bounds), or 1sd, 0.5sd, ... (bounds of
    /// each feature from the other half of the rows)
    #[arg(long, value_name = "LIST", default_value = "default", value_delimiter = ',')]
    scale: Vec<String>,

    /// Total budgets: 0.1,0.5,1 or 0.1..20:12
    ///
    /// 0.1..20:12 stands for 12 values, evenly on a logarithmic scale
    #[arg(long, value_name = "LIST", default_value = "0.1,0.2,0.5,1,2,5,10,20")]
    eps: String,

    /// Numbers of features: 5,10,log
    ///
    /// log: the natural logarithm of the number of features
    #[arg(long, short, value_name = "LIST", default_value = "5")]
    k: String,

    /// Draws of each selection
    #[arg(long, value_name = "N", default_value_t = 100)]
    trials: u64,

    /// The penalty of the LASSO that is compared with, and of two-stage, for values in [-1, 1]
    #[arg(
        long,
        value_name = "LAMBDA",
        default_value_t = 0.1,
        allow_hyphen_values = true,
        hide_short_help = true
    )]
    penalty: f64,

    /// The bounds of all features, for --scale bounds
    #[arg(long, value_name = "LO,HI", allow_hyphen_values = true, hide_short_help = true)]
    bounds: Option<String>,

    /// Bounds from a CSV file feature,lo,hi, for --scale bounds
    #[arg(long, value_name = "FILE", conflicts_with = "bounds", hide_short_help = true)]
    bounds_file: Option<PathBuf>,

    /// The target is one of these labels
    ///
    /// [default: a number if all that is there are numbers, else a label]
    #[arg(long, value_name = "A,B[,C...]", conflicts_with = "target_bounds")]
    classes: Option<String>,

    /// The targets are class labels, taken from each table, even if they are numbers
    #[arg(long, conflicts_with_all = ["classes", "target_bounds"], hide_short_help = true)]
    labels: bool,

    /// The target is a number in this range
    #[arg(long, value_name = "LO,HI", allow_hyphen_values = true, hide_short_help = true)]
    target_bounds: Option<String>,

    #[command(flatten)]
    table: TableOptions,

    /// The folder for compare.csv, figures and index.html
    ///
    /// It must be new, or one that compare has made
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,

    #[command(flatten)]
    run: RunArguments,
}

const MORE: &str = "More options, with examples: dpsis compare --help";

const AFTER_HELP: &str = "\
Examples:
  dpsis compare --eps 0.5..10:6 --k 5,log -o results public.csv
  dpsis compare --methods dp-sis,dp-sis:peel,dpkendall --scale row-rank,1sd \\
    -o results a.csv b.csv.gz";

pub(super) fn compare(arguments: &CompareArguments) -> Result<()> {
    let (sweep, target) = arguments.checked()?;
    let (schema, _) = arguments.table.schema()?;
    let penalty = arguments.penalty;
    Lasso::new(penalty)?;
    let mut tables: Vec<LazyStudy<'_>> = Vec::new();
    let mut remark = String::from(
        "NOT PRIVATE: compare reads the tables without privacy; use it on public data only.\n",
    );
    for path in &arguments.files {
        if path == Path::new("-") {
            return Err(Error::request("compare reads files, not standard input"));
        }
        let name = stem(path);
        if tables.iter().any(|table| table.name == name) {
            return Err(Error::request(format!("two files are called {name}")));
        }
        // Read all tables before any draw, so that errors are reported at once.
        let table = PublicTable::read(&arguments.table.table(path, &schema)?)?;
        let target = if arguments.labels { labels_of(&table) } else { target.clone() };
        let settled = Settled::of(table, target)?;
        remark += &line(&name, &settled);
        let (d, data, seed) =
            (settled.table.features.len(), settled.fingerprint(penalty), arguments.run.seed);
        for k in sweep.counts.iter().map(|count| count.of(d)) {
            if k > d {
                return Err(Error::request(format!("{name} has {d} features, fewer than k = {k}")));
            }
            sweep.arms.iter().try_for_each(|arm| arm.check(k))?;
        }
        let read = {
            let name = name.clone();
            move || Study::new(&name, settled.clone(), penalty, seed)
        };
        tables.push(LazyStudy { name, data, read: Box::new(read) });
    }
    let folder = OutputFolder::open(&arguments.output, "compare")?;
    output::remark(&remark);
    let steps = arguments.run.steps();
    let cells = run(&sweep, &tables, &folder, &|share| {
        steps.show("comparing", share);
        Ok(())
    })?;
    steps.finish();
    Destination::Stdout.write(&summary(&cells, &arguments.output))
}

impl CompareArguments {
    fn checked(&self) -> Result<(Sweep, Target)> {
        let mut arms = Vec::new();
        for scale in &self.scale {
            for method in &self.methods {
                let arm = Arm::parse(method, self.scale(scale)?)?;
                if !arms.contains(&arm) {
                    arms.push(arm);
                }
            }
        }
        if self.trials == 0 {
            return Err(Error::request("there must be at least one trial"));
        }
        let target = match (&self.classes, &self.target_bounds) {
            (Some(labels), _) => Target::Classes(parse_record(labels)?),
            (_, Some(bounds)) => Target::Bounded(parse_bounds(bounds)?),
            _ => Target::Numeric,
        };
        let sweep = Sweep {
            arms,
            counts: parse_counts(&self.k)?,
            epsilons: parse_epsilons(&self.eps)?,
            trials: self.trials,
            seed: self.run.seed,
            threads: self.run.threads()?,
        };
        Ok((sweep, target))
    }

    fn scale(&self, text: &str) -> Result<ArmScale> {
        let given = match (&self.bounds, &self.bounds_file) {
            (Some(bounds), _) => {
                let bounds: Bounds = parse_bounds(bounds)?;
                Some(ArmScale::Bounds(bounds.low(), bounds.high()))
            }
            (_, Some(path)) => Some(ArmScale::BoundsFile(path.clone())),
            _ => None,
        };
        ArmScale::parse(text, given)
    }
}

/// One line on how a table was read.
fn line(name: &str, settled: &Settled) -> String {
    let (n, d) = settled.table.x.dim();
    let target = match &settled.target {
        Target::Classes(labels) => format!("one of {} labels (accuracy)", labels.len()),
        _ => "a number (R²); if it is a label, give --labels".to_owned(),
    };
    let left_out = match settled.left_out {
        0 => String::new(),
        rows => format!("; {rows} rows without a usable target are left out"),
    };
    format!("{name}: {n} rows, {d} features; the target is {target}{left_out}\n")
}

/// A file's name without its extensions.
fn stem(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut stem = &*name;
    for ending in [".gz", ".zst", ".csv", ".tsv", ".txt"] {
        stem = stem.strip_suffix(ending).unwrap_or(stem);
    }
    stem.to_owned()
}
