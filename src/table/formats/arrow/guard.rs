//! Calls to Arrow's crates. Their messages on a malformed file may quote it and are not passed on;
//! their panics become errors.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow_schema::ArrowError;

use crate::error::{Error, Result};

thread_local! {
    /// Whether a panic of this thread is caught by this module.
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Runs a function of the crates.
///
/// # Errors
///
/// `Input` if it refuses the file or panics.
pub(super) fn guarded<T>(
    format: &str,
    run: impl FnOnce() -> std::result::Result<T, ArrowError>,
) -> Result<T> {
    let outer = GUARDED.replace(true);
    let outcome = catch_unwind(AssertUnwindSafe(run));
    GUARDED.set(outer);
    match outcome {
        Ok(Ok(read)) => Ok(read),
        Ok(Err(_)) | Err(_) => Err(malformed(format)),
    }
}

/// The error for every malformed file.
pub(super) fn malformed(format: &str) -> Error {
    let rule = format!("{format}: the file is damaged, ends too early or is of a form not read");
    Error::input(rule).hint("read are the codecs snappy, gzip, zstd and lz4")
}

/// Silences the panics that are caught by this module; all others are printed as before. A program
/// calls it at its start; the library itself never changes the hook of its host.
pub fn quiet_caught_panics() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !GUARDED.get() {
            usual(panic);
        }
    }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn panics_are_errors_of_the_file() {
        let error = guarded::<()>("Arrow", || panic!("a value")).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Input);
        assert!(!error.to_string().contains("a value"));
        assert!(!GUARDED.get());
        assert!(guarded("Arrow", || Ok(GUARDED.get())).unwrap());
    }
}
