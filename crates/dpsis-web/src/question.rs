//! Questions of the page.

use serde::Deserialize;
use serde_json::{Map, Value};

use dpsis::internals::{KeepLedger, utc};
use dpsis::job::Terms;
use dpsis::{Error, FileTable, Ledger, LedgerTerms, Result, SelectOptions, TableFacts};

use crate::worker::{Page, TableReader};

/// A question of the page; unused fields are left out.
#[derive(Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Question {
    /// The name of the table's file.
    name: String,
    /// The facts that are given of the table.
    facts: TableFacts,
    /// The request.
    options: Map<String, Value>,
    /// The rows of each class, or of each side of a split.
    pub(crate) rows: Vec<f64>,
    pub(crate) features: usize,
    /// For a result that is not private.
    pub(crate) seed: Option<u64>,
    ledger: Option<LedgerText>,
    /// The cap of a new ledger.
    cap: String,
}

/// A ledger, and the note on a release that is charged to it.
#[derive(Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
struct LedgerText {
    text: String,
    note: String,
}

impl Question {
    pub(crate) fn read(json: &str) -> Result<Self> {
        serde_json::from_str(json)
            .map_err(|error| Error::request(format!("the options cannot be read: {error}")))
    }

    /// The table, with its given facts.
    pub(crate) fn table(&self) -> FileTable {
        FileTable::from_readers(&self.name, TableReader::default).facts(self.facts.clone())
    }

    pub(crate) fn options(&self) -> Result<SelectOptions> {
        SelectOptions::from_json(&self.request())
    }

    /// The ledger to charge, if there is one.
    pub(crate) fn ledger(&self) -> Result<Option<Ledger>> {
        let open = |ledger: &LedgerText| Ledger::kept(ledger.text.as_bytes(), Page);
        self.ledger.as_ref().map(open).transpose()
    }

    /// The terms of a new ledger: for rows, or for people if a column identifies them. It has no
    /// name, because records show a ledger's name, and the name of the file may be private.
    pub(crate) fn ledger_terms(&self) -> Result<LedgerTerms> {
        let privacy = self.options()?.privacy;
        let mut terms = LedgerTerms::new(self.cap.parse()?);
        if self.facts.unit.is_some() {
            terms = terms.unit("person".parse()?);
        }
        if let Some(delta) = &privacy.delta {
            terms = terms.delta(delta.parse()?);
        }
        match &privacy.neighbors {
            Some(neighbors) => Ok(terms.neighbors(neighbors.parse()?)),
            None => Ok(terms),
        }
    }

    /// The terms of a run, with the day and the request for its record.
    pub(crate) fn terms(&self) -> Terms {
        let now = utc(Page.now()).unwrap_or_default();
        let day = now.split_once('T').map_or("", |(day, _)| day).to_owned();
        let note = self.ledger.as_ref().map(|ledger| ledger.note.clone()).unwrap_or_default();
        let request = format!("dpsis.html {}", self.request());
        Terms { request, day, seed: self.seed, note, ..Terms::default() }
    }

    fn request(&self) -> String {
        Value::Object(self.options.clone()).to_string()
    }
}
