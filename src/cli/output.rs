//! Data to stdout, everything else to stderr.

use std::io::{self, Write};

use crate::cli::arguments::Format;
use crate::error::{Error, Result};
use crate::report;
use crate::select::Selection;

/// Writes a record: text puts the names on stdout and the report on stderr; JSON puts the document
/// on stdout and warnings on stderr.
pub(super) fn write(selection: &Selection, format: Format) -> Result<()> {
    let (document, remarks) = match format {
        Format::Text => (report::names(selection), report::report(selection)),
        Format::Json => {
            let warnings = selection.warnings.iter();
            let remarks = warnings.map(|warning| format!("warning: {}\n", warning.text)).collect();
            (report::to_json(selection)?, remarks)
        }
    };
    // A closed stderr is no reason to withhold what was paid for.
    let _ = io::stderr().write_all(remarks.as_bytes());
    let mut stdout = io::stdout().lock();
    match stdout.write_all(document.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Error::io(format!("cannot write the output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Says what went wrong.
pub(super) fn complain(error: &Error) {
    let _ = writeln!(io::stderr(), "dpsis: error: {error}");
}
