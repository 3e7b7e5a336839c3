//! As GEM, with the opposite sign of t.

use crate::mechanism::contract::{Contract, Law, Mutant, Setting, number};
use crate::mechanism::gem::law::BETA;
use crate::mechanism::gem::law::of_charge;

/// The probability of each candidate; scores and sensitivities in the same unit.
pub(crate) fn law(q: &[f64], d: &[f64], eps: f64, beta: f64) -> Vec<f64> {
    of_charge(q, d, eps, beta, -1.0)
}

pub(in crate::mechanism) fn contract() -> Contract {
    Contract {
        law: |stated| {
            let beta = number(&stated.beta, BETA);
            Law::own(move |q, d, eps| law(q, d, eps, beta))
        },
        settings: vec![Setting::new(&[1])],
        symmetric: false,
        max_ratio: 0.650247,
        slack: Some(
            "the best charged candidate has s = 0 on every table: all of epsilon is reached only as the \
             number of candidates grows",
        ),
        mutants: vec![Mutant::own("half the noise", |q, d, eps| law(q, d, 2.0 * eps, BETA))],
    }
}
