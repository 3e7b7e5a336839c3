//! Files as text.

use std::path::Path;

use dpsis::{Error, Result};

/// The text of a file.
///
/// # Errors
///
/// `Io` if it cannot be read, `Input` if it is not text.
pub(super) fn read_text(path: &Path) -> Result<String> {
    let name = path.display();
    let bytes = std::fs::read(path).map_err(|error| Error::cannot_read(path, &error))?;
    String::from_utf8(bytes).map_err(|_| Error::input(format!("{name} is not text in UTF-8")))
}
