//! `dpsis weights`: weights of features from a public table.

use std::path::PathBuf;

use clap::Args;

use crate::given_table::GivenTable;
use crate::output::{self, Destination};
use crate::score_arguments::{ScalingArguments, Score, scored_by};
use crate::values::unused;
use dpsis::{Rehearsal, Result};
use dpsis_eval::datasets::weights_to_csv;

/// Make a file of weights from a public table
///
/// One weight per feature, feature,weight, for `select --weights`: large where the feature is
/// associated with the target in the public table. The table must be public, with other people than
/// the sensitive one: weights computed from the sensitive table itself are not private.
#[derive(Debug, Args)]
#[command(
    after_help = MORE,
    after_long_help = AFTER_HELP,
    mut_arg("adjust", unused),
    mut_arg("score", |option| scored_by(option, &[Score::Ks, Score::Correlation, Score::Paired])),
)]
pub(super) struct WeightsArguments {
    /// The public table
    #[arg(display_order = 0, help_heading = "Table")]
    file: PathBuf,

    #[command(flatten)]
    given: GivenTable,

    #[command(flatten)]
    scaling: ScalingArguments,

    /// Write the weights to this file, whole or not at all
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,
}

const MORE: &str = "More options, with examples: dpsis weights --help";

const AFTER_HELP: &str = "\
Examples:
  dpsis weights --classes no,yes -o weights.csv public.csv
  dpsis select --k 5 --eps 1 --weights weights.csv --classes no,yes data.csv";

pub(super) fn weights(arguments: &WeightsArguments) -> Result<()> {
    let WeightsArguments { file, given, scaling, output } = arguments;
    let request = given.request(scaling, true)?;
    let files = [file.clone()];
    let table = given.tables(&files, &request)?;
    let inputs = std::iter::once(file.as_path()).chain(given.files(scaling));
    let destination = Destination::check(output.as_deref(), &inputs.collect::<Vec<_>>())?;
    output::remark(
        "NOT PRIVATE: this reads a public table; weights computed from the sensitive table itself, or from \
         people in it, are not private.\n",
    );
    let weights = Rehearsal::new(request.select()?, &table)?.feature_weights()?;
    destination.write(&weights_to_csv(&weights))
}
