//! The run time of a selection against the numbers of candidates and picks: `cargo bench --bench
//! growth`.
//!
//! Prints a table of medians in ms and writes a figure to the path in the first argument, by
//! default `target/tmp/growth.svg`. d from 1e3 to 1e7, k from 1 to 1000, uniform scores over a wide
//! range (the distribution with the most blocks), epsilon 1, one thread; each row also has one
//! partial selection of the same scores.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

use std::time::Instant;

use dpsis::mechanism::{Joint, Mechanism};
use dpsis::{CanonicalLipschitz, Neighbors, Scores, Seeded};
use dpsis_eval::figure::{Curve, CurveChart, CurvePoint};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

const CANDIDATES: [usize; 5] = [1_000, 10_000, 100_000, 1_000_000, 10_000_000];
const PICKS: [usize; 4] = [1, 10, 100, 1_000];
const SENSITIVITY: u64 = 1 << 20;

fn main() {
    let cells: Vec<Vec<[f64; 3]>> = CANDIDATES.map(row).to_vec();
    println!("| d | k = {} | select_nth |", PICKS.map(|k| k.to_string()).join(" | k = "));
    println!("| ---{} | --- |", " | ---".repeat(PICKS.len()));
    for (d, row) in CANDIDATES.iter().zip(&cells) {
        let cell = |[canonical, joint, _]: &[f64; 3]| format!("{canonical:.2}, {joint:.2}");
        let row_cells: Vec<String> = row.iter().map(cell).collect();
        println!("| {d} | {} | {:.3} |", row_cells.join(" | "), row[1][2]);
    }
    let path = std::env::args().nth(1).filter(|argument| !argument.starts_with('-'));
    let default = || concat!(env!("CARGO_TARGET_TMPDIR"), "/growth.svg").to_owned();
    std::fs::write(path.unwrap_or_else(default), figure(&cells)).unwrap();
}

/// Medians for each k in ms: canonical, joint, and one partial selection.
fn row(d: usize) -> Vec<[f64; 3]> {
    let mut rng = ChaCha20Rng::seed_from_u64(1);
    let range = 1000 * SENSITIVITY;
    let values: Vec<i64> = (0..d).map(|_| (rng.next_u64() % range) as i64).collect();
    let scores = Scores::new(values, SENSITIVITY, Neighbors::AddRemove).unwrap();
    PICKS.iter().map(|&k| times(&scores, k.min(d))).collect()
}

fn times(scores: &Scores, k: usize) -> [f64; 3] {
    let canonical = CanonicalLipschitz::default();
    // Under a large budget the picks are nearly the top k, whose scores a partial selection finds.
    let mut sorted = scores.values().to_vec();
    sorted.select_nth_unstable_by(k - 1, |a, b| b.cmp(a));
    let large = "1e6".parse().unwrap();
    let gap = 2.0 * canonical.gap(sorted.len(), k, &large) * SENSITIVITY as f64;
    let picks = canonical.pick(scores, k, &large, Seeded(0)).unwrap();
    assert!(picks.iter().all(|&i| scores.values()[i] as f64 >= sorted[k - 1] as f64 - gap));
    let epsilon = "1".parse().unwrap();
    [
        median(|seed| {
            canonical.pick(scores, k, &epsilon, Seeded(seed)).unwrap();
        }),
        median(|seed| {
            Joint.pick(scores, k, &epsilon, Seeded(seed)).unwrap();
        }),
        partial_selection(scores.values(), k),
    ]
}

fn median(run: impl Fn(u64)) -> f64 {
    middle((0..11).map(|seed| timed(|| run(seed))).collect())
}

fn partial_selection(values: &[i64], k: usize) -> f64 {
    let copies = (0..11).map(|_| {
        let mut copy = values.to_vec();
        timed(|| {
            copy.select_nth_unstable_by(k - 1, |a, b| b.cmp(a));
        })
    });
    middle(copies.collect())
}

fn timed(run: impl FnOnce()) -> f64 {
    let start = Instant::now();
    run();
    start.elapsed().as_secs_f64() * 1e3
}

fn middle(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn figure(cells: &[Vec<[f64; 3]>]) -> String {
    let curve = |label: String, time: &dyn Fn(&[[f64; 3]]) -> f64| Curve {
        label,
        points: CANDIDATES
            .iter()
            .zip(cells)
            .map(|(&d, row)| {
                let y = time(row);
                CurvePoint { x: d as f64, y, low: y, high: y }
            })
            .collect(),
    };
    let mut curves: Vec<Curve> = (0..PICKS.len())
        .map(|n| curve(format!("canonical, k = {}", PICKS[n]), &|row| row[n][0]))
        .collect();
    curves.push(curve("joint, k = 1000".into(), &|row| row[PICKS.len() - 1][1]));
    curves.push(curve("partial selection".into(), &|row| row[1][2]));
    let chart = CurveChart {
        title: "Time of one selection, one thread, wide uniform scores".into(),
        x_label: "candidates".into(),
        y_label: "milliseconds".into(),
        x_log: true,
        y_log: true,
        y_range: None,
        curves,
        references: Vec::new(),
    };
    chart.svg().unwrap()
}
