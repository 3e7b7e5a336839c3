//! `dpsis audit`: a black-box test of a release on two neighboring tables.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use clap::Args;

use crate::mechanism_arguments::ParameterArguments;
use crate::output::{self, Destination, TextOrJson};
use crate::privacy_arguments::BudgetArgument;
use crate::progress::Steps;
use crate::select::SelectArguments;
use dpsis::internals::grouped;
use dpsis::mechanism::CARDS;
use dpsis::verify::{Audited, Claim, Tally};
use dpsis::{Error, Neighbors, Rehearsal, Result, Scores, report};

/// Test a claimed epsilon by many draws on two neighboring tables.
///
/// Draws the same release many times on two files that differ in one row, or on two lists of
/// scores, and bounds the true epsilon from below (Clopper-Pearson, alpha 1e-6). NOT PRIVATE: for
/// test files only.
#[derive(Debug, Args)]
#[command(after_help = MORE, after_long_help = AFTER_HELP)]
pub(super) struct AuditArguments {
    /// A table, and one with a row added or removed, or, with -- --neighbors replace-one, a row
    /// replaced
    #[arg(
        display_order = 0,
        num_args = 2,
        value_names = ["A", "B"],
        required_unless_present = "mechanism"
    )]
    files: Vec<PathBuf>,

    #[command(flatten)]
    budget: BudgetArgument,

    /// The delta of the claim
    #[arg(long, value_name = "DELTA", default_value_t = 0.0, allow_hyphen_values = true)]
    delta: f64,

    /// How many draws on each table [default: 1000000 of a mechanism, 100000 of select, 2000 of a
    /// command]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(2..=1_000_000_000))]
    draws: Option<u64>,

    /// How many are picked
    #[arg(short, long, default_value_t = 1, conflicts_with = "command")]
    k: usize,

    /// Options of dpsis select, after --
    #[arg(last = true, value_name = "OPTION", conflicts_with_all = ["command", "mechanism"])]
    select: Vec<String>,

    /// A program instead of select; its words, with {file} for the table
    #[arg(long, value_name = "WORDS", help_heading = "Other releases")]
    command: Option<String>,

    /// A mechanism on two lists of scores, instead of files
    #[arg(
        long,
        value_name = "ID",
        hide_possible_values = true,
        value_parser = clap::builder::PossibleValuesParser::new(CARDS.map(|card| card.id)),
        requires = "scores",
        conflicts_with_all = ["files", "command"],
        help_heading = "Other releases"
    )]
    mechanism: Option<String>,

    /// With --mechanism: scores on each table: 5,3,9 4,3,8
    #[arg(
        long,
        num_args = 2,
        value_names = ["A", "B"],
        requires = "mechanism",
        allow_hyphen_values = true,
        help_heading = "Other releases"
    )]
    scores: Vec<String>,

    /// With --mechanism: the sensitivity of all scores, or one each: 1 or 1,2,4
    #[arg(
        long,
        value_name = "S",
        value_delimiter = ',',
        default_value = "1",
        requires = "mechanism",
        hide_short_help = true,
        help_heading = "Other releases"
    )]
    sensitivity: Vec<u64>,

    #[command(flatten)]
    parameters: ParameterArguments,

    /// Draw from a given seed, not for --command
    #[arg(long, value_name = "N", conflicts_with = "command", hide_short_help = true)]
    seed: Option<u64>,

    /// text or json
    #[arg(
        long,
        value_enum,
        default_value_t = TextOrJson::Text,
        hide_possible_values = true,
        help_heading = "Output"
    )]
    format: TextOrJson,

    /// Write the output to this file, whole or not at all
    #[arg(short, long, value_name = "FILE", hide_short_help = true, help_heading = "Output")]
    output: Option<PathBuf>,

    /// No progress on the terminal
    #[arg(long, hide_short_help = true, help_heading = "Output")]
    no_progress: bool,
}

const MORE: &str = "More options, with examples: dpsis audit --help";

const AFTER_HELP: &str = "Examples:
  dpsis audit a.csv b.csv --eps 1 --k 2
  dpsis audit a.csv b.csv --eps 1 \
     --draws 100000 -- --bounds 0,1 --target dose
  dpsis audit a.csv b.csv --eps 1 --draws 2000 --command 'python3 \
     my.py {file}'
  dpsis audit --mechanism peel --scores 5,3,9 4,3,8 --k 2 --eps 1

A command is run without a \
     shell: its words are separated by blanks.
The outcome of a command is its stdout and its exit code.

Exit \
     codes: 0 consistent with the claim; 1 the claim is violated; 2 wrong
request; 3 malformed input; 5 reading, \
     writing or starting a program failed.";

/// The default number of draws on each table.
const OF_MECHANISM: u64 = 1_000_000;
const OF_SELECTION: u64 = 100_000;
const OF_COMMAND: u64 = 2000;

/// Tests the claim; returns whether the draws are consistent with it.
pub(super) fn audit(arguments: &AuditArguments) -> Result<bool> {
    let inputs: Vec<&Path> = arguments.files.iter().map(PathBuf::as_path).collect();
    let destination = Destination::check(arguments.output.as_deref(), &inputs)?;
    let claim = Claim::new(arguments.budget.eps.clone()).delta(arguments.delta)?;
    if arguments.mechanism.is_none() && arguments.parameters.is_given() {
        let rule = "give parameters of a mechanism with --mechanism, or after -- for select";
        return Err(Error::request(rule));
    }
    let steps = Steps::new(!arguments.no_progress);
    let found = match (&arguments.command, &arguments.mechanism) {
        (Some(command), _) => arguments.of_command(command, &claim, &steps),
        (None, Some(id)) => arguments.of_mechanism(id, &claim),
        (None, None) => arguments.of_selection(&claim, &steps),
    };
    steps.finish();
    let found = found?;
    output::remark("NOT PRIVATE: many draws on one table reveal its rows\n");
    destination.write(&match arguments.format {
        TextOrJson::Json => report::to_json(&found)?,
        TextOrJson::Text => report::audit(&found),
    })?;
    Ok(found.consistent)
}

impl AuditArguments {
    /// Reports the number of draws, and the violations they can detect, before they are made.
    fn announce(&self, claim: &Claim, default: u64) -> u64 {
        let draws = self.draws.unwrap_or(default);
        let what = match claim.detectable(draws) {
            Some(epsilon) => {
                format!("of two outcomes, a true epsilon from about {epsilon:.3} on would be found")
            }
            None => "no violation could be found by this few".to_owned(),
        };
        output::remark(&format!("{} draws on each table: {what}\n", grouped(draws.into())));
        draws
    }

    fn of_selection(&self, claim: &Claim, steps: &Steps) -> Result<Audited> {
        self.check_neighbors()?;
        let tables = self.files.iter().map(|file| self.rehearsal(file));
        let tables: Vec<Rehearsal> = tables.collect::<Result<_>>()?;
        let draws = self.announce(claim, OF_SELECTION);
        match tables.as_slice() {
            [a, b] => claim.audit_selection([a, b], self.k, draws, self.seed, |share| {
                steps.show("draws", share)
            }),
            _ => Err(Error::request("give two files")),
        }
    }

    /// The simulation of the selection on a file.
    fn rehearsal(&self, file: &Path) -> Result<Rehearsal> {
        let eps = self.budget.eps.to_string();
        let k = self.k.to_string();
        let file = file.to_string_lossy().into_owned();
        let mut words = ["select", "--k", &k, "--eps", &eps].map(str::to_owned).to_vec();
        words.extend(self.select.iter().cloned());
        words.extend(["--no-progress".to_owned(), "--".to_owned(), file]);
        let rule =
            "what stands after -- must be options of dpsis select, without --k, --eps and files";
        let arguments = SelectArguments::from_words(&words).ok_or_else(|| Error::request(rule))?;
        if arguments.ledger.file().is_some() {
            return Err(Error::request("an audit releases nothing: it takes no --ledger"));
        }
        let job = arguments.job(&arguments.inputs()?)?;
        match arguments.terms("").not_private(&job.select) {
            Some(request) => Rehearsal::new(request, &job.table),
            None => Rehearsal::new(job.select, &job.table),
        }
    }

    fn of_mechanism(&self, id: &str, claim: &Claim) -> Result<Audited> {
        let mechanism = self.parameters.mechanism(id)?;
        let scores: Vec<Scores> =
            self.scores.iter().map(|text| self.scores_of(text)).collect::<Result<_>>()?;
        let [a, b] = scores.as_slice() else {
            return Err(Error::request("give two lists of scores"));
        };
        if a.values().len() != b.values().len() {
            return Err(Error::request("both lists must have as many scores"));
        }
        let moved = a.values().iter().zip(b.values()).map(|(a, b)| a.abs_diff(*b));
        let own = self.sensitivity.iter().copied().cycle();
        if moved.zip(own).any(|(moved, own)| moved > own) {
            let rule = "a score differs by more than its sensitivity: these are not neighbors";
            return Err(Error::request(rule));
        }
        let draws = self.announce(claim, OF_MECHANISM);
        claim.audit_mechanism(&*mechanism, [a, b], self.k, &self.budget.eps, draws, self.seed)
    }

    fn scores_of(&self, text: &str) -> Result<Scores> {
        let one = |part: &str| part.trim().parse::<i64>();
        let values: Vec<i64> =
            text.split(',').map(one).collect::<std::result::Result<_, _>>().map_err(|_| {
                Error::request("scores must be whole numbers with commas between them: 5,3,9")
            })?;
        match self.sensitivity.as_slice() {
            [common] => Scores::new(values, *common, Neighbors::AddRemove),
            each => Scores::with_sensitivities(values, each.to_vec(), Neighbors::AddRemove),
        }
    }

    fn of_command(&self, command: &str, claim: &Claim, steps: &Steps) -> Result<Audited> {
        if !command.contains("{file}") {
            return Err(Error::request("the command must say where the table goes: {file}"));
        }
        for file in &self.files {
            std::fs::metadata(file).map_err(|error| Error::cannot_read(file, &error))?;
        }
        self.check_neighbors()?;
        let draws = self.announce(claim, OF_COMMAND);
        let (mut tally, start) = (Tally::new(), Instant::now());
        let mut has_succeeded = false;
        for i in 0..draws {
            for (second, file) in [false, true].into_iter().zip(&self.files) {
                let outcome = outcome(command, file)?;
                has_succeeded |= outcome.0 == Some(0);
                tally.add(second, outcome);
            }
            if i == 9 && draws > 10 {
                let left = start.elapsed().as_secs_f64() / 10.0 * (draws - 10) as f64;
                output::remark(&format!("about {left:.0} s to go\n"));
            }
            steps.show("draws", (i + 1) as f64 / draws as f64);
        }
        if !has_succeeded {
            return Err(Error::request("every run of the command failed: nothing was released")
                .hint("it is run without a shell; try it on one of the files first"));
        }
        Ok(tally.judge(claim))
    }

    /// Checks that two text files are neighbors: at most one line of each is missing in the other,
    /// and for a selection the first lines are equal. The user is responsible for other formats,
    /// tables whose features are rows, and people with several rows.
    fn check_neighbors(&self) -> Result<()> {
        let texts: Vec<String> =
            self.files.iter().filter_map(|file| std::fs::read_to_string(file).ok()).collect();
        let [a, b] = texts.as_slice() else { return Ok(()) };
        let is_left = |word: &String| {
            word.contains("features-as-rows") || word == "--unit" || word.starts_with("--unit=")
        };
        if self.select.iter().any(is_left) {
            return Ok(());
        }
        let mut counts: BTreeMap<&str, i64> = BTreeMap::new();
        a.lines().for_each(|line| *counts.entry(line).or_default() += 1);
        b.lines().for_each(|line| *counts.entry(line).or_default() -= 1);
        let more = counts.values().filter(|count| **count > 0).sum::<i64>();
        let less = -counts.values().filter(|count| **count < 0).sum::<i64>();
        let is_other_table = self.command.is_none() && a.lines().next() != b.lines().next();
        if is_other_table || more > 1 || less > 1 {
            return Err(Error::request(
                "the files differ in more than one row: these are not neighbors",
            ));
        }
        // The relation of a command is not known here.
        let replaces = self.select.windows(2).any(|pair| pair == ["--neighbors", "replace-one"])
            || self.select.iter().any(|word| word == "--neighbors=replace-one");
        if self.command.is_none() && more + less > 0 && replaces != (more == less) {
            let rule = match replaces {
                true => "with --neighbors replace-one the files must have equally many rows",
                false => {
                    "a replaced row is two steps of adding and removing rows, the default relation: leave one row out of \
                     a file, or give -- --neighbors replace-one"
                }
            };
            return Err(Error::request(rule));
        }
        if more + less == 0 {
            output::remark("the files have the same rows: nothing can be found\n");
        }
        Ok(())
    }
}

/// Runs a command; returns its exit code and its stdout.
fn outcome(command: &str, file: &Path) -> Result<(Option<i32>, Vec<u8>)> {
    let path = file.to_string_lossy();
    let mut words = command.split_whitespace().map(|word| word.replace("{file}", &path));
    let program = words.next().unwrap_or_default();
    let run =
        Command::new(&program).args(words).stdin(Stdio::null()).stderr(Stdio::null()).output();
    let run =
        run.map_err(|error| Error::io(format!("cannot start {program}: {}", error.kind())))?;
    Ok((run.status.code(), run.stdout))
}
