//! k rounds of permute-and-flip at eps/k among the candidates that are left.

use crate::support::laws::{flips, of_rounds};

/// The probability of each sequence; scores in units of the sensitivity.
pub(crate) fn law(x: &[f64], k: usize, eps: f64) -> Vec<f64> {
    of_rounds(x, k, eps / (2.0 * k as f64), flips)
}
