//! Renders records, and pages and figures of numbers. It sees nothing but the record.

#[cfg(feature = "figures")]
pub mod figure;
mod html;
mod json;
mod markup;
mod page;
mod page_html;
mod text;

pub use html::to_html;
pub use json::to_json;
pub use page::{Block, Level, Notice, Page, Section, Verdict};
pub use text::{Reported, dry_run, names, report, to_tsv};
