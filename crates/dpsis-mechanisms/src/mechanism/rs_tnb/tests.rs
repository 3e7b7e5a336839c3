#![allow(clippy::print_stdout)] // tables of the evidence, where output is not captured

use super::*;
use crate::random::Entropy;
use crate::support::goodness::assert_fits;
use crate::support::oracle::{gauss_legendre, max_log_ratio};

/// Against the published weights (1 - gamma)^n times the product of (l + eta)/(l + 1), l < n; for
/// eta = 0 the logarithmic distribution.
#[test]
fn numbers_of_looks_have_their_law() {
    // The last eta is not a fraction of machine integers.
    for (eta, gamma) in [
        ((0i64, 1i64), (1i64, 3i64)),
        ((1, 1), (1, 4)),
        ((-1, 2), (1, 5)),
        ((1, 2), (1, 2)),
        ((1, 1 << 40), (1, 2)),
    ] {
        let (e, g) = (eta.0 as f64 / eta.1 as f64, gamma.0 as f64 / gamma.1 as f64);
        let weight = |n: i32| {
            let product: f64 = (1..n).map(|l| (f64::from(l) + e) / (f64::from(l) + 1.0)).product();
            (1.0 - g).powi(n) * product
        };
        let mut law: Vec<f64> = (1..200).map(weight).collect();
        let total: f64 = law.iter().sum();
        law.iter_mut().for_each(|p| *p /= total);
        let mut counts = vec![0u64; law.len()];
        let mut words = Entropy::Seeded(3).source().unwrap().bits(0).lane(0);
        for _ in 0..50_000 {
            let n = looks(&ratio(eta.0, eta.1), &ratio(gamma.0, gamma.1), &mut words);
            counts[n as usize - 1] += 1;
        }
        assert_fits(&counts, &law);
    }
}

/// Random stopping over any base: looks with three outcomes, worse to better, whose probabilities
/// move by at most e^eps0. Not only over scores.
#[test]
fn random_stopping_keeps_any_private_look_private() {
    let eps0 = 0.7f64;
    let bases: Vec<[f64; 3]> = (1..12)
        .flat_map(|a| (1..12 - a).map(move |b| [f64::from(a), f64::from(b), f64::from(12 - a - b)]))
        .map(|base| base.map(|p| p / 12.0))
        .collect();
    let near = |a: &[f64; 3], b: &[f64; 3]| {
        a.iter().zip(b).all(|(p, q)| (p.ln() - q.ln()).abs() <= eps0 + 1e-12)
    };
    for (eta, gamma) in [(1.0, 0.05), (0.0, 0.05), (-0.5, 0.2), (1.0, 1e-4)] {
        // G by integrating its slope exactly: sums of the published weights.
        let weight = |n: i32| {
            let product: f64 =
                (1..n).map(|l| (f64::from(l) + eta) / (f64::from(l) + 1.0)).product();
            (1.0f64 - gamma).powi(n) * product
        };
        let slope = law::slope(eta, gamma);
        let sum: f64 = (1..3000).map(weight).sum();
        let direct: f64 = (1..3000).map(|n| weight(n) * f64::from(n) * 0.5f64.powi(n - 1)).sum();
        if gamma > 0.01 {
            assert!((slope(0.5) - direct / sum).abs() < 1e-9);
        }
        // The best look is outcome j: G(F_j) - G(F_(j-1)), by Gauss-Legendre between them.
        let law = |base: &[f64; 3]| {
            let mut below = 0.0;
            base.map(|p| {
                let from = below;
                below += p;
                let pieces = 200;
                (0..pieces)
                    .map(|i| {
                        let start = from + p * f64::from(i) / f64::from(pieces);
                        let width = p / f64::from(pieces);
                        gauss_legendre(8)
                            .iter()
                            .map(|(t, w)| w * width * slope(start + t * width))
                            .sum::<f64>()
                    })
                    .sum::<f64>()
            })
        };
        let laws: Vec<[f64; 3]> = bases.iter().map(law).collect();
        let mut worst = 0.0f64;
        for (a, p) in bases.iter().zip(&laws) {
            for (b, q) in bases.iter().zip(&laws) {
                if near(a, b) {
                    worst = worst.max(max_log_ratio(p, q));
                }
            }
        }
        println!("eta {eta}, gamma {gamma}: {:.4} of (2 + eta) eps0", worst / ((2.0 + eta) * eps0));
        assert!(worst <= (2.0 + eta) * eps0 + 1e-9, "eta {eta}: {worst}");
        assert!(worst > eps0, "eta {eta}: {worst}");
    }
}
