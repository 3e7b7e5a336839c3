//! Data to stdout or a file, everything else to stderr.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::cli::arguments::Format;
use crate::error::{Error, Result};
use crate::report;
use crate::select::{DryRun, Selection, Warning};

/// Where the document goes; made before anything is spent, so that a folder that cannot be written
/// to is known in time.
pub(super) enum Destination {
    Stdout,
    /// Something that exists and is no regular file, such as a device.
    Device(File),
    /// Written beside its place and moved there when whole.
    File {
        temporary: tempfile::NamedTempFile,
        path: PathBuf,
    },
}

impl Destination {
    /// Opens the destination.
    ///
    /// # Errors
    ///
    /// `Io` if it cannot be written to.
    pub(super) fn open(path: Option<&Path>) -> Result<Self> {
        let Some(path) = path else { return Ok(Self::Stdout) };
        let failed = |error| write_error(path, error);
        let device = path.metadata().is_ok_and(|metadata| !metadata.is_file());
        if device {
            return File::options().write(true).open(path).map(Self::Device).map_err(failed);
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let temporary = builder.tempfile_in(folder.unwrap_or(Path::new("."))).map_err(failed)?;
        Ok(Self::File { temporary, path: path.to_owned() })
    }

    /// Writes the whole document.
    fn write(self, document: &str) -> Result<()> {
        let bytes = document.as_bytes();
        match self {
            Self::Stdout => {
                let mut stdout = io::stdout().lock();
                match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
                    // The reader has seen enough.
                    Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
                    other => other.map_err(|error| write_error(Path::new("stdout"), error)),
                }
            }
            Self::Device(mut device) => {
                let written = device.write_all(bytes).and_then(|()| device.flush());
                written.map_err(|error| write_error(Path::new("the output"), error))
            }
            Self::File { mut temporary, path } => {
                let file = temporary.as_file_mut();
                let written = file.write_all(bytes).and_then(|()| file.sync_all());
                written.map_err(|error| write_error(&path, error))?;
                let moved = temporary.persist(&path);
                moved.map(|_| ()).map_err(|error| write_error(&path, error.error))
            }
        }
    }
}

fn write_error(path: &Path, error: io::Error) -> Error {
    Error::io(format!("cannot write the output to {}: {error}", path.display()))
}

/// Writes a record: text puts the names in the document and the report on stderr; JSON and TSV put
/// the warnings there.
pub(super) fn write(
    selection: &Selection,
    format: Format,
    quiet: bool,
    destination: Destination,
) -> Result<()> {
    let document = match format {
        Format::Text => report::names(selection),
        Format::Json => report::to_json(selection)?,
        Format::Tsv => report::to_tsv(selection),
    };
    if format == Format::Text && !quiet {
        remark(&report::report(selection));
    } else {
        remark(&warnings(&selection.warnings, quiet));
    }
    destination.write(&document)
}

/// Writes what a run would do.
pub(super) fn write_plan(
    plan: &DryRun,
    format: Format,
    quiet: bool,
    destination: Destination,
) -> Result<()> {
    let document = match format {
        Format::Json => report::to_json(plan)?,
        Format::Text | Format::Tsv => report::dry_run(plan),
    };
    if format == Format::Json {
        remark(&warnings(&plan.warnings, quiet));
    }
    destination.write(&document)
}

/// Writes a document to stdout.
pub(super) fn print(document: &str) -> Result<()> {
    Destination::Stdout.write(document)
}

/// Writes a whole file or none.
pub(super) fn write_file(path: &Path, document: &str) -> Result<()> {
    Destination::open(Some(path))?.write(document)
}

/// Warnings as lines; quiet leaves those without which the output would mislead.
fn warnings(warnings: &[Warning], quiet: bool) -> String {
    let kept = |warning: &&Warning| !quiet || ["not-private", "seeded"].contains(&&*warning.id);
    let line = |warning: &Warning| format!("warning: {}\n", warning.text);
    warnings.iter().filter(kept).map(line).collect()
}

/// A closed stderr is no reason to withhold what was paid for.
fn remark(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}

/// Says what went wrong.
pub(super) fn complain(error: &Error) {
    remark(&format!("dpsis: error: {error}\n"));
}
