//! Record batches in memory.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;

use crate::error::{Error, Result};

/// Record batches of one schema.
#[derive(Clone)]
pub(in crate::data) struct RecordBatches {
    schema: SchemaRef,
    batches: Arc<[RecordBatch]>,
    /// Whether the last column holds targets, beside the table.
    target_beside: bool,
    /// Whether those are known to be numbers, though texts stand for them.
    number_target: bool,
    /// Whether the column before the targets, or else the last one, tells whose row each is, beside
    /// the table.
    units_beside: bool,
}

impl RecordBatches {
    /// RecordBatches that all have the columns of this schema.
    ///
    /// # Errors
    ///
    /// `Request` if one has others.
    pub(in crate::data) fn new(schema: SchemaRef, batches: Vec<RecordBatch>) -> Result<Self> {
        let types = |of: &SchemaRef| {
            Vec::from_iter(of.fields().iter().map(|field| field.data_type().clone()))
        };
        let expected = types(&schema);
        if batches.iter().any(|batch| types(&batch.schema()) != expected) {
            return Err(Error::request("a record batch has other columns than the schema states"));
        }
        Ok(Self {
            schema,
            batches: batches.into(),
            target_beside: false,
            number_target: false,
            units_beside: false,
        })
    }

    /// The same; the last column holds targets.
    pub(in crate::data) fn with_target_beside(self, of_numbers: bool) -> Self {
        Self { target_beside: true, number_target: of_numbers, ..self }
    }

    pub(super) fn has_number_target(&self) -> bool {
        self.number_target
    }

    /// The same; the last column, or the one before the targets, tells whose row each is.
    pub(in crate::data) fn with_units_beside(self) -> Self {
        Self { units_beside: true, ..self }
    }

    pub(super) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The only batch, if there is one alone.
    pub(super) fn only(&self) -> Option<&RecordBatch> {
        match &self.batches[..] {
            [batch] => Some(batch),
            _ => None,
        }
    }

    /// The number of rows.
    pub(super) fn rows(&self) -> u64 {
        self.batches.iter().map(|batch| batch.num_rows() as u64).sum()
    }

    /// The place of the targets, if they are beside the table.
    pub(super) fn target(&self) -> Option<usize> {
        self.target_beside.then(|| self.schema.fields().len().checked_sub(1)).flatten()
    }

    /// The place of the ids that tell whose row each is, if they are beside the table.
    pub(super) fn units(&self) -> Option<usize> {
        let before = 1 + usize::from(self.target_beside);
        self.units_beside.then(|| self.schema.fields().len().checked_sub(before)).flatten()
    }

    /// The batches with these columns alone.
    pub(super) fn projected(
        &self,
        columns: &[usize],
    ) -> impl Iterator<Item = Result<RecordBatch>> + Send + use<'_> {
        let columns = columns.to_vec();
        let project = move |batch: &RecordBatch| {
            batch.project(&columns).map_err(|_| Error::input("a record batch lacks a column"))
        };
        self.batches.iter().map(project)
    }
}
