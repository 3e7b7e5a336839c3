//! `dpsis sites`: keys and rosters of sites that release together.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

use crate::files::read_text;
use crate::given_table::GivenTable;
use crate::output::{self, Destination};
use crate::score_arguments::{ScalingArguments, scored_by_sums};
use crate::target_arguments::without_people;
use dpsis::{Error, Result, Roster, Site, SiteKey, files};

/// Keys of sites that release together and hide their own sums.
///
/// Each site makes a key for one run; the public parts are joined to a roster; `dpsis
/// partial --mask` hides the sums of each site from all others, and `dpsis select --partials` opens
/// the total of all of them alone.
#[derive(Debug, Args)]
pub(super) struct SiteCommands {
    #[command(subcommand)]
    command: SiteCommand,
}

#[derive(Debug, Subcommand)]
enum SiteCommand {
    Key(Box<KeyArguments>),
    Roster(RosterArguments),
    Show(ShowArguments),
    Check(CheckArguments),
}

/// Make the key of a site, for one run.
///
/// The secret part stays at the site; the public part is for the roster, with a digest of what is
/// given here of the table: sites that state something else are found before anything is masked. A
/// run that is started again, because a site dropped out or a table was corrected, takes new keys
/// of all sites.
#[derive(Debug, Args)]
#[command(
    after_help = KEY_MORE,
    after_long_help = KEY_AFTER_HELP,
    mut_args(without_people),
    mut_arg("score", scored_by_sums),
)]
struct KeyArguments {
    /// The name of the site
    #[arg(display_order = 0)]
    name: String,

    /// The files with the rows of this site, folders or patterns: for their columns
    #[arg(display_order = 0, required = true, help_heading = "Table")]
    files: Vec<PathBuf>,

    #[command(flatten)]
    given: GivenTable,

    #[command(flatten)]
    scaling: ScalingArguments,

    /// The file to create for the secret part, which only its owner may read
    #[arg(long, value_name = "FILE")]
    key: PathBuf,

    /// Write the public part to this file [default: stdout]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

const KEY_MORE: &str = "More options, with an example: dpsis sites key --help";

const KEY_AFTER_HELP: &str = "\
Example:
  dpsis sites key north --key north.key --bounds 0,1 --classes no,yes \\
    north.csv -o north.pub

Exit codes: 0 made; 2 wrong request; 3 malformed input; 5 a file exists or
cannot be read or written.";

/// Join the public parts of the keys of all sites to a roster.
///
/// Anybody may do it, and gets the same roster. All sites must compare its fingerprint before they
/// mask their sums, not through the person who joined it: a roster with false keys hides nothing
/// from their owner.
#[derive(Debug, Args)]
#[command(after_help = ROSTER_AFTER_HELP)]
struct RosterArguments {
    /// The public parts of the keys, or patterns
    #[arg(required = true)]
    files: Vec<PathBuf>,

    /// Write the roster to this file [default: stdout]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

const ROSTER_AFTER_HELP: &str = "\
Example:
  dpsis sites roster north.pub south.pub west.pub -o sites.txt

Exit codes: 0 joined; 2 wrong request; 3 not a public key, or a damaged one;
5 reading or writing failed.";

/// Show the fingerprint and the sites of a roster.
#[derive(Debug, Args)]
#[command(after_help = SHOW_AFTER_HELP)]
struct ShowArguments {
    /// The roster
    file: PathBuf,
}

const SHOW_AFTER_HELP: &str = "\
Example:
  dpsis sites show sites.txt

Exit codes: 0 shown; 3 not a roster, or a damaged one; 5 reading failed.";

/// Check that a roster can serve a key: before any sums are masked.
///
/// The key is in it, has served no other roster, and all sites give the same facts of their
/// tables. Compare the fingerprint with every other site.
#[derive(Debug, Args)]
#[command(after_help = CHECK_AFTER_HELP)]
struct CheckArguments {
    /// The roster
    file: PathBuf,

    /// The secret key of this site
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
}

const CHECK_AFTER_HELP: &str = "\
Example:
  dpsis sites check sites.txt --key north.key

Exit codes: 0 it can; 2 it cannot; 3 a damaged file; 5 reading failed.";

pub(super) fn sites(commands: &SiteCommands) -> Result<()> {
    match &commands.command {
        SiteCommand::Key(arguments) => key(arguments),
        SiteCommand::Roster(arguments) => roster(arguments),
        SiteCommand::Show(arguments) => {
            Destination::Stdout.write(&shown(&read_roster(&arguments.file)?)?)
        }
        SiteCommand::Check(CheckArguments { file, key }) => {
            let roster = read_roster(file)?;
            SiteKey::open(key)?.check(&roster)?;
            Destination::Stdout.write(&shown(&roster)?)
        }
    }
}

fn key(arguments: &KeyArguments) -> Result<()> {
    let KeyArguments { name, key, output, given, scaling, .. } = arguments;
    let rows = files(&arguments.files)?;
    let request = given.request(scaling, true)?;
    let facts = request.select()?.site_facts(&given.tables(&rows, &request)?)?;
    // Both may be paths to the same new file, which is detectable only once it exists.
    let destination = Destination::check(output.as_deref(), &[])?;
    let site = SiteKey::create(key, name, facts)?.site()?;
    if Destination::check(output.as_deref(), &[key.as_path()]).is_err() {
        let _ = std::fs::remove_file(key);
        return Err(Error::request("the secret and the public part need two files"));
    }
    output::remark(&format!("{}: created; it is secret\n", key.display()));
    destination.write(&site.to_text()?)
}

fn roster(arguments: &RosterArguments) -> Result<()> {
    let files = files(&arguments.files)?;
    let inputs: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
    let destination = Destination::check(arguments.output.as_deref(), &inputs)?;
    let site = |file: &PathBuf| {
        let site = Site::from_text(&read_text(file)?);
        site.map_err(|error| error.in_file(file.display().to_string()))
    };
    let roster = Roster::new(files.iter().map(site).collect::<Result<Vec<_>>>()?)?;
    output::remark(&shown(&roster)?);
    if roster.sites().len() == 2 {
        output::remark(
            "with two sites, each can subtract its own sums from the total and learn the sums of the other\n",
        );
    }
    destination.write(&roster.to_text()?)
}

/// Reads a roster.
pub(super) fn read_roster(file: &Path) -> Result<Roster> {
    let roster = Roster::from_text(&read_text(file)?);
    roster.map_err(|error| error.in_file(file.display().to_string()))
}

/// Formats the fingerprint and the sites in two lines.
pub(super) fn shown(roster: &Roster) -> Result<String> {
    let names: Vec<&str> = roster.sites().iter().map(Site::name).collect();
    let (count, names) = (format!("{} sites", names.len()), names.join(", "));
    let facts = match roster.sites().iter().all(|site| site.facts().is_some()) {
        true => "facts        the same at all sites\n",
        false => "",
    };
    Ok(format!("fingerprint  {}\n{count:<13}{names}\n{facts}", roster.fingerprint()?))
}
