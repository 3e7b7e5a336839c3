//! `--unit`, `--unit-target` and `--adjust`: people with several rows, and strata of covariates.
#![allow(clippy::unwrap_used)] // in a test a panic is how a failure is said

use std::path::Path;
use std::process::{Command, Output};

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../datasets");
const VISITS: &str = "--unit person --classes no,yes --exclude age,sex";

fn run(folder: &Path, words: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dpsis"));
    command.env("SOURCE_DATE_EPOCH", "1795305600").current_dir(folder);
    command.args(words.split_whitespace()).output().unwrap()
}

fn said(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The JSON record of a seeded selection among the demo data, without its note of the request.
fn record(folder: &Path, words: &str) -> serde_json::Value {
    let output = run(folder, &format!("select --k 3 --eps 3 --seed 2 --format json {words}"));
    assert_eq!(output.status.code(), Some(0), "{words}: {}", said(&output));
    let mut record: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    record.as_object_mut().unwrap().remove("run");
    record
}

fn refused(words: &str, rule: &str) {
    let output = run(Path::new(DATA), words);
    assert_eq!(output.status.code(), Some(2), "{words}: {}", said(&output));
    assert!(said(&output).contains(rule), "{words}: {}", said(&output));
}

#[test]
fn records_say_who_is_protected() {
    let found = record(Path::new(DATA), &format!("{VISITS} visits.csv"));
    assert_eq!(found["guarantee"]["unit"], "person");
    assert_eq!(found["target"]["of_person"], "last");
    assert_eq!(found["public"]["id_column"], 1);
    let adjusted = "--unit person --unit-target any-positive --classes no,yes --adjust age:60 --adjust sex=F,M visits.csv";
    let found = record(Path::new(DATA), adjusted);
    assert_eq!(found["target"]["of_person"], "any-positive");
    assert_eq!(found["target"]["adjusted_for"], serde_json::json!(["age:60", "sex=F,M"]));
    assert_eq!(found["released"]["center"].as_array().unwrap().len(), 4);
    assert_eq!(found["public"]["features"], 40);
    let rows = record(Path::new(DATA), &format!("{VISITS} --neighbors replace-one visits.csv"));
    // A person who is replaced may have no identifier: their number is private.
    assert!(rows["public"]["rows"].is_null());
    let report =
        run(Path::new(DATA), &format!("select --k 1 --eps 1 --dry-run {VISITS} visits.csv"));
    let report = String::from_utf8(report.stdout).unwrap();
    assert!(report.contains("one person: all rows with the same id"), "{report}");
}

/// The order of people, threads, memory and the number of files play no part; for a sum over rows,
/// neither does the order of a person's rows.
#[test]
fn the_same_people_give_the_same_record() {
    let folder = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(Path::new(DATA).join("visits.csv")).unwrap();
    let (header, rows) = text.split_once('\n').unwrap();
    let mut by_last: Vec<&str> = rows.lines().collect();
    // Stable: the rows of one person stay in their order.
    by_last.sort_by_key(|row| row.split(',').next().unwrap().chars().rev().collect::<String>());
    let write = |name: &str, rows: &[&str]| {
        std::fs::write(folder.path().join(name), format!("{header}\n{}\n", rows.join("\n")))
            .unwrap();
    };
    write("all.csv", &rows.lines().collect::<Vec<_>>());
    write("sorted.csv", &by_last);
    write("part-1.csv", &by_last[..333]);
    write("part-2.csv", &by_last[333..]);
    for score in [
        "",
        "--bounds=-3,3",
        "--scale row-rank --score ks",
        "--score kendall",
        "--unit-target any-positive",
        "--adjust age:45,65",
        "--adjust age:45,65 --bounds=-3,3",
        "--groups sets.gmt --group-size 2",
    ] {
        std::fs::write(
            folder.path().join("sets.gmt"),
            "a\t-\tlab_01\tlab_02\nb\t-\tlab_11\tlab_23\nc\t-\tlab_05\tlab_06\n",
        )
        .unwrap();
        let facts = match score.contains("--adjust") {
            true => "--unit person --classes no,yes --exclude sex",
            false => VISITS,
        };
        let k = |table: &str| record(folder.path(), &format!("{facts} {score} {table}"));
        let expected = k("all.csv");
        for table in [
            "--threads 1 sorted.csv",
            "--threads 3 part-1.csv part-2.csv",
            "--memory 40MB sorted.csv",
        ] {
            assert_eq!(k(table), expected, "{score} {table}");
        }
    }
}

#[test]
fn a_row_of_nobody_contributes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(Path::new(DATA).join("visits.csv")).unwrap();
    let nobody = |id: &str| {
        text.lines().nth(7).unwrap().replacen("p", id, 1).replacen(
            |c: char| c.is_ascii_digit(),
            "",
            3,
        )
    };
    let more: String = ["", "NA", " "].map(|id| nobody(id) + "\n").concat();
    assert!(more.starts_with(','), "{more}");
    std::fs::write(folder.path().join("visits.csv"), text.clone()).unwrap();
    std::fs::write(folder.path().join("more.csv"), text + &more).unwrap();
    let of = |table: &str| record(folder.path(), &format!("{VISITS} {table}"));
    assert_eq!(of("more.csv"), of("visits.csv"));
}

/// Targets of people from a file are joined by their ids.
#[test]
fn targets_of_people_can_be_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(Path::new(DATA).join("visits.csv")).unwrap();
    let mut targets = std::collections::BTreeMap::new();
    for row in text.lines().skip(1) {
        let cells: Vec<&str> = row.split(',').collect();
        targets.insert(cells[0].to_owned(), cells[cells.len() - 1].to_owned());
    }
    let file: String = targets.iter().map(|(id, y)| format!("{id},{y}\n")).collect();
    std::fs::write(folder.path().join("y.csv"), format!("id,event\n{file}")).unwrap();
    std::fs::write(folder.path().join("visits.csv"), text).unwrap();
    let here = record(folder.path(), &format!("{VISITS} visits.csv"));
    let there =
        "--unit person --classes no,yes --exclude age,sex,event --target-file y.csv visits.csv";
    let there = record(folder.path(), there);
    assert_eq!(there["selected"], here["selected"]);
    assert_eq!(there["released"], here["released"]);
}

#[test]
fn what_is_refused() {
    let select = "select --k 2 --eps 1 --seed 1";
    refused(&format!("{select} --unit persn visits.csv"), "there is no column \"persn\"");
    refused(&format!("{select} --unit-target mean visits.csv"), "needs a column that tells them");
    refused(&format!("{select} {VISITS} --unit-target mean visits.csv"), "classes have no mean");
    refused(&format!("{select} {VISITS} --method two-stage visits.csv"), "by scores");
    refused(&format!("{select} {VISITS} --refine gram visits.csv"), "signs of single rows");
    refused(&format!("{select} {VISITS} --orient features-as-rows visits.csv"), "samples as rows");
    refused(
        &format!("partial --part 1/1 {VISITS} --bounds=-3,3 visits.csv -o x.partial"),
        "need the whole table",
    );
    let compare = "compare --k 3 --eps 5 --classes no,yes --unit person visits.csv -o compared";
    refused(compare, "no people with several rows");
    let adjust = format!("{select} --classes no,yes --exclude person");
    refused(&format!("{adjust} --adjust agee:40 visits.csv"), "did you mean \"age\"");
    refused(&format!("{adjust} --adjust person=a,b visits.csv"), "is no feature");
    refused(&format!("{adjust} --adjust age visits.csv"), "neither cut points nor levels");
    refused(&format!("{adjust} --adjust age:60,40 visits.csv"), "numbers that increase");
    refused(
        &format!("{adjust} --adjust age:60 --neighbors replace-one visits.csv"),
        "may change its stratum",
    );
    refused(&format!("{adjust} --adjust age:60 --center 0.3 visits.csv"), "none is stated");
    refused(&format!("{adjust} --adjust age:60 --score kendall visits.csv"), "ks and correlation");
    refused(&format!("{adjust} --adjust age:60 --split estimates=0.15 visits.csv"), "no strengths");
    let one = "partial --part 1/1 --classes no,yes --exclude person,age --bounds=-3,3 --adjust sex=F visits.csv -o x.partial";
    refused(one, "need the whole table");
    refused(&format!("{adjust} --adjust age:60 --direction visits.csv"), "one private center");
}

/// Two tables that differ in all rows of one person tell no more apart than epsilon allows.
#[test]
fn an_audit_takes_a_person_away() {
    let folder = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(Path::new(DATA).join("visits.csv")).unwrap();
    // A small table, in which one person weighs much.
    let few = |row: &&str| row.starts_with("person") || row.as_bytes()[1..4] < b"013"[..];
    let whole: Vec<&str> = text.lines().filter(few).collect();
    let without: Vec<&str> = whole.iter().copied().filter(|row| !row.starts_with("p003")).collect();
    assert!(whole.len() > without.len() + 1);
    for (name, rows) in [("a.csv", &whole), ("b.csv", &without)] {
        std::fs::write(folder.path().join(name), rows.join("\n") + "\n").unwrap();
    }
    let audit = "audit a.csv b.csv --eps 1 --draws 4000 -- --classes no,yes --exclude age,sex --unit person";
    let output = run(folder.path(), audit);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let rows = audit.replace("--unit person", "--id person");
    assert_eq!(run(folder.path(), &rows).status.code(), Some(2));
}

/// A budget for rows pays for no people, and the other way around.
#[test]
fn ledgers_are_for_rows_or_for_people() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(Path::new(DATA).join("visits.csv"), folder.path().join("visits.csv")).unwrap();
    for unit in ["row", "person"] {
        let create = format!("ledger create --cap 9 --unit {unit} {unit}.txt");
        assert_eq!(run(folder.path(), &create).status.code(), Some(0));
        for (facts, own) in [(VISITS, "person"), ("--classes no,yes --exclude person,sex", "row")] {
            let words = format!("select --k 1 --eps 1 {facts} --ledger {unit}.txt visits.csv");
            let output = run(folder.path(), &words);
            let expected = if own == unit { 0 } else { 2 };
            assert_eq!(output.status.code(), Some(expected), "{words}: {}", said(&output));
        }
    }
    // Records of people add up with each other, and with no others.
    for (name, facts) in [("people", VISITS), ("rows", "--classes no,yes --exclude person,sex")] {
        let words = format!("select --k 1 --eps 1 {facts} --format json -o {name}.json visits.csv");
        assert_eq!(run(folder.path(), &words).status.code(), Some(0));
    }
    let account =
        |words: &str| run(folder.path(), &format!("account --delta 1e-6 {words}")).status.code();
    assert_eq!(account("people.json people.json"), Some(0));
    assert_eq!(account("people.json rows.json"), Some(2));
}
