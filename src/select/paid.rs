//! Runs that a ledger pays for.

use crate::data::{Source, reads_again};
use crate::error::Result;
use crate::privacy::{Delta, Epsilon, Expense, Ledger, Unit};
use crate::select::record::{Command, Selection};
use crate::select::request::{Request, Scale};
use crate::select::run::{opening, plan_for, run};

/// Runs a checked request on a table after a ledger has paid for it.
///
/// # Errors
///
/// Those of the ledger, then those of a run.
pub(super) fn run_with_ledger(
    request: &Request,
    source: &(impl Source + ?Sized),
    ledger: &Ledger,
    note: &str,
) -> Result<Selection> {
    let expense =
        Expense::new(Epsilon::stated(request.epsilon.clone())?, Command::Select.to_string())
            .delta(Delta::stated(request.delta.clone())?)
            .neighbors(request.neighbors)
            .unit(Unit::Row)
            .note(note);
    ledger.check(&expense)?;
    // A request that does not fit the header costs nothing, where the header can be read twice.
    if source.repeats() && bounds_repeat(request) {
        let schema = source.header(&opening(request, &request.hooks.for_a_run())?)?;
        plan_for(request, &schema)?;
    }
    let (record, receipt) = ledger.pay(&expense, || run(request, source))?;
    Ok(Selection::new(record).with_receipt(receipt))
}

/// Whether the file of bounds, if there is one, can be read twice.
fn bounds_repeat(request: &Request) -> bool {
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
    use crate::data::FileTable;
    use crate::error::ErrorKind;
    use crate::privacy::LedgerTerms;
    use crate::select::Select;

    /// A table that was not read, and then must find its entry in the ledger.
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
    fn a_table_is_read_only_after_it_was_paid_for() {
        let (_folder, ledger) = ledger();
        for (left, expected) in [("0.25", Ok(())), ("0.25", Err(ErrorKind::Budget))] {
            let was_read = Arc::new(AtomicBool::new(false));
            let text = Cursor::new(&b"age,dose,out\n1,2,3\n4,6,5\n7,8,1\n"[..]);
            let watched = Watched { ledger: ledger.clone(), was_read: was_read.clone(), text };
            let table = FileTable::from_reader(watched);
            let request = Select::new(1).epsilon("0.75");
            let selection = request.run_with_ledger(&table, &ledger, "");
            assert_eq!(was_read.load(Ordering::Relaxed), expected.is_ok());
            assert_eq!(selection.map(|_| ()).map_err(|error| error.kind()), expected);
            assert_eq!(ledger.read().unwrap().left(), left);
        }
    }

    /// What a header shows to be wrong costs nothing where it can be read twice, and else stays spent.
    #[test]
    fn a_wrong_request_costs_what_cannot_be_known_before() {
        let (folder, ledger) = ledger();
        let text = "age,dose,out\n1,2,3\n4,6,5\n";
        let path = folder.path().join("table.csv");
        std::fs::write(&path, text).unwrap();
        let request = Select::new(3).epsilon("0.5");
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

    #[test]
    fn a_canceled_run_stays_spent() {
        let (_folder, ledger) = ledger();
        let table = FileTable::from_reader(&b"age,dose,out\n1,2,3\n4,6,5\n"[..]);
        let request = Select::new(1).epsilon("0.5").cancel_when(|| true);
        let error = request.run_with_ledger(&table, &ledger, "").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Canceled);
        assert_eq!(ledger.read().unwrap().entries[0].failed.as_deref(), Some("canceled"));
    }
}
