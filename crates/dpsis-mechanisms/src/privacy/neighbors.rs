//! The neighbor relation between tables.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Parameter, Result, word};

/// The neighbor relation of a guarantee; the unit is one row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Neighbors {
    /// Neighboring tables differ by one additional row; the number of rows is private too.
    #[default]
    #[serde(rename = "add/remove")]
    AddRemove,
    /// Neighboring tables differ in one replaced row; the number of rows is public.
    #[serde(rename = "replace-one")]
    ReplaceOne,
}

impl FromStr for Neighbors {
    type Err = Error;

    /// From `add-remove` or `replace-one`.
    fn from_str(text: &str) -> Result<Self> {
        let words = [("add-remove", Self::AddRemove), ("replace-one", Self::ReplaceOne)];
        word(Parameter::Neighbors, text, &words)
    }
}

impl Neighbors {
    /// The number of additions and removals that lead from a table to its neighbor.
    ///
    /// A quantity that changes by at most s when a row is added or removed changes by at most s
    /// times this number between neighbors.
    pub fn steps(self) -> u64 {
        match self {
            Self::AddRemove => 1,
            Self::ReplaceOne => 2,
        }
    }
}
