//! Small private estimates every pipeline needs: the centre of the target, and a median.

mod center;
mod median;

pub(crate) use center::{RowsEstimate, private_center, private_center_of, private_class_centers};
pub(crate) use median::{MedianGrid, RankCounts};

/// Exact laws of the estimates, for enumerations of the whole path.
#[cfg(test)]
pub(crate) mod laws {
    pub(crate) use super::center::tests::{exact_law, exact_law_of};
    pub(crate) use super::median::tests::{POINTS, law_of_values};
}
