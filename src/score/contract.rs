//! The same tests for all sums over rows: summing row by row and feature by feature gives the same
//! sums, and the scores of the definition; rows without a target do not count.

use super::*;
use crate::exact::GRID;

const FEATURES: usize = 3;

/// A table: grid values by row, some missing, and targets, some of them unusable.
fn table<T>(target: impl Fn(i32) -> T) -> (Vec<[i16; FEATURES]>, Vec<Option<T>>) {
    let value = |i: i32| {
        if i % 7 == 3 { MISSING } else { (i * 9_973 % (2 * GRID + 1) - GRID) as i16 }
    };
    let rows = 0..41;
    let x = rows.clone().map(|row| [0, 1, 2].map(|feature| value(3 * row + feature))).collect();
    (x, rows.map(|row| (row % 5 != 2).then(|| target(row))).collect())
}

/// The sums of a table: in one block, in two parts that are merged, and feature by feature in two
/// stretches.
fn in_all_orders<S: RowSums>(
    empty: impl Fn() -> S,
    x: &[[i16; FEATURES]],
    y: &[Option<S::Target>],
) -> [S; 3] {
    let usable: Vec<_> = x.iter().zip(y).filter_map(|(x, y)| Some((x, (*y)?))).collect();
    let of_rows = |rows: &[(&[i16; FEATURES], S::Target)]| {
        let mut sums = empty();
        let values: Vec<i16> = rows.iter().flat_map(|(x, _)| **x).collect();
        sums.add_rows(&values, &rows.iter().map(|(_, y)| *y).collect::<Vec<_>>());
        sums
    };
    let mut merged = of_rows(&usable[..9]);
    merged.merge(&of_rows(&usable[9..]));
    let mut by_feature = empty();
    let factors = by_feature.add_targets(y);
    for feature in 0..FEATURES {
        let column: Vec<i16> = x.iter().map(|row| row[feature]).collect();
        by_feature.add_feature(feature, &column[..17], 0, &factors);
        by_feature.add_feature(feature, &column[17..], 17, &factors);
    }
    [of_rows(&usable), merged, by_feature]
}

/// f for each threshold: -1 below the bin's lower end and 1 above, 0 where the value is missing.
fn thresholds() -> impl Iterator<Item = impl Fn(i16) -> i64> {
    (0..=16).map(|bin| {
        move |x: i16| match i64::from(x) {
            x if x == i64::from(MISSING) => 0,
            x => {
                if x < bin * 4096 - 32_768 {
                    -1
                } else {
                    1
                }
            }
        }
    })
}

fn numbers_hold<S: RowSums<Target = i16> + CodedSums>(
    empty: impl Fn() -> S,
    score: impl Fn(&[(i16, i64)]) -> i64,
) {
    let (x, y) = table(|row| (row * 1_613 % 60_000 - 30_000) as i16);
    let usable: Vec<(&[i16; FEATURES], i64)> =
        x.iter().zip(&y).filter_map(|(x, y)| Some((x, i64::from((*y)?)))).collect();
    let sum = |sign: i64| usable.iter().map(|(_, y)| i64::from(GRID) + sign * y).sum::<i64>();
    for sums in in_all_orders(empty, &x, &y) {
        assert_eq!(sums.target(), [sum(1) as u64, sum(-1) as u64]);
        for center in [-GRID, -1234, 0, 20_000] {
            let expected = [0, 1, 2].map(|feature| {
                let centered =
                    |(x, y): &(&[i16; FEATURES], i64)| (x[feature], y - i64::from(center));
                score(&usable.iter().map(centered).collect::<Vec<_>>())
            });
            assert_eq!(sums.values(&[center]), expected, "{center}");
        }
    }
}

fn classes_hold<S: RowSums<Target = usize> + CodedSums>(
    empty: impl Fn() -> S,
    score: impl Fn(&[(i16, usize)], &[i32; 3]) -> i64,
) {
    let (x, y) = table(|row| [0, 2, 1, 0][row as usize % 4]);
    let usable: Vec<(&[i16; FEATURES], usize)> =
        x.iter().zip(&y).filter_map(|(x, y)| Some((x, (*y)?))).collect();
    let rows = [0, 1, 2].map(|class| usable.iter().filter(|(_, y)| *y == class).count() as u64);
    for sums in in_all_orders(empty, &x, &y) {
        assert_eq!(sums.target(), rows);
        for centers in [[GRID / 2, GRID / 4, GRID / 4], [0, GRID, 5], [30_000, 0, 0]] {
            let expected = [0, 1, 2].map(|feature| {
                let of = |(x, y): &(&[i16; FEATURES], usize)| (x[feature], *y);
                score(&usable.iter().map(of).collect::<Vec<_>>(), &centers)
            });
            assert_eq!(sums.values(&centers), expected, "{centers:?}");
        }
    }
}

/// The value of a grid value in a correlation.
fn value(x: i16) -> i64 {
    if x == MISSING { 0 } else { i64::from(x) }
}

/// Whether a value is missing, as a function whose sums are subtracted.
fn missing(x: i16) -> i64 {
    i64::from(x == MISSING)
}

/// |sum of f(x) t| over rows.
fn number_sum(rows: &[(i16, i64)], f: impl Fn(i16) -> i64) -> i64 {
    rows.iter().map(|(x, t)| f(*x) * t).sum::<i64>().abs()
}

/// |sum over rows of f(x) (Q \[y = class\] - m)|.
fn class_sum(rows: &[(i16, usize)], class: usize, m: i32, f: impl Fn(i16) -> i64) -> i64 {
    let term =
        |(x, y): &(i16, usize)| f(*x) * (i64::from(GRID) * i64::from(*y == class) - i64::from(m));
    rows.iter().map(term).sum::<i64>().abs()
}

#[test]
fn sums_for_correlation() {
    numbers_hold(
        || CorrelationSums::new(FEATURES),
        |rows| {
            let subtracted = i64::from(GRID) * number_sum(rows, missing);
            (number_sum(rows, value) - subtracted).max(0)
        },
    );
}

#[test]
fn sums_for_correlation_with_classes() {
    classes_hold(
        || ClassSums::new(FEATURES, 3),
        |rows, centers| {
            let of = |class: usize| {
                let sum = |f: fn(i16) -> i64| class_sum(rows, class, centers[class], f);
                (sum(value) - i64::from(GRID) * sum(missing)).max(0)
            };
            (0..3).map(of).max().unwrap()
        },
    );
}

#[test]
fn sums_by_bin() {
    numbers_hold(
        || BinSums::new(FEATURES),
        |rows| {
            let most = thresholds().map(|f| number_sum(rows, f)).max().unwrap();
            (most - number_sum(rows, missing)).max(0)
        },
    );
}

#[test]
fn sums_by_bin_and_class() {
    classes_hold(
        || BinSums::of_classes(FEATURES, 3),
        |rows, centers| {
            let over = |f: &dyn Fn(i16) -> i64| {
                (0..3).map(|class| class_sum(rows, class, centers[class], f)).sum::<i64>()
            };
            let most = thresholds().map(|f| over(&f)).max().unwrap();
            (most - over(&missing)).max(0)
        },
    );
}
