//! k rounds of permute-and-flip at eps/k among the candidates that are left.

use crate::mechanism::contract::{Contract, Law, Mutant, Setting};
use crate::support::laws::{flips, of_rounds};

/// The probability of each sequence; scores in units of the sensitivity.
pub fn law(x: &[f64], k: usize, eps: f64) -> Vec<f64> {
    of_rounds(x, k, eps / (2.0 * k as f64), flips)
}

pub(in crate::mechanism) fn contract() -> Contract {
    Contract {
        law: |_| Law::common(law),
        settings: vec![Setting::new(&[1, 2, 3])],
        symmetric: true,
        max_ratio: 1.0,
        slack: None,
        mutants: vec![
            Mutant::new("epsilon not divided by k", 2, |x, k, eps| law(x, k, k as f64 * eps)),
            Mutant::new("the monotonic constant", 2, |x, k, eps| law(x, k, 2.0 * eps)),
        ],
    }
}
