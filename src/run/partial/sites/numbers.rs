//! The numbers of a partial that depend on rows, in one order: masks cover these numbers.

use crate::error::{Error, Result};
use crate::run::partial::{Partial, Sums, does_not_add_up};

use super::hex::Bytes32;

impl Partial {
    /// Replaces every number that depends on rows.
    pub(super) fn replace_numbers(&mut self, mut new: impl FnMut(u64) -> u64) {
        self.rows = new(self.rows);
        // Sums wrap: two's complement represents the integers modulo 2^64.
        let signed = |sum: &mut i64| *sum = new(*sum as u64) as i64;
        match &mut self.sums {
            Sums::Ranks(counts) => counts.iter_mut().for_each(|(_, count)| *count = new(*count)),
            Sums::Targets(raw) | Sums::Features(raw) => {
                raw.features.iter_mut().chain(&mut raw.rows).for_each(signed);
            }
            // They do not add up, so they are never masked.
            Sums::Columns(_) => {}
        }
    }

    /// All numbers that depend on rows.
    pub(super) fn numbers(&self) -> Vec<u64> {
        let mut numbers = Vec::new();
        self.clone().replace_numbers(|number| {
            numbers.push(number);
            number
        });
        numbers
    }

    /// This partial with counts of all bins, because the list of bins with a count is data as well,
    /// and without the numbers of its parts.
    ///
    /// # Errors
    ///
    /// `Request` if it does not add up.
    pub(super) fn dense(mut self) -> Result<Self> {
        // Sites are identified by their names.
        self.parts = None;
        match self.sums {
            Sums::Ranks(_) => {
                let counts = self.counts()?;
                self.sums = Sums::Ranks(counts.bins().iter().copied().enumerate().collect());
            }
            Sums::Columns(_) => return Err(does_not_add_up()),
            Sums::Targets(_) | Sums::Features(_) => {}
        }
        Ok(self)
    }

    /// This partial as a pass makes it.
    pub(super) fn sparse(mut self) -> Self {
        if let Sums::Ranks(counts) = &mut self.sums {
            counts.retain(|(_, count)| *count > 0);
        }
        self
    }

    /// Everything that is not masked: the given facts, the stage with the values released before
    /// it, the kind and the number of sums.
    pub(super) fn blank(&self) -> Self {
        let mut blank = self.clone();
        blank.replace_numbers(|_| 0);
        blank
    }

    /// The hash of everything that is not masked.
    pub(super) fn subject(&self) -> Result<Bytes32> {
        let json = serde_json::to_string(&self.blank());
        json.map(|json| Bytes32::hash(&json))
            .map_err(|_| Error::io("the partial cannot be written as JSON"))
    }
}
