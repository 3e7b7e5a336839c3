//! `dpsis ledger`: budget files.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use crate::output::{self, Destination};
use crate::privacy_arguments::Relation;
use dpsis::{Delta, Epsilon, Ledger, LedgerTerms, Result, Unit, report};

/// Budget files: a cap on all releases about the same people.
///
/// select, fit and choose charge such a file with --ledger FILE: the charge is on the disk before
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
    Note(NoteArguments),
    Close(CloseArguments),
}

/// Create a ledger, a budget file.
///
/// All releases charged to it have its neighbor relation and unit. Keep one for
/// all tables about the same people, where nobody replaces it by an older copy.
#[derive(Debug, Args)]
#[command(after_help = CREATE_AFTER_HELP)]
struct CreateArguments {
    /// The file to create
    file: PathBuf,

    /// The most that may be spent on all releases together, such as 2, 0.5 or 1/3
    #[arg(long, value_name = "EPSILON", allow_hyphen_values = true)]
    cap: Epsilon,

    /// The most that the deltas of all releases may sum to: 0 for purely private releases alone
    #[arg(long, default_value = "0", allow_hyphen_values = true)]
    delta: Delta,

    /// A name, which reports show: it must not be private
    #[arg(long, default_value = "", hide_default_value = true)]
    name: String,

    /// The difference between neighboring tables
    #[arg(long, value_enum, value_name = "RELATION", default_value_t = Relation::AddRemove)]
    neighbors: Relation,

    /// The unit that all releases protect
    #[arg(long, value_enum, value_name = "UNIT", default_value_t = PrivacyUnit::Row)]
    privacy_unit: PrivacyUnit,

    /// A first note, such as who signed the budget off: it must not be private
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    note: String,
}

const CREATE_AFTER_HELP: &str = "\
Examples:
  dpsis ledger create --cap 1 --name 'the pilot' budget.txt
  dpsis ledger create --cap 1 --note 'signed off by the board' budget.txt

Exit codes: 0 created; 2 wrong request; 5 the file exists or cannot be written.";

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PrivacyUnit {
    /// A row of the table, or a column where features are rows
    Row,
    /// A person with several rows, identified by --unit of the releases
    Person,
    /// The unit of the sensitivities, for choose alone
    Unit,
}

/// Show a budget file: cap, spent and remaining budget, releases and notes.
///
/// A run without a recorded end was stopped or still goes on: its budget counts as spent.
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
Examples:
  dpsis ledger show budget.txt
  dpsis ledger show --format html budget.txt > budget.html

Exit codes: 0 shown; 3 not a budget file, or a damaged one; 5 reading failed.";

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ShowFormat {
    /// Some lines
    Text,
    /// One JSON document
    Json,
    /// A self-contained page
    Html,
}

/// Append a note to a budget file.
///
/// The note is recorded with the time. It changes neither the budget nor any earlier line.
#[derive(Debug, Args)]
#[command(after_help = NOTE_AFTER_HELP)]
struct NoteArguments {
    /// The budget file
    file: PathBuf,

    /// The note, in one line: it must not be private
    text: String,
}

const NOTE_AFTER_HELP: &str = "\
Example:
  dpsis ledger note budget.txt 'the board allows one more look'

Exit codes: 0 noted; 2 wrong request; 3 not a budget file, or a damaged one;
5 reading or writing failed.";

/// Close a budget file: no more releases can be charged.
///
/// A run that was charged before may still end, and notes may be added. It cannot be opened again.
#[derive(Debug, Args)]
#[command(after_help = CLOSE_AFTER_HELP)]
struct CloseArguments {
    /// The budget file
    file: PathBuf,

    /// Why, in one line: it must not be private
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    note: String,
}

const CLOSE_AFTER_HELP: &str = "\
Example:
  dpsis ledger close --note 'the study is over' budget.txt

Exit codes: 0 closed; 2 wrong request, or it is closed; 3 not a budget file, or
a damaged one; 5 reading or writing failed.";

pub(super) fn ledger(commands: &LedgerCommands) -> Result<()> {
    match &commands.command {
        LedgerCommand::Create(arguments) => create(arguments),
        LedgerCommand::Show(arguments) => show(arguments),
        LedgerCommand::Note(arguments) => Ledger::open(&arguments.file)?.note(&arguments.text),
        LedgerCommand::Close(arguments) => Ledger::open(&arguments.file)?.close(&arguments.note),
    }
}

fn create(arguments: &CreateArguments) -> Result<()> {
    let CreateArguments { file, cap, delta, name, neighbors, privacy_unit, note } = arguments;
    let unit = match privacy_unit {
        PrivacyUnit::Row => Unit::Row,
        PrivacyUnit::Person => Unit::Person,
        PrivacyUnit::Unit => Unit::Unit,
    };
    let terms = LedgerTerms::new(cap.clone()).delta(delta.clone()).name(name);
    let terms = terms.neighbors(neighbors.neighbors()).unit(unit);
    Ledger::create_with_note(file, terms, note)?;
    output::remark(&format!("{}: created, {cap} to spend\n", file.display()));
    Ok(())
}

fn show(arguments: &ShowArguments) -> Result<()> {
    let balance = Ledger::open(&arguments.file)?.read()?;
    Destination::Stdout.write(&match arguments.format {
        ShowFormat::Text => report::ledger(&balance),
        ShowFormat::Json => report::to_json(&balance)?,
        ShowFormat::Html => report::to_html(&balance)?,
    })
}
