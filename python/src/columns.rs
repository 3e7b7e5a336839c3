//! Columns of a data frame, as the Python side passes them: a kind, and its data.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_array::RecordBatchReader;
use arrow_array::ffi_stream::RecordBatchStreamReader;
use arrow_array::types::Int32Type;
use arrow_array::{
    Array, ArrayRef, BooleanArray, DictionaryArray, Float32Array, Float64Array, Int32Array,
    Int64Array, LargeStringArray, StringArray, TimestampMicrosecondArray,
    TimestampMillisecondArray, TimestampNanosecondArray, TimestampSecondArray, UInt64Array,
    new_empty_array,
};
use arrow_pyarrow::FromPyArrow;
use arrow_schema::SchemaRef;
use dpsis::{Error, OwnTarget, Result, ToTarget};
use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyIterator;

use crate::errors::OrRaise;

/// The value of a missing date in numpy.
const NOT_A_TIME: i64 = i64::MIN;

/// The values of a column; `None` where missing.
pub(crate) enum Column {
    F64(Vec<f64>),
    F32(Vec<f32>),
    I64(Vec<Option<i64>>),
    U64(Vec<Option<u64>>),
    Booleans(Vec<Option<bool>>),
    /// Counts of a unit - `s`, `ms`, `us` or `ns` - since 1970.
    Times(Vec<Option<i64>>, String),
    Texts(Vec<Option<String>>),
    /// Objects of any type, as texts.
    Objects(Vec<Option<String>>),
    /// Texts by their places in a list.
    Codes(Vec<Option<i32>>, Vec<String>),
    /// A column of Arrow.
    Arrow(ArrayRef),
}

impl<'py> FromPyObject<'_, 'py> for Column {
    type Error = PyErr;

    fn extract(column: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let (kind, values, more): (String, Bound<'py, PyAny>, Bound<'py, PyAny>) =
            column.extract()?;
        if kind == "stream" {
            return Self::of_stream(&values);
        }
        // A mask is true where a value is missing.
        let mask = || -> PyResult<Vec<bool>> {
            match more.is_none() {
                true => Ok(Vec::new()),
                false => Ok(more.extract::<PyReadonlyArray1<'_, bool>>()?.as_array().to_vec()),
            }
        };
        Ok(match kind.as_str() {
            "f64" => Self::F64(values.extract::<PyReadonlyArray1<'_, f64>>()?.as_array().to_vec()),
            "f32" => Self::F32(values.extract::<PyReadonlyArray1<'_, f32>>()?.as_array().to_vec()),
            "i64" => {
                let values = values.extract::<PyReadonlyArray1<'_, i64>>()?;
                Self::I64(masked(values.as_array().iter().copied(), &mask()?))
            }
            "u64" => {
                let values = values.extract::<PyReadonlyArray1<'_, u64>>()?;
                Self::U64(masked(values.as_array().iter().copied(), &mask()?))
            }
            "bool" => {
                let values = values.extract::<PyReadonlyArray1<'_, bool>>()?;
                Self::Booleans(masked(values.as_array().iter().copied(), &mask()?))
            }
            "time" => {
                let values = values.extract::<PyReadonlyArray1<'_, i64>>()?;
                let known = |value: &i64| (*value != NOT_A_TIME).then_some(*value);
                Self::Times(values.as_array().iter().map(known).collect(), more.extract()?)
            }
            "text" => Self::Texts(values.extract()?),
            "objects" => Self::Objects(values.extract()?),
            "codes" => {
                let codes = values.extract::<PyReadonlyArray1<'_, i32>>()?;
                let known = |code: &i32| (*code >= 0).then_some(*code);
                Self::Codes(codes.as_array().iter().map(known).collect(), more.extract()?)
            }
            _ => return Err(PyTypeError::new_err("no such kind of column")),
        })
    }
}

/// Values, missing where the mask is true; an empty mask hides none.
fn masked<T>(values: impl Iterator<Item = T>, mask: &[bool]) -> Vec<Option<T>> {
    let hidden = |i: usize| mask.get(i).copied().unwrap_or(false);
    values.enumerate().map(|(i, value)| (!hidden(i)).then_some(value)).collect()
}

impl Column {
    /// The number of values.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::F64(values) => values.len(),
            Self::F32(values) => values.len(),
            Self::I64(values) | Self::Times(values, _) => values.len(),
            Self::U64(values) => values.len(),
            Self::Booleans(values) => values.len(),
            Self::Texts(values) | Self::Objects(values) => values.len(),
            Self::Codes(values, _) => values.len(),
            Self::Arrow(values) => values.len(),
        }
    }

    /// Whether the values are numbers by their type, where it is not the type of an array of
    /// Arrow.
    pub(crate) fn is_number(&self) -> bool {
        matches!(
            self,
            Self::F64(_)
                | Self::F32(_)
                | Self::I64(_)
                | Self::U64(_)
                | Self::Booleans(_)
                | Self::Times(..)
        )
    }

    /// Whether the column holds objects of Python, given as texts.
    pub(crate) fn is_of_objects(&self) -> bool {
        matches!(self, Self::Objects(_))
    }

    /// Whether the values are booleans of another type than an array of Arrow.
    pub(crate) fn is_boolean(&self) -> bool {
        matches!(self, Self::Booleans(_))
    }

    /// The one column of a stream.
    fn of_stream(stream: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (schema, batches) = read_stream(stream)?;
        let mut batches = batches.into_iter().filter(|batch| batch.num_rows() > 0);
        let none = || new_empty_array(schema.field(0).data_type());
        let first = batches.next().map_or_else(none, |batch| batch.column(0).clone());
        match batches.next() {
            None => Ok(Self::Arrow(first)),
            Some(_) => Err(PyTypeError::new_err("targets must be in one piece")),
        }
    }

    /// The column of targets outside a record batch: integers as texts, so that labels distinguish
    /// large ones.
    pub(crate) fn into_targets(self) -> PyResult<ArrayRef> {
        fn texts<T: ToString>(values: Vec<Option<T>>) -> Column {
            Column::Texts(values.into_iter().map(|value| value.map(|v| v.to_string())).collect())
        }
        match self {
            Self::I64(values) => texts(values).into_array(),
            Self::U64(values) => texts(values).into_array(),
            other => other.into_array(),
        }
    }

    /// The column of a record batch.
    pub(crate) fn into_array(self) -> PyResult<ArrayRef> {
        Ok(match self {
            Self::F64(values) => Arc::new(Float64Array::from(values)),
            Self::F32(values) => Arc::new(Float32Array::from(values)),
            Self::I64(values) => Arc::new(Int64Array::from(values)),
            Self::U64(values) => Arc::new(UInt64Array::from(values)),
            Self::Booleans(values) => Arc::new(BooleanArray::from(values)),
            Self::Times(values, unit) => match unit.as_str() {
                "s" => Arc::new(TimestampSecondArray::from(values)),
                "ms" => Arc::new(TimestampMillisecondArray::from(values)),
                "us" => Arc::new(TimestampMicrosecondArray::from(values)),
                _ => Arc::new(TimestampNanosecondArray::from(values)),
            },
            Self::Texts(values) | Self::Objects(values) => Arc::new(LargeStringArray::from(values)),
            Self::Arrow(values) => values,
            Self::Codes(codes, texts) => {
                let texts = Arc::new(StringArray::from(texts));
                let array = DictionaryArray::<Int32Type>::try_new(Int32Array::from(codes), texts);
                Arc::new(array.map_err(|_| PyTypeError::new_err("a category has no text"))?)
            }
        })
    }

    /// The targets of a matrix; dates come as texts.
    pub(crate) fn targets(&self) -> PyResult<Vec<OwnTarget>> {
        fn all<T: ToTarget>(values: &[Option<T>]) -> Vec<OwnTarget> {
            let missing = || OwnTarget::Number(f64::NAN);
            values.iter().map(|value| value.as_ref().map_or_else(missing, T::to_target)).collect()
        }
        Ok(match self {
            Self::F64(values) => values.iter().map(ToTarget::to_target).collect(),
            Self::F32(values) => values.iter().map(ToTarget::to_target).collect(),
            Self::I64(values) => all(values),
            Self::U64(values) => all(values),
            Self::Booleans(values) => all(values),
            Self::Texts(values) | Self::Objects(values) => all(values),
            Self::Times(..) | Self::Codes(..) | Self::Arrow(_) => {
                return Err(PyTypeError::new_err("targets come as numbers or texts"));
            }
        })
    }
}

/// The record batches of an object with Arrow's stream interface, and their schema.
pub(crate) fn read_stream(stream: &Bound<'_, PyAny>) -> PyResult<(SchemaRef, Vec<RecordBatch>)> {
    let py = stream.py();
    // The exception of an engine may show a cell.
    let reader = RecordBatchStreamReader::from_pyarrow_bound(stream);
    let reader = reader.map_err(|error| failed(py, &error)).or_raise(py)?;
    let schema = reader.schema();
    let batches: std::result::Result<Vec<RecordBatch>, _> = reader.collect();
    Ok((schema, batches.map_err(|_| broke_off()).or_raise(py)?))
}

/// The record batches of one pass over a source of Python: the batches of its streams, in turn.
pub(crate) struct Streams {
    streams: Py<PyIterator>,
    current: Option<RecordBatchStreamReader>,
}

impl Streams {
    /// Opens the streams of these columns of a source.
    ///
    /// # Errors
    ///
    /// `Io` if it fails.
    pub(crate) fn open(source: &Py<PyAny>, columns: &[usize]) -> Result<Self> {
        let streams = Python::attach(|py| {
            let streams = source.bind(py).call_method1("open", (columns,));
            streams
                .and_then(|streams| streams.try_iter())
                .map(Bound::unbind)
                .map_err(|e| failed(py, &e))
        })?;
        Ok(Self { streams, current: None })
    }

    fn next_stream(&self) -> Option<Result<RecordBatchStreamReader>> {
        Python::attach(|py| {
            let next = self.streams.bind(py).clone().next()?;
            let reader = next.and_then(|one| RecordBatchStreamReader::from_pyarrow_bound(&one));
            Some(reader.map_err(|error| failed(py, &error)))
        })
    }
}

impl Iterator for Streams {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(batch) = self.current.as_mut().and_then(Iterator::next) {
                return Some(batch.map_err(|_| broke_off()));
            }
            match self.next_stream()? {
                Ok(reader) => self.current = Some(reader),
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

/// The error for a source that failed: the text of its exception if that is of this package, else
/// by its type alone, for it may hold values.
pub(crate) fn failed(py: Python<'_>, error: &PyErr) -> Error {
    let own = || -> PyResult<String> {
        let class = py.import("dpsis._errors")?.getattr("RequestError")?;
        match error.value(py).is_instance(&class)? {
            true => error.value(py).str()?.extract(),
            false => Err(PyTypeError::new_err("of another package")),
        }
    };
    match (own(), error.get_type(py).name()) {
        (Ok(text), _) => Error::request(text),
        (_, Ok(name)) => {
            Error::io(format!("the source of the rows failed to compute them ({name})"))
        }
        _ => Error::io("the source of the rows failed to compute them"),
    }
}

fn broke_off() -> Error {
    Error::input("the stream of record batches broke off")
}
