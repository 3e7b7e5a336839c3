use super::law::{law, of_odds};
use crate::mechanism::contract::{Contract, Mutant, Setting};

pub(in crate::mechanism) fn contract() -> Contract {
    Contract {
        settings: vec![Setting::new(&[1], law)],
        exact: vec![],
        max_ratio: 1.0,
        slack: None,
        mutants: vec![Mutant::new("twice the odds", 1, |x, _, eps| of_odds(x, 2.0 * eps.exp()))],
    }
}
