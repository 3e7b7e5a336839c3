//! What the dependencies of all features on all platforms may be: licenses that go with ours, one version of each crate
//! where that can be had, and one registry.

#![allow(clippy::unwrap_used)] // in a test a panic is how a failure is said

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;
use spdx::{Expression, ParseMode};

/// The licenses that are taken, with the reason. No other: a copyleft would pass to whoever links the program.
const LICENSES: [(&str, &str); 10] = [
    ("MIT", "ours"),
    ("Apache-2.0", "ours"),
    ("BSD-3-Clause", "permissive: zstd, snap, x25519-dalek"),
    ("BSD-2-Clause", "permissive: numpy's bindings"),
    ("BSL-1.0", "permissive, and binaries need no notice: xxhash-rust"),
    ("ISC", "permissive, as MIT: ring and webpki, of downloads"),
    ("Zlib", "permissive: zlib-rs"),
    ("CC0-1.0", "public domain: tiny-keccak, of a build script of Arrow's"),
    ("Unicode-3.0", "permissive, for tables of letters: unicode-ident"),
    ("CDLA-Permissive-2.0", "permissive, for data: the root certificates of downloads"),
];

/// The crates of which there are several versions, with the reason. To be removed as soon as it is gone.
const SEVERAL: [(&str, usize, &str); 13] = [
    ("cpufeatures", 2, "sha2; x25519-dalek, and chacha20 of proptest's rand"),
    ("getrandom", 3, "rand 0.8; argmin's rand 0.9; tempfile and proptest's rand 0.10"),
    ("num-bigint", 2, "num-rational, which the library shares its integers with; Parquet"),
    ("r-efi", 2, "getrandom, on a platform that nobody builds for"),
    ("rand", 3, "0.8 is that of linfa and rand_distr 0.4; argmin; proptest"),
    ("rand_chacha", 2, "as rand"),
    ("rand_core", 3, "as rand; x25519-dalek has the newest"),
    ("syn", 2, "derive macros, at build time only"),
    ("thiserror", 2, "linfa-linalg; all others"),
    ("thiserror-impl", 2, "as thiserror"),
    ("windows-sys", 2, "ring; all others"),
    ("zstd", 2, "the library's; Arrow's and Parquet's"),
    ("zstd-safe", 2, "as zstd"),
];

/// All packages, ours too.
fn packages() -> Vec<Value> {
    let metadata = |more: &[&str]| {
        let mut command = Command::new(env!("CARGO"));
        command.args(["metadata", "--format-version", "1", "--all-features", "--locked"]);
        command.args(more).current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap()
    };
    // Crates of other platforms may not have been downloaded yet.
    let offline = metadata(&["--offline"]);
    let output = if offline.status.success() { offline } else { metadata(&[]) };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}

fn text<'a>(package: &'a Value, field: &str) -> &'a str {
    package[field].as_str().unwrap_or_default()
}

#[test]
fn licenses_are_permissive() {
    let mut used = BTreeSet::new();
    let mut wrong = Vec::new();
    for package in &packages() {
        let license = text(package, "license");
        let Ok(expression) = Expression::parse_mode(license, ParseMode::LAX) else {
            wrong.push(format!("{}: {license:?}", text(package, "name")));
            continue;
        };
        // Of several to choose from the first of the list.
        let allowed = (1..=LICENSES.len()).find(|&count| {
            expression.evaluate(|one| {
                let id = one.license.id().map(|id| id.name).unwrap_or_default();
                // An exception only permits more.
                LICENSES[..count].iter().any(|(allowed, _)| *allowed == id)
            })
        });
        match allowed {
            Some(count) => drop(used.insert(LICENSES[count - 1].0)),
            None => wrong.push(format!("{}: {license}", text(package, "name"))),
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let unused = LICENSES.iter().filter(|(license, _)| !used.contains(license));
    assert_eq!(unused.collect::<Vec<_>>(), Vec::<&(&str, &str)>::new());
}

#[test]
fn versions_are_single_but_for_those_with_a_reason() {
    let mut versions: BTreeMap<String, usize> = BTreeMap::new();
    for package in &packages() {
        *versions.entry(text(package, "name").to_owned()).or_default() += 1;
    }
    versions.retain(|_, count| *count > 1);
    let expected = SEVERAL.iter().map(|(name, count, _)| ((*name).to_owned(), *count));
    assert_eq!(versions, expected.collect());
}

#[test]
fn one_registry() {
    for package in &packages() {
        let source = text(package, "source");
        let is_ours = text(package, "name").starts_with("dpsis") && source.is_empty();
        let is_crates_io = source == "registry+https://github.com/rust-lang/crates.io-index";
        assert!(is_ours || is_crates_io, "{}: {source}", text(package, "name"));
    }
}
