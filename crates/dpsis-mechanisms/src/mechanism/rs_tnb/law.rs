//! As random stopping, with a truncated negative binomial number of looks.

use crate::mechanism::contract::{Contract, Law, Mutant, Setting, number};
use crate::mechanism::rs::law::looks;

/// The probability of each candidate; scores and sensitivities in the same unit.
pub(crate) fn law(q: &[f64], d: &[f64], eps: f64, eta: f64, stop: f64) -> Vec<f64> {
    looks(q, d, eps / (2.0 + eta), slope(eta, stop))
}

/// G' of the truncated negative binomial distribution, gamma being the probability of stopping.
pub(crate) fn slope(eta: f64, gamma: f64) -> impl Fn(f64) -> f64 {
    move |s: f64| {
        let base = 1.0 - (1.0 - gamma) * s;
        if eta == 0.0 {
            (1.0 - gamma) / (base * -gamma.ln())
        } else {
            eta * (1.0 - gamma) * base.powf(-eta - 1.0) / (gamma.powf(-eta) - 1.0)
        }
    }
}

pub(in crate::mechanism) fn contract() -> Contract {
    let setting = || Setting::new(&[1]).given("stop", "1/4");
    Contract {
        law: |given| {
            let (eta, stop) = (number(&given.eta, 0.0), given.stop.clone());
            Law::own(move |q, d, eps| law(q, d, eps, eta, number(&stop, 0.1 / q.len() as f64)))
                .by_integrals()
        },
        settings: vec![setting(), setting().given("eta", "1"), setting().given("eta", "-1/2")],
        symmetric: false,
        max_ratio: 0.291178,
        slack: Some("(2 + eta) eps0 is approached only by many looks at rare candidates"),
        mutants: vec![Mutant::own("the budget of eta = 0 for eta = 1", |q, d, eps| {
            looks(q, d, eps / 2.0, slope(1.0, 1e-3))
        })],
    }
}
