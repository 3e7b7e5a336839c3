//! The code draws from the law of the definition.

use super::cards::is_own;
use super::*;
use crate::mechanism::{CARDS, Chooses, Mechanism, by_id};
use crate::privacy::{Neighbors, Seeded};
use crate::scores::Scores;
use crate::support::goodness::assert_fits;
use crate::support::oracle::{sequences, subsets, subsets_up_to};

/// All outcomes, in the order of laws.
pub(super) fn outcomes(card: &Card, d: usize, k: usize) -> Vec<Vec<usize>> {
    match card.chooses {
        Chooses::Set => subsets(d, k),
        Chooses::AtMost => subsets_up_to(d, k.min(d)),
        Chooses::One | Chooses::Sequence => sequences(d, k),
    }
}

/// The sensitivity where it is common: scores are in half units of it.
const UNIT: u64 = 2;

/// Scores with the common sensitivity [`UNIT`] or, for laws with a sensitivity each, with their
/// own.
fn scores(law: &Law, values: &[i64], own: &[u64], neighbors: Neighbors) -> Scores {
    let values = values.to_vec();
    if is_own(law) {
        Scores::with_sensitivities(values, own.to_vec(), neighbors).unwrap()
    } else {
        Scores::new(values, UNIT, neighbors).unwrap()
    }
}

/// The law of these scores at an epsilon.
fn law_of(law: &Law, values: &[i64], own: &[u64], k: usize, eps: f64) -> Vec<f64> {
    let own: Vec<i64> = own.iter().map(|&sensitivity| sensitivity as i64).collect();
    let grid = if is_own(law) {
        Grid::with_sensitivities(1, &own)
    } else {
        Grid::new(values.len(), 1, UNIT as i64)
    };
    law.at(&grid, values, k, eps)
}

#[test]
fn draws_have_the_law_of_the_definition() {
    // Scores, their sensitivities where each has its own, and whether a law may take them as
    // monotonic.
    let common: &[(&[i64], &[u64], bool)] =
        &[(&[5, 3, 9, 1], &[], false), (&[4, 4, 0, 4], &[], true), (&[-3, 2, 2, -1], &[], false)];
    let own: &[(&[i64], &[u64], bool)] = &[
        (&[5, 3, 9, 1], &[1, 2, 4, 1], false),
        (&[4, 4, 0], &[3, 1, 2], false),
        (&[0, 6], &[1, 5], false),
    ];
    let epsilon = "2".parse().unwrap();
    for card in CARDS {
        let contract = (card.contract)();
        for setting in contract.settings {
            let law = (contract.law)(&setting.parameters);
            let mechanism = setting.mechanism(card);
            let tables = if is_own(&law) { own } else { common };
            for (place, &(values, sensitivities, monotonic)) in tables.iter().enumerate() {
                // More draws for one table, which reveal a wrong law; the others reveal a wrong
                // table.
                let draws = if place == 0 { 12_000 } else { 3_000 };
                let scores = scores(&law, values, sensitivities, Neighbors::AddRemove);
                let monotonic = monotonic && knows_monotonic(card);
                let scores = if monotonic { scores.monotonic().unwrap() } else { scores };
                let given = if monotonic { 4.0 } else { 2.0 };
                for k in setting.ks.iter().map(|k| *k.min(&values.len())) {
                    let outcomes = outcomes(card, values.len(), k);
                    let mut counts = vec![0u64; outcomes.len()];
                    for seed in 0..draws {
                        let picks = mechanism.pick(&scores, k, &epsilon, Seeded(seed)).unwrap();
                        let place = outcomes.iter().position(|outcome| *outcome == *picks);
                        counts[place.unwrap()] += 1;
                    }
                    assert_fits(&counts, &law_of(&law, values, sensitivities, k, given));
                }
                if matches!(card.chooses, Chooses::One | Chooses::AtMost) {
                    continue;
                }
                // All of them, in some order.
                let all = mechanism.pick(&scores, values.len(), &epsilon, Seeded(1)).unwrap();
                let mut all = all.into_inner();
                all.sort_unstable();
                assert!(all.into_iter().eq(0..values.len()));
            }
        }
    }
}

/// The order in which candidates are listed does not matter: reversing the list reverses the law.
#[test]
fn candidates_may_be_listed_in_any_order() {
    let (values, own) = ([4i64, 0, 4, 7], [1u64, 2, 5, 3]);
    let turned = values.iter().rev().copied().collect::<Vec<_>>();
    let own_turned = own.iter().rev().copied().collect::<Vec<_>>();
    let epsilon = "2".parse().unwrap();
    for card in CARDS {
        let contract = (card.contract)();
        for setting in contract.settings {
            let law = (contract.law)(&setting.parameters);
            let (mechanism, k) = (setting.mechanism(card), setting.ks[0]);
            let scores = scores(&law, &turned, &own_turned, Neighbors::ReplaceOne);
            let outcomes = outcomes(card, values.len(), k);
            let mut counts = vec![0u64; outcomes.len()];
            for seed in 0..6_000 {
                let picks = mechanism.pick(&scores, k, &epsilon, Seeded(seed)).unwrap();
                let mut original: Vec<usize> =
                    picks.iter().map(|&i| values.len() - 1 - i).collect();
                if matches!(card.chooses, Chooses::Set | Chooses::AtMost) {
                    original.sort_unstable();
                }
                counts[outcomes.iter().position(|outcome| *outcome == original).unwrap()] += 1;
            }
            assert_fits(&counts, &law_of(&law, &values, &own, k, 2.0));
        }
    }
}

#[test]
fn shifted_scores_give_the_same_picks() {
    let epsilon = "1".parse().unwrap();
    // A level does not move with the scores.
    for card in CARDS.into_iter().filter(|card| card.chooses != Chooses::AtMost) {
        let contract = (card.contract)();
        for setting in contract.settings {
            let law = (contract.law)(&setting.parameters);
            let mechanism = setting.mechanism(card);
            let k = *setting.ks.last().unwrap();
            let of = |shift: i64, seed: u64| {
                let values = [7, 7, 0, 12, -5, 3].map(|value| value + shift);
                let own = [3, 1, 2, 5, 1, 4];
                let scores = scores(&law, &values, &own, Neighbors::ReplaceOne);
                mechanism.pick(&scores, k, &epsilon, Seeded(seed)).unwrap()
            };
            for seed in 0..200 {
                assert_eq!(of(0, seed), of(1 << 40, seed), "{}", setting.name(card));
            }
        }
    }
}

#[test]
fn unsupported_requests_are_refused() {
    let epsilon = "1".parse().unwrap();
    for card in CARDS {
        let mechanism = by_id(card.id, &Parameters::default()).unwrap();
        let scores = Scores::new(vec![1, 2, 3], 1, Neighbors::AddRemove).unwrap();
        for k in [0, 4] {
            assert!(mechanism.pick(&scores, k, &epsilon, Seeded(1)).is_err());
        }
        let several = mechanism.pick(&scores, 2, &epsilon, Seeded(1));
        assert_eq!(several.is_err(), card.chooses == Chooses::One, "{}", card.id);
        let own = Scores::with_sensitivities(vec![1, 2, 3], vec![1, 2, 1], Neighbors::AddRemove);
        let own = mechanism.pick(&own.unwrap(), 1, &epsilon, Seeded(1));
        assert_eq!(own.is_err(), card.sensitivity == Sensitivity::Common, "{}", card.id);
        // A single candidate, and the largest scores there can be.
        let most = (1 << 62) - 1;
        for values in [vec![5], vec![most, -most], vec![-most, most]] {
            let extreme = Scores::new(values, 1, Neighbors::AddRemove).unwrap();
            assert!(mechanism.pick(&extreme, 1, &"1e6".parse().unwrap(), Seeded(1)).is_ok());
        }
        if card.chooses == Chooses::One {
            continue;
        }
        for values in [vec![most, -most], vec![most, -most, -most, 0], vec![-most, most, most]] {
            let all = values.len();
            for (k, eps) in (1..=all).flat_map(|k| [(k, "1e-6"), (k, "1"), (k, "1e6")]) {
                let extreme =
                    Scores::new(values.clone(), most.unsigned_abs(), Neighbors::AddRemove).unwrap();
                for seed in 0..20 {
                    let picks = mechanism.pick(&extreme, k, &eps.parse().unwrap(), Seeded(seed));
                    let count = picks.unwrap().len();
                    let fits =
                        if card.chooses == Chooses::AtMost { count <= k } else { count == k };
                    assert!(fits, "{}", card.id);
                }
            }
        }
    }
}

/// Seeded draws must not change unnoticed: the changelog marks such changes *value-breaking*.
/// Recorded from the version whose laws the tests above hold to the definitions.
#[test]
fn seeded_picks_are_stable() {
    let expected = include_str!("../picks.golden");
    let mut shown = String::new();
    for card in CARDS {
        let (parameters, k, epsilon) = match card.chooses {
            Chooses::One => (Parameters::default(), 1, "4"),
            // A level between the scores, and an epsilon at which the candidates above it are
            // named.
            Chooses::AtMost => (Setting::new(&[]).given("level", "3").parameters, 8, "12"),
            _ => (Parameters::default(), 3, "4"),
        };
        let (mechanism, epsilon) = (by_id(card.id, &parameters).unwrap(), epsilon.parse().unwrap());
        let values = vec![12, 7, 9, 15, 3, 9, 11, 8];
        let scores = Scores::with_sensitivities(values, vec![3; 8], Neighbors::AddRemove).unwrap();
        let picks = (0..8).map(|seed| {
            let picks = mechanism.pick(&scores, k, &epsilon, Seeded(seed)).unwrap();
            picks.iter().map(usize::to_string).collect::<String>()
        });
        shown += &format!("{}: {}\n", card.id, picks.collect::<Vec<_>>().join(" "));
    }
    assert_eq!(shown, expected);
}
