//! The rows with which half of five associated features are found, with and without privacy.
//!
//! ```text
//! cargo run --release -p dpsis-papers --example rows -- 20
//! ```
//!
//! Tables of 1,000 normal columns, of which five are shifted by 0.6 standard deviations in one of
//! two equal classes. Numbers of rows grow by a quarter; between two of them the line through the
//! mean shares is followed. The tables are public, all draws seeded; nothing here is private.
#![allow(clippy::print_stdout, reason = "an example prints its results")]

use std::sync::Mutex;

use dpsis::internals;
use dpsis::{
    ArrayTable, Epsilon, Error, Rehearsal, RehearsalSeeds, Result, Select, Target, Weights,
};
use ndarray::{Array1, Array2};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

const FEATURES: usize = 1_000;
const ASSOCIATED: usize = 5;
const SHIFT: f64 = 0.6;
const PUBLIC_ROWS: usize = 100;
const EPSILONS: [&str; 4] = ["0.5", "1", "2", "5"];
const FIRST: f64 = 60.0;
const GROWTH: f64 = 1.25;
const MAX_ROWS: f64 = 20_000.0;

/// A table with the first features shifted in the second half of the rows.
type Table = (Array2<f64>, Array1<&'static str>);

fn table(rows: usize, seed: u64) -> Table {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let x = Array2::from_shape_fn((rows, FEATURES), |(row, feature)| {
        let shifted = feature < ASSOCIATED && row >= rows / 2;
        rng.sample::<f64, _>(StandardNormal) + if shifted { SHIFT } else { 0.0 }
    });
    (x, Array1::from_shape_fn(rows, |row| if row < rows / 2 { "a" } else { "b" }))
}

fn rehearsal(select: Select, (x, labels): &Table) -> Result<Rehearsal> {
    let select = select.epsilon(1).target(Target::classes(["a", "b"]));
    Rehearsal::new(select, &ArrayTable::new(x.view(), labels.view())?)
}

/// Weights from a public cohort with the same effects.
fn cohort(seed: u64) -> Result<Weights> {
    let public = rehearsal(Select::new(1), &table(PUBLIC_ROWS, (1 << 40) + seed))?;
    Weights::new(public.feature_weights()?.into_inner())
}

/// A way to select, and which features count as found.
struct Way {
    name: &'static str,
    select: Select,
    weighted: bool,
    /// Whether only significant features count.
    significant: bool,
}

fn ways() -> Vec<Way> {
    let way =
        |name, select: Select, weighted, significant| Way { name, select, weighted, significant };
    let (k, all) = (|| Select::new(ASSOCIATED), Select::significant);
    vec![
        way("k = 5, found", k(), false, false),
        way("k = 5, significant", k(), false, true),
        way("without k", all(), false, true),
        way("without k, delta 1e-6", all().delta("1e-6"), false, true),
        way("weights, k = 5, found", k(), true, false),
        way("weights, k = 5, significant", k(), true, true),
        way("weights, without k", all(), true, true),
    ]
}

/// The share of the associated features that one draw finds.
fn share(way: &Way, rehearsal: &Rehearsal, epsilon: &str, seed: u64) -> Result<f64> {
    let epsilon: Epsilon = epsilon.parse()?;
    // Without k, features up to their number can be named.
    let most = if way.name.contains("without k") { FEATURES } else { ASSOCIATED };
    let seeds = RehearsalSeeds::new(seed, seed);
    let picks = rehearsal.findings(most, &epsilon, seeds)?;
    let right = picks.iter().filter(|pick| pick.index < ASSOCIATED);
    let right = right.filter(|pick| !way.significant || pick.significant == Some(true));
    Ok(right.count() as f64 / ASSOCIATED as f64)
}

/// The share that is significant without privacy: Kolmogorov's test, Bonferroni's correction at 5%.
fn share_without_privacy(table: &Table) -> Result<f64> {
    let rehearsal = rehearsal(Select::new(1), table)?;
    let Some(effects) = rehearsal.effect_sizes() else { return Ok(f64::NAN) };
    let quarter = table.1.len() as f64 / 4.0;
    let least = ((2.0 * FEATURES as f64 / 0.05).ln() / (2.0 * quarter)).sqrt();
    let right = effects?.iter().take(ASSOCIATED).filter(|effect| **effect > least).count();
    Ok(right as f64 / ASSOCIATED as f64)
}

/// The number of rows at which a mean share reaches one half, by its values at growing numbers.
fn rows_for_half(shares: &[(f64, f64)]) -> Option<f64> {
    let place = shares.iter().position(|(_, share)| *share >= 0.5)?;
    let (rows, share) = shares[place];
    let Some(&(before, lower)) = place.checked_sub(1).and_then(|place| shares.get(place)) else {
        return Some(rows);
    };
    let part = (0.5 - lower) / (share - lower);
    Some((before.ln() + part * (rows / before).ln()).exp())
}

/// The mean of a share over some seeds.
fn mean(runs: u64, one: impl Fn(u64) -> Result<f64> + Sync) -> Result<f64> {
    let sum = Mutex::new(0.0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    internals::in_parallel(runs, threads, |seed| {
        let share = one(seed)?;
        if let Ok(mut sum) = sum.lock() {
            *sum += share;
        }
        Ok(())
    })?;
    Ok(sum.into_inner().unwrap_or(f64::NAN) / runs as f64)
}

/// Rows for half of the features, for a share at each number of rows.
fn search(runs: u64, share: impl Fn(&Table, u64) -> Result<f64> + Sync) -> Result<Option<f64>> {
    let mut shares = Vec::new();
    let mut rows = FIRST;
    while rows < MAX_ROWS && shares.last().is_none_or(|(_, share)| *share < 0.5) {
        let count = (rows / 2.0).round() as usize * 2;
        let mean = mean(runs, |seed| share(&table(count, seed), seed))?;
        shares.push((count as f64, mean));
        rows *= GROWTH;
    }
    Ok(rows_for_half(&shares))
}

fn shown(rows: Option<f64>) -> String {
    rows.map_or_else(|| format!("over {MAX_ROWS}"), |rows| format!("{rows:.0}"))
}

fn main() -> Result<()> {
    let wrong = || Error::request("give the number of tables for each number of rows");
    let runs = std::env::args().nth(1).and_then(|runs| runs.parse().ok()).ok_or_else(wrong)?;
    let without = search(runs, |table, _| share_without_privacy(table))?;
    println!("without privacy: {}", shown(without));
    for way in ways() {
        for epsilon in EPSILONS {
            let rows = search(runs, |table, seed| {
                let select = match way.weighted {
                    true => way.select.clone().weights(cohort(seed)?),
                    false => way.select.clone(),
                };
                share(&way, &rehearsal(select, table)?, epsilon, seed)
            })?;
            println!("{}, epsilon {epsilon}: {}", way.name, shown(rows));
        }
    }
    Ok(())
}
