//! The content of a ledger: its terms, its entries, and the remaining budget.

use num_rational::BigRational;
use num_traits::{Signed, Zero};
use serde::{Serialize, Serializer};

use super::{Expense, LedgerTerms};
use crate::error::{Error, Parameter, Result};
use crate::exact::format_rational;
use crate::privacy::{Delta, Epsilon, Neighbors, Unit};

/// The content of a ledger at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Balance {
    /// The terms of the ledger.
    #[serde(flatten)]
    pub terms: LedgerTerms,
    #[serde(serialize_with = "as_text")]
    pub(super) spent: BigRational,
    #[serde(serialize_with = "as_text")]
    pub(crate) left: BigRational,
    /// The sum of all deltas.
    pub spent_delta: Delta,
    /// The charged releases, in order.
    pub entries: Vec<LedgerEntry>,
    /// The notes, in order.
    pub notes: Vec<LedgerNote>,
    /// When and why the ledger was closed, if it was: a closed ledger refuses further charges.
    pub closed: Option<LedgerNote>,
}

/// A note on a ledger, or on its closing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct LedgerNote {
    /// When it was written, in UTC; `None` in a line that was cut off.
    pub when: Option<String>,
    /// The text of the note; it may be empty for a closing.
    pub text: String,
}

/// A charged release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct LedgerEntry {
    /// The number of the entry, from 1.
    pub number: usize,
    /// The epsilon that it was charged.
    pub epsilon: Epsilon,
    /// The delta that it was charged.
    pub delta: Delta,
    /// When it was charged, in UTC; `None` in a line that was cut off.
    pub when: Option<String>,
    /// The command that made it; `None` in a line that was cut off.
    pub command: Option<String>,
    /// The note of the user; empty without one.
    pub note: String,
    /// Whether the run reported that it made the release.
    pub released: bool,
    /// The kind of error with which it ended, if it failed: its budget is spent all the same.
    pub failed: Option<String>,
    /// The part of its epsilon that was returned because its own earlier releases ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub returned: Option<Epsilon>,
    /// The run key under which it was charged, if one was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_key: Option<String>,
    /// The hash of the request that the run key belongs to.
    #[serde(skip)]
    pub(super) request: Option<String>,
    /// The hash of the record that was kept for the run key.
    #[serde(skip)]
    pub(super) record: Option<String>,
}

impl LedgerEntry {
    /// Whether the file does not record how the run ended: the run may still be active, or was
    /// stopped, or used a version that recorded failures only.
    pub fn is_open(&self) -> bool {
        !self.released && self.failed.is_none() && self.returned.is_none()
    }
}

impl Balance {
    /// A ledger without entries.
    pub(super) fn new(terms: LedgerTerms) -> Self {
        Self {
            spent: BigRational::zero(),
            left: terms.cap.as_rational().clone(),
            spent_delta: Delta::zero(),
            terms,
            entries: Vec::new(),
            notes: Vec::new(),
            closed: None,
        }
    }

    /// The epsilon spent, as exact text.
    pub fn spent(&self) -> String {
        format_rational(&self.spent)
    }

    /// The epsilon left, as exact text: 0 if more is spent than the cap.
    pub fn left(&self) -> String {
        format_rational(&self.left)
    }

    /// Counts an entry.
    pub(super) fn add(&mut self, entry: LedgerEntry) {
        self.spent += entry.epsilon.as_rational();
        self.count_left();
        self.spent_delta = self.spent_delta.clone() + entry.delta.clone();
        self.entries.push(entry);
    }

    /// Takes back a part of an entry's epsilon; returns false if that is impossible.
    pub(super) fn take_back(&mut self, number: usize, epsilon: Epsilon) -> bool {
        let entry = number.checked_sub(1).and_then(|place| self.entries.get_mut(place));
        let of = |entry: &&mut LedgerEntry| {
            entry.failed.is_none() && entry.returned.is_none() && epsilon < entry.epsilon
        };
        let Some(entry) = entry.filter(of) else { return false };
        self.spent -= epsilon.as_rational();
        entry.returned = Some(epsilon);
        self.count_left();
        true
    }

    /// The entry that was charged under a run key.
    pub(crate) fn of_run_key(&self, key: &str) -> Option<&LedgerEntry> {
        self.entries.iter().find(|entry| entry.run_key.as_deref() == Some(key))
    }

    fn count_left(&mut self) {
        let left = self.terms.cap.as_rational() - &self.spent;
        self.left = if left.is_negative() { BigRational::zero() } else { left };
    }

    /// Checks that a release may be charged.
    ///
    /// # Errors
    ///
    /// `Request` if it has another guarantee than the ledger; `Budget` if it costs more than the
    /// remaining budget, or the ledger is closed.
    pub(super) fn check(&self, expense: &Expense) -> Result<()> {
        if self.closed.is_some() {
            let rule = "the ledger is closed: no more releases can be charged";
            return Err(Error::budget(rule).about([Parameter::Ledger]));
        }
        let neighbors = |relation| match relation {
            Neighbors::AddRemove => "adding or removing one unit",
            Neighbors::ReplaceOne => "replacing one unit",
        };
        let LedgerTerms { cap, delta, neighbors: relation, unit, .. } = &self.terms;
        if expense.neighbors != *relation {
            let (own, other) = (neighbors(*relation), neighbors(expense.neighbors));
            let rule = format!("the ledger is for {own}, this release for {other}");
            return Err(Error::request(rule).about([Parameter::Neighbors]));
        }
        if *unit == Unit::Unit && expense.unit != Unit::Unit {
            return Err(Error::request("the ledger is for another unit than a row"));
        }
        let by_row = |unit| matches!(unit, Unit::Row | Unit::Column);
        if (*unit == Unit::Person && by_row(expense.unit))
            || (by_row(*unit) && expense.unit == Unit::Person)
        {
            let rule = format!("the ledger protects one {unit}, this release one {}", expense.unit);
            return Err(Error::request(rule).about([Parameter::Unit]));
        }
        if expense.epsilon.as_rational() > &self.left {
            let left = self.left();
            let rule = format!("the ledger has {left} left of {cap}: too little for this release");
            return Err(Error::budget(rule).about([Parameter::Epsilon]));
        }
        if delta.is_zero() && !expense.delta.is_zero() {
            let rule = "the ledger is for purely private releases, this one spends a delta";
            return Err(Error::request(rule).about([Parameter::Delta]));
        }
        if self.spent_delta.clone() + expense.delta.clone() > *delta {
            let spent = &self.spent_delta;
            let rule = format!(
                "the ledger has spent a delta of {spent} of {delta}: too little is left for this release"
            );
            return Err(Error::budget(rule).about([Parameter::Delta]));
        }
        Ok(())
    }
}

fn as_text<S: Serializer>(
    value: &BigRational,
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    serializer.serialize_str(&format_rational(value))
}
