//! Arrow columns of all supported types, as numbers and as texts.

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Date64Type, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_schema::{DataType, TimeUnit};

use crate::data::block_table::{TextCell, number_cell};
use crate::data::date::days_of;
use crate::data::number::CellFormat;
use crate::error::{Error, Result};

/// Whether the values are numbers, booleans or dates; a column without values counts as one of numbers.
pub(super) fn is_number(of: &DataType) -> bool {
    use DataType::{Boolean, Date32, Date64, Float16, Float32, Float64, Null, Timestamp};
    of.is_integer()
        || matches!(
            of,
            Boolean | Date32 | Date64 | Float16 | Float32 | Float64 | Null | Timestamp(..)
        )
}

/// Writes the values of a column to its place in each row: `f64::NAN` where null or NaN, texts as in a text
/// file, dates as days since 1970-01-01.
pub(super) fn spread<A>(
    column: &dyn Array,
    all: &mut [A],
    place: usize,
    d: usize,
    format: &CellFormat,
    of: impl Fn(f64) -> A,
) -> Result<()> {
    let slots = all.get_mut(place..).unwrap_or_default().iter_mut().step_by(d);
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
        DataType::Float64 => from!(Float64Type, canonical),
        DataType::Float32 => from!(Float32Type, canonical),
        DataType::Float16 => from!(Float16Type, canonical),
        DataType::Int8 => from!(Int8Type, f64::from),
        DataType::Int16 => from!(Int16Type, f64::from),
        DataType::Int32 => from!(Int32Type, f64::from),
        // Integers beyond 2^53 are rounded, as in text.
        DataType::Int64 => from!(Int64Type, |value: i64| value as f64),
        DataType::UInt8 => from!(UInt8Type, f64::from),
        DataType::UInt16 => from!(UInt16Type, f64::from),
        DataType::UInt32 => from!(UInt32Type, f64::from),
        DataType::UInt64 => from!(UInt64Type, |value: u64| value as f64),
        DataType::Date32 => from!(Date32Type, f64::from),
        DataType::Date64 => from!(Date64Type, |value| days(value, 1_000_000)),
        DataType::Timestamp(TimeUnit::Second, _) => {
            from!(TimestampSecondType, |value| days(value, 1_000_000_000));
        }
        DataType::Timestamp(TimeUnit::Millisecond, _) => {
            from!(TimestampMillisecondType, |value| days(value, 1_000_000));
        }
        DataType::Timestamp(TimeUnit::Microsecond, _) => {
            from!(TimestampMicrosecondType, |value| days(value, 1_000));
        }
        DataType::Timestamp(TimeUnit::Nanosecond, _) => {
            from!(TimestampNanosecondType, |value| days(value, 1));
        }
        DataType::Boolean => {
            for (slot, value) in slots.zip(column.as_boolean()) {
                *slot = of(value.map_or(f64::NAN, |value| f64::from(u8::from(value))));
            }
        }
        DataType::Null => slots.for_each(|slot| *slot = of(f64::NAN)),
        _ => {
            let values = texts(column, &f64::NAN, &|text| format.value(text.as_bytes()));
            let values =
                values.ok_or_else(|| Error::input("a column holds neither numbers nor texts"))?;
            slots.zip(values).for_each(|(slot, value)| *slot = of(value));
        }
    }
    Ok(())
}

/// A number; of all NaNs `f64::NAN`, for the others would be words.
fn canonical(value: impl Into<f64>) -> f64 {
    let value = value.into();
    if value.is_nan() { f64::NAN } else { value }
}

/// The days since 1970-01-01 that a number of units of so many nanoseconds makes.
fn days(count: i64, unit: i128) -> f64 {
    days_of(i128::from(count) * unit)
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

/// Turns the texts of a column into values, each text of a dictionary once; `None` if it holds no texts.
fn texts<T: Clone>(column: &dyn Array, missing: &T, of: &dyn Fn(&str) -> T) -> Option<Vec<T>> {
    let each = |text: Option<&str>| text.map_or_else(|| missing.clone(), of);
    Some(match column.data_type() {
        DataType::Utf8 => column.as_string::<i32>().iter().map(each).collect(),
        DataType::LargeUtf8 => column.as_string::<i64>().iter().map(each).collect(),
        DataType::Utf8View => column.as_string_view().iter().map(each).collect(),
        dictionary if is_text(dictionary) => {
            let dictionary = column.as_any_dictionary();
            let values = texts(dictionary.values().as_ref(), missing, of)?;
            if values.is_empty() {
                return Some(vec![missing.clone(); column.len()]);
            }
            let value = |(row, key): (usize, usize)| {
                let value = values.get(key).filter(|_| !column.is_null(row));
                value.unwrap_or(missing).clone()
            };
            dictionary.normalized_keys().into_iter().enumerate().map(value).collect()
        }
        _ => return None,
    })
}

/// The texts of a column; numbers in their shortest form.
pub(super) fn cells(column: &dyn Array) -> Result<Vec<TextCell>> {
    if is_number(column.data_type()) {
        let mut values = vec![0f64; column.len()];
        spread(column, &mut values, 0, 1, &CellFormat::default(), |value| value)?;
        return Ok(values.into_iter().map(number_cell).collect());
    }
    let cells = texts(column, &None, &|text| Some(text.as_bytes().to_vec()));
    cells.ok_or_else(|| Error::input("the target or id column holds neither numbers nor texts"))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::types::{Int8Type, Int32Type as Key};
    use arrow_array::{
        BooleanArray, Date32Array, Date64Array, DictionaryArray, Float32Array, Float64Array,
        LargeStringArray, StringArray, StringViewArray, TimestampMicrosecondArray,
        TimestampMillisecondArray, TimestampNanosecondArray, TimestampSecondArray,
    };

    use super::*;

    /// The bits of a column's values, with one code for missing values.
    fn bits(column: &dyn Array) -> Vec<u64> {
        let format = CellFormat { missing: vec!["-9".to_owned()], ..CellFormat::default() };
        let mut values = vec![7.0; column.len()];
        spread(column, &mut values, 0, 1, &format, |value| value).unwrap();
        values.into_iter().map(f64::to_bits).collect()
    }

    fn of_text(cells: &[Option<&str>]) -> Vec<u64> {
        let format = CellFormat { missing: vec!["-9".to_owned()], ..CellFormat::default() };
        let value =
            |cell: &Option<&str>| cell.map_or(f64::NAN, |cell| format.value(cell.as_bytes()));
        cells.iter().map(|cell| value(cell).to_bits()).collect()
    }

    #[test]
    fn texts_are_read_as_in_text_files() {
        let cells = [
            Some("yes"),
            None,
            Some("1.50"),
            Some("NA"),
            Some(" yes"),
            Some("-9"),
            Some("2000-01-01"),
        ];
        let expected = of_text(&cells);
        assert_eq!(bits(&StringArray::from(cells.to_vec())), expected);
        assert_eq!(bits(&LargeStringArray::from(cells.to_vec())), expected);
        assert_eq!(bits(&StringViewArray::from(cells.to_vec())), expected);
        assert_eq!(bits(&cells.into_iter().collect::<DictionaryArray<Int8Type>>()), expected);
        // Null in the dictionary itself, and a dictionary without values.
        let values = Arc::new(StringArray::from(cells.to_vec()));
        let keys = arrow_array::Int32Array::from(vec![Some(1), Some(0), None]);
        let column = DictionaryArray::<Key>::new(keys, values);
        assert_eq!(bits(&column), of_text(&[None, Some("yes"), None]));
        let none: [Option<&str>; 2] = [None, None];
        assert_eq!(bits(&none.into_iter().collect::<DictionaryArray<Key>>()), of_text(&none));
    }

    /// No NaN of a column of numbers is a word, whatever its payload.
    #[test]
    fn numbers_are_no_words() {
        let missing = f64::NAN.to_bits();
        let odd = [0x7ff0_0000_0000_07a2, 0xfff8_0000_0000_0001, 0x7ff8_0000_0000_07a2];
        let mut values = odd.map(f64::from_bits).to_vec();
        values.push(0.5);
        let expected = [missing, missing, missing, 0.5f64.to_bits()];
        assert_eq!(bits(&Float64Array::from(values.clone())), expected);
        let some: Vec<Option<f64>> = values.into_iter().map(Some).chain([None]).collect();
        assert_eq!(bits(&Float64Array::from(some))[..4], expected);
        let odd = [f32::from_bits(0x7fc0_0123), 0.5];
        assert_eq!(bits(&Float32Array::from(odd.to_vec())), expected[2..]);
        let booleans = BooleanArray::from(vec![Some(true), None, Some(false)]);
        assert_eq!(bits(&booleans), of_text(&[Some("1"), None, Some("0")]));
    }

    #[test]
    fn dates_are_those_of_text() {
        let texts = [Some("2024-02-29"), None, Some("1969-12-31")];
        let days = vec![Some(19_782), None, Some(-1)];
        assert_eq!(bits(&Date32Array::from(days.clone())), of_text(&texts));
        let each = |unit: i64, of: i64| {
            days.iter().map(|day| day.map(|day| i64::from(day) * unit + of)).collect::<Vec<_>>()
        };
        assert_eq!(bits(&Date64Array::from(each(86_400_000, 0))), of_text(&texts));
        let texts = [Some("2024-02-29T06:30:01Z"), None, Some("1969-12-31 06:30:01")];
        let time = 6 * 3600 + 30 * 60 + 1;
        let (second, fine) = (86_400, of_text(&texts));
        assert_eq!(bits(&TimestampSecondArray::from(each(second, time))), fine);
        let array = TimestampMillisecondArray::from(each(second * 1_000, time * 1_000));
        assert_eq!(bits(&array.with_timezone("Europe/Berlin")), fine);
        let array = TimestampMicrosecondArray::from(each(second * 1_000_000, time * 1_000_000));
        assert_eq!(bits(&array), fine);
        let nanoseconds = each(second * 1_000_000_000, time * 1_000_000_000 + 123_456_789);
        let texts =
            [Some("2024-02-29T06:30:01.123456789"), None, Some("1969-12-31T06:30:01.123456789Z")];
        assert_eq!(bits(&TimestampNanosecondArray::from(nanoseconds)), of_text(&texts));
    }
}
