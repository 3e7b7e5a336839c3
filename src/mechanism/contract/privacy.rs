//! Privacy by enumeration; broken variants are rejected by the same enumeration.

#![allow(clippy::print_stdout)] // tables of the evidence, where output is not captured

use super::cards::is_own;
use super::*;
use crate::mechanism::CARDS;

/// Grids are in half units of the sensitivity.
const UNIT: i64 = 2;

/// The largest log-ratio over epsilon on all grids, and the number of pairs.
fn worst(law: &Law, k: usize, monotonic: bool) -> (f64, usize) {
    let (grids, budgets) = if is_own(law) { own_grids(law) } else { common_grids(law, k) };
    let (mut worst, mut pairs) = (0.0f64, 0);
    for grid in grids {
        let grid = if monotonic { grid.monotonic() } else { grid };
        for eps in budgets {
            let found = law.enumerate(&grid, k, eps, &|_| ());
            worst = worst.max(found.max_log_ratio / eps);
            pairs += found.pairs;
        }
    }
    (worst, pairs)
}

fn common_grids(law: &Law, k: usize) -> (Vec<Grid>, [f64; 2]) {
    let exhaustive = std::env::var_os("DPSIS_EXHAUSTIVE").is_some();
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
                    let (worst, pairs) = worst(&law, k, monotonic);
                    let name = format!("{}, k = {k}, monotonic: {monotonic}", setting.name(card));
                    let least = if law.integrals { 16_384 } else { 262_144 };
                    assert!(pairs >= least, "{name}: {pairs} pairs");
                    assert!(worst <= 1.0 + law.tolerance(), "{name}: {worst}");
                    println!("{name}: {worst:.6} of epsilon over {pairs} pairs");
                    largest = largest.max(worst);
                }
            }
        }
        // The contract says what was found, and why where it is not near 1.
        let said = contract.max_ratio;
        assert!((said - largest).abs() < 1e-6, "{}: {largest} found, {said} said", card.id);
        assert_eq!(said < 0.99, contract.slack.is_some(), "{}", card.id);
    }
}

#[test]
fn broken_variants_are_rejected() {
    for card in CARDS {
        for mutant in (card.contract)().mutants {
            let (worst, pairs) = worst(&mutant.law(&Parameters::default()), mutant.k, false);
            let name = format!("{}: {}", card.id, mutant.name);
            println!("{name}: {worst:.3} of epsilon over {pairs} pairs");
            assert!(worst > 1.01, "{name} passed with {worst}");
        }
    }
}
