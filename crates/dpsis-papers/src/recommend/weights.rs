//! The weights of the linear model: exact for small catalogs, sparse for large ones.

use std::ops::Range;

use dpsis::Result;
use ndarray::{Array2, Axis, CowArray, Ix2, Slice};

use crate::recommend::Interactions;
use crate::recommend::ease::ease;
use crate::recommend::sparse::{Neighbors, sparse};

/// The penalty of Steck (2019) for MovieLens, here for every set.
pub(crate) const LAMBDA: f64 = 500.0;
/// The number of items up to which the weights are exact.
pub(crate) const EXACT: usize = 5000;
/// The number of neighbors of an item in a larger catalog.
pub(crate) const NEIGHBORS: usize = 100;

/// The weights B: the score of item j for a user is the sum of `B_ij` over the user's items i.
pub(crate) enum Weights {
    /// Items by items.
    Exact(Array2<f64>),
    /// The columns.
    Sparse(Vec<Neighbors>),
}

impl Weights {
    /// Fits EASE, or its sparse approximation if there are more than [`EXACT`] items.
    ///
    /// # Errors
    ///
    /// Only if the penalty is lost to rounding.
    pub(crate) fn fit(training: &Interactions, threads: usize) -> Result<Self> {
        if training.catalog() <= EXACT {
            Ok(Self::Exact(ease(training, LAMBDA, threads)?))
        } else {
            Ok(Self::Sparse(sparse(training, LAMBDA, NEIGHBORS, threads)?))
        }
    }

    /// The columns of some items, with a row for each item.
    pub(super) fn columns(&self, items: Range<usize>) -> CowArray<'_, f64, Ix2> {
        match self {
            Self::Exact(b) => b.slice_axis(Axis(1), Slice::from(items)).into(),
            Self::Sparse(columns) => {
                let mut b = Array2::zeros((columns.len(), items.len()));
                for (place, column) in columns[items].iter().enumerate() {
                    column.iter().for_each(|(i, weight)| b[(*i as usize, place)] = *weight);
                }
                b.into()
            }
        }
    }
}
