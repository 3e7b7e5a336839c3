//! Adjusted selections by simulation: `cargo run --release --features ndarray --example strata`.
//!
//! Made-up tables of batches, in which the share of cases differs between batches: by the
//! confounding c, cases are (1 + c)/2 of every other batch and (1 - c)/2 of the rest, so that at c = 1
//! the batch determines the class. A tenth of the features, at least two, differ between batches
//! alone, by a standard deviation or more: between every other one as the classes do, rising from
//! batch to batch, or at random. Five differ between the classes of each batch; the others are
//! noise.
//!
//! For each share of epsilon that goes to the centers of the batches:
//!
//! - *batch*: how often features that differ between batches alone are among the k names, as a
//!   multiple of their share of the features without an association: in tables without the five;
//! - *found*: how many of the k best of five are named, in tables with them, in percent.
//!
//! The first argument is the number of runs for each row, 200 if it is not given. A run has its own
//! centers and its own selection; five are of one table. The second is a share of the center, the
//! third the number of a row: all if they are not given.

#![allow(clippy::print_stdout)] // an example prints

use dpsis::{ArrayTable, Covariate, Epsilon, Rehearsal, RehearsalSeeds, Select, Target};
use ndarray::{Array1, Array2};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_distr::{Distribution, StandardNormal};

/// The runs on one table.
const DRAWS: u64 = 5;
const TRUE_ONES: usize = 5;

struct Setting {
    rows: usize,
    batches: usize,
    features: usize,
    k: usize,
    epsilon: &'static str,
    confounding: f64,
    /// The distance of the classes in the five, in standard deviations.
    effect: f64,
}

const fn setting(
    [rows, batches, features, k]: [usize; 4],
    epsilon: &'static str,
    confounding: f64,
    effect: f64,
) -> Setting {
    Setting { rows, batches, features, k, epsilon, confounding, effect }
}

const SETTINGS: [Setting; 22] = [
    setting([200, 2, 20, 1], "1", 0.5, 0.8),
    setting([200, 10, 20, 1], "1", 0.5, 1.0),
    setting([200, 2, 20, 1], "1", 1.0, 0.8),
    setting([600, 2, 20, 1], "1", 0.84, 0.6),
    setting([1200, 2, 20, 1], "1", 0.84, 0.4),
    setting([1200, 2, 20, 1], "0.5", 0.84, 0.4),
    setting([1200, 2, 20, 1], "1", 1.0, 0.4),
    setting([3000, 2, 20, 1], "5", 1.0, 0.3),
    setting([600, 4, 1000, 1], "1", 0.0, 0.5),
    setting([600, 4, 1000, 5], "2", 0.5, 0.8),
    setting([600, 10, 200, 1], "1", 0.5, 0.5),
    setting([600, 10, 200, 1], "1", 1.0, 0.5),
    setting([1000, 5, 5000, 1], "1", 0.5, 0.5),
    setting([1000, 20, 100, 5], "1", 0.0, 0.6),
    setting([1000, 50, 10, 1], "1", 0.5, 0.4),
    setting([1000, 50, 100, 1], "0.5", 0.5, 0.8),
    setting([2000, 20, 500, 20], "2", 0.3, 0.5),
    setting([3000, 10, 100, 1], "5", 0.9, 0.25),
    setting([3000, 10, 1000, 1], "2", 0.7, 0.3),
    setting([3000, 10, 100, 1], "5", 1.0, 0.3),
    setting([3000, 50, 100, 1], "0.5", 0.8, 0.5),
    setting([3000, 50, 1000, 1], "2", 1.0, 0.5),
];

const SHARES: [&str; 5] = ["0.075", "0.15", "0.25", "0.4", "0.55"];

/// A table of a setting, with the five features or without.
fn table(setting: &Setting, with: bool, seed: u64) -> (Array2<f64>, Array1<f64>) {
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    let Setting { rows, batches, features, confounding, effect, .. } = *setting;
    let batch: Vec<f64> = (0..rows).map(|row| (row % batches) as f64).collect();
    let uniform = |rng: &mut ChaCha20Rng| (rng.next_u32() as f64 + 0.5) / 2f64.powi(32);
    let case = |batch: &f64| {
        let share = if batch % 2.0 == 0.0 { 1.0 - confounding } else { 1.0 + confounding };
        f64::from(uniform(&mut rng) < share / 2.0)
    };
    let y: Vec<f64> = batch.iter().map(case).collect();
    let mut x = Array2::zeros((rows, features + 1));
    for (feature, mut column) in x.columns_mut().into_iter().enumerate().take(features) {
        let own: Vec<f64> = (0..batches).map(|_| 6.0 * uniform(&mut rng)).collect();
        for (row, value) in column.iter_mut().enumerate() {
            let normal: f64 = StandardNormal.sample(&mut rng);
            let b = batch[row];
            let shift = match feature {
                _ if feature < of_batch(features) => {
                    [3.0 * (b % 2.0), 3.0 * b, own[b as usize]][feature % 3]
                }
                _ if with && feature >= features - TRUE_ONES => effect * y[row],
                _ => 0.0,
            };
            *value = normal + shift;
        }
    }
    x.column_mut(features).assign(&Array1::from(batch));
    (x, Array1::from(y))
}

/// The number of features that differ between batches alone: the first ones.
fn of_batch(features: usize) -> usize {
    (features / 10).max(2)
}

/// The features that are named in runs with this share of the center.
fn names(
    (number, setting): (u64, &Setting),
    with: bool,
    runs: u64,
    shares: &[&str],
) -> dpsis::Result<Vec<Vec<usize>>> {
    let mut named = vec![Vec::new(); shares.len()];
    let epsilon: Epsilon = setting.epsilon.parse()?;
    for seed in 0..runs.div_ceil(DRAWS) {
        // No two rows share a table or a draw.
        let seed = 100_000 * number + seed;
        let (x, y) = table(setting, with, 2 * seed + u64::from(with));
        let names = (0..setting.features).map(|feature| format!("f{feature}"));
        let table = ArrayTable::new(x.view(), y.view())?;
        let table = table.feature_names(names.chain(["batch".to_owned()]))?;
        let levels: Vec<String> = (0..setting.batches).map(|batch| batch.to_string()).collect();
        for (share, named) in shares.iter().zip(&mut named) {
            let request = Select::new(setting.k)
                .target(Target::classes(["0", "1"]))
                .adjust([Covariate::levels("batch", levels.clone())?])
                .shares("0.1", *share);
            let rehearsal = Rehearsal::new(request, &table)?;
            for draw in 0..DRAWS {
                let seeds = RehearsalSeeds::all(seed * DRAWS + draw);
                let picks = rehearsal.picks(setting.k, &epsilon, None, seeds)?;
                named.extend(picks.into_inner());
            }
        }
    }
    Ok(named)
}

fn main() -> dpsis::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let runs: u64 = arguments.first().and_then(|text| text.parse().ok()).unwrap_or(200);
    let shares: Vec<&str> = match arguments.get(1) {
        Some(share) if share != "all" => vec![share],
        _ => SHARES.to_vec(),
    };
    let only: Option<usize> = arguments.get(2).and_then(|text| text.parse().ok());
    println!("share of the center: {}", shares.join(", "));
    println!("rows  batches  features  k  epsilon  confounding  effect  batch; found");
    for (number, setting) in SETTINGS.iter().enumerate() {
        if only.is_some_and(|only| only != number + 1) {
            continue;
        }
        let Setting { rows, batches, features, k, epsilon, confounding, effect } = *setting;
        let chance = of_batch(features) as f64 / features as f64;
        let all = (runs.div_ceil(DRAWS) * DRAWS) as f64;
        let numbered = (number as u64, setting);
        let batch = names(numbered, false, runs, &shares)?;
        let batch = batch.iter().map(|named| {
            let of_batch = named.iter().filter(|name| **name < of_batch(features)).count();
            format!("{:.2}", of_batch as f64 / all / k as f64 / chance)
        });
        let batch: Vec<String> = batch.collect();
        let found = names(numbered, true, runs, &shares)?;
        let found = found.iter().map(|named| {
            let found = named.iter().filter(|name| **name >= features - TRUE_ONES).count();
            format!("{:.0}", 100.0 * found as f64 / all / k.min(TRUE_ONES) as f64)
        });
        let found: Vec<String> = found.collect();
        println!(
            "{rows:>4}  {batches:>7}  {features:>8} {k:>2}  {epsilon:>7}  {confounding:>11}  {effect:>6}  {}; {}",
            batch.join(" "),
            found.join(" ")
        );
    }
    Ok(())
}
