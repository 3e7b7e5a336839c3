//! The choice among all sets by their joint loss, every set listed.

use crate::mechanism::contract::{Contract, Law, Mutant, Setting};
use crate::mechanism::joint::law::rate;
use crate::support::laws::{exponential, sorted};
use crate::support::oracle::subsets;

/// The probability of each of [`subsets`]; scores in units of the sensitivity.
pub(crate) fn law(x: &[f64], k: usize, eps: f64) -> Vec<f64> {
    let excess: Vec<f64> = losses(x, k).into_iter().map(|loss| rate(k, eps) * loss).collect();
    exponential(&excess)
}

/// The loss of each of [`subsets`]: max over i of x_\[i\] - (their i-th best score).
pub(crate) fn losses(x: &[f64], k: usize) -> Vec<f64> {
    let best = sorted(x);
    let loss = |y: &Vec<usize>| {
        let own = sorted(&y.iter().map(|&i| x[i]).collect::<Vec<_>>());
        let shortfalls = own.iter().zip(&best).map(|(own, best)| best - own);
        shortfalls.fold(f64::NEG_INFINITY, f64::max)
    };
    subsets(x.len(), k).iter().map(loss).collect()
}

pub(in crate::mechanism) fn contract() -> Contract {
    Contract {
        law: |_| Law::common(law),
        settings: vec![Setting::new(&[1, 2, 3])],
        symmetric: true,
        max_ratio: 1.0,
        slack: None,
        mutants: vec![Mutant::new("the monotonic constant", 2, |x, k, eps| law(x, k, 2.0 * eps))],
    }
}
