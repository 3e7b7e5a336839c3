//! Sums over rows as plain integers, which can be written, read and added.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::exact::{GRID, MAX_ROWS};

/// The largest number of rows.
pub(crate) const MAX_COUNT: i64 = MAX_ROWS as i64;

/// The largest sum of grid values over rows.
pub(crate) const MAX_SUM: i64 = GRID as i64 * MAX_COUNT;

/// The error for sums that no rows can have.
pub(crate) fn of_no_rows() -> Error {
    Error::input("no rows have these sums")
}

/// Sums over rows: of each feature, in an order that depends on the kind of sums, and over the
/// rows alone.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawSums {
    /// The sums that depend on features.
    pub(crate) features: Vec<i64>,
    /// The sums over targets, or the number of rows of each class.
    pub(crate) rows: Vec<i64>,
}

impl RawSums {
    /// Checks the number of sums and the ranges of the sums of features and of rows.
    ///
    /// # Errors
    ///
    /// `Input` if they do not fit.
    pub(crate) fn check(
        &self,
        features: (usize, RangeInclusive<i64>),
        rows: (usize, RangeInclusive<i64>),
    ) -> Result<()> {
        let fit = |sums: &[i64], (count, range): (usize, RangeInclusive<i64>)| {
            sums.len() == count && sums.iter().all(|sum| range.contains(sum))
        };
        match fit(&self.features, features) && fit(&self.rows, rows) {
            true => Ok(()),
            false => Err(of_no_rows()),
        }
    }

    /// Adds the sums of other rows, which must be checked as well.
    pub(crate) fn add(&mut self, other: &Self) {
        let mine = self.features.iter_mut().chain(&mut self.rows);
        for (sum, more) in mine.zip(other.features.iter().chain(&other.rows)) {
            // At most 2^61 each: the next check finds a total that is too large.
            *sum += more;
        }
    }
}
