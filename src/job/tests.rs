use super::*;
use crate::error::ErrorKind;
use crate::report::to_json;
use crate::table::FileTable;
use crate::{Choose, LedgerOptions, RunNote};

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
