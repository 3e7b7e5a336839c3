//! `dpsis plan`: what a selection would find, before any data are touched.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::output::{self, Destination};
use crate::privacy_arguments::{BudgetArgument, Relation};
use crate::run_arguments::RunArguments;
use crate::score_arguments::Score;
use crate::values::{parse_epsilons, parse_split, with_shares, with_values, word};
use dpsis::internals::ALPHA;
use dpsis::{Epsilon, Result};
use dpsis_eval::OutputFolder;
use dpsis_eval::plan::{BeyondRequest, PlanRequest, contenders, plan as run, plan_beyond, shares};

/// Say what a selection would find, before any data are touched.
///
/// From public numbers alone: how strong a feature must be to be found, by each mechanism, and to
/// be called beyond chance. Tables are imagined; the real mechanisms select from their scores, with
/// the shares of epsilon that select would give them.
#[derive(Debug, Args)]
#[command(after_help = MORE, after_long_help = AFTER_HELP)]
pub(super) struct PlanArguments {
    /// How many rows have a usable target
    #[arg(short, long = "n", visible_alias = "rows", value_name = "ROWS")]
    n: u64,

    /// How many features there are
    #[arg(short, long = "d", visible_alias = "features", value_name = "FEATURES")]
    d: usize,

    /// How many features to select; without it, all that are beyond chance
    #[arg(short, long, conflicts_with = "fwer")]
    k: Option<usize>,

    /// Without --k: the probability with which any name may be false [default: 0.05]
    #[arg(long, value_name = "PROBABILITY", allow_hyphen_values = true, hide_short_help = true)]
    fwer: Option<String>,

    #[command(flatten)]
    budget: BudgetArgument,

    /// The target is one of two classes, of which the rarer one has this share of the rows
    /// [default: a number, split at a private median]
    #[arg(long, value_name = "SHARE", allow_hyphen_values = true)]
    share: Option<f64>,

    /// A strength from 0 to 1: say how many rows, or which epsilon, it takes to find it
    #[arg(long, value_name = "STRENGTH", allow_hyphen_values = true)]
    strength: Option<f64>,

    /// Other epsilons to look at: 0.5,1,2 or 0.1..20:8
    #[arg(long, value_name = "LIST", default_value = "0.1,0.25,0.5,1,2,4,8")]
    over: String,

    /// ks, correlation (of values spread evenly) or kendall
    #[arg(
        long,
        value_enum,
        default_value_t = Score::Ks,
        hide_possible_values = true,
        long_help = with_values::<Score>("How features are scored; correlation is of values that are spread evenly")
    )]
    score: Score,

    /// Mechanisms to compare: canonical,peel [default: the usual ones]
    #[arg(long, value_name = "LIST", value_delimiter = ',', requires = "k")]
    mechanism: Vec<String>,

    /// canonical: the values of gamma to compare [default: 0.1,0.25,0.5,0.75,1]
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        allow_hyphen_values = true,
        requires = "k"
    )]
    gamma: Vec<String>,

    /// The difference between neighboring tables
    #[arg(long, value_enum, default_value_t = Relation::AddRemove, hide_short_help = true)]
    neighbors: Relation,

    /// Shares of the budget, as for select
    #[arg(
        long,
        value_name = "NAME=SHARE,...",
        hide_short_help = true,
        long_help = with_shares("Shares of the budget, as for select")
    )]
    split: Option<String>,

    /// Imagined tables [default: as many as take some seconds]
    #[arg(long, value_name = "N", hide_short_help = true, requires = "k")]
    draws: Option<u64>,

    /// text or json
    #[arg(long, value_enum, default_value_t = PlanFormat::Text, hide_possible_values = true)]
    format: PlanFormat,

    /// A folder for index.html, figures, CSV and JSON
    ///
    /// It must be new, or one that plan has made. All mechanisms are then compared at all epsilons,
    /// which takes longer
    #[arg(short, long, value_name = "DIR", requires = "k")]
    output: Option<PathBuf>,

    #[command(flatten)]
    run: RunArguments,
}

/// The form of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PlanFormat {
    Text,
    Json,
}

const MORE: &str = "All options, with examples: dpsis plan --help";

const AFTER_HELP: &str = "\
Examples:
  dpsis plan --n 10000 --d 22283 --k 5 --eps 2
  dpsis plan --n 10000 --d 22283 --eps 2
  dpsis plan --n 800 --d 60 --k 5 --eps 1 --share 0.2 --strength 0.3
  dpsis plan --n 800 --d 60 --k 3 --eps 1 --mechanism canonical,peel -o outlook";

pub(super) fn plan(arguments: &PlanArguments) -> Result<()> {
    let Some(k) = arguments.k else { return arguments.plan_beyond() };
    let request = arguments.request(k)?;
    request.check()?;
    let folder = arguments.output.as_deref().map(|path| OutputFolder::open(path, "plan"));
    let folder = folder.transpose()?;
    let outlook = arguments.run.watched("planning", |progress| run(&request, progress))?;
    if let Some(folder) = &folder {
        outlook.write(folder)?;
        let page = folder.path().join("index.html");
        output::remark(&format!("written: {}\n", page.display()));
    }
    Destination::Stdout.write(&match arguments.format {
        PlanFormat::Text => outlook.text(),
        PlanFormat::Json => dpsis::report::to_json(&outlook)?,
    })
}

impl PlanArguments {
    /// Plans a selection of all features beyond chance.
    fn plan_beyond(&self) -> Result<()> {
        let request = BeyondRequest {
            rows: self.n,
            features: self.d,
            fwer: self.fwer.clone().unwrap_or_else(|| ALPHA.to_owned()),
            epsilon: self.budget.eps.clone(),
            share: self.share,
            score: word(self.score).parse()?,
            neighbors: self.neighbors.neighbors(),
            split: self.split()?,
            over: self.over()?,
            strength: self.strength,
        };
        let outlook = self.run.watched("planning", |progress| plan_beyond(&request, progress))?;
        Destination::Stdout.write(&match self.format {
            PlanFormat::Text => outlook.text(),
            PlanFormat::Json => dpsis::report::to_json(&outlook)?,
        })
    }

    fn split(&self) -> Result<BTreeMap<String, String>> {
        Ok(self.split.as_deref().map(parse_split).transpose()?.unwrap_or_default())
    }

    /// The epsilons to look at, ascending.
    fn over(&self) -> Result<Vec<Epsilon>> {
        let epsilon = self.budget.eps.clone();
        let mut over: Vec<Epsilon> = parse_epsilons(&self.over)?;
        if !over.contains(&epsilon) {
            over.push(epsilon);
        }
        over.sort();
        Ok(over)
    }

    fn request(&self, k: usize) -> Result<PlanRequest> {
        Ok(PlanRequest {
            rows: self.n,
            features: self.d,
            k,
            epsilon: self.budget.eps.clone(),
            share: self.share,
            score: word(self.score).parse()?,
            neighbors: self.neighbors.neighbors(),
            split: shares(&self.split()?)?,
            contenders: contenders(k, &self.mechanism, &self.gamma)?,
            over: self.over()?,
            all_over: self.output.is_some(),
            strength: self.strength,
            draws: self.draws,
            seed: self.run.seed,
            threads: self.run.threads()?,
        })
    }
}
