//! Exact numbers as parameters of the interface.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive};

use super::rational::{format_rational, parse_rational, ratio};

/// An exact rational number: a budget, a share, a parameter of a mechanism.
///
/// Made from text (`"2"`, `"0.1"`, `"1e-3"`, `"1/3"`), an integer, a ratio `(1, 3)`, or an `f64`,
/// which is read as its shortest decimal representation: `0.1` is 1/10. A value that is not a
/// number is rejected when the request that uses it is checked.
///
/// ```
/// use dpsis_mechanisms::{Epsilon, Exact};
///
/// assert_eq!(Exact::from(0.1), Exact::from("1/10"));
/// assert_eq!(Exact::from((1, 3)), Exact::from("1/3"));
/// assert!(Epsilon::try_from(Exact::from(f64::NAN)).is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exact(Option<BigRational>);

impl Exact {
    /// Wraps a rational.
    pub fn of(value: BigRational) -> Self {
        Self(Some(value))
    }

    /// The rational; `None` if the value is not a number.
    pub fn rational(self) -> Option<BigRational> {
        self.0
    }
}

impl std::fmt::Display for Exact {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.0 {
            Some(value) => f.write_str(&format_rational(value)),
            None => f.write_str("no number"),
        }
    }
}

impl From<&str> for Exact {
    fn from(text: &str) -> Self {
        Self(parse_rational(text))
    }
}

impl From<String> for Exact {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

impl From<&String> for Exact {
    fn from(text: &String) -> Self {
        Self::from(text.as_str())
    }
}

impl From<f64> for Exact {
    fn from(value: f64) -> Self {
        // Exponent notation keeps the text of very large and very small numbers short.
        if value.is_finite() { Self::from(format!("{value:e}")) } else { Self(None) }
    }
}

/// A ratio; it is not a number if the denominator is 0.
impl From<(i64, i64)> for Exact {
    fn from((numerator, denominator): (i64, i64)) -> Self {
        Self((denominator != 0).then(|| ratio(numerator, denominator)))
    }
}

macro_rules! from_integers {
    ($($integer:ty),*) => {$(
        impl From<$integer> for Exact {
            fn from(value: $integer) -> Self {
                Self(Some(BigRational::from_integer(value.into())))
            }
        }
    )*};
}

from_integers!(i32, u32, i64, u64, usize);

/// The nearest 64-bit integer.
pub fn saturating_i64(value: &BigInt) -> i64 {
    value.to_i64().unwrap_or(if value.is_negative() { i64::MIN } else { i64::MAX })
}

/// The largest number with four digits that is at most a positive one.
pub fn four_digits_down(number: f64) -> Exact {
    let exponent = libm::log10(number).floor() as i32 - 3;
    let digits = (number / libm::pow(10.0, exponent.into())).floor();
    Exact::from(format!("{digits:.0}e{exponent}"))
}

/// A number of rows or an epsilon rounded up to two digits.
pub fn two_digits(value: f64) -> String {
    let scale = libm::pow(10.0, libm::log10(value).floor() - 1.0);
    let rounded = (value / scale).ceil() * scale;
    if rounded >= 10.0 { format!("{rounded:.0}") } else { format!("{rounded:.1}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_their_shortest_decimal_text() {
        for (value, text) in [
            (0.1, "0.1"),
            (2.0, "2"),
            (1e-3, "0.001"),
            (0.1 + 0.2, "0.30000000000000004"),
            (-0.5, "-0.5"),
        ] {
            assert_eq!(Exact::from(value), Exact::from(text), "{text}");
        }
        assert_eq!(Exact::from(1e22).rational(), Exact::from("1e22").rational());
        for none in [Exact::from(f64::NAN), Exact::from(f64::INFINITY), Exact::from((1, 0))] {
            assert_eq!(none.rational(), None);
        }
        assert_eq!(Exact::from("two").rational(), None);
    }

    #[test]
    fn integers_and_ratios() {
        assert_eq!(Exact::from(2), Exact::from("2"));
        assert_eq!(Exact::from(2usize), Exact::from(2u64));
        assert_eq!(Exact::from((2, -6)), Exact::from("-1/3"));
    }
}
