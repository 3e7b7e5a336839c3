//! `dpsis select` without `--k`: all features beyond chance.
#![allow(clippy::unwrap_used)] // in a test a panic is how a failure is said

use std::process::{Command, Output};

const DEMO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../datasets/demo.csv");

fn dpsis(words: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dpsis"));
    command.args(words.split_whitespace()).output().unwrap()
}

/// Both outputs of a command that succeeds, with one blank between the words of the report.
fn done(words: &str) -> [String; 2] {
    let output = dpsis(words);
    let report = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{words}: {report}");
    let report = report.split_whitespace().collect::<Vec<_>>().join(" ");
    [String::from_utf8(output.stdout).unwrap(), report]
}

fn refused(words: &str, said: &str) {
    let output = dpsis(words);
    let report = String::from_utf8(output.stderr).unwrap();
    let report = report.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(output.status.code(), Some(2), "{words}: {report}");
    assert!(report.contains(said) && output.stdout.is_empty(), "{words}: {report}");
}

#[test]
fn all_beyond_chance_are_named_in_every_form() {
    let request = format!("select --eps 4 --seed 3 {DEMO}");
    let [text, report] = done(&request);
    let names: Vec<&str> = text.lines().collect();
    let truth = ["gene_017", "gene_074", "gene_142", "gene_209", "gene_276"];
    assert!(names.len() >= 3 && names.iter().all(|name| truth.contains(name)), "{text}");
    assert!(report.starts_with("asked for all beyond chance (fwer 0.05) protected"), "{report}");
    let verdict = format!(
        "verdict {} features are beyond chance (any false name in at most 5% of runs)",
        names.len()
    );
    assert!(report.ends_with(&verdict), "{report}");
    assert!(report.contains(&format!("chosen {} of 300 features: all beyond chance", names.len())));

    let [json, _] = done(&format!("{request} --format json"));
    let record: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert!(record["public"]["k"].is_null());
    assert_eq!(record["public"]["false_names"]["fwer"], "0.05");
    assert_eq!(record["verdict"]["beyond_chance"], names.len());
    let [tsv, _] = done(&format!("{request} --format tsv"));
    assert!(tsv.starts_with("name\tcolumn\tstrength\tlow\thigh\n"), "{tsv}");
    let [page, _] = done(&format!("{request} --format html"));
    assert!(page.contains(&format!("{} BEYOND CHANCE", names.len())), "{page}");
    assert!(page.contains("all beyond chance (fwer 0.05)"), "{page}");
}

/// Nothing on standard output, and a release all the same.
#[test]
fn an_empty_selection_ends_well() {
    let request = format!("select --eps 0.3 --fwer 0.01 --seed 1 {DEMO}");
    let [text, report] = done(&request);
    assert!(text.is_empty(), "{text}");
    assert!(report.contains("verdict no feature is distinguishable from chance in this run; with"));
    let [json, _] = done(&format!("{request} --format json"));
    assert!(json.contains("\"selected\": []"), "{json}");
    let [tsv, _] = done(&format!("{request} --format tsv"));
    assert_eq!(tsv, "name\tcolumn\n");
    let [page, _] = done(&format!("{request} --format html"));
    assert!(page.contains("NOTHING DISTINGUISHABLE FROM CHANCE"), "{page}");
}

#[test]
fn what_does_not_go_together_is_refused() {
    for (options, said) in [
        ("--k 3 --fwer 0.1", "cannot be used with"),
        ("--split number=0.1", "the split must be stated as"),
        ("--split estimates=0", "named by their strengths"),
        ("--at-most 0", "must be at least 1 (--at-most)"),
        ("--fwer 0.7", "from 0.001 to 0.5 (--fwer)"),
        ("--score kendall", "Kendall's correlation hint: state k (--score, --k)"),
        ("--scale row-rank", "(--scale, --bounds, --k)"),
        ("--center 0.5", "(--center, --k)"),
        ("--mechanism peel", "(--mechanism, --k)"),
        ("--adjust gene_001:0", "(--adjust, --k)"),
        ("--refine gram", "(--refine, --k)"),
        ("--method two-stage", "(--method, --k)"),
        ("--delta 1e-6", "(--delta, --k)"),
        ("--unit gene_001", "(--unit, --k)"),
    ] {
        refused(&format!("select --eps 2 {options} {DEMO}"), said);
    }
}

/// With a ledger a forgotten `--k` spends nothing.
#[test]
fn a_ledger_wants_it_stated() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("budget.txt").display().to_string();
    done(&format!("ledger create --cap 3 {ledger}"));
    let request = format!("select --eps 1 --target-number --ledger {ledger} {DEMO}");
    refused(&request, "(--k, --fwer)");
    refused(&format!("{request} --dry-run"), "(--k, --fwer)");
    let [_, report] = done(&format!("{request} --fwer 0.05"));
    assert!(report.starts_with("asked for all beyond chance (fwer 0.05)"), "{report}");
    let [_, report] = done(&format!("{request} --k 2"));
    assert!(report.contains("chosen 2 of 300"), "{report}");
    let [balance, _] = done(&format!("ledger show {ledger}"));
    assert!(balance.contains("\nleft       1\n"), "{balance}");
}

#[test]
fn before_any_data_are_touched() {
    let [text, report] = done(&format!("select --eps 2 --dry-run {DEMO}"));
    let all = format!("{text} {report}");
    let all = all.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        all.contains("of 300 features: all beyond chance (fwer 0.05), by a draw of features together with their number"),
        "{all}"
    );
    assert!(
        all.contains("in half of all runs, a single feature is named from effect size 0.2 with"),
        "{all}"
    );
    let [text, _] = done("plan --n 500 --d 300 --eps 2 --fwer 0.1 --effect-size 0.3");
    assert!(text.contains("all significant ones of 300 features (fwer 0.1)"), "{text}");
    assert!(text.contains("A feature of KS distance 0.3 is significant in"), "{text}");
    let [json, _] = done("plan --n 500 --d 300 --eps 2 --format json");
    let outlook: serde_json::Value = serde_json::from_str(&json).unwrap();
    let named = |needed: &serde_json::Value| needed["significant"][1]["value"].as_f64().unwrap();
    let others = |place: usize| named(&outlook["others"][place]["needed"]);
    assert!(named(&outlook["needed"]) < others(0) && others(0) < others(1), "{json}");
    refused("plan --n 500 --d 300 --eps 2 --mechanism peel", "--k");
    refused("plan --n 500 --d 300 --eps 2 --score kendall", "Kendall");
    let [look, _] = done(&format!("inspect {DEMO}"));
    let look = look.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(look.contains("Without --k all significant features are named"), "{look}");
}

/// Sums of parts give what the whole table does.
#[test]
fn partials_are_released_without_k() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let text = std::fs::read_to_string(DEMO).unwrap();
    let (header, rows) = text.split_once('\n').unwrap();
    let rows: Vec<&str> = rows.lines().collect();
    let facts = "--score ks --bounds=-3,3 --target-bounds=-3,3";
    for (part, rows) in rows.chunks(rows.len().div_ceil(2)).enumerate() {
        let file = path(&format!("{part}.csv"));
        std::fs::write(&file, format!("{header}\n{}\n", rows.join("\n"))).unwrap();
        let to = path(&format!("{part}.partial"));
        done(&format!("partial --part {}/2 {facts} -o {to} {file}", part + 1));
    }
    let release = "select --eps 30 --fwer 0.1 --seed 5 --format tsv";
    let [parts, _] =
        done(&format!("{release} --partials {} {}", path("0.partial"), path("1.partial")));
    let [whole, _] = done(&format!("{release} {facts} {DEMO}"));
    assert_eq!(parts, whole);
    assert!(whole.lines().count() > 1, "{whole}");
}
