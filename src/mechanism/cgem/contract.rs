//! The contract of combined GEM.

use super::law;
use crate::mechanism::contract::{Contract, Law, Mutant, Setting, number};
use crate::mechanism::gem::law::BETA;

pub(in crate::mechanism) fn contract() -> Contract {
    Contract {
        law: |stated| {
            let (beta, share) = (number(&stated.beta, BETA), number(&stated.share, law::SHARE));
            Law::own(move |q, d, eps| law::law(q, d, eps, beta, share))
        },
        settings: vec![Setting::new(&[1])],
        symmetric: false,
        max_ratio: 0.61574,
        slack: Some("of the two answers an adversary sees only the pick that follows"),
        mutants: vec![Mutant::own("the sign is not randomized", |q, d, eps| {
            law::of_answer(q, d, 0.8 * eps, BETA, 1.0 - 1e-12)
        })],
    }
}
