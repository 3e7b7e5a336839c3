//! Access to values by column, for scores that are no sums over rows.

/// The values of features, column by column.
pub(crate) trait Columns: Send + Sync {
    /// The number of features.
    fn features(&self) -> usize;

    /// Replaces the content of `values` by those of a feature, one for each row. They are NaN or infinite where
    /// missing; in a table with words, a NaN may be a word.
    fn column(&self, feature: usize, values: &mut Vec<f64>);

    /// The values of a feature.
    fn to_vec(&self, feature: usize) -> Vec<f64> {
        let mut values = Vec::new();
        self.column(feature, &mut values);
        values
    }
}

impl<C: Columns + ?Sized> Columns for Box<C> {
    fn features(&self) -> usize {
        (**self).features()
    }

    fn column(&self, feature: usize, values: &mut Vec<f64>) {
        (**self).column(feature, values);
    }
}

/// The rows of a matrix that are used.
#[cfg(feature = "ndarray")]
pub(crate) struct SomeRows<'a, A> {
    pub(crate) x: ndarray::ArrayView2<'a, A>,
    /// For each row, whether it is used.
    pub(crate) kept: Vec<bool>,
}

#[cfg(feature = "ndarray")]
impl<A: Copy + Into<f64> + Sync> Columns for SomeRows<'_, A> {
    fn features(&self) -> usize {
        self.x.ncols()
    }

    fn column(&self, feature: usize, values: &mut Vec<f64>) {
        let rows = self.x.index_axis(ndarray::Axis(1), feature);
        let rows = rows.iter().zip(&self.kept).filter(|(_, kept)| **kept);
        values.clear();
        values.extend(rows.map(|(value, _)| (*value).into()));
    }
}
