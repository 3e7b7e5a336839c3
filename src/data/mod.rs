//! Samples in: reading, structure, and the way of each value to the grid.
//!
//! Everything here is a function of one sample at a time (and of what the user stated), so it costs
//! no privacy: no sample can change what another contributes.

mod blocks;
mod cells;
mod grid;
mod number;
mod samples;
mod scaling;
mod schema;
mod side;
mod source;
mod table;
mod target;

pub use scaling::{Bounds, Scaling};
pub use schema::TargetColumn;
pub use source::Orientation;

pub(crate) use blocks::RowFold;
pub(crate) use cells::Row;
pub(crate) use grid::{Q, to_grid};
pub(crate) use number::CellFormat;
pub(crate) use samples::{Sample, SampleFold};
pub(crate) use scaling::{Scaler, ScalingRule};
pub(crate) use schema::Schema;
pub(crate) use side::{TargetTable, read_bounds};
pub(crate) use source::{Source, SourceSpec, header_schema};
pub(crate) use table::{Progress, TableFile};
pub(crate) use target::{Labels, TargetCode};
