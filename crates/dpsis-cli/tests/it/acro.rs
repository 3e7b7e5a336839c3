//! The folder for output checkers is complete or absent, agrees with the record, and contains
//! nothing of the table but the release. A Python test checks that `acro` reads it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::harness::{DEMO, Folder, assert_contains, assert_contains_all, assert_lacks, silent};

/// A folder with candidates, a table for a model, and a ledger.
fn folder() -> Folder {
    let folder = Folder::new().with("models.csv", "name,score\n\"a,<b>\",0.5\nb,0.25\n");
    folder.table("t.csv", "age,dose,out", 2000, |i| {
        format!("{},{},{}", i * 7 % 40, i * i % 31, i % 40)
    });
    folder.run("ledger create --cap 9 --name pilot budget.txt").succeeds();
    folder
}

/// Runs a command that writes the folder `out`, and reads it.
fn release(folder: &Folder, line: &str) -> Files {
    let output = folder.run(&format!("{line} --format acro -o out")).succeeds();
    assert_eq!(output.stdout, "", "{line}");
    let files = Files::read(&folder.path("out"));
    fs::remove_dir_all(folder.path("out")).unwrap();
    files
}

fn sha256(bytes: impl AsRef<[u8]>) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The files of a folder, checked against its list and its checksums.
struct Files {
    results: Value,
    files: BTreeMap<String, String>,
}

impl Files {
    fn read(folder: &Path) -> Self {
        let of = |folder: &Path| -> BTreeMap<String, String> {
            let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
            let text = |path: PathBuf| {
                let name = path.file_name().unwrap().to_str().unwrap().to_owned();
                (name, fs::read_to_string(path).unwrap())
            };
            entries.filter(|path| path.is_file()).map(text).collect()
        };
        let (mut files, checksums) = (of(folder), of(&folder.join("checksums")));
        let hashes = files.iter().map(|(name, text)| (format!("{name}.txt"), sha256(text)));
        let expected: BTreeMap<String, String> = hashes.collect();
        assert_eq!(checksums, expected);
        let results: Value = serde_json::from_str(&files.remove("results.json").unwrap()).unwrap();
        let listed = results["results"]["output_0"]["files"].as_array().unwrap();
        let mut listed: Vec<&str> =
            listed.iter().map(|file| file["name"].as_str().unwrap()).collect();
        listed.sort_unstable();
        assert_eq!(listed, files.keys().map(String::as_str).collect::<Vec<_>>());
        Self { results, files }
    }

    fn output(&self) -> &Value {
        &self.results["results"]["output_0"]
    }

    fn record(&self) -> Value {
        serde_json::from_str(&self.files["output_0_record.json"]).unwrap()
    }

    fn names(&self) -> csv::Reader<&[u8]> {
        csv::Reader::from_reader(self.files["output_0_names.csv"].as_bytes())
    }
}

/// All entries that the loader of acro 1.0.2 requires, in the types that it requires.
fn has_the_form(output: &Value) {
    for text in ["uid", "status", "type", "command", "summary", "timestamp", "exception"] {
        assert!(output[text].is_string(), "{text}: {output}");
    }
    for object in ["properties", "outcome", "fair"] {
        assert!(output[object].is_object(), "{object}");
    }
    assert!(output["comments"].is_array());
    for file in output["files"].as_array().unwrap() {
        assert!(file["sdc"]["summary"].is_object() && file["sdc"]["cells"].is_object());
    }
}

#[test]
fn the_folder_agrees_with_the_record() {
    let folder = folder();
    let line = format!("select --k 5 --eps 2 --ledger budget.txt --target-number {DEMO}");
    let files = release(&folder, &line);
    let (output, record) = (files.output(), files.record());
    has_the_form(output);
    assert_eq!(files.results["version"], "1.0.2");
    assert_eq!((&output["status"], &output["timestamp"]), (&"review".into(), &"2026-11-22".into()));
    assert_eq!(output["command"], record["run"]["request"]);
    let guarantee = &output["properties"]["guarantee"];
    for key in ["epsilon", "delta", "unit"] {
        assert_eq!(guarantee[key], record["guarantee"][key], "{key}");
    }
    let summary = output["summary"].as_str().unwrap();
    assert_contains_all(
        summary,
        &[
            "review; released: the names of 5 of 300 features; ",
            "protected: one row of the table",
            "epsilon 2, delta 0, for adding or removing one row",
            // e^2 = 7.389 and e^2/(1 + e^2) = 0.8808, rounded up.
            "at most 88.1% (the odds change by a factor of at most e^epsilon, here 7.39)",
            "not released: rows, exact counts and scores",
        ],
    );
    assert_eq!(guarantee["ledger"], "pilot: spent 2 of 9, 7 left");
    assert_eq!(output["outcome"]["result"]["a ledger was charged"], "ok");
    let mut names = files.names();
    assert_eq!(
        names.headers().unwrap().iter().take(3).collect::<Vec<_>>(),
        ["name", "column", "effect_size"]
    );
    let rows: Vec<csv::StringRecord> = names.records().map(Result::unwrap).collect();
    let selected = record["selected"].as_array().unwrap();
    assert_eq!(rows.len(), selected.len());
    for (row, (picked, estimate)) in
        rows.iter().zip(selected.iter().zip(record["estimates"].as_array().unwrap()))
    {
        assert_eq!(row[0], *picked["name"].as_str().unwrap());
        assert_eq!(row[1], picked["column"].to_string());
        assert_eq!(row[2], estimate["effect_size"].to_string());
    }
    let report = &files.files["output_0_report.txt"];
    assert!(report.starts_with("protected"), "{report}");
    assert_contains(report, "\nresult ");
    // No hash of the table, and no name of a file.
    let hash = sha256(fs::read(DEMO).unwrap());
    for text in files.files.values().chain([&files.results.to_string()]) {
        assert_lacks(text, &hash[..8]);
        assert_lacks(text, "demo.csv");
    }
}

#[test]
fn choices_and_models_make_a_folder() {
    let folder = folder();
    let choice = release(&folder, "choose --eps 1 --k 2 --sensitivity 0.1 models.csv");
    has_the_form(choice.output());
    let mut names = choice.names();
    let mut rows: Vec<String> = names.records().map(|row| row.unwrap()[0].to_owned()).collect();
    rows.sort();
    assert_eq!(rows, ["a,<b>", "b"]);
    // The viewer shows the summary as markup.
    assert!(!choice.output()["summary"].as_str().unwrap().contains('<'));
    assert_eq!(choice.output()["outcome"]["result"]["a ledger was charged"], "review");
    let model = release(&folder, "fit --k 1 --eps 40 t.csv");
    has_the_form(model.output());
    assert!(model.output()["command"].as_str().unwrap().starts_with("dpsis fit --k 1 "));
    let record = model.record();
    let row = model.names().records().next().unwrap().unwrap();
    let feature = &record["model"]["features"][0];
    assert_eq!(
        (&row[0], row[1].parse().ok()),
        (feature["name"].as_str().unwrap(), feature["coefficient"].as_f64())
    );
}

/// The values that a selection releases besides names are listed.
#[test]
fn released_values_are_listed() {
    let folder = folder();
    for (line, value) in [
        (format!("select --eps 4 --target-number {DEMO}"), "how many features were drawn"),
        (format!("select --k 20 --eps 4 --target-number {DEMO}"), "whether many of the scores"),
    ] {
        let files = release(&folder, &line);
        let released = files.output()["properties"]["released"].as_str().unwrap();
        assert_contains(released, value);
    }
}

/// Each coefficient of a categorical column has the name of its level. Ranges and levels that were
/// given are public facts, ranges that were drawn are released, and so is the number of rows.
#[test]
fn given_facts_of_a_model_are_not_released() {
    let folder = folder();
    folder.table("kinds.csv", "kind,dose,out", 2000, |i| {
        format!("{},{},{}", ["a", "b", "c"][i % 3], i * i % 31, i % 40)
    });
    let drawn = "fit --features kind,dose --levels kind=a,b,c --eps 40 kinds.csv";
    let given = format!("{drawn} --bounds 0,30 --target-bounds 0,39");
    let ranges =
        ["the ranges that features are clipped to", "the range that the target is clipped"];
    for (line, is_given) in [(drawn, false), (given.as_str(), true)] {
        let model = release(&folder, line);
        let mut names = model.names();
        let names: Vec<String> =
            names.records().map(|row| row.unwrap().iter().collect::<Vec<_>>().join(";")).collect();
        let of = |name: &str| names.iter().find(|row| row.starts_with(name)).unwrap();
        assert!(of("kind=b;").ends_with(";b;a") && of("kind=c;").ends_with(";c;a"), "{names:?}");
        assert!(names.len() == 3 && of("dose;").ends_with(";;"), "{names:?}");
        let properties = &model.output()["properties"];
        let public = properties["given as public"].to_string();
        let released = properties["released"].as_str().unwrap();
        assert_contains(&public, "the levels of kind");
        assert_contains_all(
            released,
            &["how many rows have a target, with noise", "intercept", "regression on 2 features"],
        );
        for (fact, range) in
            ["the range of each numeric feature", "the range of the target"].iter().zip(ranges)
        {
            assert_eq!(public.contains(fact), is_given, "{public}");
            assert_eq!(released.contains(range), !is_given, "{released}");
        }
    }
    // The selection splits the target at a median; the model takes the given range.
    let selected = release(&folder, "fit --k 1 --eps 40 --target-bounds 0,39 t.csv");
    let public = selected.output()["properties"]["given as public"].to_string();
    assert_eq!(public.matches("the range of the target").count(), 1, "{public}");
    assert_contains(&selected.files["output_0_report.txt"], "\ntarget: \"out\"");
    assert_contains(&selected.files["output_0_report.html"], "dpsis fit 0.1.0");
}

/// A result that is not private fails the check; its summary starts with that.
#[test]
fn results_that_are_not_private_fail() {
    let folder = folder();
    for words in [
        "select --k 2 --eps 1 --seed 3 t.csv",
        "choose --eps 1 --sensitivity 1 --seed 3 models.csv",
        "fit --k 1 --eps 40 --seed 3 t.csv",
    ] {
        let files = release(&folder, words);
        let output = files.output();
        assert_eq!(output["status"], "fail", "{words}");
        assert_eq!(output["outcome"]["result"]["the guarantee covers every file"], "fail");
        let summary = output["summary"].as_str().unwrap();
        assert!(summary.starts_with("fail; "), "{summary}");
        assert_contains(summary, "NOT PRIVATE");
        assert_lacks(summary, "epsilon");
    }
}

/// Refused before anything is spent or read.
#[test]
fn a_folder_must_be_named_and_new() {
    let folder = folder();
    fs::create_dir(folder.path("there")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("nowhere", folder.path("link")).unwrap();
    let (before, budget) = (folder.names(), folder.read("budget.txt"));
    let select = "select --k 1 --eps 1 --target-number --ledger budget.txt none.csv --format acro";
    for (words, code) in [
        ("", 2),
        ("-o there", 5),
        ("-o there/", 5),
        ("-o t.csv", 5),
        #[cfg(unix)]
        ("-o link", 5),
        ("-o nowhere/out", 5),
        ("-o t.csv/out", 5),
        ("-o out --dry-run", 2),
    ] {
        folder.run(&format!("{select} {words}")).fails(code);
        assert_eq!(folder.names(), before, "{words}");
    }
    assert_eq!(folder.read("budget.txt"), budget);
    for words in [
        "choose --eps 1 --sensitivity 1 --trials 3 models.csv",
        "choose --eps 1 --sensitivity 1 --mechanism sis --not-private models.csv",
        "choose --eps 1 --relation none --advise models.csv",
        "fit --k 1 --eps 40 --dry-run t.csv",
    ] {
        folder.run(&format!("{words} --format acro -o out")).fails(2);
        assert_eq!(folder.names(), before, "{words}");
    }
}

/// A file that cannot grow simulates a full disk.
#[cfg(unix)]
#[test]
fn a_full_disk_leaves_no_folder() {
    let folder = folder();
    let before = folder.names();
    folder.run_on_full_disk(1, "select --k 2 --eps 1 --format acro -o out t.csv").fails(5);
    assert_eq!(folder.names(), before);
}

/// A folder with the name is complete, at any moment of a kill.
#[cfg(unix)]
#[test]
fn a_killed_run_leaves_a_whole_folder_or_none() {
    let folder = folder();
    let words = "choose --eps 1 --sensitivity 1 models.csv --format acro -o";
    let start = Instant::now();
    folder.run(&format!("{words} first")).succeeds();
    let mut whole = start.elapsed().as_micros() as u64;
    let (mut made, mut none) = (0, 0);
    // Other work may slow the runs down or cease: then the moments of the kills move.
    for attempt in 0..5 {
        for round in 0..60 {
            let name = format!("out{attempt}-{round}");
            let mut child = silent(&mut folder.command(&format!("{words} {name}")));
            std::thread::sleep(Duration::from_micros(whole * (round * 17 % 60) / 60 * 5 / 4));
            child.kill().unwrap();
            child.wait().unwrap();
            if folder.has(&name) {
                has_the_form(Files::read(&folder.path(&name)).output());
                made += 1;
            } else {
                none += 1;
            }
        }
        if made > 0 && none > 0 {
            return;
        }
        whole = if made == 0 { whole * 2 } else { whole / 2 };
    }
    panic!("{made} whole folders, {none} without one");
}
