//! Small private estimates every pipeline needs: the centre of the target, and a median.
//!
//! For those who build a pipeline of their own; [`Select`](crate::Select) pays for them out of one
//! budget. The parts of a pipeline add up: state epsilons that sum to what may be spent.

mod center;
mod median;

pub use center::{RowsEstimate, center, center_of_rows, class_centers};
pub use median::median;

pub(crate) use center::{private_center, private_center_of, private_class_centers};
pub(crate) use median::{MedianGrid, RankCounts};

/// Exact laws of the estimates, for enumerations of the whole path.
#[cfg(test)]
pub(crate) mod laws {
    pub(crate) use super::center::tests::{exact_law, exact_law_of};
    pub(crate) use super::median::tests::{POINTS, law_of_values};
}
