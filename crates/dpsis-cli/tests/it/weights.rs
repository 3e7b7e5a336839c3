//! `--weights`: public weights of features, and `dpsis weights`, which makes them.

use crate::harness::{DEMO, Folder, assert_contains, assert_contains_all};

/// The features of the demo data that are associated with the target.
const ASSOCIATED: [&str; 5] = ["gene_017", "gene_074", "gene_142", "gene_209", "gene_276"];

fn folder() -> Folder {
    let rows = ASSOCIATED.map(|feature| format!("{feature},1\n"));
    Folder::new().with("weights.csv", format!("feature,weight\n{}", rows.concat()))
}

/// The number of associated features that six selections at a small epsilon name.
fn found(folder: &Folder, options: &str) -> usize {
    let select = |seed: u32| {
        let line = format!("select -k 5 -e 0.5 --seed {seed} {options} {DEMO}");
        folder.run(&line).succeeds().stdout
    };
    let named = |names: String| names.lines().filter(|name| ASSOCIATED.contains(name)).count();
    (0..6).map(|seed| named(select(seed))).sum()
}

#[test]
fn right_weights_find_more() {
    let folder = folder();
    let [without, with] = ["", "--weights weights.csv"].map(|options| found(&folder, options));
    assert!(with > without + 15, "{with} {without}");
    let wrong = ASSOCIATED.map(|feature| feature.replace("gene_0", "gene_1"));
    let wrong =
        wrong.map(|feature| feature.replace("gene_2", "gene_0").replace("gene_14", "gene_24"));
    let rows = wrong.map(|feature| format!("{feature},1\n"));
    folder.write("wrong.csv", format!("feature,weight\n{}", rows.concat()));
    let wrong = found(&folder, "--weights wrong.csv");
    assert!(wrong > without / 4, "{wrong} {without}");
}

/// A uniform share of 1 leaves nothing of the weights: the same bits as without them.
#[test]
fn uniform_weights_change_nothing() {
    let folder = folder();
    for options in
        ["-k 5 -e 0.5", "-k 20 -e 1", "-e 2", "-e 2 --delta 1e-6", "-k 5 -e 1 --mechanism joint"]
    {
        let estimates = |weights: &str| {
            let line = format!("select {options} --seed 3 --format json {weights} {DEMO}");
            let record = folder.run(&line).succeeds().json();
            (record["selected"].clone(), record["estimates"].clone(), record["released"].clone())
        };
        let uniform = estimates("--weights weights.csv --weights-uniform 1");
        assert_eq!(uniform, estimates(""), "{options}");
    }
}

#[test]
fn records_and_reports_contain_weights() {
    let folder = folder();
    let line = format!("select -k 5 -e 2 --seed 1 --weights weights.csv {DEMO}");
    let output = folder.run(&line).succeeds();
    assert_contains_all(
        &output.message(),
        &["with public weights of 5 features (uniform share 0.3)", "differs by the weights"],
    );
    let record = folder.run(&format!("{line} --format json")).succeeds().json();
    assert_eq!(record["mechanism"]["weights"], "5");
    assert_eq!(record["mechanism"]["weights_uniform"], "0.3");
    assert_contains(record["run"]["request"].as_str().unwrap(), "--weights FILE");
    // Each feature has its own threshold.
    assert!(record["significance"]["threshold"].is_null());
    assert_eq!(record["significance"]["significant"], 5);
    let page = folder.run(&format!("{line} --format html")).succeeds().stdout;
    assert_contains_all(
        &page,
        &["weights of 5 of the features", "from other people than those in the table"],
    );
    for options in ["", "--delta 1e-6"] {
        let line = format!("select -e 2 --seed 1 --weights weights.csv {options} {DEMO}");
        let names = folder.run(&line).succeeds().stdout;
        assert_eq!(names.lines().count(), 5, "{names}");
    }
    let dry = folder.run(&format!("{line} --dry-run")).succeeds();
    assert_contains(&dry.text(), "with public weights of 5 features");
}

/// Weights of a public table find its features in another one; the sums of parts take them, too.
#[test]
fn weights_are_made_from_a_public_table() {
    let folder = Folder::new();
    let made = folder.run(&format!("weights -o public.csv {DEMO}")).succeeds();
    assert_contains(&made.message(), "NOT PRIVATE");
    let text = folder.read("public.csv");
    let row = |line: &str| {
        let (name, weight) = line.split_once(',').unwrap();
        (name.to_owned(), weight.parse::<f64>().unwrap())
    };
    let rows: Vec<(String, f64)> = text.lines().skip(1).map(row).collect();
    assert_eq!((text.lines().next(), rows.len()), (Some("feature,weight"), 300));
    assert!(rows.iter().all(|(_, weight)| (1.0..=300.0).contains(weight)));
    // Correlated features have large weights, too.
    let large: Vec<&str> =
        rows.iter().filter(|row| row.1 == 300.0).map(|row| row.0.as_str()).collect();
    assert!(ASSOCIATED.iter().all(|name| large.contains(name)) && large.len() < 15, "{large:?}");
    // The file goes back in.
    let [without, with] = ["", "--weights public.csv"].map(|options| found(&folder, options));
    assert!(with > without + 9, "{with} {without}");
    for (options, code) in
        [("--score kendall", 2), ("--target missing", 2), ("--classes high,low", 3)]
    {
        folder.run(&format!("weights {options} {DEMO}")).fails(code);
    }
}

#[test]
fn sums_of_parts_take_weights() {
    let folder = folder();
    let given = "--bounds=-4,4 --target-bounds 0,10";
    folder.run(&format!("partial --part 1/1 {given} -o all.partial {DEMO}")).succeeds();
    let release = "-k 5 -e 1 --seed 4 --weights weights.csv";
    let whole = folder.run(&format!("select {release} {given} {DEMO}")).succeeds().stdout;
    let parts = folder.run(&format!("select {release} --partials all.partial")).succeeds().stdout;
    assert_eq!(parts, whole);
}

#[test]
fn wrong_weights_are_refused_before_a_charge() {
    let folder = folder();
    for (name, text) in [
        ("negative.csv", "feature,weight\ngene_017,-1\n"),
        ("text.csv", "feature,weight\ngene_017,much\n"),
        ("twice.csv", "feature,weight\ngene_017,1\ngene_018,1\ngene_017,2\n"),
        ("zero.csv", "feature,weight\ngene_017,0\n"),
        ("others.csv", "feature,weight\nnone,1\n"),
        ("columns.csv", "feature\ngene_017\n"),
        ("headless.csv", "gene_017,5\ngene_001,1\n"),
    ] {
        folder.write(name, text);
    }
    folder.run("ledger create --cap 5 budget.txt").succeeds();
    for (options, code, words) in [
        ("--weights negative.csv", 2, "a weight is a number from 0 to 1e100"),
        ("--weights text.csv", 3, "a weight must be a number"),
        ("--weights twice.csv", 2, "a feature has two weights"),
        ("--weights zero.csv", 2, "at least one weight must be above 0"),
        ("--weights others.csv", 2, "no feature of the table has a weight above 0"),
        ("--weights columns.csv", 3, "feature,weight"),
        ("--weights headless.csv", 3, "numbers in its first line"),
        ("--weights missing.csv", 5, "missing.csv"),
        ("--weights weights.csv --weights-uniform 0", 2, "from 0.01 to 1"),
        ("--weights-uniform 0.5", 2, "--weights <FILE>"),
        ("--weights weights.csv --refine gram", 2, "a refinement takes no weights"),
        ("--weights weights.csv --method two-stage", 2, "weights are for the selection by scores"),
        ("--weights weights.csv --method dpkendall", 2, "weights are for the selection by scores"),
    ] {
        let line = format!("select -k 5 -e 1 --target-number --ledger budget.txt {options} {DEMO}");
        let message = folder.run(&line).fails(code);
        assert_contains(&message, words);
        assert!(!message.contains("much"));
    }
    let shown = folder.run("ledger show budget.txt").succeeds();
    assert_contains(&(shown.stdout + &shown.stderr), "left       5");
}

/// With weights by which features have an effect, a plan needs smaller effect sizes.
#[test]
fn plans_take_weights() {
    let folder = folder();
    let needed = |options: &str| {
        let line = format!(
            "plan --n 300 --d 2000 -k 5 --eps 1 --class-shares 0.5 --over 1 --format json {options}"
        );
        folder.run(&line).succeeds().json()["needed"]["found"][0]["value"].as_f64().unwrap()
    };
    let [without, with] = ["", "--weights weights.csv --weights-uniform 0.1"].map(needed);
    assert!(with < 0.9 * without, "{with} {without}");
}
