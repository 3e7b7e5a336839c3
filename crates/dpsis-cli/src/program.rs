//! The program with all of its commands, and their execution.

use std::process::ExitCode;

use clap::{ArgMatches, CommandFactory, Parser, Subcommand};

use crate::account::{AccountArguments, account};
use crate::audit::{AuditArguments, audit};
use crate::bounds::{BoundsArguments, bounds};
use crate::choose::{ChooseArguments, choose};
use crate::compare::{CompareArguments, compare};
use crate::datasets::{DatasetsArguments, datasets};
use crate::fit::{FitArguments, fit};
use crate::help::with_help_all;
use crate::inspect::{InspectArguments, inspect};
use crate::ledger::{LedgerCommands, ledger};
use crate::output::Destination;
use crate::output_arguments::check_ending;
use crate::partial::{PartialArguments, partial};
use crate::plan::{PlanArguments, plan};
use crate::predict::{PredictArguments, predict};
use crate::report::{ReportArguments, report};
use crate::run_note::request;
use crate::select::{SelectArguments, select};
use crate::sites::{SiteCommands, sites};
use crate::sql::{SqlArguments, sql};
use crate::verify::{VerifyArguments, verify};
use crate::weights::{WeightsArguments, weights};
use dpsis::internals::wrapped;
use dpsis::{Error, Result};

/// Differentially private feature selection.
///
/// Selects features of a sensitive table that are associated with a target, under pure
/// epsilon-differential privacy: nothing is released outside the budget.
#[derive(Debug, Parser)]
#[command(name = "dpsis", version, max_term_width = 80)]
pub(super) struct Arguments {
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    Select(Box<SelectArguments>),
    Fit(Box<FitArguments>),
    Predict(Box<PredictArguments>),
    Report(ReportArguments),
    Choose(Box<ChooseArguments>),
    Partial(Box<PartialArguments>),
    Sites(SiteCommands),
    Sql(Box<SqlArguments>),
    Plan(Box<PlanArguments>),
    Ledger(LedgerCommands),
    Account(AccountArguments),
    Inspect(Box<InspectArguments>),
    Compare(Box<CompareArguments>),
    Verify(Box<VerifyArguments>),
    Audit(Box<AuditArguments>),
    Bounds(Box<BoundsArguments>),
    Weights(Box<WeightsArguments>),
    Datasets(DatasetsArguments),
    /// Print completions for a shell
    Completions {
        /// The shell
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man,
}

/// The commands in the order of the help: common ones, advanced ones.
const GROUPS: [(&str, &[&str]); 2] = [
    ("Commands", &["select", "fit", "predict", "report", "plan", "inspect", "ledger"]),
    (
        "Advanced",
        &[
            "partial", "sites", "sql", "choose", "bounds", "weights", "verify", "audit", "account",
            "compare", "datasets",
        ],
    ),
];

/// The commands about the program itself.
const OTHERS: [&str; 3] = ["completions", "man", "help"];

/// The program with its help in groups.
pub(super) fn program() -> clap::Command {
    let mut program = Arguments::command();
    // Adds the command `help`.
    program.build();
    let mut commands = String::new();
    for (group, names) in GROUPS {
        commands += &format!("\n{group}:\n");
        for name in names {
            let about = program.find_subcommand(name).and_then(clap::Command::get_about);
            let line =
                format!("  {name:<13}{}", about.map(ToString::to_string).unwrap_or_default());
            commands += &format!("{}\n", wrapped(&line, 15));
        }
    }
    commands += &format!("Others: {}\n", OTHERS.join(", "));
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n{commands}\nOptions:\n{{options}}"
    );
    with_help_all(Arguments::command()).help_template(template)
}

/// Runs a command and returns its exit code; `matches` are the parsed arguments.
pub(super) fn execute(command: Command, matches: &ArgMatches) -> Result<ExitCode> {
    if let (Command::Select(_) | Command::Choose(_) | Command::Fit(_), Some((_, given))) =
        (&command, matches.subcommand())
    {
        check_ending(given)?;
    }
    let done = match command {
        Command::Select(arguments) => select(&arguments, &request(&program(), matches)),
        Command::Fit(arguments) => fit(&arguments, &request(&program(), matches)),
        Command::Predict(arguments) => predict(&arguments),
        Command::Report(arguments) => report(&arguments),
        Command::Choose(arguments) => choose(&arguments, &request(&program(), matches)),
        Command::Partial(arguments) => partial(&arguments),
        Command::Sites(arguments) => sites(&arguments),
        Command::Sql(arguments) => sql(&arguments),
        Command::Plan(arguments) => plan(&arguments),
        Command::Ledger(arguments) => ledger(&arguments),
        Command::Account(arguments) => account(&arguments),
        Command::Inspect(arguments) => inspect(&arguments),
        Command::Bounds(arguments) => bounds(&arguments),
        Command::Weights(arguments) => weights(&arguments),
        Command::Datasets(arguments) => datasets(&arguments),
        Command::Compare(arguments) => compare(&arguments),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut program(), "dpsis", &mut script);
            Destination::Stdout.write(&String::from_utf8_lossy(&script))
        }
        Command::Man => manual(),
        Command::Verify(arguments) => return verify(&arguments).map(code_of_claim),
        Command::Audit(arguments) => return audit(&arguments).map(code_of_claim),
    };
    done.map(|()| ExitCode::SUCCESS)
}

/// The exit code: 1 if the claim is violated.
fn code_of_claim(holds: bool) -> ExitCode {
    if holds { ExitCode::SUCCESS } else { ExitCode::from(1) }
}

/// The manual pages of the program and its commands, one after the other.
fn manual() -> Result<()> {
    let mut pages = Vec::new();
    manual_pages(&Arguments::command(), "dpsis", &mut pages)?;
    Destination::Stdout.write(&String::from_utf8_lossy(&pages))
}

/// The manual pages of a command and its subcommands.
fn manual_pages(command: &clap::Command, name: &str, pages: &mut Vec<u8>) -> Result<()> {
    clap_mangen::Man::new(command.clone().display_name(name))
        .render(pages)
        .map_err(|error| Error::io(format!("cannot make the manual page: {error}")))?;
    let mut commands = command.get_subcommands();
    commands.try_for_each(|command| {
        manual_pages(command, &format!("{name}-{}", command.get_name()), pages)
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::help::ADVANCED;

    #[test]
    fn the_definition_of_the_arguments_is_consistent() {
        program().debug_assert();
    }

    #[test]
    fn every_command_is_in_one_group() {
        let mut listed: Vec<&str> =
            GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).chain(OTHERS).collect();
        let mut program = Arguments::command();
        program.build();
        let mut all: Vec<&str> = program.get_subcommands().map(clap::Command::get_name).collect();
        listed.sort_unstable();
        all.sort_unstable();
        assert_eq!(listed, all);
    }

    #[test]
    fn every_advanced_option_exists() {
        fn collect(command: &clap::Command, options: &mut BTreeSet<String>) {
            options
                .extend(command.get_arguments().filter_map(|arg| arg.get_long()).map(String::from));
            command.get_subcommands().for_each(|command| collect(command, options));
        }
        let mut options = BTreeSet::new();
        collect(&program(), &mut options);
        let unknown: Vec<_> = ADVANCED.iter().filter(|name| !options.contains(**name)).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
        assert!(ADVANCED.is_sorted());
    }
}
