//! The contract of the Gamma mechanism.

use super::law::law;
use crate::mechanism::contract::{Contract, Law, Mutant, Setting};

pub(in crate::mechanism) fn contract() -> Contract {
    Contract {
        law: |_| Law::common(law).by_integrals().at_most(2),
        settings: vec![Setting::new(&[1, 2])],
        symmetric: true,
        max_ratio: 1.0,
        slack: None,
        mutants: vec![
            // Noise scaled as for a single score: 1/eps instead of a Gamma radius.
            Mutant::new("a cube of the wrong dimension", 2, |x, k, eps| {
                law(x, k, eps * x.len() as f64)
            })
            .by_integrals()
            .at_most(2),
        ],
    }
}
