//! Columns of R, as the R side passes them: a list of a `kind`, the `values`, and of codes the
//! `levels`.

use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, DictionaryArray, Float64Array, Int32Array, Int64Array,
    LargeStringArray, StringArray, TimestampMicrosecondArray, new_null_array,
};
use arrow_schema::{DataType, Field};
use dpsis::internals::RNumbers;
use dpsis::{Error, OwnTarget, Result, ToTarget};
use extendr_api::prelude::*;

/// The values of a column; `None` where missing.
pub(crate) enum Column {
    Doubles(Vec<f64>),
    Integers(Vec<Option<i32>>),
    Booleans(Vec<Option<bool>>),
    /// Integers of the package bit64.
    LongIntegers(Vec<Option<i64>>),
    /// Days since 1970-01-01.
    Days(Vec<Option<i32>>),
    /// Microseconds since 1970-01-01.
    Times(Vec<Option<i64>>),
    Texts(Vec<Option<String>>),
    /// Texts by their places in a list: a factor.
    Codes(Vec<Option<i32>>, Vec<Option<String>>),
    /// As many values of a class that is not read.
    Unread(usize),
}

impl Column {
    /// The column that a list of R describes: its `kind` and `values`, the `levels` of codes, and
    /// of numbers the `classes` and the `unit`.
    ///
    /// # Errors
    ///
    /// `Request` for another kind of column.
    pub(crate) fn new(described: &Robj) -> Result<Self> {
        let none = || Error::request("a column is neither numbers, texts nor dates");
        let kind = item(described, "kind");
        let values = item(described, "values");
        let doubles = || values.as_real_slice().ok_or_else(none);
        let integers = || {
            let all = values.as_integer_slice().ok_or_else(none)?;
            let known = |one: &i32| (*one != i32::MIN).then_some(*one);
            Ok::<Vec<Option<i32>>, Error>(all.iter().map(known).collect())
        };
        Ok(match kind.as_str().unwrap_or_default() {
            "integer" if item(described, "classes").is_null() => Self::Integers(integers()?),
            "integer" => {
                let double = |one: Option<i32>| one.map_or(f64::NAN, f64::from);
                let all: Vec<f64> = integers()?.into_iter().map(double).collect();
                Self::of_numbers(described, &all)
            }
            "logical" => {
                Self::Booleans(integers()?.into_iter().map(|one| one.map(|one| one != 0)).collect())
            }
            "double" => Self::of_numbers(described, doubles()?),
            "character" => Self::Texts(texts(&values).ok_or_else(none)?),
            "codes" => {
                let levels = texts(&item(described, "levels")).ok_or_else(none)?;
                // A code without a level, which a damaged factor may hold, is missing.
                let code = |code: Option<i32>| {
                    code.filter(|one| (1..=levels.len() as i64).contains(&i64::from(*one)))
                };
                let codes =
                    integers()?.into_iter().map(|one| code(one).map(|one| one - 1)).collect();
                Self::Codes(codes, levels)
            }
            "unread" => Self::Unread(values.as_real().ok_or_else(none)? as usize),
            _ => return Err(none()),
        })
    }

    /// Numbers, whose class gives their meaning.
    fn of_numbers(described: &Robj, values: &[f64]) -> Self {
        let classes = item(described, "classes");
        let classes = classes.as_str_vector().unwrap_or_default();
        let unit = item(described, "unit");
        match RNumbers::of(classes.iter().copied(), unit.as_str()) {
            None => Self::Unread(values.len()),
            Some(RNumbers::Plain) => Self::Doubles(values.to_vec()),
            Some(RNumbers::Span(seconds)) => {
                Self::Doubles(values.iter().map(|value| value * seconds).collect())
            }
            Some(RNumbers::Days) => Self::Days(values.iter().map(|day| whole(*day)).collect()),
            Some(RNumbers::Seconds) => {
                Self::Times(values.iter().map(|second| whole(second * 1e6)).collect())
            }
            Some(RNumbers::Integers) => {
                let integer = |value: &f64| value.to_bits().cast_signed();
                let known = |value: i64| (value != i64::MIN).then_some(value);
                Self::LongIntegers(values.iter().map(integer).map(known).collect())
            }
        }
    }

    /// The number of values.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Doubles(values) => values.len(),
            Self::Integers(values) | Self::Days(values) | Self::Codes(values, _) => values.len(),
            Self::Times(values) | Self::LongIntegers(values) => values.len(),
            Self::Texts(values) => values.len(),
            Self::Booleans(values) => values.len(),
            Self::Unread(values) => *values,
        }
    }

    /// Whether the values are numbers by their type; dates are.
    pub(crate) fn is_number(&self) -> bool {
        !matches!(self, Self::Texts(_) | Self::Codes(..) | Self::Unread(_))
    }

    /// Whether the values are booleans.
    pub(crate) fn is_boolean(&self) -> bool {
        matches!(self, Self::Booleans(_))
    }

    /// The column of a record batch.
    pub(crate) fn into_array(self) -> Result<ArrayRef> {
        Ok(match self {
            Self::Doubles(values) => Arc::new(Float64Array::from(values)),
            Self::Integers(values) => Arc::new(Int32Array::from(values)),
            Self::Booleans(values) => Arc::new(BooleanArray::from(values)),
            Self::LongIntegers(values) => Arc::new(Int64Array::from(values)),
            Self::Days(values) => Arc::new(Date32Array::from(values)),
            Self::Times(values) => Arc::new(TimestampMicrosecondArray::from(values)),
            Self::Texts(values) => Arc::new(LargeStringArray::from(values)),
            Self::Unread(values) => {
                // A type that the library does not read, but lets be excluded.
                let items = Arc::new(Field::new_list_field(DataType::Null, true));
                new_null_array(&DataType::List(items), values)
            }
            Self::Codes(codes, levels) => {
                let levels = Arc::new(StringArray::from(levels));
                let array = DictionaryArray::<Int32Type>::try_new(Int32Array::from(codes), levels);
                Arc::new(array.map_err(|_| Error::request("a factor lacks its levels"))?)
            }
        })
    }

    /// The targets or ids outside a matrix; `None` for a kind that only columns have.
    pub(crate) fn targets(&self) -> Option<Vec<OwnTarget>> {
        fn all<T: ToTarget>(values: &[Option<T>]) -> Vec<OwnTarget> {
            let missing = || OwnTarget::Number(f64::NAN);
            values.iter().map(|value| value.as_ref().map_or_else(missing, T::to_target)).collect()
        }
        match self {
            Self::Doubles(values) => Some(values.iter().map(ToTarget::to_target).collect()),
            Self::Integers(values) => Some(all(values)),
            Self::Booleans(values) => Some(all(values)),
            Self::LongIntegers(values) => Some(all(values)),
            Self::Texts(values) => Some(all(values)),
            _ => None,
        }
    }
}

/// The element of a list by its name; `NULL` if it is missing.
pub(crate) fn item(list: &Robj, name: &str) -> Robj {
    list.dollar(name).unwrap_or_else(|_| r!(NULL))
}

/// A vector of texts, `None` where missing.
fn texts(values: &Robj) -> Option<Vec<Option<String>>> {
    let all: Strings = values.clone().try_into().ok()?;
    Some(all.iter().map(|one| (!one.is_na()).then(|| String::from(one.as_ref()))).collect())
}

/// The greatest integer that is no larger; `None` if this type has no such integer.
fn whole<T: TryFrom<i64>>(value: f64) -> Option<T> {
    let floor = value.floor();
    // Exactly the doubles that are integers of 64 bits; NaN is not.
    let fits = (-(2f64.powi(63))..2f64.powi(63)).contains(&floor);
    fits.then_some(floor as i64).and_then(|value| T::try_from(value).ok())
}
