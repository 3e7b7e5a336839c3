//! The proof that a release was charged.

use serde::{Deserialize, Serialize};

use super::Balance;
use crate::privacy::{Delta, Epsilon};

/// A release that was charged to a ledger, and the budget that remained then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Receipt {
    /// The name of the ledger; empty without one.
    pub name: String,
    /// The number of the entry, from 1.
    pub entry: usize,
    /// The cap of the ledger.
    pub cap: Epsilon,
    /// The epsilon spent, this release included, as exact text.
    pub spent: String,
    /// The epsilon left, as exact text.
    pub left: String,
    /// The largest sum of deltas; 0 for a ledger of pure releases.
    #[serde(skip_serializing_if = "Delta::is_zero", default = "Delta::zero")]
    pub delta: Delta,
    /// The sum of all deltas, this release included.
    #[serde(skip_serializing_if = "Delta::is_zero", default = "Delta::zero")]
    pub spent_delta: Delta,
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
            delta: balance.terms.delta.clone(),
            spent_delta: balance.spent_delta.clone(),
        }
    }
}
