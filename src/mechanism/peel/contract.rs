//! The contract of peeling.

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
            Mutant::new("zero scores dropped", 2, |x, k, eps| {
                // Candidates with a score of zero cannot be chosen.
                let kept: Vec<f64> = x.iter().map(|&s| if s == 0.0 { -1e3 } else { s }).collect();
                law(&kept, k, eps)
            }),
        ],
    }
}
