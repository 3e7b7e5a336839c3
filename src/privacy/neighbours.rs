//! Which tables a release must not tell apart.

use serde::Serialize;

/// The neighbour relation of a guarantee; the unit is one row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[non_exhaustive]
pub enum Neighbours {
    /// One table is the other with one row more: the number of rows is private too.
    #[default]
    #[serde(rename = "add/remove")]
    AddRemove,
}
