//! Tables of R: files, matrices, and columns of data frames.

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{Field, Schema};
use dpsis::{ArrayTable, Error, FileTable, Result, TableFacts};
use extendr_api::prelude::*;
use ndarray::{Array1, ArrayView2, ShapeBuilder};

use crate::columns::{Column, item};

/// A table that a function of the package takes.
pub(crate) enum Table<'a> {
    /// A file, or a record batch.
    File(FileTable),
    /// A matrix of R, which is not copied.
    Matrix(ArrayTable<'a, f64>),
}

impl<'a> Table<'a> {
    /// The table that a list of R describes: a `path`, a matrix `x`, or `columns`; with `names`,
    /// targets `y` and ids of units `unit` outside it, and `facts` as JSON.
    ///
    /// # Errors
    ///
    /// `Request` for invalid facts, or columns of different lengths.
    pub(crate) fn new(described: &'a Robj, x: &'a Robj) -> Result<Self> {
        let column = |name: &str| {
            let column = item(described, name);
            if column.is_null() { Ok(None) } else { Column::new(&column).map(Some) }
        };
        let (y, unit) = (column("y")?, column("unit")?);
        let names = item(described, "names").as_string_vector();
        if let Some(values) = x.as_real_slice() {
            return Self::of_matrix(x, values, y, unit, names).map(Self::Matrix);
        }
        let facts: TableFacts =
            serde_json::from_str(item(described, "facts").as_str().unwrap_or_default())
                .map_err(|error| Error::request(format!("wrong facts: {error}")))?;
        if let Some(path) = item(described, "path").as_str() {
            return Ok(Self::File(FileTable::new(path).facts(facts)));
        }
        let columns = item(described, "columns").as_list().unwrap_or_default();
        let rows = item(described, "rows").as_real().unwrap_or_default() as usize;
        let (mut fields, mut arrays) = (Vec::new(), Vec::new());
        let mut push = |name: String, column: Column| {
            let array = column.into_array()?;
            fields.push(Field::new(name, array.data_type().clone(), true));
            arrays.push(array);
            Ok::<_, Error>(())
        };
        for (name, column) in names.unwrap_or_default().into_iter().zip(columns.values()) {
            push(name, Column::new(&column)?)?;
        }
        let target_is_number = y.as_ref().map(Column::is_number);
        let has_units = unit.is_some();
        // The ids come before the targets.
        for column in [unit, y].into_iter().flatten() {
            push(String::new(), column)?;
        }
        let schema = Arc::new(Schema::new(fields));
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let batch = RecordBatch::try_new_with_options(schema.clone(), arrays, &options)
            .map_err(|_| Error::request("the columns differ in length"))?;
        let mut table = FileTable::from_batches(schema, [batch])?.facts(facts);
        if let Some(is_number) = target_is_number {
            table = table.with_appended_target(is_number);
        }
        if has_units {
            table = table.with_appended_units();
        }
        Ok(Self::File(table))
    }

    fn of_matrix(
        x: &Robj,
        values: &'a [f64],
        y: Option<Column>,
        unit: Option<Column>,
        names: Option<Vec<String>>,
    ) -> Result<ArrayTable<'a, f64>> {
        let none = || Error::request("a matrix needs its targets, as numbers or texts");
        let rows = y.as_ref().map_or(0, Column::len);
        let columns = x.ncols();
        let view = ArrayView2::from_shape((rows, columns).f(), values)
            .map_err(|_| Error::request("data and y must have the same number of rows"))?;
        let targets = y.as_ref().and_then(Column::targets).ok_or_else(none)?;
        let mut table = ArrayTable::new(view, Array1::from(targets).view())?;
        if let Some(y) = y {
            if y.is_number() {
                table = table.with_number_target();
            }
            if y.is_boolean() {
                table = table.with_boolean_target();
            }
        }
        if let Some(unit) = unit {
            table = table.units(unit.targets().ok_or_else(none)?)?;
        }
        match names {
            Some(names) => table.feature_names(names),
            None => Ok(table),
        }
    }

    /// The table as one that is read, which a matrix is not.
    pub(crate) fn file(self) -> Result<FileTable> {
        match self {
            Self::File(table) => Ok(table),
            Self::Matrix(_) => Err(Error::request("this function takes columns")),
        }
    }
}
