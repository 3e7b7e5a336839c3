//! The candidate with the largest of x_i + Z_i, the Z_i independent of rate eps/2: exponential
//! noise has the law of `pnf`, Gumbel noise that of `em`; Laplace noise needs an integral.

use crate::mechanism::contract::{Contract, Law, Mutant, Setting};
use crate::mechanism::{em, pnf};
use crate::support::laws::laplace_noise;

/// Laplace noise: the probability of each candidate; scores in units of the sensitivity.
pub(crate) fn laplace(x: &[f64], _: usize, eps: f64) -> Vec<f64> {
    laplace_noise(x, 1, eps / 2.0)
}

pub(in crate::mechanism) fn contract() -> Contract {
    Contract {
        law: |given| match given.noise.as_deref() {
            Some("gumbel") => Law::common(em::law::law),
            Some("laplace") => Law::common(laplace).by_integrals(),
            _ => Law::common(pnf::law::law),
        },
        settings: vec![
            Setting::new(&[1]),
            Setting::new(&[1]).given("noise", "gumbel"),
            Setting::new(&[1]).given("noise", "laplace"),
        ],
        symmetric: true,
        max_ratio: 1.0,
        slack: None,
        mutants: vec![
            Mutant::new("half the noise, Laplace", 1, |x, k, eps| laplace(x, k, 2.0 * eps))
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
