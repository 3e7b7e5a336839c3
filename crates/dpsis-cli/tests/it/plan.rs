//! `dpsis plan`: its output, its files and the requests that it refuses.

use crate::harness::{Folder, assert_contains, assert_contains_all, assert_lacks, dpsis, one_line};

const SMALL: &str = "--n 400 --d 30 --k 2 --eps 1 --draws 40";

fn printed(options: &str) -> String {
    dpsis(&format!("plan {options}")).succeeds().stdout
}

fn json(options: &str) -> serde_json::Value {
    dpsis(&format!("plan {options} --format json")).json()
}

#[test]
fn the_answer_comes_first() {
    let text = printed(&format!("{SMALL} --effect-size 0.4"));
    let answer = text.split("\n\n").next().unwrap().replace('\n', " ");
    assert!(
        answer.starts_with("With 400 rows at epsilon 1: significant from KS distance ."),
        "{text}"
    );
    assert!(answer.contains(" (half of all runs), .") && answer.contains(" (nine in ten); found"));
    assert_contains_all(
        &text,
        &[
            "2 of 30 features, 400 rows",
            "epsilon 1 = 0.1 target median + 0.075 target center + 0.625 selection\n",
            "A feature of KS distance 0.4, if 2 features have it, is significant in",
            "epsilon   half  9/10  0 ",
            "if one feature has it: from",
        ],
    );
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    // The page answers the same questions.
    let folder = Folder::new();
    folder.run(&format!("plan {SMALL} --effect-size 0.4 -o out")).succeeds();
    let page = folder.read("out/index.html");
    assert_contains(
        &page,
        "A feature of KS distance 0.4, if 2 features have it, is significant in",
    );
    let threads = |n: u32| printed(&format!("{SMALL} --threads {n}"));
    assert_eq!(threads(1), threads(2));
    assert!(
        printed("--n 300 --d 50 --eps 0.1")
            .starts_with("With 300 rows at epsilon 0.1: no feature is")
    );
}

#[test]
fn json_and_files_hold_the_same() {
    let folder = Folder::new();
    let run = |options: &str| folder.run(&format!("plan {SMALL} {options}"));
    let json = run("--over 0.5,2 -o outlook --format json").json();
    assert_eq!((&json["epsilon"], &json["k"]), (&"1".into(), &2.into()));
    assert_eq!(json["over"].as_array().unwrap().len(), 3);
    assert_eq!(json["spent"][2]["for"], "selection");
    assert_eq!(folder.json("outlook/plan.json"), json);
    let effect = json["over"][2]["needed"]["significant"][1]["value"].as_f64().unwrap();
    let csv = folder.read("outlook/epsilon.csv");
    assert_contains_all(&csv, &[&format!("{effect:.6}")]);
    assert_eq!(csv.lines().count(), 4);
    assert_contains_all(&folder.read("outlook/index.html"), &["No data were read", "<svg"]);
    // The folder can be written to again; one with other files cannot.
    run("--over 0.5,2 -o outlook").succeeds();
    folder.write("other.txt", "mine");
    run("-o .").fails(2);
}

/// Options of `select` change a plan as they change a run.
#[test]
fn a_plan_takes_the_options_of_a_selection() {
    let half = |options: &str| {
        let json = json(&format!("--n 600 --d 100 --draws 60 --over 1 {options}"));
        let value = |kind: &str| json["needed"][kind][0]["value"].as_f64();
        [value("found"), value("significant")]
    };
    // If no effect size is enough, use 2, which is above every effect size.
    let least = |needed: [Option<f64>; 2]| needed.map(|least| least.unwrap_or(2.0));
    let [found, significant] = least(half("--k 5 --eps 1"));
    for (options, is_better) in [
        ("--k 5 --eps 1 --neighbors replace-one", false),
        ("--k 5 --eps 1 --class-shares 0.1", false),
        ("--k 5 --eps 1 --classes a,b", true),
        ("--k 20 --eps 1", false),
        ("--k 5 --eps 2", true),
    ] {
        let [other_found, other_significant] = least(half(options));
        assert_eq!(other_found < found, is_better, "{options}: {other_found:?} {found:?}");
        assert_eq!(other_significant < significant, is_better, "{options}");
    }
    // A delta lowers the noise of peeling, bounds the threshold.
    let peel = half("--k 20 --eps 1 --mechanism peel");
    assert!(half("--k 20 --eps 1 --mechanism peel --delta 1e-6")[0].unwrap() < peel[0].unwrap());
    let bounds = half("--k 5 --eps 1 --classes a,b --bounds 0,1")[1].unwrap();
    assert!(bounds < half("--k 5 --eps 1 --classes a,b")[1].unwrap());
    assert_eq!(half("--k 5 --eps 1 --split estimates=0")[1], None);
    assert_eq!(half("--k 5 --eps 1 --score kendall")[1], None);
    assert_eq!(half("--k 5 --eps 1 --classes a,b --adjust sex=F,M")[1], None);
    let three =
        json("--n 600 --d 100 --k 5 --eps 1 --classes a,b,c --class-shares 0.5,0.3,0.2 --over 1");
    assert_eq!(three["rows"], serde_json::json!([300.0, 180.0, 120.0]));
    for options in [
        "--eps 2 --at-most 3",
        "--k 3 --eps 2 --direction",
        "--k 3 --eps 1 --score paired --classes a,b",
    ] {
        assert!(half(options)[0].is_some(), "{options}");
    }
}

/// Shares are of classes, whether labels are given or not.
#[test]
fn shares_are_of_classes() {
    let plan =
        |options: &str| printed(&format!("--n 500 --d 20 --k 2 --eps 1 --draws 20 {options}"));
    assert_eq!(plan("--class-shares 0.7,0.3"), plan("--class-shares 0.3"));
    let three = plan("--class-shares 0.5,0.3,0.2");
    assert_contains(&one_line(&three), "the target is 3 classes with 250, 150, 100 rows");
    assert_eq!(plan("--class-shares 0.5,0.3,0.2 --classes a,b,c"), three);
    assert_contains(&plan(""), "the target is a number");
}

#[test]
fn mistakes_are_explained() {
    let folder = Folder::new();
    folder.refuses_options(
        "plan",
        &[
            ("--n 10 --d 30 --k 2 --eps 1", "the number of rows must lie between 20"),
            ("--n 400 --d 0 --k 2 --eps 1", "the number of features must lie between 1"),
            ("--n 400 --d 3 --k 4 --eps 1", "k must not exceed the number of features, 3 (--k)"),
            ("--n 400 --d 3 --k 0 --eps 1", "k must be at least 1 (--k)"),
            ("--n 400 --d 30 --k 2 --eps 0", "epsilon must lie between"),
            ("--n 400 --d 30 --k 2", "--eps"),
        ],
    );
    folder.refuses_options(
        "plan --n 400 --d 30 --k 2 --eps 1",
        &[
            ("--class-shares 0.7", "above 0 and up to 0.5"),
            ("--class-shares 0.001", "at least 5 rows"),
            ("--class-shares x", "--class-shares takes a share such as 0.3"),
            ("--classes a,b,c --class-shares 0.5,0.2,0.2", "add up to 1"),
            ("--effect-size 1.5", "an effect size must lie between"),
            ("--mechanism gm", "'gm'"),
            ("--mechanism em", "k must be 1"),
            ("--mechanism peel --gamma 1", "gamma"),
            ("--mechanism canonical --gamma 1.5", "gamma"),
            ("--over 1,1", "given twice"),
            ("--draws 3", "at least 20 tables"),
            ("--split center=2", "share"),
            ("--method two-stage", "this method has no forecast"),
            ("--refine gram", "this method has no forecast"),
        ],
    );
}

/// A pair is one person with rows of both classes; with at most 4 names, 10 features cannot all
/// be named.
#[test]
fn pairs_and_limits_are_described() {
    let paired = printed("--n 200 --d 20 --k 1 --eps 2 --draws 20 --score paired --classes a,b");
    assert_contains_all(
        &one_line(&paired),
        &[
            "200 pairs; the target is the classes a and b, with rows of both in each pair",
            "one person",
        ],
    );
    let limited = printed("--n 400 --d 20 --at-most 4 --eps 2 --draws 20");
    assert_contains(&one_line(&limited), "all significant ones of 20 features, at most 4 (fwer");
    assert_lacks(&limited, "if 10 features have it");
}

/// Where random picks find a feature of a few, any number of rows is enough.
#[test]
fn few_features_are_found_with_any_number_of_rows() {
    let folder = Folder::new().with("t.csv", "a,b,c,y\n1,2,3,u\n4,5,6,v\n");
    let line = "select --k 1 --eps 2 --bounds 0,1 --classes u,v --dry-run t.csv";
    let text = one_line(&folder.run(line).succeeds().text());
    assert_contains(&text, "0.5: any number (significant: 110);");
    assert_lacks(&text, "NaN");
}
