//! The checks of the fuzz targets, on every file of their corpus, with the stable compiler: see
//! `fuzz/README.md`.

#![allow(clippy::unwrap_used, clippy::panic, unreachable_pub)] // tests fail by panicking

use std::collections::BTreeSet;
use std::fs;
use std::panic::catch_unwind;
use std::path::Path;

#[path = "../../../../fuzz/src/lib.rs"]
mod fuzz;

fn folder(name: &str) -> impl Iterator<Item = fs::DirEntry> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz").join(name);
    fs::read_dir(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())).flatten()
}

/// The names in a folder of `fuzz`, without their extensions.
fn names(of: &str) -> BTreeSet<String> {
    let stem = |entry: fs::DirEntry| entry.path().file_stem().unwrap().to_str().unwrap().to_owned();
    folder(of).map(stem).collect()
}

#[test]
fn fuzz_checks_accept_the_corpus() {
    for (target, check) in fuzz::TARGETS {
        let mut files = 0;
        for entry in folder(&format!("corpus/{target}")) {
            let bytes = fs::read(entry.path()).unwrap();
            let checked = catch_unwind(|| check(&bytes));
            assert!(checked.is_ok(), "{}", entry.path().display());
            files += 1;
        }
        assert!(files > 0, "{target}");
        // Formats without a corpus.
        check(b"");
    }
}

#[test]
fn every_target_has_its_binary_and_its_corpus() {
    let mut expected: BTreeSet<String> =
        fuzz::TARGETS.iter().map(|(name, _)| (*name).to_owned()).collect();
    // Of the feature `arrow`, which this build may not have.
    expected.extend(["arrow", "parquet"].map(str::to_owned));
    for place in ["fuzz_targets", "corpus"] {
        assert_eq!(names(place), expected, "{place}");
    }
    let manifest = include_str!("../../../../fuzz/Cargo.toml");
    for name in &expected {
        assert!(manifest.contains(&format!("\nname = \"{name}\"\n")), "{name}");
    }
}
