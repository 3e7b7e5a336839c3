//! Parsing numbers in text.

/// Powers of ten that are exactly an `f64`.
const POWERS: [f64; 17] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16];

/// The number of bytes before a cell that [`plain_number`] loads without using them.
const BYTES_BEFORE: usize = 16;

/// The number of bytes from the start of a cell that it uses: the cell and its delimiter.
const BYTES_AFTER: usize = 24;

/// A number such as `-12.3456` that starts at a place of a text and ends before a delimiter, and
/// the delimiter's place: the same `f64` as [`parse_number`] returns. `None` for a number that is
/// written in another way, has too many digits or is too near the ends of the text.
///
/// Eight bytes at a time and without a branch that depends on the data. Where the cell ends is
/// found first, so that the processor starts on the next cell while it works on this one.
///
/// With at most 2^53 as its digits and at most 16 of them behind the mark, both the digits and the
/// power of ten are exactly an `f64`, and one correctly rounded division gives the nearest number
/// (W. D. Clinger, "How to read floating point numbers accurately", 1990).
#[inline(always)]
pub(crate) fn plain_number(
    text: &[u8],
    at: usize,
    delimiter: u8,
    mark: u8,
) -> Option<(f64, usize)> {
    let window: &[u8; BYTES_BEFORE + BYTES_AFTER] =
        text.get(at.checked_sub(BYTES_BEFORE)?..)?.first_chunk()?;
    let end = BYTES_BEFORE + first_of(window, delimiter);
    let negative = window[BYTES_BEFORE] == b'-';
    let start = BYTES_BEFORE + usize::from(negative);
    let first = load(window, start)?;
    // Digits before the mark, or before the end without a mark.
    let at_mark = matches(first, mark).trailing_zeros() as usize / 8;
    let whole = at_mark.min(end.checked_sub(start)?);
    let places = (end - start - whole).saturating_sub(1);
    // A cell of more than eight digits without a mark, or with a mark behind the eighth.
    if at_mark == 8 && (end - start > 7) || end == window.len() || places > 16 {
        return None;
    }
    let mut others = 0;
    let mut number = eight_digits(shifted_up(first, 8 - whole), whole, &mut others);
    if places > 8 {
        let count = places - 8;
        number = number.wrapping_mul(POWERS_OF_TEN[count]);
        number = number.wrapping_add(eight_digits(load(window, end - 16)?, count, &mut others));
        number = number.wrapping_mul(100_000_000);
        number = number.wrapping_add(eight_digits(load(window, end - 8)?, 8, &mut others));
    } else {
        number = number.wrapping_mul(POWERS_OF_TEN[places]);
        number = number.wrapping_add(eight_digits(load(window, end - 8)?, places, &mut others));
    }
    // Up to 19 digits do not overflow.
    let digits = whole + places;
    if others != 0 || digits == 0 || digits > 19 || number > 1 << 53 {
        return None;
    }
    let value = number as f64 / POWERS[places];
    // Without a branch, which could not be predicted.
    let value = f64::from_bits(value.to_bits() ^ u64::from(negative) << 63);
    Some((value, at + end - BYTES_BEFORE))
}

/// 10^0 to 10^8.
const POWERS_OF_TEN: [u64; 9] =
    [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// Eight bytes, the first one the lowest.
#[inline(always)]
fn load(window: &[u8; BYTES_BEFORE + BYTES_AFTER], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*window.get(at..)?.first_chunk()?))
}

/// The highest bit of each byte that is `byte`; bytes above the first such may be wrong.
#[inline(always)]
fn matches(bytes: u64, byte: u8) -> u64 {
    let zeros = bytes ^ u64::from_le_bytes([byte; 8]);
    zeros.wrapping_sub(0x0101_0101_0101_0101) & !zeros & 0x8080_8080_8080_8080
}

/// The offset of the first such byte from the start of the cell, or that of the end of the window.
#[inline(always)]
fn first_of(window: &[u8; BYTES_BEFORE + BYTES_AFTER], byte: u8) -> usize {
    // The eight highest bits of the bytes, side by side: a multiplication that moves each to its
    // place.
    let mask = |at: usize| {
        let found = load(window, BYTES_BEFORE + at).map_or(0, |bytes| matches(bytes, byte));
        (found >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
    };
    let mask = mask(0) | mask(8) << 8 | mask(16) << 16 | 1 << BYTES_AFTER;
    mask.trailing_zeros() as usize
}

/// Moves bytes up by a number of bytes, at most eight.
#[inline(always)]
fn shifted_up(bytes: u64, by: usize) -> u64 {
    // In two steps, because a shift by 64 bits is undefined.
    let half = 4 * by as u32;
    (bytes << half) << half
}

/// The number that the highest `count` bytes make, at most eight; sets a bit of `others` if a byte
/// is not a digit.
#[inline(always)]
fn eight_digits(bytes: u64, count: usize, others: &mut u64) -> u64 {
    // Digits become 0 to 9, bytes before them 0 as well.
    let digits = (bytes ^ 0x3030_3030_3030_3030) & shifted_up(u64::MAX, 8 - count);
    // A byte above 9 has a bit of its upper half set once 6 is added, or before.
    *others |= (digits | digits.wrapping_add(0x0606_0606_0606_0606)) & 0xf0f0_f0f0_f0f0_f0f0;
    // Pairs, fours, eights: no sum leaves its part.
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = pairs.wrapping_mul(100).wrapping_add(pairs >> 16) & 0x0000_ffff_0000_ffff;
    fours.wrapping_mul(10_000).wrapping_add(fours >> 32) & 0xffff_ffff
}

/// Parses a finite number with a decimal point; blanks around it are ignored.
pub fn parse_number(cell: &[u8]) -> Option<f64> {
    fast_float2::parse::<f64, _>(cell.trim_ascii()).ok().filter(|value| value.is_finite())
}

/// Parses a float with a decimal comma, finite or not. A point, which would separate thousands, is
/// refused.
pub(crate) fn parse_decimal_comma(cell: &[u8]) -> Option<f64> {
    /// The longest number, in bytes; people and programs write shorter ones.
    const LONGEST: usize = 64;
    let mut text = [0; LONGEST];
    let text = text.get_mut(..cell.len())?;
    for (byte, &given) in text.iter_mut().zip(cell) {
        *byte = match given {
            b'.' => return None,
            b',' => b'.',
            other => other,
        };
    }
    fast_float2::parse(&*text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_and_others() {
        for (cell, value) in [
            ("1", 1.0),
            (" -2.5 ", -2.5),
            ("+3e2", 300.0),
            (".5", 0.5),
            ("5.", 5.0),
            ("1e-400", 0.0),
            ("-0", 0.0),
        ] {
            assert_eq!(parse_number(cell.as_bytes()), Some(value), "{cell}");
        }
        for cell in ["", " ", "NA", "nan", "inf", "-Infinity", "1e400", "1,5", "1 2", "0x1", "1\0"]
        {
            assert_eq!(parse_number(cell.as_bytes()), None, "{cell}");
        }
        assert_eq!(parse_number(b"\xff1"), None);
    }

    proptest! {
        #[test]
        fn agrees_with_the_standard_library(value in any::<f64>()) {
            let expected = Some(value).filter(|value| value.is_finite());
            prop_assert_eq!(parse_number(value.to_string().as_bytes()), expected);
            prop_assert_eq!(parse_number(format!("{value:e}").as_bytes()), expected);
        }

        /// The fast parser gives the same bits as the standard library, or `None`, for digits with
        /// and without decimal places.
        #[test]
        fn plain_numbers_match_the_standard_library(
            sign in "-?",
            whole in "[0-9]{0,10}",
            places in prop::option::of("[0-9]{0,20}"),
            end in "[,;e\\n +]",
        ) {
            let point = places.as_ref().map(|places| format!(".{places}")).unwrap_or_default();
            let number = format!("{sign}{whole}{point}");
            let found = plain(&format!("{number},"), b'.');
            let few = whole.len() < 8 && places.iter().all(|places| places.len() + whole.len() <= 15);
            if let Some((value, after)) = found {
                prop_assert_eq!(after, number.len());
                prop_assert_eq!(value.to_bits(), number.parse::<f64>().unwrap().to_bits());
            } else {
                prop_assert!(!few || number.parse::<f64>().is_err(), "{}", number);
            }
            prop_assert_eq!(plain(&format!("{},", number.replace('.', "|")), b'|'), found);
            if end != "," {
                prop_assert_eq!(plain(&format!("{number}{end},"), b'.'), None);
            }
        }

        /// For any bytes, only numbers are read as numbers.
        #[test]
        fn plain_numbers_of_any_bytes(
            bytes in prop::collection::vec(any::<u8>(), 60),
            near in prop::collection::vec(prop::sample::select(b"0123456789.-+/:,,".to_vec()), 60),
            at in 0usize..60,
        ) {
            for bytes in [bytes, near] {
                if let Some((value, end)) = plain_number(&bytes, at, b',', b'.') {
                    prop_assert_eq!(bytes[end], b',');
                    prop_assert!(!bytes[at..end].contains(&b','));
                    prop_assert_eq!(Some(value), parse_number(&bytes[at..end]));
                }
            }
        }

        /// Numbers as they are written by programs.
        #[test]
        fn plain_numbers_as_written(value in -1e6..1e6f64, places in 0usize..17) {
            let number = format!("{value:.places$}");
            if let Some((found, end)) = plain(&format!("{number},"), b'.') {
                prop_assert_eq!(end, number.len());
                prop_assert_eq!(found.to_bits(), number.parse::<f64>().unwrap().to_bits());
            } else {
                prop_assert!(places > 8);
            }
        }
    }

    /// A number at the start of a text that goes on.
    fn plain(text: &str, mark: u8) -> Option<(f64, usize)> {
        let text = format!("{}{text}{}", "7".repeat(BYTES_BEFORE), "8".repeat(BYTES_AFTER));
        let found = plain_number(text.as_bytes(), BYTES_BEFORE, b',', mark);
        found.map(|(value, end)| (value, end - BYTES_BEFORE))
    }
}
