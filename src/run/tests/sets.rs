//! Enumeration of the change of set scores by one row: for all small tables and every further row,
//! with the grid at Q = 2, overlapping sets and missing members.

use crate::privacy::Neighbors;
use crate::score::{CenteredTarget, CorrelationSums, KsColumns, RowSums, TargetRows};
use crate::table::{Bounds, HeldColumns, Hooks, Members, Scaler, Scaling};

const SMALL_Q: i32 = 2;

/// Three features (`None` if missing), then the target on the grid.
type TableRow = ([Option<f64>; 3], i16);

/// The values of the sets in each row of a table.
type Values<'a> = &'a dyn Fn(&[TableRow]) -> Vec<Vec<i16>>;

/// The sets overlap; one contains all features.
const SETS: [&[u32]; 3] = [&[0, 1], &[1, 2], &[0, 1, 2]];

fn grid(scaling: &Scaling, row: &TableRow) -> Vec<i16> {
    let mut x = Vec::new();
    Scaler::with_grid(scaling, SMALL_Q).scale(row.0, &mut x);
    x
}

/// The values of the sets as released.
fn means(scaling: &Scaling, table: &[TableRow]) -> Vec<Vec<i16>> {
    let mut members = Members::default();
    SETS.iter().for_each(|set| members.push(set));
    let mean = |row: &TableRow| {
        let mut means = Vec::new();
        members.means(&grid(scaling, row), &mut means);
        means
    };
    table.iter().map(mean).collect()
}

/// A broken variant: replaces each missing member by the mean of its column, which depends on all
/// rows.
fn imputed(scaling: &Scaling, table: &[TableRow]) -> Vec<Vec<i16>> {
    let column = |j: usize| -> Vec<f64> { table.iter().filter_map(|row| row.0[j]).collect() };
    let mean = |j: usize| column(j).iter().sum::<f64>() / column(j).len().max(1) as f64;
    let centers = [0, 1, 2].map(mean);
    let filled = |row: &TableRow| ([0, 1, 2].map(|j| row.0[j].or(Some(centers[j]))), row.1);
    means(scaling, &table.iter().map(filled).collect::<Vec<_>>())
}

/// A broken variant: sums instead of means, which leave the grid.
fn sums(scaling: &Scaling, table: &[TableRow]) -> Vec<Vec<i16>> {
    let sum = |x: &[i16], set: &[u32]| set.iter().map(|&j| x[j as usize]).sum();
    let sums = |row: &TableRow| SETS.iter().map(|set| sum(&grid(scaling, row), set)).collect();
    table.iter().map(sums).collect()
}

/// A broken variant: means minus the mean of the set over the table.
fn centered(scaling: &Scaling, table: &[TableRow]) -> Vec<Vec<i16>> {
    let means = means(scaling, table);
    let rows = means.len() as i16;
    let center = |s: usize| means.iter().map(|row| row[s]).sum::<i16>() / rows;
    let centers = [0, 1, 2].map(center);
    let less = |row: &Vec<i16>| row.iter().zip(centers).map(|(z, center)| z - center).collect();
    means.iter().map(less).collect()
}

/// Scores of correlation with the target, and their largest change by one row.
fn correlations(values: &[Vec<i16>], targets: &[i16], center: i32) -> (Vec<i64>, i64) {
    let mut sums = CorrelationSums::with_grid(SETS.len(), SMALL_Q);
    values.iter().zip(targets).for_each(|(row, y)| sums.add(row, *y));
    let scores = sums.scores(center, Neighbors::AddRemove).unwrap();
    (scores.values().to_vec(), scores.sensitivity() as i64)
}

/// Kolmogorov-Smirnov scores of whole columns, and their largest change by one row.
fn ks(values: &[Vec<i16>], targets: &[i16], center: i32) -> (Vec<i64>, i64) {
    let row = |row: &Vec<i16>| row.iter().map(|z| f64::from(*z)).collect();
    let rows: Vec<Vec<f64>> = values.iter().map(row).collect();
    let columns = Box::new(HeldColumns::of_rows(SETS.len(), &rows));
    let columns = KsColumns::Values { columns, words: false };
    let t = targets.iter().map(|y| i32::from(*y) - center).collect();
    let target = CenteredTarget::from(TargetRows::Number { t, center, q: SMALL_Q });
    let scores = columns.scores(&target, 1, &Hooks::default()).unwrap();
    (scores, target.one_row() as i64)
}

type Score = fn(&[Vec<i16>], &[i16], i32) -> (Vec<i64>, i64);

/// The largest change of any score by a third row, over all tables of two rows, in units of the
/// sensitivity.
fn largest_change(values: Values<'_>, score: Score, center: i32) -> f64 {
    let cells = [None, Some(-1.0), Some(1.0)];
    let mut rows: Vec<TableRow> = Vec::new();
    for a in cells {
        for b in cells {
            for c in cells {
                rows.extend([-2, 2].map(|y| ([a, b, c], y)));
            }
        }
    }
    let scores = |table: &[TableRow]| {
        let targets: Vec<i16> = table.iter().map(|row| row.1).collect();
        score(&values(table), &targets, center)
    };
    let mut worst = 0.0f64;
    for (i, first) in rows.iter().enumerate() {
        for second in &rows[i..] {
            let (before, _) = scores(&[*first, *second]);
            for third in &rows {
                let (after, sensitivity) = scores(&[*first, *second, *third]);
                let changes = before.iter().zip(&after).map(|(a, b)| (a - b).abs());
                worst = worst.max(changes.max().unwrap() as f64 / sensitivity as f64);
            }
        }
    }
    worst
}

fn scalings() -> [Scaling; 2] {
    [Scaling::Bounds(Bounds::new(-1.0, 1.0).unwrap()), Scaling::RowRank]
}

/// No row changes a score by more than the sensitivity of single features; for correlations, one
/// row changes it by that much.
#[test]
fn one_row_by_enumeration() {
    for scaling in &scalings() {
        let values = |table: &[TableRow]| means(scaling, table);
        for center in [-1, 0] {
            for (name, score) in [("correlation", correlations as Score), ("ks", ks)] {
                let largest = largest_change(&values, score, center);
                assert!(largest <= 1.0, "{name}, {scaling:?}, center {center}: {largest}");
                // Ranks of three never put all members of a set at the end of the grid.
                let tight = if *scaling == Scaling::RowRank { 0.5 } else { 1.0 };
                assert!(largest >= tight, "{name}, {scaling:?}, center {center}: {largest}");
            }
        }
    }
}

/// The same enumeration rejects values that depend on other rows, or that leave the grid.
#[test]
fn broken_values_are_caught() {
    let scaling = &scalings()[0];
    let by_column = |table: &[TableRow]| imputed(scaling, table);
    let by_sums = |table: &[TableRow]| sums(scaling, table);
    let by_center = |table: &[TableRow]| centered(scaling, table);
    let broken: [(&str, Values<'_>, Score); 4] = [
        ("missing members by the column", &by_column, correlations),
        ("missing members by the column", &by_column, ks),
        ("sums", &by_sums, correlations),
        ("centered by the table", &by_center, correlations),
    ];
    for (name, values, score) in broken {
        let largest = largest_change(values, score, 0);
        assert!(largest > 1.0, "{name} passed with {largest}");
    }
}
