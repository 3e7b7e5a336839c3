//! Public weights: how many of five associated features a selection finds with them.
//!
//! ```text
//! cargo run --release -p dpsis-papers --example weights -- cohort 100
//! cargo run --release -p dpsis-papers --example weights -- list 100
//! cargo run --release -p dpsis-papers --example weights -- null 400
//! ```
//!
//! The tables are public, all draws seeded; nothing here is private.
#![allow(clippy::print_stdout, reason = "an example prints its results")]

use std::sync::Mutex;

use dpsis::internals;
use dpsis::{ArrayTable, Error, Rehearsal, Result, Select, Target, Weights};
use ndarray::{Array1, Array2};
use rand::seq::index::sample;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

const FEATURES: usize = 2_000;
const ASSOCIATED: usize = 5;
const ROWS: usize = 300;
const PUBLIC_ROWS: usize = 60;
/// The shift of the associated features in the second class, in standard deviations.
const SHIFT: f64 = 0.9;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let wrong = || Error::request("cohort RUNS | list RUNS | null RUNS");
    let runs = |text: &str| text.parse::<usize>().map_err(|_| wrong());
    match words.as_slice() {
        ["cohort", count] => cohort(runs(count)?),
        ["list", count] => list(runs(count)?),
        ["null", count] => null(runs(count)?),
        _ => Err(wrong()),
    }
}

/// Normal columns, of which the first are shifted in the second half of the rows.
fn table(rows: usize, shift: f64, seed: usize) -> (Array2<f64>, Array1<&'static str>) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed as u64);
    let x = Array2::from_shape_fn((rows, FEATURES), |(row, feature)| {
        let shifted = feature < ASSOCIATED && row >= rows / 2;
        rng.sample::<f64, _>(StandardNormal) + if shifted { shift } else { 0.0 }
    });
    (x, Array1::from_shape_fn(rows, |row| if row < rows / 2 { "a" } else { "b" }))
}

/// The seeds of private tables; public ones have others.
const PUBLIC_SEEDS: usize = 1 << 20;

fn classes() -> Target {
    Target::classes(["a", "b"])
}

/// The selections that are compared.
fn selections() -> [(&'static str, Select); 2] {
    [("k = 5", Select::new(ASSOCIATED)), ("without k", Select::significant())]
}

/// Weights from a public table with this shift of the associated features, and how many of them are
/// among its five largest scores.
fn from_cohort(shift: f64, seed: usize) -> Result<(Weights, f64)> {
    let (x, labels) = table(PUBLIC_ROWS, shift, PUBLIC_SEEDS + seed);
    let request = Select::new(1).epsilon(1).target(classes());
    let public = Rehearsal::new(request, &ArrayTable::new(x.view(), labels.view())?)?;
    let weights = public.feature_weights()?.into_inner();
    let mut best: Vec<usize> = (0..FEATURES).collect();
    best.sort_by(|a, b| weights[*b].1.total_cmp(&weights[*a].1));
    let right = best[..ASSOCIATED].iter().filter(|feature| **feature < ASSOCIATED).count();
    Ok((Weights::new(weights)?, right as f64))
}

/// A list of 50 features, of which these are associated with the target.
fn from_list(associated: usize, seed: usize) -> Result<Weights> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed as u64);
    let others = sample(&mut rng, FEATURES - ASSOCIATED, 50 - associated);
    let listed = (0..associated).chain(others.iter().map(|other| other + ASSOCIATED));
    Weights::new(listed.map(|feature| (format!("feature-{}", feature + 1), 1.0)))
}

/// One run: the associated features found, how many of them are significant, and whether a null
/// feature is significant.
fn run(select: Select, weights: Option<Weights>, shift: f64, seed: usize) -> Result<[f64; 3]> {
    let (x, labels) = table(ROWS, shift, seed);
    let select = select.epsilon(1).target(classes()).threads(1);
    let select = match weights {
        Some(weights) => select.weights(weights),
        None => select,
    };
    let record = select.seed(seed as u64).run(&ArrayTable::new(x.view(), labels.view())?)?;
    let found = record.indices();
    let significant =
        |place: usize| record.estimates.get(place).is_some_and(|e| e.significant == Some(true));
    let count = |test: &dyn Fn(usize, usize) -> bool| {
        found.iter().enumerate().filter(|(place, feature)| test(*place, **feature)).count() as f64
    };
    let right = count(&|_, feature| feature < ASSOCIATED);
    let right_significant = count(&|place, feature| feature < ASSOCIATED && significant(place));
    let first = if shift > 0.0 { ASSOCIATED } else { 0 };
    let wrong = count(&|place, feature| feature >= first && significant(place));
    Ok([right, right_significant, f64::from(wrong > 0.0)])
}

/// The means of several runs.
fn means(count: usize, one: impl Fn(usize) -> Result<[f64; 3]> + Sync) -> Result<[f64; 3]> {
    let sums = Mutex::new([0.0; 3]);
    let threads = internals::available_threads();
    internals::in_parallel(count as u64, threads, |seed| {
        let values = one(seed as usize)?;
        if let Ok(mut sums) = sums.lock() {
            sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
        }
        Ok(())
    })?;
    Ok(sums.into_inner().unwrap_or_default().map(|sum| sum / count as f64))
}

/// Prints the means of a selection with some weights.
fn compared(
    what: &str,
    shift: f64,
    count: usize,
    weights: impl Fn(usize) -> Result<Option<Weights>> + Sync,
) -> Result<()> {
    for (name, select) in selections() {
        let one = |seed: usize| run(select.clone(), weights(seed)?, shift, seed);
        let [found, significant, wrong] = means(count, one)?;
        println!(
            "{what}, {name}: found {found:.2}, significant {significant:.2}, runs with a false discovery {wrong:.3}"
        );
    }
    Ok(())
}

/// Weights from a public cohort.
fn cohort(count: usize) -> Result<()> {
    println!(
        "{ROWS} rows, {FEATURES} features, {ASSOCIATED} of them shifted by {SHIFT}, epsilon 1; public cohorts of \
         {PUBLIC_ROWS}; {count} runs"
    );
    compared("without weights", SHIFT, count, |_| Ok(None))?;
    let effects = [("the same effects", 1.0), ("half of the effects", 0.5), ("no effects", 0.0)];
    for (what, part) in effects {
        let alone = means(count, |seed| Ok([from_cohort(part * SHIFT, seed)?.1, 0.0, 0.0]))?[0];
        println!("public cohort with {what} alone: {alone:.2} of its five largest scores");
        let weights = |seed| Ok(Some(from_cohort(part * SHIFT, seed)?.0));
        compared(&format!("weights from a cohort with {what}"), SHIFT, count, weights)?;
    }
    Ok(())
}

/// Weights from a list of the literature.
fn list(count: usize) -> Result<()> {
    println!(
        "{ROWS} rows, {FEATURES} features, {ASSOCIATED} of them shifted by {SHIFT}, epsilon 1; {count} runs"
    );
    for associated in [5, 3, 0] {
        let weights = |seed| from_list(associated, seed).map(Some);
        compared(&format!("a list of 50 with {associated} of them"), SHIFT, count, weights)?;
    }
    Ok(())
}

/// False discoveries without any association, with weights of any kind.
fn null(count: usize) -> Result<()> {
    println!("no association; {count} runs");
    compared("without weights", 0.0, count, |_| Ok(None))?;
    compared("from a cohort", 0.0, count, |seed| Ok(Some(from_cohort(SHIFT, seed)?.0)))?;
    compared("from a list", 0.0, count, |seed| from_list(0, seed).map(Some))
}
