//! The command that `inspect` prints is the best one known, on tables of the kinds that people
//! have: without noise no other score finds more of the true features.

#![allow(clippy::unwrap_used, clippy::panic)] // in a test a panic is how a failure is said

use std::path::Path;
use std::process::Command;

use crate::support::effort::exhaustive;
use dpsis_eval::planted::{Kind, Planted, Size, table};

/// The names that a command selects with a budget so large that there is no noise.
fn selected(folder: &Path, words: &[&str]) -> Vec<String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dpsis"));
    command.args(words).args(["--split", "estimates=0", "--quiet"]).current_dir(folder);
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{words:?}: {said}");
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

fn found(planted: &Planted, names: &[String]) -> usize {
    planted.truth.iter().filter(|&&j| names.contains(&planted.names[j])).count()
}

#[test]
fn the_suggested_command_finds_the_most() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for kind in Kind::ALL {
        let mut totals = [0; 4];
        let seeds = if exhaustive() { 3 } else { 1 };
        for seed in 0..seeds {
            let planted = table(kind, Size::Full, seed);
            planted.write_csv(std::fs::File::create(folder.join("t.csv")).unwrap()).unwrap();
            let mut inspect = Command::new(env!("CARGO_BIN_EXE_dpsis"));
            let output = inspect.args(["inspect", "t.csv"]).current_dir(folder).output().unwrap();
            let text = String::from_utf8(output.stdout).unwrap();
            let command = text.lines().find(|line| line.trim().starts_with("dpsis select"));
            let command = command.unwrap_or_else(|| panic!("{kind:?}: {text}"));
            let mut words: Vec<&str> = command.split_whitespace().skip(1).collect();
            let epsilon = words.iter().position(|word| *word == "--eps").unwrap() + 1;
            words[epsilon] = "1e6";
            let others: [&[&str]; 4] =
                [&[], &["--score", "kendall"], &["--scale", "row-rank"], &["--scale", "cpm"]];
            for (total, more) in totals.iter_mut().zip(others) {
                // Counts per million are for tables of counts.
                if more != ["--scale", "cpm"] || kind == Kind::Counts {
                    *total += found(&planted, &selected(folder, &[&words[..], more].concat()));
                }
            }
        }
        let [suggested, others @ ..] = totals;
        // One of five a seed is chance.
        assert!(others.iter().all(|other| *other <= suggested + 1), "{kind:?}: {totals:?}");
        assert!(suggested >= 4 * seeds as usize, "{kind:?}: {totals:?}");
    }
}
