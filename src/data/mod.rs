//! Samples in: reading, structure, and the way of each value to the grid.
//!
//! Everything here is a function of one sample at a time (and of what the user stated), so it costs
//! no privacy: no sample can change what another contributes.

#[cfg(feature = "ndarray")]
mod array;
mod blocks;
mod cells;
mod columns;
mod number;
mod plain;
mod quantise;
mod ranks;
mod samples;
mod scaling;
mod schema;
mod side;
mod table;
mod target;
mod text;
mod text_samples;

#[cfg(feature = "ndarray")]
pub use array::ArrayTable;
pub use samples::Source;
pub use scaling::{Bounds, Scaler, Scaling};
pub use schema::{Orientation, TargetColumn};
pub use text::TextTable;

pub(crate) use blocks::RowFold;
pub(crate) use cells::Row;
pub(crate) use columns::Columns;
#[cfg(test)]
pub(crate) use columns::HeldRows;
#[cfg(feature = "ndarray")]
pub(crate) use columns::SomeRows;
pub(crate) use number::CellFormat;
pub(crate) use samples::{
    FeatureMajor, Opening, Sample, SampleFold, Samples, UsableSamples, Value,
};
pub(crate) use schema::Schema;
#[cfg(feature = "import")]
pub(crate) use schema::near_misses;
pub(crate) use side::{SideFile, read_bounds};
pub(crate) use table::{Progress, TableFile};
pub(crate) use target::{Labels, TargetCode};
