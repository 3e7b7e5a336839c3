//! Arrow columns of all supported types, as numbers and as texts.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type,
    DurationMicrosecondType, DurationMillisecondType, DurationNanosecondType, DurationSecondType,
    Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    Time32MillisecondType, Time32SecondType, Time64MicrosecondType, Time64NanosecondType,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, BinaryArray, LargeBinaryArray};
use arrow_schema::{DataType, TimeUnit};

use crate::error::{Error, Result};
use crate::table::block_table::{TextCell, clean, number_cell};
use crate::table::cell::{CellFormat, Kind};
use crate::table::date::{date_text, days_of, time_text};

/// Whether a column of this type can be read at all.
pub(super) fn is_read(of: &DataType) -> bool {
    is_number(of) || is_text(of)
}

/// Whether the values are numbers, booleans, dates, times of a day or spans of time, also in
/// dictionaries; a column without values counts as one of numbers.
pub(super) fn is_number(of: &DataType) -> bool {
    use DataType::{Boolean, Date32, Date64, Duration, Null, Time32, Time64, Timestamp};
    let of = values_of(of);
    of.is_integer()
        || of.is_floating()
        || of.is_decimal()
        || matches!(
            of,
            Boolean | Date32 | Date64 | Duration(_) | Null | Time32(_) | Time64(_) | Timestamp(..)
        )
}

/// Whether the values are dates or times of day.
pub(super) fn is_date(of: &DataType) -> bool {
    kind(of) != Kind::Number
}

/// Whether the values are booleans.
pub(super) fn is_boolean(of: &DataType) -> bool {
    *values_of(of) == DataType::Boolean
}

/// The kind of a column of numbers.
fn kind(of: &DataType) -> Kind {
    use DataType::{Date32, Date64, Time32, Time64, Timestamp};
    match values_of(of) {
        Date32 | Date64 | Timestamp(..) => Kind::Date,
        Time32(_) | Time64(_) => Kind::Time,
        _ => Kind::Number,
    }
}

/// The type of the values; of a dictionary, the type of its values.
fn values_of(of: &DataType) -> &DataType {
    match of {
        DataType::Dictionary(_, values) => values,
        other => other,
    }
}

/// Writes the values of a column: `f64::NAN` where null or NaN, texts as in a text file, dates as
/// days since 1970-01-01, times of a day and spans in seconds.
pub(super) fn read_values<A: Copy + From<f32> + Into<f64>>(
    column: &dyn Array,
    slots: &mut [A],
    format: &CellFormat,
    of: impl Fn(f64) -> A + Copy,
) -> Result<()> {
    if let DataType::Dictionary(..) = column.data_type() {
        let (values, places) = used_values(column, |part| {
            let mut values = vec![of(f64::NAN); part.len()];
            read_values(part, &mut values, format, of)?;
            Ok(values)
        })?;
        for (slot, place) in slots.iter_mut().zip(places) {
            *slot = place.map_or_else(|| of(f64::NAN), |place| values[place]);
        }
        return Ok(());
    }
    write_values(column, slots.iter_mut(), format, of)?;
    if is_number(column.data_type()) {
        clean(slots.iter_mut(), kind(column.data_type()), format);
    }
    Ok(())
}

/// The values of a column with a dictionary, which `read` converts, and for each row the place of
/// its value; `None` where it is null. If the dictionary, which batches share, has more values than
/// the column has rows, only the values of its rows.
fn used_values<V>(
    column: &dyn Array,
    read: impl Fn(&dyn Array) -> Result<Vec<V>>,
) -> Result<(Vec<V>, Vec<Option<usize>>)> {
    let dictionary = column.as_any_dictionary();
    let values = dictionary.values();
    // Arrow's own keys panic where there are no values.
    if values.is_empty() {
        return Ok((Vec::new(), vec![None; column.len()]));
    }
    let keys = dictionary.normalized_keys().into_iter().enumerate();
    let keys = keys.map(|(row, key)| column.is_valid(row).then_some(key));
    if values.len() <= column.len() {
        return Ok((read(values.as_ref())?, keys.collect()));
    }
    let mut used = Vec::with_capacity(column.len());
    let mut places = Vec::with_capacity(column.len());
    for key in keys {
        places.push(key.map(|_| used.len()));
        if let Some(key) = key {
            used.append(&mut read(values.slice(key, 1).as_ref())?);
        }
    }
    Ok((used, places))
}

/// Writes the values of a column that is not a dictionary.
fn write_values<'a, A: 'a>(
    column: &dyn Array,
    slots: impl Iterator<Item = &'a mut A>,
    format: &CellFormat,
    of: impl Fn(f64) -> A,
) -> Result<()> {
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
        DataType::Time32(TimeUnit::Second) => from!(Time32SecondType, f64::from),
        DataType::Time32(_) => from!(Time32MillisecondType, |value| f64::from(value) / 1e3),
        DataType::Time64(TimeUnit::Microsecond) => {
            from!(Time64MicrosecondType, |value: i64| value as f64 / 1e6);
        }
        DataType::Time64(_) => from!(Time64NanosecondType, |value: i64| value as f64 / 1e9),
        DataType::Duration(TimeUnit::Second) => {
            from!(DurationSecondType, |value: i64| value as f64)
        }
        DataType::Duration(TimeUnit::Millisecond) => {
            from!(DurationMillisecondType, |value: i64| value as f64 / 1e3);
        }
        DataType::Duration(TimeUnit::Microsecond) => {
            from!(DurationMicrosecondType, |value: i64| value as f64 / 1e6);
        }
        DataType::Duration(TimeUnit::Nanosecond) => {
            from!(DurationNanosecondType, |value: i64| value as f64 / 1e9);
        }
        of_decimals if of_decimals.is_decimal() => {
            let values = decimals(column).into_iter().flatten();
            let value = |text: Option<String>| text.and_then(|text| text.parse().ok());
            slots.zip(values).for_each(|(slot, text)| *slot = of(value(text).unwrap_or(f64::NAN)));
        }
        DataType::Boolean => {
            for (slot, value) in slots.zip(column.as_boolean()) {
                *slot = of(value.map_or(f64::NAN, |value| f64::from(u8::from(value))));
            }
        }
        DataType::Null => slots.for_each(|slot| *slot = of(f64::NAN)),
        _ => {
            let values = texts(column, &f64::NAN, &|text| format.value(text));
            let values =
                values.ok_or_else(|| Error::input("a column holds neither numbers nor texts"))?;
            slots.zip(values).for_each(|(slot, value)| *slot = of(value));
        }
    }
    Ok(())
}

/// The exact digits of a column of decimals, without zeros at their end; `None` for another one.
fn decimals(column: &dyn Array) -> Option<Vec<Option<String>>> {
    fn shortest(text: String) -> String {
        match text.contains('.') {
            true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
            false => text,
        }
    }
    macro_rules! of {
        ($type:ty) => {{
            let column = column.as_primitive::<$type>();
            let text = |row| column.is_valid(row).then(|| shortest(column.value_as_string(row)));
            Some((0..column.len()).map(text).collect())
        }};
    }
    match column.data_type() {
        DataType::Decimal32(..) => of!(Decimal32Type),
        DataType::Decimal64(..) => of!(Decimal64Type),
        DataType::Decimal128(..) => of!(Decimal128Type),
        DataType::Decimal256(..) => of!(Decimal256Type),
        _ => None,
    }
}

/// The exact digits of a column of integers of 64 bits; `None` for another one.
fn wide_integers(column: &dyn Array) -> Option<Vec<Option<String>>> {
    macro_rules! of {
        ($type:ty) => {{
            let values = column.as_primitive::<$type>();
            Some(values.iter().map(|value| value.map(|value| value.to_string())).collect())
        }};
    }
    match column.data_type() {
        DataType::Int64 => of!(Int64Type),
        DataType::UInt64 => of!(UInt64Type),
        _ => None,
    }
}

/// The texts of a column of dates or times of day, as a text file would hold them; `None` for
/// another one.
fn dates_and_times(column: &dyn Array) -> Option<Vec<Option<String>>> {
    const SECOND: i128 = 1_000_000_000;
    macro_rules! of {
        ($type:ty, $unit:expr, $text:expr) => {{
            let text = |value| {
                // A date beyond the years of the calendar has no text but its number.
                let days = || days_of(i128::from(value) * $unit).to_string();
                $text(i128::from(value) * $unit).unwrap_or_else(days)
            };
            Some(column.as_primitive::<$type>().iter().map(|value| value.map(text)).collect())
        }};
    }
    match column.data_type() {
        DataType::Date32 => of!(Date32Type, 86_400 * SECOND, date_text),
        DataType::Date64 => of!(Date64Type, SECOND / 1_000, date_text),
        DataType::Timestamp(TimeUnit::Second, _) => of!(TimestampSecondType, SECOND, date_text),
        DataType::Timestamp(TimeUnit::Millisecond, _) => {
            of!(TimestampMillisecondType, SECOND / 1_000, date_text)
        }
        DataType::Timestamp(TimeUnit::Microsecond, _) => {
            of!(TimestampMicrosecondType, 1_000, date_text)
        }
        DataType::Timestamp(TimeUnit::Nanosecond, _) => of!(TimestampNanosecondType, 1, date_text),
        DataType::Time32(TimeUnit::Second) => of!(Time32SecondType, SECOND, time_text),
        DataType::Time32(_) => of!(Time32MillisecondType, SECOND / 1_000, time_text),
        DataType::Time64(TimeUnit::Microsecond) => of!(Time64MicrosecondType, 1_000, time_text),
        DataType::Time64(_) => of!(Time64NanosecondType, 1, time_text),
        _ => None,
    }
}

/// A number; `f64::NAN` for every NaN, because others would be categories.
pub(super) fn canonical(value: impl Into<f64>) -> f64 {
    let value = value.into();
    if value.is_nan() { f64::NAN } else { value }
}

/// The days since 1970-01-01 that a number of units of this number of nanoseconds makes.
fn days(count: i64, unit: i128) -> f64 {
    days_of(i128::from(count) * unit)
}

/// Whether the values are texts.
pub(super) fn is_text(of: &DataType) -> bool {
    matches!(values_of(of), DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

/// Turns the texts of a column that is not a dictionary into values; `None` if it holds no texts.
/// Texts of another program need not be UTF-8.
fn texts<T: Clone>(column: &dyn Array, missing: &T, of: &dyn Fn(&[u8]) -> T) -> Option<Vec<T>> {
    let each = |text: Option<&[u8]>| text.map_or_else(|| missing.clone(), of);
    Some(match column.data_type() {
        DataType::Binary => column.as_binary::<i32>().iter().map(each).collect(),
        DataType::LargeBinary => column.as_binary::<i64>().iter().map(each).collect(),
        DataType::BinaryView => column.as_binary_view().iter().map(each).collect(),
        DataType::Utf8 => {
            BinaryArray::from(column.as_string::<i32>().clone()).iter().map(each).collect()
        }
        DataType::LargeUtf8 => {
            LargeBinaryArray::from(column.as_string::<i64>().clone()).iter().map(each).collect()
        }
        DataType::Utf8View => {
            column.as_string_view().clone().to_binary_view().iter().map(each).collect()
        }
        _ => return None,
    })
}

/// The texts of a column; numbers in their shortest form, those that a float would round with all
/// their digits, dates and times of day as in text.
pub(super) fn cells(column: &dyn Array) -> Result<Vec<TextCell>> {
    if let DataType::Dictionary(..) = column.data_type() {
        let (values, places) = used_values(column, cells)?;
        let cell = |place: Option<usize>| place.and_then(|place| values[place].clone());
        return Ok(places.into_iter().map(cell).collect());
    }
    if let Some(texts) = wide_integers(column).or_else(|| decimals(column)) {
        return Ok(texts.into_iter().map(|text| text.map(String::into_bytes)).collect());
    }
    if let Some(texts) = dates_and_times(column) {
        return Ok(texts.into_iter().map(|text| text.map(String::into_bytes)).collect());
    }
    if is_number(column.data_type()) {
        let mut values = vec![0f64; column.len()];
        read_values(column, &mut values, &CellFormat::default(), |value| value)?;
        return Ok(values.into_iter().map(number_cell).collect());
    }
    let cells = texts(column, &None, &|text| Some(text.to_vec()));
    cells.ok_or_else(|| {
        Error::input("the targets or the identifiers are neither numbers, dates nor texts")
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::types::{Int8Type, Int32Type as Key};
    use arrow_array::{
        BooleanArray, Date32Array, Date64Array, Decimal128Array, DictionaryArray,
        DurationMicrosecondArray, DurationMillisecondArray, DurationNanosecondArray,
        DurationSecondArray, Float32Array, Float64Array, Int64Array, LargeStringArray, StringArray,
        StringViewArray, Time32MillisecondArray, Time32SecondArray, Time64MicrosecondArray,
        Time64NanosecondArray, TimestampMicrosecondArray, TimestampMillisecondArray,
        TimestampNanosecondArray, TimestampSecondArray, UInt64Array,
    };

    use super::*;

    /// The bits of a column's values, with one code for missing values.
    fn bits(column: &dyn Array) -> Vec<u64> {
        let format = CellFormat::new(false, ["-9"]);
        let mut values = vec![7.0; column.len()];
        read_values(column, &mut values, &format, |value| value).unwrap();
        values.into_iter().map(f64::to_bits).collect()
    }

    fn of_text(cells: &[Option<&str>]) -> Vec<u64> {
        let format = CellFormat::new(false, ["-9"]);
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
        // Fewer rows than the dictionary has values.
        let part = column.slice(1, 2);
        assert_eq!(bits(&part), of_text(&[Some("yes"), None]));
        assert_eq!(super::cells(&part).unwrap(), [Some(b"yes".to_vec()), None]);
        let none: [Option<&str>; 2] = [None, None];
        assert_eq!(bits(&none.into_iter().collect::<DictionaryArray<Key>>()), of_text(&none));
    }

    /// Categories of numbers are the numbers, and codes are compared with values of their kind.
    #[test]
    fn dictionaries_of_numbers_and_codes() {
        let values = Arc::new(Int64Array::from(vec![Some(7), Some(-9), None]));
        let keys = arrow_array::Int32Array::from(vec![Some(0), Some(1), Some(2), None]);
        let column = DictionaryArray::<Key>::new(keys, values);
        assert!(is_number(column.data_type()));
        assert_eq!(bits(&column), of_text(&[Some("7"), None, None, None]));
        assert_eq!(cells(&column).unwrap()[..2], [Some(b"7".to_vec()), Some(b"-9".to_vec())]);
        // The tenth day before 1970 is not the code -9.
        assert_eq!(
            bits(&Date32Array::from(vec![-9, 1])),
            of_text(&[Some("1969-12-23"), Some("1")])
        );
        let mut values = vec![0.0; 2];
        let format = CellFormat::new(false, ["1969-12-23"]);
        read_values(&Date32Array::from(vec![-9, 1]), &mut values, &format, |value| value).unwrap();
        assert!(values[0].is_nan() && values[1] == 1.0);
        let mut values = vec![0f32; 2];
        let format = CellFormat::new(false, ["-99.9"]);
        let column = Float32Array::from(vec![-99.9, 1.0]);
        read_values(&column, &mut values, &format, |value| value as f32).unwrap();
        assert!(values[0].is_nan() && values[1] == 1.0);
    }

    /// No NaN of a column of numbers is a word, with any payload.
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

    /// Ids and labels of integers and decimals, which a float would round, keep all their digits.
    #[test]
    fn exact_numbers_keep_their_digits() {
        let texts = |of: &dyn Array| -> Vec<Option<String>> {
            let cells = cells(of).unwrap();
            cells
                .into_iter()
                .map(|cell| cell.map(|cell| String::from_utf8(cell).unwrap()))
                .collect()
        };
        let some = |texts: &[&str]| -> Vec<Option<String>> {
            texts.iter().map(|text| Some((*text).to_owned())).chain([None]).collect()
        };
        let wide = [9_007_199_254_740_993i64, 9_007_199_254_740_992, -5];
        let column = Int64Array::from_iter(wide.map(Some).into_iter().chain([None]));
        assert_eq!(texts(&column), some(&["9007199254740993", "9007199254740992", "-5"]));
        let column = UInt64Array::from(vec![Some(u64::MAX), None]);
        assert_eq!(texts(&column), some(&["18446744073709551615"]));
        let column =
            Decimal128Array::from(vec![Some(150), Some(-1), Some(10i128.pow(37) + 1), None]);
        let cents = column.clone().with_precision_and_scale(38, 2).unwrap();
        let expected = ["1.5", "-0.01", "100000000000000000000000000000000000.01"];
        assert_eq!(texts(&cents), some(&expected));
        assert_eq!(bits(&cents), of_text(&[Some("1.5"), Some("-0.01"), Some("1e35"), None]));
        let whole = column.with_precision_and_scale(38, 0).unwrap();
        assert_eq!(texts(&whole), some(&["150", "-1", "10000000000000000000000000000000000001"]));
        // Zeros before a point stay.
        let tens = Decimal128Array::from(vec![Some(1000), Some(0)]);
        let tens = tens.with_precision_and_scale(38, 1).unwrap();
        assert_eq!(texts(&tens), [Some("100".to_owned()), Some("0".to_owned())]);
    }

    /// Times of a day and spans are numbers of seconds.
    #[test]
    fn times_and_spans_are_seconds() {
        let time = of_text(&[Some("23401.5"), None]);
        let nanoseconds = vec![Some(23_401_500_000_000), None];
        let microseconds = vec![Some(23_401_500_000), None];
        let milliseconds = vec![Some(23_401_500), None];
        assert_eq!(bits(&Time32MillisecondArray::from(milliseconds)), time);
        assert_eq!(bits(&Time64MicrosecondArray::from(microseconds.clone())), time);
        assert_eq!(bits(&Time64NanosecondArray::from(nanoseconds.clone())), time);
        assert_eq!(bits(&DurationMillisecondArray::from(vec![Some(23_401_500), None])), time);
        assert_eq!(bits(&DurationMicrosecondArray::from(microseconds)), time);
        assert_eq!(bits(&DurationNanosecondArray::from(nanoseconds)), time);
        let whole = of_text(&[Some("-7"), None]);
        assert_eq!(bits(&DurationSecondArray::from(vec![Some(-7), None])), whole);
        let noon = of_text(&[Some("43200"), None]);
        assert_eq!(bits(&Time32SecondArray::from(vec![Some(43_200), None])), noon);
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
