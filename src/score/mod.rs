//! Scores of features and their sensitivity.
//!
//! For callers who build their own pipeline: sums over rows on the integer grid, or the
//! Kolmogorov-Smirnov scores or Kendall's correlation of a matrix, yield [`Scores`], from which any
//! mechanism can select. Scores and sums are exact functions of the data and must not be released,
//! printed or logged.

use crate::error::{Error, Result};
use crate::exact::MAX_ROWS;

mod by_feature;
mod classes;
#[cfg(test)]
mod contract;
mod correlation;
mod kendall;
mod ks;
mod paper;
mod raw;
mod rows;
mod sums;

pub use classes::ClassSums;
pub use correlation::CorrelationSums;
pub use dpsis_mechanisms::Scores;
pub(crate) use dpsis_mechanisms::scores::LARGEST;
pub use kendall::KENDALL_GRID;
#[cfg(feature = "ndarray")]
pub use kendall::{kendall, kendall_of_classes};
#[cfg(feature = "ndarray")]
pub use ks::{ks, ks_of_classes};

pub(crate) use kendall::kendall_scores;
pub(crate) use kendall::kendall_with;
#[cfg(test)]
pub(crate) use ks::TargetRows;
pub(crate) use ks::{BINS, BinSums, CenteredTarget, Extremes, Family, KsColumns, Pairs, bin_of};
pub(crate) use paper::paper_scores;
pub(crate) use paper::scaled;
pub(crate) use raw::{RawSums, of_no_rows};
pub(crate) use rows::{GridRows, KeepRows, SumRows, SumTargets, Summed};

/// A missing value among grid values.
pub(crate) const MISSING: i16 = i16::MIN;

/// Integer sums over rows, from which scores are computed; sums over blocks merge in any order.
/// Values lie on the grid or are [`MISSING`].
pub(crate) trait RowSums: Send {
    /// The coded target of a row.
    type Target: Copy + Send;

    /// Adds consecutive rows `x` (row-major).
    fn add_rows(&mut self, x: &[i16], y: &[Self::Target]);

    /// Adds one row.
    fn add(&mut self, x: &[i16], y: Self::Target) {
        self.add_rows(x, &[y]);
    }

    /// Adds the targets of rows whose features follow one by one; rows with `None` are ignored.
    /// Returns the factors for [`add_feature`](Self::add_feature): lists with one number per row.
    fn add_targets(&mut self, y: &[Option<Self::Target>]) -> Vec<Vec<i16>>;

    /// Adds the values of one feature for the rows from `from` on to its sums.
    fn add_feature(&mut self, feature: usize, x: &[i16], from: usize, factors: &[Vec<i16>]);

    /// Adds the sums of other rows.
    fn merge(&mut self, other: &Self);
}

/// Sums of rows with a coded target, for any score: at the center of a number, or at the centers of
/// classes.
pub(crate) trait CodedSums: Send + Sync {
    /// The sums from which the center is estimated: of Q + y and of Q - y over all rows, or the
    /// number of rows of each class.
    fn target(&self) -> Vec<u64>;

    /// The score of each feature.
    fn values(&self, centers: &[i32]) -> Vec<i64>;

    /// The largest change of a score when a row is added or removed.
    fn one_row(&self, centers: &[i32]) -> u64;

    /// The largest and the smallest signed sum of one feature, less the sum over its missing
    /// values: the sum of both has the sign of the association. `None` for classes.
    fn signed(&self, _feature: usize, _centers: &[i32]) -> Option<Extremes> {
        None
    }

    /// The sums themselves.
    fn raw(&self) -> RawSums;
}

/// A score or a signed sum without the part that missing values may explain: `sum` moved toward 0
/// by `missing`, but not beyond it.
fn less_missing(sum: i64, missing: u64) -> i64 {
    // Both are below 2^63, and so is the difference of the magnitudes.
    sum.signum() * sum.unsigned_abs().saturating_sub(missing) as i64
}

/// The only center, for a numeric target.
fn only(centers: &[i32]) -> i32 {
    centers.first().copied().unwrap_or(0)
}

/// Checks shape and grid of rows passed by callers; the sensitivity holds only for values on the
/// grid.
fn check_block(x: &[i16], rows: usize, features: usize, q: i32) -> Result<()> {
    if rows.checked_mul(features) != Some(x.len()) {
        return Err(Error::request("the row has another number of features"));
    }
    if sums::any_outside(x, q) {
        return Err(Error::request("a value lies outside the grid"));
    }
    Ok(())
}

/// Checks the number of rows, since sums over more could overflow.
fn check_rows(rows: u64) -> Result<()> {
    if rows > MAX_ROWS {
        return Err(Error::request(format!("there are more than {MAX_ROWS} rows")));
    }
    Ok(())
}
