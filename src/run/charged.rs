//! The checks before a run is charged to a ledger, and its expense.

use crate::error::{Error, Parameter, Result};
use crate::privacy::{Delta, Epsilon, Expense, Ledger, Unit};
use crate::release::record::Command;
use crate::request::fields::{Request, Scale};
use crate::run::steps::{header, opening, plan_of_header};
use crate::table::{Hooks, Source, reads_again};

/// Makes all checks before a ledger is charged for a run, and returns the expense.
///
/// # Errors
///
/// The errors of the ledger, then the errors of a run that are known before it.
pub(crate) fn check_ledger(
    request: &Request,
    source: &(impl Source + ?Sized),
    ledger: &Ledger,
    note: &str,
) -> Result<Expense> {
    let mut expense = expense_of_rows(request, note)?;
    ledger.check_amount(&expense)?;
    // A request that does not fit the header spends no budget, if the header can be read twice.
    if source.repeats() {
        let schema = header(request, source, &request.hooks.for_a_run())?;
        expense = expense.unit(schema.privacy_unit());
        if bounds_repeat(request) {
            plan_of_header(request, &schema)?;
        }
    }
    check_names(request)?;
    let hooks = Hooks::default();
    let opening = opening(request, &hooks)?;
    source.check_identifiers(opening.identifiers, opening.events)?;
    check_target(request, source)?;
    ledger.check(&expense)?;
    Ok(expense)
}

/// Refuses a request whose k may have been forgotten, because it would make another promise than
/// intended.
///
/// # Errors
///
/// `Request` in that case.
pub(crate) fn check_names(request: &Request) -> Result<()> {
    if request.names.is_given() {
        return Ok(());
    }
    let rule = "before a ledger is charged, give the number of features k, or the bound on false discoveries (fwer)";
    Err(Error::request(rule).about([Parameter::K, Parameter::Fwer]))
}

/// Refuses a target that is neither given nor a number by its type: labels taken for numbers would
/// spend the budget and release nothing.
///
/// # Errors
///
/// `Request` in that case; the errors of reading the header.
pub(crate) fn check_target(request: &Request, source: &(impl Source + ?Sized)) -> Result<()> {
    if request.target_is_given {
        return Ok(());
    }
    let hooks = request.hooks.for_a_run();
    if source.repeats() && source.has_number_target(&opening(request, &hooks)?)? {
        return Ok(());
    }
    let rule = "before a ledger is charged, give the kind of the target: its type does not show it";
    Err(Error::request(rule)
        .hint("its classes, the range of a number, or that it is a number")
        .about([Parameter::Classes, Parameter::TargetBounds, Parameter::TargetNumber]))
}

/// The expense of a selection; whether its rows are people is not known here.
///
/// # Errors
///
/// `Request` without an epsilon, or for a wrong one.
pub(crate) fn expense_of_rows(request: &Request, note: &str) -> Result<Expense> {
    let epsilon = Epsilon::given(request.epsilon.clone())?;
    let delta = Delta::given(request.delta.clone())?;
    Ok(expense(request, Command::Select, epsilon, note).delta(delta))
}

pub(crate) fn expense(
    request: &Request,
    command: Command,
    epsilon: Epsilon,
    note: &str,
) -> Expense {
    Expense::new(epsilon, command.to_string())
        .neighbors(request.neighbors)
        .unit(Unit::Row)
        .note(note)
}

/// Whether the file of bounds, if there is one, can be read twice.
pub(crate) fn bounds_repeat(request: &Request) -> bool {
    match &request.scale {
        Some(Scale::BoundsFile(path)) => reads_again(path),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Read};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;
    use crate::error::ErrorKind;
    use crate::privacy::LedgerTerms;
    use crate::request::{Select, Target};
    use crate::table::FileTable;

    /// A table that fails if a value is read before its entry is in the ledger.
    struct Watched {
        ledger: Ledger,
        was_read: Arc<AtomicBool>,
        text: Cursor<&'static [u8]>,
    }

    impl Read for Watched {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            self.was_read.store(true, Ordering::Relaxed);
            assert_eq!(self.ledger.read().unwrap().spent(), "0.75");
            self.text.read(buffer)
        }
    }

    fn ledger() -> (tempfile::TempDir, Ledger) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("budget.txt");
        let terms = LedgerTerms::new("1".parse().unwrap()).name("pilot");
        let ledger = Ledger::create(&path, terms).unwrap();
        (folder, ledger)
    }

    #[test]
    fn a_table_is_read_only_after_its_charge() {
        let (_folder, ledger) = ledger();
        for (left, expected) in [("0.25", Ok(())), ("0.25", Err(ErrorKind::Budget))] {
            let was_read = Arc::new(AtomicBool::new(false));
            let text = Cursor::new(&b"age,dose,out\n1,2,3\n4,6,5\n7,8,1\n"[..]);
            let watched = Watched { ledger: ledger.clone(), was_read: was_read.clone(), text };
            let table = FileTable::from_reader(watched);
            let request = Select::new(1).epsilon("0.75").target(Target::Numeric);
            let selection = request.run_with_ledger(&table, &ledger, "");
            assert_eq!(was_read.load(Ordering::Relaxed), expected.is_ok());
            assert_eq!(selection.map(|_| ()).map_err(|error| error.kind()), expected);
            assert_eq!(ledger.read().unwrap().left(), left);
        }
    }

    /// A request that a header shows to be wrong spends no budget if the header can be read twice,
    /// and otherwise stays spent.
    #[test]
    fn wrong_requests_stay_spent_for_headers_read_once() {
        let (folder, ledger) = ledger();
        let text = "age,dose,out\n1,2,3\n4,6,5\n";
        let path = folder.path().join("table.csv");
        std::fs::write(&path, text).unwrap();
        let request = Select::new(3).epsilon("0.5").target(Target::Numeric);
        let kind =
            |table: &FileTable| request.run_with_ledger(table, &ledger, "").unwrap_err().kind();
        assert_eq!(kind(&FileTable::new(&path)), ErrorKind::Request);
        assert_eq!(ledger.read().unwrap().left(), "1");
        assert_eq!(kind(&FileTable::from_reader(text.as_bytes())), ErrorKind::Request);
        let balance = ledger.read().unwrap();
        assert_eq!(
            (balance.left(), balance.entries[0].failed.as_deref()),
            ("0.5".into(), Some("request"))
        );
    }

    /// Labels for which no classes are given spend no budget: if the type of a target does not show
    /// that it is a number, the target must be given, or the run and its dry run are refused.
    #[test]
    fn a_target_that_may_be_labels_is_given() {
        let (folder, ledger) = ledger();
        let path = folder.path().join("table.csv");
        let rows = "1,2,ill\n4,6,well\n".repeat(400);
        std::fs::write(&path, format!("age,dose,out\n{rows}")).unwrap();
        let table = FileTable::new(&path);
        let request = || Select::new(1).epsilon("0.5");
        let refused = |table: &FileTable| {
            let error = request().run_with_ledger(table, &ledger, "").unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Request);
            assert!(error.parameters().contains(&Parameter::TargetNumber), "{error}");
            let dry = request().dry_run_with_ledger(table, &ledger);
            assert_eq!(dry.unwrap_err().to_string(), error.to_string());
        };
        refused(&table);
        refused(&FileTable::from_reader(&b"age,out\n1,2\n"[..]));
        assert!(request().dry_run(&table).is_ok());
        assert_eq!(ledger.read().unwrap().left(), "1");
        let classes = request().target(Target::classes(["ill", "well"]));
        assert!(classes.dry_run_with_ledger(&table, &ledger).is_ok());
        assert_eq!(ledger.read().unwrap().left(), "1");
        assert!(classes.run_with_ledger(&table, &ledger, "").is_ok());
        // The type of a matrix shows a number; the type of a column in R depends on single rows.
        let formats = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/formats");
        let typed = |name: &str| {
            request().dry_run_with_ledger(&FileTable::new(formats.join(name)), &ledger)
        };
        assert!(typed("with-age.npy").is_ok());
        let named = |name: &str| {
            let target = crate::table::TargetColumn::Named(name.into());
            FileTable::new(formats.join("frame.rds")).id("id").target_column(target)
        };
        refused(&named("age"));
        refused(&named("two"));
        // A dry run refuses the same requests as a run with a ledger.
        let matrix = FileTable::new(formats.join("with-age.npy"));
        let error = request().epsilon("2").dry_run_with_ledger(&matrix, &ledger).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Budget);
        assert_eq!(ledger.read().unwrap().left(), "0.5");
    }

    #[test]
    fn a_canceled_run_stays_spent() {
        let (_folder, ledger) = ledger();
        let table = FileTable::from_reader(&b"age,dose,out\n1,2,3\n4,6,5\n"[..]);
        let request = Select::new(1).epsilon("0.5").target(Target::Numeric).cancel_when(|| true);
        let error = request.run_with_ledger(&table, &ledger, "").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Canceled);
        assert_eq!(ledger.read().unwrap().entries[0].failed.as_deref(), Some("canceled"));
    }
}
