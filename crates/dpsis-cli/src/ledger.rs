//! `dpsis ledger`: budget files.

use std::fmt::Write;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use crate::output::{self, Destination};
use crate::privacy_arguments::Relation;
use dpsis::internals::{relation_words, wrapped};
use dpsis::{Balance, Delta, Epsilon, Ledger, LedgerEntry, LedgerTerms, Result, Unit, report};

/// Budget files: the cap of one table, and what was spent of it.
///
/// select, fit and choose pay from such a file with --ledger FILE: the spend is on the disk before
/// the table is read, and a run that would exceed the cap is refused.
#[derive(Debug, Args)]
pub(super) struct LedgerCommands {
    #[command(subcommand)]
    command: LedgerCommand,
}

#[derive(Debug, Subcommand)]
enum LedgerCommand {
    Create(CreateArguments),
    Show(ShowArguments),
}

/// Create a budget file.
///
/// All releases that it pays for have its neighbor relation and unit. Keep one for each table,
/// where nobody replaces it by an older copy.
#[derive(Debug, Args)]
#[command(after_help = CREATE_AFTER_HELP)]
struct CreateArguments {
    /// The file to create
    file: PathBuf,

    /// The most that may be spent on all releases together: 2, 0.5 or 1/3
    #[arg(long, value_name = "EPSILON", allow_hyphen_values = true)]
    cap: Epsilon,

    /// The most that the deltas of all releases may sum to: 0 for purely private releases alone
    #[arg(long, default_value = "0", allow_hyphen_values = true)]
    delta: Delta,

    /// A name, which reports show: it must not be private
    #[arg(long, default_value = "", hide_default_value = true)]
    name: String,

    /// The difference between neighboring tables
    #[arg(long, value_enum, default_value_t = Relation::AddRemove)]
    neighbors: Relation,

    /// The unit that is protected
    #[arg(long, value_enum, default_value_t = StatedUnit::Row)]
    unit: StatedUnit,
}

const CREATE_AFTER_HELP: &str = "\
Example:
  dpsis ledger create --cap 1 --name 'the pilot' budget.txt

Exit codes: 0 created; 2 wrong request; 5 the file exists or cannot be written.";

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum StatedUnit {
    /// A row of the table, or a column where features are rows
    Row,
    /// A person with several rows, told by --unit
    Person,
    /// Another unit, for choose alone: the one that sensitivities are stated for
    Unit,
}

/// Show a budget file: its cap, what is spent and left, and all releases.
#[derive(Debug, Args)]
#[command(after_help = SHOW_AFTER_HELP)]
struct ShowArguments {
    /// The budget file
    file: PathBuf,

    /// The form of the output
    #[arg(long, value_enum, default_value_t = ShowFormat::Text)]
    format: ShowFormat,
}

const SHOW_AFTER_HELP: &str = "\
Example:
  dpsis ledger show budget.txt

Exit codes: 0 shown; 3 no budget file, or a damaged one; 5 reading failed.";

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ShowFormat {
    /// Some lines
    Text,
    /// One JSON document
    Json,
}

pub(super) fn ledger(commands: &LedgerCommands) -> Result<()> {
    match &commands.command {
        LedgerCommand::Create(arguments) => create(arguments),
        LedgerCommand::Show(arguments) => show(arguments),
    }
}

fn create(arguments: &CreateArguments) -> Result<()> {
    let CreateArguments { file, cap, delta, name, neighbors, unit } = arguments;
    let unit = match unit {
        StatedUnit::Row => Unit::Row,
        StatedUnit::Person => Unit::Person,
        StatedUnit::Unit => Unit::Unit,
    };
    let terms = LedgerTerms::new(cap.clone()).delta(delta.clone()).name(name);
    Ledger::create(file, terms.neighbors(neighbors.neighbors()).unit(unit))?;
    output::remark(&format!("{}: created, {cap} to spend\n", file.display()));
    Ok(())
}

fn show(arguments: &ShowArguments) -> Result<()> {
    let balance = Ledger::open(&arguments.file)?.read()?;
    Destination::Stdout.write(&match arguments.format {
        ShowFormat::Text => text(&balance),
        ShowFormat::Json => report::to_json(&balance)?,
    })
}

/// The width of labels, in columns.
const LABEL: usize = 11;

fn text(balance: &Balance) -> String {
    let mut text = String::new();
    let mut line = |label: &str, words: &str| {
        let _ = writeln!(text, "{}", wrapped(&format!("{label:<LABEL$}{words}"), LABEL));
    };
    let LedgerTerms { name, cap, delta, neighbors, unit, .. } = &balance.terms;
    if !name.is_empty() {
        line("ledger", name);
    }
    line("cap", &cap.to_string());
    line("spent", &balance.spent());
    line("left", &balance.left());
    let relation = relation_words(*neighbors, &unit.to_string());
    let spent = match delta.is_zero() {
        true => String::new(),
        false => format!(", of which {} is spent", balance.spent_delta),
    };
    line("for", &format!("{relation}; delta {delta}{spent}"));
    for entry in &balance.entries {
        line(&entry.number.to_string(), &release(entry));
    }
    text
}

/// A release in one line.
fn release(entry: &LedgerEntry) -> String {
    let cut = "the line is cut off";
    let when = entry.when.as_deref().unwrap_or(cut);
    let parts = [entry.command.as_deref().unwrap_or_default(), &entry.note];
    let parts = parts.into_iter().filter(|part| !part.is_empty());
    let delta = match entry.delta.is_zero() {
        true => String::new(),
        false => format!(", delta {}", entry.delta),
    };
    let mut words = format!("epsilon {}{delta}, {when}", entry.epsilon);
    parts.for_each(|part| words.extend([", ", part]));
    if let Some(kind) = &entry.failed {
        let _ = write!(words, " (failed: {kind}; spent all the same)");
    }
    if let Some(returned) = &entry.returned {
        let _ = write!(words, " (ended by its counts: {returned} given back)");
    }
    words
}
