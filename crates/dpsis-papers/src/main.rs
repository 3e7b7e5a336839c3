//! The program `dpsis-papers`; see `dpsis-papers --help`.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;

use clap::Parser;
use dpsis::internals::{checked_threads, wrapped};
use dpsis::{Error, ErrorKind, Result};
use dpsis_eval::OutputFolder;

use dpsis_papers::experiments::{self, Experiment, Named, reproduce};

/// Run the papers' experiments again, on public and synthetic data.
///
/// Writes data, figures and a page that compares the statements of the papers with the results. A
/// run that was stopped is resumed when it is started again in the same folder.
#[derive(Debug, Parser)]
#[command(name = "dpsis-papers", version, max_term_width = 80, after_help = after_help())]
struct Arguments {
    /// An experiment, a group of them, or all
    #[arg(value_name = "NAME")]
    name: String,

    /// The folder that holds the public sets (see dpsis datasets): NAME.csv, NAME.csv.gz or
    /// NAME.RData, there or in csv/ or raw/ below it; missing ones are left out by name
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,

    /// The interactions of users with items that recommend is run on: CSV user,item[,rating] or the
    /// u.data of MovieLens, plain or compressed [default: a generated set]
    #[arg(long, value_name = "FILE")]
    interactions: Option<PathBuf>,

    /// The folder for data, figures and index.html: new, or one that dpsis-papers has made
    #[arg(short, long, value_name = "OUT", default_value = "results")]
    output: PathBuf,

    /// Repetitions of each draw
    #[arg(long, value_name = "N", default_value_t = 100)]
    trials: u64,

    /// The seed of all draws
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// Threads [default: all cores]; the result does not depend on it
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
}

fn after_help() -> String {
    let widest = |of: fn(&Named) -> &'static str| {
        experiments::ALL.iter().map(|one| of(one).len()).max().unwrap_or(0)
    };
    let (name, group) = (widest(|one| one.name), widest(|one| one.group));
    let line =
        |one: &Named| format!("  {:<name$}  {:<group$}  {}\n", one.name, one.group, one.about);
    let lines: String = experiments::ALL.iter().map(line).collect();
    format!(
        "Experiments, their groups and what they show:\n{lines}\nExamples:\n  \
         dpsis-papers dp-sis --data sets -o results\n  dpsis-papers heterogeneous -o results"
    )
}

/// Runs the program. Exit codes are the same as of `dpsis`: 2 for a wrong request, 3 for malformed
/// input, 5 where reading or writing failed.
fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            remark(&format!("dpsis-papers: error: {error}"));
            ExitCode::from(match error.kind() {
                ErrorKind::Request => 2,
                ErrorKind::Input => 3,
                _ => 5,
            })
        }
    }
}

/// Lines on stderr; a closed one is ignored.
fn remark(lines: &str) {
    for line in lines.trim_end().lines() {
        let _ = writeln!(std::io::stderr(), "{}", wrapped(line, 2));
    }
}

fn run(arguments: &Arguments) -> Result<()> {
    let chosen = experiments::named(&arguments.name)?;
    if arguments.trials < 2 {
        return Err(Error::request("there must be at least two trials"));
    }
    let threads = checked_threads(arguments.threads)?;
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
        remark("without --data, what needs the public sets is not run");
    }
    let shown = Mutex::new(String::new());
    // Report each step in a line, on a terminal alone.
    let progress = |what: &str, _: f64| {
        let mut shown = shown.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if *shown != what && std::io::stderr().is_terminal() {
            remark(what);
            what.clone_into(&mut shown);
        }
    };
    let frame = Experiment {
        output: &folder,
        data: arguments.data.as_deref(),
        interactions: arguments.interactions.as_deref(),
        trials: arguments.trials,
        seed: arguments.seed,
        threads,
        progress: &progress,
    };
    let mut lines = reproduce(&arguments.name, &chosen, &frame)?;
    lines.push(arguments.output.join("index.html").display().to_string());
    match writeln!(std::io::stdout(), "{}", lines.join("\n")) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Error::io(format!("cannot write to stdout: {}", error.kind())))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_definition_of_the_arguments_is_consistent() {
        super::Arguments::command().debug_assert();
    }
}
