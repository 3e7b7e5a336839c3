//! The options of a ledger as text, shared by the interfaces.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{Ledger, LedgerTerms};
use crate::error::{Error, Parameter, Result};
use crate::exact::Exact;
use crate::json::read_options;
use crate::privacy::{Delta, Epsilon, Unit};

/// The file of a ledger, and its terms as far as they are given. As JSON it is one object of all
/// fields. Numbers are read exactly from text.
///
/// ```
/// use dpsis::LedgerOptions;
///
/// # let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("budget.txt");
/// let options = LedgerOptions { path, cap: Some("2.5".into()), ..LedgerOptions::default() };
/// let ledger = options.open()?;
/// assert_eq!(ledger.read()?.left(), "2.5");
/// // It is opened again by the same terms, and by no others.
/// assert!(options.open().is_ok());
/// assert!(LedgerOptions { cap: Some("3".into()), ..options }.open().is_err());
/// # Ok::<(), dpsis::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LedgerOptions {
    /// The file.
    pub path: PathBuf,
    /// The largest epsilon that all releases may spend together; needed to create the file.
    pub cap: Option<String>,
    /// The name, which reports show.
    pub name: Option<String>,
    /// A first note in a new file.
    pub note: Option<String>,
    /// The largest sum of all deltas; 0 by default.
    pub delta: Option<String>,
    /// `add-remove` or `replace-one`.
    pub neighbors: Option<String>,
    /// The unit that all releases protect: `row` or `person`.
    pub privacy_unit: Option<String>,
}

impl LedgerOptions {
    /// Reads a JSON object of options.
    ///
    /// # Errors
    ///
    /// As for [`SelectOptions::from_json`](crate::SelectOptions::from_json).
    pub fn from_json(json: &str) -> Result<Self> {
        read_options(json)
    }

    /// Opens the ledger, or creates it if there is no file and a cap is given. All given terms must
    /// equal the terms in the file.
    ///
    /// # Errors
    ///
    /// `Request` for invalid terms, or terms that differ from the file; `Io` if there is no file
    /// and no cap; as for [`Ledger::create`] and [`Ledger::open`].
    pub fn open(&self) -> Result<Ledger> {
        let Self { path, name, .. } = self;
        let of_cap = |error: Error| error.about_the_cap();
        let cap = self.cap.as_deref().map(str::parse::<Epsilon>).transpose().map_err(of_cap)?;
        let delta = self.delta.clone().map(|given| Delta::try_from(Exact::from(given)));
        let delta = delta.transpose()?;
        let neighbors = self.neighbors.as_deref().map(str::parse).transpose()?;
        let unit: Option<Unit> = self.privacy_unit.as_deref().map(str::parse).transpose()?;
        if !path.exists() {
            let Some(cap) = &cap else {
                let rule = "there is no ledger at this path, and without a cap none is created";
                let error = Error::io(rule).about([Parameter::Ledger]);
                return Err(error.or_near_file(path));
            };
            let mut terms = LedgerTerms::new(cap.clone());
            terms = terms.name(name.as_deref().unwrap_or_default());
            terms = terms.delta(delta.clone().unwrap_or_else(Delta::zero));
            terms = terms.neighbors(neighbors.unwrap_or_default());
            terms = terms.unit(unit.unwrap_or(Unit::Row));
            match Ledger::create_with_note(path, terms, self.note.as_deref().unwrap_or_default()) {
                Ok(ledger) => return Ok(ledger),
                // Another process may have created it since.
                Err(error) if !path.exists() => return Err(error),
                Err(_) => {}
            }
        }
        let ledger = Ledger::open(path)?;
        let terms = ledger.read()?.terms;
        let differs = [
            ("cap", cap.is_some_and(|given| given != terms.cap)),
            ("name", name.as_ref().is_some_and(|given| *given != terms.name)),
            ("delta", delta.is_some_and(|given| given != terms.delta)),
            ("privacy unit", unit.is_some_and(|given| given != terms.unit)),
            ("neighbor relation", neighbors.is_some_and(|given| given != terms.neighbors)),
        ];
        match differs.iter().find(|(_, differs)| *differs) {
            None => Ok(ledger),
            Some((what, _)) => {
                let rule = format!("the ledger at this path has another {what}, which is fixed");
                Err(Error::request(rule).about([Parameter::Ledger]))
            }
        }
    }
}
