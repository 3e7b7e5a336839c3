//! Public data sets: what is known of them, and how they come in.
//!
//! Nothing here is private, and nothing of it is part of a release: the tables are public.

mod table;

pub use table::PublicTable;
