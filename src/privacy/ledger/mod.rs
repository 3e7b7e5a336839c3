//! A ledger: the budget of one table as a file, with a cap.

mod balance;
mod expense;
mod options;
mod place;
mod receipt;
mod run_key;
mod terms;
mod text;
mod utc;
mod words;

use std::path::Path;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

pub use balance::{Balance, LedgerEntry, LedgerNote};
pub use expense::Expense;
pub use options::LedgerOptions;
pub use place::KeepLedger;
pub use receipt::Receipt;
pub(crate) use run_key::{Begun, check_run_key};
pub use terms::LedgerTerms;
pub use utc::utc;
pub(crate) use words::check_words;

use crate::error::{Error, ErrorKind, Parameter, Result};
use crate::privacy::Epsilon;
use crate::privacy::locked::Kind;
use place::Place;
use run_key::Run;

/// The file of a ledger.
static FILE: Kind =
    Kind { name: "ledger", start: text::VERSION, parameter: Parameter::Ledger, secret: false };

/// A budget file with a cap: every release is charged to it first, and a charge that would exceed
/// the cap is refused.
///
/// ```
/// use dpsis::{Candidates, Choose, ErrorKind, Ledger, LedgerTerms};
///
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("budget.txt");
/// let ledger = Ledger::create(&path, LedgerTerms::new("1".parse()?).name("the pilot"))?;
/// let models = || Candidates::new([("lasso", "0.81"), ("forest", "0.87")], "0.005");
/// let request = Choose::new(1).epsilon("0.75");
/// let choice = request.run_with_ledger(models, &ledger, "the first choice")?;
/// assert_eq!(choice.ledger.as_ref().map(|receipt| receipt.left.as_str()), Some("0.25"));
///
/// let refused = request.run_with_ledger(models, &ledger, "the second choice").unwrap_err();
/// assert_eq!(refused.kind(), ErrorKind::Budget);
/// assert_eq!(ledger.read()?.spent(), "0.75");
/// # Ok::<(), dpsis::Error>(())
/// ```
///
/// It can be used by several threads and processes at once: reading, checking and writing are done
/// under a lock of the file. The file is text that can be read in any editor.
///
/// # Privacy
///
/// The releases charged to one ledger are together differentially private with its cap and its
/// delta, by sequential composition, also if each was chosen by the results of earlier ones, as
/// long as every release from the table goes through this one file, and nobody replaces it by an
/// older copy. It contains no data: only times at which releases began, epsilons, text given by the
/// user, hashes of requests and released records with run keys, and the kind of the error of failed
/// releases. Whether a release failed may depend on the
/// data, as its error does.
///
#[doc = include_str!("page.md")]
#[derive(Debug, Clone)]
pub struct Ledger {
    place: Place,
    /// The run whose charge gets its key.
    run: Option<Arc<Run>>,
}

/// The length and the hash of a ledger at some time. Files only grow, so that this content stays a
/// prefix of the ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LedgerMark {
    bytes: usize,
    xxh3: String,
}

impl Ledger {
    fn at(place: Place) -> Self {
        Self { place, run: None }
    }

    /// Creates a ledger with these terms.
    ///
    /// # Errors
    ///
    /// `Request` if the name is long or contains a line break, or the cap has too many digits; `Io`
    /// if the file exists or cannot be written.
    pub fn create(path: impl AsRef<Path>, terms: LedgerTerms) -> Result<Self> {
        Self::create_with_note(path, terms, "")
    }

    /// Creates a ledger with these terms and a first [`note`](Self::note), such as who approved the
    /// budget; no note if it is empty.
    ///
    /// # Errors
    ///
    /// As for [`create`](Self::create) and [`note`](Self::note).
    pub fn create_with_note(
        path: impl AsRef<Path>,
        terms: LedgerTerms,
        note: &str,
    ) -> Result<Self> {
        check_words("the note", note)?;
        let path = path.as_ref();
        let created = Self::at(Place::File(path.to_owned()));
        let mut content = Self::text_of(&terms)?;
        if !note.is_empty() {
            content += &text::note(&created.now()?, note);
        }
        FILE.create(path, &content)?;
        Ok(created)
    }

    /// The text of a new ledger with these terms.
    ///
    /// # Errors
    ///
    /// `Request` as for [`create`](Self::create).
    #[doc(hidden)]
    pub fn text_of(terms: &LedgerTerms) -> Result<String> {
        check_words("the name", &terms.name)?;
        let content = text::terms(terms);
        // Text that could not be read again is not written.
        text::read(content.as_bytes()).map_err(|_| too_many_digits())?;
        Ok(content)
    }

    /// The ledger of a text that somebody else stores, where there are no files.
    ///
    /// # Errors
    ///
    /// `Input` if the text is not a ledger or is damaged.
    #[doc(hidden)]
    pub fn kept(text: impl Into<Vec<u8>>, keeper: impl KeepLedger + 'static) -> Result<Self> {
        let ledger = Self::at(Place::kept(text.into(), Arc::new(keeper)));
        ledger.read()?;
        Ok(ledger)
    }

    /// Opens a ledger.
    ///
    /// # Errors
    ///
    /// As for [`read`](Self::read).
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let ledger = Self::at(Place::File(path.as_ref().to_owned()));
        ledger.read()?;
        Ok(ledger)
    }

    /// Reads the budget spent, the budget remaining, and all entries.
    ///
    /// # Errors
    ///
    /// `Input` if the file is not a ledger or is damaged; `Io` if it cannot be read or locked, or
    /// is not a regular file.
    pub fn read(&self) -> Result<Balance> {
        text::read(&self.place.content()?).map(|(balance, _)| balance)
    }

    /// The mark of this ledger with its present content; the mark stays valid when more is added.
    pub(crate) fn mark(&self) -> Result<LedgerMark> {
        let content = self.place.content()?;
        Ok(LedgerMark { bytes: content.len(), xxh3: format!("{:032x}", xxh3_128(&content)) })
    }

    /// Whether this is the ledger of a mark, with its whole content at that time.
    pub(crate) fn has(&self, mark: &LedgerMark) -> Result<bool> {
        let content = self.place.content()?;
        let before = content.get(..mark.bytes);
        Ok(before.is_some_and(|content| format!("{:032x}", xxh3_128(content)) == mark.xxh3))
    }

    /// Checks that a release could be charged now, without charging it, so that it can be refused
    /// before any work is done.
    ///
    /// # Errors
    ///
    /// As for [`spend`](Self::spend).
    pub fn check(&self, expense: &Expense) -> Result<()> {
        expense.check()?;
        self.read()?.check(expense)
    }

    /// Like [`check`](Self::check), for a release whose unit is not known yet.
    ///
    /// # Errors
    ///
    /// As for [`check`](Self::check).
    pub(crate) fn check_amount(&self, expense: &Expense) -> Result<()> {
        expense.check()?;
        let balance = self.read()?;
        let unit = balance.terms.unit;
        balance.check(&expense.clone().unit(unit))
    }

    /// Charges a release. When this returns, the entry is on the disk, and the release may be made.
    /// It stays spent regardless of the outcome of the release.
    ///
    /// # Errors
    ///
    /// `Budget` if less than its epsilon or its delta remains, or the ledger is closed; `Request`
    /// if the release has another neighbor relation or unit than the ledger, or a text of it cannot
    /// be part of a line; as for [`read`](Self::read); `Io` if the file cannot be written, or the
    /// clock is wrong. The release must then not be made.
    pub fn spend(&self, expense: &Expense) -> Result<Receipt> {
        expense.check()?;
        let when = self.now()?;
        self.place.append(|content| {
            let (balance, ending) = text::read(content)?;
            balance.check(expense)?;
            let mut lines = ending.text() + &text::entry(&balance, expense, &when);
            if let Some(run) = &self.run {
                run.check_is_new(&balance)?;
                lines += &text::run_key(balance.entries.len() + 1, &run.key, &run.request);
            }
            // Text that could not be read again is not written.
            let content = [content, lines.as_bytes()].concat();
            let (after, _) = text::read(&content).map_err(|_| too_many_digits())?;
            Ok((lines, Receipt::of(&after)))
        })
    }

    /// Marks a charged release as made. Without this mark, and if it did not fail, its entry stays
    /// [open](LedgerEntry::is_open).
    ///
    /// # Errors
    ///
    /// As for [`read`](Self::read); `Input` if the ledger has no such entry; `Io` if the file
    /// cannot be written.
    pub fn mark_released(&self, receipt: &Receipt) -> Result<()> {
        self.remark(receipt, &text::released(receipt.entry))
    }

    /// Marks a charged release as failed, with the kind of its error. It stays spent.
    ///
    /// # Errors
    ///
    /// As for [`mark_released`](Self::mark_released).
    pub fn mark_failed(&self, receipt: &Receipt, kind: ErrorKind) -> Result<()> {
        self.remark(receipt, &text::failure(receipt.entry, kind))
    }

    /// Appends a line about an entry.
    fn remark(&self, receipt: &Receipt, line: &str) -> Result<()> {
        self.place.append(|content| {
            let (balance, ending) = text::read(content)?;
            if receipt.entry > balance.entries.len() {
                return Err(Error::input("the ledger has no entry of this receipt"));
            }
            Ok((ending.text() + line, ()))
        })
    }

    /// Appends a note with the time, such as a custodian's decision, which does not change the
    /// budget spent or remaining. It must not contain private data.
    ///
    /// # Errors
    ///
    /// `Request` if it is empty, long, or contains a line break; as for [`read`](Self::read); `Io`
    /// if the file cannot be written, or the clock is wrong.
    pub fn note(&self, words: &str) -> Result<()> {
        if words.is_empty() {
            return Err(Error::request("the note is empty"));
        }
        check_words("the note", words)?;
        let when = self.now()?;
        self.place.append(|content| {
            let (_, ending) = text::read(content)?;
            Ok((ending.text() + &text::note(&when, words), ()))
        })
    }

    /// Closes the ledger, with a note that may be empty: from then on it refuses all charges.
    /// Releases that were charged before may still end, and notes may be added.
    ///
    /// # Errors
    ///
    /// As for [`note`](Self::note); `Request` if it is closed.
    pub fn close(&self, words: &str) -> Result<()> {
        check_words("the note", words)?;
        let when = self.now()?;
        self.place.append(|content| {
            let (balance, ending) = text::read(content)?;
            if balance.closed.is_some() {
                return Err(Error::request("the ledger is closed"));
            }
            Ok((ending.text() + &text::closed(&when, words), ()))
        })
    }

    /// Takes back a part of the cost of a release that was ended by its own earlier releases: the
    /// cost of the parts that were not made. Decide this by released values alone, because the
    /// entry reveals the decision.
    ///
    /// # Errors
    ///
    /// As for [`mark_failed`](Self::mark_failed); `Request` if the release failed, has returned a
    /// part before, or did not cost more than this.
    pub fn take_back(&self, receipt: &Receipt, epsilon: &Epsilon) -> Result<Balance> {
        self.place.append(|content| {
            let (mut after, ending) = text::read(content)?;
            if !after.take_back(receipt.entry, epsilon.clone()) {
                return Err(Error::request("no part of this release can be taken back"));
            }
            Ok((ending.text() + &text::returned(&after, receipt.entry, epsilon), after))
        })
    }

    /// The time in UTC.
    fn now(&self) -> Result<String> {
        let seconds = match &self.place {
            Place::File(_) => {
                SystemTime::now().duration_since(UNIX_EPOCH).ok().map(|since| since.as_secs())
            }
            Place::Kept { keeper, .. } => Some(keeper.now()),
        };
        let now = seconds.and_then(utc);
        now.ok_or_else(|| Error::io("the clock shows no time between 1970 and 9999"))
    }

    /// Charges a release and makes it; marks it as made, or as failed if it fails, and takes back
    /// its unspent part if its own earlier releases ended it.
    ///
    /// # Errors
    ///
    /// As for [`spend`](Self::spend), then the errors of the release.
    pub(crate) fn charge<T>(
        &self,
        expense: &Expense,
        release: impl FnOnce() -> Result<T>,
    ) -> Result<(T, Receipt)> {
        let receipt = self.spend(expense)?;
        match release() {
            Ok(released) => {
                // It is made and charged whether or not the mark can be written. The release of a
                // run with a key is marked when its record is kept.
                if self.run.is_none() {
                    let _ = self.mark_released(&receipt);
                }
                Ok((released, receipt))
            }
            Err(error) => {
                if let Some(Ok(unspent)) = error.unspent().map(str::parse)
                    && let Ok(after) = self.take_back(&receipt, &unspent)
                {
                    let left = after.left();
                    let note = format!(
                        "the ledger was charged for the counts alone, and epsilon {unspent} was returned: {left} left"
                    );
                    return Err(error.with_note(&note));
                }
                // The failure matters here; a missing mark does not.
                let _ = self.mark_failed(&receipt, error.kind());
                let (epsilon, left) = (&expense.epsilon, &receipt.left);
                Err(error.with_note(&format!(
                    "the ledger was charged epsilon {epsilon} for this run, which stays spent: {left} left"
                )))
            }
        }
    }
}

fn too_many_digits() -> Error {
    Error::request("the exact sum would have more digits than a ledger holds")
        .hint("round epsilon to a few decimals")
}

#[cfg(test)]
mod tests;
