//! `dpsis verify` and `dpsis audit`: verdicts, exit codes and refusals.
#![allow(clippy::unwrap_used)] // in a test a panic is how a failure is said

use std::process::Command;

/// Exit code, stdout and stderr.
fn run(arguments: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_dpsis")).args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn words(line: &str) -> (i32, String, String) {
    run(&line.split(' ').collect::<Vec<_>>())
}

#[test]
fn every_mechanism_holds() {
    let (code, table, _) = words("verify --no-progress");
    assert_eq!(code, 0, "{table}");
    assert!(
        table.ends_with("19 of 19 hold at epsilon 1 on these grids, of 16,568,705 pairs\n"),
        "{table}"
    );
}

#[test]
fn the_published_error_is_one_command() {
    let (code, text, _) = words("verify canonical --variant printed-class-sizes");
    assert_eq!(code, 1);
    assert!(text.contains("verdict    violates") && text.contains("at         scores"), "{text}");
    let (code, text, _) = words("verify canonical --k 3 --gamma 3/4");
    assert_eq!(code, 0);
    assert!(text.contains("verdict    holds"), "{text}");
    let (_, list, _) = words("verify --list");
    assert!(list.contains("--variant printed-class-sizes"), "{list}");
}

#[test]
fn verify_in_json() {
    let (code, json, _) = words("verify em --format json --draws 5000 --seed 3");
    let found: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (code, &found["holds"], &found["sampler"]["holds"]),
        (0, &true.into(), &true.into())
    );
    let (_, json, _) = words("verify --format json");
    let all: Vec<serde_json::Value> = serde_json::from_str(&json).unwrap();
    assert_eq!(all.len(), 19);
}

#[test]
fn wrong_requests_are_refused() {
    for (line, part) in [
        ("verify canonical --d 30", "pairs of neighbors"),
        ("verify canonical --variant x", "it has monotonic-constant-gamma-1"),
        ("verify em --k 2", "k from 1 to 1"),
        ("verify em --gamma 1/2", "--gamma"),
        ("verify --gamma 1/2", "state the mechanism"),
        ("verify em --variant monotonic-constant --draws 10", "nothing draws"),
        ("verify --k 2", "MECHANISM"),
        ("audit --eps 1", "required"),
        ("audit a.csv --eps 1", "2 values required"),
        ("audit --eps 1 --mechanism em --scores 1,2 1,5", "no neighbors"),
        ("audit --eps 1 --mechanism em --scores 1,2 1", "as many scores"),
        ("audit --eps 1 --mechanism em --scores 1,x 1,2", "whole numbers"),
        ("audit --eps 1 --mechanism em --scores 1,2 1,2 --k 2", "k must be 1"),
        ("audit --eps 1 --delta 2 --mechanism em --scores 1,2 1,2", "delta"),
        ("audit a.csv b.csv --eps 1 -- --bond 1,2", "options of dpsis select"),
        ("audit a.csv b.csv --eps 1 --command cat", "{file}"),
    ] {
        let (code, _, said) = words(line);
        assert_eq!(code, 2, "{line}: {said}");
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains(part), "{line}: {said}");
    }
    assert_eq!(words("audit no.csv no.csv --eps 1").0, 5);
}

#[test]
fn scores_are_audited() {
    let line = "audit --mechanism krr --scores 0,1 1,0 --eps 1 --draws 40000 --seed 1";
    let (code, text, said) = words(line);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("consistent with epsilon <= 1") && text.contains("no proof"), "{text}");
    assert!(said.contains("NOT PRIVATE") && said.contains("40,000 draws"), "{said}");
    assert_eq!(words(line).1, text);
}

#[test]
fn tables_are_audited() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let rows = "a,b,y\n1,9,8\n2,4,3\n3,5,6\n4,1,2\n";
    std::fs::write(path("a.csv"), rows).unwrap();
    std::fs::write(path("b.csv"), format!("{rows}9,1,9\n")).unwrap();
    let (a, b) = (path("a.csv"), path("b.csv"));
    let audit = ["audit", &a, &b, "--eps", "1", "--draws", "500", "--seed", "1"];
    let (code, text, said) = run(&[&audit[..], &["--", "--bounds", "0,10"]].concat());
    assert_eq!(code, 0, "{text} {said}");
    assert!(text.contains("500 on each table"), "{text}");
    // What is no pair of neighbors, or no audit.
    for (other, options, rule) in [
        (format!("{rows}9,1,9\n9,1,8\n"), vec![], "no neighbors"),
        (rows.replace("a,b", "a,c"), vec![], "no neighbors"),
        (format!("{rows}9,1,9\n"), vec!["--", "--ledger", "x.txt"], "no --ledger"),
    ] {
        std::fs::write(path("b.csv"), other).unwrap();
        let (code, text, said) = run(&[&audit[..], &options].concat());
        assert_eq!((code, text.as_str()), (2, ""), "{said}");
        assert!(said.contains(rule), "{said}");
    }
}

#[cfg(unix)]
#[test]
fn programs_are_audited() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(path("a"), "1").unwrap();
    std::fs::write(path("b"), "2").unwrap();
    let (a, b) = (path("a"), path("b"));
    let audit = |command, draws| {
        run(&["audit", &a, &b, "--eps", "1", "--draws", draws, "--command", command])
    };
    // The file itself is the outcome: two that never agree.
    let (code, text, said) = audit("cat {file}", "100");
    assert_eq!(code, 1, "{text}");
    assert!(
        text.contains("violates epsilon = 1") && said.contains("would be found"),
        "{text}{said}"
    );
    // The name of the program alone is always the same.
    let (code, text, _) = audit("test -f {file}", "100");
    assert_eq!(code, 0, "{text}");
    let (_, _, said) = audit("cat {file}", "4");
    assert!(said.contains("no violation could be found"), "{said}");
    assert_eq!(audit("no-such-program {file}", "4").0, 5);
    // A program that always fails released nothing.
    let (code, _, said) = audit("test -d {file}", "4");
    assert!(code == 2 && said.contains("every run"), "{said}");
}
