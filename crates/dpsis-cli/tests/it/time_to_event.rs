//! `--time`, `--event` and `--by`: the same in every command that takes a target; `inspect`
//! suggests them.

use crate::harness::{Folder, assert_contains, assert_contains_all, assert_lacks, one_line};

const AT: &str = "--time days --event died=1 --by 1825";

/// The time and the event of a row, and its class at 1825 days.
fn times(i: usize) -> (usize, usize, &'static str) {
    let (days, died) = (i * 37 % 3001, usize::from((i % 7).is_multiple_of(2)));
    let class = match (days, died) {
        (days, 1) if days <= 1825 => "event by 1825",
        (days, 0) if days < 1825 => "",
        _ => "no event by 1825",
    };
    (days, died, class)
}

/// A folder with a table of times and events, and one with the classes that they make.
fn folder() -> Folder {
    let folder = Folder::new();
    let features = |i: usize| {
        let shift = if times(i).2 == "event by 1825" { 20 } else { 0 };
        format!("{},{},{}", i * 7 % 41 + shift, i * 5 % 37, i * i % 43)
    };
    folder.table("t.csv", "a,b,c,days,died", 600, |i| {
        format!("{},{},{}", features(i), times(i).0, times(i).1)
    });
    folder.table("classes.csv", "a,b,c,y", 600, |i| format!("{},{}", features(i), times(i).2));
    folder
}

#[test]
fn every_command_takes_a_target_at_a_horizon() {
    let schema = r#"{"time": "days", "event": ["died", "1"], "by": 1825}"#;
    let folder = folder().with("schema.json", schema);
    let select = "select --k 1 --eps 3 --seed 1 --format json";
    let record = |options: &str| folder.run(&format!("{select} {options}")).json();
    let expected = record("--classes 'no event by 1825,event by 1825' classes.csv");
    let found = record(&format!("{AT} t.csv"));
    for part in ["selected", "released", "estimates", "score", "guarantee"] {
        assert_eq!(found[part], expected[part], "{part}");
    }
    let horizon = &found["target"]["time_to_event"];
    assert_eq!(horizon["time"], "days");
    assert_eq!((&horizon["event"], &horizon["value"]), (&"died".into(), &"1".into()));
    assert_eq!(horizon["by"], 1825.0);

    // Standard input, a schema file, another target than that of the schema file.
    let piped = folder.pipe(&format!("{select} {AT} -"), folder.read("t.csv")).json();
    assert_eq!(piped["released"], expected["released"]);
    assert_eq!(record("--schema schema.json t.csv")["released"], expected["released"]);
    let other = record("--schema schema.json --target a --target-number t.csv");
    assert_eq!(other["target"]["name"], "a");

    // A dry run, a model, a query.
    let plan = folder.run(&format!("select --k 1 --eps 3 --dry-run {AT} t.csv")).text();
    let parts = ["classes no event by 1825, event by 1825", "non-informative censoring"];
    assert_contains_all(&plan, &parts);
    let model = folder.run(&format!("fit --k 1 --eps 6 --seed 1 --bounds 0,60 {AT} t.csv")).json();
    assert_eq!(model["target"]["classes"][1], "event by 1825");
    folder.write("names.txt", "a\nb\n");
    let sql = "sql --dialect duckdb --table t --wide --target days --features @names.txt";
    let query = folder.run(&format!("{sql} --bounds 0,60 {AT}")).text();
    assert_contains(&query, "CASE WHEN died = 1");

    // Parts.
    let text = folder.read("t.csv");
    let lines: Vec<&str> = text.lines().collect();
    for (i, rows) in [&lines[1..200], &lines[200..]].iter().enumerate() {
        folder.write(&format!("part{i}.csv"), [&lines[..1], rows].concat().join("\n"));
        let files = format!("--part {}/2 -o part{i}.sums part{i}.csv", i + 1);
        folder.run(&format!("partial {files} {AT} --bounds 0,60")).succeeds();
    }
    let parts = record("--partials part0.sums part1.sums");
    let whole = record(&format!("{AT} --bounds 0,60 t.csv"));
    for part in ["selected", "released", "estimates", "target", "score"] {
        assert_eq!(parts[part], whole[part], "{part}");
    }
}

#[test]
fn errors_give_rule_and_remedy() {
    let all = "give all three, such as time days, event died=1, by 1825 (--time, --event, --by)";
    let folder = folder();
    folder.refuses_options(
        "select --k 1 --eps 3 t.csv",
        &[
            ("--time days", all),
            ("--by 5", "give all three"),
            ("--time days --by 5 --event died", "write COLUMN=VALUE, such as died=1 (--event)"),
            ("--time days --by 5 --event =1", "write COLUMN=VALUE"),
            ("--time days --by 0 --event died=1", "the horizon must be a positive number"),
            ("--time days --by=-3 --event died=1", "such as 1825 days (--by)"),
            ("--time dayz --by 5 --event died=1", "did you mean \"days\"? (--time)"),
        ],
    );
    folder.refuses_options(
        "select --k 1 --eps 3 t.csv --time days --by 5 --event died=1",
        &[
            ("--classes 0,1", "(--classes, --time, --event, --by)"),
            ("--target-bounds 0,1", "(--target-bounds"),
            ("--target a", "not both"),
            ("--target-index 2", "not both"),
            ("--exclude days", "(--exclude)"),
            ("--id died", "(--event, --id, --unit)"),
        ],
    );
}

#[test]
fn inspect_requests_a_horizon_and_counts() {
    let folder = folder();
    let inspect =
        |options: &str| one_line(&folder.run(&format!("inspect {options}")).succeeds().stdout);
    // The median is 1500 days; the last column would be the target.
    assert_contains_all(
        &inspect("t.csv"),
        &[
            "! target are column 4 (\"days\") and column 5 (\"died\") a time to an event?",
            "choose the horizon by the question, not by the data",
            "No command yet",
            "--time days --event died=1 --by 1095 t.csv",
        ],
    );
    let count = |class: &str| (0..600).filter(|i| times(*i).2 == class).count();
    let [without, with] = ["no event by 1825", "event by 1825"].map(count);
    assert_contains_all(
        &inspect(&format!("{AT} t.csv")),
        &[
            &format!("no event by 1825 ({without}), event by 1825 ({with})"),
            &format!("{} rows take no part", count("")),
            "dpsis select --k 1 --eps",
            "--time days --event died=1 --by 1825 t.csv",
        ],
    );

    // With a given target there is no question, but a warning if it is one of the two columns.
    assert_lacks(&inspect("--target a t.csv"), "a time to an event");
    let alone = inspect("--target died --classes 0,1 t.csv");
    assert_contains(&alone, "look like a time to an event");
    assert_lacks(&alone, "No command");
    let excluded = inspect("--target died --classes 0,1 --exclude days t.csv");
    assert_lacks(&excluded, "a time to an event");

    // Mistakes are reported.
    let never = inspect("--time days --event died=9 --by 1825 t.csv");
    assert_contains_all(&never, &["a class has no rows", "No command"]);
    let nowhere = inspect("--time dayz --event died=1 --by 1825 t.csv");
    assert_contains(&nowhere, "there is no column \"dayz\"");

    // A schema file has it, too.
    let written = inspect(&format!("{AT} --write-schema s.json t.csv"));
    assert_contains(&written, "--schema s.json t.csv");
    assert_eq!(folder.json("s.json")["event"], serde_json::json!(["died", "1"]));
    folder.run("select --k 1 --eps 3 --seed 1 --schema s.json t.csv").succeeds();

    // Other names, texts, censoring, semicolons with decimal commas.
    for (header, end, expected) in [
        ("a;OS_months;OS_status", ["LIVING", "DECEASED"], "--event OS_status=DECEASED --by"),
        ("a;time;censored", ["1", "0"], "--event censored=0 --by"),
        ("a;follow_up;vital_status", ["Alive", "Dead"], "--event vital_status=Dead --by"),
        ("a;survival_time;status", ["1", "2"], "--event status=2 --by"),
    ] {
        folder.table("o.csv", header, 90, |i| {
            format!("{};{},5;{}", i % 17, i * 7 % 120, end[i % 3 / 2])
        });
        assert_contains_all(&inspect("o.csv"), &["a time to an event?", expected]);
    }
    // Columns of other meanings.
    for header in ["a,dose,event", "a,time,outcome", "a,time_in_hospital,smoking_status"] {
        folder.table("o.csv", header, 90, |i| format!("{},{},{}", i % 17, i * 7 % 120, i % 3 / 2));
        assert_lacks(&inspect("o.csv"), "a time to an event");
    }
}
