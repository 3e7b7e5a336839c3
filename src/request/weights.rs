//! Public weights of features: which features are likely to be associated with the target, by
//! public knowledge.
//!
//! # Definition
//!
//! Of d features, feature j has the given weight w_j >= 0 (0 if none is given), and the prior
//!
//! ```text
//! p_j = u/d + (1 - u) w_j / (w_1 + ... + w_d),
//! ```
//!
//! with u the uniform share, 0.3 by default, so that wrong weights cost little. d p_j is rounded to
//! a power of 4, and the results are divided by their sum: these are the weights that are used.
//! Features with the same power are a *class*; the test of significance takes longer for each
//! class.
//!
//! # Use
//!
//! - With k, a score rises by 2 k Delta/eps ln(d p_j): the exponential mechanism in k rounds of
//!   eps/k then draws from p e^(eps/(2 k Delta) score).
//! - Without k, a score falls by the significance threshold of its class minus the smallest one.
//! - Significance is tested with unshifted scores, with the error probability alpha p_j for feature
//!   j instead of alpha/d (see `estimate/significance.md`).
//!
//! # Privacy
//!
//! Weights are public: they must not come from the table, nor from people in it. Then the shifts
//! are constants (without k, functions of released counts), and a shifted score changes as much as
//! the score.
//!
//! # Source
//!
//! C. Genovese, K. Roeder, L. Wasserman, "False Discovery Control with p-Value Weighting" (2006).

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use crate::error::{Error, Parameter, Result};
use crate::score::{LARGEST, Scores};
use crate::table::{Schema, read_weights};

/// The default uniform share.
const UNIFORM: f64 = 0.3;

/// The smallest uniform share.
const LEAST_UNIFORM: f64 = 0.01;

/// The largest weight: sums of many stay finite.
const LARGEST_WEIGHT: f64 = 1e100;

/// Public weights of features, by name: a weight of 2 stands for twice the probability, by public
/// knowledge, that the feature is associated with the target.
///
/// They must come from other data than the table, such as the literature or a public cohort, and
/// not from people in the table: the guarantee assumes so. Wrong weights cost findings, but neither
/// privacy nor the bound on false discoveries.
#[derive(Debug, Clone, PartialEq)]
pub struct Weights {
    of: Vec<(String, f64)>,
    uniform: f64,
}

impl Weights {
    /// Weights from 0 to 1e100 by the names of features; all other features have the weight 0.
    ///
    /// # Errors
    ///
    /// `Request` for a weight out of range, a name that occurs twice, or without a weight above 0.
    pub fn new<N: Into<String>>(weights: impl IntoIterator<Item = (N, f64)>) -> Result<Self> {
        let of: Vec<(String, f64)> =
            weights.into_iter().map(|(name, weight)| (name.into(), weight)).collect();
        let mut rows = HashMap::new();
        for ((name, weight), row) in of.iter().zip(1..) {
            if !(0.0..=LARGEST_WEIGHT).contains(weight) {
                return Err(refused("a weight is a number from 0 to 1e100").at_row(Some(row)));
            }
            if rows.insert(name.trim(), row).is_some() {
                return Err(refused("a feature has two weights").at_row(Some(row)));
            }
        }
        if !of.iter().any(|(_, weight)| *weight > 0.0) {
            return Err(refused("at least one weight must be above 0"));
        }
        Ok(Self { of, uniform: UNIFORM })
    }

    /// Reads a CSV file `feature,weight`.
    ///
    /// # Errors
    ///
    /// `Io` if it cannot be read; `Input` if it is malformed; as for [`new`](Self::new), with the
    /// row.
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let in_file = |error: Error| error.in_file(path.display().to_string());
        Self::new(read_weights(path)?).map_err(in_file)
    }

    /// Sets the uniform share of the prior, from 0.01 to 1 (default 0.3): the larger it is, the
    /// less both right and wrong weights matter.
    ///
    /// # Errors
    ///
    /// `Request` if it is out of range.
    pub fn uniform(self, share: f64) -> Result<Self> {
        if !(LEAST_UNIFORM..=1.0).contains(&share) {
            return Err(Error::request("the uniform share of weights lies from 0.01 to 1")
                .about([Parameter::WeightsUniform]));
        }
        Ok(Self { uniform: share, ..self })
    }

    /// The weights of the features of a table.
    ///
    /// # Errors
    ///
    /// `Request` if no feature of the table has a weight above 0.
    pub(crate) fn of_features(&self, schema: &Schema) -> Result<FeatureWeights> {
        let by_name: HashMap<&str, f64> =
            self.of.iter().map(|(name, weight)| (name.trim(), *weight)).collect();
        let weights: Vec<f64> = schema
            .feature_names()
            .map(|name| by_name.get(name.trim()).copied().unwrap_or(0.0))
            .collect();
        if !weights.iter().any(|weight| *weight > 0.0) {
            let rule = "no feature of the table has a weight above 0";
            return Err(refused(rule).hint("give the names of features as in the header"));
        }
        Ok(FeatureWeights::new(&weights, self.uniform))
    }

    /// The weights of a number of features without names: the largest ones are features.
    pub(crate) fn of_number(&self, features: usize) -> FeatureWeights {
        let mut weights: Vec<f64> = self.of.iter().map(|(_, weight)| *weight).collect();
        weights.sort_unstable_by(|a, b| b.total_cmp(a));
        weights.resize(features, 0.0);
        FeatureWeights::new(&weights, self.uniform)
    }
}

fn refused(rule: &str) -> Error {
    Error::request(rule).about([Parameter::Weights])
}

/// The weights of the features of a table, in classes of equal weight.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FeatureWeights {
    /// The class of each feature.
    class_of: Arc<[u8]>,
    /// The classes, by ascending weight.
    pub(crate) classes: Vec<WeightClass>,
    /// The number of features with a given weight above 0.
    pub(crate) given: usize,
    pub(crate) uniform: f64,
}

/// Features of the same weight.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct WeightClass {
    pub(crate) features: usize,
    /// One over the weight of each of them; without weights it would be the number of features.
    pub(crate) tests: f64,
}

impl FeatureWeights {
    /// At least one weight is above 0.
    fn new(weights: &[f64], uniform: f64) -> Self {
        let d = weights.len() as f64;
        let sum: f64 = weights.iter().sum();
        let power = |weight: &f64| {
            let prior = uniform / d + (1.0 - uniform) * weight / sum;
            2 * libm::round(libm::log2(d * prior) / 2.0) as i32
        };
        let powers: Vec<i32> = weights.iter().map(power).collect();
        let mut distinct = powers.clone();
        distinct.sort_unstable();
        distinct.dedup();
        let total: f64 = powers.iter().map(|power| libm::ldexp(1.0, *power)).sum();
        let class = |power: &i32| {
            let features = powers.iter().filter(|own| *own == power).count();
            WeightClass { features, tests: total / libm::ldexp(1.0, *power) }
        };
        let class_of = |power: &i32| distinct.partition_point(|other| other < power) as u8;
        Self {
            class_of: powers.iter().map(class_of).collect(),
            classes: distinct.iter().map(class).collect(),
            given: weights.iter().filter(|weight| **weight > 0.0).count(),
            uniform,
        }
    }

    /// The class of each feature.
    pub(crate) fn class_of(&self) -> &[u8] {
        &self.class_of
    }

    /// Scores plus a number of grid units for the class of each feature.
    pub(crate) fn shifted(scores: &Scores, class_of: &[u8], by: impl Fn(usize) -> f64) -> Scores {
        let units = |feature: usize| {
            let shift = by(usize::from(class_of[feature]));
            // The conversion is exact up to the limits, and NaN becomes 0.
            (shift.clamp(-(LARGEST as f64), LARGEST as f64)) as i64
        };
        scores.shifted(units)
    }

    /// ln(d p) of a class, minus that of the class of the smallest weight.
    pub(crate) fn ln_ratio(&self, class: usize) -> f64 {
        libm::log(self.classes[0].tests / self.classes[class].tests)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(weights: &[f64]) -> Result<Weights> {
        Weights::new(weights.iter().enumerate().map(|(i, weight)| (format!("g{i}"), *weight)))
    }

    /// Two of eight features share the weight: 0.3/8 for each, and 0.35 more for the two.
    #[test]
    fn the_prior_is_rounded_to_powers_of_four() {
        let weights = named(&[5.0, 5.0]).unwrap().of_number(8);
        // 8 p is 0.3 and 3.1: 1/4 and 4; their sum over all features is 9.5.
        let classes = [(6, 9.5 * 4.0), (2, 9.5 / 4.0)];
        let classes = classes.map(|(features, tests)| WeightClass { features, tests });
        assert_eq!(weights.classes, classes);
        assert_eq!(weights.class_of(), [1, 1, 0, 0, 0, 0, 0, 0]);
        assert_eq!((weights.given, weights.uniform), (2, 0.3));
        assert!((weights.ln_ratio(1) - 16f64.ln()).abs() < 1e-12);
    }

    /// The error probabilities of all features add up to alpha.
    #[test]
    fn weights_add_up_to_one() {
        for d in [1usize, 7, 1000] {
            for uniform in [0.01, 0.3, 1.0] {
                let given: Vec<f64> = (0..d).map(|i| libm::exp(i as f64 / 50.0)).collect();
                let weights = named(&given).unwrap().uniform(uniform).unwrap().of_number(d);
                let sum = |class: &WeightClass| class.features as f64 / class.tests;
                let sum: f64 = weights.classes.iter().map(sum).sum();
                assert!((sum - 1.0).abs() < 1e-12, "{d} {uniform}: {sum}");
                let features: usize = weights.classes.iter().map(|class| class.features).sum();
                assert_eq!(features, d);
                assert!(uniform < 1.0 || weights.classes[0].tests == d as f64);
            }
        }
    }

    #[test]
    fn wrong_weights_are_refused() {
        for wrong in [&[-1.0][..], &[f64::NAN], &[f64::INFINITY], &[0.0, 0.0], &[]] {
            assert!(named(wrong).is_err(), "{wrong:?}");
        }
        assert!(Weights::new([("a", 1.0), (" a", 2.0)]).is_err());
        for uniform in [0.0, -1.0, 1.1, f64::NAN] {
            assert!(named(&[1.0]).unwrap().uniform(uniform).is_err(), "{uniform}");
        }
    }

    /// Shifts are limited to the range of scores, in which a shifted score moves by as much as the
    /// score, or less.
    #[test]
    fn shifts_are_limited() {
        use crate::privacy::Neighbors;

        let scores = |values: Vec<i64>| Scores::new(values, 1, Neighbors::AddRemove).unwrap();
        let largest = LARGEST as i64;
        for shift in [0.0, 3.7, -3.7, 1e300, f64::NEG_INFINITY, f64::NAN] {
            let of =
                |value| FeatureWeights::shifted(&scores(vec![value]), &[0], |_| shift).values()[0];
            for value in [0, 5, largest - 1] {
                assert!(
                    of(value).abs() <= largest && (0..=1).contains(&(of(value + 1) - of(value)))
                );
            }
        }
    }
}
