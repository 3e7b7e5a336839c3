//! The plan of a selection of all features beyond chance: its bound on false names.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::ToPrimitive;

use crate::error::{Error, Parameter, Result};
use crate::exact::{format_rational, ratio};
use crate::request::fields::FalseNamesStated;
use crate::request::plan::used::FalseNamesBound;

/// All features beyond chance, with a checked bound on false names.
pub(crate) struct BeyondChance {
    pub(crate) stated: FalseNamesStated,
    /// alpha/2
    half: BigRational,
}

impl BeyondChance {
    /// The bound, if alpha lies between 0.001 and 0.5: a smaller one takes very many draws for the
    /// level.
    pub(crate) fn new(stated: &FalseNamesStated) -> Result<Self> {
        let possible = |alpha: &BigRational| *alpha >= ratio(1, 1000) && *alpha <= ratio(1, 2);
        let Some(alpha) = stated.alpha().rational().filter(possible) else {
            let rule = "a bound on false names must be a number from 0.001 to 0.5";
            return Err(Error::request(rule).about([Parameter::FalseNames]));
        };
        if stated.at_most == Some(0) {
            let rule = "the largest number of names must be at least 1";
            return Err(Error::request(rule).about([Parameter::AtMost]));
        }
        Ok(Self { stated: stated.clone(), half: alpha / BigInt::from(2) })
    }

    /// alpha, in percent.
    pub(crate) fn in_percent(&self) -> String {
        format!("{}%", format_rational(&(&self.half * BigInt::from(200))))
    }

    /// The bound, for a record.
    pub(crate) fn bound(&self) -> FalseNamesBound {
        FalseNamesBound { fwer: self.stated.alpha().to_string(), at_most: self.stated.at_most }
    }

    /// alpha/2: the probability with which a feature without an association may lie above the level
    /// of chance, and that with which noise may exceed its own.
    pub(crate) fn half(&self) -> f64 {
        self.half.to_f64().unwrap_or(0.0)
    }
}
