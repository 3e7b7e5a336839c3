//! The contract of k-ary randomized response.

use super::law::{law, of_odds};
use crate::mechanism::contract::{Contract, Law, Mutant, Setting};

pub(in crate::mechanism) fn contract() -> Contract {
    Contract {
        law: |_| Law::common(law),
        settings: vec![Setting::new(&[1])],
        symmetric: false,
        max_ratio: 1.0,
        slack: None,
        mutants: vec![Mutant::new("twice the odds", 1, |x, _, eps| of_odds(x, 2.0 * eps.exp()))],
    }
}
