//! How good each feature is, and how far one unit can move that.

mod classes;
mod correlation;
mod held;
mod kendall;
mod paper;
mod scores;

pub use scores::Scores;

pub(crate) use classes::ClassSums;
pub(crate) use correlation::CorrelationSums;
pub(crate) use held::HeldRows;
pub(crate) use kendall::KENDALL_GRID;

/// Integer sums over rows from which scores are made; blocks of rows merge in any order.
pub(crate) trait RowSums: Send {
    /// A row's target, as these sums take it.
    type Target;

    /// Adds one row; all values lie on the grid.
    fn add(&mut self, x: &[i16], y: Self::Target);

    /// Adds the sums of other rows.
    fn merge(&mut self, other: &Self);

    /// Whether no row was added.
    fn is_empty(&self) -> bool;
}
