//! Renders records. It sees nothing but the record.

#[cfg(feature = "figures")]
pub mod figure;
mod json;
#[cfg(any(feature = "figures", test))]
mod markup;
mod text;

pub use json::to_json;
pub use text::{Reported, dry_run, names, report, to_tsv};
