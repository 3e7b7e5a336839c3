//! The mechanisms that select all k at once: `cargo bench --bench selection`.
//!
//! Measured in the same run: a naive race of all classes in floating point (without certified
//! comparisons and without blocks), and the physical limit, one partial selection of the same
//! scores. `cargo bench --bench growth` shows how the time grows with d and k.
#![allow(missing_docs, clippy::unwrap_used)]

use dpsis::mechanism::{Joint, JointPermuteAndFlip, Mechanism};
use dpsis::{CanonicalLipschitz, Epsilon, Neighbors, Scores, Seeded};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

fn main() {
    verify();
    divan::main();
}

/// Pairs (number of candidates, k).
const SIZES: [(usize, usize); 7] = [
    (1_000, 10),
    (22_000, 1),
    (22_000, 10),
    (22_000, 100),
    (1_000_000, 10),
    (1_000_000, 100),
    (1_000_000, 500),
];

/// The sizes at which the naive race takes less than minutes.
const NAIVE_SIZES: [(usize, usize); 5] =
    [(1_000, 10), (22_000, 1), (22_000, 10), (22_000, 100), (1_000_000, 10)];

/// The shape of the scores.
#[derive(Debug, Clone, Copy)]
enum Shape {
    Pareto,
    Uniform,
    Null,
    Tied,
}

const SENSITIVITY: u64 = 1 << 20;

fn values(shape: Shape, d: usize) -> Vec<i64> {
    let mut rng = ChaCha20Rng::seed_from_u64(1);
    let mut unit = || (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
    let scale = SENSITIVITY as f64;
    (0..d)
        .map(|_| match shape {
            Shape::Pareto => (scale * (1.0 - unit()).powf(-0.5)) as i64,
            Shape::Uniform => (scale * 1000.0 * unit()) as i64,
            Shape::Null => (scale * unit()) as i64,
            Shape::Tied => (4.0 * unit()) as i64 * SENSITIVITY as i64,
        })
        .collect()
}

fn scores(shape: Shape, d: usize) -> Scores {
    Scores::new(values(shape, d), SENSITIVITY, Neighbors::AddRemove).unwrap()
}

fn select(
    mechanism: &impl Mechanism,
    scores: &Scores,
    k: usize,
    epsilon: &Epsilon,
    seed: u64,
) -> Vec<usize> {
    mechanism.pick(scores, k, epsilon, Seeded(seed)).unwrap().into_inner()
}

/// Checks that with a very large budget the selection is the top k, in order if the mechanism
/// releases one.
fn verify() {
    let scores = scores(Shape::Uniform, 22_000);
    let epsilon = "1000000".parse().unwrap();
    let mut order: Vec<usize> = (0..22_000).collect();
    order.sort_by_key(|&i| std::cmp::Reverse(scores.values()[i]));
    let mut top = order[..10].to_vec();
    assert_eq!(select(&Joint, &scores, 10, &epsilon, 0), top);
    assert_eq!(select(&JointPermuteAndFlip, &scores, 10, &epsilon, 0), top);
    top.sort_unstable();
    assert_eq!(select(&CanonicalLipschitz::default(), &scores, 10, &epsilon, 0), top);
}

fn cases() -> Vec<(Shape, usize, usize)> {
    let shapes = [Shape::Pareto, Shape::Uniform, Shape::Null, Shape::Tied];
    shapes.iter().flat_map(|&shape| SIZES.map(|(d, k)| (shape, d, k))).collect()
}

fn bench(
    bencher: divan::Bencher<'_, '_>,
    mechanism: &impl Mechanism,
    (shape, d, k): (Shape, usize, usize),
) {
    let (scores, epsilon) = (scores(shape, d), "1".parse().unwrap());
    let mut seed = 0;
    bencher.bench_local(|| {
        seed += 1;
        select(mechanism, &scores, k, &epsilon, seed)
    });
}

#[divan::bench(args = cases(), sample_count = 25)]
fn canonical(bencher: divan::Bencher<'_, '_>, case: (Shape, usize, usize)) {
    bench(bencher, &CanonicalLipschitz::default(), case);
}

#[divan::bench(args = cases(), sample_count = 25)]
fn joint(bencher: divan::Bencher<'_, '_>, case: (Shape, usize, usize)) {
    bench(bencher, &Joint, case);
}

#[divan::bench(args = cases(), sample_count = 25)]
fn joint_pnf(bencher: divan::Bencher<'_, '_>, case: (Shape, usize, usize)) {
    bench(bencher, &JointPermuteAndFlip, case);
}

/// -ln(-expm1(ln(U)/m)) - z for every class, the largest wins: a careful floating-point
/// implementation.
#[divan::bench(args = NAIVE_SIZES, sample_count = 5)]
fn naive_floating_point(bencher: divan::Bencher<'_, '_>, (d, k): (usize, usize)) {
    let values = values(Shape::Uniform, d);
    let mut rng = ChaCha20Rng::seed_from_u64(2);
    bencher.bench_local(|| {
        let mut sorted = values.clone();
        sorted.sort_unstable_by(|a, b| b.cmp(a));
        let rate = 0.25 / SENSITIVITY as f64;
        let mut best = (f64::NEG_INFINITY, 0, 0);
        for h in 0..k {
            let mut ln_m = 0.0f64;
            for t in k + 1..=d {
                // C(t-h-2, k-h-1) from the previous one.
                if t > k + 1 {
                    ln_m += ((t - h - 2) as f64 / (t - k - 1) as f64).ln();
                }
                let u = (rng.next_u64() as f64 + 0.5) / (1u128 << 64) as f64;
                let ln_v = (-u.ln()).ln();
                let noise = if ln_m > 40.0 {
                    ln_m - ln_v
                } else {
                    -(-(-(ln_v - ln_m).exp()).exp_m1()).ln()
                };
                let z = rate * (sorted[h] - sorted[t - 1]) as f64;
                if noise - z > best.0 {
                    best = (noise - z, h, t);
                }
            }
        }
        best
    });
}

/// The minimum work of any selection.
#[divan::bench(args = cases(), sample_count = 25)]
fn limit_select_nth(bencher: divan::Bencher<'_, '_>, (shape, d, k): (Shape, usize, usize)) {
    let values = values(shape, d);
    bencher.with_inputs(|| values.clone()).bench_local_values(|mut values| {
        values.select_nth_unstable_by(k - 1, |a, b| b.cmp(a));
        values
    });
}
