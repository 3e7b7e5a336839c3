//! Samples - one protected unit each - whichever way the table lies.

use crate::data::blocks::RowFold;
use crate::data::cells::Row;
use crate::data::number::CellFormat;
use crate::data::schema::Schema;
use crate::data::side::TargetTable;
use crate::error::{Error, Result};

/// One sample: its target, as text, and its feature values in the order of the schema.
pub(crate) trait Sample {
    /// The target's cell; `None` if the sample has none.
    fn target(&self) -> Option<&[u8]>;

    /// The feature values; `None` where missing.
    fn values(&self) -> impl Iterator<Item = Option<f64>>;
}

/// What a thread does with the samples it is given.
pub(crate) trait SampleFold: Send {
    /// Takes a sample in.
    fn sample(&mut self, sample: &impl Sample);

    /// Takes in what another thread gathered.
    fn merge(&mut self, other: Self);
}

/// How rows of text become samples.
pub(crate) struct TextColumns<'a> {
    pub(crate) schema: &'a Schema,
    pub(crate) format: &'a CellFormat,
    /// Targets from another file, joined by the id column.
    pub(crate) targets: Option<&'a TargetTable>,
}

/// A row as a sample.
struct TextSample<'a> {
    row: &'a Row<'a>,
    columns: &'a TextColumns<'a>,
    target: Option<&'a [u8]>,
}

impl Sample for TextSample<'_> {
    fn target(&self) -> Option<&[u8]> {
        self.target
    }

    fn values(&self) -> impl Iterator<Item = Option<f64>> {
        let Self { row, columns, .. } = self;
        columns.schema.features().iter().map(|&c| columns.format.number(row.cell(c)))
    }
}

/// Hands rows on as samples, and counts how often each target of another file is used.
pub(crate) struct TextFold<'a, F> {
    columns: &'a TextColumns<'a>,
    fold: F,
    uses: Vec<u64>,
}

impl<'a, F> TextFold<'a, F> {
    pub(crate) fn new(columns: &'a TextColumns<'a>, fold: F) -> Self {
        let targets = columns.targets.map_or(0, TargetTable::len);
        Self { columns, fold, uses: vec![0; targets] }
    }

    /// What was gathered.
    ///
    /// # Errors
    ///
    /// `Input` if two rows took the same target: one person's target would then count twice.
    pub(crate) fn finish(self) -> Result<F> {
        if self.uses.iter().any(|&uses| uses > 1) {
            return Err(Error::input("an id occurs twice in the table, and is joined to a target"));
        }
        Ok(self.fold)
    }
}

impl<F: SampleFold> RowFold for TextFold<'_, F> {
    fn row(&mut self, _: u64, row: &Row<'_>) {
        let columns = self.columns;
        let here = columns.schema.target().map(|c| row.cell(c));
        let target = match (columns.targets, columns.schema.id()) {
            (Some(targets), Some(id)) => targets.find(row.cell(id)).map(|(entry, value)| {
                self.uses[entry] += 1;
                value
            }),
            _ => here,
        };
        self.fold.sample(&TextSample { row, columns, target });
    }

    fn merge(&mut self, other: Self) {
        self.fold.merge(other.fold);
        for (uses, more) in self.uses.iter_mut().zip(other.uses) {
            *uses += more;
        }
    }
}
