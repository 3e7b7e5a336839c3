//! The noise of the mechanisms in closed form: theorem 4.1 and the harmonic numbers of "Feature
//! Selection from Differentially Private Correlations".
//!
//! - Theorem 4.1: `canonical` selects exactly the k best with probability at least 1 - C(d,k)
//!   e^(-xi gamma eps/2) if the k-th best score exceeds the next by xi sensitivities.
//! - Theorem A.3: the largest of m standard exponential numbers is the harmonic number H_m on
//!   average. The noise of `canonical` on a score is 2/eps times such a number for each of C(d,k)
//!   sets, in units of the sensitivity; that of `peel` 2k/eps for each of d candidates.

use dpsis::internals::{EULER, harmonic, ln_binomial};

/// The gap xi, in units of the sensitivity, from which on theorem 4.1 promises the k best with this
/// probability.
pub(super) fn theorem_gap(d: usize, k: usize, gamma: f64, epsilon: f64, probability: f64) -> f64 {
    2.0 * (ln_binomial(d, k) - (1.0 - probability).ln()) / (gamma * epsilon)
}

/// The average of the largest noise of `canonical` on a score, in units of the sensitivity.
pub(super) fn largest_of_sets(d: usize, k: usize, epsilon: f64) -> f64 {
    2.0 / epsilon * harmonic_of(ln_binomial(d, k))
}

/// The average of the largest noise of one round of `peel` on a score, in units of the sensitivity.
pub(super) fn largest_of_a_round(d: usize, k: usize, epsilon: f64) -> f64 {
    2.0 * k as f64 / epsilon * harmonic(d as f64)
}

/// H_m by ln m, for m that may be beyond the range of floats.
fn harmonic_of(ln_m: f64) -> f64 {
    if ln_m < 30.0 { harmonic(ln_m.exp().round()) } else { ln_m + EULER }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_by_hand() {
        // C(4, 2) = 6: H_6 = 2.45.
        assert!((largest_of_sets(4, 2, 2.0) - 2.45).abs() < 1e-12);
        // H_4 = 25/12, scale 2.
        assert!((largest_of_a_round(4, 2, 2.0) - 25.0 / 6.0).abs() < 1e-12);
        // 1 - 6 e^(-xi/4) = .9 at xi = 4 ln 60.
        assert!((theorem_gap(4, 2, 0.5, 1.0, 0.9) - 4.0 * 60f64.ln()).abs() < 1e-9);
        assert!((harmonic_of(29.999) - harmonic_of(30.001)).abs() < 0.003);
    }
}
