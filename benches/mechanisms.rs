//! Every mechanism on a million candidates: `cargo bench --bench mechanisms`.
//!
//! Measured in the same run: one pass that draws one uniform word per candidate, and the physical
//! limit, one partial selection of the scores. The time must not reveal the winner: tied scores are
//! compared with a clear leader.
#![allow(missing_docs, clippy::unwrap_used)]

use std::sync::LazyLock;

use dpsis::mechanism::{
    CARDS, Card, Chooses, Fwer, Mechanism, Parameters, Sensitivity, ThresholdSet, by_id,
};
use dpsis::{Epsilon, Neighbors, Scores, Seeded};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

const D: usize = 1_000_000;
/// The number of candidates for mechanisms defined by comparisons of all pairs.
const M: usize = 100_000;

fn random_scores(d: usize) -> Vec<i64> {
    let mut rng = ChaCha20Rng::seed_from_u64(5);
    (0..d).map(|_| (rng.next_u64() % 1_000_000) as i64).collect()
}

static UNIFORM: LazyLock<Scores> =
    LazyLock::new(|| Scores::new(random_scores(D), 1000, Neighbors::AddRemove).unwrap());
static TIED: LazyLock<Scores> =
    LazyLock::new(|| Scores::new(vec![7; D], 1000, Neighbors::AddRemove).unwrap());
static LEADER: LazyLock<Scores> = LazyLock::new(|| {
    let mut values = vec![7; D];
    values[D / 3] = 10_000_000;
    Scores::new(values, 1000, Neighbors::AddRemove).unwrap()
});
static OWN: LazyLock<Scores> = LazyLock::new(|| {
    let sensitivities = random_scores(M).into_iter().map(|s| 1 + s as u64 % 1000).collect();
    Scores::with_sensitivities(random_scores(M), sensitivities, Neighbors::AddRemove).unwrap()
});

fn mechanism(id: &str) -> impl Mechanism {
    by_id(id, &Parameters::default()).unwrap()
}

fn epsilon() -> Epsilon {
    "1".parse().unwrap()
}

fn main() {
    verify();
    divan::main();
}

/// Checks that under a large budget every mechanism picks the best of distinct scores.
fn verify() {
    let values: Vec<i64> = (0..2000).map(|i| (i * 7919) % 2003).collect();
    let mut best: Vec<usize> = (0..values.len()).collect();
    best.sort_by_key(|&i| -values[i]);
    let scores = Scores::new(values, 1, Neighbors::AddRemove).unwrap();
    let of_k = |card: &&&Card| card.chooses != Chooses::AtMost;
    let common = CARDS.iter().filter(|card| card.sensitivity != Sensitivity::Own);
    for card in common.filter(of_k) {
        let k = if card.chooses == Chooses::One { 1 } else { 5 };
        let picks = mechanism(card.id).pick(&scores, k, &"1e6".parse().unwrap(), Seeded(1));
        let mut picks = picks.unwrap().into_inner();
        let mut expected = best[..k].to_vec();
        picks.sort_unstable();
        expected.sort_unstable();
        assert_eq!(picks, expected, "{}", card.id);
    }
}

fn run(bencher: divan::Bencher<'_, '_>, id: &str, scores: &Scores, k: usize) {
    let (mechanism, epsilon) = (mechanism(id), epsilon());
    let mut seed = 0;
    bencher.bench_local(|| {
        seed += 1;
        mechanism.pick(scores, k, &epsilon, Seeded(seed)).unwrap()
    });
}

const ONE: [&str; 4] = ["em", "pnf", "noisy-max", "krr"];
const SEVERAL: [&str; 3] = ["peel", "laplace", "gamma"];

#[divan::bench(args = ONE, sample_count = 20)]
fn one(bencher: divan::Bencher<'_, '_>, id: &str) {
    run(bencher, id, &UNIFORM, 1);
}

#[divan::bench(args = SEVERAL, sample_count = 20)]
fn ten(bencher: divan::Bencher<'_, '_>, id: &str) {
    run(bencher, id, &UNIFORM, 10);
}

#[divan::bench(args = ["canonical", "canonical-gumbel", "joint", "joint-pnf", "joint-set"], sample_count = 20)]
fn ten_at_once(bencher: divan::Bencher<'_, '_>, id: &str) {
    run(bencher, id, &UNIFORM, 10);
}

/// Levels that 0, 50, 1,000 and half a million scores exceed.
const ABOVE: [(&str, i64); 4] =
    [("0", 1_000_000), ("50", 999_950), ("1000", 999_000), ("500000", 500_000)];

#[divan::bench(args = ABOVE, sample_count = 20)]
fn above_a_level(bencher: divan::Bencher<'_, '_>, (_, level): (&str, i64)) {
    let above = ThresholdSet::new((level, 1000), "0.025", Fwer::Share).unwrap();
    let epsilon = epsilon();
    let mut seed = 0;
    bencher.bench_local(|| {
        seed += 1;
        above.pick(&UNIFORM, D, &epsilon, Seeded(seed)).unwrap()
    });
}

#[divan::bench(sample_count = 5)]
fn ten_by_peeling_pnf(bencher: divan::Bencher<'_, '_>) {
    run(bencher, "peel-pnf", &UNIFORM, 10);
}

#[divan::bench(args = ["gem", "mgem", "cgem", "rs", "rs-tnb"], sample_count = 10)]
fn own_sensitivities(bencher: divan::Bencher<'_, '_>, id: &str) {
    run(bencher, id, &OWN, 1);
}

const TIMED: [&str; 10] =
    ["em", "pnf", "krr", "peel", "laplace", "gamma", "peel-pnf", "canonical", "joint", "joint-set"];

fn timed() -> impl Iterator<Item = (&'static str, &'static str)> {
    TIMED.into_iter().flat_map(|id| [(id, "tied"), (id, "leader")])
}

#[divan::bench(args = timed(), sample_count = 10)]
fn timing(bencher: divan::Bencher<'_, '_>, (id, kind): (&str, &str)) {
    let k = if ONE.contains(&id) { 1 } else { 10 };
    run(bencher, id, if kind == "tied" { &TIED } else { &LEADER }, k);
}

#[divan::bench(sample_count = 20)]
fn reference_one_uniform_a_candidate(bencher: divan::Bencher<'_, '_>) {
    let mut rng = ChaCha20Rng::seed_from_u64(1);
    let values = UNIFORM.values();
    bencher.bench_local(|| {
        // The largest score plus uniform noise, so that no draw is optimized away.
        let uniform = |word: u64| (word >> 11) as f64 / (1u64 << 53) as f64;
        values.iter().map(|&v| v as f64 + uniform(rng.next_u64())).fold(0.0, f64::max)
    });
}

/// The noise of `pnf`, `em` and `laplace` as usually written in floating point, with the same
/// generator: one or two logarithms per candidate. It is not private, because the low bits of the
/// noise reveal the score.
#[divan::bench(args = ["exponential", "gumbel", "laplace"], sample_count = 20)]
fn reference_noise_in_floats(bencher: divan::Bencher<'_, '_>, kind: &str) {
    let mut rng = ChaCha20Rng::seed_from_u64(1);
    let values = UNIFORM.values();
    bencher.bench_local(|| {
        let mut best = (f64::NEG_INFINITY, 0);
        for (i, &value) in values.iter().enumerate() {
            let u = ((rng.next_u64() >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
            let noise = match kind {
                "exponential" => -u.ln(),
                "gumbel" => -(-u.ln()).ln(),
                _ if u < 0.5 => (2.0 * u).ln(),
                _ => -(2.0 * (1.0 - u)).ln(),
            };
            let noisy = value as f64 / 2000.0 + noise;
            if noisy > best.0 {
                best = (noisy, i);
            }
        }
        best
    });
}

#[divan::bench(sample_count = 20)]
fn limit_partial_selection(bencher: divan::Bencher<'_, '_>) {
    bencher.with_inputs(|| UNIFORM.values().to_vec()).bench_local_values(|mut values| {
        values.select_nth_unstable(D - 10);
        values
    });
}
