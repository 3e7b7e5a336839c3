//! Rows in: reading, structure, and the way of each value to the grid.
//!
//! Everything here is a function of one row at a time (and of what the user stated), so it costs no
//! privacy: no row can change what another row contributes.

mod blocks;
mod cells;
mod grid;
mod number;
mod scaling;
mod schema;
mod table;
mod target;

pub use scaling::{Bounds, Scaling};
pub use schema::TargetColumn;

pub(crate) use blocks::RowFold;
pub(crate) use cells::Row;
pub(crate) use grid::Q;
pub(crate) use number::parse_number;
pub(crate) use scaling::Scaler;
pub(crate) use schema::Schema;
pub(crate) use table::{OpenTable, TableFile};
pub(crate) use target::{Labels, TargetCode};
