//! `dpsis datasets`: the known data sets, and their import.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};

use crate::output::{self, Destination};
use dpsis::internals::wrapped;
use dpsis::{Error, Result};
use dpsis_eval::datasets::{self, DataSet, Form, Origin, PublicTable};
use dpsis_eval::design;
use dpsis_eval::planted::{self, Kind, Size};

/// Public data sets: the manifest, and their import.
#[derive(Debug, Args)]
pub(super) struct DatasetsArguments {
    #[command(subcommand)]
    command: DatasetsCommand,
}

#[derive(Debug, Subcommand)]
enum DatasetsCommand {
    List(ListArguments),
    Get(GetArguments),
    Make(MakeArguments),
}

/// Make a synthetic table whose true features are known.
#[derive(Debug, Args)]
#[command(after_help = MAKE_MORE, after_long_help = made_help())]
struct MakeArguments {
    /// Which table
    name: String,

    /// Rows, for tables of any size [default: 500]
    #[arg(short, long = "n", value_name = "ROWS")]
    rows: Option<usize>,

    /// Features, for tables of any size [default: 100]
    #[arg(short, long = "d", value_name = "FEATURES")]
    features: Option<usize>,

    /// The seed of the draws
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// The file to write: .csv, .csv.gz, or .npy with files .features.csv and .labels.csv
    /// [default: NAME.csv.gz in the current folder]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

const MAKE_MORE: &str = "The tables: dpsis datasets make --help";

fn made_help() -> String {
    let line = |(name, about): &(&str, &str)| wrapped(&format!("  {name:<11} {about}"), 14) + "\n";
    let planted = Kind::ALL.map(|kind| line(&(kind.id(), kind.about()))).concat();
    format!(
        "Tables:\n{}\nRealistic tables of a fixed size, as .csv only:\n{planted}",
        design::MADE.iter().map(line).collect::<String>()
    )
}

/// List the public gene-expression sets that are known, with their sizes, classes and sources.
#[derive(Debug, Args)]
struct ListArguments {
    /// The form of the list
    #[arg(long, value_enum, default_value_t = ListFormat::Text)]
    format: ListFormat,

    /// Write the list to this file, whole or not at all
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ListFormat {
    /// Names, sizes and classes
    Text,
    /// All that is known, as a JSON list
    Json,
    /// All that is known, tab-separated
    Tsv,
}

/// Import a public set, checked against the manifest.
///
/// Takes NAME.csv, NAME.csv.gz, NAME.RData or NAME.npy from a folder (or csv/ or raw/ below it), or
/// the first three from a server, and refuses what is not the published table. Writes a table that
/// every command takes: the label y in the last column.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
struct GetArguments {
    /// The set: see `dpsis datasets list`
    name: String,

    /// The folder, or the URL of a folder or file (a build with feature http)
    #[arg(long, value_name = "DIR|URL")]
    from: String,

    /// The file to write: .csv, .csv.gz, or .npy with files .features.csv and .labels.csv
    /// [default: NAME.csv.gz in the current folder]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

const AFTER_HELP: &str = "\
Examples:
  dpsis datasets get golub --from ~/datamicroarray/data
  dpsis datasets get golub --from ~/datamicroarray/data -o golub.npy
  dpsis datasets get golub --from https://github.com/ramhiser/datamicroarray/raw/master/data

Exit codes: 0 written; 2 wrong request; 3 malformed, or not the published data; 5 not there, or
reading or writing failed.";

pub(super) fn datasets(arguments: &DatasetsArguments) -> Result<()> {
    match &arguments.command {
        DatasetsCommand::List(arguments) => list(arguments),
        DatasetsCommand::Get(arguments) => get(arguments),
        DatasetsCommand::Make(arguments) => make(arguments),
    }
}

fn list(arguments: &ListArguments) -> Result<()> {
    let destination = Destination::check(arguments.output.as_deref(), &[])?;
    let sets = datasets::manifest();
    destination.write(&match arguments.format {
        ListFormat::Text => text(sets),
        ListFormat::Tsv => tsv(),
        ListFormat::Json => {
            let json = serde_json::to_string_pretty(sets);
            json.map_err(|_| Error::io("the list cannot be written as JSON"))? + "\n"
        }
    })
}

fn text(sets: &[DataSet]) -> String {
    let mut text = format!("{:<12} {:>7} {:>8}  classes\n", "name", "samples", "features");
    for set in sets {
        let classes = if set.classes.is_empty() { "?".into() } else { set.classes.join(", ") };
        let mark = if set.table_sha256.is_some() { "" } else { "  (no checksum known)" };
        let _ = writeln!(text, "{:<12} {:>7} {:>8}  {classes}{mark}", set.name, set.n, set.d);
    }
    text
}

/// The manifest's file as TSV; no cell contains a tab.
fn tsv() -> String {
    let mut reader =
        csv::ReaderBuilder::new().has_headers(false).from_reader(datasets::MANIFEST.as_bytes());
    let records = reader.records().flatten();
    records.map(|record| record.iter().collect::<Vec<_>>().join("\t") + "\n").collect()
}

fn get(arguments: &GetArguments) -> Result<()> {
    let set = datasets::find(&arguments.name)?;
    let (path, form) = written_to(&set.name, arguments.output.as_deref())?;
    let path = path.as_path();
    let origin = datasets::locate_or_server(&set.name, &arguments.from)?;
    let inputs = match &origin {
        Origin::File(_, input, _) => vec![input.as_path()],
        Origin::Server(_) => vec![],
    };
    // Checked before the work, and again for each file.
    Destination::check(Some(path), &inputs)?;
    let table = match &origin {
        Origin::File(set, input, form) => datasets::read(set, input, *form)?,
        Origin::Server(set) => datasets::get(&set.name, &arguments.from)?,
    };
    write(&table, path, form, &inputs)?;
    let unknown = "; the manifest has no checksum of it: only its shape was checked";
    let checked = if set.table_sha256.is_some() { "" } else { unknown };
    output::remark(&format!(
        "{}: {} samples, {} features, written to {}{checked}\n",
        set.name,
        table.x.nrows(),
        table.x.ncols(),
        path.display()
    ));
    Ok(())
}
fn make(arguments: &MakeArguments) -> Result<()> {
    if let Some(kind) = Kind::by_id(&arguments.name) {
        return make_planted(kind, arguments);
    }
    let (path, form) = written_to(&arguments.name, arguments.output.as_deref())?;
    let MakeArguments { name, rows, features, seed, .. } = arguments;
    let made = design::made(name, *rows, *features, *seed)?;
    Destination::check(Some(&path), &[])?;
    write(&made.table(), &path, form, &[])?;
    let true_features = made.weights.iter().zip(1..).filter(|(weight, _)| **weight != 0.0);
    let names: Vec<String> = true_features.map(|(_, place)| format!("V{place}")).collect();
    let (n, d) = made.x.dim();
    output::remark(&format!(
        "{name}: {n} samples, {d} features, written to {}; true features: {}\n",
        path.display(),
        names.join(" ")
    ));
    Ok(())
}

/// Writes a synthetic table of a kind.
fn make_planted(kind: Kind, arguments: &MakeArguments) -> Result<()> {
    if arguments.rows.is_some() || arguments.features.is_some() {
        return Err(Error::request("the size of this table is fixed: leave out --n and --d"));
    }
    let path = arguments.output.clone().unwrap_or_else(|| format!("{}.csv", kind.id()).into());
    if Form::of(&path) != Some(Form::Csv) {
        return Err(Error::request("this table holds text: the output's name must end in .csv"));
    }
    let made = planted::table(kind, Size::Full, arguments.seed);
    let mut text = Vec::new();
    made.write_csv(&mut text)?;
    Destination::check(Some(&path), &[])?.write_bytes(&text)?;
    let names: Vec<&str> = made.truth.iter().map(|&index| made.names[index].as_str()).collect();
    let classes = match &made.classes {
        Some(classes) => format!("; classes {}", classes.join(", ")),
        None => String::new(),
    };
    output::remark(&format!(
        "{}: {} samples, {} features, written to {}; true features: {}{classes}\n",
        kind.id(),
        made.targets.len(),
        made.names.len(),
        path.display(),
        names.join(" ")
    ));
    Ok(())
}

/// The file to write, and its format by its name.
fn written_to(name: &str, given: Option<&Path>) -> Result<(PathBuf, Form)> {
    let default = || PathBuf::from(format!("{name}{}", Form::CsvGz.ending()));
    let path = given.map_or_else(default, Path::to_owned);
    let form = Form::of(&path).filter(|form| *form != Form::RData).ok_or_else(|| {
        Error::request("the output's name must end in .csv, .csv.gz or .npy, which sets the format")
    })?;
    Ok((path, form))
}

/// Writes a table in its format, which may consist of several files.
fn write(table: &PublicTable, path: &Path, form: Form, inputs: &[&Path]) -> Result<()> {
    for (ending, bytes) in form.write(table)? {
        let part =
            if ending == form.ending() { path.to_owned() } else { with_ending(path, ending) };
        Destination::check(Some(&part), inputs)?.write_bytes(&bytes)?;
    }
    Ok(())
}

/// `folder/a.npy` to `folder/a.labels.csv`.
fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{stem}{ending}"))
}
