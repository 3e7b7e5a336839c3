//! Arguments on the output of a release.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::output::Format;
use crate::values::with_values;

/// The form of the output, and its destination.
#[derive(Debug, Args)]
pub(super) struct OutputArguments {
    /// text, json, tsv or html [default: text]
    #[arg(
        long,
        value_enum,
        hide_possible_values = true,
        long_help = with_values::<Format>(
            "The form of the output [default: by the ending of --output, else text]"
        ),
        help_heading = "Output"
    )]
    pub(super) format: Option<Format>,

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

impl OutputArguments {
    /// The form that was stated; else that of the output file's ending, else text.
    pub(super) fn format(&self) -> Format {
        let ending = self.output.as_deref().and_then(Path::extension).and_then(OsStr::to_str);
        self.format.unwrap_or_else(|| match ending.map(str::to_ascii_lowercase).as_deref() {
            Some("json") => Format::Json,
            Some("tsv") => Format::Tsv,
            Some("html" | "htm") => Format::Html,
            _ => Format::Text,
        })
    }
}
