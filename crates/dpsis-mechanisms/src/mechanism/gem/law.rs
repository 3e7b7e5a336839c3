//! Permute-and-flip on s(a) = min over b of ((q_a - t D_a) - (q_b - t D_b))/(D_a + D_b), all pairs
//! compared.

use crate::mechanism::contract::{Contract, Law, Mutant, Setting, number};
use crate::support::laws::{flips, of_one};

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

/// GEM (`sign` 1) or modified GEM (-1): the probability of each candidate; scores q and
/// sensitivities d in the same unit.
pub(crate) fn of_charge(q: &[f64], d: &[f64], eps: f64, beta: f64, sign: f64) -> Vec<f64> {
    let t = sign * 2.0 / eps * (q.len() as f64 / beta).ln();
    flips(&shortfalls(q, d, t).iter().map(|s| eps / 2.0 * s).collect::<Vec<_>>())
}

pub(in crate::mechanism) fn contract() -> Contract {
    Contract {
        law: |given| {
            let beta = number(&given.beta, BETA);
            Law::own(move |q, d, eps| law(q, d, eps, beta))
        },
        settings: vec![Setting::new(&[1])],
        symmetric: false,
        max_ratio: 0.656549,
        slack: Some(
            "with few candidates the loss stays below epsilon, which it approaches as their number grows",
        ),
        mutants: vec![
            Mutant::own("plain noisy max with the smallest sensitivity", |q, d, eps| {
                let smallest = d.iter().copied().fold(f64::MAX, f64::min);
                of_one(q, eps / (2.0 * smallest), flips)
            }),
            Mutant::own("half the noise", |q, d, eps| law(q, d, 2.0 * eps, BETA)),
            Mutant::own("noisy max with exponential noise of each one's own scale", own_noise),
        ],
    }
}

/// Every score with exponential noise at its own scale (RNMH), by fine steps.
fn own_noise(q: &[f64], d: &[f64], eps: f64) -> Vec<f64> {
    let rate = |i: usize| eps / (2.0 * d[i]);
    let below = |i: usize, v: f64| if v < q[i] { 0.0 } else { 1.0 - (-(v - q[i]) * rate(i)).exp() };
    let mut law = vec![0.0; q.len()];
    for step in 0..1000 {
        let v = (f64::from(step) + 0.5) * 0.1;
        for (i, p) in law.iter_mut().enumerate() {
            let others: f64 = (0..q.len()).filter(|j| *j != i).map(|j| below(j, v)).product();
            *p += others * (below(i, v + 0.05) - below(i, v - 0.05));
        }
    }
    law
}
