//! Renders records. It sees nothing but the record.

mod json;
mod text;

pub use json::to_json;
pub use text::{Reported, dry_run, names, report, to_tsv};
