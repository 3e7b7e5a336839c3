//! Permute-and-flip on s(a) = min over b of ((q_a - t D_a) - (q_b - t D_b))/(D_a + D_b), all pairs compared.

use crate::support::laws::flips;

/// Beta by default.
pub(crate) const BETA: f64 = 0.05;

/// The probability of each candidate.
pub(crate) fn law(q: &[f64], d: &[f64], eps: f64, beta: f64) -> Vec<f64> {
    of_charge(q, d, eps, beta, 1.0)
}

/// The shortfalls -s(a) by the definition, over all pairs; t is negative for modified GEM.
fn shortfalls(q: &[f64], d: &[f64], t: f64) -> Vec<f64> {
    let shortfall = |a: usize| {
        let term = |b: usize| ((q[b] - t * d[b]) - (q[a] - t * d[a])) / (d[a] + d[b]);
        (0..q.len()).map(term).fold(0.0, f64::max)
    };
    (0..q.len()).map(shortfall).collect()
}

/// GEM (`sign` 1) or modified GEM (-1): the probability of each candidate; scores q and sensitivities d in the
/// same unit.
pub(crate) fn of_charge(q: &[f64], d: &[f64], eps: f64, beta: f64, sign: f64) -> Vec<f64> {
    let t = sign * 2.0 / eps * (q.len() as f64 / beta).ln();
    flips(&shortfalls(q, d, t).iter().map(|s| eps / 2.0 * s).collect::<Vec<_>>())
}
