//! `--unit`, `--unit-target` and `--adjust`: people with several rows, and strata of covariates.

use crate::harness::{DATASETS, Folder, assert_contains, dpsis};

const VISITS: &str = "--unit person --classes no,yes --exclude age,sex";

/// The JSON record of a seeded selection, without its note of the request.
#[track_caller]
fn record(folder: &Folder, options: &str) -> serde_json::Value {
    let line = format!("select --k 3 --eps 3 --seed 2 --format json {options}");
    let mut record = folder.run(&line).json();
    record.as_object_mut().unwrap().remove("run");
    record
}

fn data() -> Folder {
    Folder::at(DATASETS)
}

/// The text of the table of visits.
fn visits() -> String {
    data().read("visits.csv")
}

#[test]
fn records_give_the_privacy_unit() {
    let found = record(&data(), &format!("{VISITS} visits.csv"));
    assert_eq!(found["guarantee"]["unit"], "person");
    assert_eq!(found["target"]["of_person"], "last");
    assert_eq!(found["public"]["id_column"], 1);
    let adjusted = "--unit person --unit-target any-positive --classes no,yes --adjust age:60 --adjust sex=F,M visits.csv";
    let found = record(&data(), adjusted);
    assert_eq!(found["target"]["of_person"], "any-positive");
    assert_eq!(found["target"]["adjusted_for"], serde_json::json!(["age:60", "sex=F,M"]));
    assert_eq!(found["released"]["center"].as_array().unwrap().len(), 4);
    assert_eq!(found["public"]["features"], 40);
    let rows = record(&data(), &format!("{VISITS} --neighbors replace-one visits.csv"));
    // A person who is replaced may have no identifier: their number is private.
    assert!(rows["public"]["rows"].is_null());
    let plan = dpsis(&format!("select --k 1 --eps 1 --dry-run {VISITS} visits.csv"));
    assert_contains(&plan.succeeds().stdout, "one person: all rows with the same id");
}

/// The order of people, threads, memory and the number of files play no part; for a sum over rows,
/// neither does the order of a person's rows.
#[test]
fn the_same_people_give_the_same_record() {
    let folder = Folder::new();
    let text = visits();
    let (header, rows) = text.split_once('\n').unwrap();
    let mut by_last: Vec<&str> = rows.lines().collect();
    // Stable: the rows of one person stay in their order.
    by_last.sort_by_key(|row| row.split(',').next().unwrap().chars().rev().collect::<String>());
    let write = |name: &str, rows: &[&str]| {
        folder.write(name, format!("{header}\n{}\n", rows.join("\n")));
    };
    folder.write("sets.gmt", "a\t-\tlab_01\tlab_02\nb\t-\tlab_11\tlab_23\nc\t-\tlab_05\tlab_06\n");
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
        let facts = match score.contains("--adjust") {
            true => "--unit person --classes no,yes --exclude sex",
            false => VISITS,
        };
        let k = |table: &str| record(&folder, &format!("{facts} {score} {table}"));
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
fn rows_without_an_identifier_contribute_nothing() {
    let folder = Folder::new();
    let text = visits();
    let row_with_id = |id: &str| {
        text.lines().nth(7).unwrap().replacen("p", id, 1).replacen(
            |c: char| c.is_ascii_digit(),
            "",
            3,
        )
    };
    let more: String = ["", "NA", " "].map(|id| row_with_id(id) + "\n").concat();
    assert!(more.starts_with(','), "{more}");
    folder.write("visits.csv", &text);
    folder.write("more.csv", text + &more);
    let of = |table: &str| record(&folder, &format!("{VISITS} {table}"));
    assert_eq!(of("more.csv"), of("visits.csv"));
}

/// Targets of people from a file are joined by their ids.
#[test]
fn targets_of_people_can_be_elsewhere() {
    let folder = Folder::new();
    let text = visits();
    let mut targets = std::collections::BTreeMap::new();
    for row in text.lines().skip(1) {
        let cells: Vec<&str> = row.split(',').collect();
        targets.insert(cells[0].to_owned(), cells[cells.len() - 1].to_owned());
    }
    let file: String = targets.iter().map(|(id, y)| format!("{id},{y}\n")).collect();
    folder.write("y.csv", format!("id,event\n{file}"));
    folder.write("visits.csv", text);
    let here = record(&folder, &format!("{VISITS} visits.csv"));
    let there =
        "--unit person --classes no,yes --exclude age,sex,event --target-file y.csv visits.csv";
    let there = record(&folder, there);
    assert_eq!(there["selected"], here["selected"]);
    assert_eq!(there["released"], here["released"]);
}

#[test]
fn wrong_requests_are_refused() {
    let folder = data();
    let select = "select --k 2 --eps 1 --seed 1";
    folder.refuses_options(
        &format!("{select} visits.csv"),
        &[
            ("--unit persn", "there is no column \"persn\""),
            ("--unit-target mean", "needs the column of person identifiers"),
        ],
    );
    folder.refuses_options(
        &format!("{select} visits.csv {VISITS}"),
        &[
            ("--unit-target mean", "classes have no mean"),
            ("--method two-stage", "by scores"),
            ("--refine gram", "signs of single rows"),
            ("--orient features-as-rows", "samples as rows"),
        ],
    );
    folder.refuses_options(
        &format!("{select} --classes no,yes --exclude person visits.csv"),
        &[
            ("--adjust agee:40", "did you mean \"age\""),
            ("--adjust person=a,b", "is not a feature"),
            ("--adjust age", "neither cut points nor levels"),
            ("--adjust age:60,40", "numbers that increase"),
            ("--adjust age:60 --neighbors replace-one", "may change its stratum"),
            ("--adjust age:60 --center 0.3", "none is given"),
            ("--adjust age:60 --score kendall", "ks and correlation"),
            ("--adjust age:60 --split estimates=0.15", "no effect sizes"),
            ("--adjust age:60 --direction", "one private center"),
            ("--adjust sex=F", "one stratum"),
        ],
    );
    folder.refuses_options(
        "partial --part 1/1 --bounds=-3,3 visits.csv -o x.partial",
        &[
            (VISITS, "need the whole table"),
            ("--classes no,yes --exclude person,age --adjust sex=F,M", "need the whole table"),
        ],
    );
    let compare = "compare --k 3 --eps 5 --classes no,yes --unit person visits.csv -o compared";
    folder.refuses(&[(compare, 2, "without several rows per person")]);
}

/// Tables that differ in all rows of one person can be distinguished no better than epsilon allows.
#[test]
fn an_audit_compares_tables_with_and_without_a_person() {
    let folder = Folder::new();
    let text = visits();
    // A small table, in which one person weighs much.
    let few = |row: &&str| row.starts_with("person") || row.as_bytes()[1..4] < b"013"[..];
    let whole: Vec<&str> = text.lines().filter(few).collect();
    let without: Vec<&str> = whole.iter().copied().filter(|row| !row.starts_with("p003")).collect();
    assert!(whole.len() > without.len() + 1);
    for (name, rows) in [("a.csv", &whole), ("b.csv", &without)] {
        folder.write(name, rows.join("\n") + "\n");
    }
    let audit = "audit a.csv b.csv --eps 1 --draws 4000 -- --classes no,yes --exclude age,sex --unit person";
    folder.run(audit).succeeds();
    folder.run(&audit.replace("--unit person", "--id person")).fails(2);
}

/// A budget for rows is not charged for people, and the other way around.
#[test]
fn ledgers_are_for_rows_or_for_people() {
    let folder = Folder::new().with("visits.csv", visits());
    let rows = "--classes no,yes --exclude person,sex";
    for unit in ["row", "person"] {
        folder.run(&format!("ledger create --cap 9 --privacy-unit {unit} {unit}.txt")).succeeds();
        for (options, own) in [(VISITS, "person"), (rows, "row")] {
            let line = format!("select --k 1 --eps 1 {options} --ledger {unit}.txt visits.csv");
            let expected = if own == unit { 0 } else { 2 };
            assert_eq!(folder.run(&line).code, Some(expected), "{line}");
        }
    }
    // Records for people are added to records for people alone.
    for (name, options) in [("people", VISITS), ("rows", rows)] {
        let out = format!("--format json -o {name}.json visits.csv");
        folder.run(&format!("select --k 1 --eps 1 {options} {out}")).succeeds();
    }
    folder.run("account --delta 1e-6 people.json people.json").succeeds();
    folder.run("account --delta 1e-6 people.json rows.json").fails(2);
}
