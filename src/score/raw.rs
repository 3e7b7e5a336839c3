//! Sums over rows as plain integers, to be written, read and added up.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::exact::{GRID, MAX_ROWS};

/// Sums over rows: of each feature in an order of their own, and over the rows alone.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawSums {
    /// The sums that depend on features.
    pub(crate) features: Vec<i64>,
    /// The sums over targets, or the number of rows of each class.
    pub(crate) rows: Vec<i64>,
}

impl RawSums {
    /// Sums whose numbers are `lengths`, as [`MAX_ROWS`] rows can have them.
    ///
    /// # Errors
    ///
    /// `Input` for others.
    pub(crate) fn check(&self, features: usize, rows: usize) -> Result<()> {
        // The largest sum over rows is one of products of two grid values.
        let most = i64::from(GRID) * i64::from(GRID) * MAX_ROWS as i64;
        let possible = |sum: &i64| (-most..=most).contains(sum);
        let fits = self.features.len() == features
            && self.rows.len() == rows
            && self.features.iter().chain(&self.rows).all(possible);
        if fits { Ok(()) } else { Err(Error::input("these sums are of no rows")) }
    }

    /// Adds the sums of other rows, which were checked, too.
    pub(crate) fn add(&mut self, other: &Self) {
        let mine = self.features.iter_mut().chain(&mut self.rows);
        for (sum, more) in mine.zip(other.features.iter().chain(&other.rows)) {
            // 2^61 at most each: too large a total is found by the next check.
            *sum += more;
        }
    }
}
