//! The request for a query, and the parts of its statement.

use crate::estimate::MedianGrid;
use crate::score::BINS;
use crate::sql::SqlTable;
use crate::sql::rows::Coded;
use crate::table::Scaling;

/// The request for a query.
pub(crate) struct QueryParts<'a> {
    pub(crate) table: &'a SqlTable,
    /// The names of the features.
    pub(crate) features: Vec<&'a str>,
    pub(crate) coded: Coded<'a>,
    pub(crate) step: SqlStep<'a>,
    /// A text that the result contains.
    pub(crate) facts: &'a str,
}

/// The requested sums.
pub(crate) enum SqlStep<'a> {
    /// The number of targets between the points of the median's grid.
    Ranks,
    /// The sums of targets alone.
    Targets,
    /// The sums of values on the grid.
    Correlation(&'a Scaling),
    /// The sums by bins of values on the grid.
    Bins(&'a Scaling),
    /// Scores of columns and of their effect sizes at centers of a target coded as one number.
    ColumnsOfNumber { scored: i32, released: i32 },
    /// Scores of columns at centers of classes.
    ColumnsOfClasses(&'a [i32]),
}

impl SqlStep<'_> {
    /// The number of sums.
    pub(super) fn count(&self, d: usize, classes: Option<usize>) -> usize {
        match self {
            Self::Ranks => MedianGrid::shared().len() + 1,
            Self::Targets => 0,
            Self::Correlation(_) => 2 * d * classes.unwrap_or(2),
            Self::Bins(_) => d * BINS * classes.unwrap_or(2),
            Self::ColumnsOfNumber { .. } => 3 * d,
            Self::ColumnsOfClasses(_) => d,
        }
    }
}

/// The parts of a statement.
pub(super) struct Queries {
    /// The named queries, each of which may use those before it.
    pub(super) named: Vec<(&'static str, String)>,
    /// The selections of all items of the result, except the facts.
    pub(super) items: Vec<String>,
}
