//! Tables without usable rows: a run ends or continues by released counts only, so that outputs for
//! tables with 0, 1 and 2 usable rows have similar distributions. Each pair of neighboring tables
//! is drawn from often enough to refute a run that ends on an exact zero.

#![allow(clippy::panic)] // tests fail by panicking

use dpsis::verify::{Claim, Tally};
use dpsis::{
    Bounds, Covariate, Error, FileTable, FitModel, Levels, Method, NotPrivate, Record, Scaling,
    ScoreKind, Select, Target, TwoStage,
};
use dpsis_mechanisms::support::effort::exhaustive;
use std::io::Cursor;
use std::path::Path;

/// The runs on each table.
fn draws() -> u64 {
    if exhaustive() { 150 } else { 60 }
}

const EPSILON: &str = "0.1";

/// The output of a run on a table with a seed.
type Route<'a> = (&'a str, Box<dyn Fn(&str, u64) -> String + 'a>);

/// The outcome of a run. Released counts alone end one, before the rest of its budget is spent.
fn outcome(result: Result<NotPrivate<Record>, Error>) -> String {
    match result.map(NotPrivate::into_inner) {
        Ok(record) => {
            let names: Vec<&str> = record.selected.iter().map(|one| one.name.as_str()).collect();
            let some = record.released.rows_estimate.map(|rows| rows > 0);
            format!("{names:?} {some:?}")
        }
        Err(error) => {
            assert!(error.unspent().is_some(), "{error}");
            "ended by counts".to_owned()
        }
    }
}

const HEADER: &str = "who,a,b,c,batch,y\n";

/// Rows that take no part in any of the routes: of another label, batch and person.
const OTHERS: [&str; 4] =
    [",1,2,3,North,other\n", ",2,1,3,South,\n", ",,NA,x,North,12 mg\n", "-9,4,4,4,-9,-9\n"];

/// Rows that take part in all of them.
const USABLE: [&str; 2] = ["p1,1,0,1,East,1\n", "p2,0,1,1,West,0\n"];

/// A table of rows that take no part, and of some that do.
fn text(others: &[&str], usable: usize) -> String {
    [&[HEADER], others, &USABLE[..usable]].concat().concat()
}

fn table(text: &str) -> FileTable {
    FileTable::from_reader(Cursor::new(text.to_owned())).exclude(["who"]).missing(["-9"])
}

fn select() -> Select {
    Select::new(1).epsilon(EPSILON)
}

fn classes() -> Select {
    select().target(Target::classes(["0", "1"]))
}

fn file(folder: &Path, text: &str) -> FileTable {
    let path = folder.join("table.csv");
    std::fs::write(&path, text).unwrap();
    FileTable::new(path).missing(["-9"])
}

/// A line before the header of features as rows: no line of samples becomes the name of a feature.
#[test]
fn no_line_of_samples_is_a_name() {
    let folder = tempfile::tempdir().unwrap();
    let targets = folder.path().join("targets.csv");
    std::fs::write(&targets, "who,v\np1,1\np2,0\n").unwrap();
    for (before, delimiter) in ["", "\r", "# exported 2024", "Genotypes"]
        .iter()
        .flat_map(|line| [(line, ','), (line, '\t')])
    {
        let cells = |line: &str| line.replace(',', &delimiter.to_string());
        let text = format!("{before}\n{}", cells("snp,p1,p2\nrs1,AA,GG\nrs2,AG,AG\n"));
        let path = folder.path().join("table.csv");
        std::fs::write(&path, text).unwrap();
        for given in [None, Some(delimiter as u8)] {
            let table = FileTable::new(&path).orientation(dpsis::Orientation::FeaturesAsRows);
            let table = table.target_file(&targets);
            let table = match given {
                Some(delimiter) => table.delimiter(delimiter),
                None => table,
            };
            let planned = classes().check().unwrap().dry_run(&table);
            let released = classes().seed(1).run(&table);
            for error in [planned.err().unwrap(), released.err().unwrap()] {
                assert_eq!(error.kind(), dpsis::ErrorKind::Input, "{before:?}: {error}");
                assert!(!error.to_string().contains("AA"), "{error}");
            }
        }
    }
}

/// With features as rows, blank lines are skipped and a header is recognized for any number of
/// samples, also for zero.
#[test]
fn features_as_rows_without_a_sample() {
    let folder = tempfile::tempdir().unwrap();
    let targets = folder.path().join("targets.csv");
    std::fs::write(&targets, "who,v\np1,1\np2,0\n").unwrap();
    let texts = [
        "gene\nA\nB\n\n",
        "gene\r\nA\r\n\r\nB\r\n",
        "gene,p1\nA,1\nB,0\n\n",
        // An unnamed corner, and one that starts like a comment.
        "\nA\nB\n",
        "\r\nA\r\nB\r\n",
        "\"\"\nA\n\nB\n",
        ",p1\nA,1\nB,0\n",
        "#gene\nA\nB\n",
        "#gene,p1\nA,1\nB,0\n",
        "#gene,p1\n#A,1\nB,0\n",
    ];
    for text in texts {
        let header = folder.path().join("table.csv");
        std::fs::write(&header, text).unwrap();
        let header = FileTable::new(header).delimiter(b',').target_file(&targets);
        let header = header.orientation(dpsis::Orientation::FeaturesAsRows);
        assert_eq!(classes().check().unwrap().dry_run(&header).unwrap().features, 2, "{text:?}");
        let table = FileTable::from_reader(Cursor::new(text.to_owned()));
        let table = table.delimiter(b',').orientation(dpsis::Orientation::FeaturesAsRows);
        let table = table.target_file(&targets);
        outcome(classes().seed(1).run(&table));
    }
}

fn routes(folder: &Path) -> Vec<Route<'_>> {
    let simple = |name: &'static str, select: Select| -> Route<'static> {
        let exclude = move |text: &str| match select.clone() {
            select if name.contains("batches") => (select, table(text)),
            select => (select, table(text).exclude(["who", "batch"])),
        };
        let run = move |text: &str, seed: u64| {
            let (select, table) = exclude(text);
            outcome(select.seed(seed).run(&table))
        };
        (name, Box::new(run))
    };
    let unit = Bounds::new(0.0, 1.0).unwrap();
    let numbers = || select().target(Target::Bounded(unit));
    let adjusted =
        |select: Select| select.adjust([Covariate::levels("batch", ["East", "West"]).unwrap()]);
    let mut routes = vec![
        simple("classes", classes()),
        simple(
            "classes without k",
            Select::significant().epsilon(EPSILON).target(Target::classes(["0", "1"])),
        ),
        simple("three classes", select().target(Target::classes(["0", "1", "2"]))),
        simple("numbers", select()),
        simple("bounded numbers", numbers()),
        simple("directions", classes().direction("0.05")),
        simple("a public center", numbers().center(dpsis::Center::Given(0.5))),
        simple("correlation", classes().bounds(0.0, 4.0)),
        simple("correlation with numbers", select().bounds(0.0, 4.0)),
        simple("bins", classes().bounds(0.0, 4.0).score(ScoreKind::Ks)),
        simple("row ranks", classes().scaling(Scaling::RowRank)),
        simple("kendall", select().score(ScoreKind::Kendall)),
        simple("dpkendall", select().method(Method::DpKendall)),
        simple(
            "two stages",
            classes().bounds(0.0, 4.0).method(Method::TwoStage(TwoStage::default())),
        ),
        simple("batches", adjusted(classes())),
        simple("batches and numbers", adjusted(numbers())),
    ];
    let in_file = |select: Select, of: fn(FileTable) -> FileTable| {
        move |text: &str, seed: u64| outcome(select.clone().seed(seed).run(&of(file(folder, text))))
    };
    let people = |table: FileTable| table.unit("who").exclude(["batch"]);
    routes.push(("people", Box::new(in_file(classes(), people))));
    let targets = folder.join("targets.csv");
    std::fs::write(&targets, "who,v\np1,1\np2,0\n").unwrap();
    let joined = move |text: &str, seed: u64| {
        let table = file(folder, text).id("who").exclude(["batch", "y"]).target_file(&targets);
        outcome(classes().seed(seed).run(&table))
    };
    routes.push(("a target file", Box::new(joined)));
    let partials = |text: &str, seed: u64| {
        let seeded = classes().bounds(0.0, 4.0).seed(seed);
        let request = classes().bounds(0.0, 4.0);
        let partial = request.partial(&table(text).exclude(["who", "batch"]), None).unwrap();
        outcome(seeded.release(&partial))
    };
    routes.push(("partials", Box::new(partials)));
    let parts = |text: &str, seed: u64| {
        let seeded = classes().seed(seed);
        let table = || table(text).exclude(["who", "batch"]);
        let mut before = None;
        let run = seeded.run_in_parts(|released| {
            let Some(released) = released else {
                before = Some(classes().stage_partial(&table(), None)?);
                return Ok(before.clone().unwrap());
            };
            let chunks = classes().column_chunks(&table(), released, 8)?;
            let scores = released.score_chunks(chunks.iter().map(Vec::as_slice), Some(1))?;
            before.take().unwrap().with_columns(released, scores)
        });
        outcome(run)
    };
    routes.push(("columns in parts", Box::new(parts)));
    let fit = |features: bool, levels: bool, target: Target| {
        move |text: &str, seed: u64| {
            let model = FitModel::new(select().target(target.clone()).bounds(0.0, 4.0));
            let model = if features { model.features(["a"]) } else { model };
            let model = match levels {
                true => model.levels([Levels::new("batch", ["East", "West"]).unwrap()]),
                false => model,
            };
            let model = if levels { model.features(["a", "batch"]) } else { model };
            let exclude = if levels { vec!["who"] } else { vec!["who", "batch"] };
            match model.seed(seed).run(&file(folder, text).exclude(exclude)) {
                Ok(record) => {
                    let record = record.into_inner();
                    format!("{:?}", (record.model.is_some(), record.rows_estimate.map(|n| n > 0)))
                }
                Err(error) => {
                    assert!(error.unspent().is_some(), "{error}");
                    "ended by counts".to_owned()
                }
            }
        }
    };
    let two = || Target::classes(["0", "1"]);
    routes.push(("fit", Box::new(fit(false, false, two()))));
    routes.push(("fit of features", Box::new(fit(true, false, two()))));
    routes.push(("fit of levels", Box::new(fit(true, true, two()))));
    routes.push(("fit of numbers", Box::new(fit(true, false, Target::Bounded(unit)))));
    routes
}

/// Whether the outcomes of a route on two tables are consistent with the epsilon of a run.
fn consistent(route: &dyn Fn(&str, u64) -> String, tables: [&str; 2]) -> bool {
    let mut tally = Tally::new();
    for seed in 0..draws() {
        for (second, text) in tables.into_iter().enumerate() {
            tally.add(second == 1, route(text, 2 * seed + second as u64));
        }
    }
    tally.judge(&Claim::new(EPSILON.parse().unwrap())).consistent
}

/// Tables with 0, 1 and 2 usable rows, with others or alone. A run that ends on an exact zero is
/// refuted by as many draws.
#[test]
fn runs_end_by_released_counts_alone() {
    let folder = tempfile::tempdir().unwrap();
    for (name, route) in routes(folder.path()) {
        // Without other rows, too, in `.ci/full`.
        let others_of: [&[&str]; 2] = [&OTHERS, &[]];
        for others in &others_of[..if exhaustive() { 2 } else { 1 }] {
            let texts = [0, 1, 2].map(|usable| text(others, usable));
            for pair in texts.windows(2) {
                assert!(consistent(&route, [&pair[0], &pair[1]]), "{name}: {pair:?}");
            }
            let ends_on_zero = |text: &str, seed: u64| match text.contains("p1,") {
                true => route(text, seed),
                false => "the table has no usable row".to_owned(),
            };
            assert!(!consistent(&ends_on_zero, [&texts[0], &texts[1]]), "{name}");
        }
    }
}
