//! The contract of GEM.

use super::law::{BETA, law};
use crate::mechanism::contract::{Contract, Law, Mutant, Setting, number};
use crate::support::laws::{flips, of_one};

pub(in crate::mechanism) fn contract() -> Contract {
    Contract {
        law: |stated| {
            let beta = number(&stated.beta, BETA);
            Law::own(move |q, d, eps| law(q, d, eps, beta))
        },
        settings: vec![Setting::new(&[1])],
        symmetric: false,
        max_ratio: 0.656549,
        slack: Some(
            "the best charged candidate has s = 0 on every table: all of epsilon is reached only as the \
             number of candidates grows",
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

/// Every score with exponential noise of its own scale (RNMH), by fine steps.
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
