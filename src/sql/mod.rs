//! Queries that compute the sums of a table where it lies, and the results of such queries.
//!
//! A query is one statement in the dialect of an engine. Its result has few rows and always the
//! same three columns:
//!
//! | column | what it holds |
//! | --- | --- |
//! | `item` | `facts`: public, what was given of the table and the scores; `rows`; `targets`; `sums` |
//! | `place` | the place within the item, from 0: each occurs once |
//! | `value` | text: an integer, or a piece of the facts |
//!
//! Values are text because programs that export tables round integers of 64 bits. All places are
//! there, so that a result of which a part is lost is found out.
//!
//! # Contributions of rows
//!
//! They are those of the library on the table as it would be in a file, to the bit: each value is
//! put on the integer grid in the same order of floating-point operations, and integers are summed.
//! No row makes a query fail: no operation of it overflows, divides by zero or fails to cast,
//! whatever a cell holds.
//!
//! - In the long form, a person is a sample of the table of targets. One who is there several times
//!   has no usable target; a value that is there several times is missing; rows without a sample
//!   are left out.
//! - Features are given, because a list that is found in the data would tell of them. Others are
//!   not read.
//! - NULL, NaN and infinite values are missing.

mod dialect;
mod grid;
mod median;
mod query;
mod result;
mod rows;
mod sums;
#[cfg(test)]
mod tests;

pub use dialect::SqlDialect;
pub(crate) use query::{Asked, SqlStep, query};
pub(crate) use result::QueryResult;
pub(crate) use rows::Coded;
pub use rows::{SqlForm, SqlTable};
