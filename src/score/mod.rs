//! How good each feature is, and how far one unit can move that.
//!
//! For those who build a pipeline of their own: sums over rows on the integer grid, or Kendall's
//! correlation of a matrix, to [`Scores`], from which any mechanism chooses. Scores and sums are exact
//! functions of the data: neither may be released, printed or logged.

use crate::error::{Error, Result};
use crate::exact::MAX_ROWS;

mod classes;
mod correlation;
mod kendall;
mod paper;
mod rows;
mod scores;
mod sums;

pub use classes::ClassSums;
pub use correlation::CorrelationSums;
pub use kendall::KENDALL_GRID;
#[cfg(feature = "ndarray")]
pub use kendall::{kendall, kendall_of_classes};
pub use scores::Scores;

pub(crate) use kendall::kendall_scores;
pub(crate) use kendall::kendall_with;
pub(crate) use paper::paper_scores;
pub(crate) use paper::scaled;
pub(crate) use rows::{GridRows, KeepRows, SumRows, Summed};

/// Integer sums over rows from which scores are made; blocks of rows merge in any order.
pub(crate) trait RowSums: Send {
    /// A row's target, as these sums take it.
    type Target: Copy + Send;

    /// Adds rows, one after the other in `x`; all values lie on the grid.
    fn add_rows(&mut self, x: &[i16], y: &[Self::Target]);

    /// Adds one row.
    fn add(&mut self, x: &[i16], y: Self::Target) {
        self.add_rows(x, &[y]);
    }

    /// Adds the targets of rows whose features come one by one; `None` is a row that counts nowhere.
    /// Gives what [`add_feature`](Self::add_feature) takes: lists with a number for each row.
    fn add_targets(&mut self, y: &[Option<Self::Target>]) -> Vec<Vec<i16>>;

    /// Adds the values of a feature in some of these rows to its sums: those from row `from` on.
    fn add_feature(&mut self, feature: usize, x: &[i16], from: usize, factors: &[Vec<i16>]);

    /// Adds the sums of other rows.
    fn merge(&mut self, other: &Self);

    /// Whether no row was added.
    fn is_empty(&self) -> bool;
}

/// Whether rows from outside lie on the grid: only then does the sensitivity hold.
fn check_block(x: &[i16], rows: usize, features: usize, q: i32) -> Result<()> {
    if rows.checked_mul(features) != Some(x.len()) {
        return Err(Error::request("the row has another number of features"));
    }
    if sums::any_outside(x, q) {
        return Err(Error::request("a value lies outside the grid"));
    }
    Ok(())
}

/// Sums of more rows could wrap.
fn check_rows(rows: u64) -> Result<()> {
    if rows > MAX_ROWS {
        return Err(Error::request(format!("there are more than {MAX_ROWS} rows")));
    }
    Ok(())
}
