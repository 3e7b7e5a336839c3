//! Queries that compute the sums of a table in a database, and the results of such queries.
//!
//! A query is one statement in the dialect of an engine. Its result has few rows and always the
//! same three columns:
//!
//! | column | content |
//! | --- | --- |
//! | `item` | `facts`: public information about the table and the scores; `rows`; `targets`; `sums` |
//! | `place` | the place within the item, from 0: each occurs once |
//! | `value` | text: an integer, or a part of the facts |
//!
//! Values are text because programs that export tables round integers of 64 bits. All places are
//! present, so that a lost part of a result is detected.
//!
//! # Contributions of rows
//!
//! They equal the library's sums of the same table in a file, to the bit: each value is put on the
//! integer grid in the same order of floating-point operations, and integers are summed. No row
//! makes a query fail: no operation overflows, divides by zero or fails to cast, for any cell.
//!
//! - In the long form, a person is a sample of the table of targets. A person who occurs there
//!   several times has no usable target; a value that occurs several times is missing; rows without
//!   a sample are left out.
//! - Features are given, because a list taken from the data would reveal something about them.
//!   Others are not read.
//! - NULL, NaN and infinite values are missing.

mod dialect;
mod grid;
mod median;
mod parts;
mod query;
mod result;
mod rows;
mod sums;
#[cfg(test)]
mod tests;
mod wide;

pub use dialect::SqlDialect;
pub(crate) use parts::{QueryParts, SqlStep};
pub(crate) use query::{one_pass_query, query};
pub(crate) use result::QueryResult;
pub(crate) use rows::Coded;
pub use rows::{SqlForm, SqlTable};
