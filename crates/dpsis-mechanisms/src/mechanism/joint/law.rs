//! The choice among all sequences by their joint loss, every sequence listed.

use crate::mechanism::contract::{Contract, Law, Mutant, Setting};
use crate::support::laws::{Noise, exponential, flips, sorted};
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

/// The joint loss moves twice as far as a score, except for k = 1, where the best score cancels.
pub(crate) fn rate(k: usize, eps: f64) -> f64 {
    if k == 1 { eps / 2.0 } else { eps / 4.0 }
}

pub(in crate::mechanism) fn contract() -> Contract {
    Contract {
        law: |_| Law::common(|x, k, eps| law(x, k, eps, exponential)),
        settings: vec![Setting::new(&[1, 2, 3])],
        symmetric: true,
        max_ratio: 1.0,
        slack: None,
        mutants: vec![monotonic_constant(exponential), levels_counted_twice(exponential)],
    }
}

pub(in crate::mechanism) fn pnf_contract() -> Contract {
    Contract {
        law: |_| Law::common(|x, k, eps| law(x, k, eps, flips)),
        settings: vec![Setting::new(&[1, 2, 3])],
        symmetric: true,
        max_ratio: 1.0,
        slack: None,
        mutants: vec![monotonic_constant(flips)],
    }
}

fn monotonic_constant(noise: Noise) -> Mutant {
    Mutant::new("the monotonic constant", 2, move |x, k, eps| law(x, k, 2.0 * eps, noise))
}

/// Sequences that reach their loss at two places hold two tickets.
fn levels_counted_twice(noise: Noise) -> Mutant {
    Mutant::new("levels counted twice", 2, move |x, k, eps| {
        let best = sorted(x);
        let all = sequences(x.len(), k);
        let excess = |(y, loss): (&Vec<usize>, f64)| {
            let tickets = y.iter().zip(&best).filter(|(i, best)| *best - x[**i] == loss).count();
            rate(k, eps) * loss - (tickets as f64).ln()
        };
        noise(&all.iter().zip(losses(x, k)).map(excess).collect::<Vec<_>>())
    })
}
