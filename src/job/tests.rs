use super::*;
use crate::error::ErrorKind;
use crate::report::to_json;
use crate::table::FileTable;
use crate::{Choose, Ledger, LedgerOptions, Record, RunNote};

const TABLE: &[u8] = b"age,dose,response\n41,2,7\n39,3,8\n50,4,9\n61,1,2\n";

fn table() -> FileTable {
    FileTable::from_reader(TABLE)
}

fn run(json: &str) -> Result<Answer> {
    Job::from_json(json)?.run(Some(&table()))
}

#[test]
fn answer_is_the_record_of_the_same_run() {
    let answer = run(r#"{"command": "select", "options": {"k": 1, "epsilon": "2"},
        "terms": {"seed": 7, "request": "a test", "day": "2026-11-26"}}"#)
    .unwrap();
    let record = Select::new(1).epsilon("2").seed(7).run(&table()).unwrap();
    let note = RunNote::new("2026-11-26", "a test");
    let record = record.into_inner().with_run(note);
    assert_eq!(answer.json, to_json(&record).unwrap());
    assert_eq!((answer.indices, answer.private), (record.indices(), false));
    assert!(answer.warnings[0].essential && answer.remaining.is_none());

    let answer = run(
        r#"{"command": "fit", "options": {"k": 1, "epsilon": "2"}, "terms": {"dry_run": true}}"#,
    );
    let Err(error) = answer else { panic!("a table that is read once is not read twice") };
    assert_eq!(error.kind(), ErrorKind::Request);
}

/// The record of a fit has its day and request, as for a selection: seeded, private and charged to
/// a ledger.
#[test]
fn record_of_a_fit_notes_its_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("budget");
    let cap = Some("9".into());
    LedgerOptions { path: path.clone(), cap, ..LedgerOptions::default() }.open().unwrap();
    let options = r#"{"features": ["age"], "epsilon": "2", "target_number": true}"#;
    let noted = Terms { request: "a test".into(), day: "2026-11-26".into(), ..Terms::default() };
    let note = serde_json::json!({"day": "2026-11-26", "request": "a test"});
    for terms in [
        Terms { seed: Some(7), ..noted.clone() },
        Terms { ledger: Some(path), ..noted.clone() },
        noted,
    ] {
        let fit = FitOptions::from_json(options).unwrap();
        let answer = Job::new(Task::Fit(fit), terms).run(Some(&table())).unwrap();
        let record: Value = serde_json::from_str(&answer.json).unwrap();
        assert_eq!(record["run"], note);
    }
}

#[test]
fn errors_name_the_invalid_option() {
    for (json, rule) in [
        ("[]", "a job is a JSON object"),
        (r#"{"command": "selekt"}"#, "no command \"selekt\""),
        (r#"{"command": "select", "options": {"kk": 1}}"#, "did you mean \"k\"?"),
        (r#"{"command": "select", "terms": {"sed": 1}}"#, "did you mean \"seed\"?"),
        (
            r#"{"command": "select", "terms": {"seed": "S3CR3T"}}"#,
            "\"seed\" has a value of another kind",
        ),
        (r#"{"command": "select", "terms": {"seed": 1, "ledger": "a"}}"#, "charge no ledger"),
    ] {
        let text = run(json).unwrap_err().to_string();
        assert!(text.contains(rule) && !text.contains("S3CR3T"), "{json}: {text}");
    }
}

#[test]
fn ledger_is_charged_once_and_reports_what_remains() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("budget");
    let options =
        LedgerOptions { path: path.clone(), cap: Some("3".into()), ..LedgerOptions::default() };
    let ledger = options.open().unwrap();
    let terms = Terms { ledger: Some(path), note: "first".into(), ..Terms::default() };
    let select =
        SelectOptions::from_json(r#"{"k": 1, "epsilon": "2", "target_number": true}"#).unwrap();
    let job = Job::new(Task::Select(select), terms.clone());
    let answer = job.run(Some(&table())).unwrap();
    assert_eq!((answer.remaining.as_deref(), answer.private), (Some("1"), true));
    let refused = job.run(Some(&table())).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Budget);
    // The same error before a table is converted.
    assert_eq!(job.check_ledger().unwrap_err().to_string(), refused.to_string());
    let balance = ledger.read().unwrap();
    assert_eq!((balance.entries.len(), balance.entries[0].note.as_str()), (1, "first"));
    for (cap, name) in [("4", None), ("3", Some("another"))] {
        let other =
            LedgerOptions { cap: Some(cap.into()), name: name.map(Into::into), ..options.clone() };
        assert_eq!(other.open().unwrap_err().kind(), ErrorKind::Request);
    }
    let wrong = LedgerOptions { cap: Some("-1".into()), ..options };
    let error = wrong.open().unwrap_err();
    assert_eq!(error.parameters(), [Parameter::Cap]);
    assert!(error.to_string().contains("the cap"), "{error}");
}

/// A choice that does not fit the public part of its candidates charges nothing.
#[test]
fn choice_is_checked_before_the_ledger_is_charged() {
    let folder = tempfile::tempdir().unwrap();
    let (path, file) = (folder.path().join("budget"), folder.path().join("candidates.csv"));
    let cap = Some("3".into());
    let ledger = LedgerOptions { path: path.clone(), cap, ..LedgerOptions::default() };
    let ledger = ledger.open().unwrap();
    std::fs::write(&file, "name,score,sensitivity\na,3,1\nb,2,2\n").unwrap();
    let file = file.to_str().unwrap();
    let job = |options: Value| {
        let options = ChooseOptions::from_json(&options.to_string()).unwrap();
        let terms = Terms { ledger: Some(path.clone()), ..Terms::default() };
        Job::new(Task::Choose(options), terms).run(None::<&FileTable>)
    };
    for wrong in [
        serde_json::json!({"candidates": file, "epsilon": "1"}),
        serde_json::json!({"candidates": file, "epsilon": "1", "k": 3, "sensitivity": "largest"}),
    ] {
        assert_eq!(job(wrong).unwrap_err().kind(), ErrorKind::Request);
        assert!(ledger.read().unwrap().entries.is_empty());
    }
    let largest = serde_json::json!({"candidates": file, "epsilon": "1"});
    let mut gem = largest.clone();
    gem["mechanism"] = "gem".into();
    assert_eq!(job(gem).unwrap().remaining.as_deref(), Some("2"));
    // The default number of candidates is one.
    let one = Choose::new(1).epsilon("1");
    let options = r#"{"candidates": [["a", "1"], ["b", "2"]], "sensitivity": "1", "epsilon": "1"}"#;
    let options = ChooseOptions::from_json(options).unwrap();
    assert_eq!(format!("{:?}", options.request().unwrap()), format!("{one:?}"));
}

#[cfg(feature = "inspect")]
#[test]
fn inspection_suggests_arguments() {
    let table = FileTable::from_reader(&b"id,age,y\np1,4,a\np2,5,b\np3,7,a\n"[..]);
    let job = Job::from_json(r#"{"command": "inspect"}"#).unwrap();
    let answer = job.run(Some(&table)).unwrap();
    let found: Value = serde_json::from_str(&answer.json).unwrap();
    assert_eq!(found["suggestion"]["classes"], serde_json::json!(["a", "b"]));
    assert_eq!(found["rows"], 3);
    assert!(!answer.private && answer.report.starts_with("NOT PRIVATE"));
}

/// A folder with a ledger of cap 9 and a table, and the terms for a run key.
fn with_run_key(key: &str) -> (tempfile::TempDir, Terms, FileTable) {
    let folder = tempfile::tempdir().unwrap();
    let (path, table) = (folder.path().join("budget"), folder.path().join("table.csv"));
    let cap = Some("9".into());
    LedgerOptions { path: path.clone(), cap, ..LedgerOptions::default() }.open().unwrap();
    std::fs::write(&table, TABLE).unwrap();
    let terms = Terms { ledger: Some(path), run_key: Some(key.into()), ..Terms::default() };
    (folder, terms, FileTable::new(table))
}

/// A repeated call returns the same answer and is not charged, for every kind of release; another
/// request under the key is refused.
#[test]
fn a_run_key_charges_once() {
    let (folder, terms, table) = with_run_key("first");
    let spent = || Ledger::open(folder.path().join("budget")).unwrap().read().unwrap().spent();
    let choose = serde_json::json!({
        "candidates": [["a", "3"], ["b", "2"]], "sensitivity": "1", "epsilon": "2"
    });
    let tasks = |epsilon: &str| {
        let select = format!(r#"{{"k": 1, "epsilon": "{epsilon}", "target_number": true}}"#);
        let fit = format!(
            r#"{{"features": ["age"], "epsilon": "{epsilon}", "target_bounds": [0, 10], "bounds": [0, 100]}}"#
        );
        let mut choose = choose.clone();
        choose["epsilon"] = epsilon.into();
        [
            Task::Select(SelectOptions::from_json(&select).unwrap()),
            Task::Fit(FitOptions::from_json(&fit).unwrap()),
            Task::Choose(ChooseOptions::from_json(&choose.to_string()).unwrap()),
        ]
    };
    for (number, (task, other)) in tasks("2").into_iter().zip(tasks("1")).enumerate() {
        let terms = Terms { run_key: Some(format!("key {number}")), ..terms.clone() };
        let job = Job::new(task, terms.clone());
        let first = job.run(Some(&table)).unwrap();
        let again =
            Terms { request: "another text".into(), note: "another".into(), ..terms.clone() };
        let repeated = Job::new(job.task.clone(), again);
        repeated.check_ledger().unwrap();
        let repeated = repeated.run(Some(&table)).unwrap();
        assert_eq!(repeated.json, first.json);
        assert_eq!((&repeated.names, &repeated.indices), (&first.names, &first.indices));
        assert_eq!((&repeated.report, &repeated.model), (&first.report, &first.model));
        assert_eq!((repeated.remaining, repeated.private), (first.remaining, true));
        assert_eq!(spent(), (2 * (number + 1)).to_string());
        let refused = Job::new(other, terms).run(Some(&table)).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Request);
        assert_eq!(refused.parameters(), [Parameter::RunKey]);
        assert_eq!(spent(), (2 * (number + 1)).to_string());
    }
    // The file of the table and the given facts are part of a request, its rows are not.
    let [select, ..] = tasks("2");
    let job = Job::new(select, Terms { run_key: Some("key 0".into()), ..terms });
    for other in [table.clone().exclude(["age"]), FileTable::from_reader(TABLE)] {
        assert_eq!(job.run(Some(&other)).unwrap_err().parameters(), [Parameter::RunKey]);
    }
    std::fs::write(folder.path().join("table.csv"), "age,dose,response\n").unwrap();
    assert!(job.run(Some(&table)).is_ok());
    assert_eq!(spent(), "6");
}

#[test]
fn a_run_key_needs_a_ledger() {
    let (_folder, terms, table) = with_run_key("key");
    let options = r#"{"k": 1, "epsilon": "2", "target_number": true}"#;
    let task = || Task::Select(SelectOptions::from_json(options).unwrap());
    let ledger = terms.ledger.clone();
    for wrong in [
        Terms { ledger: None, ..terms.clone() },
        Terms { ledger: None, seed: Some(7), ..terms.clone() },
        Terms { seed: Some(7), ..terms.clone() },
        Terms { ledger: None, dry_run: true, ..terms.clone() },
        Terms { run_key: Some("two\nlines".into()), ..terms.clone() },
        Terms { run_key: Some(String::new()), ..terms.clone() },
    ] {
        let error = Job::new(task(), wrong).run(Some(&table)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Request, "{error}");
    }
    // A dry run records nothing.
    let dry = Job::new(task(), Terms { dry_run: true, ..terms });
    dry.run(Some(&table)).unwrap();
    let balance = Ledger::open(ledger.unwrap()).unwrap().read().unwrap();
    assert!(balance.entries.is_empty());
}

/// The releases from sums of parts, stage by stage, under one key.
#[test]
fn releases_from_sums_have_run_keys() {
    let (folder, terms, _) = with_run_key("nightly");
    let text: String =
        (0..60).map(|i| format!("{},{},{}\n", i * 7 % 40, i * i % 31, i % 40)).collect();
    let table = FileTable::from_readers("t.csv", move || {
        std::io::Cursor::new(format!("age,dose,out\n{text}"))
    });
    let select = Select::new(1).epsilon("2").bounds(0.0, 40.0).target(crate::Target::Numeric);
    let part = |released: Option<&crate::ReleasedTarget>| {
        select.partial(&table, released).unwrap().as_part(1, 1).unwrap()
    };
    let counts = part(None);
    let median = terms.release_target(&select, &counts).unwrap();
    assert_eq!(terms.release_target(&select, &counts).unwrap(), median);
    let sums = part(Some(&median));
    let selection = terms.release(&select, &sums).unwrap();
    let again = terms.release(&select, &sums).unwrap();
    assert_eq!((&again.selected, &again.released), (&selection.selected, &selection.released));
    let balance = Ledger::open(folder.path().join("budget")).unwrap().read().unwrap();
    assert_eq!(balance.spent(), "2");
    let keys: Vec<_> = balance.entries.iter().flat_map(|entry| &entry.run_key).collect();
    assert_eq!(keys, ["nightly (median of the target)", "nightly"]);
}

/// A record that was kept is the whole record, with the values that its JSON omits.
#[test]
fn kept_records_are_whole() {
    let (_folder, terms, _) = with_run_key("select");
    let text: String = (0..400)
        .map(|i| format!("{},{},{},{}\n", i * 7 % 40, i * i % 31, i % 40, ["a", "b"][i % 2]))
        .collect();
    let table = FileTable::from_readers("t.csv", move || {
        std::io::Cursor::new(format!("age,dose,out,class\n{text}"))
    });
    let select = Select::new(2)
        .epsilon("1")
        .direction("0.1")
        .bounds(0.0, 40.0)
        .target(crate::Target::classes(["a", "b"]));
    let of = |terms: &Terms| match terms.select(&select, &table).unwrap() {
        Outcome::Private(selection) => selection,
        Outcome::NotPrivate(_) => panic!("a private run"),
    };
    let without_parameters = |selection: &Record| {
        let mut record = selection.clone();
        record.warnings.iter_mut().for_each(|warning| warning.about.clear());
        record
    };
    let first = of(&terms);
    assert_eq!(*of(&terms), without_parameters(&first));
    let terms = Terms { run_key: Some("fit".into()), ..terms };
    let fit = crate::FitModel::new(select.epsilon("4"));
    let [first, again] = [(); 2].map(|()| terms.fit(&fit, &table).unwrap());
    assert_eq!(first.indices(), again.indices());
    let (first, again) = (first.selection.as_ref().unwrap(), again.selection.as_ref().unwrap());
    assert_eq!(*again, without_parameters(first));
}
