//! Cells as numbers.

/// A finite number, or `None`: empty, text, NaN, infinite (also 1e400), not UTF-8, NUL.
pub(crate) fn parse_number(cell: &[u8]) -> Option<f64> {
    fast_float2::parse::<f64, _>(cell.trim_ascii()).ok().filter(|value| value.is_finite())
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

    proptest! {
        #[test]
        fn agrees_with_the_standard_library(value in any::<f64>()) {
            let expected = Some(value).filter(|value| value.is_finite());
            prop_assert_eq!(parse_number(value.to_string().as_bytes()), expected);
            prop_assert_eq!(parse_number(format!("{value:e}").as_bytes()), expected);
        }
    }
}
