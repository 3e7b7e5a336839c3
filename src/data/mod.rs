//! Reading tables: formats, the roles of columns, and the grid values of samples.
//!
//! Every step is a function of one sample at a time and of the stated facts. It needs no privacy
//! budget, because no sample can change what another one contributes.

#[cfg(feature = "ndarray")]
mod array;
mod block_fold;
mod block_samples;
mod block_table;
mod blocks;
mod bounds;
mod cells;
mod chunks;
#[cfg(test)]
mod collected;
mod columns;
mod date;
mod decompress;
mod facts;
mod feature_sets;
mod file;
mod file_samples;
mod formats;
mod grouped;
mod header;
mod held;
mod held_columns;
mod hooks;
mod lying;
mod number;
mod on_grid;
mod pattern;
mod people;
mod per_million;
mod plain;
mod quantize;
mod ranks;
mod roles;
mod sample;
mod samples;
mod scaling;
mod schema;
mod several;
mod side;
mod sort;
pub(crate) mod source;
mod strata;
mod table;
mod taken;
mod target;
mod targets;
mod text;
mod text_samples;
#[cfg(feature = "ndarray")]
mod to_target;
mod turns;
mod whole;
mod word;

#[cfg(feature = "ndarray")]
pub use array::ArrayTable;
pub use bounds::Bounds;
pub use facts::{TableFacts, delimiter_name, parse_delimiter};
pub use feature_sets::FeatureSets;
pub use file::FileTable;
pub use grouped::{SetFacts, SetMembers, SetSize};
pub use people::UnitTarget;
pub use scaling::{Scaler, Scaling};
pub use schema::{Orientation, TargetColumn};
pub use several::FileTables;
pub use source::Source;
pub use strata::Covariate;
#[cfg(feature = "ndarray")]
pub use to_target::{OwnTarget, ToTarget};

#[cfg(feature = "inspect")]
pub(crate) use block_fold::{BLOCKS, BlockFold, fold_blocks};
#[cfg(feature = "inspect")]
pub(crate) use block_samples::codes;
#[cfg(feature = "inspect")]
pub(crate) use block_table::{RowBlock, RowValues, TextCell, TextPlace, Wanted};
#[cfg(feature = "inspect")]
pub(crate) use blocks::RowFold;
#[cfg(feature = "inspect")]
pub(crate) use cells::Row;
pub(crate) use chunks::{Chunks, chunk};
pub(crate) use columns::Columns;
#[cfg(feature = "ndarray")]
pub(crate) use columns::SomeRows;
#[cfg(feature = "inspect")]
pub(crate) use formats::Format;
#[cfg(feature = "arrow")]
pub use formats::arrow::quiet_caught_panics;
pub(crate) use grouped::Grouping;
#[cfg(test)]
pub(crate) use grouped::Members;
#[cfg(test)]
pub(crate) use held_columns::HeldColumns;
pub(crate) use held_columns::Limit;
pub(crate) use hooks::{Cancel, Hooks};
#[cfg(feature = "inspect")]
pub(crate) use lying::looks_turned;
pub(crate) use lying::names_ids;
pub(crate) use number::CellFormat;
#[cfg(feature = "inspect")]
pub(crate) use number::MISSING;
pub use number::parse_number;
pub(crate) use on_grid::OnGrid;
#[cfg(feature = "inspect")]
pub(crate) use pattern::Names;
pub(crate) use people::{Meeting, People};
#[cfg(test)]
pub(crate) use per_million::per_million;
pub(crate) use roles::Tell;
pub(crate) use sample::{FeatureMajor, Role, Sample, SampleFold, Value};
pub(crate) use samples::{Opening, Samples, UsableSamples};
pub use schema::near_misses;
pub(crate) use schema::{Schema, TargetRole};
pub(crate) use several::TablesSamples;
pub(crate) use side::{SideFile, bounds_of_features, read_bounds};
pub(crate) use sort::{Sorter, order, place};
pub(crate) use source::Opened;
#[cfg(test)]
pub(crate) use source::sealed::Open;
pub(crate) use strata::strata_of;
pub use table::reads_again;
#[cfg(feature = "inspect")]
pub(crate) use table::{OpenTable, likely_cells};
pub(crate) use taken::Taken;
pub(crate) use target::{Labels, TargetCell, TargetCode};
#[cfg(feature = "inspect")]
pub(crate) use targets::TargetTable;
pub use whole::WholeTable;
pub(crate) use word::word_of;
