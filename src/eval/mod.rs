//! Comparisons of methods on public data, and the papers' experiments. Nothing here is private.

mod preparation;

pub use preparation::{Preparation, Prepared};
