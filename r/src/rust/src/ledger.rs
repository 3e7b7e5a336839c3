//! Ledgers.

use dpsis::report::{ledger as text_of, to_json};
use dpsis::{Ledger, LedgerOptions};
use extendr_api::prelude::*;

use crate::errors::found_or_error;

extendr_module! {
    mod ledger;
    fn ledger_open;
    fn ledger_read;
    fn ledger_note;
    fn ledger_close;
}

/// Opens the ledger of options in JSON, or creates it.
#[extendr]
fn ledger_open(options: &str) -> List {
    found_or_error(LedgerOptions::from_json(options).and_then(|it| it.open()).map(|_| list!()))
}

/// The content of a ledger: `json`, `report`, and the epsilon `spent` and `left`.
#[extendr]
fn ledger_read(path: &str) -> List {
    let content = || {
        let balance = Ledger::open(path)?.read()?;
        Ok(list!(
            json = to_json(&balance)?,
            report = text_of(&balance),
            spent = balance.spent(),
            left = balance.left()
        ))
    };
    found_or_error(content())
}

/// Appends a note.
#[extendr]
fn ledger_note(path: &str, text: &str) -> List {
    found_or_error(Ledger::open(path).and_then(|ledger| ledger.note(text)).map(|()| list!()))
}

/// Closes a ledger, with a note.
#[extendr]
fn ledger_close(path: &str, note: &str) -> List {
    found_or_error(Ledger::open(path).and_then(|ledger| ledger.close(note)).map(|()| list!()))
}
