//! Cells as numbers.

/// How cells are written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct CellFormat {
    /// Whether `3,5` means three and a half.
    pub(crate) decimal_comma: bool,
    /// Texts that stand for a missing value.
    pub(crate) missing: Vec<String>,
}

impl CellFormat {
    /// A finite number, or `None`: missing, empty, text, NaN, infinite (also 1e400), not UTF-8, NUL.
    #[inline]
    pub(crate) fn number(&self, cell: &[u8]) -> Option<f64> {
        if self.is_missing(cell) {
            return None;
        }
        if self.decimal_comma {
            return parse_decimal_comma(cell);
        }
        parse_number(cell)
    }

    /// What stands before the places of a number.
    pub(crate) fn mark(&self) -> u8 {
        if self.decimal_comma { b',' } else { b'.' }
    }

    /// Whether the cell holds a code for a missing value.
    #[inline]
    pub(crate) fn is_missing(&self, cell: &[u8]) -> bool {
        !self.missing.is_empty()
            && self.missing.iter().any(|code| code.as_bytes() == cell.trim_ascii())
    }
}

/// Powers of ten that are exactly an `f64`.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// The longest number that [`plain_number`] looks at, with room to read eight bytes at any place.
const WINDOW: usize = 32;

/// A number such as `-12.3456` that starts at a place of a text, and the place after it: the same `f64`
/// as [`parse_number`] makes of it. `None` for what is written in another way, has too many digits or
/// stands too near the end of the text; what follows the number is for the caller to look at.
///
/// With at most 2^53 as its digits and at most 22 of them after the mark, both the digits and the power
/// of ten are exactly an `f64`, and one correctly rounded division gives the nearest number (W. D.
/// Clinger, "How to read floating point numbers accurately", 1990).
#[inline(always)]
pub(crate) fn plain_number(text: &[u8], at: usize, mark: u8) -> Option<(f64, usize)> {
    let window: &[u8; WINDOW] = text.get(at..)?.first_chunk()?;
    let negative = window[0] == b'-';
    let start = usize::from(negative);
    let (mut digits, whole) = leading_digits(window, start)?;
    let mut end = start + whole;
    let mut places = 0;
    if whole == 8 {
        return None;
    }
    if window[end] == mark {
        end += 1;
        let (first, count) = leading_digits(window, end)?;
        digits = digits * POWERS_OF_TEN[count] + first;
        (places, end) = (count, end + count);
        if count == 8 {
            // At most 19 digits in all: they fit.
            let (second, count) = leading_digits(window, end)?;
            if count == 8 || whole + count > 11 {
                return None;
            }
            digits = digits * POWERS_OF_TEN[count] + second;
            (places, end) = (places + count, end + count);
        }
    }
    if whole + places == 0 || digits > 1 << 53 {
        return None;
    }
    let value = digits as f64 / POWERS[places];
    Some((if negative { -value } else { value }, at + end))
}

/// 10^0 to 10^8.
const POWERS_OF_TEN: [u64; 9] =
    [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// The number that the digits at a place make, at most eight, and how many they are.
#[inline(always)]
fn leading_digits(window: &[u8; WINDOW], at: usize) -> Option<(u64, usize)> {
    const ZEROS: u64 = u64::from_le_bytes([b'0'; 8]);
    let bytes = u64::from_le_bytes(*window.get(at..)?.first_chunk()?);
    // The first digit is the lowest byte. Digits become 0 to 9; a byte above has a bit of its upper half
    // set once 0x76 is added, without a carry to the next.
    let offsets = bytes ^ ZEROS;
    let others = (((offsets & 0x7f7f_7f7f_7f7f_7f7f) + 0x7676_7676_7676_7676) | offsets)
        & 0x8080_8080_8080_8080;
    let count = others.trailing_zeros() as usize / 8;
    // Behind zeros in front, in two halves because a shift by 64 is none.
    let half = 4 * (8 - count as u32);
    let digits = (offsets << half) << half;
    // Pairs, fours, eights: no sum leaves its part.
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = pairs.wrapping_mul(100).wrapping_add(pairs >> 16) & 0x0000_ffff_0000_ffff;
    let eight = fours.wrapping_mul(10_000).wrapping_add(fours >> 32) & 0xffff_ffff;
    Some((eight, count))
}

/// A finite number with a decimal point, blanks around it aside.
pub(crate) fn parse_number(cell: &[u8]) -> Option<f64> {
    fast_float2::parse::<f64, _>(cell.trim_ascii()).ok().filter(|value| value.is_finite())
}

/// A point would be a separator of thousands, and is refused.
fn parse_decimal_comma(cell: &[u8]) -> Option<f64> {
    /// Longer than any number people or programs write.
    const LONGEST: usize = 64;
    let cell = cell.trim_ascii();
    let mut text = [0; LONGEST];
    let text = text.get_mut(..cell.len())?;
    for (byte, &given) in text.iter_mut().zip(cell) {
        *byte = match given {
            b'.' => return None,
            b',' => b'.',
            other => other,
        };
    }
    parse_number(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_and_what_is_missing() {
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

    #[test]
    fn decimal_commas() {
        let format = CellFormat { decimal_comma: true, missing: vec![] };
        assert_eq!(format.number(b" -3,25 "), Some(-3.25));
        assert_eq!(format.number(b"17"), Some(17.0));
        for cell in [&b"1.234,5"[..], b"3.5", b"1,2,3", &[b'1'; 100]] {
            assert_eq!(format.number(cell), None);
        }
    }

    #[test]
    fn codes_for_missing_values() {
        let missing = vec!["-999".to_owned(), "?".to_owned()];
        let format = CellFormat { decimal_comma: false, missing };
        assert_eq!(format.number(b" -999 "), None);
        assert_eq!(format.number(b"-999.0"), Some(-999.0));
        assert!(format.is_missing(b"?") && !format.is_missing(b""));
    }

    proptest! {
        #[test]
        fn agrees_with_the_standard_library(value in any::<f64>()) {
            let expected = Some(value).filter(|value| value.is_finite());
            prop_assert_eq!(parse_number(value.to_string().as_bytes()), expected);
            prop_assert_eq!(parse_number(format!("{value:e}").as_bytes()), expected);
        }

        /// Digits with and without places, in the quick way: the bits of the standard library, or none.
        #[test]
        fn plain_numbers_are_the_standard_librarys(
            sign in "-?",
            whole in "[0-9]{0,10}",
            places in prop::option::of("[0-9]{0,20}"),
            end in "[,;e\n +]",
        ) {
            let point = places.as_ref().map(|places| format!(".{places}")).unwrap_or_default();
            let number = format!("{sign}{whole}{point}");
            let text = format!("x{number}{end}{}", "7".repeat(40));
            let found = plain_number(text.as_bytes(), 1, b'.');
            let few = whole.len() < 8 && places.iter().all(|places| places.len() + whole.len() <= 15);
            if let Some((value, after)) = found {
                prop_assert_eq!(after, 1 + number.len());
                prop_assert_eq!(value.to_bits(), number.parse::<f64>().unwrap().to_bits());
            } else {
                prop_assert!(!few || number.parse::<f64>().is_err(), "{}", text);
            }
            let comma = text.replace('.', "|");
            prop_assert_eq!(plain_number(comma.as_bytes(), 1, b'|'), found);
        }

        /// Any bytes: nothing but a number is one.
        #[test]
        fn plain_numbers_of_any_bytes(bytes in prop::collection::vec(any::<u8>(), 40)) {
            if let Some((value, end)) = plain_number(&bytes, 0, b'.') {
                prop_assert_eq!(Some(value), parse_number(&bytes[..end]));
            }
        }

        /// Numbers as they are written by programs.
        #[test]
        fn plain_numbers_as_written(value in -1e6..1e6f64, places in 0usize..17) {
            let number = format!("{value:.places$}");
            let text = format!("{number},{}", "0".repeat(40));
            if let Some((found, end)) = plain_number(text.as_bytes(), 0, b'.') {
                prop_assert_eq!(end, number.len());
                prop_assert_eq!(found.to_bits(), number.parse::<f64>().unwrap().to_bits());
            } else {
                prop_assert!(places > 8);
            }
        }
    }
}
