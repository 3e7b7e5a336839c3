//! A column of identifiers means one row per person: rows that share an identifier are left out, in
//! every score, format and interface of the library.

use dpsis::{
    Covariate, ErrorKind, FileTable, FileTables, FitModel, Ledger, LedgerTerms, Method, NotPrivate,
    Record, Scaling, ScoreKind, Select, Target, TwoStage,
};
use std::io::Cursor;
use std::path::Path;

const HEADER: &str = "who,a,b,c,batch,y\n";

/// Rows of people with one row each, with identifiers of their own.
fn singles() -> Vec<String> {
    (0..120).map(|i| row(&format!("p{i}"), i)).collect()
}

fn row(who: &str, i: usize) -> String {
    let (y, batch) = (i % 2, ["North", "South"][i % 3 / 2]);
    format!("{who},{},{},{},{batch},{y}\n", i * 7 % 11, y * 5 + i % 4, i % 13)
}

/// Rows of people with two to five rows, and without an identifier, among those with one.
fn with_repeated() -> Vec<String> {
    let mut rows = singles();
    for (who, m) in [("q1", 2), ("q2", 3), ("q3", 5), ("q4", 2), ("NA", 2), ("", 1)] {
        for i in 0..m {
            rows.insert(i * 37 % rows.len(), row(who, 5 * i + m));
        }
    }
    // Identifiers are compared without blanks, and among rows without a usable target.
    rows.push(row(" q4 ", 9));
    rows.push("q5,1,2,3,North,\n".to_owned());
    rows.push("q5,1,2,3,North,1\n".to_owned());
    rows
}

/// The rows that take part and, without a target, the number of other rows that are counted.
fn reduced() -> Vec<String> {
    // q2: 1, q3: 3, q4: 1, and three without an identifier.
    let unusable = (0..8).map(|i| format!("u{i},1,2,3,North,\n"));
    singles().into_iter().chain(unusable).collect()
}

fn text(rows: &[String]) -> String {
    HEADER.to_owned() + &rows.concat()
}

fn file(folder: &Path, name: &str, rows: &[String]) -> FileTable {
    let path = folder.join(name);
    std::fs::write(&path, text(rows)).unwrap();
    FileTable::new(path)
}

fn requests() -> Vec<(&'static str, Select)> {
    let base = || Select::new(1).epsilon("4");
    let classes = || base().target(Target::classes(["0", "1"]));
    vec![
        ("ks", classes()),
        ("ks without k", Select::significant().epsilon("4").target(Target::classes(["0", "1"]))),
        ("numbers", base()),
        ("several passes", classes().column_memory(1000)),
        ("correlation", classes().bounds(0.0, 10.0)),
        ("correlation with numbers", base().bounds(0.0, 10.0)),
        ("bins", classes().bounds(0.0, 10.0).score(ScoreKind::Ks)),
        ("row ranks", classes().scaling(Scaling::RowRank)),
        ("kendall", base().score(ScoreKind::Kendall)),
        ("dpkendall", base().method(Method::DpKendall)),
        ("two stages", classes().bounds(0.0, 10.0).method(Method::TwoStage(TwoStage::default()))),
    ]
}

fn same(one: NotPrivate<Record>, other: NotPrivate<Record>, name: &str) {
    let [one, other] = [one, other].map(NotPrivate::into_inner);
    assert_eq!(one.selected, other.selected, "{name}");
    assert_eq!(one.estimates, other.estimates, "{name}");
    assert_eq!(one.released, other.released, "{name}");
    assert!(other.guarantee.one_row_per_identifier, "{name}");
}

fn roles(table: FileTable) -> FileTable {
    table.id("who").exclude(["batch"])
}

#[test]
fn repeated_identifiers_take_no_part() {
    let folder = tempfile::tempdir().unwrap();
    let expected = || file(folder.path(), "reduced.csv", &reduced());
    let all = with_repeated();
    let given = || file(folder.path(), "all.csv", &all);
    for (name, select) in requests() {
        for seed in 0..3 {
            let run = |table: &dyn Fn() -> FileTable| {
                select.clone().seed(seed).run(&roles(table())).unwrap()
            };
            same(run(&expected), run(&given), name);
        }
        // In two files, whose rows share identifiers.
        let (first, second) = all.split_at(70);
        let parts = [file(folder.path(), "1.csv", first), file(folder.path(), "2.csv", second)];
        let files = FileTables::new(parts.map(roles)).unwrap();
        let expected = select.clone().seed(7).run(&roles(expected())).unwrap();
        same(expected, select.seed(7).run(&files).unwrap(), name);
    }
    let adjusted = || {
        let levels = Covariate::levels("batch", ["North", "South"]).unwrap();
        let select = Select::new(1).epsilon("4").target(Target::classes(["0", "1"]));
        select.adjust([levels]).seed(1)
    };
    let run = |table: FileTable| adjusted().run(&table.id("who")).unwrap();
    same(run(expected()), run(given()), "adjusted");
}

/// A fit leaves out rows with repeated identifiers from the selection and from the model.
#[test]
fn a_model_ignores_repeated_identifiers() {
    let folder = tempfile::tempdir().unwrap();
    for features in [false, true] {
        let fit = |rows: &[String]| {
            let select = Select::new(1).epsilon("8").target(Target::classes(["0", "1"]));
            let model = FitModel::new(select.bounds(0.0, 13.0));
            let model = if features { model.features(["a", "b"]) } else { model };
            let table = roles(file(folder.path(), "table.csv", rows));
            let record = model.seed(3).run(&table).unwrap().into_inner();
            record.model.unwrap().to_json().unwrap()
        };
        assert_eq!(fit(&reduced()), fit(&with_repeated()));
    }
}

/// A pipe is read once: enough for scores of whole columns; others are refused before it is read.
#[test]
fn a_pipe_is_read_once() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = || roles(FileTable::from_reader(Cursor::new(text(&with_repeated()))));
    for (name, select) in requests() {
        let expected = roles(file(folder.path(), "reduced.csv", &reduced()));
        match select.clone().seed(2).run(&pipe()) {
            Ok(record) => same(select.seed(2).run(&expected).unwrap(), record, name),
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Request, "{name}: {error}");
                assert!(error.to_string().contains("identifiers"), "{name}: {error}");
                assert!(!["ks", "numbers", "kendall", "dpkendall"].contains(&name), "{error}");
            }
        }
    }
}

/// A ledger is charged only for a table that the run can compare: a file of targets in the order of
/// the rows does not join them by identifier.
#[test]
fn a_pipe_is_refused_before_a_charge() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = {
        let terms = LedgerTerms::new("10".parse().unwrap());
        Ledger::create(folder.path().join("ledger.txt"), terms).unwrap()
    };
    let targets = folder.path().join("targets.csv");
    let select = Select::new(1).epsilon("1").bounds(0.0, 13.0);
    let select = select.target(Target::classes(["0", "1"]));
    let run = |header: &str| {
        let values = with_repeated().len();
        let rows =
            (0..values).map(|i| if header == "y" { "1\n".into() } else { format!("p{i},1\n") });
        std::fs::write(&targets, format!("{header}\n{}", rows.collect::<String>())).unwrap();
        let table = FileTable::from_reader(Cursor::new(text(&with_repeated())));
        let table = table.id("who").exclude(["y", "batch"]).target_file(&targets);
        select.clone().run_with_ledger(&table, &ledger, "").map(|_| ())
    };
    let error = run("y").unwrap_err();
    assert!(error.to_string().contains("identifiers"), "{error}");
    assert_eq!(ledger.read().unwrap().left(), "10");
    // Joined by identifier, the rows are not compared by another pass.
    let _ = run("who,y");
    assert_eq!(ledger.read().unwrap().left(), "9");
}

/// An unnamed first column holds the names of rows, which are not compared; with a column of
/// people, all of their rows count.
#[test]
fn other_columns_are_not_compared() {
    let rows: Vec<String> = (0..40).map(|i| row("same", i)).collect();
    let unnamed = text(&rows).replacen("who", "", 1);
    let table = || FileTable::from_reader(Cursor::new(unnamed.clone())).exclude(["batch"]);
    let select = Select::new(1).epsilon("1e4").target(Target::classes(["0", "1"])).seed(1);
    let record = select.clone().run(&table()).unwrap().into_inner();
    assert_eq!((record.released.rows_estimate, record.public.id_column), (Some(40), Some(1)));
    assert!(!record.guarantee.one_row_per_identifier);
}

/// Partials compare within themselves, so they add up as numbered parts alone.
#[test]
fn partials_are_numbered_parts() {
    let folder = tempfile::tempdir().unwrap();
    let select = Select::new(1).epsilon("4").bounds(0.0, 10.0).target(Target::classes(["0", "1"]));
    let whole = |rows: &[String]| {
        select.partial(&roles(file(folder.path(), "part.csv", rows)), None).unwrap()
    };
    let (first, second) = (whole(&reduced()[..60]), whole(&reduced()[60..]));
    let error = first.clone().merge(&second).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Request);
    assert!(error.to_string().contains("numbered parts"), "{error}");
    let numbered = first.as_part(1, 2).unwrap().merge(&second.as_part(2, 2).unwrap()).unwrap();
    let seeded = select.clone().seed(5);
    let expected = seeded.run(&roles(file(folder.path(), "all.csv", &with_repeated()))).unwrap();
    same(expected, seeded.release(&numbered).unwrap(), "parts");
}
