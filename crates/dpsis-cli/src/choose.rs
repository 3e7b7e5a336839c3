//! `dpsis choose`: a private choice among named scores.

mod advice;
mod sums;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::ledger_arguments::LedgerArguments;
use crate::mechanism_arguments::ParameterArguments;
use crate::output::{self, Destination, Format};
use crate::output_arguments::OutputArguments;
use crate::privacy_arguments::{BudgetArgument, DeltaArgument, Relation};
use crate::values::word;
use advice::KnownRelation;
use dpsis::mechanism::{Baseline, CARDS};
use dpsis::{
    Candidates, CandidatesOption, ChooseOptions, Error, NotPrivate, Result, Scores, Trials, report,
};
use sums::SumsArguments;

/// Select among candidates by scores from elsewhere, privately.
///
/// The file is CSV with the columns name,score or name,score,sensitivity, or others that are
/// given: the score is data, the sensitivity - the most by which one unit of the data can move
/// it - is public. Names go to stdout, a report to stderr.
#[derive(Debug, Args)]
#[command(after_help = MORE, after_long_help = AFTER_HELP)]
pub(super) struct ChooseArguments {
    /// The candidates: CSV, plain, .gz or .zst; - is standard input
    #[arg(display_order = 0, help_heading = "Candidates")]
    file: PathBuf,

    #[command(flatten)]
    budget: BudgetArgument,

    /// How many candidates to choose [default: 1]
    ///
    /// With --above: at most K [default: any number]
    #[arg(short, long)]
    k: Option<usize>,

    /// Choose all with scores above this public level
    ///
    /// In the unit of the scores; --alpha bounds names at or below it, by --rate their expected
    /// share or the probability of any
    #[arg(
        long,
        value_name = "LEVEL",
        allow_hyphen_values = true,
        conflicts_with_all = ["mechanism", "monotonic", "delta", "advise", "sums", "level", "not_private"],
        help_heading = "Candidates"
    )]
    above: Option<String>,

    /// The most by which one unit can move any score; or largest
    ///
    /// Default for candidates without one in the file; largest: the largest of the file, for all
    /// candidates
    #[arg(long, value_name = "S", allow_hyphen_values = true, help_heading = "Candidates")]
    sensitivity: Option<String>,

    /// The column of names [default: name]
    #[arg(long, value_name = "NAME", help_heading = "Candidates")]
    name_column: Option<String>,

    /// The column of scores [default: score]
    #[arg(long, value_name = "NAME", help_heading = "Candidates")]
    score_column: Option<String>,

    /// The column of sensitivities [default: sensitivity, if it is there]
    #[arg(long, value_name = "NAME", hide_short_help = true, help_heading = "Candidates")]
    sensitivity_column: Option<String>,

    /// Adding a unit never lowers a score, as with counts
    ///
    /// Or it never raises one
    #[arg(long, help_heading = "Candidates")]
    monotonic: bool,

    #[command(flatten)]
    sums: SumsArguments,

    #[command(flatten)]
    output: OutputArguments,

    /// The difference between neighboring data
    #[arg(
        long,
        value_enum,
        default_value_t = Relation::AddRemove,
        hide_short_help = true,
        help_heading = "Privacy"
    )]
    neighbors: Relation,

    #[command(flatten)]
    delta: DeltaArgument,

    #[command(flatten)]
    ledger: LedgerArguments,

    /// How candidates are chosen [default: canonical where all sensitivities are equal]; sis,
    /// random and rnm-h, for comparison, need --not-private
    #[arg(
        long,
        value_name = "ID",
        value_parser = clap::builder::PossibleValuesParser::new(
            CARDS.iter().map(|card| card.id).chain(Baseline::IDS)
        ),
        hide_short_help = true, help_heading = "Mechanism"
    )]
    mechanism: Option<String>,

    #[command(flatten)]
    parameters: ParameterArguments,

    /// I know that the output is not private
    #[arg(long, conflicts_with = "ledger", hide_short_help = true, help_heading = "Mechanism")]
    not_private: bool,

    /// Recommend a mechanism, and say why: by the sensitivities and --neighbors, which are public;
    /// with --not-private, by trials of all mechanisms on the scores, which must then be public
    #[arg(
        long,
        conflicts_with_all = ["trials", "seed", "mechanism", "ledger", "delta"],
        hide_short_help = true,
        help_heading = "Mechanism"
    )]
    advise: bool,

    /// With --advise: public knowledge of the relation of scores and sensitivities
    #[arg(
        long,
        value_enum,
        requires = "advise",
        conflicts_with = "not_private",
        hide_short_help = true,
        help_heading = "Mechanism"
    )]
    relation: Option<KnownRelation>,

    /// Choose N times and count the outcomes (tab-separated): spends N times epsilon, and is no
    /// release
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u64).range(1..=Trials::MAX),
        conflicts_with = "ledger",
        hide_short_help = true,
        help_heading = "Evaluation, on public scores"
    )]
    trials: Option<u64>,

    /// With --trials: outcomes in the order of the picks, where that is released
    #[arg(
        long,
        requires = "trials",
        hide_short_help = true,
        help_heading = "Evaluation, on public scores"
    )]
    ordered: bool,

    /// Draw from a given seed: for tests; the output is then not for release
    #[arg(
        long,
        value_name = "N",
        conflicts_with = "ledger",
        hide_short_help = true,
        help_heading = "Evaluation, on public scores"
    )]
    seed: Option<u64>,
}

const MORE: &str = "More options, with examples: dpsis choose --help";

const AFTER_HELP: &str = "\
Examples:
  dpsis choose --eps 1 --sensitivity 0.01 models.csv
  dpsis choose --eps 1 --name-column model --score-column auc --sensitivity 0.01 \\
    results.csv
  dpsis choose --eps 1 --k 3 --sensitivity 1 --monotonic counts.csv
  dpsis choose --eps 1 --advise --relation negative candidates.csv
  dpsis choose --eps 1 --mechanism gem candidates.csv
  dpsis choose --eps 1 --sensitivity largest candidates.csv
  dpsis choose --eps 0.5 --sensitivity 0.01 --ledger budget.txt models.csv
  dpsis choose --eps 2 --k 5 --sums result.csv

Exit codes: 0 released; 2 wrong request; 3 malformed input; 4 ledger too low or
closed; 5 reading or writing failed.";

impl ChooseArguments {
    /// The options of the choice.
    fn options(&self) -> ChooseOptions {
        let columns = [
            ("name", &self.name_column),
            ("score", &self.score_column),
            ("sensitivity", &self.sensitivity_column),
        ];
        let given = |(role, name): (&str, &Option<String>)| Some((role.to_owned(), name.clone()?));
        ChooseOptions {
            candidates: CandidatesOption::File(self.file.clone()),
            columns: columns.into_iter().filter_map(given).collect(),
            k: self.k,
            above: self.above.clone(),
            epsilon: Some(self.budget.eps.to_string()),
            delta: self.delta.delta.as_ref().map(ToString::to_string),
            sensitivity: self.sensitivity.clone(),
            neighbors: Some(word(self.neighbors)),
            monotonic: self.monotonic,
            mechanism: self.mechanism.clone(),
            parameters: self.parameters.named(),
        }
    }

    /// The number of candidates to choose, or the maximum above a level.
    fn k(&self) -> usize {
        self.k.unwrap_or(if self.above.is_some() { usize::MAX } else { 1 })
    }

    /// The scores of candidates.
    fn scores(&self, candidates: &Candidates) -> Result<Scores> {
        candidates.scores(self.neighbors.neighbors(), self.monotonic)
    }

    /// The choice that is not private, if --not-private is given.
    fn baseline(&self) -> Result<Option<Baseline>> {
        match self.mechanism.as_deref() {
            Some(id) if Baseline::IDS.contains(&id) => {
                if !self.not_private {
                    let rule = format!("{id} is not private: it needs --not-private");
                    return Err(Error::request(rule));
                }
                if self.delta.delta.is_some() {
                    let rule = "--delta cannot be combined with --not-private";
                    return Err(Error::request(rule));
                }
                Baseline::by_id(id, self.parameters.noise.as_deref()).map(Some)
            }
            _ if self.not_private => {
                Err(Error::request("--not-private is for sis, random, rnm-h and --advise"))
            }
            _ => Ok(None),
        }
    }
}

pub(super) fn choose(arguments: &ChooseArguments, request: &str) -> Result<()> {
    let file = arguments.file.as_path();
    let inputs: Vec<&Path> = std::iter::once(file).chain(arguments.ledger.file()).collect();
    let output = arguments.output.check(&inputs)?;
    let terms = arguments.ledger.terms(request, arguments.seed);
    arguments.sums.check()?;
    if arguments.sums.sums {
        return sums::release(arguments, &terms, output);
    }
    if arguments.advise {
        return advice::advice(arguments, output.format, output.destination);
    }
    let baseline = arguments.baseline()?;
    if let Some(trials) = arguments.trials {
        if arguments.output.format.is_some_and(|format| format != Format::Text) {
            return Err(Error::request("trials are counted tab-separated: no --format"));
        }
        let document = outcomes(arguments, baseline, trials)?;
        output::remark(&format!(
            "NOT PRIVATE: {trials} choices at epsilon {0} each spent {trials} times {0}; this is an \
             evaluation, not a release\n",
            arguments.budget.eps
        ));
        return output.destination.write(&document);
    }
    match baseline {
        Some(baseline) => compare(arguments, baseline, output.format, output.destination),
        None => output.write(&*terms.choose(&arguments.options())?),
    }
}

/// The count of each outcome: names joined by `>` in the order of the picks, or by `+` in file
/// order.
fn outcomes(
    arguments: &ChooseArguments,
    baseline: Option<Baseline>,
    trials: u64,
) -> Result<String> {
    let (options, seed) = (arguments.options(), arguments.seed);
    // The order is shown only if the mechanism releases it.
    let released = match baseline {
        Some(baseline) => !matches!(baseline, Baseline::Best | Baseline::Random),
        None => options.request()?.releases_order(),
    };
    let candidates = options.candidates()?;
    let join = if arguments.ordered && released { ">" } else { "+" };
    let names = candidates.names();
    if names.iter().any(|name| name.contains(join) || name.contains('\t')) {
        let rule = format!("no name may contain {join:?} or a tab, which separate outcomes");
        return Err(Error::request(rule));
    }
    let counted: NotPrivate<Trials> = match (baseline, seed) {
        (Some(baseline), seed) => {
            let scores = arguments.scores(&candidates)?;
            let (k, epsilon) = (arguments.k(), &arguments.budget.eps);
            Trials::of_baseline(baseline, &scores, k, epsilon, trials, seed)?
        }
        (None, Some(seed)) => options.request()?.seed(seed).trials(&candidates, trials)?,
        (None, None) => options.request()?.trials(&candidates, trials)?,
    };
    let counts: BTreeMap<Vec<usize>, u64> =
        if join == ">" { counted.counts.clone() } else { counted.unordered() };
    let mut text = String::from("outcome\tcount\n");
    for (outcome, count) in counts {
        let names: Vec<&str> = outcome.iter().map(|&i| names[i].as_str()).collect();
        let _ = writeln!(text, "{}\t{count}", names.join(join));
    }
    Ok(text)
}

/// Writes a choice for comparison: the names, with a remark that they are not private.
fn compare(
    arguments: &ChooseArguments,
    baseline: Baseline,
    format: Format,
    destination: Destination,
) -> Result<()> {
    let rule = "a choice for comparison comes as text, json or tsv";
    if !matches!(format, Format::Text | Format::Tsv | Format::Json) {
        return Err(Error::request(rule));
    }
    let candidates = arguments.options().candidates()?;
    let scores = arguments.scores(&candidates)?;
    let picks = baseline.pick(&scores, arguments.k(), &arguments.budget.eps, arguments.seed)?;
    output::remark("NOT PRIVATE: a choice for comparison, by scores that must be public\n");
    let picked = picks.iter().map(|&i| (i + 1, candidates.names()[i].as_str()));
    destination.write(&match format {
        Format::Text => picked.map(|(_, name)| format!("{name}\n")).collect(),
        Format::Tsv => {
            let line =
                |(place, name): (usize, &str)| format!("{}\t{place}\n", name.replace('\t', " "));
            std::iter::once("name\trow\n".to_owned()).chain(picked.map(line)).collect()
        }
        Format::Json => {
            let selected: Vec<_> = picked
                .map(|(index, name)| serde_json::json!({ "name": name, "row": index }))
                .collect();
            report::to_json(&serde_json::json!({
                "version": env!("CARGO_PKG_VERSION"),
                "command": "choose",
                "private": false,
                "selected": selected,
            }))?
        }
        _ => return Err(Error::request(rule)),
    })
}
