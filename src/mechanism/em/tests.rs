use super::law::{law, losses};
use crate::mechanism::contract::{Contract, Mutant, RationalLaw, Setting, fractions};
use crate::mechanism::krr;

pub(in crate::mechanism) fn contract() -> Contract {
    Contract {
        settings: vec![Setting::new(&[1], law)],
        exact: vec![RationalLaw { ks: &[1], losses, law: fractions::exponential, factor: 4 }],
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
