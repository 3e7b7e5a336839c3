//! The contract of random stopping by a truncated negative binomial distribution.

use super::law;
use crate::mechanism::contract::{Contract, Law, Mutant, Setting, number};
use crate::mechanism::rs::law::looks;

pub(in crate::mechanism) fn contract() -> Contract {
    let setting = || Setting::new(&[1]).stated("stop", "1/4");
    Contract {
        law: |stated| {
            let (eta, stop) = (number(&stated.eta, 0.0), stated.stop.clone());
            Law::own(move |q, d, eps| law::law(q, d, eps, eta, number(&stop, 0.1 / q.len() as f64)))
                .by_integrals()
        },
        settings: vec![setting(), setting().stated("eta", "1"), setting().stated("eta", "-1/2")],
        symmetric: false,
        max_ratio: 0.291178,
        slack: Some("(2 + eta) eps0 is approached only by many looks at rare candidates"),
        mutants: vec![Mutant::own("the budget of eta = 0 for eta = 1", |q, d, eps| {
            looks(q, d, eps / 2.0, law::slope(1.0, 1e-3))
        })],
    }
}
