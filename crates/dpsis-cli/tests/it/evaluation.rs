//! `compare` and the methods beside DP-SIS, as a user runs them.
#![allow(clippy::unwrap_used)] // in a test a panic is how a failure is said

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use dpsis::{Method, Select, Target, TwoStage};

fn dpsis(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_dpsis")).args(arguments).current_dir(folder).output().unwrap()
}

fn ok(folder: &Path, arguments: &[&str]) -> (String, String) {
    let output = dpsis(folder, arguments);
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {err}");
    (out, err)
}

fn refused(folder: &Path, arguments: &[&str], code: i32, part: &str) {
    let output = dpsis(folder, arguments);
    let err = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {err}");
    assert!(err.contains(part), "{arguments:?}: {err}");
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Tables of 60 rows in three classes of which features 2 and 5 of 8 know.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut csv = String::from("f1,f2,f3,f4,f5,f6,f7,f8,y\n");
    for i in 0..60u32 {
        let class = i % 3;
        let cell = |f: u32| {
            let noise =
                f64::from(i.wrapping_mul(2_654_435_761).wrapping_mul(2 * f + 1) >> 16 & 255);
            let signal = if f == 2 || f == 5 { 300.0 * f64::from(class) } else { 0.0 };
            (noise + signal) / 1000.0
        };
        let cells: Vec<String> = (1..=8).map(|f| cell(f).to_string()).collect();
        csv += &format!("{},{}\n", cells.join(","), ["a", "b", "c"][class as usize]);
    }
    fs::write(folder.path().join("t.csv"), csv).unwrap();
    folder
}

#[test]
fn methods_release_what_they_are_to_release() {
    let folder = folder();
    let path = folder.path().join("t.csv");
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

    // f2 and f5 hold the same of the target: DPKendall takes one of them, and then another feature.
    let request = Select::new(2).epsilon("1e6").target(target());
    let selection = request.method(Method::DpKendall).run(&path).unwrap();
    let names = names(&mut selection.selected.iter());
    assert!(names.contains(&"f2".to_owned()) != names.contains(&"f5".to_owned()), "{names:?}");
    assert_eq!(selection.order, dpsis::PickOrder::Pick);

    let (out, err) = ok(
        folder.path(),
        &[
            "select",
            "--k",
            "2",
            "--eps",
            "1e6",
            "--method",
            "two-stage",
            "--bounds",
            "0,1",
            "--penalty",
            "0.01",
            "--classes",
            "a,b,c",
            "t.csv",
        ],
    );
    assert!(out.contains("f2\n") && out.contains("f5\n"), "{out}");
    assert!(err.contains("count of rows") && err.contains("method two-stage"), "{err}");
    let json = [
        "select",
        "--k",
        "1",
        "--eps",
        "2",
        "--method",
        "dpkendall",
        "--classes",
        "a,b,c",
        "t.csv",
        "--format",
        "json",
    ];
    let (out, _) = ok(folder.path(), &json);
    let record: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(record["private"], true);
    assert_eq!(record["mechanism"]["method"], "dpkendall");
    assert_eq!(record["mechanism"]["id"], "em");
    assert_eq!(record["score"]["id"], "dpkendall");
    assert!(record["score"]["sensitivity"].is_null());
    let votes = [
        "select",
        "--k",
        "2",
        "--eps",
        "1",
        "--method",
        "two-stage",
        "--blocks",
        "4",
        "--classes",
        "a,b,c",
        "--bounds",
        "0,1",
        "t.csv",
        "--format",
        "json",
    ];
    let (out, err) = ok(folder.path(), &votes);
    let record: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(record["mechanism"]["blocks"], "4");
    assert_eq!((&record["score"]["grid"], &record["score"]["sensitivity"]), (&1.into(), &1.into()));
    assert!(err.contains("4 blocks vote"), "{err}");
}

#[test]
fn threads_and_kinds_of_tables_do_not_change_what_methods_draw() {
    let folder = folder();
    let path = folder.path().join("t.csv");
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
    let run = |more: &[&str], part: &str| {
        let base = ["select", "--k", "2", "--eps", "1", "t.csv", "--classes", "a,b,c"];
        refused(folder.path(), &[&base, more].concat(), 2, part);
    };
    run(&["--blocks", "3"], "belong to the two-stage method (--method)");
    run(&["--method", "dpkendall", "--penalty", "1"], "belong to the two-stage method (--method)");
    run(&["--method", "two-stage", "--blocks", "0"], "blocks");
    run(&["--method", "two-stage", "--penalty", "0"], "penalty");
    run(&["--method", "two-stage", "--penalty", "nan"], "penalty");
    run(&["--method", "two-stage", "--center", "none"], "no score and no center");
    run(&["--method", "two-stage", "--score", "kendall"], "no score and no center");
    run(&["--method", "dpkendall", "--bounds", "0,1"], "DPKendall takes no");
    run(&["--method", "dpkendall", "--mechanism", "joint"], "DPKendall takes no");
    run(&["--method", "dpkendall", "--gamma", "1"], "DPKendall takes no");
    run(&["--method", "two-stage", "--mechanism", "gem"], "features share one");
}

const COMPARE: [&str; 12] = [
    "compare",
    "t.csv",
    "--methods",
    "dp-sis,dp-sis:joint,two-stage,dpkendall,sis,random",
    "--scale",
    "row-rank,bounds,kendall,paper,1sd,quantiles",
    "--bounds",
    "0,1",
    "--eps",
    "1,8",
    "--trials",
    "6",
];

/// The cells do not depend on threads, nor on whether a run was stopped on the way.
#[test]
fn comparisons_repeat_to_the_byte_and_go_on_where_they_stopped() {
    let folder = folder();
    let run = |out: &str, threads: &str| {
        ok(folder.path(), &[&COMPARE[..], &["--k", "2", "-o", out, "--threads", threads]].concat())
    };
    let text =
        |out: &str, name: &str| fs::read_to_string(folder.path().join(out).join(name)).unwrap();
    let read = |out: &str| text(out, "compare.csv");
    let picks = |out: &str| text(out, "compare-picks.csv");
    let (summary, err) = run("one", "1");
    assert!(err.starts_with("NOT PRIVATE"), "{err}");
    assert!(summary.contains("dp-sis:joint") && summary.contains("one/index.html"), "{summary}");
    run("three", "3");
    assert_eq!((read("one"), picks("one")), (read("three"), picks("three")));
    // dpkendall scales nothing: one arm, not six.
    let rows = read("one").lines().count() - 1;
    assert_eq!(rows, (5 * 6 + 1) * 2);

    // Of each cell, two picks of six draws; sis picks the same ones each time, the most picked one
    // comes first.
    let mut times = std::collections::BTreeMap::<String, Vec<u64>>::new();
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
    let torn = folder.path().join("three/compare.csv");
    fs::write(&torn, &whole[..whole.len() * 2 / 5]).unwrap();
    run("three", "2");
    assert_eq!((read("three"), picks("three")), (whole, picks("one")));
    // Cells without their picks are run again.
    fs::remove_file(folder.path().join("three/compare-picks.csv")).unwrap();
    run("three", "2");
    assert_eq!((read("three"), picks("three")), (read("one"), picks("one")));
    let page = fs::read_to_string(folder.path().join("one/index.html")).unwrap();
    assert!(page.contains("NOT PRIVATE") && page.contains("<svg") && !page.contains("<script"));
    assert!(folder.path().join("one/t-k2-lasso.svg").exists());

    refused(
        folder.path(),
        &[&COMPARE[..], &["--k", "2", "-o", "one", "--seed", "7"]].concat(),
        2,
        "another seed",
    );
    refused(folder.path(), &[&COMPARE[..], &["--k", "2", "-o", "."]].concat(), 2, "something else");
}

/// Where a class is rare, the balanced accuracy is shown; where the LASSO has no coefficient, that
/// is said.
#[test]
fn what_accuracy_and_the_lasso_do_not_tell_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let row = |i: u32| {
        let (y, shift) = if i.is_multiple_of(10) { ("rare", 40) } else { ("often", 0) };
        let told = i * 7 % 13 + shift;
        format!("{told},{},{},{y}\n", i * 31 % 17, i * 17 % 23)
    };
    let rows: String = (0..200).map(row).collect();
    fs::write(folder.path().join("t.csv"), format!("told,b,c,y\n{rows}")).unwrap();
    let run = |more: &[&str]| {
        let base = ["compare", "t.csv", "--k", "1", "--eps", "1,9", "--trials", "5"];
        ok(folder.path(), &[&base[..], &["--methods", "sis,random"], more].concat()).0
    };
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    let summary = run(&["-o", "rare"]);
    assert!(summary.lines().next().unwrap().ends_with("balanced"), "{summary}");
    let csv = read("rare/compare.csv");
    let header: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
    let value = |method: &str, column: &str| -> f64 {
        let at = header.iter().position(|name| *name == column).unwrap();
        let row = csv.lines().find(|line| line.starts_with(&format!("t,{method},"))).unwrap();
        row.split(',').nth(at).unwrap().parse().unwrap()
    };
    // The feature that tells the classes is always picked and tells them without an error.
    assert_eq!((value("sis", "balanced"), value("sis", "balanced_baseline")), (1.0, 0.5));
    assert_eq!(value("sis", "baseline"), 0.9);
    assert!(value("random", "balanced") < 1.0);
    let page = read("rare/index.html");
    assert!(page.contains("<th>balanced</th>") || page.contains(">balanced</th>"), "{page}");
    assert!(page.contains("told (5)"), "how often it was picked");
    assert!(read("rare/t-k1-balanced.svg").contains("balanced accuracy"));
    assert!(!folder.path().join("rare/t-k1-model.svg").exists());

    run(&["--penalty", "100", "-o", "none"]);
    let lasso = read("none/t-k1-lasso.svg");
    assert!(lasso.contains("All coefficients of the LASSO are zero") && !lasso.contains("no data"));

    run(&["--penalty", "0.001", "--scale", "default,cpm", "-o", "cpm"]);
    assert!(!read("cpm/t-k1-lasso.svg").contains("are zero"));
    for (folder, has_lasso) in [("none", false), ("cpm", true)] {
        let svg = read(&format!("{folder}/t-k1-balanced.svg"));
        assert_eq!(svg.contains("LASSO&#39;s own") || svg.contains("LASSO's own"), has_lasso);
    }
    assert!(read("cpm/compare.csv").contains("\nt,sis,cpm,1,9,"));
}

/// Cells are of one table and one target; another under the same name is not taken for it.
#[test]
fn cells_of_another_table_or_target_are_refused() {
    let folder = folder();
    let base = [
        "compare",
        "t.csv",
        "--methods",
        "sis",
        "--eps",
        "1",
        "--trials",
        "2",
        "--k",
        "1",
        "-o",
        "out",
    ];
    let (_, err) = ok(folder.path(), &base);
    assert!(
        err.contains("t: 60 rows, 8 features; the target is one of 3 labels (accuracy)"),
        "{err}"
    );
    let other = |more: &[&str]| {
        let arguments = [&base[..], more].concat();
        refused(folder.path(), &arguments, 2, "another table or target called t");
    };
    other(&["--classes", "a,b"]);
    other(&["--target", "f1"]);
    other(&["--exclude", "f3"]);
    other(&["--penalty", "0.2"]);
    let csv = fs::read_to_string(folder.path().join("t.csv")).unwrap();
    // A row without a target and labels that are numbers.
    let coded = csv.replace(",a\n", ",1\n").replace(",b\n", ",2\n").replace(",c\n", ",3\n");
    fs::write(folder.path().join("t.csv"), coded.replacen(",1\n", ",\n", 1)).unwrap();
    other(&[]);
    let base = [&base[..base.len() - 1], &["new"]].concat();
    let (_, err) = ok(folder.path(), &[&base[..], &["--labels"]].concat());
    let err = err.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(err.contains("one of 3 labels"), "{err}");
    assert!(err.contains("1 rows without a usable target are left out"), "{err}");
    let base = [&base[..base.len() - 1], &["newer"]].concat();
    let (_, err) = ok(folder.path(), &base);
    assert!(err.contains("the target is a number (R²)"), "{err}");
}

/// SIS always finds the features, private methods do with a large budget, and chance rarely does.
#[test]
fn comparisons_tell_good_methods_from_bad_ones() {
    let folder = folder();
    let arguments = [
        "compare",
        "t.csv",
        "--methods",
        "dp-sis,sis,random",
        "--scale",
        "bounds",
        "--bounds",
        "0,1",
        "--eps",
        "0.01,1000",
        "--k",
        "2",
        "--trials",
        "40",
        "-o",
        "out",
    ];
    ok(folder.path(), &arguments);
    let csv = fs::read_to_string(folder.path().join("out/compare.csv")).unwrap();
    let value = |method: &str, eps: &str, column: &str| -> f64 {
        let header: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
        let at = header.iter().position(|name| *name == column).unwrap();
        let row = csv.lines().find(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            cells[1] == method && cells[4] == eps
        });
        row.unwrap().split(',').nth(at).unwrap().parse().unwrap()
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
    let run = |more: &[&str], code: i32, part: &str| {
        refused(folder.path(), &[&["compare", "-o", "out"], more].concat(), code, part);
    };
    run(&["t.csv", "--methods", "best"], 2, "no such method");
    run(&["t.csv", "--methods", "dp-sis:gem"], 2, "one");
    run(&["t.csv", "--methods", "dp-sis:em", "--k", "2"], 2, "k must be 1");
    run(&["t.csv", "--scale", "bounds"], 2, "--bounds");
    run(&["t.csv", "--scale", "0sd"], 2, "no such scale");
    run(&["t.csv", "--eps", "1..2"], 2, "0.1..20:12");
    run(&["t.csv", "--eps", "2..1:3"], 2, "0.1..20:12");
    run(&["t.csv", "--eps", "1,1"], 2, "twice");
    run(&["t.csv", "--k", "0"], 2, "k must be");
    run(&["t.csv", "--k", "9"], 2, "k");
    run(&["t.csv", "--trials", "0"], 2, "trial");
    run(&["t.csv", "--penalty", "-1"], 2, "penalty");
    run(&["t.csv", "t.csv"], 2, "two files");
    run(&["t.csv", "--classes", "x,y"], 3, "no row has a usable target");
    run(&["t.csv", "--target", "f1", "--classes", "x,y"], 3, "no row has a usable target");
    assert!(!folder.path().join("out").exists(), "nothing is made for a request that is refused");
    run(&["gone.csv"], 5, "gone.csv");
    run(&["-"], 2, "standard input");
}

#[test]
fn synthetic_tables_are_made_with_their_true_features() {
    let folder = tempfile::tempdir().unwrap();
    let (_, err) =
        ok(folder.path(), &["datasets", "make", "ar-0.1", "--rows", "900", "-o", "a.csv"]);
    let said = "ar-0.1: 900 samples, 100 features, written to a.csv; true features: V1 V3 V5 V7 V9";
    assert_eq!(err.split_whitespace().collect::<Vec<_>>().join(" "), said);
    let (out, _) = ok(
        folder.path(),
        &["select", "--k", "5", "--eps", "20", "--bounds=-1,1", "--target-bounds=-3,3", "a.csv"],
    );
    assert_eq!(out, "V1\nV3\nV5\nV7\nV9\n");
    ok(folder.path(), &["datasets", "make", "fan-lv", "--seed", "4", "-o", "b.npy"]);
    assert!(folder.path().join("b.labels.csv").exists());
    refused(folder.path(), &["datasets", "make", "other"], 2, "no such table");
    refused(folder.path(), &["datasets", "make", "w1", "--rows", "9"], 2, "its own size");
    refused(folder.path(), &["datasets", "make", "ar-0.1", "--features", "8"], 2, "nine");
}
