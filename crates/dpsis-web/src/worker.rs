//! The functions that the worker of the page gives: the bytes of the table, the time, a place for
//! the ledger.

use std::io::{self, Read};

use dpsis::internals::KeepLedger;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// Fills `into` with the bytes of the table from an offset, and returns their number: 0 at the
    /// end.
    #[wasm_bindgen(js_name = readTable, catch)]
    fn read_table(behind: f64, into: &mut [u8]) -> Result<u32, JsValue>;

    /// Sends the text of the ledger to the page.
    #[wasm_bindgen(js_name = keepLedger)]
    fn keep_ledger(text: &[u8]);

    /// The milliseconds since 1970-01-01 in UTC.
    #[wasm_bindgen(js_namespace = Date, js_name = now)]
    fn milliseconds() -> f64;
}

/// A reader of the table from its start.
#[derive(Default)]
pub(crate) struct TableReader {
    read: u64,
}

impl Read for TableReader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let more = read_table(self.read as f64, into);
        let more = more.map_err(|_| {
            io::Error::other("the browser does not read it: was it moved or changed?")
        })?;
        self.read += u64::from(more);
        Ok(more as usize)
    }
}

/// Keeps the ledger in the page.
pub(crate) struct Page;

impl KeepLedger for Page {
    fn keep(&self, text: &[u8]) {
        keep_ledger(text);
    }

    fn now(&self) -> u64 {
        (milliseconds() / 1000.0) as u64
    }
}
