//! The rows with which half of the associated features are found, with and without privacy.
//!
//! ```text
//! cargo run --release -p dpsis-papers --example rows -- 5 20
//! ```
//!
//! Tables of 1,000 normal columns, of which the given number are shifted by 0.6 standard deviations
//! in one of two equal classes; the mean of the given number of tables. Numbers of rows grow by a
//! quarter; between two of them the line through the mean shares is followed. The tables are
//! public, all draws seeded; nothing here is private.
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
const SHIFT: f64 = 0.6;
const PUBLIC_ROWS: usize = 100;
const EPSILONS: [&str; 4] = ["0.5", "1", "2", "5"];
const FIRST: f64 = 60.0;
const GROWTH: f64 = 1.25;
const MAX_ROWS: f64 = 20_000.0;

/// A table with the first features shifted in the second half of the rows.
type Table = (Array2<f64>, Array1<&'static str>);

fn table(associated: usize, rows: usize, seed: u64) -> Table {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let x = Array2::from_shape_fn((rows, FEATURES), |(row, feature)| {
        let shifted = feature < associated && row >= rows / 2;
        rng.sample::<f64, _>(StandardNormal) + if shifted { SHIFT } else { 0.0 }
    });
    (x, Array1::from_shape_fn(rows, |row| if row < rows / 2 { "a" } else { "b" }))
}

fn rehearsal(select: Select, (x, labels): &Table) -> Result<Rehearsal> {
    let select = select.epsilon(1).target(Target::classes(["a", "b"]));
    Rehearsal::new(select, &ArrayTable::new(x.view(), labels.view())?)
}

/// Weights from a public cohort with the same effects.
fn cohort(associated: usize, seed: u64) -> Result<Weights> {
    let public = table(associated, PUBLIC_ROWS, (1 << 40) + seed);
    let public = rehearsal(Select::new(1), &public)?;
    Weights::new(public.feature_weights()?.into_inner())
}

/// A way to select, and which features count as found.
struct Way {
    name: &'static str,
    select: Select,
    /// The most features that can be named.
    most: usize,
    weighted: bool,
    /// Whether only significant features count.
    significant: bool,
}

fn ways(associated: usize) -> Vec<Way> {
    let way = |name, k: Option<usize>, weighted, significant| {
        let select = k.map_or_else(Select::significant, Select::new);
        Way { name, select, most: k.unwrap_or(FEATURES), weighted, significant }
    };
    let k = Some(associated);
    let mut with_delta = way("without k, delta 1e-6", None, false, true);
    with_delta.select = with_delta.select.delta("1e-6");
    vec![
        way("with k, found", k, false, false),
        way("with k, significant", k, false, true),
        way("without k", None, false, true),
        with_delta,
        way("weights, with k, found", k, true, false),
        way("weights, with k, significant", k, true, true),
        way("weights, without k", None, true, true),
    ]
}

/// The share of the associated features that one draw finds.
fn share(
    way: &Way,
    rehearsal: &Rehearsal,
    epsilon: &str,
    seed: u64,
    associated: usize,
) -> Result<f64> {
    let epsilon: Epsilon = epsilon.parse()?;
    let picks = rehearsal.findings(way.most, &epsilon, RehearsalSeeds::new(seed, seed))?;
    let right = picks.iter().filter(|pick| pick.index < associated);
    let right = right.filter(|pick| !way.significant || pick.significant == Some(true));
    Ok(right.count() as f64 / associated as f64)
}

/// The share found without privacy: among as many largest effect sizes or, if `significant`, by
/// Kolmogorov's test with Bonferroni's correction at 5%.
fn share_without_privacy(table: &Table, associated: usize, significant: bool) -> Result<f64> {
    let rehearsal = rehearsal(Select::new(1), table)?;
    let Some(effects) = rehearsal.effect_sizes() else { return Ok(f64::NAN) };
    let effects = effects?.into_inner();
    let least = if significant {
        let quarter = table.1.len() as f64 / 4.0;
        ((2.0 * FEATURES as f64 / 0.05).ln() / (2.0 * quarter)).sqrt()
    } else {
        let mut sorted = effects.clone();
        sorted.sort_by(|a, b| b.total_cmp(a));
        sorted[associated - 1]
    };
    let right = effects.iter().take(associated).filter(|effect| **effect >= least).count();
    Ok(right as f64 / associated as f64)
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
    let threads = internals::available_threads();
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
fn search(
    associated: usize,
    runs: u64,
    share: impl Fn(&Table, u64) -> Result<f64> + Sync,
) -> Result<Option<f64>> {
    let mut shares = Vec::new();
    let mut rows = FIRST;
    while rows < MAX_ROWS && shares.last().is_none_or(|(_, share)| *share < 0.5) {
        let count = (rows / 2.0).round() as usize * 2;
        let mean = mean(runs, |seed| share(&table(associated, count, seed), seed))?;
        shares.push((count as f64, mean));
        rows *= GROWTH;
    }
    Ok(rows_for_half(&shares))
}

fn shown(rows: Option<f64>) -> String {
    rows.map_or_else(|| format!("over {MAX_ROWS}"), |rows| format!("{rows:.0}"))
}

fn main() -> Result<()> {
    let wrong = || {
        let rule = "give the number of associated features, and of tables for each number of rows";
        Error::request(rule)
    };
    let given: Result<Vec<u64>> =
        std::env::args().skip(1).map(|word| word.parse().map_err(|_| wrong())).collect();
    let [associated, runs] = given?[..] else { return Err(wrong()) };
    let associated = usize::try_from(associated).map_err(|_| wrong())?;
    if runs == 0 || !(1..=FEATURES).contains(&associated) {
        return Err(wrong());
    }
    for (name, significant) in [("found", false), ("significant", true)] {
        let rows = search(associated, runs, |table, _| {
            share_without_privacy(table, associated, significant)
        })?;
        println!("without privacy, {name}: {}", shown(rows));
    }
    for way in ways(associated) {
        for epsilon in EPSILONS {
            let rows = search(associated, runs, |table, seed| {
                let select = match way.weighted {
                    true => way.select.clone().weights(cohort(associated, seed)?),
                    false => way.select.clone(),
                };
                share(&way, &rehearsal(select, table)?, epsilon, seed, associated)
            })?;
            println!("{}, epsilon {epsilon}: {}", way.name, shown(rows));
        }
    }
    Ok(())
}
