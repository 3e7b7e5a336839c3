//! Delta as an exact number.

use std::fmt;
use std::str::FromStr;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, Zero};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::error::{Error, Parameter, Result};
use crate::exact::{Exact, format_rational};

/// The delta of a guarantee: 0 for pure differential privacy, else the probability with which the
/// bound of epsilon may fail altogether, an exact number from 1e-100 to 1e-3.
///
/// It should be far below one over the number of rows: a release that prints a random row with a
/// probability of delta would have the guarantee too.
///
/// ```
/// use dpsis_mechanisms::Delta;
///
/// assert_eq!("0.000001".parse::<Delta>()?.to_string(), "1e-6");
/// assert!("0".parse::<Delta>()?.is_zero());
/// assert!("0.01".parse::<Delta>().is_err());
/// # Ok::<(), dpsis_mechanisms::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Delta(BigRational);

impl Delta {
    /// The delta of pure differential privacy.
    pub fn zero() -> Self {
        Self(BigRational::zero())
    }

    /// Whether the guarantee is pure.
    pub fn is_zero(&self) -> bool {
        self.0.is_zero()
    }

    /// Checks the delta of a request; 0, pure differential privacy, if it is not given.
    ///
    /// # Errors
    ///
    /// `Request` if it is not a number or out of range.
    pub fn given(number: Option<Exact>) -> Result<Self> {
        number.map_or_else(|| Ok(Self::zero()), Self::try_from)
    }

    /// Parses the sum of deltas; `None` if it is negative or not a number.
    pub fn sum(text: &str) -> Option<Self> {
        Exact::from(text).rational().filter(|sum| !sum.is_negative()).map(Self)
    }

    /// The exact number.
    pub fn as_rational(&self) -> &BigRational {
        &self.0
    }
}

/// The exact delta of two releases together, which may exceed that of a single one.
impl std::ops::Add for Delta {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl FromStr for Delta {
    type Err = Error;

    /// Parses 0, or a number such as 1e-6 from 1e-100 to 1e-3.
    ///
    /// # Errors
    ///
    /// `Request` if the text is not such a number or out of range.
    fn from_str(text: &str) -> Result<Self> {
        Self::try_from(Exact::from(text))
    }
}

impl TryFrom<Exact> for Delta {
    type Error = Error;

    /// Accepts 0, or a number from 1e-100 to 1e-3.
    ///
    /// # Errors
    ///
    /// `Request` if it is not a number or out of range.
    fn try_from(number: Exact) -> Result<Self> {
        let ends = [Exact::from("1e-100"), Exact::from("1e-3")].map(Exact::rational);
        match (number.rational(), ends) {
            (Some(value), [Some(low), Some(high)])
                if value.is_zero() || (low <= value && value <= high) =>
            {
                Ok(Self(value))
            }
            _ => {
                Err(Error::request("delta must be 0 or a number from 1e-100 to 1e-3, such as 1e-6")
                    .about([Parameter::Delta]))
            }
        }
    }
}

impl From<Delta> for Exact {
    fn from(delta: Delta) -> Self {
        Self::of(delta.0)
    }
}

/// Formats delta as a decimal number with an exponent if it has one: `2.5e-6`.
impl fmt::Display for Delta {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimal = |places: u32| {
            let scaled = &self.0 * BigInt::from(10).pow(places);
            scaled.is_integer().then(|| (scaled.to_integer().to_string(), places as usize))
        };
        match (1..=130).find_map(decimal) {
            // A sum of deltas may be 1 or more.
            Some((digits, places)) if !self.0.is_zero() && digits.len() <= places => {
                let (first, rest) = digits.split_at(1);
                let point = if rest.is_empty() { "" } else { "." };
                write!(f, "{first}{point}{rest}e-{}", places - rest.len())
            }
            _ => f.write_str(&format_rational(&self.0)),
        }
    }
}

impl Serialize for Delta {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Reads the delta of a record, which may be the sum of several.
impl<'de> Deserialize<'de> for Delta {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let number = Exact::from(String::deserialize(deserializer)?).rational();
        let number = number.filter(|number| !number.is_negative()).map(Self);
        number.ok_or_else(|| serde::de::Error::custom("delta must be a number from 0 on"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_is_exact() {
        for (text, shown) in [
            ("0", "0"),
            ("0.001", "1e-3"),
            ("0.00025", "2.5e-4"),
            ("123e-9", "1.23e-7"),
            ("1e-100", "1e-100"),
            ("1/3000", "1/3000"),
        ] {
            let delta: Delta = text.parse().unwrap();
            assert_eq!(delta.to_string(), shown);
            assert_eq!(shown.parse::<Delta>().unwrap(), delta);
        }
    }

    #[test]
    fn sums_may_exceed_one() {
        for text in ["1", "5.0000004", "0.25"] {
            let sum = Delta::sum(text).unwrap();
            assert_eq!(Delta::sum(&sum.to_string()).unwrap(), sum, "{sum}");
        }
        assert_eq!(Delta::sum("5.0000004").unwrap().to_string(), "5.0000004");
        assert!(Delta::sum("-1e-6").is_none());
    }

    #[test]
    fn range_and_form_are_checked() {
        for text in ["0", "1e-100", "1e-6", "1/1000"] {
            assert!(text.parse::<Delta>().is_ok(), "{text}");
        }
        for text in ["-1e-6", "1e-101", "0.0011", "1", "nan", ""] {
            assert!(text.parse::<Delta>().is_err(), "{text}");
        }
    }
}
