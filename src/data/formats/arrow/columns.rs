//! Arrow columns of all supported types, as numbers and as texts.

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_schema::DataType;

use crate::data::block_table::{TextCell, number_cell};
use crate::data::number::parse_number;
use crate::error::{Error, Result};

/// Whether the values are numbers; a column without values counts as one of numbers.
pub(super) fn is_number(of: &DataType) -> bool {
    use DataType::{Boolean, Float16, Float32, Float64, Null};
    of.is_integer() || matches!(of, Boolean | Float16 | Float32 | Float64 | Null)
}

/// Writes a column to its place in each row: NaN where null, or text that is no number.
pub(super) fn spread<A>(
    column: &dyn Array,
    all: &mut [A],
    place: usize,
    d: usize,
    of: impl Fn(f64) -> A,
) -> Result<()> {
    let slots = all[place..].iter_mut().step_by(d);
    macro_rules! from {
        ($type:ty, $number:expr) => {{
            let column = column.as_primitive::<$type>();
            if column.null_count() == 0 {
                slots.zip(column.values()).for_each(|(slot, value)| *slot = of($number(*value)));
            } else {
                for (slot, value) in slots.zip(column) {
                    *slot = of(value.map_or(f64::NAN, $number));
                }
            }
        }};
    }
    match column.data_type() {
        DataType::Float64 => from!(Float64Type, f64::from),
        DataType::Float32 => from!(Float32Type, f64::from),
        DataType::Float16 => from!(Float16Type, f64::from),
        DataType::Int8 => from!(Int8Type, f64::from),
        DataType::Int16 => from!(Int16Type, f64::from),
        DataType::Int32 => from!(Int32Type, f64::from),
        // Integers beyond 2^53 are rounded, as in text.
        DataType::Int64 => from!(Int64Type, |value: i64| value as f64),
        DataType::UInt8 => from!(UInt8Type, f64::from),
        DataType::UInt16 => from!(UInt16Type, f64::from),
        DataType::UInt32 => from!(UInt32Type, f64::from),
        DataType::UInt64 => from!(UInt64Type, |value: u64| value as f64),
        DataType::Boolean => {
            for (slot, value) in slots.zip(column.as_boolean()) {
                *slot = of(value.map_or(f64::NAN, |value| f64::from(u8::from(value))));
            }
        }
        DataType::Null => slots.for_each(|slot| *slot = of(f64::NAN)),
        _ => {
            for (slot, cell) in slots.zip(cells(column)?) {
                *slot = of(cell.as_deref().and_then(parse_number).unwrap_or(f64::NAN));
            }
        }
    }
    Ok(())
}

/// Whether the values are texts.
pub(super) fn is_text(of: &DataType) -> bool {
    match of {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Dictionary(_, values) => {
            matches!(**values, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
        }
        _ => false,
    }
}

/// The texts of a column; numbers in their shortest form.
pub(super) fn cells(column: &dyn Array) -> Result<Vec<TextCell>> {
    fn owned<'a>(texts: impl Iterator<Item = Option<&'a str>>) -> Vec<TextCell> {
        texts.map(|text| text.map(|text| text.as_bytes().to_vec())).collect()
    }
    Ok(match column.data_type() {
        DataType::Utf8 => owned(column.as_string::<i32>().iter()),
        DataType::LargeUtf8 => owned(column.as_string::<i64>().iter()),
        DataType::Utf8View => owned(column.as_string_view().iter()),
        of @ DataType::Dictionary(..) if is_text(of) => {
            let dictionary = column.as_any_dictionary();
            let texts = cells(dictionary.values().as_ref())?;
            if texts.is_empty() {
                return Ok(vec![None; column.len()]);
            }
            let text = |(row, key): (usize, usize)| {
                if column.is_null(row) { None } else { texts.get(key).cloned().flatten() }
            };
            dictionary.normalized_keys().into_iter().enumerate().map(text).collect()
        }
        of if is_number(of) => {
            let mut values = vec![0f64; column.len()];
            spread(column, &mut values, 0, 1, |value| value)?;
            values.into_iter().map(number_cell).collect()
        }
        _ => {
            return Err(Error::input("the target or id column holds neither numbers nor texts"));
        }
    })
}
