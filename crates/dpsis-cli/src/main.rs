//! The command line of `dpsis`: converts arguments to requests and records to output. See
//! `dpsis --help`.

mod account;
mod audit;
mod bounds;
mod choose;
mod compare;
mod datasets;
mod elsewhere;
mod files;
mod fit;
mod given_table;
mod group_arguments;
mod help;
mod inspect;
mod ledger;
mod ledger_arguments;
mod mechanism_arguments;
mod output;
mod output_arguments;
mod partial;
mod plan;
mod predict;
mod privacy_arguments;
mod program;
mod progress;
mod report;
mod run_arguments;
mod run_note;
mod schema_file;
mod score_arguments;
mod select;
mod sites;
mod sql;
mod sums_release;
mod table_arguments;
mod target_arguments;
mod values;
mod verify;
mod weights;
mod words;

use std::process::ExitCode;

use clap::{ArgMatches, FromArgMatches};

use dpsis::Result;
use elsewhere::{with_one_dash, with_words_here};
use output::Destination;
use program::{Arguments, execute, program};

/// Runs the command line and returns its exit code.
///
/// 0: released, or the claim holds; 1: `verify` or `audit` found a claim violated; 2: the request
/// is wrong; 3: the input is malformed; 4: the budget is too small; 5: reading or writing failed.
fn main() -> ExitCode {
    #[cfg(feature = "arrow")]
    dpsis::internals::quiet_caught_panics();
    if let Some(help) = help::of_two_screens(program, words().skip(1)) {
        return ended(Destination::Stdout.write(&help).map(|()| ExitCode::SUCCESS));
    }
    let (arguments, matches) = match parse() {
        Ok(parsed) => parsed,
        Err(error) => {
            // Help and version go to stdout with code 0, mistakes to stderr with code 2.
            if !error.use_stderr() {
                return ended(output::printed(error.print()).map(|()| ExitCode::SUCCESS));
            }
            if std::env::args_os().len() < 2 {
                output::remark(FIRST_COMMANDS);
                return ExitCode::from(2);
            }
            let plain = error.render().to_string();
            let lines = output::wrapped_lines(&plain);
            // The original may contain colors.
            if lines == plain {
                let _ = error.print();
            } else {
                output::remark(&plain);
            }
            return ExitCode::from(2);
        }
    };
    ended(execute(arguments.command, &matches))
}

/// Shown when `dpsis` is run without a command.
const FIRST_COMMANDS: &str =
    "dpsis selects the features of a sensitive table that are associated with an
outcome, under differential privacy.

To begin:
  dpsis inspect data.csv               the contents of the table, and a command
                                       for it: not private, for you alone
  dpsis plan --n 500 --d 300 --eps 2   the effect sizes that 500 rows can show;
                                       reads no data
  dpsis select --eps 2 data.csv        the features shown to be associated,
                                       perhaps none; with --k 5 always five

All commands: dpsis --help
";

/// The exit code of an outcome; reports an error.
fn ended(outcome: Result<ExitCode>) -> ExitCode {
    outcome.unwrap_or_else(|error| {
        output::complain(&error);
        ExitCode::from(words::exit_code(&error))
    })
}

/// The words of the command line, of which clap refuses some that are not text.
fn words() -> impl Iterator<Item = String> {
    std::env::args_os().map(|word| word.to_string_lossy().into_owned())
}

/// Parses the arguments of the program; also returns clap's matches.
fn parse() -> std::result::Result<(Arguments, ArgMatches), clap::Error> {
    let mut command = program();
    command.build();
    if let Some(error) = with_one_dash(&command, words().skip(1)) {
        return Err(error);
    }
    let matches = command.try_get_matches_from_mut(std::env::args_os()).map_err(|error| {
        let given = words().nth(1).unwrap_or_default();
        with_words_here(error, command.find_subcommand(given))
    })?;
    let arguments = Arguments::from_arg_matches(&matches);
    arguments.map(|arguments| (arguments, matches)).map_err(|error| error.format(&mut command))
}
