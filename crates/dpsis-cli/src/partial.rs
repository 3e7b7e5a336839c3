//! `dpsis partial`: the sums of some rows of a table, for a release from the sums of all rows.

use std::path::PathBuf;

use clap::Args;

use crate::files::read_text;
use crate::given_table::GivenTable;
use crate::output::{self, Destination};
use crate::progress::progress;
use crate::score_arguments::{ScalingArguments, scored_by_sums};
use crate::sites::{read_roster, shown};
use crate::target_arguments::without_people;
use dpsis::{ReleasedTarget, Result, SiteKey, files};

/// Sum some rows of a table, for `select --partials`: not private.
///
/// Each machine, job or file sums its own rows; `dpsis select --partials` adds up the sums of all,
/// releases from them, and gives what `dpsis select` on the whole table would. Correlation adds up,
/// and ks on bins of scaled values; whole columns, as ks and kendall take them without a scale, do
/// not.
///
/// A numeric target without a range takes two stages: the first partials count it,
/// `select --partials` releases its median from them, and with that as --released the second
/// partials are made.
#[derive(Debug, Args)]
#[command(
    after_help = MORE,
    after_long_help = AFTER_HELP,
    mut_args(without_people),
    mut_arg("score", scored_by_sums),
)]
pub(crate) struct PartialArguments {
    /// The files with these rows, folders or patterns; - is standard input
    #[arg(display_order = 0, required = true, help_heading = "Table")]
    files: Vec<PathBuf>,

    /// The number of this part and of all parts, such as 3/8; a release needs each part exactly
    /// once
    #[arg(
        long,
        value_name = "I/N",
        value_parser = part,
        required_unless_present = "mask",
        conflicts_with = "mask",
        display_order = 1,
        help_heading = "Table"
    )]
    part: Option<(u32, u32)>,

    #[command(flatten)]
    given: GivenTable,

    /// Write the sums to this file, whole or not at all [default: stdout]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// The file that `select --partials` released in the stage before
    #[arg(long, value_name = "FILE")]
    released: Option<PathBuf>,

    #[command(flatten)]
    scaling: ScalingArguments,

    /// Hide the sums from all but the total of the sites in this roster (`dpsis sites`)
    #[arg(
        long,
        value_name = "ROSTER",
        requires = "key",
        hide_short_help = true,
        help_heading = "Sites"
    )]
    mask: Option<PathBuf>,

    /// The secret key of this site for this run
    #[arg(
        long,
        value_name = "FILE",
        requires = "mask",
        hide_short_help = true,
        help_heading = "Sites"
    )]
    key: Option<PathBuf>,

    /// Number of threads [default: all cores]; the result does not depend on it
    #[arg(long, value_name = "N", hide_short_help = true, help_heading = "Running")]
    threads: Option<usize>,
}

const MORE: &str = "More options, with examples: dpsis partial --help";

const AFTER_HELP: &str = "\
Examples:
  dpsis partial --part 1/2 --bounds 0,1 --classes no,yes north.csv \\
    -o north.partial
  dpsis partial --part 7/9 --scale row-rank --score ks part-7.parquet \\
    -o 7.counts
  dpsis select --k 5 --eps 2 --partials '*.counts' -o median.txt
  dpsis partial --part 7/9 --scale row-rank --score ks \\
    --released median.txt part-7.parquet -o 7.partial
  dpsis select --k 5 --eps 2 --partials '*.partial'
  dpsis partial --bounds 0,1 --classes no,yes --mask sites.txt \\
    --key north.key north.csv -o north.masked

Exit codes: 0 written; 2 wrong request; 3 malformed input; 5 reading or writing
failed.";

pub(super) fn partial(arguments: &PartialArguments) -> Result<()> {
    let given = &arguments.given;
    let rows = files(&arguments.files)?;
    let others = [&arguments.released, &arguments.mask, &arguments.key];
    let others = others.into_iter().flatten().chain(&rows).map(PathBuf::as_path);
    let inputs: Vec<_> = others.chain(given.files(&arguments.scaling)).collect();
    let destination = Destination::check(arguments.output.as_deref(), &inputs)?;
    let released = match &arguments.released {
        None => None,
        Some(path) => Some(ReleasedTarget::from_text(&read_text(path)?)?),
    };
    let mut request = given.request(&arguments.scaling, true)?;
    request.options.running.threads = arguments.threads;
    let site = match (&arguments.mask, &arguments.key) {
        (Some(roster), Some(key)) => {
            let (roster, key) = (read_roster(roster)?, SiteKey::open(key)?);
            key.check(&roster)?;
            Some((roster, key))
        }
        _ => None,
    };
    let mut select = request.select()?;
    if let Some(report) = progress() {
        select = select.progress(report);
    }
    let sums = select.partial(&given.tables(&rows, &request)?, released.as_ref())?;
    if let Some((roster, key)) = site {
        let masked = key.mask(&sums, &roster)?;
        output::remark(&format!("masked for this roster\n{}", shown(&roster)?));
        return destination.write(&masked.to_text()?);
    }
    output::remark("NOT PRIVATE: these are exact sums of rows; keep them like the table\n");
    let sums = match arguments.part {
        Some((number, of)) => sums.as_part(number, of)?,
        None => sums,
    };
    destination.write_secret(&sums.to_text()?)
}

/// The number of a part and the number of all parts.
fn part(text: &str) -> std::result::Result<(u32, u32), String> {
    let numbers =
        text.split_once('/').and_then(|(one, all)| one.parse().ok().zip(all.parse().ok()));
    match numbers {
        Some((number, of)) if (1..=of).contains(&number) => Ok((number, of)),
        _ => Err("a part is a number from 1 and that of all, such as 3/8".to_owned()),
    }
}
