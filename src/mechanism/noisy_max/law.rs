//! The candidate with the largest of x_i + Z_i, the Z_i independent of rate eps/2: exponential noise has the law
//! of `pnf`, Gumbel noise that of `em`; Laplace noise needs an integral.

use crate::support::laws::laplace_noise;

/// Laplace noise: the probability of each candidate; scores in units of the sensitivity.
pub(crate) fn laplace(x: &[f64], _: usize, eps: f64) -> Vec<f64> {
    laplace_noise(x, 1, eps / 2.0)
}
