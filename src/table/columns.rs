//! Access to values by column, for scores that are not sums over rows.

/// The values of features, column by column.
pub(crate) trait Columns: Send + Sync {
    /// The number of features.
    fn features(&self) -> usize;

    /// Replaces the content of `values` by the values of a feature, one for each row. They are NaN
    /// or infinite where missing; in a table with words, a NaN may be a word.
    fn column(&self, feature: usize, values: &mut Vec<f64>);

    /// The number of consecutive features that are best read together, by
    /// [`several`](Self::several).
    fn together(&self) -> usize {
        1
    }

    /// As [`column`](Self::column), for consecutive features from `first` on, one for each of
    /// `values`.
    fn several(&self, first: usize, values: &mut [Vec<f64>]) {
        for (feature, values) in (first..).zip(values) {
            self.column(feature, values);
        }
    }

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

    fn together(&self) -> usize {
        (**self).together()
    }

    fn several(&self, first: usize, values: &mut [Vec<f64>]) {
        (**self).several(first, values);
    }
}

/// The rows of a matrix that are used.
#[cfg(feature = "ndarray")]
pub(crate) struct SomeRows<'a, A> {
    x: ndarray::ArrayView2<'a, A>,
    /// For each row, whether it is used.
    kept: Vec<bool>,
    /// Whether all rows are used.
    all_kept: bool,
}

#[cfg(feature = "ndarray")]
impl<'a, A> SomeRows<'a, A> {
    /// The rows of a matrix for which `kept` is true.
    pub(crate) fn new(x: ndarray::ArrayView2<'a, A>, kept: Vec<bool>) -> Self {
        let all_kept = kept.iter().all(|kept| *kept);
        Self { x, kept, all_kept }
    }
}

#[cfg(feature = "ndarray")]
impl<A: Copy + Into<f64> + Sync> Columns for SomeRows<'_, A> {
    fn features(&self) -> usize {
        self.x.ncols()
    }

    fn column(&self, feature: usize, values: &mut Vec<f64>) {
        let rows = self.x.index_axis(ndarray::Axis(1), feature);
        values.clear();
        match rows.as_slice() {
            Some(rows) if self.all_kept => values.extend(rows.iter().map(|value| (*value).into())),
            None if self.all_kept => values.extend(rows.iter().map(|value| (*value).into())),
            _ => {
                let rows = rows.iter().zip(&self.kept).filter(|(_, kept)| **kept);
                values.extend(rows.map(|(value, _)| (*value).into()));
            }
        }
    }

    /// The rows of a matrix may each be on a page of their own. Reading one value of a row then
    /// costs the same as reading a cache line of columns.
    fn together(&self) -> usize {
        if self.x.strides()[0].unsigned_abs() > self.x.strides()[1].unsigned_abs() { 8 } else { 1 }
    }

    fn several(&self, first: usize, values: &mut [Vec<f64>]) {
        /// This number of rows stays in the fastest cache, and so do the places of their pages.
        const ROWS: usize = 32;
        let (rows, features) = (ndarray::Axis(0), ndarray::Axis(1));
        values.iter_mut().for_each(Vec::clear);
        let some = self.x.slice_axis(features, (first..first + values.len()).into());
        for (some, kept) in some.axis_chunks_iter(rows, ROWS).zip(self.kept.chunks(ROWS)) {
            for (column, values) in some.axis_iter(features).zip(&mut *values) {
                match self.all_kept {
                    true => values.extend(column.iter().map(|value| (*value).into())),
                    false => {
                        let column = column.iter().zip(kept).filter(|(_, kept)| **kept);
                        values.extend(column.map(|(value, _)| (*value).into()));
                    }
                }
            }
        }
    }
}
