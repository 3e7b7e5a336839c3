//! `dpsis plan`: what it prints and writes, and what it refuses.
#![allow(clippy::unwrap_used)] // in a test a panic is how a failure is said

use std::process::{Command, Output};

const SMALL: &str = "--n 400 --d 30 --k 2 --eps 1 --draws 40 --mechanism canonical,peel";

fn plan(arguments: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_dpsis"))
        .arg("plan")
        .args(arguments.split_whitespace())
        .output()
        .unwrap()
}

fn printed(arguments: &str) -> String {
    let output = plan(arguments);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_text_says_what_is_found() {
    let text = printed(&format!("{SMALL} --strength 0.4"));
    for words in [
        "2 of 30 features, 400 rows",
        "epsilon 1 = 0.1 target median + 0.075 target center + 0.625 selection\n",
        "canonical, gamma 0.5",
        "peel",
        "Recommended: ",
        "at other epsilons:",
        "Strength 0.4, if 2 features have it",
        "called beyond chance",
    ] {
        assert!(text.contains(words), "{words}:\n{text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let threads = |n: u32| printed(&format!("{SMALL} --threads {n}"));
    assert_eq!(threads(1), threads(2));
}

#[test]
fn json_and_files_hold_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("outlook");
    let arguments = format!("{SMALL} --over 0.5,2 --format json -o {}", out.display());
    let json: serde_json::Value = serde_json::from_str(&printed(&arguments)).unwrap();
    assert_eq!(json["request"]["epsilon"], "1");
    assert_eq!(json["mechanisms"].as_array().unwrap().len(), 6);
    assert_eq!(json["over"].as_array().unwrap().len(), 3);
    assert_eq!(json["spent"][2]["for"], "selection");
    let read = |name: &str| std::fs::read_to_string(out.join(name)).unwrap();
    assert_eq!(serde_json::from_str::<serde_json::Value>(&read("plan.json")).unwrap(), json);
    let strength = json["findings"][2]["found"][1]["value"].as_f64().unwrap();
    assert!(read("mechanisms.csv").contains(&format!("{strength:.6}")));
    assert_eq!(read("epsilon.csv").lines().count(), 4);
    assert_eq!(read("mechanisms-epsilon.csv").lines().count(), 19);
    let page = read("index.html");
    assert!(page.contains("No data were read") && page.matches("<svg").count() >= 2);
    // The folder can be written to again; one with other files cannot.
    printed(&arguments);
    std::fs::write(folder.path().join("other.txt"), "mine").unwrap();
    let refused = plan(&format!("{SMALL} -o {}", folder.path().display()));
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn mistakes_are_explained() {
    for (arguments, rule) in [
        ("--n 10 --d 30 --k 2 --eps 1", "the number of rows must lie between 20"),
        ("--n 400 --d 0 --k 2 --eps 1", "the number of features must lie between 1"),
        ("--n 400 --d 3 --k 4 --eps 1", "k must not exceed the number of features, 3 (--k)"),
        ("--n 400 --d 3 --k 0 --eps 1", "k must be at least 1 (--k)"),
        ("--n 400 --d 30 --k 2 --eps 0", "epsilon must lie between"),
        ("--n 400 --d 30 --k 2 --eps 1 --share 0.7", "above 0 and up to 0.5"),
        ("--n 400 --d 30 --k 2 --eps 1 --share 0.001", "at least 5 rows"),
        ("--n 400 --d 30 --k 2 --eps 1 --strength 1.5", "a strength must lie between"),
        ("--n 400 --d 30 --k 2 --eps 1 --mechanism gm", "no such mechanism"),
        ("--n 400 --d 30 --k 2 --eps 1 --mechanism em", "k must be 1"),
        ("--n 400 --d 30 --k 2 --eps 1 --mechanism peel --gamma 1", "takes a gamma (--gamma)"),
        ("--n 400 --d 30 --k 2 --eps 1 --gamma 1.5", "gamma"),
        ("--n 400 --d 30 --k 2 --eps 1 --over 1,1", "stated twice"),
        ("--n 400 --d 30 --k 2 --eps 1 --draws 3", "at least 20 draws"),
        ("--n 400 --d 30 --k 2 --eps 1 --split center=2", "share"),
        (
            "--n 400 --d 30 --k 2 --eps 1 --split direction=0.1",
            "shares of target, center and estimates (--split)",
        ),
        ("--n 400 --d 30 --k 2", "--eps"),
    ] {
        let output = plan(arguments);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments}: {said}");
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains(rule), "{arguments}: {said}");
        assert!(output.stdout.is_empty());
    }
}
