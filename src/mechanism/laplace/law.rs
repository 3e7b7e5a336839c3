//! The k largest, in order, of scores with independent Laplace noise of rate eps/(2k).

use crate::support::laws::laplace_noise;

/// The probability of each sequence, k <= 2; scores in units of the sensitivity.
pub(crate) fn law(x: &[f64], k: usize, eps: f64) -> Vec<f64> {
    laplace_noise(x, k, eps / (2.0 * k as f64))
}
