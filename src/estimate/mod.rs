//! Small private estimates every pipeline needs: the centre of the target, and a median.

mod center;
mod median;

pub(crate) use center::{RowsEstimate, private_center, private_center_of, private_class_centers};
pub(crate) use median::{MedianGrid, RankCounts};
