//! How much tests try.

/// Whether `DPSIS_EXHAUSTIVE` is set, as in `.ci/full`: then tests leave out nothing that they
/// could try. Otherwise they take a part, and say which.
pub fn exhaustive() -> bool {
    std::env::var_os("DPSIS_EXHAUSTIVE").is_some()
}
