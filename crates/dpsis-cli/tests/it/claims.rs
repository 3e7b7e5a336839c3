//! `dpsis verify` and `dpsis audit`: results, exit codes and refusals.

use crate::harness::{Folder, assert_contains, assert_contains_all, dpsis};

#[test]
fn every_mechanism_holds() {
    let table = dpsis("verify --no-progress").succeeds().stdout;
    let last = "19 of 19 hold at epsilon 1 on these grids, of 16,568,705 pairs\n";
    assert!(table.ends_with(last), "{table}");
}

#[test]
fn the_published_error_is_one_command() {
    let broken = dpsis("verify canonical --variant printed-class-sizes");
    assert_eq!(broken.code, Some(1));
    assert_contains_all(&broken.stdout, &["result     violates", "at         scores"]);
    let holds = dpsis("verify canonical --k 3 --gamma 3/4").succeeds();
    assert_contains(&holds.stdout, "result     holds");
    assert_contains(&dpsis("verify --list").stdout, "--variant printed-class-sizes");
}

#[test]
fn verify_in_json() {
    let found = dpsis("verify em --format json --draws 5000 --seed 3").json();
    assert_eq!((&found["holds"], &found["sampler"]["holds"]), (&true.into(), &true.into()));
    assert_eq!(dpsis("verify --format json").json().as_array().unwrap().len(), 19);
}

#[test]
fn wrong_requests_are_refused() {
    let folder = Folder::new();
    folder.refuses_options(
        "verify",
        &[
            ("canonical --d 30", "pairs of neighbors"),
            ("canonical --variant x", "it has monotonic-constant-gamma-1"),
            ("em --k 2", "k from 1 to 1"),
            ("em --gamma 1/2", "--gamma"),
            ("--gamma 1/2", "give the mechanism"),
            ("em --variant monotonic-constant --draws 10", "nothing draws"),
            ("--k 2", "MECHANISM"),
        ],
    );
    folder.refuses_options(
        "audit --eps 1",
        &[
            ("", "required"),
            ("a.csv", "2 values required"),
            ("--mechanism em --scores 1,2 1,5", "not neighbors"),
            ("--mechanism em --scores 1,2 1", "as many scores"),
            ("--mechanism em --scores 1,x 1,2", "whole numbers"),
            ("--mechanism em --scores 1,2 1,2 --k 2", "k must be 1"),
            ("--mechanism em --scores 1,2 1,2 --delta 2", "delta"),
            ("a.csv b.csv -- --bond 1,2", "options of dpsis select"),
            ("a.csv b.csv --command cat", "{file}"),
        ],
    );
    folder.run("audit no.csv no.csv --eps 1").fails(5);
}

#[test]
fn scores_are_audited() {
    let line = "audit --mechanism krr --scores 0,1 1,0 --eps 1 --draws 40000 --seed 1";
    let output = dpsis(line).succeeds();
    assert_contains_all(&output.stdout, &["consistent with epsilon <= 1", "not a proof"]);
    assert_contains_all(&output.stderr, &["NOT PRIVATE", "40,000 draws"]);
    assert_eq!(dpsis(line).stdout, output.stdout);
}

#[test]
fn tables_are_audited() {
    let rows = "a,b,y\n1,9,8\n2,4,3\n3,5,6\n4,1,2\n";
    let folder = Folder::new().with("a.csv", rows);
    let audit = |other: String, options: &str| {
        folder.write("b.csv", other);
        folder.run(&format!("audit a.csv b.csv --eps 1 --draws 500 --seed 1 {options}"))
    };
    let audited = audit(format!("{rows}9,1,9\n"), "-- --bounds 0,10").succeeds();
    assert_contains(&audited.stdout, "500 on each table");
    audit(rows.replace("1,9,8", "1,9,7"), "-- --bounds 0,10 --neighbors replace-one").succeeds();
    // Tables that are not neighbors, and options that an audit refuses.
    for (other, options, rule) in [
        (format!("{rows}9,1,9\n9,1,8\n"), "", "not neighbors"),
        (rows.replace("a,b", "a,c"), "", "not neighbors"),
        (rows.replace("1,9,8", "1,9,7"), "", "give -- --neighbors replace-one"),
        (format!("{rows}9,1,9\n"), "-- --neighbors replace-one", "equally many rows"),
        (format!("{rows}9,1,9\n"), "-- --ledger x.txt", "no --ledger"),
    ] {
        assert_contains(&audit(other, options).fails(2), rule);
    }
}

#[cfg(unix)]
#[test]
fn programs_are_audited() {
    let folder = Folder::new().with("a", "1").with("b", "2");
    let audit = |command: &str, draws: u32| {
        folder.run(&format!("audit a b --eps 1 --draws {draws} --command '{command}'"))
    };
    // The file itself is the outcome: two that never agree.
    let cat = audit("cat {file}", 100);
    assert_eq!(cat.code, Some(1));
    assert_contains(&cat.stdout, "violates epsilon = 1");
    assert_contains(&cat.stderr, "would be found");
    // The name of the program alone is always the same.
    audit("test -f {file}", 100).succeeds();
    assert_contains(&audit("cat {file}", 4).stderr, "no violation could be found");
    audit("no-such-program {file}", 4).fails(5);
    // A program that always fails released nothing.
    assert_contains(&audit("test -d {file}", 4).fails(2), "every run");
}
