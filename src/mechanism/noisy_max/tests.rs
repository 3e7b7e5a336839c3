use super::law;
use crate::mechanism::contract::{Contract, Mutant, Setting};
use crate::mechanism::{em, pnf};

pub(in crate::mechanism) fn contract() -> Contract {
    Contract {
        settings: vec![
            Setting::new(&[1], pnf::law::law),
            Setting::new(&[1], em::law::law).stated("noise", "gumbel"),
            Setting::new(&[1], law::laplace).stated("noise", "laplace").by_integrals(),
        ],
        exact: vec![],
        max_ratio: 1.0,
        slack: None,
        mutants: vec![
            Mutant::new("half the noise, Laplace", 1, |x, k, eps| law::laplace(x, k, 2.0 * eps))
                .by_integrals(),
            Mutant::new("the monotonic constant, exponential noise", 1, |x, k, eps| {
                pnf::law::law(x, k, 2.0 * eps)
            }),
            Mutant::new("the monotonic constant, Gumbel noise", 1, |x, k, eps| {
                em::law::law(x, k, 2.0 * eps)
            }),
        ],
    }
}
