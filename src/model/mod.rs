//! Private models on selected features: linear regression of a number, logistic regression of two
//! classes.
//!
//! [`FitModel`](crate::FitModel) selects features and fits a model under one budget; a [`Model`]
//! predicts.
//!
//! | target | model | statistic with noise |
//! | --- | --- | --- |
//! | a number | [linear](mod@linear) regression, AdaSSP | [the sums of products](moments) |
//! | one of two classes | logistic regression | [its minimizer](logistic) |
//!
//! Both work on integers: each value is clipped to the range of its column, given or
//! [drawn](ranges), and mapped to the grid by a function of its own row. A missing cell or a
//! category counts as the middle of the range. A categorical column with given levels becomes a
//! column of 0 and 1 for each level except the first, which needs no range.

mod eigen;
pub mod linear;
pub mod logistic;
pub mod moments;
pub mod noise;
mod predictions;
pub mod ranges;
mod release;
mod saved;
#[cfg(test)]
mod simulation;
mod variables;

#[cfg(feature = "linfa")]
pub(crate) use predictions::ReadCell;
pub use saved::{Model, ModelFeature, ModelGuarantee, ModelKind, ModelTarget};

pub(crate) use release::{
    Fallback, ModelBudget, ModelPrice, ModelRequest, Regression, ReleasedModel, Rows, Term,
    TermValues, fit_model,
};

/// The maximum number of columns of a model: with more, the noise of the sums would exceed the
/// signal of any table.
pub(crate) const MAX_MODEL_COLUMNS: usize = 100;
