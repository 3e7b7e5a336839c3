//! Randomized response on the sign of Spearman's rank correlation, then modified GEM or GEM.

use crate::mechanism::contract::{Contract, Law, Mutant, Setting, number};
use crate::mechanism::gem::law::BETA;
use crate::mechanism::{gem, mgem};

/// The share of epsilon for the sign, by default.
pub(crate) const SHARE: f64 = 0.2;

/// The probability of each candidate; `share` of epsilon is for the sign.
pub(crate) fn law(q: &[f64], d: &[f64], eps: f64, beta: f64, share: f64) -> Vec<f64> {
    let told = 1.0 / (1.0 + (-share * eps).exp());
    of_answer(q, d, (1.0 - share) * eps, beta, told)
}

/// `told` is the probability that the sign is told as it is; the choice by the answer is at `eps`.
pub(crate) fn of_answer(q: &[f64], d: &[f64], eps: f64, beta: f64, told: f64) -> Vec<f64> {
    let positive = spearman(q, d) > 1e-9;
    let modified = if positive { told } else { 1.0 - told };
    let (m, g) = (mgem::law::law(q, d, eps, beta), gem::law::law(q, d, eps, beta));
    m.iter().zip(&g).map(|(m, g)| modified * m + (1.0 - modified) * g).collect()
}

/// Mid-ranks.
fn ranks(values: &[f64]) -> Vec<f64> {
    let rank = |v: &f64| {
        let below = values.iter().filter(|w| *w < v).count() as f64;
        let ties = values.iter().filter(|w| *w == v).count() as f64;
        below + (ties + 1.0) / 2.0
    };
    values.iter().map(rank).collect()
}

/// Spearman's rank correlation, times something positive.
fn spearman(a: &[f64], b: &[f64]) -> f64 {
    let (a, b) = (ranks(a), ranks(b));
    let mean = (a.len() as f64 + 1.0) / 2.0;
    a.iter().zip(&b).map(|(a, b)| (a - mean) * (b - mean)).sum()
}

pub(in crate::mechanism) fn contract() -> Contract {
    Contract {
        law: |stated| {
            let (beta, share) = (number(&stated.beta, BETA), number(&stated.share, SHARE));
            Law::own(move |q, d, eps| law(q, d, eps, beta, share))
        },
        settings: vec![Setting::new(&[1])],
        symmetric: false,
        max_ratio: 0.61574,
        slack: Some("of the two answers an adversary sees only the pick that follows"),
        mutants: vec![Mutant::own("the sign is not randomized", |q, d, eps| {
            of_answer(q, d, 0.8 * eps, BETA, 1.0 - 1e-12)
        })],
    }
}
