//! Record batches, in memory or as an engine hands them out anew for each pass.

use std::sync::Arc;

use arrow_array::{Array, RecordBatch};
use arrow_schema::SchemaRef;

use crate::error::{Error, Result};
use crate::table::formats::arrow::Batches;

/// Record batches in turn.
pub type BatchIterator = Box<dyn Iterator<Item = Result<RecordBatch>> + Send>;

/// Opens the batches for a pass, with the columns at these places alone, from 0, ascending.
pub(in crate::table) type OpenBatches = dyn Fn(&[usize]) -> Result<BatchIterator> + Send + Sync;

/// Record batches of one schema.
#[derive(Clone)]
pub(in crate::table) struct RecordBatches {
    schema: SchemaRef,
    content: Content,
    /// Whether the last column holds targets, outside the table.
    target_beside: bool,
    /// Whether those are known to be numbers, though texts stand for them.
    number_target: bool,
    /// Whether the column before the targets, or else the last one, identifies people, beside
    /// the table.
    units_beside: bool,
}

#[derive(Clone)]
enum Content {
    Held(Arc<[RecordBatch]>),
    Opened(Arc<OpenBatches>),
}

impl RecordBatches {
    /// RecordBatches that all have the columns of this schema.
    ///
    /// # Errors
    ///
    /// `Request` if one has others.
    pub(in crate::table) fn new(schema: SchemaRef, batches: Vec<RecordBatch>) -> Result<Self> {
        let all: Vec<usize> = (0..schema.fields().len()).collect();
        batches.iter().try_for_each(|batch| check_columns(batch, &schema, &all))?;
        Ok(Self::of(schema, Content::Held(batches.into())))
    }

    /// Batches with the columns of this schema that `open` hands out for each pass.
    pub(in crate::table) fn opened(schema: SchemaRef, open: Arc<OpenBatches>) -> Self {
        Self::of(schema, Content::Opened(open))
    }

    fn of(schema: SchemaRef, content: Content) -> Self {
        let [target_beside, number_target, units_beside] = [false; 3];
        Self { schema, content, target_beside, number_target, units_beside }
    }

    /// The same; the last column holds targets.
    pub(in crate::table) fn with_appended_target(self, of_numbers: bool) -> Self {
        Self { target_beside: true, number_target: of_numbers, ..self }
    }

    pub(super) fn has_number_target(&self) -> bool {
        self.number_target
    }

    /// The same; the last column, or the one before the targets, identifies people.
    pub(in crate::table) fn with_appended_units(self) -> Self {
        Self { units_beside: true, ..self }
    }

    /// A text with the names of all columns.
    pub(in crate::table) fn identity(&self) -> String {
        let names: Vec<&String> = self.schema.fields().iter().map(|field| field.name()).collect();
        format!("{:?}", (names, self.target_beside, self.units_beside))
    }

    pub(super) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The only batch in memory, if there is one alone.
    pub(super) fn only(&self) -> Option<&RecordBatch> {
        match &self.content {
            Content::Held(batches) => match &batches[..] {
                [batch] => Some(batch),
                _ => None,
            },
            Content::Opened(_) => None,
        }
    }

    /// The number of rows, if it is known before they are read.
    pub(super) fn rows(&self) -> Option<u64> {
        match &self.content {
            Content::Held(batches) => {
                Some(batches.iter().map(|batch| batch.num_rows() as u64).sum())
            }
            Content::Opened(_) => None,
        }
    }

    /// The place of the targets, if they are outside the table.
    pub(super) fn target(&self) -> Option<usize> {
        self.target_beside.then(|| self.schema.fields().len().checked_sub(1)).flatten()
    }

    /// The place of the ids that identify people, if they are outside the table.
    pub(super) fn units(&self) -> Option<usize> {
        let before = 1 + usize::from(self.target_beside);
        self.units_beside.then(|| self.schema.fields().len().checked_sub(before)).flatten()
    }

    /// The batches with these columns alone.
    ///
    /// # Errors
    ///
    /// The errors of opening them; each batch can fail likewise.
    pub(super) fn projected(&self, columns: &[usize]) -> Result<Batches<'_>> {
        let wanted = columns.to_vec();
        match &self.content {
            Content::Held(batches) => Ok(Box::new(
                batches
                    .iter()
                    .map(move |batch| batch.project(&wanted).map_err(|_| other_columns())),
            )),
            Content::Opened(open) => {
                // Rows of no columns are not counted by every engine.
                let read = if wanted.is_empty() { vec![0] } else { wanted.clone() };
                let kept: Vec<usize> = (0..wanted.len()).collect();
                Ok(Box::new(open(&read)?.map(move |batch| {
                    let batch = batch?;
                    check_columns(&batch, &self.schema, &read)?;
                    batch.project(&kept).map_err(|_| other_columns())
                })))
            }
        }
    }
}

/// Refuses a batch whose columns are not of the types of these columns of a schema.
fn check_columns(batch: &RecordBatch, schema: &SchemaRef, columns: &[usize]) -> Result<()> {
    let found = batch.columns().iter().map(|column| column.data_type());
    match found.eq(columns.iter().map(|&column| schema.field(column).data_type())) {
        true => Ok(()),
        false => Err(other_columns()),
    }
}

fn other_columns() -> Error {
    Error::request("the columns of a record batch differ from its schema")
}
