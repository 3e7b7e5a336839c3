//! The selection of all features that are beyond chance: those whose scores lie above a level that
//! features without an association are unlikely to reach.
//!
//! The counts that are released with a private center give the level: the one that the largest
//! score of all features without an association exceeds with probability at most alpha/2, whatever
//! the others are (see `estimate/verdict.md`, where strengths have noise of their own; scores have
//! none). The mechanism [`ThresholdSet`] then names features above it, with alpha/2 as its bound on
//! names at or below it. Scores, their sensitivity and the level are all at the center as it was
//! released: shrunk by its noise it would lift those features above the level more often.
//!
//! # False names
//!
//! Call a feature *null* if it has no association with the target, as the verdict does. Given the
//! counts and the level, the mechanism names a feature at or below the level with probability at
//! most alpha/2; but for alpha/2 all null features are there. So any null feature is named with
//! probability at most alpha (`fwer`). With the expected share of names at or below the level at
//! most alpha/2 (`fdr`), the expected share of null ones is at most alpha: it is at most 1 where
//! one lies above. The expected number of null names is not bounded: an error of the center lifts
//! all of them together.
//!
//! # Privacy
//!
//! The level is a function of released counts and of fresh random bits: given these, the mechanism
//! is epsilon-differentially private, and names nothing where the counts give no level.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::ToPrimitive;

use crate::error::{Error, Parameter, Result};
use crate::estimate::Counted;
use crate::exact::{format_rational, ratio};
use crate::mechanism::ThresholdSet;
use crate::random::Bits;
use crate::select::plan::Plan;
use crate::select::record::FalseNamesBound;
use crate::select::request::FalseNamesStated;
use crate::select::units::Units;

/// All features beyond chance, with a checked bound on false names.
pub(super) struct BeyondChance {
    pub(super) stated: FalseNamesStated,
    /// alpha/2
    half: BigRational,
}

/// The level above which features are named.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Level {
    /// In the unit of scores.
    score: i64,
    /// As a strength: a share of the largest score that is possible by the counts.
    pub(super) strength: f64,
}

impl BeyondChance {
    /// The bound, if alpha lies between 0.001 and 0.5: a smaller one takes very many draws for the
    /// level.
    pub(super) fn new(stated: &FalseNamesStated) -> Result<Self> {
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
    pub(super) fn in_percent(&self) -> String {
        format!("{}%", format_rational(&(&self.half * BigInt::from(200))))
    }

    /// The bound, for a record.
    pub(super) fn bound(&self) -> FalseNamesBound {
        let alpha = self.stated.alpha().to_string();
        FalseNamesBound { rate: self.stated.rate, alpha, at_most: self.stated.at_most }
    }

    /// The mechanism before the level is known.
    pub(super) fn mechanism(&self) -> ThresholdSet {
        ThresholdSet::of_none(self.half.clone(), self.stated.rate)
    }

    /// The mechanism above a level, of scores with this sensitivity; it names nothing if there is
    /// none.
    pub(super) fn above(&self, level: Option<Level>, sensitivity: u64) -> ThresholdSet {
        let in_sensitivities = |level: Level| {
            BigRational::new(BigInt::from(level.score), BigInt::from(sensitivity.max(1)))
        };
        let mechanism = self.mechanism();
        level.map_or(mechanism.clone(), |level| mechanism.above(in_sensitivities(level)))
    }

    /// The probability with which a feature without an association may lie above the level.
    pub(super) fn of_level(&self) -> f64 {
        self.half.to_f64().unwrap_or(0.0)
    }

    /// The level by these counts; `None` if they are too noisy to give one.
    pub(super) fn level(&self, plan: &Plan, counted: &Counted, bits: &Bits) -> Option<Level> {
        let units = Units::of(plan, counted)?;
        let test = plan.chance_test(counted.classes.clone(), counted.rate, 0.0);
        let rows = test.level(self.of_level(), bits)? * units.one_row;
        Some(Level {
            score: (rows * units.row).ceil() as i64,
            strength: rows / units.reach.largest(&counted.classes),
        })
    }
}
