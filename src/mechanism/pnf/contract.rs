//! The contract of permute-and-flip.

use super::law::law;
use crate::mechanism::contract::{Contract, Law, Mutant, Setting};
use crate::support::laws::of_one;

pub(in crate::mechanism) fn contract() -> Contract {
    Contract {
        law: |_| Law::common(law),
        settings: vec![Setting::new(&[1])],
        symmetric: true,
        max_ratio: 1.0,
        slack: None,
        mutants: vec![
            Mutant::new("flips without permuting", 1, |x, _, eps| {
                of_one(x, eps / 2.0, flips_in_order)
            }),
            Mutant::new("the monotonic constant", 1, |x, k, eps| law(x, k, 2.0 * eps)),
        ],
    }
}

/// Flips in the order of the candidates instead of a random one.
fn flips_in_order(excess: &[f64]) -> Vec<f64> {
    let least = excess.iter().copied().fold(f64::INFINITY, f64::min);
    // The best is always accepted, so the round ends there at the latest.
    let mut rest = 1.0;
    excess
        .iter()
        .map(|z| {
            let p = rest * (least - z).exp();
            rest -= p;
            p
        })
        .collect()
}
