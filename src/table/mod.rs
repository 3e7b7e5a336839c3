//! Reading tables: formats, the roles of columns, and the grid values of samples.
//!
//! Every step is a function of one sample at a time and of the given facts. It needs no privacy
//! budget, because no sample can change what another one contributes.

#[cfg(feature = "ndarray")]
mod array;
mod batch;
mod block_rows;
mod block_table;
mod block_turns;
mod bounds;
mod cell;
mod chunks;
#[cfg(test)]
mod collected;
mod columns;
mod date;
mod event;
mod facts;
mod feature_sets;
mod file;
mod files;
mod formats;
mod grouped;
mod header;
mod held;
mod held_columns;
mod hooks;
mod identifiers;
mod levels;
mod managed;
mod number;
mod on_grid;
mod open_table;
mod orientation;
#[cfg(feature = "patterns")]
mod paths;
mod pattern;
mod people;
mod per_million;
mod prepared;
mod quantize;
mod ranks;
mod roles;
mod scaling;
mod schema;
mod side;
mod sort;
pub(crate) mod source;
mod strata;
mod target;
mod targets;
mod text;
mod text_rows;
#[cfg(feature = "ndarray")]
mod to_target;
mod turns;
mod whole;
mod word;

#[cfg(feature = "ndarray")]
pub use array::{ArrayTable, Element};
pub use bounds::Bounds;
pub use event::TimeToEvent;
pub use facts::{TableFacts, delimiter_name, parse_delimiter};
pub use feature_sets::FeatureSets;
pub use file::FileTable;
pub use files::FileTables;
#[cfg(feature = "batches")]
pub use files::identifiers;
#[doc(hidden)]
pub use formats::r::RNumbers;
pub use grouped::{SetFacts, SetMembers, SetSize};
pub use levels::Levels;
pub use people::UnitTarget;
pub use scaling::{Scaler, Scaling};
pub use schema::{Orientation, TargetColumn, are_excluded};
pub use source::Source;
pub use strata::Covariate;
#[cfg(feature = "ndarray")]
pub use to_target::{OwnTarget, ToTarget};

pub(crate) use batch::{Batch, Fold, Layout, Role, Value, Values};
#[cfg(feature = "inspect")]
pub(crate) use block_table::{RowBlock, TextCell, TextPlace, Wanted};
#[cfg(feature = "inspect")]
pub(crate) use block_turns::{BLOCKS, on_blocks};
pub(crate) use cell::CellFormat;
#[cfg(feature = "inspect")]
pub(crate) use cell::{Cell, EXACT, GivenCell, Kind};
pub(crate) use chunks::{Chunks, chunk};
pub(crate) use columns::Columns;
#[cfg(feature = "ndarray")]
pub(crate) use columns::SomeRows;
#[cfg(feature = "inspect")]
pub(crate) use formats::Format;
#[cfg(feature = "batches")]
pub use formats::arrow::{BatchIterator, as_objects, quiet_caught_panics};
#[cfg(feature = "inspect")]
pub(crate) use formats::text::blocks::TakeRows;
#[cfg(feature = "inspect")]
pub(crate) use formats::text::cells::Row;
pub(crate) use formats::text::file::reads_again;
#[cfg(feature = "inspect")]
pub(crate) use formats::text::file::{OpenText, likely_cells};
pub(crate) use grouped::Grouping;
#[cfg(test)]
pub(crate) use grouped::Members;
#[cfg(test)]
pub(crate) use held_columns::HeldColumns;
pub(crate) use held_columns::Limit;
pub(crate) use hooks::{Cancel, Hooks};
pub(crate) use levels::{LevelValues, NumbersAndLevels, level_of};
pub use number::parse_number;
pub(crate) use on_grid::OnGrid;
pub(crate) use open_table::{Identifiers, Opening, Table, UsableSamples, fold, hold, hold_all};
pub(crate) use orientation::is_id_name;
#[cfg(feature = "inspect")]
pub(crate) use orientation::looks_turned;
#[cfg(feature = "patterns")]
pub use paths::files;
#[cfg(feature = "inspect")]
pub(crate) use pattern::Names;
#[cfg(feature = "inspect")]
pub(crate) use people::key as key_of_person;
pub(crate) use people::{People, PeopleRule};
#[cfg(test)]
pub(crate) use per_million::per_million;
pub(crate) use prepared::PreparedTable;
pub(crate) use roles::RoleColumns;
pub(crate) use schema::{Schema, TargetRole};
pub(crate) use side::{Needs, SideFile, bounds_of_features, read_bounds, read_weights};
pub(crate) use sort::{Sorter, order, place};
#[cfg(test)]
pub(crate) use source::sealed::Open;
pub(crate) use strata::strata_of;
pub(crate) use target::{Code, Labels, TargetCell, TargetCode, listed, quoted};
#[cfg(feature = "inspect")]
pub(crate) use targets::TargetTable;
#[cfg(feature = "inspect")]
pub(crate) use turns::Results;
pub use whole::WholeTable;
#[cfg(feature = "inspect")]
pub(crate) use word::word;
pub(crate) use word::word_of;
