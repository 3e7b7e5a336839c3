//! Real tables, which are not part of the repository: files NAME.csv.gz in the folder
//! `DPSIS_DATASETS`.

use std::path::{Path, PathBuf};

/// The path of a real table; if it is not available, see [`missing`].
pub fn real(name: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("DPSIS_DATASETS");
    let path = folder.map(|folder| Path::new(&folder).join(format!("{name}.csv.gz")));
    let path = path.filter(|path| path.is_file());
    if path.is_none() {
        missing(&format!("{name}.csv.gz in DPSIS_DATASETS"));
    }
    path
}

/// Reports that a test is skipped because its data are missing. With `DPSIS_REQUIRE_DATA=1`, as in
/// continuous integration, the test fails instead.
pub fn missing(what: &str) {
    let required = std::env::var_os("DPSIS_REQUIRE_DATA").is_some_and(|value| value == "1");
    assert!(!required, "missing, and DPSIS_REQUIRE_DATA=1: {what}");
    eprintln!("skipped: no {what}");
}
