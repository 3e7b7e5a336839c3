//! Tests of whole fits.

use std::io::Cursor;

use num_rational::BigRational;
use num_traits::Zero;

use super::*;
use crate::data::{Bounds, FileTable};
use crate::error::ErrorKind;
use crate::model::{Model, ModelKind};
use crate::privacy::{LedgerTerms, Neighbors, Purpose};
use crate::select::{ScoreKind, Target, WarningKind};

/// Rows in which y = 3 age - 2 dose + 5 and the class depends on dose; every tenth dose is missing,
/// or a word.
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
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.csv");
    std::fs::write(&path, text(rows)).unwrap();
    let facts = crate::data::TableFacts {
        target: crate::data::TargetColumn::Named(target.into()),
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

#[test]
fn all_parts_sum_to_epsilon() {
    let (_folder, table) = file(3000, "y");
    let range = Bounds::new(0.0, 300.0).unwrap();
    let stated = linear(2).bounds(0.0, 100.0).target(Target::Bounded(range));
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
        (FitModel::new(linear(2)).estimates("0.1").share("1/3"), with_estimates.clone()),
        // A share that the selection states is not passed over.
        (FitModel::new(linear(1).estimates("0.1")).share("1/3"), with_estimates),
        (
            FitModel::new(stated.clone()),
            // The range is for the model: the selection splits the target.
            vec![Purpose::TargetMedian, Purpose::TargetCenter, Purpose::Selection, Purpose::Model],
        ),
        (FitModel::new(linear(1)).features(["age", "dose"]), vec![Purpose::Ranges, Purpose::Model]),
        (FitModel::new(stated).features(["age"]), vec![Purpose::Model]),
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

/// The same seed gives the same model, whatever the number of threads.
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
        let facts = crate::data::TableFacts {
            exclude: vec!["class".into()],
            target: crate::data::TargetColumn::Named("y".into()),
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
fn a_table_that_is_read_once_takes_stated_features() {
    let folder = tempfile::tempdir().unwrap();
    let terms = LedgerTerms::new("100".parse().unwrap());
    let ledger = Ledger::create(folder.path().join("budget.txt"), terms).unwrap();
    let request = FitModel::new(logistic(1));
    let selected = request.run_with_ledger(&once(text(300)), &ledger, "").unwrap_err();
    assert_eq!(selected.kind(), ErrorKind::Request);
    assert_eq!(request.run(&once(text(300))).unwrap_err().kind(), ErrorKind::Request);
    assert_eq!(ledger.read().unwrap().left(), "100");
    let stated = request.features(["dose", "age"]);
    let fitted = stated.run_with_ledger(&once(text(300)), &ledger, "a note").unwrap();
    assert_eq!(fitted.model.as_ref().unwrap().feature_names().collect::<Vec<_>>(), ["dose", "age"]);
    let balance = ledger.read().unwrap();
    assert_eq!(balance.left(), "50");
    assert!(fitted.ledger.is_some());
}

/// A request that the header shows to be wrong costs nothing.
#[test]
fn wrong_requests_cost_nothing() {
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

/// A table in which each row of [`text`] stands twice, as rows of one person, gives the same model:
/// of the same bits, but for the unit.
#[test]
fn people_with_equal_rows_are_rows() {
    use crate::data::{TableFacts, TargetColumn};
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
    // Each row as one of its own is another table.
    let alone = FitModel::new(linear(2).epsilon(30)).seed(9).run(&table(4, false)("y")).unwrap();
    assert_ne!(alone.rows_estimate.unwrap() / 1000, 3);

    let terms = || LedgerTerms::new("60".parse().unwrap());
    let ledger = |name: &str, terms| Ledger::create(folder.path().join(name), terms).unwrap();
    let request = FitModel::new(linear(2).epsilon(30).target(Target::Numeric));
    let pays = |ledger: &Ledger| request.run_with_ledger(&people("y"), ledger, "");
    let refused = pays(&ledger("rows.txt", terms())).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Request, "{refused}");
    let of_people = ledger("people.txt", terms().unit(crate::privacy::Unit::Person));
    assert_eq!(pays(&of_people).unwrap().guarantee.unit, crate::privacy::Unit::Person);
    let mean = linear(2).unit_target(crate::data::UnitTarget::Mean);
    assert!(FitModel::new(mean.clone()).run(&rows("y")).is_err());
    assert!(FitModel::new(mean).run(&people("y")).is_ok());
}

/// Bounds from a pipe do not hide from a ledger that people are protected.
#[cfg(unix)]
#[test]
fn a_ledger_knows_people_where_bounds_are_read_once() {
    let (folder, table) = file(60, "y");
    let facts = crate::data::TableFacts {
        unit: Some("age".into()),
        target: crate::data::TargetColumn::Named("y".into()),
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
    let facts = crate::data::TableFacts { unit: Some("who".into()), ..Default::default() };
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
        fit(linear(2)).share(0),
        fit(linear(2)).share(1),
        fit(linear(2)).ranges("x"),
        fit(linear(2)).lambda(3.0),
        fit(logistic(2)).lambda(f64::NAN),
        fit(logistic(2)).lambda(1e-4),
        fit(linear(2)).features(["a"]).share("0.5"),
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

/// A delta is spent where it lowers the noise, and is not where it does not.
#[test]
fn deltas_are_spent_where_they_pay() {
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
fn models_are_read_as_they_were_written() {
    for (target, select) in [("y", linear(2)), ("class", logistic(1))] {
        let (_folder, table) = file(2000, target);
        let record = FitModel::new(select).seed(3).run(&table).unwrap();
        let text = record.model.as_ref().unwrap().to_json().unwrap();
        assert_eq!(Some(Model::from_json(&text).unwrap()), record.model);
        for (from, to) in [
            ("\"format\": 1", "\"format\": 2"),
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

/// Words tell the classes apart, and a number does so a little: the number is selected.
#[test]
fn a_selection_for_a_model_sees_numbers() {
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
    // Of its noise, which epsilon alone decides, the report says what it hides.
    assert!(model.features[0].noise.unwrap() > 0.0 && model.features[0].coefficient > 0.0);
}

/// A stated range of the target is for the model: the selection is that without one.
#[test]
fn a_range_of_the_target_is_for_the_model() {
    let (_folder, table) = file(2000, "y");
    let of = |select: Select| {
        let fitted = FitModel::new(select.epsilon(3)).seed(5).run(&table).unwrap().into_inner();
        fitted.selection.unwrap()
    };
    let stated = of(linear(2).target(Target::Bounded(Bounds::new(-20.0, 250.0).unwrap())));
    assert_eq!(stated, of(linear(2)));
    assert!(stated.released.target_median.is_some());
}

/// With few rows the model is the mean of the target; with fewer there is none, and the names are
/// there all the same.
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
    // That of y is about 143.
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

/// A table is opened once for selection and model.
#[test]
fn a_table_is_opened_once() {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use crate::data::{Open, Opening, Schema, Table};

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

/// A dry run and the run's warning name one number of rows, in the same words; the epsilon that is
/// named for the rows that were counted would do for them.
#[test]
fn a_plan_and_a_run_need_the_same() {
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
    assert!(texts.iter().any(|text| text.contains("a new run at epsilon ")), "{texts:?}");
}

/// A model without a coefficient that is distinguishable from 0 says so; one of many rows does not.
#[test]
fn a_model_of_noise_says_so() {
    let warned = |rows: usize, epsilon: u32, seed: u64| {
        let (_folder, table) = file(rows, "class");
        let select = logistic(2).epsilon(epsilon);
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
