//! `dpsis bounds`: a bounds file from a public reference table.

use std::path::PathBuf;

use clap::Args;

use crate::output::{self, Destination};
use crate::table_arguments::TableArguments;
use crate::values::unused;
use dpsis::{Result, TargetColumn};
use dpsis_eval::datasets::{Clip, PublicTable, bounds as compute, bounds_to_csv};

/// Make a file of bounds from a public reference table
///
/// One range per feature, feature,lo,hi, to which `select` clips. The table must be public: bounds
/// computed from the sensitive table itself are not private.
#[derive(Debug, Args)]
#[command(after_help = MORE, after_long_help = AFTER_HELP, mut_arg("unit", unused))]
pub(super) struct BoundsArguments {
    /// Where to clip: this many standard deviations around the mean (1sd, 2.5sd), at quantiles
    /// (quantiles:0.05,0.95), or at the reference's smallest and largest value (range)
    #[arg(long, value_name = "CLIP")]
    clip: Clip,

    /// The table has no target: all of its columns are features
    #[arg(long, conflicts_with_all = ["target", "target_index", "target_file"])]
    no_target: bool,

    #[command(flatten)]
    table: TableArguments,

    /// Write the bounds to this file, whole or not at all
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,
}

const MORE: &str = "More options, with examples: dpsis bounds --help";

const AFTER_HELP: &str = "\
Examples:
  dpsis bounds --clip 1sd -o bounds.csv reference.csv.gz
  dpsis bounds --clip range --no-target -o bounds.csv controls.csv
  dpsis select --k 5 --eps 2 --bounds-file bounds.csv --classes no,yes data.csv";

pub(super) fn bounds(arguments: &BoundsArguments) -> Result<()> {
    let (schema, _) = arguments.table.schema()?;
    let mut table = arguments.table.table(&schema)?;
    if arguments.no_target {
        table = table.without_target();
    }
    let mut inputs = vec![arguments.table.file.as_path()];
    inputs.extend(arguments.table.target_file.as_deref());
    inputs.extend(schema.facts.target_file.as_deref());
    inputs.extend(arguments.table.schema.as_deref());
    inputs.extend(arguments.table.exclude_files());
    let destination = Destination::check(arguments.output.as_deref(), &inputs)?;
    output::remark(
        "NOT PRIVATE: this reads a public reference table; bounds computed from the sensitive table \
         itself are not private.\n",
    );
    let states_target =
        arguments.table.states_target() || schema.facts.target != TargetColumn::Last;
    if !arguments.no_target && !states_target {
        output::remark(
            "The last column is taken as the target and gets no bounds: give --no-target if it is a feature.\n",
        );
    }
    let table = PublicTable::read(&table)?;
    let bounds = compute(&table, &arguments.clip)?;
    destination.write(&bounds_to_csv(&table, &bounds))
}
