//! A release as a folder for the output checkers of trusted research environments: in the format of
//! the package `acro` and of the SACRO viewer.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::statement::Statement;
use crate::error::{Error, Result};
use crate::json::to_json;

/// The version of `acro` whose format the folder has: the loader of `acro` reads no other version.
pub const ACRO_VERSION: &str = "1.0.2";

/// The characters with which a spreadsheet starts a formula, also in full width.
const FORMULA: [char; 10] =
    ['=', '+', '-', '@', '\t', '\r', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'];

/// A folder for output checkers: `results.json`, the files of a release, and the checksums of all
/// of these.
///
/// ```
/// use dpsis::report::{AcroFolder, Reported, report, to_json};
/// use dpsis::{Candidates, Choose};
///
/// let models = Candidates::new([("lasso", "0.81"), ("forest", "0.87")], "0.005")?;
/// let choice = Choose::new(1).epsilon("0.75").run(&models)?;
/// let files = [("report.txt", report(&choice)), ("record.json", to_json(&choice)?)];
/// let files = files.map(|(name, text)| (name.to_owned(), text.into_bytes()));
/// let folder = AcroFolder::new(&choice.statement(), 0, files)?;
/// # let place = tempfile::tempdir().unwrap();
/// # let path = place.path().join("choice");
/// folder.write(&path)?;
/// assert!(path.join("results.json").exists() && path.join("output_0_names.csv").exists());
/// assert!(folder.write(&path).is_err()); // it must be new
/// # Ok::<(), dpsis::Error>(())
/// ```
///
/// # Privacy
///
/// The folder contains the record and hashes of its own files, and nothing else of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AcroFolder {
    files: Vec<(PathBuf, Vec<u8>)>,
}

impl AcroFolder {
    /// Makes the folder of a release: its names as CSV, and `files` by name. Their names begin with
    /// the name of the output, `output_` and its number among the outputs that are checked
    /// together.
    ///
    /// # Errors
    ///
    /// As for [`to_json`].
    pub fn new(
        statement: &Statement,
        number: usize,
        files: impl IntoIterator<Item = (String, Vec<u8>)>,
    ) -> Result<Self> {
        let output = format!("output_{number}");
        let names = ("names.csv".to_owned(), csv(&statement.table).into_bytes());
        let files = std::iter::once(names).chain(files);
        let mut files: Vec<(String, Vec<u8>)> =
            files.map(|(name, bytes)| (format!("{output}_{name}"), bytes)).collect();
        let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
        let results = to_json(&results(statement, &output, &names))?;
        files.push(("results.json".to_owned(), results.into_bytes()));
        let checksum = |(name, bytes): &(String, Vec<u8>)| {
            (Path::new("checksums").join(format!("{name}.txt")), hash(bytes).into_bytes())
        };
        let checksums: Vec<_> = files.iter().map(checksum).collect();
        let files = files.into_iter().map(|(name, bytes)| (PathBuf::from(name), bytes));
        Ok(Self { files: files.chain(checksums).collect() })
    }

    /// Checks that the folder can be created.
    ///
    /// # Errors
    ///
    /// `Io` if the path exists, or its parent folder is not writable.
    pub fn check(path: &Path) -> Result<()> {
        folder_next_to(path).map(drop)
    }

    /// Writes the folder to a temporary folder in the same place, which is then renamed: a folder
    /// with the final name is complete.
    ///
    /// # Errors
    ///
    /// As for [`check`](Self::check).
    pub fn write(&self, path: &Path) -> Result<()> {
        let temporary = folder_next_to(path)?;
        let write = || -> io::Result<()> {
            fs::create_dir(temporary.path().join("checksums"))?;
            for (name, bytes) in &self.files {
                let mut file = File::create_new(temporary.path().join(name))?;
                file.write_all(bytes)?;
                file.sync_all()?;
            }
            fs::rename(temporary.path(), path)
        };
        write().map_err(|error| cannot(path, error.kind()))?;
        let _ = temporary.keep();
        Ok(())
    }
}

/// Creates a temporary folder next to a path that does not exist yet.
fn folder_next_to(path: &Path) -> Result<tempfile::TempDir> {
    if path.symlink_metadata().is_ok() {
        return Err(cannot(path, io::ErrorKind::AlreadyExists).hint("the folder must be new"));
    }
    let parent = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o777));
    let made = builder.prefix(".dpsis-").tempdir_in(parent.unwrap_or(Path::new(".")));
    // The kind of the error only, because its text names the temporary folder.
    made.map_err(|error| cannot(path, error.kind()))
}

fn cannot(path: &Path, kind: io::ErrorKind) -> Error {
    Error::io(format!("cannot write the folder {}: {kind}", path.display()))
}

fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Formats rows as CSV in which a spreadsheet runs no cell as a formula: an apostrophe precedes a
/// text that starts like one. Numbers are unchanged.
fn csv(rows: &[Vec<String>]) -> String {
    let cell = |text: &String| {
        let is_formula = text.starts_with(FORMULA) && text.parse::<f64>().is_err();
        let text = format!("{}{text}", if is_formula { "'" } else { "" });
        match text.contains(['"', ',', '\n', '\r', '\t']) {
            true => format!("\"{}\"", text.replace('"', "\"\"")),
            false => text,
        }
    };
    rows.iter().map(|row| row.iter().map(cell).collect::<Vec<_>>().join(",") + "\n").collect()
}

/// The results that `acro` reads: one output with all files, which a person must check.
fn results(statement: &Statement, output: &str, files: &[&str]) -> Value {
    let Statement { private, command, version, day, request, .. } = statement;
    let status = if *private { "review" } else { "fail" };
    let check = json!({
        "summary": { "differential privacy": guarantee(statement) },
        "cells": {},
    });
    let files: Vec<Value> =
        files.iter().map(|name| json!({ "name": name, "sdc": check })).collect();
    let request = if request.is_empty() { format!("dpsis {command}") } else { request.clone() };
    json!({
        "version": ACRO_VERSION,
        "tool": {
            "@type": "SoftwareApplication",
            "name": "dpsis",
            "version": version,
        },
        "results": {
            output: {
                "uid": output,
                "status": status,
                // `acro` keeps the rows of a table when it writes a loaded folder.
                "type": "table",
                "properties": properties(statement),
                "files": files,
                "outcome": { "result": outcome(statement) },
                "command": request,
                "summary": format!("{status}; {}", summary(statement)),
                "timestamp": day,
                "comments": statement.warnings,
                "exception": "",
                "fair": {
                    "dependent": statement.target.as_deref().unwrap_or("unknown"),
                    "independent": statement.names,
                    "analysis_name": format!("dpsis {command}"),
                },
            },
        },
    })
}

/// The guarantee in short.
fn guarantee(statement: &Statement) -> String {
    let Statement { private, epsilon, delta, relation, .. } = statement;
    match private {
        true => format!("epsilon {epsilon}, delta {delta}, for {relation}"),
        false => "NOT PRIVATE".to_owned(),
    }
}

fn properties(statement: &Statement) -> Value {
    json!({
        "method": format!("dpsis {}", statement.command),
        "guarantee": {
            "private": statement.private,
            "seeded": statement.seeded,
            "unit": statement.unit,
            "neighbors": statement.relation,
            "epsilon": statement.epsilon,
            "delta": statement.delta,
            "spent": statement.spent,
            "meaning": statement.meaning,
            "ledger": statement.ledger,
            "randomness": statement.randomness,
        },
        "released": statement.released,
        "given as public": statement.public,
    })
}

/// The checks that the program made, and those that are left to the checker.
fn outcome(statement: &Statement) -> Value {
    let known = |holds: bool, otherwise: &'static str| if holds { "ok" } else { otherwise };
    json!({
        "the guarantee covers every file": known(statement.private, "fail"),
        "no seed was given": known(!statement.seeded, "fail"),
        "a ledger was charged": known(statement.ledger.is_some(), "review"),
        "the unit is a whole person": "review",
        "the given facts are public": "review",
        "epsilon is small enough": "review",
    })
}

/// The guarantee in plain words. The viewer shows the parts between semicolons as markup, so it
/// contains no name of the table.
fn summary(statement: &Statement) -> String {
    let Statement { private, protected, released, meaning, .. } = statement;
    let guarantee = guarantee(statement);
    let promise = match private {
        true => format!("{guarantee}. {meaning}"),
        false => "NOT PRIVATE: these files must not be released".to_owned(),
    };
    format!(
        "released: {released}; not released: rows, exact counts and scores, and everything not named here; \
         protected: {protected}; {promise}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_is_a_formula() {
        let rows = |cells: &[&str]| csv(&[cells.iter().map(|cell| (*cell).to_owned()).collect()]);
        for (cell, written) in [
            ("=1+2", "'=1+2"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("-cmd|' /C calc'!A0", "'-cmd|' /C calc'!A0"),
            ("=HYPERLINK(\"x\",1)", "\"'=HYPERLINK(\"\"x\"\",1)\""),
            ("\t=1", "\"'\t=1\""),
            ("\u{ff1d}1", "'\u{ff1d}1"),
            ("-0.25", "-0.25"),
            ("gene-1", "gene-1"),
        ] {
            assert_eq!(rows(&[cell]), format!("{written}\n"), "{cell}");
        }
    }
}
