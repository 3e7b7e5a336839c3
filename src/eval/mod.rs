//! Comparisons of methods on public data, and the papers' experiments. Nothing here is private.

mod dense;
mod downstream;
mod metrics;
mod preparation;
mod seed;
mod study;
mod sweep;

pub use dense::LinearModel;
pub use preparation::{Preparation, Prepared};
