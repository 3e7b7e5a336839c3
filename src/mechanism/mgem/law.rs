//! As GEM, with the opposite sign of t.

use crate::mechanism::gem::law::{BETA, of_charge};

/// The probability of each candidate, with the default beta; scores and sensitivities in the same unit.
pub(crate) fn law(q: &[f64], d: &[f64], eps: f64) -> Vec<f64> {
    of_charge(q, d, eps, BETA, -1.0)
}
