//! Parsing and formatting of exact rationals.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Pow, Signed, ToPrimitive, Zero};

/// The longest text parsed as a number, in bytes: ample for any option, short enough to parse fast.
const MAX_LENGTH: usize = 64;

/// The largest decimal exponent parsed, beyond the range of every quantity in this crate.
const MAX_EXPONENT: u32 = 400;

/// `numerator / denominator` for small integers.
///
/// The denominator must not be zero.
pub fn ratio(numerator: i64, denominator: i64) -> BigRational {
    BigRational::new(numerator.into(), denominator.into())
}

/// An `f64` near a rational: within a relative error of 2^-52 for magnitudes from 1e-300 to 1e300,
/// and within 1e-300 below.
pub fn near_f64(value: &BigRational) -> f64 {
    value.to_f64().unwrap_or(f64::NAN)
}

/// Parses `3`, `-0.25`, `1e-3`, `2.5E2` or `17/10` without rounding; `None` for any other text.
pub fn parse_rational(text: &str) -> Option<BigRational> {
    let text = text.trim();
    if text.len() > MAX_LENGTH {
        return None;
    }
    match text.split_once('/') {
        Some((numerator, denominator)) => {
            let (numerator, denominator) = (parse_decimal(numerator)?, parse_decimal(denominator)?);
            (!denominator.is_zero()).then(|| numerator / denominator)
        }
        None => parse_decimal(text),
    }
}

/// A decimal number: digits times a power of ten, without trailing zeros.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decimal {
    /// The digits, with the sign.
    pub digits: BigInt,
    /// The power of ten.
    pub exponent: i32,
}

impl Decimal {
    /// Parses `3`, `-0.25`, `1e-3` without rounding; `None` for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.len() > MAX_LENGTH {
            return None;
        }
        let mut value = parse_decimal_parts(text)?;
        if value.digits.is_zero() {
            value.exponent = 0;
            return Some(value);
        }
        let ten = BigInt::from(10);
        while (&value.digits % &ten).is_zero() {
            value.digits /= &ten;
            value.exponent += 1;
        }
        Some(value)
    }
}

impl std::fmt::Display for Decimal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let value = BigRational::from(self.digits.clone()) * power_of_ten(self.exponent);
        f.write_str(&format_rational(&value))
    }
}

fn parse_decimal(text: &str) -> Option<BigRational> {
    let Decimal { digits, exponent } = parse_decimal_parts(text)?;
    Some(BigRational::from(digits) * power_of_ten(exponent))
}

fn parse_decimal_parts(text: &str) -> Option<Decimal> {
    let (negative, unsigned) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, parse_exponent(exponent)?),
        None => (unsigned, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let magnitude = digits.parse::<BigInt>().ok()?;
    let digits = if negative { -magnitude } else { magnitude };
    Some(Decimal { digits, exponent: exponent - fraction.len() as i32 })
}

fn parse_exponent(text: &str) -> Option<i32> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let exponent: i32 = text.parse().ok()?;
    (exponent.unsigned_abs() <= MAX_EXPONENT).then_some(exponent)
}

fn power_of_ten(exponent: i32) -> BigRational {
    let power = BigRational::from(BigInt::from(10).pow(exponent.unsigned_abs()));
    if exponent < 0 { power.recip() } else { power }
}

/// Formats a rational as a finite decimal if it has one of at most 20 places, else as `p/q`.
pub fn format_rational(value: &BigRational) -> String {
    let mut denominator = value.denom().clone();
    let mut counts = [0usize; 2];
    for (prime, count) in [2u32, 5].into_iter().zip(&mut counts) {
        while (&denominator % prime).is_zero() {
            denominator /= prime;
            *count += 1;
        }
    }
    let places = counts[0].max(counts[1]);
    if !denominator.is_one() || places > 20 {
        return value.to_string();
    }
    let scaled = (value * BigInt::from(10).pow(places)).to_integer();
    let digits = format!("{:0>width$}", scaled.abs(), width = places + 1);
    let (whole, fraction) = digits.split_at(digits.len() - places);
    let sign = if scaled.is_negative() { "-" } else { "" };
    if places == 0 { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_decimals_exactly() {
        for (text, numerator, denominator) in [
            ("2", 2, 1),
            ("0.1", 1, 10),
            (".5", 1, 2),
            ("5.", 5, 1),
            ("1e-3", 1, 1000),
            ("2.5E2", 250, 1),
            ("-0.25", -1, 4),
            ("+17/10", 17, 10),
            ("0.3/0.6", 1, 2),
        ] {
            assert_eq!(parse_rational(text), Some(ratio(numerator, denominator)), "{text}");
        }
    }

    #[test]
    fn refuses_other_texts() {
        for text in
            ["", ".", "-", "e5", "1e", "1e5000", "1/0", "1/", "nan", "inf", "1_000", "0x10", "1 2"]
        {
            assert_eq!(parse_rational(text), None, "{text}");
        }
        let longest = "1".repeat(MAX_LENGTH);
        assert!(parse_rational(&longest).is_some() && Decimal::parse(&longest).is_some());
        let longer = longest + "1";
        assert_eq!((parse_rational(&longer), Decimal::parse(&longer)), (None, None));
    }

    #[test]
    fn writes_decimals_where_finite() {
        for (value, text) in [
            (ratio(17, 10), "1.7"),
            (ratio(1, 3), "1/3"),
            (ratio(-1, 8), "-0.125"),
            (ratio(2, 1), "2"),
            (ratio(1, 1000), "0.001"),
            (ratio(-22, 7), "-22/7"),
        ] {
            assert_eq!(format_rational(&value), text);
        }
        let places = |places: u32| format_rational(&power_of_ten(-(places as i32)));
        assert_eq!(places(20), "0.00000000000000000001");
        assert_eq!(places(21), "1/1000000000000000000000");
    }

    proptest! {
        /// |near_f64(x) - x| <= 2^-52 x, compared exactly.
        #[test]
        fn conversions_keep_one_ulp(
            numerator in 1i64..i64::MAX,
            denominator in 1i64..i64::MAX,
            shift in 0u32..300,
        ) {
            let value = BigRational::new(numerator.into(), BigInt::from(denominator) << shift);
            let near = BigRational::from_float(near_f64(&value)).unwrap();
            prop_assert!((near - &value).abs() * BigInt::from(1u64 << 52) <= value);
        }

        #[test]
        fn text_round_trips(numerator in any::<i64>(), denominator in 1i64..1_000_000) {
            let value = ratio(numerator, denominator);
            prop_assert_eq!(parse_rational(&format_rational(&value)), Some(value));
        }
    }
}
