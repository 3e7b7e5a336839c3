//! P(i) proportional to e^(eps/2 x_i).

use crate::mechanism::contract::{Contract, Law, Mutant, Setting};
use crate::mechanism::krr;
use crate::support::laws::{exponential, of_one};

/// The probability of each candidate; scores in units of the sensitivity.
pub(crate) fn law(x: &[f64], _: usize, eps: f64) -> Vec<f64> {
    of_one(x, eps / 2.0, exponential)
}

pub(in crate::mechanism) fn contract() -> Contract {
    Contract {
        law: |_| Law::common(law),
        settings: vec![Setting::new(&[1])],
        symmetric: true,
        max_ratio: 1.0,
        slack: None,
        mutants: vec![
            // The same as half the noise.
            Mutant::new("the monotonic constant", 1, |x, k, eps| law(x, k, 2.0 * eps)),
            Mutant::new("scores normalized by the data", 1, |x, k, eps| {
                let most = x.iter().copied().fold(1.0, f64::max);
                law(&x.iter().map(|s| 5.0 * s / most).collect::<Vec<_>>(), k, eps)
            }),
            Mutant::new("the plain maximum (no noise)", 1, |x, _, _| krr::law::of_odds(x, 1e9)),
        ],
    }
}
