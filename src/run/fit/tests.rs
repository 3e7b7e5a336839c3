//! Tests of whole fits.

use std::io::Cursor;

use num_rational::BigRational;
use num_traits::Zero;

use super::*;
use crate::error::{ErrorKind, Parameter};
use crate::model::{Model, ModelKind};
use crate::privacy::{LedgerTerms, Neighbors, Purpose};
use crate::random::Entropy;
use crate::release::WarningKind;
use crate::request::{ScoreKind, Target};
use crate::table::{Bounds, FileTable};

/// Rows in which y = 3 age - 2 dose + 5 and the class depends on dose; every tenth dose is missing,
/// or text.
fn text(rows: usize) -> String {
    let mut text = "age,dose,noise,y,class\n".to_owned();
    for i in 0..rows {
        let (age, dose, noise) = (20 + i * 7 % 60, (i * 13 % 101) as f64 / 10.0, i * 31 % 97);
        let cell = match i % 20 {
            3 => "NA".to_owned(),
            13 => "low".to_owned(),
            _ => dose.to_string(),
        };
        let y = 3.0 * age as f64 - 2.0 * dose + 5.0;
        let class = if dose > 5.0 { "yes" } else { "no" };
        text += &format!("{age},{cell},{noise},{y},{class}\n");
    }
    text
}

fn once(text: String) -> FileTable {
    FileTable::from_reader(Cursor::new(text.into_bytes()))
}

fn file(rows: usize, target: &str) -> (tempfile::TempDir, FileTable) {
    file_of(text(rows), target)
}

fn file_of(text: String, target: &str) -> (tempfile::TempDir, FileTable) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.csv");
    std::fs::write(&path, text).unwrap();
    let facts = crate::table::TableFacts {
        target: crate::table::TargetColumn::Named(target.into()),
        exclude: vec![if target == "y" { "class" } else { "y" }.into()],
        ..Default::default()
    };
    (folder, FileTable::new(path).facts(facts))
}

fn linear(k: usize) -> Select {
    Select::new(k).epsilon(50)
}

fn logistic(k: usize) -> Select {
    Select::new(k).epsilon(50).target(Target::classes(["no", "yes"]))
}

/// Rows in which y is 2 x plus noise, and 10, 30 and 20 more at stages II, III and IV than at I;
/// about half are positive. Every twentieth row is at `odd`, with the y of stage I.
fn staged(rows: usize, odd: &str) -> String {
    let mut text = "x,noise,stage,y,class\n".to_owned();
    for i in 0..rows {
        let (x, noise, at) = ((i * 13 % 101) as f64 / 10.0, i * 31 % 97, i * 7 % 4);
        let (stage, more) = match i % 20 {
            11 => (odd, 0.0),
            _ => (["I", "II", "III", "IV"][at], [0.0, 10.0, 30.0, 20.0][at]),
        };
        let y = 2.0 * x + more + (i * 29 % 11) as f64;
        text += &format!("{x},{noise},{stage},{y},{}\n", if y > 29.0 { "yes" } else { "no" });
    }
    text
}

fn staged_file(rows: usize, odd: &str, target: &str) -> (tempfile::TempDir, FileTable) {
    file_of(staged(rows, odd), target)
}

fn stages() -> [Levels; 1] {
    ["stage=I,II,III,IV".parse().unwrap()]
}

/// A categorical column is one candidate, and has a coefficient for each level but the first.
#[test]
fn levels_are_compared_with_the_first() {
    let (_folder, table) = staged_file(20_000, "V", "y");
    let record = FitModel::new(linear(2)).levels(stages()).seed(1).run(&table).unwrap();
    let model = record.model.as_ref().unwrap();
    let mut names: Vec<&str> = model.feature_names().collect();
    names.sort_unstable();
    assert_eq!(names, ["stage", "x"]);
    for feature in &model.features {
        let expected = match feature.label().as_str() {
            "x" => 2.0,
            "stage=II" => 10.0,
            "stage=III" => 30.0,
            "stage=IV" => 20.0,
            other => panic!("{other}"),
        };
        assert!((feature.coefficient - expected).abs() < 0.5, "{feature:?}");
        let is_level = feature.name == "stage";
        assert_eq!(feature.reference.as_deref(), is_level.then_some("I"));
        assert!(!is_level || feature.range == [0.0, 1.0]);
    }
    assert_eq!((model.features.len(), record.indices().len()), (4, 4));
    // Read back from its text, for the rows of a table: missing levels and levels that were not
    // given count as the first.
    let model = Model::from_json(&model.to_json().unwrap()).unwrap();
    let new = "stage,x\nIII,5\nI,5\nV,5\n,5\nIV,\n";
    let source = FileTable::from_reader(Cursor::new(new.as_bytes())).without_target();
    let predicted = model.predict_table(&source).unwrap();
    for (found, expected) in predicted.iter().zip([45.0, 15.0, 15.0, 15.0, 35.0]) {
        assert!((found - expected).abs() < 1.0, "{predicted:?}");
    }
}

#[test]
fn levels_separate_classes() {
    let (_folder, table) = staged_file(20_000, "", "class");
    let record = FitModel::new(logistic(1)).levels(stages()).seed(1).run(&table).unwrap();
    let model = record.model.as_ref().unwrap();
    assert_eq!(model.feature_names().collect::<Vec<_>>(), ["stage"]);
    let at = |level: usize| {
        let values: Vec<f64> = (1..4).map(|other| f64::from(u8::from(other == level))).collect();
        model.predict(&values).unwrap()
    };
    // The shares of rows of class yes at each stage, counted in this file.
    let share = |stage: &str| {
        let text = staged(20_000, "");
        let rows = text.lines().filter(|line| line.split(',').nth(2) == Some(stage));
        let yes: Vec<bool> = rows.map(|line| line.ends_with("yes")).collect();
        yes.iter().filter(|yes| **yes).count() as f64 / yes.len() as f64
    };
    for (level, stage) in ["I", "II", "III", "IV"].into_iter().enumerate() {
        let (found, expected) = (at(level), share(stage));
        // Lambda pulls towards 1/2.
        assert!((found - expected).abs() < 0.08, "{stage}: {found} {expected}");
    }
}

/// Refuses models that no fit writes, with levels that no cell, or two cells, could match.
#[test]
fn unsound_levels_are_refused() {
    /// A name, perhaps a level and its reference, and the upper end of the range.
    type Feature<'a> = (&'a str, Option<(&'a str, &'a str)>, f64);
    let read = |format: u8, features: &[Feature<'_>]| {
        let feature = |(name, level, top): &Feature<'_>| {
            let level = level.map_or(String::new(), |(level, reference)| {
                format!(r#""level": "{level}", "reference": "{reference}", "#)
            });
            format!(r#"{{"name": "{name}", {level}"coefficient": 1, "range": [0, {top}]}}"#)
        };
        let features: Vec<String> = features.iter().map(feature).collect();
        Model::from_json(&format!(
            r#"{{"format": {format}, "version": "", "kind": "linear", "target": {{"name": "y"}}, "intercept": 0,
            "features": [{}], "missing": "the middle of the range", "guarantee": {{"private": true,
            "epsilon": "1", "delta": "0", "neighbors": "add/remove", "unit": "row", "events": []}}}}"#,
            features.join(",")
        ))
    };
    let at = |level, reference| ("s", Some((level, reference)), 1.0);
    let sound = [at("II", "I"), at("III", "I"), ("x", None, 9.0)];
    assert!(read(2, &sound).is_ok() && read(1, &sound[2..]).is_ok());
    assert!(read(1, &sound).is_err());
    for wrong in [
        vec![at("II", "I"), at("I", "II")],
        vec![at("II", "I"), at("III", "Z")],
        vec![at("II", "NA")],
        vec![at("NA", "I")],
        vec![at("1", "0"), at("1.0", "0")],
        vec![at("II", "I"), at(" II", "I")],
        vec![at("II", "I"), ("s", None, 1.0)],
        vec![at("II", "I"), ("x", None, 9.0), at("III", "I")],
        vec![("s", Some(("II", "I")), 6.0)],
    ] {
        assert_eq!(read(2, &wrong).unwrap_err().kind(), ErrorKind::Input, "{wrong:?}");
    }
}

/// Levels that are numbers use a point, whichever decimal mark a table has.
#[test]
fn levels_and_decimal_commas() {
    let rows: String =
        (0..4000).map(|i| format!("{};{}\n", ["1,5", "2,5"][i % 2], 3 + i % 2)).collect();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.csv");
    std::fs::write(&path, format!("g;y\n{rows}")).unwrap();
    let commas = |path: &std::path::Path| FileTable::new(path).delimiter(b';').decimal_comma(true);
    let fit = FitModel::new(linear(1)).features(["g"]).levels(["g=1.5,2.5".parse().unwrap()]);
    let fitted = fit.seed(1).run(&commas(&path)).unwrap();
    let model = fitted.model.as_ref().unwrap();
    for (text, table) in [("g;h\n2,5;0\n", true), ("g,h\n2.5,0\n", false)] {
        std::fs::write(&path, text).unwrap();
        let table = if table { commas(&path) } else { FileTable::new(&path) };
        let predicted = model.predict_table(&table.without_target()).unwrap();
        assert!((predicted[0] - 4.0).abs() < 0.1, "{predicted:?}");
    }
}

/// Bounds by name cover the columns of the model: the given features alone, and no levels.
#[test]
fn bounds_are_needed_for_model_columns_only() {
    let (_folder, table) = staged_file(200, "", "y");
    let range = Bounds::new(0.0, 100.0).unwrap();
    let with = |names: &[&'static str]| linear(2).bounds_by_name(names.iter().map(|n| (*n, range)));
    let fit = |names: &[&'static str]| FitModel::new(with(names)).levels(stages()).run(&table);
    let fitted = fit(&["x", "noise"]).unwrap();
    // The ranges are for the model, and the selection compares whole columns.
    let score = &fitted.selection.as_ref().unwrap().score;
    assert!(score.bounds.is_none() && fitted.model.is_some(), "{score:?}");
    let ranges: Vec<_> = fitted.model.iter().flat_map(|model| &model.features).collect();
    assert!(
        ranges
            .iter()
            .all(|one| one.range == if one.level.is_some() { [0.0, 1.0] } else { [0.0, 100.0] })
    );
    assert!(fit(&["x"]).unwrap_err().to_string().contains("bounds for \"noise\""));
    let given = |names: &[&'static str]| FitModel::new(with(names)).features(["x"]).run(&table);
    assert_eq!(given(&["x"]).unwrap().model.as_ref().unwrap().features[0].range, [0.0, 100.0]);
    assert!(given(&["noise"]).unwrap_err().to_string().contains("bounds for \"x\""));
}

/// The plan of a fit assumes the choice of features that needs the most rows.
#[test]
fn a_plan_allows_for_levels() {
    let (_folder, table) = staged_file(200, "", "y");
    let plan = |k: usize, levels: &str| {
        let fit = FitModel::new(Select::new(k).epsilon(2)).levels([levels.parse().unwrap()]);
        fit.check_ref().unwrap().dry_run(&table).unwrap()
    };
    let spends =
        |plan: &FitDryRun| plan.guarantee.spent.iter().any(|p| p.purpose == Purpose::Ranges);
    let one = plan(1, "stage=I,II,III,IV");
    assert!(one.features == 1 && spends(&one));
    // Ranges of two numbers need more rows than one range with three levels.
    assert_eq!(plan(2, "stage=I,II,III,IV").features, 2);
    let many: Vec<String> = (0..60).map(|i| format!("w{i}")).collect();
    assert_eq!(plan(1, &format!("stage={}", many.join(","))).features, 59);
}

/// Categories at no given level, in columns with levels and in others, are missing: to the bit.
#[test]
fn categories_at_no_level_are_missing() {
    for target in ["y", "class"] {
        let run = |odd: &str| {
            let (_folder, table) = staged_file(400, odd, target);
            let select = if target == "y" { linear(2) } else { logistic(2) };
            let fit = FitModel::new(select).levels(stages());
            serde_json::to_string(&fit.seed(3).run(&table).unwrap()).unwrap()
        };
        assert_eq!(run("V"), run(""));
        assert_eq!(run("ii"), run("NA"));
        assert_ne!(run("II"), run(""));
    }
}

/// Levels that are numbers match cells with any number of digits, also in matrices.
#[cfg(feature = "linfa")]
#[test]
fn levels_may_be_numbers() {
    use ::linfa::prelude::{Fit, Predict};
    use ndarray::{Array1, Array2};

    let x =
        Array2::from_shape_fn((8000, 2), |(i, j)| [(i * 7 % 3) as f64, (i * 31 % 97) as f64][j]);
    let y: Array1<f64> = x.rows().into_iter().map(|row| [4.0, 9.0, 1.0][row[0] as usize]).collect();
    let dataset = ::linfa::Dataset::new(x.clone(), y);
    let levels = ["feature-1=0,1.0,2".parse::<Levels>().unwrap()];
    let fit = FitModel::new(linear(1)).levels(levels).seed(1);
    let fitted = fit.fit(&dataset).unwrap();
    let model = fitted.model.as_ref().unwrap();
    let labels: Vec<String> = model.features.iter().map(|feature| feature.label()).collect();
    assert_eq!(labels, ["feature-1=1.0", "feature-1=2"]);
    let predicted: Array1<f64> = fitted.predict(&x);
    for (found, expected) in predicted.iter().zip([4.0, 9.0, 1.0, 4.0]) {
        assert!((found - expected).abs() < 0.3, "{predicted:?}");
    }
}

#[test]
fn wrong_levels_are_refused() {
    let (_folder, table) = staged_file(200, "", "y");
    // A level that stands for a missing value of this table.
    let coded = table.clone().missing(["II"]);
    let fit = FitModel::new(linear(1)).levels(stages());
    let error = fit.check_ref().unwrap().dry_run(&coded).unwrap_err();
    assert!(error.to_string().contains("missing value"), "{error}");
    let wide: Vec<String> = (0..102).map(|i| format!("w{i}")).collect();
    for (levels, select, words) in [
        (vec!["stag=I,II"], linear(1), "stag"),
        (vec!["stage=I"], linear(1), "two at least"),
        (vec!["stage=I,II", "stage=I,II,III"], linear(1), "twice"),
        (vec!["y=1,2"], linear(1), "y"),
        (vec!["stage=I,II"], linear(1).score(ScoreKind::Correlation), "Kolmogorov-Smirnov"),
    ] {
        let levels: Vec<Levels> = levels.iter().map(|text| text.parse().unwrap()).collect();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ledger");
        let terms = LedgerTerms::new("60".parse().unwrap());
        let ledger = Ledger::create(&path, terms).unwrap();
        let fit = FitModel::new(select).levels(levels);
        let error = fit.run_with_ledger(&table, &ledger, "").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Request, "{error}");
        assert!(error.to_string().contains(words), "{error}");
        assert!(error.parameters().contains(&Parameter::Levels), "{error}");
        // The ledger was not charged.
        assert!(ledger.read().unwrap().entries.is_empty());
    }
    let wide = |name: &str, count: usize| Levels::new(name, &wide[..count]).unwrap();
    let fits = |k: usize, levels: Vec<Levels>| {
        FitModel::new(linear(k)).levels(levels).check_ref().map(|_| ())
    };
    let error = fits(1, vec![wide("stage", 102)]).unwrap_err();
    assert!(error.to_string().contains("at most 100 columns"), "{error}");
    assert!(fits(1, vec![wide("stage", 101)]).is_ok());
    assert!(fits(1, vec![wide("stage", 60), wide("other", 60)]).is_ok());
    assert!(fits(2, vec![wide("stage", 60), wide("other", 60)]).is_err());
    assert!(
        fits(42, vec![wide("stage", 60)]).is_ok() && fits(43, vec![wide("stage", 60)]).is_err()
    );
    let given = |count: usize| {
        let fit = FitModel::new(linear(1)).features(["stage", "x"]);
        fit.levels([wide("stage", count)]).check_ref().map(|_| ())
    };
    assert!(given(100).is_ok() && given(101).is_err());
    let other = FitModel::new(linear(1)).features(["x"]).levels([wide("stage", 3)]);
    assert!(other.check_ref().unwrap_err().to_string().contains("not a feature of the model"));
}

#[test]
fn all_parts_sum_to_epsilon() {
    let (_folder, table) = file(3000, "y");
    let range = Bounds::new(0.0, 300.0).unwrap();
    let given = linear(2).bounds(0.0, 100.0).target(Target::Bounded(range));
    let with_estimates = vec![
        Purpose::TargetMedian,
        Purpose::TargetCenter,
        Purpose::Selection,
        Purpose::Estimates,
        Purpose::Ranges,
        Purpose::Model,
    ];
    for (fit, purposes) in [
        (
            FitModel::new(linear(2)),
            vec![
                Purpose::TargetMedian,
                Purpose::TargetCenter,
                Purpose::Selection,
                Purpose::Ranges,
                Purpose::Model,
            ],
        ),
        (FitModel::new(linear(2)).estimates("0.1").selection_share("1/3"), with_estimates.clone()),
        // A share that the selection sets is not ignored.
        (FitModel::new(linear(1).estimates("0.1")).selection_share("1/3"), with_estimates),
        (
            FitModel::new(given.clone()),
            // The range is for the model: the selection splits the target.
            vec![Purpose::TargetMedian, Purpose::TargetCenter, Purpose::Selection, Purpose::Model],
        ),
        (FitModel::new(linear(1)).features(["age", "dose"]), vec![Purpose::Ranges, Purpose::Model]),
        (FitModel::new(given).features(["age"]), vec![Purpose::Model]),
    ] {
        let fitted = fit.run(&table).unwrap();
        let spent = &fitted.guarantee.spent;
        let found: Vec<Purpose> = spent.iter().map(|part| part.purpose).collect();
        assert_eq!(found, purposes);
        let parts = spent.iter().map(|part| part.epsilon.as_rational());
        let sum = parts.fold(BigRational::zero(), |sum, part| sum + part);
        assert_eq!(&sum, fitted.guarantee.epsilon.as_rational());
        assert_eq!(fitted.guarantee.events.len(), spent.len());
        assert!(fitted.private && fitted.model.as_ref().unwrap().guarantee.private);
    }
}

#[test]
fn a_number_is_predicted() {
    let (_folder, table) = file(20_000, "y");
    let record = FitModel::new(linear(2)).seed(1).run(&table).unwrap();
    let mut names: Vec<&str> = record.model.as_ref().unwrap().feature_names().collect();
    names.sort_unstable();
    assert_eq!(names, ["age", "dose"]);
    assert_eq!(record.model.as_ref().unwrap().kind, ModelKind::Linear);
    for feature in &record.model.as_ref().unwrap().features {
        let expected = if feature.name == "age" { 3.0 } else { -2.0 };
        assert!((feature.coefficient - expected).abs() < 0.1, "{feature:?}");
        assert!(feature.low < feature.high);
    }
    let values = |name: &str| if name == "age" { 50.0 } else { 6.0 };
    let row: Vec<f64> = record.model.as_ref().unwrap().feature_names().map(values).collect();
    assert!((record.model.as_ref().unwrap().predict(&row).unwrap() - 143.0).abs() < 2.0);
    assert!(!record.private && !record.model.as_ref().unwrap().guarantee.private);
    let predicted = record.model.as_ref().unwrap().predict_table(&table).unwrap();
    assert_eq!(predicted.len(), 20_000);
    assert_eq!(record.indices().len(), 2);
}

#[test]
fn a_class_is_predicted() {
    let (_folder, table) = file(20_000, "class");
    let record = FitModel::new(logistic(1)).seed(1).run(&table).unwrap();
    let model = record.model.as_ref().unwrap();
    assert_eq!(
        (model.kind, model.feature_names().collect::<Vec<_>>()),
        (ModelKind::Logistic, vec!["dose"])
    );
    let probability = |dose: f64| model.predict(&[dose]).unwrap();
    assert!(probability(9.0) > 0.9 && probability(1.0) < 0.1, "{model:?}");
    let middle = model.features[0].range.iter().sum::<f64>() / 2.0;
    assert_eq!(probability(f64::NAN), probability(middle));
    assert!(model.features[0].low.is_none());
}

/// The same seed gives the same model for any number of threads.
#[test]
fn seeded_fits_do_not_depend_on_threads() {
    for (target, select) in [("y", linear(2)), ("class", logistic(2))] {
        let (_folder, table) = file(5000, target);
        let run =
            |threads| FitModel::new(select.clone().threads(threads)).seed(4).run(&table).unwrap();
        assert_eq!(run(1), run(4));
    }
}

/// Rows without a usable target change nothing.
#[test]
fn rows_without_a_target_do_not_count() {
    let fit = |text: String| {
        let facts = crate::table::TableFacts {
            exclude: vec!["class".into()],
            target: crate::table::TargetColumn::Named("y".into()),
            ..Default::default()
        };
        FitModel::new(linear(1))
            .features(["age", "dose"])
            .seed(2)
            .run(&once(text).facts(facts))
            .unwrap()
    };
    let more = text(500) + "1e9,3,4,NA,yes\n-5,,,,\n7,7,7,high,no\n";
    assert_eq!(fit(text(500)), fit(more));
}

#[test]
fn a_table_that_is_read_once_takes_given_features() {
    let folder = tempfile::tempdir().unwrap();
    let terms = LedgerTerms::new("100".parse().unwrap());
    let ledger = Ledger::create(folder.path().join("budget.txt"), terms).unwrap();
    let request = FitModel::new(logistic(1));
    let selected = request.run_with_ledger(&once(text(300)), &ledger, "").unwrap_err();
    assert_eq!(selected.kind(), ErrorKind::Request);
    assert_eq!(request.run(&once(text(300))).unwrap_err().kind(), ErrorKind::Request);
    assert_eq!(ledger.read().unwrap().left(), "100");
    let given = request.features(["dose", "age"]);
    let fitted = given.run_with_ledger(&once(text(300)), &ledger, "a note").unwrap();
    assert_eq!(fitted.model.as_ref().unwrap().feature_names().collect::<Vec<_>>(), ["dose", "age"]);
    let balance = ledger.read().unwrap();
    assert_eq!(balance.left(), "50");
    assert!(fitted.ledger.is_some());
}

/// A request that the header shows to be wrong spends no budget.
#[test]
fn wrong_requests_are_not_charged() {
    let (folder, table) = file(300, "y");
    let terms = LedgerTerms::new("100".parse().unwrap());
    let ledger = Ledger::create(folder.path().join("budget.txt"), terms).unwrap();
    let unknown = FitModel::new(linear(1)).features(["age", "weight"]);
    assert_eq!(
        unknown.run_with_ledger(&table, &ledger, "").unwrap_err().kind(),
        ErrorKind::Request
    );
    let many = FitModel::new(linear(9));
    assert_eq!(many.run_with_ledger(&table, &ledger, "").unwrap_err().kind(), ErrorKind::Request);
    assert_eq!(ledger.read().unwrap().left(), "100");
}

/// A table in which each row of [`text`] occurs twice, as rows of one person, gives the same model
/// to the bit; only the unit differs.
#[test]
fn people_with_equal_rows_fit_like_rows() {
    use crate::table::{TableFacts, TargetColumn};
    let folder = tempfile::tempdir().unwrap();
    let table = |times: usize, unit: bool| {
        let text = text(3000);
        let mut lines = text.lines();
        let mut repeated = format!("who,{}\n", lines.next().unwrap());
        // Rows of one person lie apart.
        let rows: Vec<String> = lines.enumerate().map(|(i, row)| format!("p{i},{row}\n")).collect();
        (0..times).for_each(|_| repeated.extend(rows.iter().map(String::as_str)));
        let path = folder.path().join(format!("{times}-{unit}.csv"));
        std::fs::write(&path, repeated).unwrap();
        move |target: &str| {
            let mut exclude = vec![(if target == "y" { "class" } else { "y" }).into()];
            exclude.extend((!unit).then(|| "who".into()));
            FileTable::new(path.clone()).facts(TableFacts {
                target: TargetColumn::Named(target.into()),
                exclude,
                unit: unit.then(|| "who".into()),
                ..Default::default()
            })
        }
    };
    let (rows, people) = (table(1, false), table(4, true));
    for (request, target) in [(linear(2), "y"), (logistic(2), "class")] {
        let fit = |table: &FileTable| {
            FitModel::new(request.clone().epsilon(30)).seed(9).run(table).unwrap()
        };
        let (of_rows, of_people) = (fit(&rows(target)), fit(&people(target)));
        assert_eq!(
            of_rows.model.as_ref().unwrap().features,
            of_people.model.as_ref().unwrap().features
        );
        assert_eq!(
            of_rows.model.as_ref().unwrap().intercept,
            of_people.model.as_ref().unwrap().intercept
        );
        assert_eq!(of_rows.rows_estimate, of_people.rows_estimate);
        assert_eq!(
            (
                of_rows.model.as_ref().unwrap().guarantee.unit.as_str(),
                of_people.model.as_ref().unwrap().guarantee.unit.as_str()
            ),
            ("row", "person")
        );
    }
    // If each row is a different person, it is another table.
    let alone = FitModel::new(linear(2).epsilon(30)).seed(9).run(&table(4, false)("y")).unwrap();
    assert_ne!(alone.rows_estimate.unwrap() / 1000, 3);

    let terms = || LedgerTerms::new("60".parse().unwrap());
    let ledger = |name: &str, terms| Ledger::create(folder.path().join(name), terms).unwrap();
    let request = FitModel::new(linear(2).epsilon(30).target(Target::Numeric));
    let charges = |ledger: &Ledger| request.run_with_ledger(&people("y"), ledger, "");
    let refused = charges(&ledger("rows.txt", terms())).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Request, "{refused}");
    let of_people = ledger("people.txt", terms().unit(crate::privacy::Unit::Person));
    assert_eq!(charges(&of_people).unwrap().guarantee.unit, crate::privacy::Unit::Person);
    let mean = linear(2).unit_target(crate::table::UnitTarget::Mean);
    assert!(FitModel::new(mean.clone()).run(&rows("y")).is_err());
    assert!(FitModel::new(mean).run(&people("y")).is_ok());
}

/// A ledger finds that people are protected even if bounds are read from a pipe.
#[cfg(unix)]
#[test]
fn ledgers_protect_people_when_bounds_are_piped() {
    let (folder, table) = file(60, "y");
    let facts = crate::table::TableFacts {
        unit: Some("age".into()),
        target: crate::table::TargetColumn::Named("y".into()),
        ..Default::default()
    };
    let (table, pipe) = (table.facts(facts), folder.path().join("bounds"));
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let terms = LedgerTerms::new("9".parse().unwrap());
    let range = Bounds::new(0.0, 300.0).unwrap();
    let select = Select::new(1).epsilon(5).bounds_file(&pipe).target(Target::Bounded(range));
    let request = FitModel::new(select).features(["dose"]);
    let rows = Ledger::create(folder.path().join("rows.txt"), terms.clone()).unwrap();
    let refused = request.run_with_ledger(&table, &rows, "").unwrap_err();
    assert_eq!((refused.kind(), rows.read().unwrap().spent()), (ErrorKind::Request, "0".into()));
    let people = terms.unit(crate::privacy::Unit::Person);
    let people = Ledger::create(folder.path().join("people.txt"), people).unwrap();
    let writer = std::thread::spawn(move || std::fs::write(pipe, "feature,lo,hi\n*,0,100\n"));
    assert!(request.run_with_ledger(&table, &people, "").is_ok());
    writer.join().unwrap().unwrap();
}

/// Two people of 20,000 rows each, every row of the least weight: they count as two at most.
#[test]
fn people_of_many_rows_count_as_one_each() {
    let row = |i: usize| format!("p{},{},{}\n", i % 2, i % 7, i % 5);
    let text = format!("who,a,y\n{}", (0..40_000).map(row).collect::<String>());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.csv");
    std::fs::write(&path, text).unwrap();
    let facts = crate::table::TableFacts { unit: Some("who".into()), ..Default::default() };
    let table = FileTable::new(path).facts(facts);
    let range = Bounds::new(0.0, 9.0).unwrap();
    let select = linear(1).epsilon(10_000).bounds(0.0, 9.0).target(Target::Bounded(range));
    let fitted = FitModel::new(select).features(["a"]).seed(1).run(&table).unwrap();
    assert!(fitted.rows_estimate.unwrap() <= 2, "{fitted:?}");
}

#[test]
fn requests_are_checked() {
    let fit = |select: Select| FitModel::new(select);
    let three = Target::classes(["a", "b", "c"]);
    for wrong in [
        fit(Select::new(2)),
        fit(linear(0)),
        fit(linear(101)),
        fit(linear(2).counts_per_million()),
        fit(linear(2).target(three)),
        fit(linear(2).delta("0.1")),
        fit(linear(2).bounds(1.0, 0.0)),
        fit(linear(2)).selection_share(0),
        fit(linear(2)).selection_share(1),
        fit(linear(2)).ranges("x"),
        fit(linear(2)).lambda(3.0),
        fit(logistic(2)).lambda(f64::NAN),
        fit(logistic(2)).lambda(1e-4),
        fit(linear(2)).features(["a"]).selection_share("0.5"),
        fit(linear(2)).features(["a", "a"]),
        fit(linear(2)).features(Vec::<String>::new()),
        fit(linear(2)).features((0..101).map(|i| i.to_string())),
    ] {
        assert_eq!(wrong.check_ref().unwrap_err().kind(), ErrorKind::Request, "{wrong:?}");
        assert!(wrong.seed(1).check().is_err());
    }
    assert!(fit(linear(2).delta("1e-6").neighbors(Neighbors::ReplaceOne)).check().is_ok());
    assert!(fit(logistic(2).score(ScoreKind::Kendall)).lambda(3.0).check().is_ok());
}

/// A delta is spent only where it lowers the noise.
#[test]
fn deltas_are_spent_only_if_they_lower_the_noise() {
    let names: Vec<String> = (0..16).map(|i| format!("f{i}")).collect();
    let row = |i: usize| {
        (0..17).map(|j| ((i * 7 + j * j * 13) % 23).to_string()).collect::<Vec<_>>().join(",")
    };
    let rows: Vec<String> = (0..2000).map(row).collect();
    let text = format!("{},y\n{}\n", names.join(","), rows.join("\n"));
    let bounded = Select::new(1).epsilon(1).delta("1e-6").bounds(0.0, 22.0);
    let select = bounded.target(Target::Bounded(Bounds::new(0.0, 22.0).unwrap()));
    let fit = |names: &[String]| {
        FitModel::new(select.clone())
            .features(names.iter().cloned())
            .run(&once(text.clone()))
            .unwrap()
    };
    let (few, many) = (fit(&names[..2]), fit(&names));
    assert!(few.guarantee.delta.is_zero() && !few.warnings.is_empty());
    assert_eq!(many.guarantee.delta.to_string(), "1e-6");
    assert_eq!(many.model.as_ref().unwrap().guarantee.delta, "1e-6");
    assert!(many.guarantee.events[0].to_string().starts_with("zcdp:"));
}

#[test]
fn models_survive_a_round_trip() {
    for (target, select) in [("y", linear(2)), ("class", logistic(1))] {
        let (_folder, table) = file(2000, target);
        let record = FitModel::new(select).seed(3).run(&table).unwrap();
        let text = record.model.as_ref().unwrap().to_json().unwrap();
        assert_eq!(Some(Model::from_json(&text).unwrap()), record.model);
        // The previous format, which is the same without levels.
        let before = text.replacen("\"format\": 2", "\"format\": 1", 1);
        let read = Model::from_json(&before).unwrap();
        assert_eq!(record.model.as_ref().map(|model| &model.features), Some(&read.features));
        for (from, to) in [
            ("\"format\": 2", "\"format\": 3"),
            ("\"name\": \"dose\"", "\"name\": \"dose\", \"level\": \"I\""),
            ("\"name\": \"dose\"", "\"name\": \"dose\", \"reference\": \"I\""),
            ("\"name\": \"dose\"", "\"name\": \"dose\", \"level\": \"I\", \"reference\": \"I\""),
            ("\"kind\": \"l", "\"kind\": \"x"),
            ("the middle", "the mean"),
            ("\"intercept\": ", "\"intercept\": 1e999, \"x\": "),
            ("\"range\": [", "\"range\": [1e300, "),
            ("\"version\"", "\"other\""),
        ] {
            let wrong = text.replacen(from, to, 1);
            assert_ne!(wrong, text, "{from}");
            assert_eq!(Model::from_json(&wrong).unwrap_err().kind(), ErrorKind::Input, "{from}");
        }
    }
}

/// Text separates the classes, and a number does so a little: the number is selected.
#[test]
fn selections_for_models_use_numbers_only() {
    let row = |i: usize| {
        let class = i % 2;
        let word = ["low", "high"][class];
        format!("{word},{},{},{word}er\n", i * 7 % 50 + 25 * class, i * 31 % 97)
    };
    let rows: String = (0..2000).map(row).collect();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.csv");
    std::fs::write(&path, format!("stage,dose,noise,y\n{rows}")).unwrap();
    let select = Select::new(1).epsilon(8).target(Target::classes(["lower", "higher"]));
    let record = select.clone().seed(1).run(&path).unwrap();
    assert_eq!(record.selected[0].name, "stage");
    let fitted = FitModel::new(select).seed(1).run(&path).unwrap();
    let model = fitted.model.as_ref().unwrap();
    assert_eq!(model.feature_names().collect::<Vec<_>>(), ["dose"]);
    // The report gives the size of the noise, which depends on epsilon alone.
    assert!(model.features[0].noise.unwrap() > 0.0 && model.features[0].coefficient > 0.0);
}

/// A given range of the target is for the model: the selection is that without one.
#[test]
fn a_range_of_the_target_is_for_the_model() {
    let (_folder, table) = file(2000, "y");
    let of = |select: Select| {
        let fitted = FitModel::new(select.epsilon(3)).seed(5).run(&table).unwrap().into_inner();
        fitted.selection.unwrap()
    };
    let given = of(linear(2).target(Target::Bounded(Bounds::new(-20.0, 250.0).unwrap())));
    assert_eq!(given, of(linear(2)));
    assert!(given.released.target_median.is_some());
}

/// With few rows the model is the mean of the target; with fewer there is no model, and the names
/// are still released.
#[test]
fn few_rows_have_a_mean_or_no_model() {
    let fit = |rows: usize, epsilon: u32| {
        let (_folder, table) = file(rows, "y");
        let range = Target::Bounded(Bounds::new(-20.0, 250.0).unwrap());
        let select = linear(2).epsilon(epsilon).target(range);
        FitModel::new(select).seed(2).run(&table).unwrap().into_inner()
    };
    let none = fit(20, 1);
    assert!(none.model.is_none() && none.selection.unwrap().selected.len() == 2);
    let mean = fit(150, 2);
    let model = mean.model.unwrap();
    assert!(model.features.iter().all(|feature| feature.coefficient == 0.0));
    // The mean of y is about 143.
    for row in [[20.0, 0.0], [79.0, 10.0], [f64::NAN, 1e9]] {
        let predicted = model.predict(&row).unwrap();
        assert_eq!(predicted, model.intercept);
        assert!((predicted - 143.0).abs() < 40.0, "{predicted}");
    }
    assert!(mean.guarantee.events.iter().all(|event| event.to_string().starts_with("pure:")));
    let whole = fit(3000, 8).model.unwrap();
    assert!(whole.features.iter().any(|feature| feature.coefficient != 0.0));
    // Predictions stay in the range of the target.
    let names: Vec<&str> = whole.feature_names().collect();
    let far: Vec<f64> = names.iter().map(|name| if *name == "dose" { -1e9 } else { 1e9 }).collect();
    assert!(whole.predict(&far).unwrap() <= 250.0);
}

/// Values and ranges near the largest numbers are no error: a model whose numbers are not finite is
/// not released.
#[test]
fn the_largest_numbers_are_no_error() {
    let rows = (0..400).map(|i| match i % 2 {
        0 => "1e308,1.7e308\n",
        _ => "-1e308,-1.7e308\n",
    });
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.csv");
    std::fs::write(&path, "a,y\n".to_owned() + &rows.collect::<String>()).unwrap();
    let table = FileTable::new(path);
    let given = Target::Bounded(Bounds::new(-1.7e308, 1.7e308).unwrap());
    for target in [given, Target::Numeric] {
        let without_model = (0..12).filter(|&seed| {
            let fit = FitModel::new(Select::new(1).epsilon(40).target(target.clone()));
            fit.features(["a"]).seed(seed).run(&table).unwrap().model.is_none()
        });
        assert!(without_model.count() < 12);
    }
}

/// A table is opened once for selection and model.
#[test]
fn a_table_is_opened_once() {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use crate::table::{CellFormat, Open, Opening, Schema, Table};

    struct Counted<'a>(&'a FileTable, AtomicUsize);

    #[allow(private_interfaces, reason = "sealed: nobody outside can call it")]
    impl Open for Counted<'_> {
        fn open(&self, opening: &Opening<'_>) -> Result<Box<dyn Table + '_>> {
            self.1.fetch_add(1, Ordering::Relaxed);
            self.0.open(opening)
        }

        fn header(&self, opening: &Opening<'_>) -> Result<Schema> {
            self.0.header(opening)
        }

        fn cells(&self) -> CellFormat {
            Open::cells(self.0)
        }

        fn repeats(&self) -> bool {
            self.0.repeats()
        }

        fn has_number_target(&self, opening: &Opening<'_>) -> Result<bool> {
            self.0.has_number_target(opening)
        }
    }

    let (_folder, table) = file(500, "y");
    let counted = Counted(&table, AtomicUsize::new(0));
    FitModel::new(linear(1)).seed(1).run(&counted).unwrap();
    assert_eq!(counted.1.into_inner(), 1);
}

/// A dry run and the run's warning give the same number of rows, in the same text; the epsilon that
/// is given for the counted rows would be enough for them.
#[test]
fn plans_and_runs_require_equal_rows() {
    for (target, select) in [("y", linear(2)), ("class", logistic(2))] {
        let (_folder, table) = file(60, target);
        let fit = |epsilon: f64| {
            let select = select.clone().epsilon(epsilon.to_string().as_str());
            FitModel::new(select.threads(1)).seed(4)
        };
        let plan = fit(2.0).dry_run(&table).unwrap();
        let found = fit(2.0).run(&table).unwrap().into_inner();
        assert_eq!((found.rows_needed, &found.needs), (plan.rows_needed, &plan.needs));
        let warning = found.warnings.iter().find(|one| one.kind == WarningKind::FewRows).unwrap();
        assert!(warning.text.contains(&plan.needs), "{target}: {}", warning.text);
        let rows = found.rows_estimate.unwrap();
        let named = warning.text.split("epsilon ").nth(1).and_then(|text| text.split(' ').next());
        if let Some(epsilon) = named.map(|text| text.parse().unwrap()) {
            assert!(fit(epsilon).dry_run(&table).unwrap().rows_needed <= rows, "{target}");
        }
    }
    // One of the two counts enough rows for an epsilon up to 10.
    let (_folder, table) = file(150, "class");
    let fit = FitModel::new(logistic(2).epsilon(2)).seed(1).run(&table).unwrap();
    let texts: Vec<&str> = fit.warnings.iter().map(|one| one.text.as_str()).collect();
    assert!(texts.iter().any(|text| text.contains("a new run would need epsilon ")), "{texts:?}");
}

/// A model without a coefficient that is distinguishable from 0 has a warning; one of many rows
/// does not.
#[test]
fn models_of_noise_have_a_warning() {
    let warned = |rows: usize, epsilon: u32, seed: u64| {
        let (_folder, table) = file(rows, "class");
        // With ranges, whose rows need not be counted.
        let select = logistic(2).epsilon(epsilon).bounds(0.0, 100.0);
        let fit = FitModel::new(select).features(["age", "noise"]).seed(seed).run(&table).unwrap();
        let all: Vec<bool> = fit
            .model
            .iter()
            .flat_map(|model| &model.features)
            .map(|feature| feature.coefficient.abs() <= 2.0 * feature.noise.unwrap())
            .collect();
        let warned = fit.warnings.iter().any(|one| one.kind == WarningKind::NoCoefficient);
        assert_eq!(warned, all.iter().all(|like_zero| *like_zero), "{all:?}");
        warned
    };
    assert!((0..20).filter(|seed| warned(60, 1, *seed)).count() > 10);
    let (_folder, table) = file(3000, "class");
    let clear = FitModel::new(logistic(2)).features(["dose"]).seed(1).run(&table).unwrap();
    assert!(clear.warnings.iter().all(|one| one.kind != WarningKind::NoCoefficient));
}

/// Rows of two columns in units far from 0, a number that depends on the first, and a class of
/// about 70%.
fn small(rows: usize) -> String {
    let mut text = "age,size,y,class\n".to_owned();
    for i in 0..rows {
        let (age, size) = (40 + i * 7 % 31, 150 + i * 13 % 41);
        let (y, class) = (age as f64 + (i * 29 % 11) as f64, age + i * 29 % 11 > 52);
        text += &format!("{age},{size},{y},{}\n", if class { "yes" } else { "no" });
    }
    text
}

/// A fit of [`small`] rows, of the selection's features or of both.
fn small_fit(
    rows: usize,
    epsilon: &str,
    (classes, bounds, given): (bool, bool, bool),
    seed: u64,
) -> FitRecord {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.csv");
    std::fs::write(&path, small(rows)).unwrap();
    let facts = crate::table::TableFacts {
        target: crate::table::TargetColumn::Named(if classes { "class" } else { "y" }.into()),
        exclude: vec![if classes { "y" } else { "class" }.into()],
        ..Default::default()
    };
    let target = match (classes, bounds) {
        (true, _) => Target::classes(["no", "yes"]),
        (false, true) => Target::Bounded(Bounds::new(40.0, 80.0).unwrap()),
        (false, false) => Target::Numeric,
    };
    let select = Select::new(2).epsilon(epsilon).target(target);
    let select = if bounds { select.bounds(0.0, 200.0) } else { select };
    let fit = FitModel::new(select);
    let fit = if given { fit.features(["age", "size"]) } else { fit };
    fit.seed(seed).run(&FileTable::new(path).facts(facts)).unwrap().into_inner()
}

/// Whether the numbers of a model of [`small`] rows are possible, and its warning fits the model.
///
/// Values lie within 40 to 70 and 150 to 190, the target within 40 to 80. A range that is drawn
/// well has its middle at most 20 half-widths from 0, and the noise of a coefficient is at most 0.4
/// by the default lambda: log-odds up to 5 at the middle, and two slopes up to 2 per half-width,
/// make an intercept of at most 85. The mean of the target lies in its range, and slopes up to 5
/// for columns up to 70 and 190 make intercepts of at most 1380.
fn is_sound(fit: &FitRecord) -> bool {
    let Some(model) = &fit.model else { return true };
    let most = if model.kind == ModelKind::Logistic { 85.0 } else { 1380.0 };
    let is_constant = model.features.iter().all(|feature| feature.coefficient == 0.0);
    let warned = fit.warnings.iter().any(|one| one.kind == WarningKind::InterceptOnly);
    // A slope that the noise of a linear fit shrinks to 0 keeps its interval.
    let has_widths = model.features.iter().any(|feature| feature.low.is_some());
    model.intercept.abs() <= most
        && model.features.iter().all(|feature| feature.coefficient.abs() <= 5.0)
        && warned == (is_constant && !has_widths)
}

/// A lambda that is too small for epsilon releases noise: no coefficient is published, and the
/// share of the second class is pulled to 1/2.
#[test]
fn coefficients_of_noise_are_not_published() {
    let fit = |lambda: f64, seed: u64| {
        let (_folder, table) = file(60, "class");
        let select = logistic(2).epsilon("0.2").bounds(0.0, 100.0);
        let fit = FitModel::new(select).features(["age", "noise"]).lambda(lambda);
        let fit = fit.seed(seed).run(&table).unwrap().into_inner();
        let warned = fit.warnings.iter().any(|one| one.kind == WarningKind::InterceptOnly);
        let model = fit.model.unwrap();
        assert_eq!(warned, model.features.iter().all(|feature| feature.coefficient == 0.0));
        assert!(!warned || model.features.iter().all(|feature| feature.noise.is_none()));
        assert!(!warned || model.intercept.abs() < 4.6, "{}", model.intercept);
        warned
    };
    let count = |lambda: f64| (0..40).filter(|seed| fit(lambda, *seed)).count();
    assert!(count(0.1) > 30, "{}", count(0.1));
    // By the default, 31, the noise is less than 1/2.
    assert_eq!(count(31.0), 0);
}

/// No number of a model of few rows is absurd, and the warning is given where the model is a
/// constant: with and without a selection and bounds.
#[test]
fn models_of_few_rows_are_plausible() {
    let (mut constant, mut whole, mut none) = ([0; 2], [0; 2], [0; 2]);
    for rows in [0, 5, 10, 20, 50, 100, 200, 1500] {
        for (e, epsilon) in ["0.1", "0.5", "1", "2", "5"].into_iter().enumerate() {
            for case in 0..8u64 {
                let [classes, bounds, given] = [1, 2, 4].map(|bit| case & bit != 0);
                let fit = small_fit(rows, epsilon, (classes, bounds, given), case + 8 * e as u64);
                assert!(is_sound(&fit), "{rows} {epsilon} {classes} {bounds} {given}: {fit:?}");
                let at = usize::from(classes);
                match fit.model {
                    None => none[at] += 1,
                    Some(model) if model.features.iter().all(|f| f.coefficient == 0.0) => {
                        constant[at] += 1;
                    }
                    Some(_) => whole[at] += 1,
                }
            }
        }
    }
    // All kinds occur, and classes always have a model.
    assert!(constant[0] > 5 && whole[0] > 5 && none[0] > 5, "{constant:?} {whole:?} {none:?}");
    assert!(constant[1] > 20 && whole[1] > 5 && none[1] == 0, "{constant:?} {whole:?} {none:?}");
}

/// The check rejects the models that few rows had without the fallback: the ranges drawn, and the
/// coefficients in their units.
#[test]
fn fits_without_the_fallback_are_rejected() {
    use crate::model::{ModelBudget, ModelRequest, Regression, Rows, Term, TermValues, fit_model};
    use crate::table::Hooks;
    let term = |(place, name): (usize, &str)| Term {
        name: name.into(),
        place,
        values: TermValues::Numbers(None),
    };
    let part =
        |epsilon: &str| crate::privacy::Epsilon::part(Exact::from(epsilon).rational().unwrap());
    let rows = || Rows {
        columns: vec![
            (0..50).map(|i| (40 + i * 7 % 31) as f64).collect(),
            (0..50).map(|i| (150 + i * 13 % 41) as f64).collect(),
        ],
        targets: (0..50).map(|i| f64::from(u8::from(i * 17 % 10 < 7))).collect(),
        weights: None,
    };
    let largest = |uncounted: bool| {
        let of = |seed: u64| {
            let request = ModelRequest {
                regression: Regression::Logistic { lambda: None },
                terms: ["age", "size"].into_iter().enumerate().map(term).collect(),
                neighbors: Neighbors::AddRemove,
                budget: ModelBudget {
                    ranges: Some(part("0.3")),
                    model: part("0.7"),
                    delta: crate::privacy::Delta::zero(),
                },
                mean_only: false,
                counted: None,
                uncounted,
            };
            let source = Entropy::Seeded(seed).source().unwrap();
            let released = fit_model(&request, &rows(), &source, &Hooks::default()).unwrap();
            released.fit.unwrap().intercept.abs()
        };
        (0..200).map(of).fold(0.0, f64::max)
    };
    let (whole, broken) = (largest(true), largest(false));
    assert!(whole < 5.0 && broken > 1e6, "{whole} {broken}");
}

/// The default lambda depends on the request alone, is reported, and gives the same model when it
/// is given.
#[test]
fn default_lambda_depends_on_the_request_only() {
    let fit = |rows: usize, epsilon: u32| {
        let (_folder, table) = file(rows, "class");
        let select = logistic(1).epsilon(epsilon).bounds(0.0, 100.0);
        FitModel::new(select).features(["dose"]).seed(1).run(&table).unwrap().into_inner()
    };
    let (few, many) = (fit(300, 1), fit(3000, 1));
    assert_eq!((few.lambda, many.lambda), (Some(5.0), Some(5.0)));
    assert_eq!(fit(300, 4).lambda, Some(1.2));
    assert_eq!(fit(300, 1000).lambda, Some(0.5));
    let (_folder, table) = file(300, "class");
    let fit = FitModel::new(logistic(1).epsilon(1).bounds(0.0, 100.0)).features(["dose"]);
    let replaced = logistic(1).epsilon(1).bounds(0.0, 100.0).neighbors(Neighbors::ReplaceOne);
    let replaced = FitModel::new(replaced).features(["dose"]).check().unwrap();
    assert_eq!(replaced.dry_run(&table).unwrap().lambda, Some(10.0));
    let given = fit.clone().lambda(5.0).seed(1).run(&table).unwrap().into_inner();
    assert_eq!(given.model, few.model);
    assert_eq!(fit.check_ref().unwrap().dry_run(&table).unwrap().lambda, Some(5.0));
}

/// Features that are text by their type are refused before anything is spent, and the remedies
/// work.
#[cfg(feature = "batches")]
#[test]
fn text_needs_levels() {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray};
    use arrow_schema::{Field, Schema};

    use crate::table::as_objects;

    let numbers = |by: i32| -> ArrayRef {
        Arc::new(Float64Array::from_iter_values((0..400).map(|i| f64::from(i * by % 101))))
    };
    let stages = StringArray::from_iter_values((0..400).map(|i| ["I", "II"][i % 2]));
    let columns = [("age", numbers(7)), ("stage", Arc::new(stages)), ("y", numbers(13))];
    let table = |mark: fn(Field) -> Field| {
        let field = |(name, values): &(&str, ArrayRef)| {
            mark(Field::new(*name, values.data_type().clone(), true))
        };
        let schema = Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()));
        let values = columns.iter().map(|(_, values)| values.clone()).collect();
        let batch = RecordBatch::try_new(schema.clone(), values).unwrap();
        FileTable::from_batches(schema, [batch]).unwrap()
    };
    let folder = tempfile::tempdir().unwrap();
    let terms = LedgerTerms::new("9".parse().unwrap());
    let ledger = Ledger::create(folder.path().join("budget"), terms).unwrap();
    let fit = || FitModel::new(linear(1).epsilon(1).target(Target::Numeric));
    let typed = table(|field| field);
    let refused = |fit: FitModel, about: Parameter| {
        let error = fit.run_with_ledger(&typed, &ledger, "").unwrap_err();
        assert_eq!(error.parameters(), [Parameter::Levels, about], "{error}");
        let dry = fit.check_ref().unwrap().dry_run(&typed).unwrap_err();
        assert_eq!(dry.to_string(), error.to_string());
        assert!(fit.run(&typed).is_err());
        assert!(ledger.read().unwrap().entries.is_empty());
    };
    refused(fit(), Parameter::Exclude);
    refused(fit().features(["age", "stage"]), Parameter::Features);
    assert!(fit().levels(["stage=I,II".parse().unwrap()]).run(&typed).is_ok());
    assert!(fit().features(["age"]).run(&typed).is_ok());
    assert!(fit().run(&typed.clone().exclude(["stage"])).is_ok());
    assert!(fit().run(&table(as_objects)).is_ok());
}
