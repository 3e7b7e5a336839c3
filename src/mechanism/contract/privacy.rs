//! Privacy by enumeration; broken variants are rejected by the same enumeration.

#![allow(clippy::print_stdout)] // tables of the evidence, where output is not captured

use super::*;
use crate::support::neighbors::Grid;

/// The largest log-ratio over epsilon on all grids, and the number of pairs.
fn worst(law: &Law, k: usize, integrals: bool, monotonic: bool) -> (f64, usize) {
    match law {
        Law::Common(law) => worst_of_common(law, k, integrals, monotonic),
        Law::Own(law) => worst_of_own(law, integrals),
    }
}

fn worst_of_common(law: &CommonLaw, k: usize, integrals: bool, monotonic: bool) -> (f64, usize) {
    let (mut worst, mut pairs) = (0.0f64, 0);
    let exhaustive = std::env::var_os("DPSIS_EXHAUSTIVE").is_some();
    let grids: &[(usize, i64)] = match (integrals, k) {
        (true, 1) if exhaustive => &[(3, 24)],
        (true, _) if exhaustive => &[(4, 8)],
        (true, 1) => &[(3, 11)],
        (true, _) => &[(4, 6)],
        (false, 1 | 2) => &[(3, 24), (4, 8)],
        _ => &[(4, 8)],
    };
    for &(d, levels) in grids {
        for eps in [0.2, 3.0] {
            let grid = Grid::new(d, levels, UNIT);
            // The law in its rate: monotonic scores are given twice the epsilon.
            let (grid, given) = if monotonic { (grid.monotonic(), 2.0 * eps) } else { (grid, eps) };
            let found = grid.enumerate(|x| law(&in_units(x), k, given));
            worst = worst.max(found.max_log_ratio / eps);
            pairs += found.pairs;
        }
    }
    (worst, pairs)
}

/// The same over grids with several sensitivities.
fn worst_of_own(law: &OwnLaw, integrals: bool) -> (f64, usize) {
    let (mut worst, mut pairs) = (0.0f64, 0);
    let grids: &[(i64, &[i64])] = if integrals {
        &[(11, &[1, 2, 4]), (11, &[4, 1, 1])]
    } else {
        &[(20, &[1, 2, 5]), (24, &[3, 1, 1]), (8, &[1, 1, 2, 3])]
    };
    for (levels, sensitivities) in grids {
        let d: Vec<f64> = sensitivities.iter().map(|&s| s as f64).collect();
        for eps in [0.5, 2.0] {
            let grid = Grid::with_sensitivities(*levels, sensitivities);
            let found =
                grid.enumerate(|q| law(&q.iter().map(|&v| v as f64).collect::<Vec<_>>(), &d, eps));
            worst = worst.max(found.max_log_ratio / eps);
            pairs += found.pairs;
        }
    }
    (worst, pairs)
}

fn in_units(x: &[i64]) -> Vec<f64> {
    x.iter().map(|&value| value as f64 / UNIT as f64).collect()
}

#[test]
fn privacy_by_enumeration() {
    for card in CARDS {
        let contract = (card.contract)();
        let mut largest = 0.0f64;
        for setting in &contract.settings {
            // Integrals are right to about ten digits.
            let tolerance = match (&setting.law, setting.integrals) {
                (_, false) => 1e-12,
                (Law::Common(_), true) => 1e-9,
                (Law::Own(_), true) => 1e-8,
            };
            for &k in setting.ks {
                for monotonic in [false, true] {
                    if monotonic && !knows_monotonic(card) {
                        continue;
                    }
                    let (worst, pairs) = worst(&setting.law, k, setting.integrals, monotonic);
                    let name = format!("{}, k = {k}, monotonic: {monotonic}", setting.name(card));
                    let least = if setting.integrals { 16_384 } else { 262_144 };
                    assert!(pairs >= least, "{name}: {pairs} pairs");
                    assert!(worst <= 1.0 + tolerance, "{name}: {worst}");
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
            let (worst, pairs) = worst(&mutant.law, mutant.k, mutant.integrals, false);
            let name = format!("{}: {}", card.id, mutant.name);
            println!("{name}: {worst:.3} of epsilon over {pairs} pairs");
            assert!(worst > 1.01, "{name} passed with {worst}");
        }
    }
}
