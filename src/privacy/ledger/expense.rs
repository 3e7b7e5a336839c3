//! A release as the ledger sees it.

use super::words::check_words;
use crate::error::{Error, Result};
use crate::privacy::{Delta, Epsilon, Neighbors, Unit};

/// The price of a release, for which [`Ledger::spend`](super::Ledger::spend) pays, and its
/// guarantee.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expense {
    pub(super) epsilon: Epsilon,
    pub(super) delta: Delta,
    pub(super) command: String,
    pub(super) neighbors: Neighbors,
    pub(super) unit: Unit,
    pub(super) note: String,
}

impl Expense {
    /// A purely private release of this epsilon by this command or program, for adding or removing
    /// a row.
    pub fn new(epsilon: Epsilon, command: impl Into<String>) -> Self {
        let (neighbors, unit) = (Neighbors::default(), Unit::Row);
        let (delta, note) = (Delta::zero(), String::new());
        Self { epsilon, delta, command: command.into(), neighbors, unit, note }
    }

    /// Sets the delta of its guarantee, which is spent whether or not the release needs it.
    pub fn delta(self, delta: Delta) -> Self {
        Self { delta, ..self }
    }

    /// Sets the neighbor relation of its guarantee.
    pub fn neighbors(self, neighbors: Neighbors) -> Self {
        Self { neighbors, ..self }
    }

    /// Sets the unit of its guarantee. [`Unit::Unit`] is that of the ledger, for which
    /// sensitivities are given.
    pub fn unit(self, unit: Unit) -> Self {
        Self { unit, ..self }
    }

    /// Sets a note, which is written to the ledger.
    pub fn note(self, note: impl Into<String>) -> Self {
        Self { note: note.into(), ..self }
    }

    /// Checks the texts.
    ///
    /// # Errors
    ///
    /// `Request` if one cannot stand in a line of the ledger.
    pub(super) fn check(&self) -> Result<()> {
        check_words("the command's name", &self.command)?;
        check_words("the note", &self.note)?;
        if self.command.is_empty() || self.command.contains(',') {
            return Err(Error::request("the command's name is empty or holds a comma"));
        }
        Ok(())
    }
}
