//! `dpsis inspect`: what it says of tables as people have them, and that the command it prints
//! works.

#![allow(clippy::unwrap_used, clippy::panic)] // in a test a panic is how a failure is said

use std::path::Path;
use std::process::{Command, Output};

fn dpsis(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_dpsis")).args(arguments).current_dir(folder).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8([&output.stdout[..], &output.stderr].concat()).unwrap()
}

/// A text whose lines are not wrapped.
fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Words of a command as a shell would split them; single quotes and backslashes only.
fn shell_words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    let mut escaped = false;
    for c in line.trim().chars() {
        match c {
            c if escaped => {
                words.last_mut().unwrap().push(c);
                escaped = false;
            }
            '\\' if !quoted => escaped = true,
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            c => words.last_mut().unwrap().push(c),
        }
    }
    words
}

/// The words of a suggested command, with an epsilon at which private counts of a small table do not
/// end the run.
fn with_large_budget(command: &str) -> Vec<String> {
    let mut words = shell_words(command);
    let place = words.iter().position(|word| word == "--eps").unwrap() + 1;
    words[place] = "20".to_owned();
    words
}

/// Inspects a table and runs the command that came back, with a larger epsilon.
fn inspect_then_select(name: &str, table: &str, more: &[&str]) -> (String, Output) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(name), table).unwrap();
    let inspected = dpsis(folder.path(), &[&["inspect"], more, &[name]].concat());
    let text = said(&inspected);
    assert_eq!(inspected.status.code(), Some(0), "{text}");
    assert!(text.starts_with("NOT PRIVATE"), "{text}");
    let command = text.lines().find(|line| line.trim().starts_with("dpsis select")).unwrap();
    let words = with_large_budget(command);
    let words: Vec<&str> = words[1..].iter().map(String::as_str).collect();
    let selected = dpsis(folder.path(), &words);
    (text, selected)
}

/// 40 rows with the cells `cells` makes of (row, case).
fn table(header: &str, cells: impl Fn(usize, bool) -> String) -> String {
    let rows = (0..40).map(|i| cells(i, i % 3 == 0) + "\n");
    format!("{header}\n{}", rows.collect::<String>())
}

#[test]
fn the_suggested_command_works() {
    let status = |case: bool| if case { "case" } else { "well" };
    let cases: [(&str, &str, String, &[&str]); 9] = [
        (
            "a pandas index",
            "t.csv",
            table(",age,income,out", |i, c| {
                format!("{i},{},{},{}", 20 + i, 9000 + 31 * i, status(c))
            }),
            &["holds identifiers", "labels well (26), case (14)", "--classes well,case"],
        ),
        (
            "decimal commas",
            "t.csv",
            table("who;age;dose;out", |i, c| format!("P{i};{i};{i},5;{}", status(c))),
            &["separated by ';'", "decimal comma", "--decimal-comma --id who"],
        ),
        (
            "tabs and a numeric target",
            "t.tsv",
            table("age\tdose\tout", |i, _| format!("{i}\t{}\t{}.25", i * i, i * 3)),
            &["separated by tabs", "numbers from 0.25 to 117.25"],
        ),
        (
            "labels as numbers",
            "t.csv",
            table("age,dose,grade", |i, c| format!("{i},{},{}", i * i, 1 + u8::from(c))),
            &["look like labels", "--classes 1,2"],
        ),
        (
            "codes for missing values",
            "t.csv",
            table("age,dose,y", |i, c| {
                format!("{},{},{i}.5", if c { -999 } else { i as i32 % 5 }, i)
            }),
            &["-999 may stand for missing values in column 1 (\"age\"): state it (--na=-999)"],
        ),
        (
            "the target elsewhere",
            "t.csv",
            table("out,age,dose", |i, c| format!("{},{i},{}.5", status(c), i * i)),
            &[
                "holds labels (well, case): state it if it is the target",
                "its words are values, but missing for a model (--target, --exclude)",
                "dpsis select --k 1 --eps 10 t.csv",
            ],
        ),
        (
            "names that want quoting",
            "a table.csv",
            table("it's an id,age,dose,out", |i, c| {
                format!("p{i},{i},{},it is {}", i * 2, status(c))
            }),
            &["--classes 'it is case,it is well'", "'a table.csv'"],
        ),
        (
            "twice the same id",
            "t.csv",
            table("id,age,dose,y", |i, _| format!("p{},{i},{},{i}.5", i / 2, i * 2)),
            &["20 identifiers occur more than once", "--unit id", "With 20 people"],
        ),
        (
            "text among numbers",
            "t.csv",
            table("age,dose,y", |i, c| format!("{},{i},{i}.5", if c { "old" } else { "7" })),
            &[
                "column 1 (\"age\"): 14 cells are no numbers, the first in row 1; most often \"old\" (14)",
            ],
        ),
    ];
    for (what, name, table, expected) in cases {
        let (text, selected) = inspect_then_select(name, &table, &[]);
        for words in expected {
            assert!(on_one_line(&text).contains(words), "{what}: {words}\n{text}");
        }
        assert_eq!(selected.status.code(), Some(0), "{what}: {text}\n{}", said(&selected));
    }
}

/// A table that may lie either way: the question is asked, and no command given until it is
/// answered.
#[test]
fn which_way_it_lies_is_asked() {
    let folder = tempfile::tempdir().unwrap();
    let samples = 90;
    let header: Vec<String> = (0..samples).map(|s| format!("S{s}")).collect();
    let rows = (0..400).map(|g| {
        let value = |s: usize| format!("{}.5", (g * 31 + s * 7) % 113);
        let values: Vec<String> = (0..samples).map(value).collect();
        format!("gene{g}\t{}\n", values.join("\t"))
    });
    let table = format!("name\t{}\n{}", header.join("\t"), rows.collect::<String>());
    std::fs::write(folder.path().join("genes.tsv"), table).unwrap();
    let targets: String = (0..samples).map(|s| format!("S{s},{}\n", s % 2)).collect();
    std::fs::write(folder.path().join("y.csv"), format!("id,y\n{targets}")).unwrap();
    let inspect =
        |more: &[&str]| said(&dpsis(folder.path(), &[&["inspect"], more, &["genes.tsv"]].concat()));
    let open = inspect(&["--write-schema", "s.json"]);
    assert!(open.contains("! layout    is a line a person or a feature?"), "{open}");
    assert!(open.contains("No command yet") && open.contains("'--orient=?' genes.tsv"), "{open}");
    assert!(!folder.path().join("s.json").exists());
    let untargeted = inspect(&["--orient", "features-as-rows"]);
    assert!(untargeted.contains("No command yet"), "{untargeted}");
    for (more, names) in [
        (&["--orient", "features-as-rows", "--target-file", "y.csv"][..], "gene"),
        (&["--orient", "features-as-rows", "--target", "gene7"], "gene"),
        (&["--orient", "samples-as-rows"], "S"),
    ] {
        let text = inspect(more);
        let command = text.lines().find(|line| line.trim().starts_with("dpsis select")).unwrap();
        let words = shell_words(command);
        let words: Vec<&str> = words[1..].iter().map(String::as_str).collect();
        let selected = dpsis(folder.path(), &words);
        assert_eq!(selected.status.code(), Some(0), "{command}: {}", said(&selected));
        let picked = String::from_utf8(selected.stdout).unwrap();
        assert!(picked.lines().all(|name| name.starts_with(names)), "{command}: {picked}");
    }
}

/// Effect sizes that can be found are printed before anything is spent; they fall with epsilon.
#[test]
fn what_would_be_found_is_announced() {
    let demo = concat!(env!("CARGO_MANIFEST_DIR"), "/../../datasets/demo.csv");
    let text = said(&dpsis(Path::new("."), &["inspect", demo]));
    let found = |epsilon: &str| -> f64 {
        let start = format!("epsilon {epsilon}: found from ");
        let line = text.lines().find_map(|line| line.trim().strip_prefix(&start));
        line.unwrap().split(',').next().unwrap().parse().unwrap()
    };
    assert!(text.contains("With 640 rows features are found, and significant,"), "{text}");
    // The true features have distances of about a quarter.
    assert!(found("0.5") > 0.25 && found("2") < 0.25 && found("5") < found("2"), "{text}");
    let rows: String = (0..40).map(|i| format!("{},{},{}\n", i % 7, i % 5, i % 2)).collect();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.csv"), format!("a,b,y\n{rows}")).unwrap();
    let text = said(&dpsis(folder.path(), &["inspect", "t.csv"]));
    assert!(text.contains("50% of them in the smallest class"), "{text}");
    assert!(text.contains("nothing significant"), "{text}");
}

/// Random picks find a large share of few features, and a remark says so.
#[test]
fn few_features_are_found_by_chance() {
    let cells =
        |i: usize| (0..12).map(|j| format!("{},", (i * (j + 3) * 17) % 101)).collect::<String>();
    let rows: String = (0..190).map(|i| format!("{}{}\n", cells(i), i % 2)).collect();
    let header: String = (0..12).map(|j| format!("m{j},")).collect();
    let (text, _) = inspect_then_select("t.csv", &format!("{header}y\n{rows}"), &[]);
    assert!(
        text.contains("With k 5 of 12 features, chance alone picks any one of them 42 times of"),
        "{text}"
    );
}

/// An ordinary table of patients is not taken for genes.
#[test]
fn patients_are_not_taken_for_features() {
    let rows: String = (0..500)
        .map(|i| format!("NHS-{i:05},{}.5,{}.25,{}\n", i % 97, i * i % 89, u8::from(i % 3 == 0)))
        .collect();
    let (text, selected) =
        inspect_then_select("t.csv", &format!("patient,m0,m1,died\n{rows}"), &[]);
    assert!(
        !text.contains("features-as-rows") && text.contains("--id patient --classes 0,1"),
        "{text}"
    );
    assert_eq!(selected.status.code(), Some(0));
}

/// Stated options stay in the command; where `select` would refuse, the reason is given instead of
/// a command.
#[test]
fn the_command_is_what_select_accepts() {
    let table: String = (0..60)
        .map(|i| {
            let code = if i % 9 == 0 { "-999".to_owned() } else { format!("{i}.5") };
            format!("{i}|q{}|{code}|?\n", i % 30)
        })
        .collect();
    let table = format!("dose|person|gain|y\n{table}");
    let more = ["--delimiter", "|", "--id", "person", "--target", "gain", "--na=?"];
    let (text, selected) = inspect_then_select("t.txt", &table, &more);
    let expected =
        ["--delimiter '|'", "--target gain", "--id person", "'--na=?'", "30 identifiers occur"];
    for words in [&expected[..], &["-999 may stand"]].concat() {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert_eq!(selected.status.code(), Some(0), "{}", said(&selected));
    let folder = tempfile::tempdir().unwrap();
    for (table, more, reason) in [
        ("a,a,y\n1,2,3\n", &[][..], "a column name occurs twice"),
        ("y\n1\n", &[], "there is no feature column"),
        ("1.5,2.5,3\n4,5,6\n", &[], "is the header missing?"),
        ("a,b,y\n1,2,3\n", &["--target", "z"], "there is no column \"z\""),
    ] {
        std::fs::write(folder.path().join("t.csv"), table).unwrap();
        let text = said(&dpsis(folder.path(), &[&["inspect"], more, &["t.csv"]].concat()));
        assert!(text.contains("No command yet") && text.contains(reason), "{text}");
    }
}

/// The schema file states what the options would, and its hash is in the record.
#[test]
fn a_schema_stands_for_the_options() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let text = table("who;age;dose;gain;out", |i, c| {
        format!("P{i};{i};{},5;{};{}", i * i % 7, if c { "9,5" } else { "1,5" }, u8::from(c))
    });
    std::fs::write(path.join("t.csv"), text).unwrap();
    let written = dpsis(path, &["inspect", "--write-schema", "s.json", "t.csv"]);
    assert!(said(&written).contains("--schema s.json t.csv"), "{}", said(&written));
    let common = ["select", "--k", "1", "--eps", "3", "--seed", "2", "--format", "json"];
    let by_schema = dpsis(path, &[&common[..], &["--schema", "s.json", "t.csv"]].concat());
    let options =
        ["--decimal-comma", "--id", "who", "--classes", "0,1", "--target", "out", "t.csv"];
    let by_options = dpsis(path, &[&common[..], &options].concat());
    let record = |output: &Output| -> serde_json::Value {
        assert_eq!(output.status.code(), Some(0), "{}", said(output));
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let (mut a, mut b) = (record(&by_schema), record(&by_options));
    for record in [&mut a, &mut b] {
        // The requests differ.
        assert!(record.as_object_mut().unwrap().remove("run").is_some());
    }
    let hash = a["public"]["schema_sha256"].take();
    assert_eq!(hash.as_str().unwrap().len(), 64);
    assert_eq!(a, b);
    // What is no schema is refused before the table is read.
    std::fs::write(path.join("bad.json"), "{\"targt\": \"out\"}").unwrap();
    let refused = dpsis(path, &[&common[..], &["--schema", "bad.json", "missing.csv"]].concat());
    assert_eq!(refused.status.code(), Some(2), "{}", said(&refused));
    let absent = dpsis(path, &[&common[..], &["--schema", "no.json", "t.csv"]].concat());
    assert_eq!(absent.status.code(), Some(5));
}

/// A schema in another folder than the files it names finds them.
#[test]
fn a_schema_in_another_folder() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    std::fs::create_dir(path.join("facts")).unwrap();
    let rows: String = (0..30).map(|i| format!("P{i},{i},{}\n", i * i % 7)).collect();
    std::fs::write(path.join("t.csv"), format!("who,age,dose\n{rows}")).unwrap();
    let targets: String = (0..30).map(|i| format!("P{i},{}\n", i % 5)).collect();
    std::fs::write(path.join("y.csv"), format!("who,gain\n{targets}")).unwrap();
    let facts = ["--id", "who", "--target-file", "y.csv"];
    let inspect = ["inspect", "--write-schema", "facts/s.json", "t.csv"];
    let written = dpsis(path, &[&inspect[..], &facts].concat());
    assert!(path.join("facts/s.json").is_file(), "{}", said(&written));
    // So large an epsilon is for thirty rows.
    let select = ["select", "--k", "1", "--eps", "100", "--schema", "facts/s.json", "t.csv"];
    let selected = dpsis(path, &select);
    assert_eq!(selected.status.code(), Some(0), "{}", said(&selected));
}

/// Odd tables are looked at without a panic.
#[test]
fn odd_tables() {
    let folder = tempfile::tempdir().unwrap();
    for (text, code) in [
        ("", 3),
        ("a,b,y\n", 0),
        ("y\n1\n2\n", 0),
        ("a,b,y\n,,\n,,\n", 0),
        ("a,b,y\n1,1,1\n", 0),
        ("a,a,y\n1,2,x\n", 0),
        ("a,b,y\n1,2\n", 3),
        (",,\n1,2,3\n", 0),
    ] {
        std::fs::write(folder.path().join("t.csv"), text).unwrap();
        let output = dpsis(folder.path(), &["inspect", "t.csv"]);
        assert_eq!(output.status.code(), Some(code), "{text:?}: {}", said(&output));
        assert!(!said(&output).contains("panicked"), "{text:?}");
    }
}

/// Files of numbers: what is said fits the format, and the command works.
#[test]
fn files_of_every_format() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/formats");
    let mut cases: Vec<(&str, &[&str], &[&str])> = vec![
        (
            "with-age.npy",
            &[],
            &["40 rows and 7 columns, format .npy", "column 7 (\"feature-7\"): numbers from"],
        ),
        ("with-age.npy", &["--target-index", "7"], &["--target feature-7"]),
        (
            "c-f4.npy",
            &["--target-file", "two.cls"],
            &["its file: labels no (20), yes (20)", "--target-file two.cls"],
        ),
        ("deflated.npz", &[], &["labels no (20), yes (20)", "--classes no,yes"]),
        ("stored.npz", &[], &["column 7 (\"y\"): numbers from", "-999 may stand"]),
        (
            "v12.gct",
            &["--target-file", "two-by-id.csv"],
            &["each row is a feature", "6 of 6 features hold numbers", "--classes no,yes"],
        ),
        ("v13.gct", &["--target", "two"], &["--target two", "labels no (20), yes (20)"]),
        (
            "frame.rds",
            &["--target", "two", "--exclude", "age,three"],
            &[
                "column 1 (\"id\") holds identifiers",
                "--target two",
                "--id id",
                "--exclude age,three",
            ],
        ),
        (
            "named.rds",
            &["--target", "age", "--na=-999"],
            &["each sample has an id beside", "column 7 (\"age\"): numbers", "2 hold words"],
        ),
        ("list.RData", &[], &["column 7 (\"y\"): labels no (20), yes (20)"]),
        (
            "rows.rds",
            &["--orient", "features-as-rows", "--target-file", "age-by-id.csv"],
            &["each row is a feature", "--orient features-as-rows"],
        ),
    ];
    if cfg!(feature = "arrow") {
        cases.extend([
            ("snappy.parquet", &["--target", "two"][..], &["format Parquet", "--id id"][..]),
            ("lz4.feather", &["--target", "age"], &["format Arrow", "column 8 (\"age\")"]),
            ("stream.arrows", &["--target", "age"], &["column 8 (\"age\"): numbers"]),
            ("index.parquet", &["--target", "age"], &["each sample has an id beside"]),
        ]);
    }
    for (file, more, expected) in cases {
        let text = said(&dpsis(&data, &[&["inspect"], more, &[file]].concat()));
        for words in expected {
            assert!(on_one_line(&text).contains(words), "{file}: {words}\n{text}");
        }
        let command = text.lines().find(|line| line.trim().starts_with("dpsis select"));
        let words = with_large_budget(command.unwrap_or_else(|| panic!("{file}: {text}")));
        let words: Vec<&str> = words[1..].iter().map(String::as_str).collect();
        let selected = dpsis(&data, &words);
        assert_eq!(selected.status.code(), Some(0), "{file}: {}", said(&selected));
        let names = String::from_utf8(selected.stdout).unwrap();
        // Where another is the target, the age and the labels are candidates.
        let is_feature =
            |name: &str| name.starts_with("feature-") || ["age", "two", "three"].contains(&name);
        assert!(names.lines().all(is_feature), "{file}: {names}");
    }
    // Nothing to run without a target; text alone has delimiters.
    let text = said(&dpsis(&data, &["inspect", "v12.gct"]));
    assert!(
        text.contains("state a file of targets")
            && text.contains("--target-file")
            && text.contains("No command yet"),
        "{text}"
    );
    assert_eq!(dpsis(&data, &["inspect", "--delimiter", ",", "c-f4.npy"]).status.code(), Some(2));
}

/// Texts and numbers are counted alike.
#[test]
fn formats_are_looked_at_alike() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/formats");
    let findings = |file: &str| {
        let text = said(&dpsis(&data, &["inspect", "--target", "age", "--id", "id", file]));
        let kept = |line: &&str| !line.contains("rows and") && !line.contains("dpsis select");
        // A missing label is written as one in text.
        text.lines().filter(kept).map(str::to_owned).collect::<Vec<_>>()
    };
    let expected = findings("table.csv");
    assert!(expected.len() > 8, "{expected:?}");
    assert_eq!(findings("frame.rds"), expected);
    if cfg!(feature = "arrow") {
        assert_eq!(findings("zstd.parquet"), expected);
    }
}

/// Ids of a target file that match nothing: what they are like is said, and no command given that
/// fails.
#[test]
fn ids_that_match_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let samples = |start: &str| (0..20).map(|s| format!("{start}{s}")).collect::<Vec<_>>();
    let line = |gene: usize| {
        let values: Vec<String> = (0..20).map(|s| format!("{}", s * gene % 17)).collect();
        format!("m{gene}\t{}\n", values.join("\t"))
    };
    let lines: String = (1..9).map(line).collect();
    write("t.tsv", &format!("name\t{}\n{lines}", samples("Q").join("\t")));
    let rows: String =
        samples("Q").iter().enumerate().map(|(i, q)| format!("{q},{i},{}\n", i % 7)).collect();
    write("rows.csv", &format!("who,age,dose\n{rows}"));
    let targets = |start: &str| -> String {
        samples(start)
            .iter()
            .enumerate()
            .map(|(i, id)| format!("{id},{}\n", ["a", "b"][i % 2]))
            .collect()
    };
    for (name, start) in [("same.csv", "Q"), ("capitals.csv", "q"), ("others.csv", "R")] {
        write(name, &format!("id,y\n{}", targets(start)));
    }
    let turned = ["--orient", "features-as-rows"];
    let cases: [(&[&str], &str, &str, &str); 6] = [
        (
            &turned,
            "t.tsv",
            "capitals.csv",
            "none of the 20 ids in its file is in the table; 20 differ in capitals",
        ),
        (
            &turned,
            "t.tsv",
            "others.csv",
            "none of the 20 ids in its file is in the table, whose ids are in the header",
        ),
        (&[], "t.tsv", "same.csv", "the ids of the target file are names of columns"),
        (
            &["--orient", "samples-as-rows"],
            "t.tsv",
            "same.csv",
            "the ids of the target file are names of columns",
        ),
        (
            &[],
            "rows.csv",
            "others.csv",
            "state the column that holds them, or write them alike (--id)",
        ),
        (&["--id", "who"], "rows.csv", "capitals.csv", "20 differ in capitals alone"),
    ];
    for (more, table, file, expected) in cases {
        let arguments = [&["inspect", "--target-file", file], more, &[table]].concat();
        let text = on_one_line(&said(&dpsis(folder.path(), &arguments)));
        assert!(text.contains(expected), "{expected}: {text}");
        assert!(text.contains("No command yet") && text.contains("'--target-file=?'"), "{text}");
        assert_eq!(text.contains("(--id)"), expected.contains("--id"), "{text}");
    }
    // What matches goes on.
    let arguments = [&["inspect", "--target-file", "same.csv"], &turned[..], &["t.tsv"]].concat();
    assert!(said(&dpsis(folder.path(), &arguments)).contains("dpsis select"));
}

/// Of labels that differ in capitals alone one is misspelled: none is suggested, but what is stated
/// is taken.
#[test]
fn misspelled_labels_are_not_suggested() {
    let folder = tempfile::tempdir().unwrap();
    let label = |i: usize| match i {
        7 => "Case",
        i => ["case", "well"][i % 2],
    };
    let text = table("age,dose,out", |i, _| format!("{i},{},{}", i * i % 11, label(i)));
    std::fs::write(folder.path().join("t.csv"), text).unwrap();
    let inspect = |more: &[&str]| {
        on_one_line(&said(&dpsis(folder.path(), &[&["inspect"], more, &["t.csv"]].concat())))
    };
    let text = inspect(&[]);
    assert!(text.contains("! target labels that differ in capitals alone"), "{text}");
    assert!(text.contains("No command yet") && text.contains("'--classes=?' t.csv"), "{text}");
    for classes in ["well,case", "case,well,Case"] {
        let text = inspect(&["--classes", classes]);
        assert!(text.contains(&format!("--classes {classes}")), "{text}");
    }
}

/// The suggested epsilon is the smallest at which the strongest features are significant in half of all
/// runs; where none up to 10 is enough, it says so, and what would be.
#[test]
fn the_suggested_epsilon_makes_the_strongest_features_significant() {
    const EPSILONS: [&str; 11] =
        ["0.1", "0.2", "0.3", "0.5", "0.7", "1", "1.5", "2", "3", "5", "10"];
    let folder = tempfile::tempdir().unwrap();
    // Five features of 40 are larger in the second class, by as many of 101 values.
    let of = |rows: usize, shift: usize| {
        let cell = |i: usize, j: usize| {
            let value = (i * i * (2 * j + 3) + 7 * i * j) % 101;
            format!("{},", value + if j < 5 && i % 2 == 1 { shift } else { 0 })
        };
        let header: String = (0..40).map(|j| format!("m{j},")).collect();
        let row =
            |i: usize| (0..40).map(|j| cell(i, j)).collect::<String>() + &format!("{}\n", i % 2);
        let rows: String = (0..rows).map(row).collect();
        std::fs::write(folder.path().join("t.csv"), format!("{header}y\n{rows}")).unwrap();
        said(&dpsis(folder.path(), &["inspect", "t.csv"]))
    };
    for (rows, shift, strongest) in [(300, 50, 5), (300, 0, 0), (40, 60, 0)] {
        let text = of(rows, shift);
        let line = on_one_line(&text);
        let command = text.lines().find(|line| line.trim().starts_with("dpsis select")).unwrap();
        let words = shell_words(command);
        let place = words.iter().position(|word| word == "--eps").unwrap() + 1;
        if strongest == 0 {
            assert!(line.contains("No private release is suggested: with"), "{text}");
            assert!(line.contains("no epsilon up to 10 makes the strongest feature"), "{text}");
            assert!(line.contains("What would: about ") && line.contains("--bounds"), "{text}");
            assert_eq!(words[place], "1");
            continue;
        }
        assert!(
            line.contains("at which the 5 strongest features of this table are significant"),
            "{text}"
        );
        let at = EPSILONS.iter().position(|epsilon| *epsilon == words[place]).unwrap();
        let significant = |epsilon: &str| {
            let mut words = words.clone();
            words[place] = epsilon.to_owned();
            let runs = (0..20).map(|seed| {
                let seed = format!("--seed={seed}");
                let all = words[1..].iter().map(String::as_str).chain([&*seed, "--format=json"]);
                let output = dpsis(folder.path(), &all.collect::<Vec<_>>());
                let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
                let all = json["estimates"].as_array().unwrap();
                all.iter().filter(|one| one["beyond_chance"] == true).count()
            });
            runs.sum::<usize>() as f64 / 100.0
        };
        // 100 features: shares of .5 are off by .2 with probability 6e-5 if they are independent.
        assert!(significant(EPSILONS[at]) >= 0.35, "{text}");
        assert!(at > 0 && significant(EPSILONS[at - 1]) <= 0.65, "{text}");
    }
}

/// Options on people and strata are in the command; advice that was followed is not given again.
#[test]
fn stated_options_are_kept() {
    let cells = |i: usize, _| format!("p{},{},{},{}.5", i / 2, i % 60, i * 7 % 31, i * i % 97);
    let rows = (0..400).map(|i| cells(i, false) + "\n").collect::<String>();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.csv"), format!("who,age,dose,y\n{rows}")).unwrap();
    let inspect =
        |more: &[&str]| said(&dpsis(folder.path(), &[&["inspect"], more, &["t.csv"]].concat()));
    let open = inspect(&[]);
    assert!(open.contains("identifiers occur more than once"), "{open}");
    let stated = ["--unit", "who", "--unit-target", "mean", "--adjust", "age:20,40"];
    let text = inspect(&stated);
    assert!(!text.contains("occur more than once"), "{text}");
    let command = text.lines().find(|line| line.trim().starts_with("dpsis select")).unwrap();
    for option in ["--unit who", "--unit-target mean", "--adjust age:20,40"] {
        assert!(command.contains(option), "{command}");
    }
    let words = with_large_budget(command);
    let words: Vec<&str> = words[1..].iter().map(String::as_str).collect();
    assert_eq!(dpsis(folder.path(), &words).status.code(), Some(0), "{command}");
}

/// Where the file does not decide, a question with the answers that are possible, and no command.
#[test]
fn open_questions_are_asked() {
    let folder = tempfile::tempdir().unwrap();
    let inspect = |name: &str, table: String, more: &[&str]| {
        std::fs::write(folder.path().join(name), table).unwrap();
        on_one_line(&said(&dpsis(folder.path(), &[&["inspect"], more, &[name]].concat())))
    };
    let rows =
        |cells: &dyn Fn(usize) -> String| (0..60).map(|i| cells(i) + "\n").collect::<String>();
    // Thousands or a decimal comma.
    let thousands = |i: usize| format!("1,{:03}\t2,{:03}\t{}", i * 7 + 100, i, i % 2);
    let text = inspect("t.tsv", format!("a\tb\tout\n{}", rows(&thousands)), &[]);
    assert!(text.contains("If commas separate thousands, remove them"), "{text}");
    assert!(text.contains("(--decimal-comma)") && text.contains("No command yet"), "{text}");
    assert!(!text.contains("identifiers") && !text.contains("--id"), "{text}");
    // A number below one, or of other than three places, has a decimal comma.
    let decimals = |i: usize| format!("0,{:03}\t2,{:03}\t{}", i * 7 + 100, i, i % 2);
    let text = inspect("t.tsv", format!("a\tb\tout\n{}", rows(&decimals)), &[]);
    assert!(text.contains("--eps 1 --decimal-comma --classes 0,1 t.tsv"), "{text}");
    // The target's numbers are those with the comma.
    let target = |i: usize| format!("{i};{},5;{},25", i % 7, i % 20 + 3);
    let text = inspect("t.csv", format!("a;b;out\n{}", rows(&target)), &["--decimal-comma"]);
    assert!(text.contains("numbers from 3.25 to 22.25"), "{text}");
    // Columns that differ, and points between thousands.
    let mixed = |i: usize| format!("{},5\t{}.25\t{}", i, i * 3 % 7, i % 2);
    let text = inspect("t.tsv", format!("a\tb\tout\n{}", rows(&mixed)), &[]);
    assert!(text.contains("column 1 (\"a\") with a decimal comma, others with a point"), "{text}");
    assert!(text.contains("No command yet"), "{text}");
    let points = |i: usize| format!("1.{:03},50;{};{}", i + 100, i % 7, i % 2);
    let text = inspect("t.csv", format!("a;b;out\n{}", rows(&points)), &[]);
    assert!(text.contains("remove the points from the numbers"), "{text}");
    assert!(text.contains("No command yet") && !text.contains("--decimal-point"), "{text}");
    // Several codes are given at once.
    let codes = |i: usize| {
        let cells = ["-999".to_owned(), "missing".to_owned()];
        let cell = cells.get(i % 4).cloned().unwrap_or_else(|| format!("{}", i % 9));
        format!("{cell},{},{}", i % 7, i % 2)
    };
    let text = inspect("t.csv", format!("a,b,out\n{}", rows(&codes)), &[]);
    assert!(text.contains("(--na=missing,-999)"), "{text}");
    // An identifier is no target.
    let last = |i: usize| format!("{},{},P{i:03}", i % 7, i % 2);
    let text = inspect("t.csv", format!("a,y,key\n{}", rows(&last)), &[]);
    assert!(text.contains("No command yet"), "{text}");
    // Wavelengths as names.
    let spectra = |i: usize| format!("{}.5,{}.25,{}", i, i * 3 % 7, i % 2);
    let text = inspect("t.csv", format!("400.5,401,out\n{}", rows(&spectra)), &[]);
    assert!(text.contains("are the numbers in the header names"), "{text}");
    assert!(text.contains("--numeric-names t.csv"), "{text}");
    // Codes and labels that occur nowhere.
    let plain = |i: usize| format!("{},{},{}", i % 9, i * 3 % 7, i % 2);
    let table = || format!("a,b,out\n{}", rows(&plain));
    let text = inspect("t.csv", table(), &["--na=-7,3.0", "--classes", "1.0,2"]);
    assert!(text.contains("the code \"-7\" occurs nowhere"), "{text}");
    assert!(!text.contains("\"3.0\" occurs"), "{text}");
    assert!(text.contains("the label \"2\" does not occur"), "{text}");
    assert!(text.contains("labels 1.0 (30), 2 (0)"), "{text}");
}

/// A column holds identifiers by its name or the form of its values, not because it looks odd.
#[test]
fn identifiers_are_not_guessed() {
    let folder = tempfile::tempdir().unwrap();
    let inspect = |header: &str, cells: &dyn Fn(usize) -> String| {
        let rows: String = (0..120).map(|i| cells(i) + "\n").collect();
        std::fs::write(folder.path().join("t.csv"), format!("{header}\n{rows}")).unwrap();
        on_one_line(&said(&dpsis(folder.path(), &["inspect", "t.csv"])))
    };
    let command = |text: &str| text[text.find("dpsis select").unwrap()..].to_owned();
    // Dates, amounts and names of towns.
    for odd in [
        &|i: usize| format!("{:02}.{:02}.2021", i % 28 + 1, i % 12 + 1),
        &|i: usize| format!("{i} mg"),
        &|i: usize| format!("\"{},5\"", i),
        &|i: usize| format!("town of {}", ["a", "b", "c", "d", "e"][i % 5]),
        &|i: usize| ["ab", "cd", "ef"][i % 3].repeat(i % 9 + 1),
        &|i: usize| format!("{}/{}", 110 + i % 40, 60 + i % 30),
        &|i: usize| format!("{}-{:02}", 2000 + i % 20, i % 12 + 1),
        &|i: usize| format!("{}'{:03}", 1 + i % 30, i),
        &|i: usize| format!("{} {:03}", 1 + i % 30, i),
        &|i: usize| format!("{}:{:02} PM", 1 + i % 11, i % 60),
    ] as [&dyn Fn(usize) -> String; 10]
    {
        let text = inspect("first,b,out", &|i| format!("{},{},{}", odd(i), i % 7, i % 2));
        assert!(!text.contains("--id") && !text.contains("--unit"), "{text}");
    }
    // Identifiers that differ, by name and by form, in any column; those that repeat.
    let text = inspect("code,b,out", &|i| format!("S{i:03},{},{}", i % 7, i % 2));
    assert!(command(&text).contains("--id code"), "{text}");
    let text = inspect("b,patient_id,out", &|i| format!("{},{},{}", i % 7, 1000 + i, i % 2));
    assert!(command(&text).contains("--id patient_id"), "{text}");
    let text =
        inspect("b,patient_id,out", &|i| format!("{},{},{}", i % 7, 1000 + i / 4, i / 4 % 2));
    assert!(command(&text).contains("--unit patient_id"), "{text}");
    // The target varies within each.
    let text = inspect("b,patient_id,out", &|i| format!("{},{},{}", i % 7, 1000 + i / 4, i % 2));
    assert!(command(&text).contains("--paired patient_id"), "{text}");
    // Samples may repeat without being people.
    let text = inspect("sample_id,b,out", &|i| format!("S{},{},{}", i / 4, i % 7, i % 2));
    assert!(
        !command(&text).contains("--unit") && text.contains("Do they identify people?"),
        "{text}"
    );
    // Sentences, also where rows repeat.
    let note = |i: usize| format!("visit {} without any finding at all", i / 4);
    let text = inspect("b,note,out", &|i| format!("{},{},{}", i % 7, note(i), i % 2));
    assert!(command(&text).contains("--exclude note"), "{text}");
}
