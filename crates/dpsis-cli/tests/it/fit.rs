//! `dpsis fit` and `dpsis predict`, as a user meets them.
#![allow(clippy::unwrap_used)] // in a test a panic is how a failure is said

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use dpsis::model::{Model, ModelKind};

/// A folder with a table of 4,000 rows: y = 2 age - dose + 1, and a class that depends on dose.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        let row = |i: u32| {
            let (age, dose) = (20 + i * 7 % 60, i * 13 % 101);
            let class = if dose > 50 { "yes" } else { "no" };
            format!("{age},{dose},{},{class},{}\n", i * 31 % 97, 2 * age + 1 + 101 - dose)
        };
        let rows: String = (0..4000).map(row).collect();
        fs::write(folder.path("table.csv"), format!("age,dose,noise,class,y\n{rows}")).unwrap();
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn run(&self, words: &str) -> Output {
        Command::new(env!("CARGO_BIN_EXE_dpsis"))
            .args(words.split_whitespace())
            .current_dir(self.0.path())
            .output()
            .unwrap()
    }

    fn done(&self, words: &str) -> (String, String) {
        let output = self.run(words);
        assert_eq!(output.status.code(), Some(0), "{words}: {}", flat(&output.stderr));
        (String::from_utf8(output.stdout).unwrap(), flat(&output.stderr))
    }

    fn refused(&self, words: &str, code: i32) -> String {
        let output = self.run(words);
        assert_eq!(output.status.code(), Some(code), "{words}: {}", flat(&output.stderr));
        assert!(output.stdout.is_empty(), "{words}");
        flat(&output.stderr)
    }
}

/// Words with one blank between them: lines are wrapped.
fn flat(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_model_is_fitted_and_applied() {
    let folder = Folder::new();
    let (text, report) = folder.done("fit --k 2 --eps 40 --exclude class table.csv");
    let model = Model::from_json(&text).unwrap();
    assert_eq!(model.kind, ModelKind::Linear);
    assert_eq!((model.guarantee.private, &*model.guarantee.epsilon), (true, "40"));
    assert!(
        report.starts_with("private: epsilon 40 for adding or removing one row spent: "),
        "{report}"
    );
    assert!(report.contains("+ 7.2 ranges of the columns + 16.8 model"), "{report}");
    assert!(report.contains("age: ") && report.contains("intercept: "), "{report}");

    let (none, _) = folder.done("fit --k 2 --eps 40 --exclude class -o model.json table.csv");
    assert!(none.is_empty());
    let (predicted, said) = folder.done("predict model.json table.csv");
    assert!(said.is_empty(), "{said}");
    let lines: Vec<&str> = predicted.lines().collect();
    assert_eq!((lines[0], lines.len()), ("predicted y", 4001));
    let wrong = (0..4000u32).map(|i| {
        let y = f64::from(2 * (20 + i * 7 % 60) + 102 - i * 13 % 101);
        (lines[i as usize + 1].parse::<f64>().unwrap() - y).abs()
    });
    assert!(wrong.sum::<f64>() / 4000.0 < 10.0);

    // Columns in another order, others beside them, the last one a feature.
    fs::write(folder.path("new.csv"), "x,dose,age\nq,10,40\nq,NA,40\n").unwrap();
    fs::write(folder.path("same.csv"), "age,dose,y\n40,10,0\n40,,0\n").unwrap();
    let (new, _) = folder.done("predict model.json new.csv");
    assert_eq!(new, folder.done("predict model.json same.csv").0);
    assert_eq!(new.lines().count(), 3);
    folder.done("predict model.json new.csv -o out.csv");
    assert_eq!(fs::read_to_string(folder.path("out.csv")).unwrap(), new);
}

#[test]
fn classes_are_predicted_by_their_probability() {
    let folder = Folder::new();
    let words = "fit --k 1 --eps 40 --classes no,yes --target class --exclude y --seed 1 -o m.json table.csv";
    let (_, report) = folder.done(words);
    assert!(report.contains("NOT PRIVATE: seeded"), "{report}");
    assert!(report.contains("logistic regression of class: log-odds of yes"), "{report}");
    let (predicted, _) = folder.done("predict m.json table.csv");
    // A table of the model's one feature, without a target.
    fs::write(folder.path("dose.csv"), "dose\n0\n13\n").unwrap();
    let (alone, _) = folder.done("predict m.json dose.csv");
    assert!(predicted.starts_with(&alone), "{alone}");
    assert!(predicted.starts_with("probability of yes\n"), "{predicted}");
    let right = predicted
        .lines()
        .skip(1)
        .zip(0u32..)
        .filter(|(line, i)| (line.parse::<f64>().unwrap() > 0.5) == (i * 13 % 101 > 50));
    assert!(right.count() > 3600);
}

#[test]
fn stated_features_are_not_selected() {
    let folder = Folder::new();
    let words = "fit --features dose,age --eps 9 --exclude class --bounds 0,100 --target-bounds 0,300 table.csv";
    let (text, report) = folder.done(words);
    let model = Model::from_json(&text).unwrap();
    assert_eq!(model.feature_names().collect::<Vec<_>>(), ["dose", "age"]);
    assert!(report.contains("spent: 9 model"), "{report}");
    let said = folder.refused("fit --features dose,weight --eps 1 --exclude class table.csv", 2);
    assert!(said.contains("no feature \"weight\""), "{said}");
}

#[test]
fn a_ledger_pays_for_selection_and_model_together() {
    let folder = Folder::new();
    folder.done("ledger create --cap 3 budget.txt");
    let fit = "fit --k 1 --eps 2 --exclude class --target-number --ledger budget.txt -o model.json table.csv";
    let (_, report) = folder.done(fit);
    assert!(report.contains("ledger: spent 2 of 3, 1 left"), "{report}");
    fs::remove_file(folder.path("model.json")).unwrap();
    folder.refused(fit, 4);
    assert!(!folder.path("model.json").exists());
    let shown = folder.done("ledger show budget.txt").0;
    assert!(shown.contains("fit"), "{shown}");
}

/// A dry run states the parts of the budget that the run spends.
#[test]
fn a_dry_run_states_parts_and_needs() {
    let folder = Folder::new();
    for words in [
        "fit --k 2 --eps 3 --exclude class",
        "fit --k 2 --eps 3 --delta 1e-6 --exclude y --target class --classes no,yes",
        "fit --features age,dose --eps 3 --exclude class --bounds 0,100",
        "fit --k 1 --eps 3 --unit noise --unit-target mean --exclude class --seed 4",
    ] {
        let (text, said) = folder.done(&format!("{words} --dry-run table.csv"));
        assert!(
            text.starts_with("dry run    only the header was read") && said.is_empty(),
            "{text}"
        );
        assert_eq!(text.contains("The selection alone:"), words.contains("--k"), "{text}");
        let json = folder.done(&format!("{words} --dry-run --format json table.csv")).0;
        let plan: serde_json::Value = serde_json::from_str(&json).unwrap();
        let model = folder.done(&format!("{words} table.csv")).0;
        let model: serde_json::Value = serde_json::from_str(&model).unwrap();
        assert_eq!(plan["guarantee"]["events"], model["guarantee"]["events"], "{words}");
        assert_eq!(plan["guarantee"]["unit"], model["guarantee"]["unit"], "{words}");
        assert!(plan["rows_needed"].as_u64().unwrap() > 10, "{json}");
    }
}

/// A table in which each row stands four times, as rows of one person, makes the same model.
#[test]
fn people_with_equal_rows_make_the_model_of_rows() {
    let folder = Folder::new();
    let table = fs::read_to_string(folder.path("table.csv")).unwrap();
    let mut rows = table.lines();
    let mut visits = format!("who,{}\n", rows.next().unwrap());
    let row = |(i, row): (usize, &str)| format!("p{i},{row}\n");
    let once: String = rows.enumerate().map(row).collect();
    visits += &once.repeat(4);
    fs::write(folder.path("visits.csv"), visits).unwrap();
    let fit = "fit --k 2 --eps 20 --exclude class --seed 5";
    let of_rows = Model::from_json(&folder.done(&format!("{fit} table.csv")).0).unwrap();
    let (of_people, report) = folder.done(&format!("{fit} --unit who visits.csv"));
    let of_people = Model::from_json(&of_people).unwrap();
    assert_eq!((of_rows.features, of_rows.intercept), (of_people.features, of_people.intercept));
    assert!(report.contains("one person"), "{report}");
    // A budget for rows does not pay for people.
    folder.done("ledger create --cap 90 rows.txt");
    folder.done("ledger create --cap 90 --unit person people.txt");
    let paid = "fit --k 2 --eps 20 --target-number --exclude class --unit who -o m.json visits.csv --ledger";
    folder.refused(&format!("{paid} rows.txt"), 2);
    folder.done(&format!("{paid} people.txt"));
}

#[test]
fn what_does_not_fit_is_refused() {
    let folder = Folder::new();
    for words in [
        "fit --k 1 --features age --eps 1 table.csv",
        "fit --features age --share 0.5 --eps 1 table.csv",
        "fit --k 1 --eps 1 --share 1 table.csv",
        "fit --k 9 --eps 1 --dry-run table.csv",
        "fit --k 1 --eps 1 --dry-run --format html table.csv",
        "fit --k 1 --eps 1 --unit-target last table.csv",
        "fit --k 1 --eps 1 --format tsv table.csv",
        "fit --k 1 --eps 1 --scale cpm table.csv",
        "fit --k 1 --eps 1 --classes a,b,c table.csv",
        "fit --k 1 --eps 1 --lambda 3 table.csv",
        "fit --k 9 --eps 1 table.csv",
        "fit --k 1 --eps 1 -o model.csv table.csv",
        "fit --k 1 --eps 1 --preprocess paper --not-private table.csv",
        "fit --k 1 --eps 1 --partials a.partial",
    ] {
        folder.refused(words, 2);
    }
    folder.refused("fit --k 1 --eps 1 none.csv", 5);
    folder.refused("predict none.json table.csv", 5);
    fs::write(folder.path("wrong.json"), "{\"format\": 1}").unwrap();
    folder.refused("predict wrong.json table.csv", 3);
    folder.done("fit --k 1 --eps 1 --exclude class --seed 1 -o model.json table.csv");
    fs::write(folder.path("less.csv"), "a,b\n1,2\n").unwrap();
    folder.refused("predict model.json less.csv", 2);
    let model = folder.path("model.json");
    let before = fs::read(&model).unwrap();
    folder.refused("predict model.json table.csv -o model.json", 2);
    assert_eq!(fs::read(&model).unwrap(), before);
}

/// A table that cannot be read twice is refused before anything is spent, unless the features are
/// stated.
#[test]
fn a_table_from_a_pipe_takes_stated_features() {
    let folder = Folder::new();
    let pipe = |words: &str| {
        Command::new(env!("CARGO_BIN_EXE_dpsis"))
            .args(words.split_whitespace())
            .current_dir(folder.0.path())
            .stdin(fs::File::open(folder.path("table.csv")).unwrap())
            .output()
            .unwrap()
    };
    let stated = pipe("fit --features age --eps 1 --exclude class -");
    assert_eq!(stated.status.code(), Some(0), "{}", flat(&stated.stderr));
    let selected = pipe("fit --k 1 --eps 1 --exclude class -");
    assert_eq!(selected.status.code(), Some(2), "{}", flat(&selected.stderr));
}

/// Too few rows: names in the report, no model, no file, and no failure. The noise of logistic
/// coefficients is told.
#[test]
fn too_few_rows_have_no_model() {
    let folder = Folder::new();
    let table = fs::read_to_string(folder.path("table.csv")).unwrap();
    let few: Vec<&str> = table.lines().take(25).collect();
    fs::write(folder.path("few.csv"), few.join("\n") + "\n").unwrap();
    let (text, report) =
        folder.done("fit --k 2 --eps 1 --exclude class --seed 1 -o few.json few.csv");
    assert!(text.is_empty() && !folder.path("few.json").exists());
    assert!(report.contains("no model: too few rows for a model under this budget"), "{report}");
    assert!(report.contains("selected: "), "{report}");
    let (text, _) = folder.done("fit --k 2 --eps 1 --exclude class --seed 1 few.csv");
    assert!(text.is_empty(), "{text}");
    let words = "fit --k 2 --eps 1 --classes no,yes --target class --exclude y --seed 1 table.csv";
    let (model, report) = folder.done(words);
    assert!(report.contains("not distinguishable from 0"), "{report}");
    assert!(report.contains("a model takes numbers, and words count as missing"), "{report}");
    let model = Model::from_json(&model).unwrap();
    assert!(model.features.iter().all(|feature| feature.noise.unwrap() > 0.0));
}
