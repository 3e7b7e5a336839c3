//! The best candidate with odds of e^eps against each other one; the first if several are best.

use crate::mechanism::contract::{Contract, Law, Mutant, Setting};

/// The probability of each candidate.
pub(crate) fn law(x: &[f64], _: usize, eps: f64) -> Vec<f64> {
    of_odds(x, eps.exp())
}

/// The law with other odds.
pub(crate) fn of_odds(x: &[f64], odds: f64) -> Vec<f64> {
    let best = (0..x.len()).fold(0, |best, i| if x[i] > x[best] { i } else { best });
    let total = x.len() as f64 - 1.0 + odds;
    (0..x.len()).map(|i| if i == best { odds / total } else { 1.0 / total }).collect()
}

pub(in crate::mechanism) fn contract() -> Contract {
    Contract {
        law: |_| Law::common(law),
        settings: vec![Setting::new(&[1])],
        symmetric: false,
        max_ratio: 1.0,
        slack: None,
        mutants: vec![Mutant::new("twice the odds", 1, |x, _, eps| of_odds(x, 2.0 * eps.exp()))],
    }
}
