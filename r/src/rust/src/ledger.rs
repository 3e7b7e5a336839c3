//! Ledgers.

use std::path::PathBuf;

use dpsis::report::to_json;
use dpsis::{Delta, Epsilon, Error, Exact, Ledger, LedgerTerms, Parameter, Result, Unit};
use extendr_api::prelude::*;
use serde::Deserialize;

use crate::errors::found_or_error;
use crate::released::read;

extendr_module! {
    mod ledger;
    fn ledger_open;
    fn ledger_read;
}

/// The terms of a ledger, as they are stated.
#[derive(Deserialize)]
struct Stated {
    path: PathBuf,
    cap: Option<String>,
    name: Option<String>,
    delta: Option<String>,
    neighbors: Option<String>,
    unit: Option<String>,
}

/// Opens the ledger that is stated in JSON; with a cap, makes one if there is none. What is stated
/// must be what the file says.
#[extendr]
fn ledger_open(stated: &str) -> List {
    found_or_error(read(stated).and_then(|stated: Stated| stated.open()).map(|()| list!()))
}

/// The content of a ledger: `json`, and the epsilon `spent` and `left`.
#[extendr]
fn ledger_read(path: &str) -> List {
    let content = || {
        let balance = Ledger::open(path)?.read()?;
        Ok(list!(json = to_json(&balance)?, spent = balance.spent(), left = balance.left()))
    };
    found_or_error(content())
}

impl Stated {
    fn open(&self) -> Result<()> {
        let cap = self.cap.as_deref().map(str::parse::<Epsilon>).transpose().map_err(|error| {
            // The library reads the cap as an epsilon.
            let rule = error.to_string().replace("epsilon", "the cap");
            Error::request(rule)
        })?;
        let delta = self.delta.as_deref().map(|stated| Delta::try_from(Exact::from(stated)));
        let delta = delta.transpose()?;
        let neighbors = self.neighbors.as_deref().map(str::parse).transpose()?;
        let unit = self.unit.as_deref().map(str::parse).transpose()?;
        if !self.path.exists() {
            let Some(cap) = &cap else {
                let rule = "there is no ledger at this path: dp_ledger(path, cap = ...) makes one";
                return Err(Error::io(rule).about([Parameter::Ledger]));
            };
            let mut terms = LedgerTerms::new(cap.clone());
            terms = terms.name(self.name.as_deref().unwrap_or_default());
            terms = terms.delta(delta.clone().unwrap_or_else(Delta::zero));
            terms = terms.neighbors(neighbors.unwrap_or_default());
            terms = terms.unit(unit.unwrap_or(Unit::Row));
            match Ledger::create(&self.path, terms) {
                Ok(_) => return Ok(()),
                // Another process may have made it since.
                Err(error) if !self.path.exists() => return Err(error),
                Err(_) => {}
            }
        }
        let terms = Ledger::open(&self.path)?.read()?.terms;
        let differs = [
            ("cap", cap.is_some_and(|stated| stated != terms.cap)),
            ("name", self.name.as_ref().is_some_and(|stated| *stated != terms.name)),
            ("delta", delta.is_some_and(|stated| stated != terms.delta)),
            ("unit", unit.is_some_and(|stated| stated != terms.unit)),
            ("neighbor relation", neighbors.is_some_and(|stated| stated != terms.neighbors)),
        ];
        match differs.iter().find(|(_, differs)| *differs) {
            None => Ok(()),
            Some((what, _)) => {
                let rule = format!("the ledger at this path has another {what}, which is fixed");
                Err(Error::request(rule).about([Parameter::Ledger]))
            }
        }
    }
}
