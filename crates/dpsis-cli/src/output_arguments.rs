//! Arguments on the output of a release.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use clap::{ArgMatches, Args};

use crate::output::{Destination, Format, Output};
use crate::values::with_values;
use dpsis::{Error, Result};

/// Extensions of unsupported formats: such a file would not contain the format of its name.
const OTHER_FORMS: [&str; 20] = [
    "csv", "xls", "xlsx", "ods", "parquet", "feather", "arrow", "npy", "npz", "rds", "rdata",
    "jsonl", "yaml", "yml", "xml", "pdf", "gz", "zst", "xz", "zip",
];

/// The form of the output, and its destination.
#[derive(Debug, Args)]
pub(super) struct OutputArguments {
    /// text, json, tsv, html or acro [default: text]
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
    ///
    /// If no --format is given, the form is that of the file's ending (.json, .tsv, .html); files
    /// with other endings, such as .txt, get the names alone, but .csv and the like are refused
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub(super) output: Option<PathBuf>,

    /// Name the files in the request that JSON and HTML records carry
    #[arg(long, hide_short_help = true, help_heading = "Output")]
    pub(super) name_file: bool,

    /// No report; warnings remain
    #[arg(short, long, hide_short_help = true, help_heading = "Output")]
    pub(super) quiet: bool,
}

impl OutputArguments {
    /// The format and the destination, which must not be one of the `inputs`.
    ///
    /// # Errors
    ///
    /// As for [`Destination::check`] and [`Destination::folder`].
    pub(super) fn check(&self, inputs: &[&Path]) -> Result<Output> {
        let format = self.format();
        let destination = match format {
            Format::Acro => Destination::folder(self.output.as_deref())?,
            _ => Destination::check(self.output.as_deref(), inputs)?,
        };
        Ok(Output { format, quiet: self.quiet, destination })
    }

    /// The given format, or else that of the output file's extension, or else text.
    pub(super) fn format(&self) -> Format {
        self.format.unwrap_or_else(|| match self.output.as_deref().and_then(ending).as_deref() {
            Some("json") => Format::Json,
            Some("tsv") => Format::Tsv,
            Some("html" | "htm") => Format::Html,
            _ => Format::Text,
        })
    }
}

/// The extension of a path, in lower case.
fn ending(path: &Path) -> Option<String> {
    path.extension().and_then(OsStr::to_str).map(str::to_ascii_lowercase)
}

/// Refuses an output file with the extension of an unsupported format, if no format is given. Files
/// with other extensions, or none, are plain files.
///
/// # Errors
///
/// `Request` for such a file; `matches` must belong to a command with [`OutputArguments`].
pub(super) fn check_ending(matches: &ArgMatches) -> Result<()> {
    let given = matches.get_one::<Format>("format").is_some();
    let path = matches.get_one::<PathBuf>("output").filter(|_| !given);
    let other = |ending: &String| OTHER_FORMS.contains(&ending.as_str());
    match path.and_then(|path| ending(path)).filter(other) {
        None => Ok(()),
        Some(ending) => Err(Error::request(format!("the output has no form that ends in .{ending}"))
            .hint(".json, .tsv and .html are forms, names alone go to a file that ends otherwise, such as .txt; or give --format")),
    }
}
