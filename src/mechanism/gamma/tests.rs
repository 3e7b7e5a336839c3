use super::*;
use crate::mechanism::contract::{Contract, Mutant, Setting};
use crate::random::Entropy;
use crate::support::goodness::assert_fits;

pub(in crate::mechanism) fn contract() -> Contract {
    Contract {
        settings: vec![Setting::new(&[1, 2], law::law).by_integrals()],
        exact: vec![],
        max_ratio: 1.0,
        slack: None,
        mutants: vec![
            // Noise scaled as for a single score: 1/eps instead of a Gamma radius.
            Mutant::new("a cube of the wrong dimension", 2, |x, k, eps| {
                law::law(x, k, eps * x.len() as f64)
            })
            .by_integrals(),
        ],
    }
}

/// Radii against their law, with a coarse grid where all values are seen.
#[test]
fn radii_have_their_law() {
    for (d, rate) in [(1usize, (1, 2)), (3, (1, 1)), (10, (3, 1)), (4, (7, 2))] {
        let rate = BigRational::new(rate.0.into(), rate.1.into());
        let r = rate.to_f64().unwrap();
        let weight = |v: usize| ((2 * v + 1) as f64).powi(d as i32) * (-r * v as f64).exp();
        let mut law: Vec<f64> = (0..100).map(weight).collect();
        let total: f64 = law.iter().sum();
        law.iter_mut().for_each(|p| *p /= total);
        let mut counts = vec![0u64; 100];
        for seed in 0..20_000 {
            let bits = Entropy::Seeded(seed).source().unwrap().bits(0);
            counts[radius(d, &rate, &bits).to_usize().unwrap()] += 1;
        }
        assert_fits(&counts, &law);
    }
}

/// The privacy of the noise itself on a coarse grid, where every vector can be looked at: its
/// probability depends on the largest component alone, and falls by e^-rate a step.
#[test]
fn noise_vectors_have_their_law() {
    let (d, rate) = (2usize, 1.5f64);
    let weight = |v: i64| ((2 * v + 1) as f64).powi(d as i32) * (-rate * v as f64).exp();
    let total: f64 = (0..200).map(weight).sum();
    // P(z): a radius that reaches z, then one of its points.
    let p = |z: [i64; 2]| {
        let reach = z[0].abs().max(z[1].abs());
        let at = |v: i64| weight(v) / total / ((2 * v + 1) as f64).powi(d as i32);
        (reach..200).map(at).sum::<f64>()
    };
    for a in -6..=6i64 {
        for b in -6..=6i64 {
            for shift in [[1, 0], [0, 1], [1, 1], [1, -1]] {
                let ratio = (p([a, b]) / p([a + shift[0], b + shift[1]])).ln().abs();
                assert!(ratio <= rate + 1e-12, "{a}, {b}: {ratio}");
            }
        }
    }
}

/// Large tables: the radius is near its mode, d/rate, within ten standard deviations.
#[test]
fn radii_of_large_tables() {
    let rate = BigRational::new(1.into(), BigInt::from(FINENESS));
    for d in [1usize, 1000, 1_000_000] {
        let bits = Entropy::Seeded(d as u64).source().unwrap().bits(0);
        let units = radius(d, &rate, &bits).to_f64().unwrap() / FINENESS as f64;
        let n = d as f64 + 1.0;
        assert!((units - n).abs() <= 10.0 * n.sqrt(), "{d}: {units}");
    }
}

#[test]
fn ties_are_broken_at_random() {
    let mut counts = [0u64; 3];
    for seed in 0..30_000 {
        let mut words = Entropy::Seeded(seed).source().unwrap().bits(0).lane(0);
        counts[largest(&[7, 7, 7], 1, &mut words, |value, _| value)[0]] += 1;
    }
    assert_fits(&counts, &[1.0 / 3.0; 3]);
}
