//! The effort of tests.

/// Whether `DPSIS_EXHAUSTIVE` is set, as in `.ci/full`: then tests run all of their cases.
/// Otherwise they run a part, and report which.
pub fn exhaustive() -> bool {
    std::env::var_os("DPSIS_EXHAUSTIVE").is_some()
}
