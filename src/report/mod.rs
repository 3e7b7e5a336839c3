//! Renders records, and pages with tables and figures. It reads records only, never the data.

pub(crate) mod account;
#[cfg(feature = "exports")]
mod acro;
#[cfg(feature = "html")]
mod curve;
mod facts;
mod findings;
mod fit;
#[cfg(feature = "html")]
mod fit_page;
#[cfg(feature = "html")]
mod front;
#[cfg(feature = "html")]
mod html;
#[cfg(feature = "html")]
mod intervals;
mod ledger;
#[cfg(feature = "html")]
mod markup;
#[cfg(feature = "html")]
mod methods;
#[cfg(feature = "html")]
mod names;
#[cfg(feature = "html")]
mod page;
#[cfg(feature = "html")]
mod page_html;
mod plan;
#[cfg(feature = "html")]
mod plan_page;
mod reported;
#[cfg(feature = "html")]
mod saved;
#[cfg(feature = "exports")]
mod statement;
#[cfg(feature = "html")]
mod svg;
#[cfg(test)]
mod testing;
mod text;
#[cfg(any(test, feature = "verify"))]
pub(crate) mod verified;
pub(crate) mod words;
pub(crate) mod wrap;

pub use crate::json::to_json;
pub use account::{Account, Quantity, Releases};
#[cfg(feature = "exports")]
pub use acro::{ACRO_VERSION, AcroFolder};
pub use fit::{fit_dry_run, fit_report};
pub use ledger::ledger;
#[cfg(feature = "html")]
pub use markup::escape;
#[cfg(feature = "html")]
pub use page::{
    Agreement, Axis, Block, CurvePoint, Heading, Interval, Level, Notice, Page, Section,
};
pub use plan::{answer, details, effect_size, plan};
pub use reported::{Reported, names, report, report_with, to_tsv};
#[cfg(feature = "html")]
pub use saved::{Paged, SavedRecord, to_html, to_html_with, to_svg};
#[cfg(feature = "exports")]
pub use statement::Statement;
pub use text::dry_run_with;
#[cfg(any(test, feature = "verify"))]
pub use verified::{audit, verification};
