//! Access to values by column, for scores that are no sums over rows.

/// The values of features, column by column.
pub(crate) trait Columns: Send + Sync {
    /// The number of features.
    fn features(&self) -> usize;

    /// The values of a feature, one for each row; NaN or infinite where missing.
    fn column(&self, feature: usize) -> impl Iterator<Item = f64>;
}

#[cfg(feature = "ndarray")]
impl<A: Copy + Into<f64> + Sync> Columns for ndarray::ArrayView2<'_, A> {
    fn features(&self) -> usize {
        self.ncols()
    }

    fn column(&self, feature: usize) -> impl Iterator<Item = f64> {
        self.index_axis(ndarray::Axis(1), feature).into_iter().map(|&value| value.into())
    }
}

/// A subset of the rows of a table.
#[cfg(feature = "ndarray")]
pub(crate) struct SomeRows<C> {
    pub(crate) columns: C,
    /// For each row, whether it is in the subset.
    pub(crate) kept: Vec<bool>,
}

#[cfg(feature = "ndarray")]
impl<C: Columns> Columns for SomeRows<C> {
    fn features(&self) -> usize {
        self.columns.features()
    }

    fn column(&self, feature: usize) -> impl Iterator<Item = f64> {
        let rows = self.columns.column(feature).zip(&self.kept);
        rows.filter(|(_, kept)| **kept).map(|(value, _)| value)
    }
}

/// Rows held in memory, 8 bytes per value.
pub(crate) struct HeldRows {
    features: usize,
    /// The values, row by row; NaN or infinite where missing.
    values: Vec<f64>,
}

impl HeldRows {
    /// An empty set of rows of `features` values each.
    pub(crate) fn new(features: usize) -> Self {
        Self { features, values: Vec::new() }
    }

    /// Adds a row; its values are NaN or infinite where missing.
    pub(crate) fn add<A: Copy + Into<f64>>(&mut self, values: &[A]) {
        self.values.extend(values.iter().map(|&value| value.into()));
    }

    /// Adds other rows.
    pub(crate) fn merge(&mut self, other: Self) {
        self.values.extend(other.values);
    }
}

impl Columns for HeldRows {
    fn features(&self) -> usize {
        self.features
    }

    fn column(&self, feature: usize) -> impl Iterator<Item = f64> {
        self.values.iter().skip(feature).step_by(self.features).copied()
    }
}
