//! A release as a charge to a ledger.

use super::words::check_words;
use crate::error::{Error, Result};
use crate::privacy::{Delta, Epsilon, Neighbors, Unit};

/// The cost of a release, which [`Ledger::spend`](super::Ledger::spend) charges, and its guarantee.
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

    /// Sets the privacy unit of its guarantee. [`Unit::Unit`] is the unit of the ledger, for which
    /// sensitivities are given.
    pub fn unit(self, unit: Unit) -> Self {
        Self { unit, ..self }
    }

    /// Sets a note to write to the ledger.
    pub fn note(self, note: impl Into<String>) -> Self {
        Self { note: note.into(), ..self }
    }

    /// Checks the texts.
    ///
    /// # Errors
    ///
    /// `Request` if one cannot be part of a line of the ledger.
    pub(super) fn check(&self) -> Result<()> {
        check_words("the command's name", &self.command)?;
        check_words("the note", &self.note)?;
        if self.command.is_empty() || self.command.contains(',') {
            return Err(Error::request("the command's name is empty or holds a comma"));
        }
        Ok(())
    }
}
