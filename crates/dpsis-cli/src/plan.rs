//! `dpsis plan`: a power analysis, before any data are read.

use std::path::PathBuf;

use clap::Args;

use crate::output::{self, Destination, TextOrJson};
use crate::privacy_arguments::BudgetArgument;
use crate::run_arguments::RunArguments;
use crate::schema_file::SchemaFile;
use crate::score_arguments::{ScalingArguments, ScoreArguments, scoring};
use crate::select::{NamesArguments, ReleaseArguments};
use crate::target_arguments::TargetArguments;
use crate::values::{parse_epsilons, unused};
use dpsis::forecast::PlanOptions;
use dpsis::report::{plan as text, to_json};
use dpsis::{Error, Result, SelectOptions};
use dpsis_eval::{OutputFolder, write_plan};

/// Forecast the findings of a selection; reads no data.
///
/// A power analysis from public numbers alone: the effect sizes from which features are found
/// and significant, in half of all runs and in nine of ten. It takes the options of select; tables
/// are simulated, and the selection itself draws from their scores.
#[derive(Debug, Args)]
#[command(
    after_help = MORE,
    after_long_help = AFTER_HELP,
    mut_arg("time", unused),
    mut_arg("event", unused),
    mut_arg("by", unused),
)]
pub(super) struct PlanArguments {
    /// Rows, or people, with a usable target
    #[arg(short, long = "n", value_name = "ROWS")]
    n: u64,

    /// How many features there are
    #[arg(short, long = "d", value_name = "FEATURES")]
    d: usize,

    /// The share of the rarer of two classes, or of each class: 0.5,0.3,0.2 [default: equal]
    #[arg(long, value_name = "SHARE", allow_hyphen_values = true)]
    class_shares: Option<String>,

    #[command(flatten)]
    names: NamesArguments,

    #[command(flatten)]
    budget: BudgetArgument,

    /// An effect size from 0 to 1: report the rows and the epsilon that it needs
    #[arg(long, alias = "effect_size", value_name = "SIZE", allow_hyphen_values = true)]
    effect_size: Option<f64>,

    /// Other epsilons to look at: 0.5,1,2 or 0.1..20:8
    #[arg(long, value_name = "LIST", default_value = "0.1,0.25,0.5,1,2,4,8")]
    over: String,

    #[command(flatten)]
    target: TargetArguments,

    #[command(flatten)]
    score: ScoreArguments,

    #[command(flatten)]
    scaling: ScalingArguments,

    #[command(flatten)]
    release: ReleaseArguments,

    /// Simulated tables [default: as many as take some tenths of a second]
    #[arg(long, value_name = "N", hide_short_help = true)]
    draws: Option<usize>,

    /// text or json
    #[arg(long, value_enum, default_value_t = TextOrJson::Text, hide_possible_values = true)]
    format: TextOrJson,

    /// A folder for index.html, the figure, CSV and JSON; new, or made by plan
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,

    #[command(flatten)]
    run: RunArguments,
}

const MORE: &str = "More options, with examples: dpsis plan --help";

const AFTER_HELP: &str = "\
Examples:
  dpsis plan --n 10000 --d 22283 --k 5 --eps 2
  dpsis plan --n 10000 --d 22283 --eps 2
  dpsis plan --n 800 --d 60 --k 5 --eps 1 --class-shares 0.2 --effect-size 0.3
  dpsis plan --n 800 --d 60 --k 5 --eps 1 --classes a,b,c --mechanism peel -o plan";

pub(super) fn plan(arguments: &PlanArguments) -> Result<()> {
    let options = arguments.options()?;
    options.check()?;
    let folder = arguments.output.as_deref().map(|path| OutputFolder::open(path, "plan"));
    let folder = folder.transpose()?;
    let steps = arguments.run.steps();
    let record = options.run(&|share| {
        steps.show("planning", share);
        Ok(())
    });
    steps.finish();
    let record = record?;
    if let Some(folder) = &folder {
        write_plan(&record, folder)?;
        let page = folder.path().join("index.html");
        output::remark(&format!("written: {}\n", page.display()));
    }
    Destination::Stdout.write(&match arguments.format {
        TextOrJson::Text => text(&record),
        TextOrJson::Json => to_json(&record)?,
    })
}

impl PlanArguments {
    fn options(&self) -> Result<PlanOptions> {
        let schema = SchemaFile::default();
        let mut select = SelectOptions {
            target: self.target.options(&schema)?,
            scoring: scoring(&self.score, &self.scaling, &schema, false)?,
            ..SelectOptions::default()
        };
        self.names.apply_to(&mut select);
        self.release.apply_to(&self.budget, &mut select)?;
        select.running.threads = Some(self.run.threads()?);
        let number = |text: &str| {
            text.trim().parse().map_err(|_| {
                Error::request("--class-shares takes a share such as 0.3, or one for each class")
            })
        };
        let class_shares =
            self.class_shares.as_deref().map(|text| text.split(',').map(number).collect());
        Ok(PlanOptions {
            select,
            rows: self.n,
            features: self.d,
            class_shares: class_shares.transpose()?.unwrap_or_default(),
            effect_size: self.effect_size,
            over: parse_epsilons(&self.over)?.iter().map(ToString::to_string).collect(),
            tables: self.draws,
            seed: self.run.seed,
        })
    }
}
