//! As random stopping, with a truncated negative binomial number of looks.

use crate::mechanism::rs::law::looks;

/// The probability of each candidate; scores and sensitivities in the same unit.
pub(crate) fn law(q: &[f64], d: &[f64], eps: f64, eta: f64, stop: f64) -> Vec<f64> {
    looks(q, d, eps / (2.0 + eta), slope(eta, stop))
}

/// G' of the truncated negative binomial distribution, gamma being the probability of stopping.
pub(crate) fn slope(eta: f64, gamma: f64) -> impl Fn(f64) -> f64 {
    move |s: f64| {
        let base = 1.0 - (1.0 - gamma) * s;
        if eta == 0.0 {
            (1.0 - gamma) / (base * -gamma.ln())
        } else {
            eta * (1.0 - gamma) * base.powf(-eta - 1.0) / (gamma.powf(-eta) - 1.0)
        }
    }
}
