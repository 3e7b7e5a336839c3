//! The contracts of the joint mechanisms.

use super::law;
use crate::mechanism::contract::{Contract, Law, Mutant, Setting};
use crate::support::laws::{Noise, exponential, flips, sorted};
use crate::support::oracle;

pub(in crate::mechanism) fn contract() -> Contract {
    Contract {
        law: |_| Law::common(|x, k, eps| law::law(x, k, eps, exponential)),
        settings: vec![Setting::new(&[1, 2, 3])],
        symmetric: true,
        max_ratio: 1.0,
        slack: None,
        mutants: vec![monotonic_constant(exponential), levels_counted_twice(exponential)],
    }
}

pub(in crate::mechanism) fn pnf_contract() -> Contract {
    Contract {
        law: |_| Law::common(|x, k, eps| law::law(x, k, eps, flips)),
        settings: vec![Setting::new(&[1, 2, 3])],
        symmetric: true,
        max_ratio: 1.0,
        slack: None,
        mutants: vec![monotonic_constant(flips)],
    }
}

fn monotonic_constant(noise: Noise) -> Mutant {
    Mutant::new("the monotonic constant", 2, move |x, k, eps| law::law(x, k, 2.0 * eps, noise))
}

/// Sequences that reach their loss at two places hold two tickets.
fn levels_counted_twice(noise: Noise) -> Mutant {
    Mutant::new("levels counted twice", 2, move |x, k, eps| {
        let best = sorted(x);
        let all = oracle::sequences(x.len(), k);
        let excess = |(y, loss): (&Vec<usize>, f64)| {
            let tickets = y.iter().zip(&best).filter(|(i, best)| *best - x[**i] == loss).count();
            law::rate(k, eps) * loss - (tickets as f64).ln()
        };
        noise(&all.iter().zip(law::losses(x, k)).map(excess).collect::<Vec<_>>())
    })
}
