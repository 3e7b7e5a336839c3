//! Output: documents to stdout or a file, everything else to stderr.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use clap::ValueEnum;

use crate::words;
use dpsis::internals::wrapped;
use dpsis::report::{self, AcroFolder, Paged, Reported, Statement};
use dpsis::{DryRun, Error, Result, Warning};

/// The form of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// Names on stdout, a report on stderr
    Text,
    /// One JSON document on stdout
    Json,
    /// Names and columns on stdout, tab-separated
    Tsv,
    /// The record as a self-contained page on stdout
    Html,
    /// A folder for an output checker, as acro writes it: --output names it
    Acro,
}

/// The form of other results.
// Its values have no description, which completions would show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum TextOrJson {
    Text,
    Json,
}

/// The form of a release and where it goes, checked before any budget is spent.
pub(super) struct Output {
    pub(super) format: Format,
    pub(super) quiet: bool,
    pub(super) destination: Destination,
}

/// The destination of a document; checked before any budget is spent.
pub(super) enum Destination {
    Stdout,
    /// An existing path that is not a regular file, such as a device.
    Device(File),
    /// A file, written to a temporary file in the same folder and renamed when complete.
    File(PathBuf),
    /// A folder that does not exist yet, created likewise.
    Folder(PathBuf),
}

impl Destination {
    /// Checks that the destination is writable and not one of the `inputs`.
    ///
    /// # Errors
    ///
    /// `Request` if it is one of the inputs, a budget file, or a secret key; `Io` if it cannot be
    /// written to.
    pub(super) fn check(path: Option<&Path>, inputs: &[&Path]) -> Result<Self> {
        let Some(path) = path else { return Ok(Self::Stdout) };
        let failed = |error| write_error(path, error);
        // Resolve the path if it is a link.
        let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        if inputs.iter().any(|input| input.canonicalize().is_ok_and(|input| input == real)) {
            return Err(Error::request("the output would overwrite an input file"));
        }
        if let Some(what) = kept(&real) {
            return Err(Error::request(format!("the output would overwrite {what}")));
        }
        match path.metadata() {
            Ok(metadata) if !metadata.is_file() => {
                return File::options().write(true).open(path).map(Self::Device).map_err(failed);
            }
            Ok(metadata) if metadata.permissions().readonly() => {
                return Err(failed(io::ErrorKind::PermissionDenied.into()));
            }
            _ => {}
        }
        if path.as_os_str().to_string_lossy().ends_with(std::path::is_separator) {
            return Err(failed(io::ErrorKind::IsADirectory.into()));
        }
        // The temporary file is removed at once: an interrupted run leaves nothing.
        temporary_next_to(&real, 0o600).map_err(failed)?;
        Ok(Self::File(real))
    }

    /// Checks that a folder can be created.
    ///
    /// # Errors
    ///
    /// `Request` if no folder is named; `Io` if the path exists, or its parent folder is not
    /// writable.
    pub(super) fn folder(path: Option<&Path>) -> Result<Self> {
        let named = path.ok_or_else(|| Error::request("give the folder to make: --output DIR"))?;
        AcroFolder::check(named)?;
        Ok(Self::Folder(named.to_owned()))
    }

    /// Writes the whole document.
    pub(super) fn write(self, document: &str) -> Result<()> {
        self.write_bytes(document.as_bytes())
    }

    /// Writes a document that may be binary.
    pub(super) fn write_bytes(self, bytes: &[u8]) -> Result<()> {
        self.write_with(bytes, 0o666)
    }

    /// Writes a document to a file that only its owner may read.
    pub(super) fn write_secret(self, document: &str) -> Result<()> {
        self.write_with(document.as_bytes(), 0o600)
    }

    /// Writes a document, to a file with these permissions.
    fn write_with(self, bytes: &[u8], mode: u32) -> Result<()> {
        match self {
            Self::Stdout => {
                let mut stdout = io::stdout().lock();
                printed(stdout.write_all(bytes).and_then(|()| stdout.flush()))
            }
            Self::Device(mut device) => {
                let written = device.write_all(bytes).and_then(|()| device.flush());
                written.map_err(|error| write_error(Path::new("the output"), error))
            }
            Self::File(path) => {
                write_whole(&path, bytes, mode).map_err(|error| write_error(&path, error))
            }
            Self::Folder(_) => Err(Error::request("only a release goes to a folder")),
        }
    }
}

/// The kind of a file that must not be overwritten because it contains a history or a secret,
/// detected by its first bytes.
fn kept(path: &Path) -> Option<&'static str> {
    const KEPT: [(&str, &str); 2] =
        [("dpsis ledger ", "a budget file"), ("dpsis secret key ", "a secret key")];
    if !path.is_file() {
        return None;
    }
    let mut start = Vec::new();
    File::open(path).ok()?.take(32).read_to_end(&mut start).ok()?;
    let known = KEPT.iter().find(|(words, _)| start.starts_with(words.as_bytes()));
    known.map(|(_, what)| *what)
}

/// The outcome of writing to stdout; a closed pipe is not an error.
pub(super) fn printed(outcome: io::Result<()>) -> Result<()> {
    match outcome {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other.map_err(|error| write_error(Path::new("stdout"), error)),
    }
}

fn write_whole(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let mut temporary = temporary_next_to(path, mode)?;
    let file = temporary.as_file_mut();
    file.write_all(bytes)?;
    file.sync_all()?;
    temporary.persist(path)?;
    Ok(())
}

/// A temporary file in the same folder, with these permissions on systems that have them.
#[cfg_attr(not(unix), allow(unused_variables))]
fn temporary_next_to(path: &Path, mode: u32) -> io::Result<tempfile::NamedTempFile> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(mode));
    builder.tempfile_in(folder.unwrap_or(Path::new(".")))
}

fn write_error(path: &Path, error: io::Error) -> Error {
    // The kind only: the error may name a temporary file.
    let kind = error.kind();
    Error::io(format!("cannot write the output to {}: {kind}", path.display()))
}

impl Output {
    /// Writes a record: text puts the names in the document and the report on stderr; the other
    /// formats put the warnings on stderr, and `tsv` also the meaning of its columns.
    pub(super) fn write(self, record: &(impl Reported + Paged)) -> Result<()> {
        let Self { format, quiet, .. } = self;
        if format == Format::Text && !quiet {
            remark(&report::report_with(record, words::options));
        } else {
            // TSV has no room for the meaning of its columns.
            if let (Format::Tsv, false, Some(note)) = (format, quiet, record.note_on_columns()) {
                remark(&format!("direction: {note}\n"));
            }
            remark(&warnings(record.warnings()));
        }
        let document = match format {
            Format::Text => report::names(record),
            Format::Json => report::to_json(record)?,
            Format::Tsv => report::to_tsv(record),
            Format::Html => report::to_html(record)?,
            Format::Acro => {
                let files = [
                    ("report.txt", report::report(record)),
                    ("report.html", report::to_html(record)?),
                    ("record.json", report::to_json(record)?),
                ];
                return self.export(&record.statement(), files);
            }
        };
        self.destination.write(&document)
    }

    /// Writes the folder of a release for an output checker, with these files.
    pub(super) fn export<const N: usize>(
        self,
        statement: &Statement,
        files: [(&str, String); N],
    ) -> Result<()> {
        if let Destination::Folder(path) = &self.destination {
            let files = files.map(|(name, text)| (name.to_owned(), text.into_bytes()));
            return AcroFolder::new(statement, 0, files)?.write(path);
        }
        Err(Error::request("an output checker reads a folder: name it with --output"))
    }

    /// Writes the report of a dry run.
    pub(super) fn write_plan(self, plan: &DryRun) -> Result<()> {
        let document = match self.format {
            Format::Json => report::to_json(plan)?,
            Format::Text | Format::Tsv => report::dry_run_with(plan, words::options),
            _ => return Err(Error::request("a dry run comes as text or json")),
        };
        if self.format == Format::Json {
            remark(&warnings(&plan.warnings));
        }
        self.destination.write(&document)
    }
}

/// Warnings, one per line.
pub(super) fn warnings<'w>(warnings: impl IntoIterator<Item = &'w Warning>) -> String {
    let line = |warning: &'w Warning| {
        format!("warning: {}{}\n", warning.text, words::options(&warning.about))
    };
    warnings.into_iter().map(line).collect()
}

/// Writes lines to stderr, wrapping long ones. A closed stderr is ignored: it must not prevent a
/// release whose budget is spent.
pub(super) fn remark(text: &str) {
    let _ = io::stderr().write_all(wrapped_lines(text).as_bytes());
}

/// Wraps each line; its continuation lines are indented.
pub(super) fn wrapped_lines(text: &str) -> String {
    text.split_inclusive('\n').map(|line| wrapped(line.trim_end_matches('\n'), 2) + "\n").collect()
}

/// Reports an error on stderr.
pub(super) fn complain(error: &Error) {
    remark(&format!("dpsis: error: {}\n", words::error(error)));
}
