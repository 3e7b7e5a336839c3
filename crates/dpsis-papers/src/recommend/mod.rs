//! Recommendation of items: which user interacted with which item, a linear model of that, and the
//! scores that the model gives to users it was not fitted to.

mod bands;
// With feature `lapack`, only the test that compares the two inverses uses it.
#[cfg(any(test, not(feature = "lapack")))]
mod cholesky;
mod ease;
mod factor;
mod generated;
mod gram;
mod interactions;
mod read;
mod scores;
mod sparse;
mod weights;

pub(crate) use generated::{GROUPS, LOYALTY, Shape, generate};
pub(crate) use interactions::{Interactions, LEAST};
pub(crate) use read::read;
pub(crate) use scores::{CANDIDATES, Scored, scored, split};
pub(crate) use weights::{EXACT, LAMBDA, NEIGHBORS, Weights};
