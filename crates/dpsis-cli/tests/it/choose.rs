//! The command `choose`, and `select --mechanism`, as a user meets them.
#![allow(clippy::unwrap_used)] // in a test a panic is how a failure is said

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use crate::support::goodness::assert_fits;
use crate::support::laws;
use dpsis::mechanism::{CARDS, Chooses, Sensitivity};

const DEMO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../datasets/demo.csv");

fn dpsis(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_dpsis")).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// Words with one blank between them: lines are wrapped.
fn flat(bytes: &[u8]) -> String {
    text(bytes).split_whitespace().collect::<Vec<_>>().join(" ")
}

struct Files(tempfile::TempDir);

impl Files {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn write(&self, name: &str, content: &str) -> PathBuf {
        let path = self.0.path().join(name);
        fs::write(&path, content).unwrap();
        path
    }
}

const MODELS: &str = "name,score\nlasso,0.8125\nridge,0.79\nforest,0.871\nnet,0.86\n";
const OWN: &str = "name,score,sensitivity\na,5,1\nb,9,4\nc,3,0.5\nd,9.5,6\n";

#[test]
fn a_choice_is_made_and_reported() {
    let files = Files::new();
    let models = files.write("models.csv", MODELS);
    let path = models.to_str().unwrap();
    let output = dpsis(&["choose", "--eps", "2", "--sensitivity", "1e-5", path]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout), "forest\n");
    let report = flat(&output.stderr);
    assert!(report.contains("it moves a score by 0.00001, as stated"), "{report}");
    assert!(report.contains("epsilon 2 = 2 selection; delta 0; adding or removing one unit"));
    assert!(report.contains("1 of 4 candidates by the mechanism canonical, gamma 1"));
    let last = "verdict no verdict: none is proven for a choice among scores";
    assert!(report.ends_with(last), "{report}");
    // No score in any output.
    let json = dpsis(&["choose", "--eps", "2", "--sensitivity", "1e-5", "--format", "json", path]);
    let record: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(record["selected"][0]["row"], 3);
    assert_eq!(record["mechanism"]["id"], "canonical");
    assert_eq!(record["private"], true);
    for score in ["0.8125", "0.871", "8125"] {
        assert!(!text(&json.stdout).contains(score) && !report.contains(score));
    }
    let tsv = dpsis(&["choose", "--eps", "2", "--sensitivity", "1e-5", "--format", "tsv", path]);
    assert_eq!(text(&tsv.stdout), "name\trow\nforest\t3\n");
    let seeded =
        dpsis(&["choose", "--eps", "2", "--sensitivity", "1", "--seed", "4", "--quiet", path]);
    assert!(text(&seeded.stderr).contains("seeded: not for release"));
}

#[test]
fn columns_can_have_other_names() {
    let files = Files::new();
    let table = files
        .write("auc.csv", "run,auc,model,seconds\n1,0.8,lasso,x\n2,0.9,forest,y\n3,0.7,ridge,z\n");
    let path = table.to_str().unwrap();
    let base = ["choose", "--eps", "2"];
    let columns = ["--name-column", "model", "--score-column", "auc"];
    let common = ["--sensitivity", "1e-5"];
    let output = dpsis(&[&base[..], &columns, &common, &["--format", "tsv", path]].concat());
    assert_eq!(text(&output.stdout), "name\trow\nforest\t2\n", "{}", text(&output.stderr));
    let own = files.write("own.csv", "name,score,note,d\na,1,x,1e-5\nb,2,x,1e-5\n");
    let own = own.to_str().unwrap();
    let each = ["--sensitivity-column", "d", "--mechanism", "gem"];
    let output = dpsis(&[&base[..], &each, &[own]].concat());
    assert_eq!(text(&output.stdout), "b\n", "{}", text(&output.stderr));
    let cases: [(&[&str], &str, i32, &str); 5] = [
        (&common, path, 3, "state the columns (--name-column,"),
        (&["--name-column", "modle", "--score-column", "auc"], path, 2, "mean \"model\"?"),
        (&["--name-column", "model"], path, 2, "no column \"score\" for the score"),
        (&["--name-column", "auc", "--score-column", "auc"], path, 2, "cannot be two of"),
        (&["--name-column", "model", "--score-column", "seconds"], path, 2, "no sensitivity"),
    ];
    for (more, path, code, said) in cases {
        let output = dpsis(&[&base[..], more, &[path]].concat());
        let report = flat(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{more:?}: {report}");
        assert!(report.contains(said), "{more:?}: {report}");
    }
    // A cell is named by its place, and never shown.
    let columns = ["--name-column", "model", "--score-column", "seconds"];
    let output = dpsis(&[&base[..], &columns, &common, &[path]].concat());
    assert_eq!(output.status.code(), Some(3));
    assert!(flat(&output.stderr).contains("row 1, column 4"), "{}", text(&output.stderr));
}

#[test]
fn wrong_requests_and_files() {
    let files = Files::new();
    let write = |name: &str, content: &str| files.write(name, content).to_str().unwrap().to_owned();
    let (models, own) = (write("models.csv", MODELS), write("own.csv", OWN));
    let base = ["choose", "--eps", "1"];
    let cases: Vec<(Vec<&str>, i32, &str)> = vec![
        (vec![&models], 2, "no sensitivity is stated"),
        (vec!["--sensitivity", "1", &own], 2, "the file states sensitivities"),
        (vec![&own], 2, "state the mechanism"),
        (vec!["--mechanism", "peel", &own], 2, "needs one sensitivity"),
        (vec!["--sensitivity", "0", &models], 2, "above 0"),
        (vec!["--sensitivity", "x", &models], 2, "not a decimal number"),
        (vec!["--sensitivity", "1", "--k", "5", &models], 2, "between 1 and 4"),
        (vec!["--sensitivity", "1", "--k", "0", &models], 2, "between 1 and 4"),
        (vec!["--sensitivity", "1", "--mechanism", "pnf", "--k", "2", &models], 2, "k must be 1"),
        (vec!["--sensitivity", "1", "--mechanism", "sis", &models], 2, "needs --not-private"),
        (vec!["--sensitivity", "1", "--not-private", &models], 2, "is for sis, random"),
        (vec!["--sensitivity", "1", "--beta", "0.1", &models], 2, "state the mechanism"),
        (vec!["--mechanism", "gem", "--beta", "2", &own], 2, "between 0 and 1"),
        (vec!["--mechanism", "gem", "--eta", "1", &own], 2, "gem takes no parameter `eta`"),
        (vec!["--mechanism", "rs", "--stop", "0", &own], 2, "from 1e-6 to 1"),
        (vec!["--mechanism", "rs", "--gamma", "0.1", &own], 2, "rs takes no parameter `gamma`"),
        (vec!["--mechanism", "rs-tnb", "--eta", "-1", &own], 2, "above -1"),
        (vec!["--mechanism", "cgem", "--share", "1", &own], 2, "between 0 and 1"),
        (vec!["--mechanism", "nothing", &own], 2, "possible values"),
        (
            vec!["--sensitivity", "1", "--monotonic", "--neighbors", "replace-one", &models],
            2,
            "monotonic",
        ),
        (vec!["--sensitivity", "1", "--ordered", &models], 2, "--trials"),
        (vec!["--sensitivity", "1", "--trials", "0", &models], 2, "--trials"),
        (vec!["--sensitivity", "1", "--trials", "18446744073709551615", &models], 2, "--trials"),
        (
            vec!["--sensitivity", "1", "--trials", "5", "--format", "json", &models],
            2,
            "no --format",
        ),
        (vec!["--sensitivity", "1", "--advise", "--mechanism", "em", &models], 2, "cannot be used"),
        (vec!["--relation", "positive", &own], 2, "--advise"),
        (vec!["--advise", "--relation", "rising", &own], 2, "possible values"),
        (vec!["--advise", "--k", "9", &own], 2, "between 1 and 4"),
        (vec!["--advise", "--not-private", "--relation", "none", &own], 2, "cannot be used"),
        (vec!["--advise", "--share", "1/2", &own], 2, "no parameters"),
        (
            vec!["--advise", "--monotonic", "--neighbors", "replace-one", &own],
            2,
            "only if units are added",
        ),
        // A column of scores is not taken for sensitivities.
        (vec!["--advise", "--sensitivity-column", "score", &models], 2, "cannot be two"),
        (vec!["--advise", "--format", "tsv", &own], 2, "text or json"),
        (vec!["--sensitivity", "largest", &models], 2, "no sensitivity is stated"),
    ];
    for (more, code, said) in cases {
        let output = dpsis(&[&base[..], &more].concat());
        let stderr = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{more:?}: {stderr}");
        assert!(stderr.contains(said), "{more:?}: {stderr}");
        assert_eq!(text(&output.stdout), "");
    }
    for (content, said) in [
        ("name,score\na,1\nb,90817x\n", "row 2, column 2"),
        ("name,score\na,1\nb,nan\n", "row 2, column 2"),
        ("name,score\na,1\nb,\n", "row 2, column 2"),
        ("name,score\na,1\na,90817\n", "row 2, column 1"),
        ("name,score\n,90817\n", "row 1, column 1"),
        ("name,score,sensitivity\na,1,1\nb,90817\n", "row 2"),
        ("candidate,value\na,1\n", "must be name,score"),
        ("", "empty"),
    ] {
        let path = write("bad.csv", content);
        let sensitivity: &[&str] = if content.contains("sensitivity") {
            &["--mechanism", "gem"]
        } else {
            &["--sensitivity", "1"]
        };
        let output = dpsis(&[&base[..], sensitivity, &[&path]].concat());
        let stderr = text(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{content:?}: {stderr}");
        assert!(stderr.contains(said) && !stderr.contains("90817"), "{content:?}: {stderr}");
    }
    let missing = dpsis(&[&base[..], &["--sensitivity", "1", "no-such.csv"]].concat());
    assert_eq!(missing.status.code(), Some(5));
}

fn trials(arguments: &[&str]) -> BTreeMap<String, u64> {
    let output = dpsis(arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("NOT PRIVATE"), "{}", text(&output.stderr));
    let mut lines = text(&output.stdout).lines();
    assert_eq!(lines.next(), Some("outcome\tcount"));
    let line = |line: &str| {
        let (outcome, count) = line.split_once('\t').unwrap();
        (outcome.to_owned(), count.parse().unwrap())
    };
    lines.map(line).collect()
}

/// Counts of the exponential mechanism and of peeling against their closed forms; scores in [0, 1]
/// as well as counts, for differences are kept.
#[test]
fn trials_have_the_law() {
    let files = Files::new();
    let path = files.write("c.csv", "name,score\nx,0.3\ny,0.1\nz,0.05\n");
    let path = path.to_str().unwrap();
    let base = ["choose", "--eps", "2", "--sensitivity", "0.1", "--trials", "50000", "--seed", "3"];
    let x = [3.0, 1.0, 0.5];
    let counted = trials(&[&base[..], &["--mechanism", "em", path]].concat());
    let counts: Vec<u64> =
        ["x", "y", "z"].map(|name| counted.get(name).copied().unwrap_or(0)).to_vec();
    assert_eq!(counts.iter().sum::<u64>(), 50_000);
    assert_fits(&counts, &laws::of_one(&x, 1.0, laws::exponential));

    let peel = [&base[..], &["--mechanism", "peel", "--k", "2"]].concat();
    let ordered = trials(&[&peel[..], &["--ordered", path]].concat());
    let names = ["x>y", "x>z", "y>x", "y>z", "z>x", "z>y"];
    let counts: Vec<u64> = names.map(|name| ordered.get(name).copied().unwrap_or(0)).to_vec();
    assert_fits(&counts, &laws::of_rounds(&x, 2, 0.5, laws::exponential));
    let sets = trials(&[&peel[..], &[path]].concat());
    assert_eq!(sets["x+y"], ordered["x>y"] + ordered["y>x"]);
    // One-sided scores need half the noise.
    let counted = trials(&[&base[..], &["--mechanism", "pnf", "--monotonic", path]].concat());
    let counts: Vec<u64> =
        ["x", "y", "z"].map(|name| counted.get(name).copied().unwrap_or(0)).to_vec();
    assert_fits(&counts, &laws::of_one(&x, 2.0, laws::flips));
    // A set has no order to show; what could be read in two ways is refused.
    let canonical =
        [&base[..], &["--mechanism", "canonical", "--k", "2", "--ordered", path]].concat();
    assert!(
        trials(&canonical).keys().all(|outcome| outcome.contains('+') && !outcome.contains('>'))
    );
    let odd = files.write("odd.csv", "name,score\na+b,1\nc,2\n");
    let odd = [&base[..], &["--mechanism", "em", odd.to_str().unwrap()]].concat();
    assert_eq!(dpsis(&odd).status.code(), Some(2));
    // The first trial is the run of the same seed.
    let one = [&base[..5], &["--seed", "3", "--mechanism", "em", path]].concat();
    let first = trials(&[&one[..], &["--trials", "1"]].concat());
    assert_eq!(format!("{}\n", first.keys().next().unwrap()), text(&dpsis(&one).stdout));
}

#[test]
fn comparisons_and_advice_are_marked() {
    let files = Files::new();
    let own = files.write("own.csv", OWN);
    let own = own.to_str().unwrap();
    let output =
        dpsis(&["choose", "--eps", "1", "--k", "2", "--mechanism", "sis", "--not-private", own]);
    assert_eq!(text(&output.stdout), "b\nd\n");
    assert!(text(&output.stderr).contains("NOT PRIVATE"));
    let json =
        ["choose", "--eps", "1", "--mechanism", "rnm-h", "--not-private", "--format", "json", own];
    let record: serde_json::Value = serde_json::from_slice(&dpsis(&json).stdout).unwrap();
    assert_eq!(
        (&record["private"], record["selected"].as_array().unwrap().len()),
        (&false.into(), 1)
    );
    let random = ["choose", "--eps", "1", "--mechanism", "random", "--not-private", own];
    let random = trials(&[&random[..], &["--trials", "8000", "--seed", "2"]].concat());
    let counts: Vec<u64> = ["a", "b", "c", "d"].map(|name| random[name]).to_vec();
    assert_fits(&counts, &[0.25; 4]);
    let advice = dpsis(&["choose", "--eps", "1", "--advise", "--not-private", own]);
    let said = text(&advice.stdout);
    assert!(said.starts_with("NOT PRIVATE") && said.contains("\nmechanism    mgem"), "{said}");
}

/// With a relation, or without scores, the advice looks at public facts only; its command works.
#[test]
fn advice_on_public_facts() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.csv");
    let file = path.to_str().unwrap();
    let advised = |text_of_file: &str, more: &[&str]| {
        fs::write(&path, text_of_file).unwrap();
        let output = dpsis(&[&["choose", "--eps", "1", "--advise"], more, &[file]].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        (text(&output.stdout).to_owned(), text(&output.stderr).to_owned())
    };
    let scores = [
        "name,score,sensitivity\na,1,1\nb,2,2\nc,9,5\n",
        "name,score,sensitivity\na,9,1\nb,,2\nc,?,5\n",
    ];
    for (relation, mechanism) in
        [("positive", "rs"), ("negative", "gem"), ("none", "pnf"), ("unknown", "pnf")]
    {
        let found = scores.map(|file| advised(file, &["--relation", relation]));
        assert!(found[0].0.starts_with(&format!("mechanism    {mechanism}")), "{}", found[0].0);
        assert!(found[0].1.contains("public facts") && !found[0].1.contains("NOT PRIVATE"));
        // Other scores change nothing.
        assert_eq!(found[0], found[1]);
        let command = found[0].0.split("command").nth(1).unwrap();
        let words: Vec<&str> = command.lines().next().unwrap().split_whitespace().skip(1).collect();
        fs::write(&path, scores[0]).unwrap();
        let run = dpsis(&words);
        assert_eq!(run.status.code(), Some(0), "{command}: {}", text(&run.stderr));
    }
    let (said, _) = advised("name,sensitivity\na,1\nb,3\n", &[]);
    assert!(said.contains("pnf with the largest sensitivity") && said.contains("column of scores"));
    let (json, _) = advised(scores[0], &["--relation", "negative", "--format", "json"]);
    let record: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(record["mechanism"], "gem");
    let (said, _) = advised(scores[0], &["--sensitivity", "largest", "--neighbors", "replace-one"]);
    assert!(said.contains("the same sensitivity"), "{said}");
    assert!(said.contains("--sensitivity largest") && said.contains("--neighbors replace-one"));
    // By public scores: in units of the scores.
    let (json, _) = advised(scores[0], &["--not-private", "--format", "json"]);
    let record: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&record["private"], &record["mechanism"]), (&false.into(), &"mgem".into()));
    let losses = record["losses"].as_array().unwrap();
    assert!(losses.iter().all(|loss| loss["mean"].as_f64().unwrap() <= 8.0));
    // Of 0.1, 0.2 and 0.9 the best is 0.5 above the mean.
    let tenths = "name,score,sensitivity\na,0.1,1\nb,0.2,2\nc,0.9,5\n";
    let (json, _) = advised(tenths, &["--not-private", "--format", "json"]);
    let record: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert!((record["uniform_loss"].as_f64().unwrap() - 0.5).abs() < 1e-12);
}

/// All above a level are named, however many, at most k; the level is in the unit of the scores.
#[test]
fn all_above_a_level() {
    let files = Files::new();
    let scores: String = (0..40).map(|i| format!("c{i},{}\n", f64::from(i) / 8.0)).collect();
    let file = files.write("c.csv", &format!("name,score\n{scores}"));
    let file = file.to_str().unwrap();
    let choose = |arguments: &[&str]| {
        let base = ["choose", "--eps", "100", "--sensitivity", "0.01", "--above", "4.4"];
        dpsis(&[&base[..], arguments, &[file]].concat())
    };
    // 36/8 is the first above 4.4.
    let output = choose(&[]);
    assert_eq!(text(&output.stdout), "c36\nc37\nc38\nc39\n", "{}", text(&output.stderr));
    let report = flat(&output.stderr);
    let said = "4 of 40 candidates above 4.4 by the mechanism threshold-set, alpha 0.05, level 440, rate fdr";
    assert!(report.contains(said), "{report}");
    let json = choose(&["--rate", "fwer", "--alpha", "0.01", "--format", "json"]);
    let record: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(record["score"]["above"], "4.4");
    assert_eq!(record["mechanism"]["rate"], "fwer");
    assert_eq!(record["order"], "file");
    // The prior of more names than two is zero.
    let capped = choose(&["--k", "2"]);
    assert!(text(&capped.stdout).lines().count() <= 2);
    assert!(flat(&capped.stderr).contains("above 4.4, at most 2,"));
    // None is a result, too.
    let none = dpsis(&["choose", "--eps", "9", "--sensitivity", "0.01", "--above", "9", file]);
    assert_eq!((none.status.code(), text(&none.stdout)), (Some(0), ""));
    for (wrong, said) in [
        (&["--alpha", "0.6"][..], "from 1e-6 to 0.5"),
        (&["--rate", "other"], "fdr or fwer"),
        (&["--mechanism", "canonical"], "cannot be used"),
        (&["--gamma", "1"], "--gamma"),
    ] {
        let refused = choose(wrong);
        assert_eq!(refused.status.code(), Some(2), "{wrong:?}: {}", text(&refused.stderr));
        assert!(flat(&refused.stderr).contains(said), "{wrong:?}: {}", text(&refused.stderr));
    }
}

/// Every mechanism that suits features with one sensitivity selects features; the others are
/// refused before the file is read.
#[test]
fn features_by_every_mechanism() {
    for card in CARDS {
        let k = if card.chooses == Chooses::One { "1" } else { "4" };
        let base = ["select", "--k", k, "--eps", "2", "--mechanism", card.id, "--format", "json"];
        let output = dpsis(&[&base[..], &[DEMO]].concat());
        let stderr = text(&output.stderr);
        if card.sensitivity == Sensitivity::Own || card.chooses == Chooses::AtMost {
            assert_eq!(output.status.code(), Some(2), "{}", card.id);
            let unread = dpsis(&[&base[..], &["no-such-file.csv"]].concat());
            assert_eq!(unread.status.code(), Some(2));
            continue;
        }
        assert_eq!(output.status.code(), Some(0), "{}: {stderr}", card.id);
        let record: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(record["mechanism"]["id"], card.id);
        let order = if card.chooses == Chooses::Sequence { "pick" } else { "file" };
        assert_eq!(record["order"], order, "{}", card.id);
        assert_eq!(record["selected"].as_array().unwrap().len().to_string(), k);
        let dry = dpsis(&[&base[..7], &["--dry-run", DEMO]].concat());
        assert_eq!(dry.status.code(), Some(0), "{}", text(&dry.stderr));
    }
    let several = ["select", "--k", "2", "--eps", "2", "--mechanism", "em", "no-such-file.csv"];
    assert_eq!(dpsis(&several).status.code(), Some(2));
    let foreign =
        ["select", "--k", "2", "--eps", "2", "--mechanism", "peel", "--gamma", "1", "no.csv"];
    assert!(text(&dpsis(&foreign).stderr).contains("peel takes no parameter `gamma`"));
}
