//! How good each feature is, and how far one unit can move that.

mod classes;
mod correlation;
mod scores;

pub use scores::Scores;

pub(crate) use classes::ClassSums;
pub(crate) use correlation::CorrelationSums;
