//! `dpsis select` without `--k`: all significant features.

use crate::harness::{
    DATASETS, DEMO, Folder, assert_contains, assert_contains_all, demo_lines, dpsis, one_line,
};

#[test]
fn all_significant_features_are_named_in_every_form() {
    let request = "select --eps 4 --seed 3 demo.csv";
    let output = dpsis(request).succeeds();
    let (report, names) = (output.message(), output.stdout.lines().count());
    let truth = ["gene_017", "gene_074", "gene_142", "gene_209", "gene_276"];
    assert!(names >= 3, "{}", output.stdout);
    assert!(output.stdout.lines().all(|name| truth.contains(&name)), "{}", output.stdout);
    assert!(
        report.starts_with("asked for all significant features (fwer 0.05) protected"),
        "{report}"
    );
    let rate = "(any false discovery in at most 5% of runs)";
    assert!(report.ends_with(&format!("result {names} features are significant {rate}")));
    assert_contains(&report, &format!("chosen {names} of 300 features: all significant"));

    let record = dpsis(&format!("{request} --format json")).json();
    assert!(record["public"]["k"].is_null());
    assert_eq!(record["public"]["false_discoveries"]["fwer"], "0.05");
    assert_eq!(record["significance"]["significant"], names);
    let tsv = dpsis(&format!("{request} --format tsv")).succeeds().stdout;
    assert!(tsv.starts_with("name\tcolumn\teffect_size\tlow\thigh\n"), "{tsv}");
    let page = dpsis(&format!("{request} --format html")).succeeds().stdout;
    let parts = [&*format!("{names} SIGNIFICANT"), "all significant features (fwer 0.05)"];
    assert_contains_all(&page, &parts);
}

/// An empty selection is a release: exit code 0, with nothing on standard output.
#[test]
fn an_empty_selection_is_a_release() {
    let select = "select --eps 0.3 --fwer 0.01 --seed 1 demo.csv --format";
    let run = |format: &str| dpsis(&format!("{select} {format}")).succeeds();
    let output = run("text");
    assert_eq!(output.stdout, "");
    let significance = "result no feature is significant; with";
    assert_contains(&output.message(), significance);
    assert_contains(&run("json").stdout, "\"selected\": []");
    assert_eq!(run("tsv").stdout, "name\tcolumn\n");
    assert_contains(&run("html").stdout, "NOTHING SIGNIFICANT");
}

#[test]
fn options_that_need_k_are_refused() {
    Folder::at(DATASETS).refuses_options(
        "select --eps 2 demo.csv",
        &[
            ("--k 3 --fwer 0.1", "cannot be used with"),
            ("--split number=0.1", "the split must be given as"),
            ("--split estimates=0", "named by their effect sizes"),
            ("--at-most 0", "must be at least 1 (--at-most)"),
            ("--fwer 0.7", "from 0.001 to 0.5 (--fwer)"),
            ("--score kendall", "Kendall's correlation hint: give k (--score, --k)"),
            ("--scale row-rank", "(--scale, --bounds, --k)"),
            ("--center 0.5", "(--center, --k)"),
            ("--mechanism peel", "(--mechanism, --k)"),
            ("--adjust gene_001:0", "(--adjust, --k)"),
            ("--refine gram", "(--refine, --k)"),
            ("--method two-stage", "(--method, --k)"),
            (
                "--delta 1e-6 --split estimates=0.3",
                "leave out the share of the effect sizes (--split, --delta)",
            ),
            ("--unit gene_001", "(--unit, --k)"),
        ],
    );
}

/// With a ledger a forgotten `--k` spends nothing.
#[test]
fn a_ledger_requires_k_or_a_rate() {
    let folder = Folder::new();
    folder.run("ledger create --cap 3 budget.txt").succeeds();
    let request = format!("select --eps 1 --target-number --ledger budget.txt {DEMO}");
    folder.refuses_options(&request, &[("", "(--k, --fwer)"), ("--dry-run", "(--k, --fwer)")]);
    let report = folder.run(&format!("{request} --fwer 0.05")).succeeds().message();
    assert!(report.starts_with("asked for all significant features (fwer 0.05)"), "{report}");
    let report = folder.run(&format!("{request} --k 2")).succeeds().message();
    assert_contains(&report, "chosen 2 of 300");
    let balance = folder.run("ledger show budget.txt").succeeds().stdout;
    assert_contains(&balance, "\nleft       1\n");
}

#[test]
fn forecasts_and_inspections_do_without_k() {
    let plan = dpsis("select --eps 2 --dry-run demo.csv").succeeds().text();
    assert_contains_all(
        &plan,
        &[
            "of 300 features: all significant features (fwer 0.05), by a draw of features together with their number",
            "in half of all runs, a single associated feature is named with these numbers of rows, by effect size: 0.2: about",
        ],
    );
    let plan = dpsis("plan --n 500 --d 300 --eps 2 --fwer 0.1 --effect-size 0.3").succeeds().stdout;
    assert_contains_all(
        &plan,
        &[
            "all significant ones of 300 features (fwer 0.1)",
            "A feature of KS distance 0.3 is significant in",
        ],
    );
    let plan = dpsis("plan --n 500 --d 300 --eps 2 --format json").json();
    let named = |needed: &serde_json::Value| needed["significant"][1]["value"].as_f64().unwrap();
    let others = |place: usize| named(&plan["others"][place]["needed"]);
    assert!(named(&plan["needed"]) < others(0) && others(0) < others(1), "{plan}");
    Folder::new().refuses_options(
        "plan --n 500 --d 300 --eps 2",
        &[("--mechanism peel", "--k"), ("--score kendall", "Kendall")],
    );
    let inspected = one_line(&dpsis("inspect demo.csv").succeeds().stdout);
    assert_contains(&inspected, "Without --k all significant features are named");
}

/// Sums of parts give the same result as the whole table.
#[test]
fn partials_are_released_without_k() {
    let folder = Folder::new();
    let (header, rows) = demo_lines();
    let options = "--score ks --bounds=-3,3 --target-bounds=-3,3";
    for (part, rows) in rows.chunks(rows.len().div_ceil(2)).enumerate() {
        folder.write(&format!("{part}.csv"), format!("{header}\n{}\n", rows.join("\n")));
        let files = format!("-o {part}.partial {part}.csv");
        folder.run(&format!("partial --part {}/2 {options} {files}", part + 1)).succeeds();
    }
    let release = "select --eps 30 --fwer 0.1 --seed 5 --format tsv";
    let parts = folder.run(&format!("{release} --partials 0.partial 1.partial")).succeeds().stdout;
    let whole = folder.run(&format!("{release} {options} {DEMO}")).succeeds().stdout;
    assert_eq!(parts, whole);
    assert!(whole.lines().count() > 1, "{whole}");
}
