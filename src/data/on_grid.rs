//! Samples whose values are on the grid, for scores of scaled values by column.

use crate::data::number::CellFormat;
use crate::data::people::People;
use crate::data::sample::{Sample, SampleFold, Value};
use crate::data::samples::Samples;
use crate::data::scaling::{Scaler, Scaling};
use crate::data::schema::Schema;
use crate::error::{Error, Result};

/// A table whose values are mapped to the grid, those of each sample on their own; missing ones stay missing.
pub(crate) struct OnGrid<'a, T> {
    pub(crate) table: &'a mut T,
    pub(crate) scaling: &'a Scaling,
    /// Makes another integer of a grid value.
    pub(crate) to: fn(i16) -> i16,
}

impl<T: Samples> Samples for OnGrid<'_, T> {
    fn schema(&self) -> &Schema {
        self.table.schema()
    }

    fn format(&self) -> &CellFormat {
        self.table.format()
    }

    fn can_repeat(&self) -> bool {
        self.table.can_repeat()
    }

    /// Words are missing on the grid.
    fn has_words(&self) -> bool {
        false
    }

    fn people(&self) -> Option<&People> {
        self.table.people()
    }

    fn fold<F: SampleFold>(&mut self, new: &(dyn Fn() -> F + Sync)) -> Result<F> {
        let (scaling, to) = (self.scaling, self.to);
        let new = || OnGridFold {
            fold: new(),
            scaler: Scaler::new(scaling),
            to,
            codes: Vec::new(),
            values: Vec::new(),
        };
        self.table.fold(&new).map(|folded| folded.fold)
    }

    fn no_usable_target(&self, labels: bool) -> Error {
        self.table.no_usable_target(labels)
    }
}

/// Passes samples on with grid values.
struct OnGridFold<'a, F> {
    fold: F,
    scaler: Scaler<'a>,
    to: fn(i16) -> i16,
    codes: Vec<i16>,
    values: Vec<f64>,
}

impl<F: SampleFold> SampleFold for OnGridFold<'_, F> {
    const READS_VALUES: bool = F::READS_VALUES;

    fn sample<A: Value>(&mut self, sample: Sample<'_, A>) {
        self.codes.clear();
        self.codes.resize(sample.values.len(), 0);
        if Self::READS_VALUES {
            self.scaler.sample(sample.values, &mut self.codes);
        }
        let on_grid = |(code, value): (&i16, &A)| match (*value).into().is_finite() {
            true => f64::from((self.to)(*code)),
            false => f64::NAN,
        };
        self.values.clear();
        self.values.extend(self.codes.iter().zip(sample.values).map(on_grid));
        let Sample { target, row, role, .. } = sample;
        self.fold.sample(Sample { target, values: &self.values, row, role });
    }

    fn merge(&mut self, other: Self) {
        self.fold.merge(other.fold);
    }
}
