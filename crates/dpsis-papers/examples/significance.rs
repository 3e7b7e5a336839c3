//! The true features that `dpsis select` finds on the planted tables, the number of them that are
//! significant, and its forecasts; and how often a feature is significant if targets are permuted.
//!
//! ```text
//! cargo run --release -p dpsis-papers --example significance -- planted 20 [CENTER ESTIMATES]
//! cargo run --release -p dpsis-papers --example significance -- scores 5
//! cargo run --release -p dpsis-papers --example significance -- permuted 2000 DIR/alon.csv DIR/golub.csv ...
//! cargo run --release -p dpsis-papers --example significance -- permuted-planted 200
//! ```
//!
//! The tables are public, all draws seeded; nothing here is private.
#![allow(clippy::print_stdout, reason = "an example prints its results")]

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use dpsis::forecast::Simulated;
use dpsis::internals::{self, WholeTable};
use dpsis::{ArrayTable, Epsilon, Error, Rehearsal, Result, Scaling, ScoreKind, Select, Target};
use dpsis_eval::planted::{Kind, Planted, Size, table};
use ndarray::{Array1, Array2};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let wrong = || {
        Error::request("planted RUNS | scores RUNS | permuted RUNS FILE... | permuted-planted RUNS")
    };
    match words.as_slice() {
        ["planted", runs] => planted(
            runs.parse().map_err(|_| wrong())?,
            [internals::SHARES[1].1[0], internals::SHARES[2].1[0]],
        ),
        ["planted", runs, center, estimates] => {
            planted(runs.parse().map_err(|_| wrong())?, [center, estimates])
        }
        ["scores", runs] => scores(runs.parse().map_err(|_| wrong())?),
        ["permuted", runs, files @ ..] if !files.is_empty() => {
            permuted(runs.parse().map_err(|_| wrong())?, files)
        }
        ["permuted-planted", runs] => permuted_planted(runs.parse().map_err(|_| wrong())?),
        _ => Err(wrong()),
    }
}

/// Calls `work` for each number below `count` on all cores.
fn in_parallel(count: usize, work: impl Fn(usize) -> Result<()> + Sync) -> Result<()> {
    let threads = internals::available_threads();
    internals::in_parallel(count as u64, threads, |number| work(number as usize)).map(drop)
}

fn request(planted: &Planted, epsilon: &Epsilon) -> Select {
    planted.with_classes(Select::new(5).epsilon(epsilon.clone()).threads(1))
}

/// The rows of each class, or of both sides of a target that is split.
fn counts(planted: &Planted) -> Vec<f64> {
    let Some(classes) = &planted.classes else {
        return vec![planted.targets.len() as f64 / 2.0; 2];
    };
    let count = |class: &String| planted.targets.iter().filter(|target| *target == class).count();
    classes.iter().map(|class| count(class) as f64).collect()
}

/// The true features of five that are found and significant, and the forecast for the five features
/// of the largest effect sizes.
fn planted(runs: usize, [center, estimates]: [&str; 2]) -> Result<()> {
    println!("kind        eps  found  significant  forecast found  forecast significant");
    for kind in Kind::ALL {
        for epsilon in ["1", "2", "5"] {
            let epsilon: Epsilon = epsilon.parse()?;
            let totals = Mutex::new([0.0; 4]);
            in_parallel(runs, |run| {
                let planted = table(kind, Size::Full, run as u64);
                let request =
                    request(&planted, &epsilon).shares("0.10", center).estimates(estimates);
                let record = request.clone().seed(run as u64).run(&planted.to_table()?)?;
                let is_true = |index: usize| planted.truth.contains(&index);
                let found = record.selected.iter().filter(|pick| is_true(pick.index));
                let significant = record.selected.iter().zip(&record.estimates);
                let significant = significant.filter(|(pick, estimate)| {
                    is_true(pick.index) && estimate.significant == Some(true)
                });
                let mut sums = vec![found.count() as f64, significant.count() as f64];
                // The forecast for the five features of the largest effect sizes in the table.
                let rehearsal = Rehearsal::new(request.clone(), &planted.to_table()?)?;
                let Some(effect_sizes) = rehearsal.effect_sizes() else {
                    return Err(Error::request("there are no effect sizes"));
                };
                let mut effect_sizes = effect_sizes?.into_inner();
                effect_sizes.sort_unstable_by(|a, b| b.total_cmp(a));
                let simulated = Simulated { threads: 1, ..Simulated::default() };
                let forecast = request.check()?.forecast(planted.names.len(), simulated)?;
                let chances = forecast.chances_in_table(&counts(&planted), &effect_sizes, 5)?;
                let significant = chances.significant.map_or(0.0, |chance| chance.mean);
                sums.extend([chances.found.mean, significant].map(|mean| 5.0 * mean));
                if let Ok(mut totals) = totals.lock() {
                    totals.iter_mut().zip(sums).for_each(|(total, sum)| *total += sum);
                }
                Ok(())
            })?;
            let totals = totals.into_inner().unwrap_or([f64::NAN; 4]);
            let mean = |i: usize| totals[i] / runs as f64;
            println!(
                "{:<11} {epsilon:>3}   {:.1}      {:.1}       {:.1}      {:.1}",
                kind.id(),
                mean(0),
                mean(1),
                mean(2),
                mean(3),
            );
        }
    }
    Ok(())
}

/// True features found, of five, by the default, ranks within the row and Kendall's correlation.
fn scores(runs: usize) -> Result<()> {
    println!("| table | epsilon 10^6 | 1 | 2 | 5 |");
    for kind in Kind::ALL {
        let mut cells = Vec::new();
        for epsilon in ["1e6", "1", "2", "5"] {
            let epsilon: Epsilon = epsilon.parse()?;
            let totals = Mutex::new([0usize; 3]);
            in_parallel(runs, |run| {
                let planted = table(kind, Size::Full, run as u64);
                let default = || request(&planted, &epsilon);
                let all = [
                    default(),
                    default().scaling(Scaling::RowRank),
                    default().score(ScoreKind::Kendall),
                ];
                for (place, select) in all.into_iter().enumerate() {
                    let record = select.seed(run as u64).run(&planted.to_table()?)?;
                    let found = record.indices();
                    let found = found.iter().filter(|index| planted.truth.contains(index)).count();
                    if let Ok(mut totals) = totals.lock() {
                        totals[place] += found;
                    }
                }
                Ok(())
            })?;
            let totals = totals.into_inner().unwrap_or([0; 3]);
            let means = totals.map(|total| format!("{:.1}", total as f64 / runs as f64));
            cells.push(means.join(", "));
        }
        println!("| {} | {} |", kind.id(), cells.join(" | "));
    }
    Ok(())
}

/// The number of runs with permuted targets in which any feature is significant.
fn permuted(runs: usize, files: &[&str]) -> Result<()> {
    println!("set  rows  features  k  eps  runs with a call");
    for file in files {
        let whole = WholeTable::read(*file)?;
        let (n, d) = (whole.targets.len(), whole.features.len());
        let x = Array2::from_shape_vec((n, d), whole.values)
            .map_err(|_| Error::input("the table is not rectangular"))?;
        let mut classes = whole.targets.clone();
        classes.sort_unstable();
        classes.dedup();
        for (k, epsilon) in [1, 5, 20].into_iter().flat_map(|k| [(k, "1"), (k, "10")]) {
            let epsilon: Epsilon = epsilon.parse()?;
            let calls = AtomicUsize::new(0);
            in_parallel(runs, |run| {
                let mut targets = whole.targets.clone();
                targets.shuffle(&mut ChaCha8Rng::seed_from_u64(run as u64));
                let targets = Array1::from(targets);
                let table = ArrayTable::new(x.view(), targets.view())?;
                let select = Select::new(k).epsilon(epsilon.clone()).threads(1);
                let select = select.target(Target::classes(classes.iter().cloned()));
                let record = select.seed(run as u64).run(&table)?;
                let called = record.significance.significant.is_some_and(|beyond| beyond > 0);
                calls.fetch_add(called.into(), Ordering::Relaxed);
                Ok(())
            })?;
            println!("{file}  {n}  {d}  {k}  {epsilon}  {} of {runs}", calls.into_inner());
        }
    }
    Ok(())
}

/// The same on the planted tables at reduced size, whose columns are of all kinds.
fn permuted_planted(runs: usize) -> Result<()> {
    println!("kind  eps  runs with a call");
    for kind in Kind::ALL {
        for epsilon in ["2", "20"] {
            let epsilon: Epsilon = epsilon.parse()?;
            let calls = AtomicUsize::new(0);
            in_parallel(runs, |run| {
                let mut planted = table(kind, Size::Reduced, run as u64);
                planted.targets.shuffle(&mut ChaCha8Rng::seed_from_u64(run as u64));
                let record =
                    request(&planted, &epsilon).seed(run as u64).run(&planted.to_table()?)?;
                let called = record.significance.significant.is_some_and(|beyond| beyond > 0);
                calls.fetch_add(called.into(), Ordering::Relaxed);
                Ok(())
            })?;
            println!("{}  {epsilon}  {} of {runs}", kind.id(), calls.into_inner());
        }
    }
    Ok(())
}
