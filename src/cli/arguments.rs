//! The arguments, and the request they make.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::data::{Bounds, Scaling, TargetColumn, parse_number};
use crate::error::{Error, Result};
use crate::mechanism::CanonicalLipschitz;
use crate::privacy::Epsilon;
use crate::random::Randomness;
use crate::select::{Center, Select, Target};

/// Differentially private feature selection.
///
/// Chooses k features of a sensitive table so that what it prints tells almost nothing about any
/// single row: pure epsilon-differential privacy, with nothing outside the budget.
#[derive(Debug, Parser)]
#[command(name = "dpsis", version)]
pub(super) struct Arguments {
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    Select(SelectArguments),
}

/// Print the names of k features, chosen privately.
///
/// The file is CSV (plain or .gz) with a header: one row a person, one column a feature, the target
/// in the last column. The names go to stdout, a report to stderr.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct SelectArguments {
    /// The table: CSV, plain or .gz
    pub(super) file: PathBuf,

    /// How many features to select
    #[arg(short, long)]
    k: usize,

    /// The privacy budget: 2, 0.5, 1e-3 or 1/3
    #[arg(
        short,
        long = "eps",
        alias = "epsilon",
        value_name = "EPSILON",
        allow_hyphen_values = true
    )]
    eps: Epsilon,

    /// The target's column by name [default: the last]
    #[arg(long, value_name = "NAME", help_heading = "Columns")]
    target: Option<String>,

    /// The target's column by place, counted from 1
    #[arg(long, value_name = "N", conflicts_with = "target", help_heading = "Columns")]
    target_index: Option<usize>,

    /// A column of ids, to leave out
    #[arg(long, value_name = "NAME", help_heading = "Columns")]
    id: Option<String>,

    /// Clip every feature to this range, known from public sources
    #[arg(long, value_name = "LO,HI", allow_hyphen_values = true, help_heading = "Features")]
    bounds: Option<String>,

    /// How features are made comparable [default: bounds if stated, else row-rank]
    #[arg(long, value_enum, help_heading = "Features")]
    scale: Option<Scale>,

    /// The target is a number in this range, known from public sources
    #[arg(long, value_name = "LO,HI", allow_hyphen_values = true, help_heading = "Target")]
    target_bounds: Option<String>,

    /// The target is one of these labels
    #[arg(
        long,
        value_name = "A,B[,C...]",
        conflicts_with = "target_bounds",
        help_heading = "Target"
    )]
    classes: Option<String>,

    /// The target's centre: private, none, or its publicly known value: a mean, the share of the
    /// second of two classes, or A=0.3,B=0.5,C=0.2
    #[arg(
        long,
        value_name = "private|none|VALUE",
        default_value = "private",
        allow_hyphen_values = true,
        help_heading = "Target"
    )]
    center: String,

    /// How classes of sets are weighed, from 0 (leave out no good feature) to 1 (take no bad one)
    /// [default: 1/2, and 1 for k = 1]
    #[arg(long, value_name = "GAMMA", allow_hyphen_values = true, help_heading = "Mechanism")]
    gamma: Option<String>,

    /// The form of the output
    #[arg(long, value_enum, default_value_t = Format::Text, help_heading = "Output")]
    pub(super) format: Format,

    /// Draw from a stated seed: for tests; the output is then not for release
    #[arg(long, value_name = "N", help_heading = "Running")]
    seed: Option<u64>,

    /// Threads that work on rows [default: all cores]; the result does not depend on it
    #[arg(long, value_name = "N", help_heading = "Running")]
    threads: Option<usize>,
}

const AFTER_HELP: &str = "\
Examples:
  dpsis select --k 5 --eps 2 data.csv
  dpsis select --k 5 --eps 2 --bounds 0,1 --classes control,case methylation.csv.gz
  dpsis select --k 10 --eps 1 --target age --target-bounds 18,90 --id patient data.csv

Exit codes: 0 released; 2 wrong request; 3 malformed input; 5 reading or writing failed.";

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Scale {
    /// Clip to --bounds
    Bounds,
    /// Ranks within each row
    RowRank,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// Names on stdout, a report on stderr
    Text,
    /// One document on stdout
    Json,
}

impl SelectArguments {
    /// The request, with everything checked that can be checked without the file.
    pub(super) fn request(&self) -> Result<Select> {
        let randomness = self.seed.map_or(Randomness::OperatingSystem, Randomness::Seeded);
        let mut select = Select::new(self.k, self.eps.clone())
            .target_column(self.target_column())
            .target(self.target()?)
            .center(parse_center(&self.center)?)
            .randomness(randomness);
        if let Some(scaling) = self.scaling()? {
            select = select.scaling(scaling);
        }
        if let Some(id) = &self.id {
            select = select.id(id);
        }
        if let Some(gamma) = &self.gamma {
            select = select.mechanism(CanonicalLipschitz::with_gamma(gamma)?);
        }
        if let Some(threads) = self.threads {
            select = select.threads(threads);
        }
        Ok(select)
    }

    fn target_column(&self) -> TargetColumn {
        match (&self.target, self.target_index) {
            (Some(name), _) => TargetColumn::Named(name.clone()),
            (_, Some(place)) => TargetColumn::At(place),
            _ => TargetColumn::Last,
        }
    }

    fn target(&self) -> Result<Target> {
        Ok(match (&self.classes, &self.target_bounds) {
            (Some(labels), _) => Target::Classes(parse_classes(labels)?),
            (_, Some(bounds)) => Target::Bounded(parse_bounds(bounds)?),
            _ => Target::Numeric,
        })
    }

    fn scaling(&self) -> Result<Option<Scaling>> {
        match (&self.bounds, self.scale) {
            (Some(_), Some(Scale::RowRank)) => {
                Err(Error::request("--bounds and --scale row-rank exclude each other"))
            }
            (Some(bounds), _) => Ok(Some(Scaling::Bounds(parse_bounds(bounds)?))),
            (None, Some(Scale::Bounds)) => {
                Err(Error::request("--scale bounds needs --bounds LO,HI"))
            }
            (None, scale) => Ok(scale.map(|_| Scaling::RowRank)),
        }
    }
}

/// A number as a cell of the table would be read.
fn parse_value(text: &str) -> Option<f64> {
    parse_number(text.as_bytes())
}

fn parse_bounds(text: &str) -> Result<Bounds> {
    let ends = text.split_once(',').and_then(|(low, high)| parse_value(low).zip(parse_value(high)));
    match ends {
        Some((low, high)) => Bounds::new(low, high),
        None => Err(Error::request("bounds must be two numbers with a comma between them: LO,HI")),
    }
}

/// Labels as one CSV record, trimmed.
fn parse_classes(text: &str) -> Result<Vec<String>> {
    let mut reader =
        csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
    let records: Vec<_> = reader.records().filter_map(|record| record.ok()).collect();
    match records.as_slice() {
        [record] => Ok(record.iter().map(|label| label.trim().to_owned()).collect()),
        _ => Err(Error::request("classes must be stated on one line: a,b or a,b,c")),
    }
}

fn parse_center(text: &str) -> Result<Center> {
    match text {
        "private" => Ok(Center::Private),
        "none" => Ok(Center::None),
        _ if text.contains('=') => {
            let share = |part: &str| {
                let (label, share) = part.rsplit_once('=')?;
                Some((label.trim().to_owned(), parse_value(share)?))
            };
            let shares: Option<Vec<_>> = text.split(',').map(share).collect();
            shares.map(Center::Shares).ok_or_else(bad_center)
        }
        _ => parse_value(text).map(Center::Stated).ok_or_else(bad_center),
    }
}

fn bad_center() -> Error {
    Error::request(
        "the centre must be private, none, a number, or shares such as a=0.3,b=0.5,c=0.2",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_one_record() {
        assert_eq!(parse_classes("case, control ,\"x, y\"").unwrap(), ["case", "control", "x, y"]);
        for text in ["", "a,b\nc,d"] {
            assert!(parse_classes(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn centres_are_words_numbers_or_shares() {
        assert_eq!(parse_center("private").unwrap(), Center::Private);
        assert_eq!(parse_center("none").unwrap(), Center::None);
        assert_eq!(parse_center("-1.5e2").unwrap(), Center::Stated(-150.0));
        let shares = [("a".to_owned(), 0.25), ("b=c".to_owned(), 0.75)];
        assert_eq!(parse_center("a=0.25, b=c=0.75").unwrap(), Center::Shares(shares.into()));
        for text in ["", "mean", "a=", "a=x", "=", "a=0.5,b"] {
            assert!(parse_center(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn the_definition_of_the_arguments_is_consistent() {
        <Arguments as clap::CommandFactory>::command().debug_assert();
    }
}
