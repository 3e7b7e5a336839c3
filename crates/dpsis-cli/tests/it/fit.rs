//! `dpsis fit` and `dpsis predict`, as a user meets them.

use dpsis::model::{Model, ModelKind};

use crate::harness::{Folder, assert_contains, assert_contains_all};

/// A folder with a table of 4,000 rows: y = 2 age - dose + 102, and a class that depends on dose.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.table("table.csv", "age,dose,noise,class,y", 4000, |i| {
        let (age, dose) = (20 + i * 7 % 60, i * 13 % 101);
        let class = if dose > 50 { "yes" } else { "no" };
        format!("{age},{dose},{},{class},{}", i * 31 % 97, 2 * age + 1 + 101 - dose)
    });
    folder
}

#[test]
fn a_model_is_fitted_and_applied() {
    let folder = folder();
    let output = folder.run("fit --k 2 --eps 40 --exclude class table.csv").succeeds();
    let model = Model::from_json(&output.stdout).unwrap();
    assert_eq!(model.kind, ModelKind::Linear);
    assert_eq!((model.guarantee.private, &*model.guarantee.epsilon), (true, "40"));
    let report = output.message();
    let start = "private: epsilon 40 for adding or removing one row spent: ";
    assert!(report.starts_with(start), "{report}");
    let parts = ["+ 7.2 ranges of the columns + 16.8 model", "age: ", "intercept: "];
    assert_contains_all(&report, &parts);

    let fit = folder.run("fit --k 2 --eps 40 --exclude class -o model.json table.csv");
    assert_eq!(fit.succeeds().stdout, "");
    let output = folder.run("predict model.json table.csv").succeeds();
    assert_eq!(output.stderr, "");
    let predicted = output.stdout;
    let lines: Vec<&str> = predicted.lines().collect();
    assert_eq!((lines[0], lines.len()), ("predicted y", 4001));
    let wrong = (0..4000u32).map(|i| {
        let y = f64::from(2 * (20 + i * 7 % 60) + 102 - i * 13 % 101);
        (lines[i as usize + 1].parse::<f64>().unwrap() - y).abs()
    });
    assert!(wrong.sum::<f64>() / 4000.0 < 10.0);

    // Columns in another order, with others, the last one a feature.
    folder.write("new.csv", "x,dose,age\nq,10,40\nq,NA,40\n");
    folder.write("same.csv", "age,dose,y\n40,10,0\n40,,0\n");
    let new = folder.run("predict model.json new.csv").succeeds().stdout;
    assert_eq!(new, folder.run("predict model.json same.csv").succeeds().stdout);
    assert_eq!(new.lines().count(), 3);
    folder.run("predict model.json new.csv -o out.csv").succeeds();
    assert_eq!(folder.read("out.csv"), new);
}

#[test]
fn classes_are_predicted_by_their_probability() {
    let folder = folder();
    let words = "fit --k 1 --eps 40 --classes no,yes --target class --exclude y --seed 1 -o m.json table.csv";
    let report = folder.run(words).succeeds().message();
    let parts = ["NOT PRIVATE: seeded", "logistic regression of class: log-odds of yes"];
    assert_contains_all(&report, &parts);
    let predicted = folder.run("predict m.json table.csv").succeeds().stdout;
    // A table of the model's one feature, without a target.
    folder.write("dose.csv", "dose\n0\n13\n");
    let alone = folder.run("predict m.json dose.csv").succeeds().stdout;
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
fn given_features_are_not_selected() {
    let folder = folder();
    let words = "fit --features dose,age --eps 9 --exclude class --bounds 0,100 --target-bounds 0,300 table.csv";
    let output = folder.run(words).succeeds();
    let model = Model::from_json(&output.stdout).unwrap();
    assert_eq!(model.feature_names().collect::<Vec<_>>(), ["dose", "age"]);
    assert_contains(&output.message(), "spent: 9 model");
    folder.write("names.txt", "dose\nage\n");
    let listed = words.replace("dose,age", "@names.txt");
    let same = |words: &str| folder.run(&format!("{words} --seed 1")).succeeds().stdout;
    assert_eq!(same(&listed), same(words));
    folder.refuses(&[(format!("{listed} -o names.txt"), 2, "would overwrite")]);
    let unknown = "fit --features dose,weight --eps 1 --exclude class table.csv";
    folder.refuses(&[(unknown, 2, "no feature \"weight\"")]);
}

#[test]
fn selection_and_model_are_charged_together() {
    let folder = folder();
    folder.run("ledger create --cap 3 budget.txt").succeeds();
    let fit = "fit --k 1 --eps 2 --exclude class --target-number --ledger budget.txt -o model.json table.csv";
    let report = folder.run(fit).succeeds().message();
    assert_contains(&report, "ledger: spent 2 of 3, 1 left");
    folder.remove("model.json");
    folder.run(fit).fails(4);
    assert!(!folder.has("model.json"));
    assert_contains(&folder.run("ledger show budget.txt").succeeds().stdout, "fit");
}

/// A dry run reports the parts of the budget that the run spends, and the rows that it needs.
#[test]
fn a_dry_run_reports_budget_and_rows() {
    let folder = folder();
    for words in [
        "fit --k 2 --eps 3 --exclude class",
        "fit --k 2 --eps 3 --delta 1e-6 --exclude y --target class --classes no,yes",
        "fit --features age,dose --eps 3 --exclude class --bounds 0,100",
        "fit --k 1 --eps 4 --unit noise --unit-target mean --exclude class --seed 4",
    ] {
        let plan = folder.run(&format!("{words} --dry-run table.csv")).succeeds();
        assert!(
            plan.stdout.starts_with("dry run    only the names of columns were read"),
            "{}",
            plan.stdout
        );
        assert_eq!(plan.stderr, "");
        assert_eq!(plan.stdout.contains("The selection alone:"), words.contains("--k"));
        let plan = folder.run(&format!("{words} --dry-run --format json table.csv")).json();
        let model = folder.run(&format!("{words} table.csv")).json();
        assert_eq!(plan["guarantee"]["events"], model["guarantee"]["events"], "{words}");
        assert_eq!(plan["guarantee"]["unit"], model["guarantee"]["unit"], "{words}");
        assert!(plan["rows_needed"].as_u64().unwrap() > 10, "{plan}");
    }
}

/// A table that repeats each row four times, as rows of one person, gives the same model.
#[test]
fn people_with_equal_rows_make_the_model_of_rows() {
    let folder = folder();
    let table = folder.read("table.csv");
    let (header, rows) = table.split_once('\n').unwrap();
    let row = |(i, row): (usize, &str)| format!("p{i},{row}\n");
    let once: String = rows.lines().enumerate().map(row).collect();
    folder.write("visits.csv", format!("who,{header}\n{}", once.repeat(4)));
    let fit = "fit --k 2 --eps 20 --exclude class --seed 5";
    let of_rows = folder.run(&format!("{fit} table.csv")).succeeds();
    let of_people = folder.run(&format!("{fit} --unit who visits.csv")).succeeds();
    let [rows, people] =
        [&of_rows, &of_people].map(|output| Model::from_json(&output.stdout).unwrap());
    assert_eq!((rows.features, rows.intercept), (people.features, people.intercept));
    assert_contains(&of_people.stderr, "one person");
    // A budget for rows is not charged for people.
    folder.run("ledger create --cap 90 rows.txt").succeeds();
    folder.run("ledger create --cap 90 --privacy-unit person people.txt").succeeds();
    let charged = "fit --k 2 --eps 20 --target-number --exclude class --unit who -o m.json visits.csv --ledger";
    folder.run(&format!("{charged} rows.txt")).fails(2);
    folder.run(&format!("{charged} people.txt")).succeeds();
}

#[test]
fn wrong_requests_are_refused() {
    let folder = folder().with("wrong.json", "{\"format\": 1}").with("less.csv", "a,b\n1,2\n");
    for words in [
        "--k 1 --features age table.csv",
        "--features age --selection-share 0.5 table.csv",
        "--k 1 --selection-share 1 table.csv",
        "--k 9 --dry-run table.csv",
        "--k 1 --dry-run --format html table.csv",
        "--k 1 --unit-target last table.csv",
        "--k 1 --format tsv table.csv",
        "--k 1 --scale cpm table.csv",
        "--k 1 --classes a,b,c table.csv",
        "--k 1 --lambda 3 table.csv",
        "--k 9 table.csv",
        "--k 1 -o model.csv table.csv",
        "--k 1 --partials a.partial",
    ] {
        folder.run(&format!("fit --eps 1 {words}")).fails(2);
    }
    folder.run("fit --k 1 --eps 1 --exclude class --seed 1 -o model.json table.csv").succeeds();
    let model = folder.read("model.json");
    folder.refuses(&[
        ("fit --k 1 --eps 1 none.csv", 5, ""),
        ("predict none.json table.csv", 5, ""),
        ("predict wrong.json table.csv", 3, ""),
        ("predict model.json less.csv", 2, ""),
        ("predict model.json table.csv -o model.json", 2, ""),
    ]);
    assert_eq!(folder.read("model.json"), model);
}

/// A table that cannot be read twice is refused before anything is spent, unless the features are
/// given.
#[test]
fn a_table_from_a_pipe_takes_given_features() {
    let folder = folder();
    let table = folder.read("table.csv");
    folder.pipe("fit --features age --eps 1 --exclude class -", &table).succeeds();
    folder.pipe("fit --k 1 --eps 1 --exclude class -", &table).fails(2);
}

/// Too few rows: names in the report, no model, no file, and no failure. The report gives the noise
/// of logistic coefficients.
#[test]
fn too_few_rows_have_no_model() {
    let folder = folder();
    let table = folder.read("table.csv");
    let few: String = table.split_inclusive('\n').take(25).collect();
    folder.write("few.csv", few);
    let fit = "fit --k 2 --eps 1 --exclude class --seed 1 few.csv";
    assert_eq!(folder.run(fit).succeeds().stdout, "");
    let output = folder.run(&format!("{fit} -o few.json")).succeeds();
    assert!(output.stdout.is_empty() && !folder.has("few.json"));
    let parts = [
        "no model: the released values do not determine even the mean of the target",
        "selected: ",
    ];
    assert_contains_all(&output.message(), &parts);
    let words = "fit --k 2 --eps 1 --classes no,yes --target class --exclude y --seed 1 table.csv";
    let output = folder.run(words).succeeds();
    let parts = ["not distinguishable from 0", "a model uses numbers and the given levels"];
    assert_contains_all(&output.message(), &parts);
    let model = Model::from_json(&output.stdout).unwrap();
    assert!(model.features.iter().all(|feature| feature.noise.unwrap() > 0.0));
}
