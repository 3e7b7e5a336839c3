//! `compare` and the methods other than DP-SIS, as a user runs them.

use std::collections::BTreeMap;

use dpsis::{Method, Select, Target, TwoStage};

use crate::harness::{Folder, assert_contains, assert_contains_all, assert_lacks};

/// The value in a column of the first row of a CSV text that is wanted.
fn value(csv: &str, column: &str, is_wanted: impl Fn(&[&str]) -> bool) -> f64 {
    let mut rows = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = rows.next().unwrap();
    let at = header.iter().position(|name| *name == column).unwrap();
    rows.find(|row| is_wanted(row)).unwrap()[at].parse().unwrap()
}

/// A table of 60 rows in three classes, which features 2 and 5 of 8 are associated with.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.table("t.csv", "f1,f2,f3,f4,f5,f6,f7,f8,y", 60, |i| {
        let i = i as u32;
        let cell = |f: u32| {
            let noise =
                f64::from(i.wrapping_mul(2_654_435_761).wrapping_mul(2 * f + 1) >> 16 & 255);
            let signal = if f == 2 || f == 5 { 300.0 * f64::from(i % 3) } else { 0.0 };
            format!("{},", (noise + signal) / 1000.0)
        };
        (1..=8).map(cell).collect::<String>() + ["a", "b", "c"][(i % 3) as usize]
    });
    folder
}

#[test]
fn methods_select_and_report() {
    let folder = folder();
    let path = folder.path("t.csv");
    let base = || Select::new(2).epsilon("1e6").bounds(0.0, 1.0);
    let target = || Target::classes(["a", "b", "c"]);
    let two_stage = Method::TwoStage(TwoStage::default().blocks(3).penalty(0.01));
    let selection = base().target(target()).method(two_stage).run(&path).unwrap();
    let names = |names: &mut dyn Iterator<Item = &dpsis::Picked>| -> Vec<String> {
        let mut names: Vec<String> = names.map(|picked| picked.name.clone()).collect();
        names.sort();
        names
    };
    assert_eq!(names(&mut selection.selected.iter()), ["f2", "f5"]);
    assert_eq!(selection.score.sensitivity, Some(1));
    let spent: Vec<String> =
        selection.guarantee.spent.iter().map(|part| format!("{:?}", part.purpose)).collect();
    assert_eq!(spent, ["Selection"]);

    // f2 and f5 have the same association: DPKendall takes one of them, and then another feature.
    let request = Select::new(2).epsilon("1e6").target(target());
    let selection = request.method(Method::DpKendall).run(&path).unwrap();
    let names = names(&mut selection.selected.iter());
    assert!(names.contains(&"f2".to_owned()) != names.contains(&"f5".to_owned()), "{names:?}");
    assert_eq!(selection.order, dpsis::PickOrder::Pick);

    let output = folder
        .run("select --k 2 --eps 1e6 --method two-stage --bounds 0,1 --penalty 0.01 --classes a,b,c t.csv")
        .succeeds();
    assert_contains_all(&output.stdout, &["f2\n", "f5\n"]);
    assert_contains_all(&output.stderr, &["count of rows", "method two-stage"]);
    let record = folder
        .run("select --k 1 --eps 2 --method dpkendall --classes a,b,c t.csv --format json")
        .json();
    assert_eq!(record["private"], true);
    assert_eq!(record["mechanism"]["method"], "dpkendall");
    assert_eq!(record["mechanism"]["id"], "em");
    assert_eq!(record["score"]["id"], "dpkendall");
    assert!(record["score"]["sensitivity"].is_null());
    let votes = folder.run(
        "select --k 2 --eps 1 --method two-stage --blocks 4 --classes a,b,c --bounds 0,1 --format json t.csv",
    );
    let record = votes.json();
    assert_eq!(record["mechanism"]["blocks"], "4");
    assert_eq!((&record["score"]["grid"], &record["score"]["sensitivity"]), (&1.into(), &1.into()));
    assert_contains(&votes.stderr, "4 blocks vote");
}

#[test]
fn threads_do_not_change_the_draws_of_methods() {
    let folder = folder();
    let path = folder.path("t.csv");
    for method in [Method::TwoStage(TwoStage::default()), Method::DpKendall] {
        let run = |threads| {
            let request = Select::new(2).epsilon("3").method(method);
            let request = request.target(Target::classes(["a", "b", "c"])).threads(threads);
            request.seed(5).run(&path).unwrap().into_inner()
        };
        assert_eq!(run(1), run(4));
    }
}

#[test]
fn wrong_requests_for_methods_are_refused() {
    let folder = folder();
    folder.refuses_options(
        "select --k 2 --eps 1 t.csv --classes a,b,c",
        &[
            ("--blocks 3", "belong to the two-stage method (--method)"),
            ("--method dpkendall --penalty 1", "belong to the two-stage method (--method)"),
            ("--method two-stage --blocks 0", "blocks"),
            ("--method two-stage --penalty 0", "penalty"),
            ("--method two-stage --penalty nan", "penalty"),
            ("--method two-stage --center none", "no score and no center"),
            ("--method two-stage --score kendall", "no score and no center"),
            ("--method dpkendall --bounds 0,1", "DPKendall takes no"),
            ("--method dpkendall --mechanism joint", "DPKendall takes no"),
            ("--method dpkendall --gamma 1", "DPKendall takes no"),
            ("--method two-stage --mechanism gem", "features share one"),
        ],
    );
}

const COMPARE: &str = "compare t.csv --methods dp-sis,dp-sis:joint,two-stage,dpkendall,sis,random \
    --scale row-rank,bounds,kendall,paper,1sd,quantiles --bounds 0,1 --eps 1,8 --trials 6 --k 2";

/// The cells do not depend on threads, nor on whether a run was stopped on the way.
#[test]
fn comparisons_repeat_to_the_byte_and_go_on_where_they_stopped() {
    let folder = folder();
    let run = |out: &str, threads: u32| {
        folder.run(&format!("{COMPARE} -o {out} --threads {threads}")).succeeds()
    };
    let read = |out: &str| folder.read(&format!("{out}/compare.csv"));
    let picks = |out: &str| folder.read(&format!("{out}/compare-picks.csv"));
    let output = run("one", 1);
    assert!(output.stderr.starts_with("NOT PRIVATE"), "{}", output.stderr);
    assert_contains_all(&output.stdout, &["dp-sis:joint", "one/index.html"]);
    run("three", 3);
    assert_eq!((read("one"), picks("one")), (read("three"), picks("three")));
    // dpkendall scales nothing: one arm, not six.
    let rows = read("one").lines().count() - 1;
    assert_eq!(rows, (5 * 6 + 1) * 2);

    // Of each cell, two picks of six draws; sis picks the same ones each time, the most picked one
    // comes first.
    let mut times = BTreeMap::<String, Vec<u64>>::new();
    for line in picks("one").lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let of_cell = times.entry(cells[..5].join(",")).or_default();
        of_cell.push(cells[6].parse().unwrap());
        assert_eq!(cells[7], "6");
    }
    assert_eq!(times.len(), rows);
    assert!(times.values().all(|times| times.iter().sum::<u64>() == 2 * 6));
    assert!(times.values().all(|times| times.is_sorted_by(|a, b| a >= b)));
    let sis = times.iter().filter(|(cell, _)| cell.contains(",sis,"));
    assert!(sis.map(|(_, times)| times).all(|times| *times == [6, 6]));

    // Stopped in the middle of a line.
    let whole = read("one");
    folder.write("three/compare.csv", &whole[..whole.len() * 2 / 5]);
    run("three", 2);
    assert_eq!((read("three"), picks("three")), (whole, picks("one")));
    // Cells without their picks are run again.
    folder.remove("three/compare-picks.csv");
    run("three", 2);
    assert_eq!((read("three"), picks("three")), (read("one"), picks("one")));
    let page = folder.read("one/index.html");
    assert_contains_all(&page, &["NOT PRIVATE", "<svg"]);
    assert_lacks(&page, "<script");
    assert!(folder.has("one/t-k2-lasso.svg"));
    folder.refuses_options(
        COMPARE,
        &[("-o one --seed 7", "another seed"), ("-o .", "something else")],
    );
}

/// With a rare class the figure shows the balanced accuracy; if the LASSO selects no feature, the
/// figure notes it.
#[test]
fn figures_suit_rare_classes_and_empty_models() {
    let folder = Folder::new();
    folder.table("t.csv", "signal,b,c,y", 200, |i| {
        let (y, shift) = if i.is_multiple_of(10) { ("rare", 40) } else { ("often", 0) };
        format!("{},{},{},{y}", i * 7 % 13 + shift, i * 31 % 17, i * 17 % 23)
    });
    let run = |options: &str| {
        let base = "compare t.csv --k 1 --eps 1,9 --trials 5 --methods sis,random";
        folder.run(&format!("{base} {options}")).succeeds().stdout
    };
    let summary = run("-o rare");
    assert!(summary.lines().next().unwrap().ends_with("balanced"), "{summary}");
    let csv = folder.read("rare/compare.csv");
    let value = |method: &str, column: &str| value(&csv, column, |row| row[1] == method);
    // The feature that determines the classes is always picked, and predicts without an error.
    assert_eq!((value("sis", "balanced"), value("sis", "balanced_baseline")), (1.0, 0.5));
    assert_eq!(value("sis", "baseline"), 0.9);
    assert!(value("random", "balanced") < 1.0);
    let page = folder.read("rare/index.html");
    // The page shows how often the feature was picked.
    assert_contains_all(&page, &[">balanced</th>", "signal (5)"]);
    assert_contains(&folder.read("rare/t-k1-balanced.svg"), "balanced accuracy");
    assert!(!folder.has("rare/t-k1-model.svg"));

    run("--penalty 100 -o none");
    let lasso = folder.read("none/t-k1-lasso.svg");
    assert_contains(&lasso, "All coefficients of the LASSO are zero");
    assert_lacks(&lasso, "no data");

    run("--penalty 0.001 --scale default,cpm -o cpm");
    assert_lacks(&folder.read("cpm/t-k1-lasso.svg"), "are zero");
    for (out, has_lasso) in [("none", false), ("cpm", true)] {
        let svg = folder.read(&format!("{out}/t-k1-balanced.svg"));
        assert_eq!(svg.contains("LASSO&#39;s own") || svg.contains("LASSO's own"), has_lasso);
    }
    assert_contains(&folder.read("cpm/compare.csv"), "\nt,sis,cpm,1,9,");
}

/// Cells are of one table and one target; another under the same name is refused.
#[test]
fn cells_of_another_table_or_target_are_refused() {
    let folder = folder();
    let base = "compare t.csv --methods sis --eps 1 --trials 2 --k 1";
    let printed = folder.run(&format!("{base} -o out")).succeeds().stderr;
    assert_contains(&printed, "t: 60 rows, 8 features; the target is one of 3 labels (accuracy)");
    for options in ["--classes a,b", "--target f1", "--exclude f3", "--penalty 0.2"] {
        let rule = "another table or target called t";
        folder.refuses(&[(format!("{base} -o out {options}"), 2, rule)]);
    }
    // A row without a target and labels that are numbers.
    let csv = folder.read("t.csv");
    let coded = csv.replace(",a\n", ",1\n").replace(",b\n", ",2\n").replace(",c\n", ",3\n");
    folder.write("t.csv", coded.replacen(",1\n", ",\n", 1));
    folder.refuses(&[(format!("{base} -o out"), 2, "another table or target called t")]);
    let labels = folder.run(&format!("{base} -o new --labels")).succeeds().message();
    assert_contains_all(
        &labels,
        &["one of 3 labels", "1 rows without a usable target are left out"],
    );
    let numbers = folder.run(&format!("{base} -o newer")).succeeds().stderr;
    assert_contains(&numbers, "the target is a number (R²)");
}

/// SIS always finds the features, private methods do with a large budget, and random picks rarely.
#[test]
fn comparisons_rank_methods() {
    let folder = folder();
    folder
        .run("compare t.csv --methods dp-sis,sis,random --scale bounds --bounds 0,1 --eps 0.01,1000 --k 2 --trials 40 -o out")
        .succeeds();
    let csv = folder.read("out/compare.csv");
    let value = |method: &str, eps: &str, column: &str| {
        value(&csv, column, |row| row[1] == method && row[4] == eps)
    };
    assert_eq!(value("sis", "0.01", "overlap"), 1.0);
    assert_eq!(value("sis", "0.01", "top"), 1.0);
    assert_eq!(value("dp-sis", "1000", "top"), 1.0);
    // 2 of 8 at random: a quarter; 80 picks, a standard error of 0.05.
    for method in ["dp-sis", "random"] {
        assert!((value(method, "0.01", "overlap") - 0.25).abs() < 0.25, "{method}");
    }
    assert!(value("sis", "1000", "model") > 0.9);
    assert!((value("sis", "1000", "baseline") - 1.0 / 3.0).abs() < 1e-9);
    assert!(value("random", "1000", "model") < value("sis", "1000", "model"));
}

#[test]
fn wrong_comparisons_are_refused() {
    let folder = folder();
    for (options, code, part) in [
        ("t.csv --methods best", 2, "no such method"),
        ("t.csv --methods dp-sis:gem", 2, "one"),
        ("t.csv --methods dp-sis:em --k 2", 2, "k must be 1"),
        ("t.csv --scale bounds", 2, "--bounds"),
        ("t.csv --scale 0sd", 2, "no such scale"),
        ("t.csv --eps 1..2", 2, "0.1..20:12"),
        ("t.csv --eps 2..1:3", 2, "0.1..20:12"),
        ("t.csv --eps 1,1", 2, "twice"),
        ("t.csv --k 0", 2, "k must be"),
        ("t.csv --k 9", 2, "k"),
        ("t.csv --trials 0", 2, "trial"),
        ("t.csv --penalty -1", 2, "penalty"),
        ("t.csv t.csv", 2, "two files"),
        ("t.csv --classes x,y", 3, "no row has a usable target"),
        ("t.csv --target f1 --classes x,y", 3, "no row has a usable target"),
        ("gone.csv", 5, "gone.csv"),
        ("-", 2, "standard input"),
    ] {
        folder.refuses(&[(format!("compare -o out {options}"), code, part)]);
    }
    assert!(!folder.has("out"), "nothing is made for a request that is refused");
}

#[test]
fn synthetic_tables_are_made_with_their_true_features() {
    let folder = Folder::new();
    let made = folder.run("datasets make ar-0.1 --n 900 -o a.csv").succeeds().message();
    let printed =
        "ar-0.1: 900 samples, 100 features, written to a.csv; true features: V1 V3 V5 V7 V9";
    assert_eq!(made, printed);
    let selected = folder.run("select --k 5 --eps 20 --bounds=-1,1 --target-bounds=-3,3 a.csv");
    assert_eq!(selected.succeeds().stdout, "V1\nV3\nV5\nV7\nV9\n");
    folder.run("datasets make fan-lv --seed 4 -o b.npy").succeeds();
    assert!(folder.has("b.labels.csv"));
    folder.refuses_options(
        "datasets make",
        &[("other", "no such table"), ("w1 --n 9", "its own size"), ("ar-0.1 --d 8", "nine")],
    );
}
