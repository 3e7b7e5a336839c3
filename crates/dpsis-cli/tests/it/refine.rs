//! `--refine gram`: what the reports say of a selection in two stages.
#![allow(clippy::unwrap_used)] // in a test a panic is how a failure is said

use std::process::{Command, Output};

const DEMO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../datasets/demo.csv");

fn select(words: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dpsis"));
    command.args(["select", "--seed", "3", DEMO]).args(words.split_whitespace());
    command.output().unwrap()
}

/// Both outputs of a selection that succeeds, with one blank between the words of the report.
fn done(words: &str) -> [String; 2] {
    let output = select(words);
    let report = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{words}: {report}");
    let report = report.split_whitespace().collect::<Vec<_>>().join(" ");
    [String::from_utf8(output.stdout).unwrap(), report]
}

#[test]
fn every_report_lists_what_was_screened() {
    let request = "--k 3 --eps 40 --refine gram";
    let [json, _] = done(&format!("{request} --format json"));
    let record: serde_json::Value = serde_json::from_str(&json).unwrap();
    let names = |key: &str| -> Vec<String> {
        let picks = record[key].as_array().unwrap().iter();
        picks.map(|picked| picked["name"].as_str().unwrap().to_owned()).collect()
    };
    let (selected, screened) = (names("selected"), names("screened"));
    assert_eq!((selected.len(), screened.len()), (3, 6));
    assert!(selected.iter().all(|name| screened.contains(name)), "{selected:?} {screened:?}");

    let [text, report] = done(request);
    assert_eq!(text.lines().collect::<Vec<_>>(), selected);
    let line = format!("screened {} strength", screened.join(", "));
    assert!(report.contains(&line), "{report}");
    let [page, _] = done(&format!("{request} --format html"));
    assert!(page.contains(&screened.join(", ")), "{page}");

    // Without a refinement nothing was screened.
    let [json, report] = done("--k 3 --eps 40 --format json");
    assert!(!json.contains("\"screened\"") && !report.contains("screened"), "{json} {report}");
}

/// Six features that stand out by themselves are those that are screened.
#[test]
fn the_screening_is_the_selection_of_twice_as_many() {
    let [json, _] = done("--k 3 --eps 4000 --refine gram --format json");
    let record: serde_json::Value = serde_json::from_str(&json).unwrap();
    let picks = record["screened"].as_array().unwrap().iter();
    let screened: Vec<&str> = picks.map(|picked| picked["name"].as_str().unwrap()).collect();
    let [six, _] = done("--k 6 --eps 4000");
    assert_eq!(six.lines().collect::<Vec<_>>(), screened);
}

#[test]
fn what_does_not_go_with_it_is_refused() {
    for (words, rule) in [
        ("--k 3 --eps 2 --refine gram --score kendall", "ks and correlation"),
        ("--k 51 --eps 2 --refine gram", "50"),
        ("--k 3 --eps 2 --refine gram --method two-stage", "by scores"),
    ] {
        let output = select(words);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{words}: {said}");
        assert!(said.contains(rule) && output.stdout.is_empty(), "{words}: {said}");
    }
}
