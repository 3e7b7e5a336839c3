//! Epsilon as an exact number.

use std::fmt;
use std::str::FromStr;

use num_rational::BigRational;
use num_traits::Signed;

use crate::error::{Error, Parameter, Result};
use crate::exact::{Exact, format_rational, near_f64, ratio};

/// A privacy budget: an exact positive rational, read from its decimal text without rounding.
///
/// ```
/// let epsilon: dpsis_mechanisms::Epsilon = "0.1".parse()?;
/// assert_eq!(epsilon.to_string(), "0.1");
/// assert_eq!("1/3".parse::<dpsis_mechanisms::Epsilon>()?.to_string(), "1/3");
/// assert!("0".parse::<dpsis_mechanisms::Epsilon>().is_err());
/// # Ok::<(), dpsis_mechanisms::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Epsilon(BigRational);

impl Epsilon {
    /// A part of a budget; the caller ensures that it is positive.
    pub fn part(value: BigRational) -> Self {
        debug_assert!(value.is_positive());
        Self(value)
    }

    /// The nearest `f64` or one adjacent to it: for display and planning, never for noise.
    pub fn to_f64(&self) -> f64 {
        near_f64(&self.0)
    }

    #[doc(hidden)]
    pub fn as_rational(&self) -> &BigRational {
        &self.0
    }
}

/// The exact budget of two releases together, by sequential composition.
impl std::ops::Add for Epsilon {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl FromStr for Epsilon {
    type Err = Error;

    /// Parses an integer, a decimal, a number with exponent, or `p/q`, from 1e-6 to 1e6.
    ///
    /// # Errors
    ///
    /// `Request` if the text is not such a number or out of range.
    fn from_str(text: &str) -> Result<Self> {
        Self::try_from(Exact::from(text))
    }
}

impl Epsilon {
    /// Checks the budget of a request.
    ///
    /// # Errors
    ///
    /// `Request` if it is not given, not a number or out of range.
    pub fn given(number: Option<Exact>) -> Result<Self> {
        let none = || Error::request("no epsilon is given").about([Parameter::Epsilon]);
        Self::try_from(number.ok_or_else(none)?)
    }
}

impl TryFrom<Exact> for Epsilon {
    type Error = Error;

    /// Accepts a number from 1e-6 to 1e6.
    ///
    /// # Errors
    ///
    /// `Request` if it is not a number or out of range.
    fn try_from(number: Exact) -> Result<Self> {
        let range = ratio(1, 1_000_000)..=ratio(1_000_000, 1);
        let wrong = match number.rational() {
            Some(value) if range.contains(&value) => return Ok(Self(value)),
            Some(_) => "epsilon must lie between 1e-6 and 1e6",
            None => "epsilon must be a number such as 2, 0.5, 1e-3 or 1/3",
        };
        Err(Error::request(wrong).about([Parameter::Epsilon]))
    }
}

impl From<Epsilon> for Exact {
    fn from(epsilon: Epsilon) -> Self {
        Self::of(epsilon.0)
    }
}

impl fmt::Display for Epsilon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format_rational(&self.0))
    }
}

impl serde::Serialize for Epsilon {
    fn serialize<S: serde::Serializer>(
        &self,
        serializer: S,
    ) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Reads the epsilon of a record, which may be a small part of a budget.
impl<'de> serde::Deserialize<'de> for Epsilon {
    fn deserialize<D: serde::Deserializer<'de>>(
        deserializer: D,
    ) -> std::result::Result<Self, D::Error> {
        let number = Exact::from(String::deserialize(deserializer)?).rational();
        let positive = number.filter(Signed::is_positive).map(Self);
        positive.ok_or_else(|| serde::de::Error::custom("epsilon must be a positive number"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_add_up_exactly() {
        let tenth = || "0.1".parse::<Epsilon>().unwrap();
        assert_eq!(tenth() + tenth() + tenth(), "0.3".parse().unwrap());
    }

    #[test]
    fn range_and_form_are_checked() {
        for text in ["1e-6", "1000000", "2", "17/10"] {
            assert!(text.parse::<Epsilon>().is_ok(), "{text}");
        }
        for text in ["0", "-1", "nan", "inf", "1e-7", "1000000.5", "", "two"] {
            assert!(text.parse::<Epsilon>().is_err(), "{text}");
        }
    }
}
