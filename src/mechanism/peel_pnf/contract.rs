//! The contract of peeling by permute-and-flip.

use super::law::law;
use crate::mechanism::contract::{Contract, Law, Mutant, Setting};

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
