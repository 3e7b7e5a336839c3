//! Privacy by enumeration; broken variants are rejected by the same enumeration.

#![allow(clippy::print_stdout)] // tables of the evidence, where output is not captured

use std::collections::HashMap;

use super::cards::is_own;
use super::draws::outcomes;
use super::*;
use crate::mechanism::{CARDS, Chooses};
use crate::support::effort::exhaustive;

/// Grids are in half units of the sensitivity.
const UNIT: i64 = 2;

/// Grids, each with a budget.
fn cases(law: &Law, k: usize) -> Vec<(Grid, f64)> {
    let (grids, budgets) = if is_own(law) { own_grids(law) } else { common_grids(law, k) };
    grids.into_iter().flat_map(|grid| budgets.map(|eps| (grid.clone(), eps))).collect()
}

/// The place of an outcome of d candidates when candidate i goes to `to[i]`.
fn moved(card: &Card, d: usize, k: usize) -> impl Fn(usize, &[usize]) -> usize {
    let outcomes = outcomes(card, d, k);
    let places: HashMap<Vec<usize>, usize> = outcomes.iter().cloned().zip(0..).collect();
    let is_set = matches!(card.chooses, Chooses::Set | Chooses::AtMost);
    move |outcome, to| {
        let mut there: Vec<usize> = outcomes[outcome].iter().map(|&i| to[i]).collect();
        if is_set {
            there.sort_unstable();
        }
        places[&there]
    }
}

/// The largest log-ratio over epsilon on all grids, and the number of pairs.
fn worst(card: &Card, law: &Law, k: usize, monotonic: bool) -> (f64, usize) {
    let symmetric = (card.contract)().symmetric && !exhaustive();
    let (mut worst, mut pairs) = (0.0f64, 0);
    for (grid, eps) in cases(law, k) {
        let grid = if monotonic { grid.monotonic() } else { grid };
        let found = match symmetric {
            true => {
                let law = |scores: &[i64]| law.at(&grid, scores, k, eps);
                grid.enumerate_symmetric(law, moved(card, grid.d, k))
            }
            false => {
                let (found, bounded) = law.enumerate(&grid, k, eps, &|_| ());
                assert!(bounded.is_none_or(|share| share <= 1.0 + law.tolerance()), "{bounded:?}");
                found
            }
        };
        worst = worst.max(found.max_log_ratio / eps);
        pairs += found.pairs;
    }
    (worst, pairs)
}

/// Tests the symmetry that `enumerate_symmetric` relies on, for the contracts that claim it:
/// shifted and permuted scores have the permuted law.
#[test]
fn every_symmetry_holds() {
    let scores = [[0, 3, 3, 1], [2, 0, 5, 5], [4, 1, 0, 2]];
    let orders = [[1, 0, 2, 3], [3, 1, 0, 2], [2, 3, 1, 0]];
    for card in CARDS {
        let contract = (card.contract)();
        for setting in contract.settings.iter().filter(|_| contract.symmetric) {
            let law = (contract.law)(&setting.parameters);
            for (&k, x) in setting.ks.iter().flat_map(|k| scores.iter().map(move |x| (k, x))) {
                let grid = Grid::new(4, 8, UNIT);
                let before = law.at(&grid, x, k, 1.0);
                let moved = moved(card, 4, k);
                for to in orders {
                    let mut there = [0; 4];
                    (0..4).for_each(|i| there[to[i]] = x[i] + 2);
                    let after = law.at(&grid, &there, k, 1.0);
                    for (y, p) in before.iter().enumerate() {
                        let off = (after[moved(y, &to)].ln() - p.ln()).abs();
                        assert!(off <= law.tolerance(), "{}: {x:?} {to:?}", setting.name(card));
                    }
                }
            }
        }
    }
}

fn common_grids(law: &Law, k: usize) -> (Vec<Grid>, [f64; 2]) {
    let exhaustive = exhaustive();
    let grids: &[(usize, i64)] = match (law.integrals, k) {
        (true, 1) if exhaustive => &[(3, 24)],
        (true, _) if exhaustive => &[(4, 8)],
        (true, 1) => &[(3, 11)],
        (true, _) => &[(4, 6)],
        (false, 1 | 2) => &[(3, 24), (4, 8)],
        _ => &[(4, 8)],
    };
    (grids.iter().map(|&(d, levels)| Grid::new(d, levels, UNIT)).collect(), [0.2, 3.0])
}

/// Grids with several sensitivities.
fn own_grids(law: &Law) -> (Vec<Grid>, [f64; 2]) {
    let grids: &[(i64, &[i64])] = if law.integrals {
        &[(11, &[1, 2, 4]), (11, &[4, 1, 1])]
    } else {
        &[(20, &[1, 2, 5]), (24, &[3, 1, 1]), (8, &[1, 1, 2, 3])]
    };
    let grid = |&(levels, own): &(i64, &[i64])| Grid::with_sensitivities(levels, own);
    (grids.iter().map(grid).collect(), [0.5, 2.0])
}

#[test]
fn privacy_by_enumeration() {
    for card in CARDS {
        let contract = (card.contract)();
        let mut largest = 0.0f64;
        for setting in &contract.settings {
            let law = (contract.law)(&setting.parameters);
            for &k in setting.ks {
                for monotonic in [false, true] {
                    if monotonic && !knows_monotonic(card) {
                        continue;
                    }
                    let (worst, pairs) = worst(card, &law, k, monotonic);
                    let name = format!("{}, k = {k}, monotonic: {monotonic}", setting.name(card));
                    let least = if law.integrals { 16_384 } else { 262_144 };
                    assert!(pairs >= least, "{name}: {pairs} pairs");
                    assert!(worst <= 1.0 + law.tolerance(), "{name}: {worst}");
                    println!("{name}: {worst:.6} of epsilon over {pairs} pairs");
                    largest = largest.max(worst);
                }
            }
        }
        // The contract contains the ratio found, and a reason if it is not near 1.
        let documented = contract.max_ratio;
        assert!(
            (documented - largest).abs() < 1e-6,
            "{}: {largest} found, {documented} documented",
            card.id
        );
        assert_eq!(documented < 0.99, contract.slack.is_some(), "{}", card.id);
    }
}

#[test]
fn broken_variants_are_rejected() {
    for card in CARDS {
        for mutant in (card.contract)().mutants {
            let law = mutant.law(&Parameters::default());
            let rejected = cases(&law, mutant.k).into_iter().any(|(grid, eps)| {
                grid.exceeds(1.01 * eps, |scores| law.at(&grid, scores, mutant.k, eps))
            });
            assert!(rejected, "{} passed: {}", card.id, mutant.name);
        }
    }
}
