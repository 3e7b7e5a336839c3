//! The contract of report noisy max, for each noise.

use super::law;
use crate::mechanism::contract::{Contract, Law, Mutant, Setting};
use crate::mechanism::{em, pnf};

pub(in crate::mechanism) fn contract() -> Contract {
    Contract {
        law: |stated| match stated.noise.as_deref() {
            Some("gumbel") => Law::common(em::law::law),
            Some("laplace") => Law::common(law::laplace).by_integrals(),
            _ => Law::common(pnf::law::law),
        },
        settings: vec![
            Setting::new(&[1]),
            Setting::new(&[1]).stated("noise", "gumbel"),
            Setting::new(&[1]).stated("noise", "laplace"),
        ],
        symmetric: true,
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
