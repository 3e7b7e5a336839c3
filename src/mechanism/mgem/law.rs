//! As GEM, with the opposite sign of t.

use crate::mechanism::gem::law::of_charge;

/// The probability of each candidate; scores and sensitivities in the same unit.
pub(crate) fn law(q: &[f64], d: &[f64], eps: f64, beta: f64) -> Vec<f64> {
    of_charge(q, d, eps, beta, -1.0)
}
