//! `dpsis sites`: keys and rosters of sites that release together.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

use crate::files::{files, read_text};
use crate::output::{self, Destination};
use dpsis::{Error, Result, Roster, Site, SiteKey};

/// Keys of sites that release together without showing their sums.
///
/// Each site makes a key for one run; the public parts are joined to a roster; `dpsis partial --mask` hides the
/// sums of each site from all others, and `dpsis select --partials` opens the total of all of them alone.
#[derive(Debug, Args)]
pub(super) struct SiteCommands {
    #[command(subcommand)]
    command: SiteCommand,
}

#[derive(Debug, Subcommand)]
enum SiteCommand {
    Key(KeyArguments),
    Roster(RosterArguments),
    Show(ShowArguments),
}

/// Make the key of a site, for one run.
///
/// The secret part stays at the site; the public part is for the roster. A run that is started again, because
/// a site dropped out or a table was corrected, takes new keys of all sites.
#[derive(Debug, Args)]
#[command(after_help = KEY_AFTER_HELP)]
struct KeyArguments {
    /// The name of the site
    name: String,

    /// The file to create for the secret part, which only its owner may read
    #[arg(long, value_name = "FILE")]
    key: PathBuf,

    /// Write the public part to this file [default: stdout]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

const KEY_AFTER_HELP: &str = "\
Example:
  dpsis sites key north --key north.key -o north.pub

Exit codes: 0 made; 2 wrong request; 5 a file exists or cannot be written.";

/// Join the public parts of the keys of all sites to a roster.
///
/// Anybody may do it, and gets the same roster. All sites must compare its fingerprint before they mask their
/// sums, not by way of whoever has joined it: a roster with false keys hides nothing from their owner.
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

Exit codes: 0 joined; 2 wrong request; 3 no public key, or a damaged one;
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

Exit codes: 0 shown; 3 no roster, or a damaged one; 5 reading failed.";

pub(super) fn sites(commands: &SiteCommands) -> Result<()> {
    match &commands.command {
        SiteCommand::Key(arguments) => key(arguments),
        SiteCommand::Roster(arguments) => roster(arguments),
        SiteCommand::Show(arguments) => {
            Destination::Stdout.write(&shown(&read_roster(&arguments.file)?)?)
        }
    }
}

fn key(arguments: &KeyArguments) -> Result<()> {
    let KeyArguments { name, key, output } = arguments;
    // Both may be ways to the same new file, which only shows when it is there.
    let destination = Destination::check(output.as_deref(), &[])?;
    let site = SiteKey::create(key, name)?.site()?;
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
    destination.write(&roster.to_text()?)
}

/// Reads a roster.
pub(super) fn read_roster(file: &Path) -> Result<Roster> {
    let roster = Roster::from_text(&read_text(file)?);
    roster.map_err(|error| error.in_file(file.display().to_string()))
}

/// The fingerprint and the sites in two lines.
pub(super) fn shown(roster: &Roster) -> Result<String> {
    let names: Vec<&str> = roster.sites().iter().map(Site::name).collect();
    let (count, names) = (format!("{} sites", names.len()), names.join(", "));
    Ok(format!("fingerprint  {}\n{count:<13}{names}\n", roster.fingerprint()?))
}
