//! The whole path compared with an independent computation: with a very large budget the selection
//! is the top k of scores computed here, naively, in floating point from the text of the file.
//!
//! Real tables are read from the folder in `DPSIS_DATASETS` (files NAME.csv.gz). Tests whose table
//! is missing report this and pass, or fail with `DPSIS_REQUIRE_DATA=1`.
#![allow(clippy::unwrap_used)] // tests fail by panicking

use std::io::Read;
use std::path::Path;

use dpsis::{Bounds, Center, Scaling, ScoreKind, Select, Target};
use dpsis_mechanisms::support::effort::exhaustive;

const DEMO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/datasets/demo.csv");

/// Header and cells, read with the `csv` crate.
fn read(path: &Path) -> (Vec<String>, Vec<Vec<String>>) {
    let file = std::fs::File::open(path).unwrap();
    let input: Box<dyn Read> = if path.extension().is_some_and(|e| e == "gz") {
        Box::new(flate2::read::MultiGzDecoder::new(file))
    } else {
        Box::new(file)
    };
    let mut reader = csv::Reader::from_reader(input);
    let header = reader.headers().unwrap().iter().map(str::to_owned).collect();
    let rows = reader.records().map(|r| r.unwrap().iter().map(str::to_owned).collect()).collect();
    (header, rows)
}

enum Scale {
    Bounds(f64, f64),
    Ranks,
}

/// The values of a row, scaled to [-1, 1].
fn scaled(values: &[f64], scale: &Scale) -> Vec<f64> {
    match scale {
        Scale::Bounds(low, high) => {
            values.iter().map(|v| (2.0 * (v - low) / (high - low) - 1.0).clamp(-1.0, 1.0)).collect()
        }
        Scale::Ranks => {
            let mut sorted = values.to_vec();
            sorted.sort_by(f64::total_cmp);
            values
                .iter()
                .map(|v| {
                    let below = sorted.partition_point(|w| w < v) as f64;
                    let upto = sorted.partition_point(|w| w <= v) as f64;
                    // Scale the mid-rank, counted from 0, to [-1, 1].
                    2.0 * ((below + upto - 1.0) / 2.0) / (values.len() as f64 - 1.0) - 1.0
                })
                .collect()
        }
    }
}

/// The maximum over codings y of |sum x y - m sum x|, per feature.
fn naive_scores(rows: &[Vec<String>], scale: &Scale, codings: &[(Vec<f64>, f64)]) -> Vec<f64> {
    let d = rows[0].len() - 1;
    let x: Vec<Vec<f64>> = rows
        .iter()
        .map(|row| {
            let values: Vec<f64> = row[..d].iter().map(|cell| cell.parse().unwrap()).collect();
            scaled(&values, scale)
        })
        .collect();
    (0..d)
        .map(|i| {
            let score = |(y, m): &(Vec<f64>, f64)| {
                x.iter().zip(y).map(|(x, y)| x[i] * (y - m)).sum::<f64>().abs()
            };
            codings.iter().map(score).fold(0.0, f64::max)
        })
        .collect()
}

/// The maximum over thresholds c of the sum over codings y of |sum sign(x - c) (y - m)|, per
/// feature: every value is a threshold, just below itself and at the end.
fn naive_ks(rows: &[Vec<String>], codings: &[(Vec<f64>, f64)]) -> Vec<f64> {
    let d = rows[0].len() - 1;
    let column = |i: usize| rows.iter().map(|row| row[i].parse().unwrap()).collect::<Vec<f64>>();
    let score = |i: usize| {
        let x = column(i);
        let at = |c: f64| {
            let of = |(y, m): &(Vec<f64>, f64)| {
                let term = |(x, y): (&f64, &f64)| if *x >= c { y - m } else { m - y };
                x.iter().zip(y).map(term).sum::<f64>().abs()
            };
            codings.iter().map(of).sum::<f64>()
        };
        x.iter().copied().chain([f64::INFINITY]).map(at).fold(0.0, f64::max)
    };
    (0..d).map(score).collect()
}

/// Asserts that a selection under the largest budget has the scores of the top k, up to grid
/// rounding.
fn assert_is_top(selection: &dpsis::Record, scores: &[f64], k: usize) {
    let mut sorted = scores.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    assert_eq!(selection.selected.len(), k);
    for picked in &selection.selected {
        let score = scores[picked.column - 1];
        assert!(
            score >= sorted[k - 1] * (1.0 - 1e-3),
            "{} scores {score}, the k-th best {}",
            picked.name,
            sorted[k - 1]
        );
    }
}

fn select(k: usize) -> Select {
    Select::new(k).epsilon("1000000")
}

#[test]
fn demo_data_split_at_the_median() {
    let (_, rows) = read(Path::new(DEMO));
    let mut y: Vec<f64> = rows.iter().map(|row| row.last().unwrap().parse().unwrap()).collect();
    let values = y.clone();
    let mut sorted = values.clone();
    sorted.sort_by(f64::total_cmp);
    let selection = select(20).seed(1).run(DEMO).unwrap();
    let ranked = select(20).scaling(Scaling::RowRank).seed(1).run(DEMO).unwrap();
    let median = selection.released.target_median.unwrap();
    assert_eq!(ranked.released.target_median, Some(median));
    let below = values.iter().filter(|v| **v <= median).count();
    assert!((315..=325).contains(&below), "{below} of 640 at or below the median");
    y.iter_mut().for_each(|v| *v = if *v >= median { 1.0 } else { -1.0 });
    let m = y.iter().sum::<f64>() / y.len() as f64;
    assert_is_top(&selection, &naive_ks(&rows, &[(y.clone(), m)]), 20);
    assert_is_top(&ranked, &naive_scores(&rows, &Scale::Ranks, &[(y, m)]), 20);
    let rows_estimate = selection.released.rows_estimate.unwrap();
    assert_eq!(rows_estimate, 640);
}

#[test]
fn demo_data_with_bounds() {
    let (_, rows) = read(Path::new(DEMO));
    let y: Vec<f64> = rows
        .iter()
        .map(|row| (row.last().unwrap().parse::<f64>().unwrap() / 4.0).clamp(-1.0, 1.0))
        .collect();
    let m = y.iter().sum::<f64>() / y.len() as f64;
    let request = select(10)
        .scaling(Scaling::Bounds(Bounds::new(-2.0, 2.0).unwrap()))
        .target(Target::Bounded(Bounds::new(-4.0, 4.0).unwrap()));
    let scale = Scale::Bounds(-2.0, 2.0);
    let centered = naive_scores(&rows, &scale, &[(y.clone(), m)]);
    assert_is_top(&request.clone().seed(1).run(DEMO).unwrap(), &centered, 10);
    let given = request.clone().center(Center::Given(1.0)).seed(1).run(DEMO).unwrap();
    assert_is_top(&given, &naive_scores(&rows, &scale, &[(y.clone(), 0.25)]), 10);
    let raw = request.center(Center::None).seed(1).run(DEMO).unwrap();
    assert_is_top(&raw, &naive_scores(&rows, &scale, &[(y, 0.0)]), 10);
}

/// Kendall's correlation over all pairs of rows.
#[test]
fn demo_data_by_kendall() {
    let (_, rows) = read(Path::new(DEMO));
    let number = |cell: &String| cell.parse::<f64>().unwrap();
    let table: Vec<Vec<f64>> = rows.iter().map(|row| row.iter().map(number).collect()).collect();
    let d = table[0].len() - 1;
    // The sign: 1, 0 or -1.
    let order = |a: f64, b: f64| f64::from(i8::from(a > b) - i8::from(a < b));
    let mut excess = vec![0.0; d];
    for (i, a) in table.iter().enumerate() {
        for b in &table[..i] {
            let y = order(a[d], b[d]);
            for (sum, (x1, x2)) in excess.iter_mut().zip(a.iter().zip(b)) {
                *sum += y * order(*x1, *x2);
            }
        }
    }
    let scores: Vec<f64> = excess.iter().map(|sum| sum.abs() / (table.len() - 1) as f64).collect();
    let selection = select(20).score(ScoreKind::Kendall).seed(1).run(DEMO).unwrap();
    assert_is_top(&selection, &scores, 20);
}

/// A 0/1 coding for each class, or a single -1/1 coding for two classes.
fn codings(rows: &[Vec<String>], labels: &[&str]) -> Vec<(Vec<f64>, f64)> {
    let of = |label: &str, low: f64| {
        let y: Vec<f64> =
            rows.iter().map(|row| if row.last().unwrap() == label { 1.0 } else { low }).collect();
        let m = y.iter().sum::<f64>() / y.len() as f64;
        (y, m)
    };
    match labels {
        [_, second] => vec![of(second, -1.0)],
        _ => labels.iter().map(|label| of(label, 0.0)).collect(),
    }
}

#[test]
fn real_tables() {
    for (name, labels, scale) in [
        ("christensen", &["other", "blood", "placenta"][..], Scale::Bounds(0.0, 1.0)),
        ("christensen", &["other", "blood", "placenta"], Scale::Ranks),
        ("alon", &["n", "t"], Scale::Ranks),
        ("khan", &["BL", "EWS", "NB", "RMS"], Scale::Ranks),
        ("gravier", &["good", "poor"], Scale::Bounds(-2.0, 2.0)),
        ("sorlie", &["1", "2", "3", "4", "5"], Scale::Ranks),
        ("subramanian", &["MUT", "WT"], Scale::Ranks),
    ] {
        // Three sets; all of them in `.ci/full`.
        if !exhaustive() && !["christensen", "alon", "khan"].contains(&name) {
            continue;
        }
        let Some(path) = crate::support::data::real(name) else { continue };
        let (_, rows) = read(&path);
        let scaling = match scale {
            Scale::Bounds(low, high) => Scaling::Bounds(Bounds::new(low, high).unwrap()),
            Scale::Ranks => Scaling::RowRank,
        };
        let classes: Vec<String> = labels.iter().map(|label| label.to_string()).collect();
        let request = select(10).scaling(scaling).target(Target::Classes(classes.clone()));
        let scores = naive_scores(&rows, &scale, &codings(&rows, labels));
        assert_is_top(&request.clone().seed(1).run(&path).unwrap(), &scores, 10);
        let request = select(10).target(Target::Classes(classes));
        let scores = naive_ks(&rows, &codings(&rows, labels));
        assert_is_top(&request.seed(1).run(&path).unwrap(), &scores, 10);
    }
}
