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

    /// Whether the cell holds a code for a missing value.
    #[inline]
    pub(crate) fn is_missing(&self, cell: &[u8]) -> bool {
        !self.missing.is_empty()
            && self.missing.iter().any(|code| code.as_bytes() == cell.trim_ascii())
    }
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
    }
}
