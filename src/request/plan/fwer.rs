//! The plan of a selection of all significant features: its bound on false discoveries.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::ToPrimitive;

use crate::error::{Error, Parameter, Result};
use crate::exact::{format_rational, ratio};
use crate::request::fields::FwerOptions;
use crate::request::plan::used::FalseDiscoveryBound;

/// All significant features, with a checked bound on false discoveries.
pub(crate) struct FwerControl {
    pub(crate) given: FwerOptions,
    /// alpha/2
    half: BigRational,
}

impl FwerControl {
    /// The bound, if alpha lies between 0.001 and 0.5: for a smaller alpha the threshold needs very
    /// many draws.
    pub(crate) fn new(given: &FwerOptions) -> Result<Self> {
        let possible = |alpha: &BigRational| *alpha >= ratio(1, 1000) && *alpha <= ratio(1, 2);
        let Some(alpha) = given.alpha().rational().filter(possible) else {
            let rule = "a bound on false discoveries must be a number from 0.001 to 0.5";
            return Err(Error::request(rule).about([Parameter::Fwer]));
        };
        if given.at_most == Some(0) {
            let rule = "the largest number of names must be at least 1";
            return Err(Error::request(rule).about([Parameter::AtMost]));
        }
        Ok(Self { given: given.clone(), half: alpha / BigInt::from(2) })
    }

    /// alpha, in percent.
    pub(crate) fn in_percent(&self) -> String {
        format!("{}%", format_rational(&(&self.half * BigInt::from(200))))
    }

    /// The bound, for a record.
    pub(crate) fn bound(&self) -> FalseDiscoveryBound {
        FalseDiscoveryBound { fwer: self.given.alpha().to_string(), at_most: self.given.at_most }
    }

    /// alpha/2: the probability with which a null feature may exceed the significance threshold,
    /// and the probability with which noise may exceed its own.
    pub(crate) fn half(&self) -> f64 {
        self.half.to_f64().unwrap_or(0.0)
    }
}
