//! Arrow's crates under guard: what they say of a broken file may quote it, so it is not passed on, and
//! where they panic, that is an error.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow_schema::ArrowError;

use crate::error::{Error, Result};

thread_local! {
    /// Whether a panic of this thread is caught here.
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Runs a reader of the crates.
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

/// The one thing that is said of a broken file.
pub(super) fn malformed(format: &str) -> Error {
    let rule = format!("{format}: the file is damaged, ends too early or is of a form not read");
    Error::input(rule).hint("read are the codecs snappy, gzip, zstd and lz4")
}

/// From now on no line is printed of panics that are caught here, and of all others as before. For a program
/// at its start; a library leaves the hook of its host alone.
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
