//! P(i) proportional to e^(eps/2 x_i).

use crate::support::laws::{exponential, of_one};

/// The probability of each candidate; scores in units of the sensitivity.
pub(crate) fn law(x: &[f64], _: usize, eps: f64) -> Vec<f64> {
    of_one(x, eps / 2.0, exponential)
}
