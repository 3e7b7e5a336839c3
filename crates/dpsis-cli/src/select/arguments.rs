//! The arguments of `dpsis select`.

use std::path::PathBuf;

use clap::{Args, FromArgMatches, ValueEnum};

use crate::given_table::GivenTable;
use crate::group_arguments::GroupArguments;
use crate::ledger_arguments::LedgerArguments;
use crate::mechanism_arguments::MechanismArguments;
use crate::output_arguments::OutputArguments;
use crate::privacy_arguments::{BudgetArgument, DeltaArgument, Relation, privacy};
use crate::score_arguments::ScalingArguments;
use crate::target_arguments::OF_PEOPLE;
use crate::values::{parse_center, parse_size, with_shares, word};
use dpsis::internals::CENTER_IN_STRATA;
use dpsis::{Result, SelectOptions, WeightsOption};

/// Select k features, or all that are significant, privately.
///
/// The file is a table with one row per person, one column per feature and the target in the last
/// column: text with a header (CSV, TSV; plain, .gz or .zst), .npy, .npz, .gct, R's .rds and
/// .RData, Parquet and Arrow (a build with feature arrow). The names go to stdout, a report to
/// stderr.
#[derive(Debug, Args)]
#[command(
    after_help = MORE,
    after_long_help = AFTER_HELP,
)]
pub(crate) struct SelectArguments {
    #[command(flatten)]
    pub(super) names: NamesArguments,

    #[command(flatten)]
    pub(super) budget: BudgetArgument,

    #[command(flatten)]
    pub(super) given: GivenTable,

    #[command(flatten)]
    pub(super) scaling: ScalingArguments,

    /// The table, or several files with its rows; - is standard input
    ///
    /// CSV or TSV, plain, .gz or .zst; .npy, .npz, .gct, .rds, .RData; .parquet, .arrow,
    /// .feather; - is standard input, text. Several files, a folder of them, or a pattern such as
    /// 'part-*.parquet' hold the rows of one table, with the same columns
    #[arg(display_order = 0, required_unless_present = "partials", help_heading = "Table")]
    pub(super) files: Vec<PathBuf>,

    /// Instead of a table: the sums of all its parts, made by `dpsis partial`; files or patterns
    #[arg(
        long,
        value_name = "FILE",
        num_args = 1..,
        conflicts_with_all = OF_TABLES,
        conflicts_with_all = OF_PEOPLE,
        hide_short_help = true,
        help_heading = "Table"
    )]
    pub(crate) partials: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) output: OutputArguments,

    /// Report the budget and the expected noise; read no rows
    #[arg(long, help_heading = "Output")]
    pub(crate) dry_run: bool,

    /// Draw from a given seed: for tests, not for release
    #[arg(long, value_name = "N", conflicts_with = "ledger", help_heading = "Output")]
    pub(super) seed: Option<u64>,

    #[command(flatten)]
    pub(crate) release: ReleaseArguments,

    #[command(flatten)]
    pub(crate) ledger: LedgerArguments,

    /// Memory limit, such as 500MB or 16GiB; larger tables are read in several passes, with the
    /// same result [default: 4GiB, or 3/4 of the container's limit]
    #[arg(long, value_name = "SIZE", hide_short_help = true, help_heading = "Running")]
    pub(super) memory: Option<String>,

    /// Number of threads [default: all cores]; the result does not depend on it
    #[arg(long, value_name = "N", hide_short_help = true, help_heading = "Running")]
    pub(super) threads: Option<usize>,

    /// No progress on the terminal
    #[arg(long, hide_short_help = true, help_heading = "Running")]
    pub(super) no_progress: bool,
}

/// The features that are named.
#[derive(Debug, Clone, Args)]
pub(crate) struct NamesArguments {
    /// Number of features to select [default: all significant]
    #[arg(short, long, conflicts_with_all = ["fwer", "at_most"])]
    pub(super) k: Option<usize>,

    /// Without --k: the largest probability of any false discovery [default: 0.05]
    #[arg(long, value_name = "PROBABILITY", allow_hyphen_values = true, hide_short_help = true)]
    pub(super) fwer: Option<String>,

    /// Without --k: select at most K features
    #[arg(long, value_name = "K", hide_short_help = true)]
    pub(super) at_most: Option<usize>,
}

impl NamesArguments {
    /// Sets the named features in a request.
    pub(crate) fn apply_to(&self, options: &mut SelectOptions) {
        let Self { k, fwer, at_most } = self.clone();
        (options.k, options.fwer, options.at_most) = (k, fwer, at_most);
    }
}

/// The release apart from names, budget and scores.
#[derive(Debug, Args)]
pub(crate) struct ReleaseArguments {
    /// The target's center: private, none, or its publicly known value: a mean, the share of the
    /// second of two classes, or A=0.3,B=0.5,C=0.2
    #[arg(
        long,
        value_name = "private|none|VALUE",
        default_value = "private",
        allow_hyphen_values = true,
        hide_short_help = true,
        help_heading = "Target"
    )]
    pub(super) center: String,

    /// The difference between neighboring tables
    #[arg(
        long,
        value_enum,
        default_value_t = Relation::AddRemove,
        hide_short_help = true,
        help_heading = "Privacy"
    )]
    pub(super) neighbors: Relation,

    #[command(flatten)]
    pub(super) delta: DeltaArgument,

    /// Release whether the target rises or falls with each selected feature (noise for categorical
    /// columns)
    #[arg(long, hide_short_help = true, help_heading = "Privacy")]
    pub(super) direction: bool,

    /// Shares of the budget; the selection gets the rest
    #[arg(
        long,
        value_name = "NAME=SHARE,...",
        hide_short_help = true,
        help_heading = "Privacy",
        long_help = with_shares(
            &format!(
                "Shares of the budget for the target's center (two-stage: the count of rows) and median, for the \
                 effect sizes and their significance (0: none) and for --direction, as far as a run draws them; the \
                 selection gets the rest. With covariates: center={CENTER_IN_STRATA}, and no effect sizes"
            )
        )
    )]
    pub(super) split: Option<String>,

    #[command(flatten)]
    pub(super) groups: GroupArguments,

    #[command(flatten)]
    pub(crate) mechanism: MechanismArguments,

    /// How features are found
    #[arg(
        long,
        value_enum,
        default_value_t = MethodId::DpSis,
        hide_short_help = true,
        help_heading = "Method"
    )]
    pub(super) method: MethodId,

    /// A second stage for correlated features: 2 k are screened, and the k that together explain
    /// the target best are selected by private correlations of all of them
    #[arg(long, value_enum, hide_short_help = true, help_heading = "Method")]
    pub(super) refine: Option<Refinement>,

    /// two-stage: the number of blocks, if it is public [default: the root of a private count of
    /// rows]
    #[arg(long, value_name = "N", hide_short_help = true, help_heading = "Method")]
    pub(super) blocks: Option<u64>,

    /// two-stage: the penalty of the LASSO, for values in [-1, 1] [default: 0.1]
    #[arg(
        long,
        value_name = "LAMBDA",
        allow_hyphen_values = true,
        hide_short_help = true,
        help_heading = "Method"
    )]
    pub(super) penalty: Option<f64>,

    #[command(flatten)]
    pub(super) weights: WeightArguments,
}

/// Public weights of features.
#[derive(Debug, Args)]
pub(crate) struct WeightArguments {
    /// Public weights of features, a file feature,weight: from the literature, or made by `dpsis
    /// weights` from a public table; never from this table, nor from people in it
    #[arg(long, value_name = "FILE", hide_short_help = true, help_heading = "Method")]
    pub(super) weights: Option<PathBuf>,

    /// The share of the prior probability that all features have alike: limits the cost of wrong
    /// weights [default: 0.3]
    #[arg(
        long,
        value_name = "SHARE",
        requires = "weights",
        allow_hyphen_values = true,
        hide_short_help = true,
        help_heading = "Method"
    )]
    pub(super) weights_uniform: Option<f64>,
}

/// The options on reading, scoring and other uses of a table, which cannot be given with sums.
const OF_TABLES: [&str; 30] = [
    "files",
    "id",
    "exclude",
    "orient",
    "delimiter",
    "decimal_comma",
    "decimal_point",
    "na",
    "numeric_names",
    "schema",
    "target",
    "target_file",
    "target_index",
    "classes",
    "time",
    "event",
    "by",
    "target_bounds",
    "target_number",
    "score",
    "bounds",
    "bounds_file",
    "scale",
    "groups",
    "group_size",
    "method",
    "refine",
    "memory",
    "threads",
    "dry_run",
];

const MORE: &str = "More options, with examples: dpsis select --help";

const AFTER_HELP: &str = "\
Examples:
  dpsis select --k 5 --eps 2 data.csv
  dpsis select --eps 2 --fwer 0.05 --classes control,case data.csv
  dpsis select --k 5 --eps 2 --bounds 0,1 --classes control,case methylation.csv
  dpsis select --k 10 --eps 1 --target age --exclude 'visit_*' visits.csv
  dpsis select --k 5 --eps 2 --id patient --exclude 'admission_*' visits.csv
  dpsis select --k 5 --eps 2 --classes no,yes --orient features-as-rows \\
    --target-file status.csv genes.tsv
  dpsis select --k 5 --eps 2 --classes no,yes --target-file y.npy x.npy
  dpsis select --k 5 --eps 2 --groups pathways.gmt expression.csv
  dpsis select --k 5 --eps 0.5 --classes no,yes --ledger budget.txt data.csv
  dpsis select --k 5 --eps 2 'visits-*.parquet'
  dpsis select --k 5 --eps 2 --partials '*.partial'

Exit codes: 0 released; 2 wrong request; 3 malformed input, or too few usable
rows; 4 ledger too low or closed; 5 reading or writing failed.";

/// The method of selection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum MethodId {
    /// Each feature scored by itself, the best chosen privately
    DpSis,
    /// The LASSO on blocks of rows, which vote
    TwoStage,
    /// One by one by Kendall's correlation, discounted for correlation with earlier picks
    #[value(name = "dpkendall")]
    DpKendall,
}

/// The second stage of a selection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Refinement {
    /// The best k of 2 k by the correlations of their signs
    Gram,
}

impl SelectArguments {
    /// Parses the arguments of a command line that begins with `select`; `None` if they are
    /// invalid.
    pub(crate) fn from_words(words: &[String]) -> Option<Self> {
        let command = Self::augment_args(clap::Command::new("select"));
        let matches = command.try_get_matches_from(words).ok()?;
        Self::from_arg_matches(&matches).ok()
    }

    /// Sets the release in the options: its budget, the method, and the limits of a run.
    pub(super) fn apply_release_to(&self, options: &mut SelectOptions) -> Result<()> {
        self.release.apply_to(&self.budget, options)?;
        options.running.memory = self.memory.as_deref().map(parse_size).transpose()?;
        options.running.threads = self.threads;
        Ok(())
    }
}

impl ReleaseArguments {
    /// Sets these arguments and a budget in the options of a selection.
    pub(crate) fn apply_to(
        &self,
        budget: &BudgetArgument,
        options: &mut SelectOptions,
    ) -> Result<()> {
        options.target.center = Some(parse_center(&self.center)?);
        options.privacy =
            privacy(budget, &self.delta, self.neighbors, self.split.as_deref(), self.direction)?;
        options.method.method = Some(word(self.method));
        options.method.blocks = self.blocks;
        options.method.penalty = self.penalty.map(Into::into);
        options.method.refine = self.refine.map(word);
        options.method.weights = self.weights.weights.clone().map(WeightsOption::File);
        options.method.weights_uniform = self.weights.weights_uniform.map(Into::into);
        self.mechanism.apply_to(&mut options.method);
        self.groups.apply_to(&mut options.scoring)
    }
}
