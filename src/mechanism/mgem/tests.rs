use super::law::law;
use crate::mechanism::contract::{Contract, Mutant, Setting};
use crate::mechanism::gem::law::{BETA, of_charge};

pub(in crate::mechanism) fn contract() -> Contract {
    Contract {
        settings: vec![Setting::own(law)],
        exact: vec![],
        max_ratio: 0.650247,
        slack: Some(
            "the best charged candidate has s = 0 on every table: all of epsilon is reached only as the \
             number of candidates grows",
        ),
        mutants: vec![Mutant::own("half the noise", |q, d, eps| {
            of_charge(q, d, 2.0 * eps, BETA, -1.0)
        })],
    }
}
