//! The unit of privacy.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Parameter, Result, word};

/// The unit of privacy, by which neighboring tables differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unit {
    /// A row of the table.
    #[serde(rename = "row")]
    Row,
    /// A column, if features are rows.
    #[serde(rename = "column")]
    Column,
    /// A person, or anything else that a column identifies: all its rows.
    #[serde(rename = "person")]
    Person,
    /// A unit of the data behind externally computed scores.
    #[serde(rename = "unit")]
    Unit,
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Row => "row",
            Self::Column => "column",
            Self::Person => "person",
            Self::Unit => "unit",
        })
    }
}

impl FromStr for Unit {
    type Err = Error;

    /// Parses `row` or `person`, the units that a user can choose for a table.
    fn from_str(text: &str) -> Result<Self> {
        word(Parameter::Unit, text, &[("row", Self::Row), ("person", Self::Person)])
    }
}

impl Unit {
    /// The plural noun for messages: where features are rows, each column is a sample.
    pub fn plural(self) -> &'static str {
        match self {
            Self::Row => "rows",
            Self::Column => "samples",
            Self::Person => "people",
            Self::Unit => "units",
        }
    }

    /// The noun for this number of units: the singular for one, else the [plural](Self::plural).
    pub fn noun(self, number: u64) -> &'static str {
        match self {
            _ if number != 1 => self.plural(),
            Self::Row => "row",
            Self::Column => "sample",
            Self::Person => "person",
            Self::Unit => "unit",
        }
    }
}
