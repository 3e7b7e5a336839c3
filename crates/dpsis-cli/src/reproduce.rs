//! `dpsis reproduce`: the papers' experiments.

use std::path::PathBuf;

use clap::Args;

use crate::output::{self, Destination};
use crate::run_arguments::RunArguments;
use dpsis::{Error, Result};
use dpsis_eval::OutputFolder;
use dpsis_eval::experiments::{self, Experiment, reproduce as run};

/// Run the papers' experiments again, on public and synthetic data.
///
/// Writes data, figures and a page that compares the statements of the papers with the results. A run
/// that was stopped is resumed when it is started again in the same folder.
#[derive(Debug, Args)]
#[command(after_help = MORE, after_long_help = after_help())]
pub(super) struct ReproduceArguments {
    /// An experiment, a group of them, or all
    #[arg(value_name = "NAME")]
    name: String,

    /// The folder that holds the public sets (see dpsis datasets): NAME.csv, NAME.csv.gz or NAME.RData, there
    /// or in csv/ or raw/ below it; missing ones are left out by name
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,

    /// The interactions of users with items that recommend is run on: CSV user,item[,rating] or the u.data of
    /// MovieLens, plain or compressed [default: a generated set]
    #[arg(long, value_name = "FILE")]
    interactions: Option<PathBuf>,

    /// The folder for data, figures and index.html: new, or one that reproduce has made
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,

    /// Repetitions of each draw
    #[arg(long, value_name = "N", default_value_t = 100)]
    trials: u64,

    #[command(flatten)]
    run: RunArguments,
}

const MORE: &str = "The experiments, with an example: dpsis reproduce --help";

fn after_help() -> String {
    let widest = |of: fn(&experiments::Named) -> &'static str| {
        experiments::ALL.iter().map(|one| of(one).len()).max().unwrap_or(0)
    };
    let (name, group) = (widest(|one| one.name), widest(|one| one.group));
    let line = |one: &experiments::Named| {
        format!("  {:<name$}  {:<group$}  {}\n", one.name, one.group, one.about)
    };
    let lines: String = experiments::ALL.iter().map(line).collect();
    format!(
        "Experiments, their groups and what they show:\n{lines}\nExamples:\n  \
         dpsis reproduce dp-sis --data sets -o results\n  dpsis reproduce heterogeneous -o results"
    )
}

pub(super) fn reproduce(arguments: &ReproduceArguments) -> Result<()> {
    let chosen = experiments::named(&arguments.name)?;
    if arguments.trials < 2 {
        return Err(Error::request("there must be at least two trials"));
    }
    let threads = arguments.run.threads()?;
    if let Some(folder) = arguments.data.as_ref().filter(|folder| !folder.is_dir()) {
        let folder = folder.display();
        return Err(Error::io(format!("the folder of data, {folder}, is not there")));
    }
    if let Some(file) = arguments.interactions.as_ref().filter(|file| !file.exists()) {
        let file = file.display();
        return Err(Error::io(format!("the file of interactions, {file}, is not there")));
    }
    let folder = OutputFolder::open(&arguments.output, "reproduce")?;
    if arguments.data.is_none() && chosen.iter().any(|one| one.is_on_tables()) {
        output::remark("without --data, what needs the public sets is not run\n");
    }
    let steps = arguments.run.steps();
    let frame = Experiment {
        output: &folder,
        data: arguments.data.as_deref(),
        interactions: arguments.interactions.as_deref(),
        trials: arguments.trials,
        seed: arguments.run.seed,
        threads,
        progress: &|what, share| steps.show(what, share),
    };
    let titles = run(&arguments.name, &chosen, &frame)?;
    steps.finish();
    let lines: String = titles.iter().map(|title| format!("{title}\n")).collect();
    let page = arguments.output.join("index.html");
    Destination::Stdout.write(&format!("{lines}{}\n", page.display()))
}
