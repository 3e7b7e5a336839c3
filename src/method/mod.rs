//! Whole selection methods beside correlations: the two-stage LASSO, DPKendall.

pub mod dp_kendall;
mod lasso;
pub mod two_stage;

pub(crate) use dp_kendall::{MOST_PICKS, dp_kendall};
pub use lasso::{Lasso, LassoFit};
pub(crate) use two_stage::{MOST_BLOCKS, blocks_for, draw_blocks};
#[doc(hidden)]
pub use two_stage::{ballots, votes};
