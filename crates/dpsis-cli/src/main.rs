//! The command line of `dpsis`: arguments to request to record to output. See `dpsis --help`.

mod arguments;
mod bounds;
mod choose;
mod choose_arguments;
mod compare;
mod datasets;
mod inspect;
mod mechanism_arguments;
mod output;
mod progress;
mod reproduce;
mod run_arguments;
mod schema_file;
mod values;
mod words;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use arguments::{Arguments, Command, Format, Job, OutputArguments, SelectArguments};
use dpsis::{Error, Result};
use output::Destination;

/// Runs the command line and says how it ended.
///
/// 0: released; 2: the request is wrong; 3: the input is malformed; 5: reading or writing failed.
fn main() -> ExitCode {
    #[cfg(feature = "arrow")]
    dpsis::internals::quiet_caught_panics();
    let arguments = match Arguments::try_parse_from(std::env::args_os()) {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version go to stdout with code 0, mistakes to stderr with code 2.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    match execute(arguments.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            output::complain(&error);
            ExitCode::from(words::exit_code(&error))
        }
    }
}

fn execute(command: Command) -> Result<()> {
    match command {
        Command::Select(arguments) => select(&arguments),
        Command::Choose(arguments) => choose::choose(&arguments),
        Command::Inspect(arguments) => inspect::inspect(&arguments),
        Command::Bounds(arguments) => bounds::bounds(&arguments),
        Command::Datasets(arguments) => datasets::datasets(&arguments),
        Command::Compare(arguments) => compare::compare(&arguments),
        Command::Reproduce(arguments) => reproduce::reproduce(&arguments),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Arguments::command(), "dpsis", &mut script);
            Destination::Stdout.write(&String::from_utf8_lossy(&script))
        }
        Command::Man => manual(),
    }
}

fn select(arguments: &SelectArguments) -> Result<()> {
    if arguments.dry_run && arguments.output.format == Format::Html {
        return Err(Error::request("a dry run comes as text or json"));
    }
    let job = arguments.job()?;
    let OutputArguments { format, output, quiet } = &arguments.output;
    let destination = Destination::check(output.as_deref(), &arguments.inputs())?;
    let (format, quiet) = (*format, *quiet);
    let Job { table, select, .. } = &job;
    let not_private = job.not_private();
    if arguments.dry_run {
        let plan = match &not_private {
            Some(request) => request.dry_run(table)?,
            None => select.dry_run(table)?,
        };
        return output::write_plan(&plan, format, quiet, destination);
    }
    match &not_private {
        Some(request) => output::write(&request.run(table)?, format, quiet, destination),
        None => output::write(&select.run(table)?, format, quiet, destination),
    }
}

/// The manual pages of the program and its commands, one after the other.
fn manual() -> Result<()> {
    let mut pages = Vec::new();
    manual_pages(&Arguments::command(), "dpsis", &mut pages)?;
    Destination::Stdout.write(&String::from_utf8_lossy(&pages))
}

/// The page of a command, and those of its own commands.
fn manual_pages(command: &clap::Command, name: &str, pages: &mut Vec<u8>) -> Result<()> {
    clap_mangen::Man::new(command.clone().display_name(name))
        .render(pages)
        .map_err(|error| Error::io(format!("cannot make the manual page: {error}")))?;
    let mut commands = command.get_subcommands();
    commands.try_for_each(|command| {
        manual_pages(command, &format!("{name}-{}", command.get_name()), pages)
    })
}
