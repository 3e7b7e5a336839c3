//! Releases from sums of a database: one command with the same options serves every stage.

use std::fs;

use crate::harness::{Folder, assert_contains_all};
use crate::ledger::{balance, refused};

/// The result of a query over 300 rows, without an engine: all scores are 0, and the targets lie in
/// the middle of the grid, in the middle of their range, or evenly in the classes.
fn answer(query: &str) -> String {
    let count = |item: &str| -> Option<u64> {
        let (_, rest) = query.split_once(&format!("SELECT '{item}', p.place"))?;
        let (_, rest) = rest.split_once("range(0, ")?;
        rest.split_once(')')?.0.parse().ok()
    };
    let facts = query.split("SELECT 'facts' AS item, ").skip(1);
    let facts = facts.map(|piece| piece.split_once(" AS place, '").unwrap().1);
    let facts = facts.map(|piece| piece.split_once('\'').unwrap().0.replace('"', "\"\""));
    let facts = facts.map(|piece| format!("\"{piece}\""));
    let mut lines = "item,place,value\nrows,0,300\n".to_owned();
    let mut add = |item: &str, values: Vec<String>| {
        for (place, value) in values.into_iter().enumerate() {
            lines += &format!("{item},{place},{value}\n");
        }
    };
    add("facts", facts.collect());
    let has_targets = query.contains("SELECT 'targets', ");
    match count("targets") {
        Some(classes) => add("targets", vec![(300 / classes).to_string(); classes as usize]),
        None if has_targets => add("targets", vec!["0".into(), "300".into()]),
        None => {}
    }
    let sums = count("sums").unwrap_or_default();
    let of_place = |place| if !has_targets && place == sums / 2 { "300" } else { "0" };
    add("sums", (0..sums).map(|place| of_place(place).into()).collect());
    lines
}

/// A wide table of four features in DuckDB, with this target and score.
fn query(folder: &Folder, target: &str, released: &str) {
    let line = "sql --dialect duckdb --table t --wide --target y --features a,b,c,d";
    let query = folder.run(&format!("{line} {target} {released}")).succeeds().stdout;
    folder.write("sums.csv", answer(&query));
}

/// The targets and scores, and the number of their stages.
const KINDS: [(&str, usize); 6] = [
    ("--bounds=-3,3 --classes no,yes", 1),
    ("--bounds=-3,3", 2),
    ("--scale row-rank --score ks", 2),
    ("--classes no,yes", 2),
    ("--target-bounds=-3,3", 2),
    ("", 3),
];

/// Effect sizes are not released: without any association, their forecast takes seconds.
const CHOOSE: &str = "choose --sums sums.csv --k 2 --eps 9 --split estimates=0 -o out";

/// Makes the ledger anew.
fn ledger(folder: &Folder, options: &str) {
    let _ = fs::remove_file(folder.path("budget.txt"));
    let _ = fs::remove_dir_all(folder.path("budget.txt.runs"));
    folder.run(&format!("ledger create {options} budget.txt")).succeeds();
}

#[test]
fn one_command_serves_every_stage() {
    for (target, count) in KINDS {
        for (options, terms) in [
            ("", ""),
            ("--ledger budget.txt --ledger-note nightly", "--cap 9"),
            ("--ledger budget.txt --run-key nightly", "--cap 9"),
            ("--ledger budget.txt --run-key nightly --center none", "--cap 9"),
            ("--ledger budget.txt --mechanism peel --delta 1e-6", "--cap 9 --delta 1e-6"),
            ("--ledger budget.txt --neighbors replace-one", "--cap 9 --neighbors replace-one"),
            ("--split target=0.2,center=0.1,estimates=0", ""),
            ("--mechanism canonical --gamma 0.7 --seed 3", ""),
            ("--format json --name-file --quiet", ""),
            ("--format acro", ""),
        ] {
            let folder = Folder::new();
            let line = match options.starts_with("--split") {
                true => CHOOSE.replace("--split estimates=0", options),
                false => format!("{CHOOSE} {options}"),
            };
            if !terms.is_empty() {
                ledger(&folder, terms);
            }
            let mut released = String::new();
            for stage in 1..=count {
                query(&folder, target, &released);
                folder.run(&line).succeeds();
                let file = if folder.has("out.released") { "out.released" } else { "out" };
                if stage < count {
                    fs::rename(folder.path(file), folder.path("target.txt")).unwrap();
                    released = "--released target.txt".into();
                }
                if options.contains("--run-key") {
                    // A repeated call returns the release.
                    let before = folder.read("budget.txt");
                    folder.run(&line).succeeds();
                    assert_eq!(folder.read("budget.txt"), before, "{target}: {line}");
                    let first = if stage < count { "target.txt" } else { "out" };
                    assert_eq!(folder.read(first), folder.read("out"), "{target}: {line}");
                }
            }
            let released = fs::read_to_string(folder.path("out")).unwrap_or_default();
            assert!(!released.starts_with("dpsis "), "{target}: {line}: {released}");
            if !terms.is_empty() {
                assert_eq!(balance(&folder).left(), "0", "{target}: {line}");
            }
        }
    }
}

/// Options that a later stage would refuse are refused at the first, and nothing is charged.
#[test]
fn the_first_stage_refuses_for_the_last() {
    for (target, _) in KINDS {
        let folder = Folder::new();
        fs::create_dir(folder.path("there")).unwrap();
        query(&folder, target, "");
        for (options, cap, code, parts) in [
            ("--k 5", "9", 2, ["number of features, 4", "--k"]),
            ("--mechanism gem", "9", 2, ["gem", "sensitivity"]),
            ("--mechanism peel --delta 1e-6", "9", 2, ["purely private", "--delta"]),
            ("--neighbors replace-one", "9", 2, ["adding or removing", "--neighbors"]),
            ("--format acro", "9", 5, ["there", "exists"]),
            ("", "8.9", 4, ["8.9 left of 8.9", "--eps"]),
        ] {
            ledger(&folder, &format!("--cap {cap}"));
            let line = match options.contains("--k") {
                true => CHOOSE.replace("--k 2", options),
                false => {
                    format!("{CHOOSE} {options}").replace("-o out --format", "-o there --format")
                }
            };
            let line = format!("{line} --ledger budget.txt --run-key nightly");
            assert_contains_all(&refused(&folder, &line, code), &parts);
        }
    }
}

/// A stage with other options than the stages before.
#[test]
fn stages_with_other_options_are_refused() {
    let folder = Folder::new();
    query(&folder, "", "");
    folder.run(&CHOOSE.replace("out", "median.txt")).succeeds();
    query(&folder, "", "--released median.txt");
    folder.run(&CHOOSE.replace("out", "center.txt")).succeeds();
    query(&folder, "", "--released center.txt");
    for (options, part) in [
        ("--eps 8", "the median has spent epsilon 0.9"),
        ("--eps 9 --split target=0.2", "the median has spent epsilon 0.9"),
        ("--eps 9 --split center=0.2", "the center has spent epsilon 0.675"),
        ("--eps 9 --neighbors replace-one", "another neighbor relation"),
        ("--eps 9 --center none", "the columns were scored at another center"),
    ] {
        let line = CHOOSE.replace("--eps 9 --split estimates=0", options);
        let message = folder.run(&line).fails(2);
        assert_contains_all(&message, &[part, "the same options at all stages"]);
    }
    folder.run(CHOOSE).succeeds();
    query(&folder, "", "");
    folder.run(&format!("{CHOOSE} --seed 1")).succeeds();
    query(&folder, "", "--released out");
    let message = folder.run(&CHOOSE.replace("out", "center.txt")).fails(2);
    assert_contains_all(&message, &["drawn from a seed", "--seed"]);
}
