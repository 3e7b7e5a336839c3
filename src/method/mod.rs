//! Whole selection methods beside correlations: the two-stage LASSO, DPKendall.

pub mod dp_kendall;
mod lasso;
pub mod two_stage;

pub use lasso::{Lasso, LassoFit};
