//! The choice among all sequences by their joint loss, every sequence listed.

use crate::support::laws::{Noise, sorted};
use crate::support::oracle::sequences;

/// The probability of each of [`sequences`]; scores in units of the sensitivity.
pub(crate) fn law(x: &[f64], k: usize, eps: f64, noise: Noise) -> Vec<f64> {
    let excess: Vec<f64> = losses(x, k).into_iter().map(|loss| rate(k, eps) * loss).collect();
    noise(&excess)
}

/// The loss of each of [`sequences`]: max over i of x_\[i\] - x_(y_i).
pub(crate) fn losses(x: &[f64], k: usize) -> Vec<f64> {
    let best = sorted(x);
    let loss = |y: &Vec<usize>| {
        let shortfalls = y.iter().zip(&best).map(|(&i, best)| best - x[i]);
        shortfalls.fold(f64::NEG_INFINITY, f64::max)
    };
    sequences(x.len(), k).iter().map(loss).collect()
}

/// The joint loss moves twice as far as a score, but for k = 1, where the best score cancels.
pub(crate) fn rate(k: usize, eps: f64) -> f64 {
    if k == 1 { eps / 2.0 } else { eps / 4.0 }
}
