//! Renders records, and pages with tables and figures. Only the record is read, never the data.

pub(crate) mod account;
mod facts;
mod findings;
mod fit;
#[cfg(feature = "html")]
mod html;
#[cfg(feature = "html")]
mod intervals;
#[cfg(feature = "html")]
mod markup;
#[cfg(feature = "html")]
mod page;
#[cfg(feature = "html")]
mod page_html;
mod reported;
#[cfg(test)]
mod testing;
mod text;
#[cfg(any(test, feature = "verify"))]
pub(crate) mod verified;
pub(crate) mod words;
pub(crate) mod wrap;

pub use crate::json::to_json;
pub use account::{Account, Asked, Releases};
pub use fit::{fit_dry_run, fit_report};
#[cfg(feature = "html")]
pub use markup::escape;
#[cfg(feature = "html")]
pub use page::{Agreement, Block, Interval, Level, Notice, Page, Section};
#[cfg(feature = "html")]
pub use reported::to_html;
pub use reported::{Reported, names, report, report_with, to_tsv};
pub use text::{dry_run, dry_run_with};
#[cfg(any(test, feature = "verify"))]
pub use verified::{audit, verification};
