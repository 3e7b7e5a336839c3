//! The proof that a release was paid for.

use serde::Serialize;

use super::Balance;
use crate::privacy::Epsilon;

/// A release that a ledger has paid for, and what was left then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Receipt {
    /// The name of the ledger; empty if it has none.
    pub name: String,
    /// The number of the entry, from 1.
    pub entry: usize,
    /// The cap of the ledger.
    pub cap: Epsilon,
    /// What is spent with this release, as exact text.
    pub spent: String,
    /// What is left, as exact text.
    pub left: String,
}

impl Receipt {
    /// The receipt of the last entry.
    pub(super) fn of(balance: &Balance) -> Self {
        Self {
            name: balance.terms.name.clone(),
            entry: balance.entries.len(),
            cap: balance.terms.cap.clone(),
            spent: balance.spent(),
            left: balance.left(),
        }
    }
}
