//! Whole selection methods beside correlations: the two-stage LASSO, DPKendall.

mod lasso;

pub use lasso::{Lasso, LassoFit};
