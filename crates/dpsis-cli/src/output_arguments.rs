//! Arguments on the output of a release.

use std::path::PathBuf;

use clap::Args;

use crate::output::Format;
use crate::values::with_values;

/// The form of the output, and its destination.
#[derive(Debug, Args)]
pub(super) struct OutputArguments {
    /// text, json, tsv or html
    #[arg(
        long,
        value_enum,
        default_value_t = Format::Text,
        hide_possible_values = true,
        long_help = with_values::<Format>("The form of the output"),
        help_heading = "Output"
    )]
    pub(super) format: Format,

    /// Write the output to this file, whole or not at all
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub(super) output: Option<PathBuf>,

    /// Name the files in the request that JSON and HTML records carry
    #[arg(long, hide_short_help = true, help_heading = "Output")]
    pub(super) name_file: bool,

    /// No report (that an output is not private or seeded is always said)
    #[arg(short, long, hide_short_help = true, help_heading = "Output")]
    pub(super) quiet: bool,
}
