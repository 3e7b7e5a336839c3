//! The arguments of `choose`, and the request they make.

use std::path::PathBuf;

use clap::Args;

use crate::arguments::{BudgetArgument, OutputArguments, Relation};
use crate::mechanism_arguments::ParameterArguments;
use dpsis::mechanism::{Baseline, CARDS};
use dpsis::{Candidates, Choose, Trials};
use dpsis::{Epsilon, Neighbors};
use dpsis::{Error, Result};

/// Print the names of candidates chosen privately by scores computed elsewhere.
///
/// The file is CSV with the columns name,score or name,score,sensitivity: the score is data, the
/// sensitivity - the most by which one unit of the data can move it - is public. Names go to stdout, a
/// report to stderr.
#[derive(Debug, Args)]
#[command(after_help = CHOOSE_AFTER_HELP)]
pub(super) struct ChooseArguments {
    /// The candidates: CSV, plain, .gz or .zst; - is standard input
    pub(super) file: PathBuf,

    #[command(flatten)]
    budget: BudgetArgument,

    /// How many candidates to choose
    #[arg(short, long, default_value_t = 1)]
    k: usize,

    /// The most by which one unit can move any score, where the file does not say
    #[arg(long, value_name = "S", allow_hyphen_values = true, help_heading = "Scores")]
    sensitivity: Option<String>,

    /// One unit more raises scores or leaves them, as it does counts (or lowers them all)
    #[arg(long, help_heading = "Scores")]
    monotonic: bool,

    /// What neighboring data differ by
    #[arg(long, value_enum, default_value_t = Relation::AddRemove, help_heading = "Privacy")]
    neighbors: Relation,

    /// How candidates are chosen [default: canonical where all sensitivities are equal]; sis, random and
    /// rnm-h, for comparison, need --not-private
    #[arg(
        long,
        value_name = "ID",
        value_parser = clap::builder::PossibleValuesParser::new(
            CARDS.iter().map(|card| card.id).chain(Baseline::IDS)
        ),
        help_heading = "Mechanism"
    )]
    mechanism: Option<String>,

    #[command(flatten)]
    parameters: ParameterArguments,

    /// I know that the output is not private
    #[arg(long, help_heading = "Mechanism")]
    not_private: bool,

    /// Look at the scores and say which mechanism suits them: not private
    #[arg(
        long,
        conflicts_with_all = ["trials", "seed", "mechanism", "not_private"],
        help_heading = "Evaluation, on public scores"
    )]
    pub(super) advise: bool,

    /// Choose N times and count the outcomes (tab-separated): spends N times epsilon, and is no release
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u64).range(1..=Trials::MOST),
        help_heading = "Evaluation, on public scores"
    )]
    trials: Option<u64>,

    /// With --trials: outcomes in the order of the picks, where that is released
    #[arg(long, requires = "trials", help_heading = "Evaluation, on public scores")]
    pub(super) ordered: bool,

    /// Draw from a stated seed: for tests; the output is then not for release
    #[arg(long, value_name = "N", help_heading = "Evaluation, on public scores")]
    pub(super) seed: Option<u64>,

    #[command(flatten)]
    pub(super) output: OutputArguments,
}

const CHOOSE_AFTER_HELP: &str = "\
Examples:
  dpsis choose --eps 1 --sensitivity 0.01 models.csv
  dpsis choose --eps 1 --k 3 --mechanism peel --sensitivity 1 --monotonic counts.csv
  dpsis choose --eps 1 --mechanism gem candidates.csv

Exit codes: 0 released; 2 wrong request; 3 malformed input; 5 reading or writing failed.";

/// What is asked of a choice.
pub(super) struct ChooseJob {
    pub(super) candidates: Candidates,
    pub(super) request: Choose,
    pub(super) baseline: Option<Baseline>,
    pub(super) trials: Option<u64>,
    pub(super) k: usize,
    pub(super) epsilon: Epsilon,
    pub(super) neighbors: Neighbors,
    pub(super) monotonic: bool,
}

impl ChooseArguments {
    /// Reads the candidates, after everything is checked that can be without them.
    pub(super) fn job(&self) -> Result<ChooseJob> {
        let baseline = match self.mechanism.as_deref() {
            Some(id) if Baseline::IDS.contains(&id) => {
                if !self.not_private {
                    let rule = format!("{id} is not private: it needs --not-private");
                    return Err(Error::request(rule));
                }
                Some(Baseline::by_id(id, self.parameters.noise.as_deref())?)
            }
            _ if self.not_private => {
                return Err(Error::request("--not-private is for sis, random and rnm-h"));
            }
            _ => None,
        };
        let neighbors = self.neighbors.neighbors();
        let mut request = Choose::new(self.k)
            .epsilon(self.budget.eps.clone())
            .neighbors(neighbors)
            .monotonic(self.monotonic);
        match &self.mechanism {
            Some(id) if baseline.is_none() => {
                request = request.mechanism(self.parameters.mechanism(id)?);
            }
            None if self.parameters.is_stated() => {
                return Err(Error::request("state the mechanism that takes this: --mechanism ID"));
            }
            _ => {}
        }
        let candidates = Candidates::read(&self.file, self.sensitivity.as_deref())?;
        Ok(ChooseJob {
            candidates,
            request,
            baseline,
            trials: self.trials,
            k: self.k,
            epsilon: self.budget.eps.clone(),
            neighbors,
            monotonic: self.monotonic,
        })
    }
}
