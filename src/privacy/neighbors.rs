//! Which tables a release must not tell apart.

use serde::Serialize;

/// The neighbor relation of a guarantee; the unit is one row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[non_exhaustive]
pub enum Neighbors {
    /// One table is the other with one row more: the number of rows is private too.
    #[default]
    #[serde(rename = "add/remove")]
    AddRemove,
    /// One row of the other is replaced by any other: the number of rows is public.
    #[serde(rename = "replace-one")]
    ReplaceOne,
}

impl Neighbors {
    /// How many additions and removals lead from a table to its neighbor.
    ///
    /// A quantity that moves by at most s when a row is added or removed moves by at most s times
    /// this between neighbors.
    pub(crate) fn steps(self) -> u64 {
        match self {
            Self::AddRemove => 1,
            Self::ReplaceOne => 2,
        }
    }
}
