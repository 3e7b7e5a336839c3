//! The terms of a ledger.

use serde::Serialize;

use crate::privacy::{Delta, Epsilon, Neighbors, Unit};

/// The terms of a ledger, fixed when it is created: its cap, its name, and the guarantee of all
/// releases.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct LedgerTerms {
    /// The name of the ledger; empty without one.
    pub name: String,
    /// The largest sum of all epsilons.
    pub cap: Epsilon,
    /// The largest sum of all deltas: 0 for pure differential privacy.
    pub delta: Delta,
    /// The neighbor relation of all releases.
    pub neighbors: Neighbors,
    /// The privacy unit of all releases.
    pub unit: Unit,
}

impl LedgerTerms {
    /// A cap on pure releases, for adding or removing a row, without a name.
    pub fn new(cap: Epsilon) -> Self {
        Self {
            name: String::new(),
            cap,
            delta: Delta::zero(),
            neighbors: Neighbors::default(),
            unit: Unit::Row,
        }
    }

    /// Sets the name, which reports show.
    pub fn name(self, name: impl Into<String>) -> Self {
        Self { name: name.into(), ..self }
    }

    /// Sets the largest sum of all deltas.
    pub fn delta(self, delta: Delta) -> Self {
        Self { delta, ..self }
    }

    /// Sets the neighbor relation.
    pub fn neighbors(self, neighbors: Neighbors) -> Self {
        Self { neighbors, ..self }
    }

    /// Sets the privacy unit. [`Unit::Column`] is the same as [`Unit::Row`]: one sample, in either
    /// orientation of the table.
    pub fn unit(self, unit: Unit) -> Self {
        let unit = if unit == Unit::Column { Unit::Row } else { unit };
        Self { unit, ..self }
    }
}
