use super::*;
use crate::mechanism::contract::{Contract, Mutant, Setting};
use crate::privacy::Neighbors;

pub(in crate::mechanism) fn contract() -> Contract {
    Contract {
        settings: vec![Setting::own(law::law)],
        exact: vec![],
        max_ratio: 0.61574,
        slack: Some("of the two answers an adversary sees only the pick that follows"),
        mutants: vec![Mutant::own("the sign is not randomized", |q, d, eps| {
            law::of_answer(q, d, 0.8 * eps, 1.0 - 1e-12)
        })],
    }
}

#[test]
fn the_sign_is_that_of_the_ranks() {
    let sign = |values: &[i64], sensitivities: &[u64]| {
        let scores =
            Scores::with_sensitivities(values.into(), sensitivities.into(), Neighbors::AddRemove);
        rank_correlation(&scores.unwrap())
    };
    assert_eq!(sign(&[1, 2, 1000], &[1, 2, 3]), Ordering::Greater);
    assert_eq!(sign(&[1000, 2, 1], &[1, 2, 3]), Ordering::Less);
    assert_eq!(sign(&[1, 2, 3], &[4, 4, 4]), Ordering::Equal);
}
