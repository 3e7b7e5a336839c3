//! Public data sets: a manifest of known sets, and their import.
//!
//! Nothing here is private or part of a release: the tables are public.
//!
//! | I want to ... | see |
//! | --- | --- |
//! | know the sets of the DP-SIS paper | [`manifest`], [`find`] |
//! | read one of them from a folder | [`open`] |
//! | read one from a folder or a server, and write it as CSV | [`get`], [`to_csv`] |
//! | read a public table of my own | [`PublicTable::read`] |
//! | make bounds of features from a public table | [`bounds()`] |

mod bounds;
mod checksum;
mod fetch;
mod form;
mod import;
mod manifest;
mod table;

pub use bounds::{Clip, bounds, bounds_to_csv, weights_to_csv};
pub use checksum::table_sha256;
pub use form::{Form, to_csv};
pub use import::{Origin, get, has, locate_or_server, open, read};
pub use manifest::{DataSet, MANIFEST, PaperFacts, find, manifest};
pub use table::PublicTable;
