//! Selection methods that do not score each feature separately: the two-stage LASSO, DPKendall, and
//! the second stage for correlated features.
//!
//! Requests for the two-stage method are rejected without the feature `methods`, which adds the
//! LASSO.

mod ballots;
pub mod dp_kendall;
pub mod gram;
#[cfg(feature = "methods")]
mod lasso;
pub mod two_stage;

#[cfg(feature = "methods")]
#[doc(hidden)]
pub use ballots::ballots;
#[doc(hidden)]
pub use ballots::votes;
pub(crate) use ballots::{Rows, ballots_of_blocks};
pub(crate) use dp_kendall::{MAX_PICKS, dp_kendall};
#[cfg(feature = "methods")]
pub use lasso::{Lasso, LassoFit};
pub(crate) use two_stage::{MAX_BLOCKS, blocks_for, check_penalty, draw_blocks};
