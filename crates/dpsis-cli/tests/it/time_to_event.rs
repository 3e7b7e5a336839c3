//! `--time`, `--event` and `--by`: the same in every command that takes a target; `inspect` asks for
//! them.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

fn dpsis(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_dpsis")).args(arguments).current_dir(folder).output().unwrap()
}

fn said(output: &Output) -> String {
    let text = String::from_utf8([&output.stdout[..], &output.stderr].concat()).unwrap();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

const AT: [&str; 6] = ["--time", "days", "--event", "died=1", "--by", "1825"];

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
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let features = |i: usize| {
        let shift = if times(i).2 == "event by 1825" { 20 } else { 0 };
        format!("{},{},{}", i * 7 % 41 + shift, i * 5 % 37, i * i % 43)
    };
    let row = |i: usize| format!("{},{},{}\n", features(i), times(i).0, times(i).1);
    let by_hand = |i: usize| format!("{},{}\n", features(i), times(i).2);
    let write = |name: &str, header: &str, row: &dyn Fn(usize) -> String| {
        let rows: String = (0..600).map(row).collect();
        std::fs::write(folder.path().join(name), format!("{header}\n{rows}")).unwrap();
    };
    write("t.csv", "a,b,c,days,died", &row);
    write("classes.csv", "a,b,c,y", &by_hand);
    folder
}

fn record(folder: &Path, arguments: &[&str]) -> Value {
    let output = dpsis(folder, arguments);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn every_command_reads_it() {
    let folder = folder();
    let folder = folder.path();
    let select = ["select", "--k", "1", "--eps", "3", "--seed", "1", "--format", "json"];
    let by_hand = [&select[..], &["--classes", "no event by 1825,event by 1825", "classes.csv"]];
    let expected = record(folder, &by_hand.concat());
    let found = record(folder, &[&select[..], &AT, &["t.csv"]].concat());
    for part in ["selected", "released", "estimates", "score", "guarantee"] {
        assert_eq!(found[part], expected[part], "{part}");
    }
    let horizon = &found["target"]["time_to_event"];
    assert_eq!(horizon["time"], "days");
    assert_eq!((&horizon["event"], &horizon["value"]), (&"died".into(), &"1".into()));
    assert_eq!(horizon["by"], 1825.0);

    // Standard input.
    let mut piped = Command::new(env!("CARGO_BIN_EXE_dpsis"));
    let piped = piped.args([&select[..], &AT, &["-"]].concat()).stdin(Stdio::piped());
    let mut piped = piped.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let table = std::fs::read(folder.join("t.csv")).unwrap();
    piped.stdin.take().unwrap().write_all(&table).unwrap();
    let piped: Value = serde_json::from_slice(&piped.wait_with_output().unwrap().stdout).unwrap();
    assert_eq!(piped["released"], expected["released"]);

    // A dry run, a model, a schema file, an entry of the registry.
    let dry = said(&dpsis(
        folder,
        &[&["select", "--k", "1", "--eps", "3", "--dry-run"], &AT[..], &["t.csv"]].concat(),
    ));
    assert!(dry.contains("classes no event by 1825, event by 1825"), "{dry}");
    assert!(dry.contains("non-informative censoring"), "{dry}");
    let fit = ["fit", "--k", "1", "--eps", "6", "--seed", "1", "--bounds", "0,60"];
    let model = record(folder, &[&fit[..], &AT, &["t.csv"]].concat());
    assert_eq!(model["target"]["classes"][1], "event by 1825");
    std::fs::write(
        folder.join("schema.json"),
        r#"{"time": "days", "event": ["died", "1"], "by": 1825}"#,
    )
    .unwrap();
    let by_schema = record(folder, &[&select[..], &["--schema", "schema.json", "t.csv"]].concat());
    assert_eq!(by_schema["released"], expected["released"]);
    let other = ["--schema", "schema.json", "--target", "a", "--target-number", "t.csv"];
    let other = record(folder, &[&select[..], &other].concat());
    assert_eq!(other["target"]["name"], "a");
    let entry = ["select", "--k", "1", "--eps", "3", "--format", "registry"];
    let entry = said(&dpsis(folder, &[&entry[..], &AT, &["t.csv"]].concat()));
    for part in ["the classes no event by 1825, event by 1825", "the horizon 1825 in", "censoring"]
    {
        assert!(entry.contains(part), "{part}: {entry}");
    }

    // Parts.
    let text = std::fs::read_to_string(folder.join("t.csv")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let (mut partials, scale) = (Vec::new(), ["--bounds", "0,60"]);
    for (i, rows) in [&lines[1..200], &lines[200..]].iter().enumerate() {
        let (name, sums) = (format!("part{i}.csv"), format!("part{i}.sums"));
        std::fs::write(folder.join(&name), [&lines[..1], rows].concat().join("\n")).unwrap();
        let part = format!("{}/2", i + 1);
        let command = ["partial", "--part", &part, "-o", &sums, &name];
        let output = dpsis(folder, &[&command[..], &AT, &scale].concat());
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        partials.push(sums);
    }
    let partials = ["--partials", &partials[0], &partials[1]];
    let parts = record(folder, &[&select[..], &partials].concat());
    let whole = record(folder, &[&select[..], &AT, &scale, &["t.csv"]].concat());
    for part in ["selected", "released", "estimates", "target", "score"] {
        assert_eq!(parts[part], whole[part], "{part}");
    }
}

#[test]
fn errors_give_rule_and_remedy() {
    let folder = folder();
    let select = ["select", "--k", "1", "--eps", "3"];
    for (options, said_of) in [
        (
            "--time days t.csv",
            "give all three, such as time days, event died=1, by 1825 (--time, --event, --by)",
        ),
        ("--by 5 t.csv", "give all three"),
        ("--time days --by 5 --event died t.csv", "write COLUMN=VALUE, such as died=1 (--event)"),
        ("--time days --by 5 --event =1 t.csv", "write COLUMN=VALUE"),
        ("--time days --by 0 --event died=1 t.csv", "the horizon must be a positive number"),
        ("--time days --by=-3 --event died=1 t.csv", "such as 1825 days (--by)"),
        (
            "--time days --by 5 --event died=1 --classes 0,1 t.csv",
            "(--classes, --time, --event, --by)",
        ),
        ("--time days --by 5 --event died=1 --target-bounds 0,1 t.csv", "(--target-bounds"),
        ("--time days --by 5 --event died=1 --target a t.csv", "not both"),
        ("--time days --by 5 --event died=1 --target-index 2 t.csv", "not both"),
        ("--time days --by 5 --event died=1 --exclude days t.csv", "(--exclude)"),
        ("--time days --by 5 --event died=1 --id died t.csv", "(--event, --id, --unit)"),
        ("--time dayz --by 5 --event died=1 t.csv", "did you mean \"days\"? (--time)"),
    ] {
        let words: Vec<&str> = options.split(' ').collect();
        let output = dpsis(folder.path(), &[&select[..], &words].concat());
        let text = said(&output);
        assert!(text.contains(said_of), "{options}: {text}");
        assert_eq!(output.status.code(), Some(2), "{options}: {text}");
    }
    std::fs::write(folder.path().join("names.txt"), "a\nb\n").unwrap();
    let sql =
        "sql --dialect duckdb --table t --wide --target days --features names.txt --bounds 0,60";
    let words: Vec<&str> = sql.split(' ').collect();
    let text = said(&dpsis(folder.path(), &[&words[..], &AT].concat()));
    assert!(text.contains("CASE WHEN died = 1"), "{text}");
}

#[test]
fn inspect_asks_and_counts() {
    let folder = folder();
    let folder = folder.path();
    let inspect = |options: &[&str]| {
        let output = dpsis(folder, &[&["inspect"], options].concat());
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        said(&output)
    };
    // The median is 1500 days; the last column would be the target.
    let asked = inspect(&["t.csv"]);
    for part in [
        "! target are column 4 (\"days\") and column 5 (\"died\") a time to an event?",
        "the horizon comes from the question, not from the data",
        "No command yet",
        "--time days --event died=1 --by 1095 t.csv",
    ] {
        assert!(asked.contains(part), "{part}: {asked}");
    }
    let counted = inspect(&[&AT[..], &["t.csv"]].concat());
    let count = |class: &str| (0..600).filter(|i| times(*i).2 == class).count();
    let shown = format!(
        "no event by 1825 ({}), event by 1825 ({})",
        count("no event by 1825"),
        count("event by 1825")
    );
    assert!(counted.contains(&shown), "{shown}: {counted}");
    assert!(counted.contains(&format!("{} rows take no part", count(""))), "{counted}");
    assert!(counted.contains("dpsis select --k 1 --eps"), "{counted}");
    assert!(counted.contains("--time days --event died=1 --by 1825 t.csv"), "{counted}");

    // A target that is given settles it; one of the two columns is warned of.
    let other = inspect(&["--target", "a", "t.csv"]);
    assert!(!other.contains("a time to an event"), "{other}");
    let alone = inspect(&["--target", "died", "--classes", "0,1", "t.csv"]);
    assert!(
        alone.contains("look like a time to an event") && !alone.contains("No command"),
        "{alone}"
    );
    let excluded = inspect(&["--target", "died", "--classes", "0,1", "--exclude", "days", "t.csv"]);
    assert!(!excluded.contains("a time to an event"), "{excluded}");

    // Mistakes are reported.
    let never = inspect(&["--time", "days", "--event", "died=9", "--by", "1825", "t.csv"]);
    assert!(never.contains("a class has no rows") && never.contains("No command"), "{never}");
    let nowhere = inspect(&["--time", "dayz", "--event", "died=1", "--by", "1825", "t.csv"]);
    assert!(nowhere.contains("there is no column \"dayz\""), "{nowhere}");

    // A schema file has it, too.
    let written = inspect(&[&AT[..], &["--write-schema", "s.json", "t.csv"]].concat());
    assert!(written.contains("--schema s.json t.csv"), "{written}");
    let schema: Value =
        serde_json::from_slice(&std::fs::read(folder.join("s.json")).unwrap()).unwrap();
    assert_eq!(schema["event"], serde_json::json!(["died", "1"]));
    let run = ["select", "--k", "1", "--eps", "3", "--seed", "1", "--schema", "s.json", "t.csv"];
    assert_eq!(dpsis(folder, &run).status.code(), Some(0));

    // Other names, texts, censoring, semicolons with decimal commas.
    for (header, end, expected) in [
        ("a,OS_months,OS_status", ["LIVING", "DECEASED"], "--event OS_status=DECEASED --by"),
        ("a,time,censored", ["1", "0"], "--event censored=0 --by"),
        ("a,follow_up,vital_status", ["Alive", "Dead"], "--event vital_status=Dead --by"),
        ("a,survival_time,status", ["1", "2"], "--event status=2 --by"),
    ] {
        let row = |i: usize| format!("{};{},5;{}\n", i % 17, i * 7 % 120, end[i % 3 / 2]);
        let rows: String = (0..90).map(row).collect();
        let table = format!("{}\n{rows}", header.replace(',', ";"));
        std::fs::write(folder.join("o.csv"), table).unwrap();
        let asked = inspect(&["o.csv"]);
        assert!(
            asked.contains("a time to an event?") && asked.contains(expected),
            "{header}: {asked}"
        );
    }
    // Columns of other meanings.
    for header in ["a,dose,event", "a,time,outcome", "a,time_in_hospital,smoking_status"] {
        let row = |i: usize| format!("{},{},{}\n", i % 17, i * 7 % 120, i % 3 / 2);
        let rows: String = (0..90).map(row).collect();
        std::fs::write(folder.join("o.csv"), format!("{header}\n{rows}")).unwrap();
        let asked = inspect(&["o.csv"]);
        assert!(!asked.contains("a time to an event"), "{header}: {asked}");
    }
}
