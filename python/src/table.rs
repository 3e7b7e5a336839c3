//! Tables of Python: files, matrices of numpy, data frames, and objects with Arrow's stream
//! interface.

use std::path::PathBuf;
use std::slice;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::{Field, Schema, SchemaRef};
use dpsis::internals::as_objects;
use dpsis::job::Watch;
use dpsis::{
    ArrayTable, BatchIterator, Error, FileTable, FileTables, OwnTarget, Result, Source, TableFacts,
    files,
};
use ndarray::Array1;
use numpy::{PyArray2, PyArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::columns::{Column, Streams, failed, read_stream};
use crate::errors::OrRaise;
use crate::interruptible::{run, run_detached};

/// A table that a function of the package takes.
#[pyclass(frozen, module = "dpsis._native")]
pub(crate) struct Table(pub(crate) Content);

/// The content of a table.
pub(crate) enum Content {
    /// A file, or record batches.
    File(FileTable),
    /// Several files with the rows of one table.
    Files(FileTables),
    F64(Matrix<f64>),
    F32(Matrix<f32>),
}

/// A matrix of numpy, which is not copied, with the facts about its rows and columns.
pub(crate) struct Matrix<A> {
    x: Py<PyArray2<A>>,
    outside: Outside,
}

/// The facts about the rows and columns of a matrix.
struct Outside {
    y: Array1<OwnTarget>,
    /// Whether y holds numbers by its type.
    is_number: bool,
    is_boolean: bool,
    /// The id of the unit of each row.
    units: Option<Vec<OwnTarget>>,
    names: Option<Vec<String>>,
}

impl<A: numpy::Element + dpsis::Element> Matrix<A> {
    /// Gives the matrix as a table of the library to `take`.
    pub(crate) fn with<T>(
        &self,
        py: Python<'_>,
        take: impl FnOnce(&ArrayTable<'_, A>) -> PyResult<T>,
    ) -> PyResult<T> {
        let x = self.x.bind(py).try_readonly();
        let x = x.map_err(|_| PyValueError::new_err("the matrix is being written to"))?;
        let table = self.table(x.as_array()).or_raise(py)?;
        take(&table)
    }

    fn table<'a>(&self, x: ndarray::ArrayView2<'a, A>) -> Result<ArrayTable<'a, A>> {
        let mut table = ArrayTable::new(x, self.outside.y.view())?;
        if self.outside.is_number {
            table = table.with_number_target();
        }
        if self.outside.is_boolean {
            table = table.with_boolean_target();
        }
        if let Some(ids) = &self.outside.units {
            table = table.units(ids)?;
        }
        match &self.outside.names {
            Some(names) => table.feature_names(names),
            None => Ok(table),
        }
    }
}

#[pymethods]
impl Table {
    /// The files of paths, folders and patterns, with facts as JSON. One that is not there is
    /// named only if it is not `listed`: a list of texts may be data.
    #[staticmethod]
    fn of_files(py: Python<'_>, paths: Vec<PathBuf>, listed: bool, facts: &str) -> PyResult<Self> {
        let facts = facts_of(facts).or_raise(py)?;
        if listed {
            let is_there = |path: &PathBuf| {
                path.exists()
                    || files(slice::from_ref(path)).is_ok_and(|found| found != [path.clone()])
            };
            if let Some(place) = paths.iter().position(|path| !is_there(path)) {
                let rule = "of the list is no file, and neither a folder nor a pattern of some";
                return Err(Error::io(format!("item {} {rule}", place + 1))).or_raise(py);
            }
        }
        let found = files(&paths).or_raise(py)?;
        let table = |path: &PathBuf| FileTable::new(path).facts(facts.clone());
        Ok(Self(match &found[..] {
            [path] => Content::File(table(path)),
            _ => Content::Files(FileTables::new(found.iter().map(table)).or_raise(py)?),
        }))
    }

    /// A matrix of numbers, one row per sample, with one target for each row, and perhaps one id of
    /// a unit.
    #[staticmethod]
    fn of_matrix(
        x: &Bound<'_, PyAny>,
        y: Column,
        unit: Option<Column>,
        names: Option<Vec<String>>,
    ) -> PyResult<Self> {
        // The views of numpy's crate count strides in whole values.
        let whole = x.getattr("strides")?.extract::<Vec<isize>>()?;
        let bytes: isize = x.getattr("itemsize")?.extract()?;
        let aligned: bool = x.getattr("flags")?.getattr("aligned")?.extract()?;
        if !aligned || whole.iter().any(|stride| stride % bytes.max(1) != 0) {
            return Err(PyTypeError::new_err("the values of the matrix are not aligned: copy it"));
        }
        let units = unit.map(|ids| ids.targets()).transpose()?;
        let (is_number, is_boolean) = (y.is_number(), y.is_boolean());
        let y = Array1::from(y.targets()?);
        let outside = Outside { y, is_number, is_boolean, units, names };
        let content = if let Ok(x) = x.cast::<PyArray2<f64>>() {
            Content::F64(Matrix { x: x.clone().unbind(), outside })
        } else if let Ok(x) = x.cast::<PyArray2<f32>>() {
            Content::F32(Matrix { x: x.clone().unbind(), outside })
        } else {
            return Err(PyTypeError::new_err("a matrix holds numbers of type float64 or float32"));
        };
        Ok(Self(content))
    }

    /// An object with Arrow's stream interface, with facts as JSON, and targets and ids of units if
    /// they are outside it.
    #[staticmethod]
    fn of_stream(
        py: Python<'_>,
        stream: &Bound<'_, PyAny>,
        y: Option<Column>,
        unit: Option<Column>,
        facts: &str,
    ) -> PyResult<Self> {
        let (schema, batches) = read_stream(stream)?;
        Self::of_batches(py, schema, batches, y, unit, facts)
    }

    /// Record batches that are read anew for each pass, with facts as JSON. `source.empty()`
    /// returns an object with Arrow's stream interface that has their columns, and
    /// `source.open(places)` an iterator of such objects: all rows, of the columns at these places
    /// alone.
    #[staticmethod]
    fn of_passes(py: Python<'_>, source: &Bound<'_, PyAny>, facts: &str) -> PyResult<Self> {
        let empty = source.call_method0("empty").map_err(|error| failed(py, &error));
        let (schema, _) = read_stream(&empty.or_raise(py)?)?;
        let facts = facts_of(facts).or_raise(py)?;
        let source = source.clone().unbind();
        let open = move |columns: &[usize]| -> Result<BatchIterator> {
            Ok(Box::new(Streams::open(&source, columns)?))
        };
        Ok(Self(Content::File(FileTable::from_passes(schema, open).facts(facts))))
    }

    /// Columns by name, of the same length, with facts as JSON, and targets and ids of units if
    /// they are outside them.
    #[staticmethod]
    fn of_columns(
        py: Python<'_>,
        columns: Vec<(String, Column)>,
        rows: usize,
        y: Option<Column>,
        unit: Option<Column>,
        facts: &str,
    ) -> PyResult<Self> {
        let (mut fields, mut arrays) = (Vec::new(), Vec::new());
        for (name, column) in columns {
            let is_of_objects = column.is_of_objects();
            let array = column.into_array()?;
            let field = Field::new(name, array.data_type().clone(), true);
            fields.push(if is_of_objects { as_objects(field) } else { field });
            arrays.push(array);
        }
        let batch = batch(Arc::new(Schema::new(fields)), arrays, rows)?;
        Self::of_batches(py, batch.schema(), vec![batch], y, unit, facts)
    }
}

impl Table {
    fn of_batches(
        py: Python<'_>,
        mut schema: SchemaRef,
        mut batches: Vec<RecordBatch>,
        y: Option<Column>,
        unit: Option<Column>,
        facts: &str,
    ) -> PyResult<Self> {
        let facts = facts_of(facts).or_raise(py)?;
        let target_is_number = y.as_ref().map(Column::is_number);
        let has_units = unit.is_some();
        // The ids come before the targets.
        for (outside, name) in [(unit, "unit"), (y, "y")] {
            let Some(column) = outside else { continue };
            let rows: usize = batches.iter().map(RecordBatch::num_rows).sum();
            if rows != column.len() {
                let rule = format!("data and {name} must have the same number of rows");
                return Err(Error::request(rule)).or_raise(py);
            }
            (schema, batches) = with_column(&schema, &batches, &column.into_targets()?)?;
        }
        let mut table = FileTable::from_batches(schema, batches).or_raise(py)?.facts(facts);
        if let Some(is_number) = target_is_number {
            table = table.with_appended_target(is_number);
        }
        if has_units {
            table = table.with_appended_units();
        }
        Ok(Self(Content::File(table)))
    }

    /// Runs `work` on the table on a thread of its own: see [`run`].
    pub(crate) fn run<T: Send>(
        &self,
        py: Python<'_>,
        watch: &Watch,
        progress: Option<&Py<PyAny>>,
        work: impl FnOnce(&(dyn Source + Sync)) -> Result<T> + Send,
    ) -> PyResult<(T, Option<PyErr>)> {
        match &self.0 {
            Content::File(file) => run(py, watch, progress, || work(file)),
            Content::Files(files) => run(py, watch, progress, || work(files)),
            Content::F64(matrix) => matrix.with(py, |x| run(py, watch, progress, || work(x))),
            Content::F32(matrix) => matrix.with(py, |x| run(py, watch, progress, || work(x))),
        }
    }

    /// Reads the table in `work`, with progress.
    pub(crate) fn read<T: Send + 'static>(
        &self,
        py: Python<'_>,
        progress: Option<&Py<PyAny>>,
        work: impl FnOnce(FileTable) -> Result<T> + Send + 'static,
    ) -> PyResult<T> {
        let watch = Watch::default();
        let report = watch.clone();
        let table = self.file()?.clone().progress(move |share| report.report(share));
        run_detached(py, &watch, progress, move || work(table))
    }

    /// The table as one that is read, which a matrix is not, nor are several files.
    pub(crate) fn file(&self) -> PyResult<&FileTable> {
        match &self.0 {
            Content::File(table) => Ok(table),
            Content::Files(_) => Err(PyTypeError::new_err("this function takes one file")),
            _ => Err(PyTypeError::new_err("this function takes no matrix")),
        }
    }
}

/// Batches with one more column, the last and without a name.
fn with_column(
    schema: &SchemaRef,
    batches: &[RecordBatch],
    column: &ArrayRef,
) -> PyResult<(SchemaRef, Vec<RecordBatch>)> {
    let field = Field::new("", column.data_type().clone(), true);
    let fields = schema.fields().iter().cloned().chain([Arc::new(field)]);
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let (mut first, mut wider) = (0, Vec::new());
    for one in batches {
        let rows = one.num_rows();
        let columns = one.columns().iter().cloned().chain([column.slice(first, rows)]);
        wider.push(batch(schema.clone(), columns.collect(), rows)?);
        first += rows;
    }
    Ok((schema, wider))
}

fn batch(schema: SchemaRef, columns: Vec<ArrayRef>, rows: usize) -> PyResult<RecordBatch> {
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    let batch = RecordBatch::try_new_with_options(schema, columns, &options);
    batch.map_err(|_| PyValueError::new_err("the columns differ in length"))
}

fn facts_of(json: &str) -> Result<TableFacts> {
    serde_json::from_str(json).map_err(|error| Error::request(format!("wrong facts: {error}")))
}

/// The names of the formats of files that are read.
#[pyfunction]
pub(crate) fn formats() -> Vec<&'static str> {
    FileTable::formats()
}
