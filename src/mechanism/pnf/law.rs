//! Candidates in a random order, each accepted with probability e^(-eps/2 (max x - x_i)); the first accepted
//! one is the choice.

use crate::support::laws::{flips, of_one};

/// The probability of each candidate; scores in units of the sensitivity.
pub(crate) fn law(x: &[f64], _: usize, eps: f64) -> Vec<f64> {
    of_one(x, eps / 2.0, flips)
}
