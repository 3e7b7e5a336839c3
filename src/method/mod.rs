//! Selection methods that do not score each feature separately: the two-stage LASSO and DPKendall.
//!
//! Requests for the two-stage method are rejected without the feature `methods`, which adds the LASSO.

pub mod dp_kendall;
#[cfg(feature = "methods")]
mod lasso;
pub mod two_stage;

pub(crate) use dp_kendall::{MOST_PICKS, dp_kendall};
#[cfg(feature = "methods")]
pub use lasso::{Lasso, LassoFit};
#[cfg(feature = "methods")]
#[doc(hidden)]
pub use two_stage::ballots;
#[doc(hidden)]
pub use two_stage::votes;
pub(crate) use two_stage::{MOST_BLOCKS, blocks_for, check_penalty, draw_blocks, votes_of_blocks};
