//! The k largest, in order, of scores with independent Laplace noise of rate eps/(2k).

use crate::mechanism::contract::{Contract, Law, Mutant, Setting};
use crate::support::laws::laplace_noise;

/// The probability of each sequence, k <= 2; scores in units of the sensitivity.
pub(crate) fn law(x: &[f64], k: usize, eps: f64) -> Vec<f64> {
    laplace_noise(x, k, eps / (2.0 * k as f64))
}

pub(in crate::mechanism) fn contract() -> Contract {
    Contract {
        law: |_| Law::common(law).by_integrals().at_most(2),
        settings: vec![Setting::new(&[1, 2])],
        symmetric: true,
        max_ratio: 1.0,
        slack: None,
        mutants: vec![
            Mutant::new("epsilon not divided by k", 2, |x, k, eps| law(x, k, k as f64 * eps))
                .by_integrals()
                .at_most(2),
            Mutant::new("the monotonic constant", 2, |x, k, eps| law(x, k, 2.0 * eps))
                .by_integrals()
                .at_most(2),
        ],
    }
}
