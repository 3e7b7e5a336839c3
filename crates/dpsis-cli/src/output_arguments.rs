//! Arguments on the output of a release.

use std::path::PathBuf;

use clap::Args;

use crate::output::Format;

/// The form of the output, and its destination.
#[derive(Debug, Args)]
pub(super) struct OutputArguments {
    /// The form of the output
    #[arg(long, value_enum, default_value_t = Format::Text, help_heading = "Output")]
    pub(super) format: Format,

    /// Write what stdout would receive to this file, whole or not at all
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub(super) output: Option<PathBuf>,

    /// No report (that an output is not private or seeded is always said)
    #[arg(short, long, help_heading = "Output")]
    pub(super) quiet: bool,
}
