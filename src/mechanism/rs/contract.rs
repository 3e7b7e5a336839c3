//! The contract of random stopping.

use super::law::{law, looks, slope};
use crate::mechanism::contract::{Contract, Law, Mutant, Setting, number};

pub(in crate::mechanism) fn contract() -> Contract {
    Contract {
        law: |stated| {
            let stop = stated.stop.clone();
            Law::own(move |q, d, eps| law(q, d, eps, number(&stop, 0.1 / q.len() as f64)))
                .by_integrals()
        },
        settings: vec![Setting::new(&[1]).stated("stop", "1/4")],
        symmetric: false,
        max_ratio: 0.291178,
        slack: Some("3 eps0 is approached only by many looks at rare candidates"),
        mutants: vec![
            Mutant::own("eps0 = eps", |q, d, eps| looks(q, d, eps, slope(1e-3))),
            // 64 looks, each of which may spend a third of epsilon: G' = 64 s^63.
            Mutant::own("a fixed number of looks", |q, d, eps| {
                looks(q, d, eps / 3.0, |s: f64| 64.0 * s.powi(63))
            }),
        ],
    }
}
