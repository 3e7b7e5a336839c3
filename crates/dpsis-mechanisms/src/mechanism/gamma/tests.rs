use super::*;
use crate::exact::ratio;
use crate::random::Entropy;
use crate::support::goodness::assert_fits;

/// The privacy of the noise itself on a coarse grid, where all vectors can be enumerated: its
/// probability depends on the largest component alone, and falls by e^-rate per step.
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

#[test]
fn ties_are_broken_at_random() {
    let mut counts = [0u64; 3];
    for seed in 0..30_000 {
        let mut words = Entropy::Seeded(seed).source().unwrap().bits(0).lane(0);
        counts[largest(&[7, 7, 7], 1, &mut words, |value, _| value)[0]] += 1;
    }
    assert_fits(&counts, &[1.0 / 3.0; 3]);
}

/// The least power of two above 1 that is no less than the rate times 2^30.
#[test]
fn grid_is_fine_enough_for_the_rate() {
    for (rate, bits) in [
        (ratio(1, 1), 30),
        (ratio(2, 1), 31),
        (ratio((1 << 30) + 1, 1 << 30), 31),
        (ratio((1 << 30) - 1, 1 << 30), 30),
        (ratio(1, 1 << 30), 1),
        (ratio(3, 1 << 30), 2),
        (ratio(4, 1 << 30), 2),
        (ratio(1, i64::MAX), 1),
    ] {
        assert_eq!(fineness(&rate), BigUint::one() << bits, "{rate}");
    }
}
