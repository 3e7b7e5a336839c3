//! Recommendation of items: which user interacted with which item, a linear model of that, and the
//! scores that the model gives to users it was not fitted to.

mod bands;
mod cholesky;
mod ease;
mod generated;
mod gram;
mod interactions;
mod read;
mod scores;
mod sparse;
mod weights;

pub(crate) use generated::{Shape, generate};
pub(crate) use interactions::Interactions;
pub(crate) use read::read;
