//! Kendall's rank correlation, which needs no bounds, center or scaling.
//!
//! # Definition
//!
//! With C and D the numbers of concordant and discordant pairs of feature i and target among the n
//! rows with a usable target (pairs with a tie or a missing value in either are neither),
//!
//! ```text
//! S_i = |C_i - D_i| / (n - 1)     (0 for n <= 1),     on the integer grid: floor(G S_i), G = 2^20.
//! ```
//!
//! This is (n/2)|tau-a|. With two classes it is the Mann-Whitney statistic; with more, the largest
//! over one class against the rest.
//!
//! # Sensitivity
//!
//! Let T = C - D over n rows and T' with an additional row. The new row is in n pairs, so |T' - T|
//! <= n; and |T| <= n(n-1)/2.
//!
//! ```text
//! S' - S <= (|T| + n)/n - |T|/(n-1) <= 1
//! S - S' <= |T|/(n-1) - (|T| - n)/n = |T|/(n(n-1)) + 1 <= 3/2
//! ```
//!
//! For n <= 1, S = 0 and S' <= 1. Replacing a row by one with a usable target changes n - 1 pairs
//! by at most 2 each, so S by at most 2; replacing it by one without is a removal. Rounding down
//! changes a difference by less than 1, which gives 3G/2 + 1 for adding or removing a row and 2G +
//! 1 for replacing one. A maximum over classes changes by no more than its terms. (tau-b has no
//! such bound, because its denominator depends on the ties.)
//!
//! # People
//!
//! If a person has several rows, all of them have the person's target, and a pair of rows counts w
//! w'/W^2, where the weights w add up to at most W for each person. Pairs of one person's rows are
//! ties in the target. So a person adds at most 1 for each other person to |C - D|, as a row does
//! for each other row, and with n the number of people all of the above holds, including the
//! rounding: it is one rounding of G |C - D|/(n - 1).
//!
//! # Cost
//!
//! O(n log n) per feature, on all cores; the table in memory, 8 bytes per value.
//!
//! # Source
//!
//! T. Dick, J. Gillenwater, M. Joseph, "Better private linear regression through better private
//! feature selection" (2023), lemma on the sensitivity of Kendall's correlation.

#[cfg(feature = "ndarray")]
use crate::error::Error;
use crate::error::Result;
use crate::privacy::Neighbors;
use crate::score::Scores;
use crate::score::by_feature::by_feature;
#[cfg(feature = "ndarray")]
use crate::table::SomeRows;
use crate::table::{Columns, Hooks, People, Role};
#[cfg(feature = "ndarray")]
use crate::threads::available_threads;

/// G: scores are integers in units of 1/G.
pub const KENDALL_GRID: i64 = 1 << 20;

/// Scores by Kendall's correlation of the columns of X (n x d) with y, on all cores.
///
/// Rows with a NaN or infinite target are ignored; NaN or infinite feature values form no pairs.
///
/// # Privacy
///
/// Scores are exact functions of the data, as input for a mechanism. Their sensitivity holds for
/// the given neighbor relation, where a row of X and its element of y are one unit.
///
/// # Errors
///
/// `Request` if X and y differ in their number of rows, or X has no columns.
#[cfg(feature = "ndarray")]
pub fn kendall<A: Copy + Into<f64> + Sync>(
    x: ndarray::ArrayView2<'_, A>,
    y: ndarray::ArrayView1<'_, f64>,
    neighbors: Neighbors,
) -> Result<Scores> {
    let usable = |target: &f64| Some(*target).filter(|target| target.is_finite());
    kendall_of(x, y.iter().map(usable).collect(), 0, neighbors)
}

/// The maximum number of classes: each costs a pass over the rows and 4 bytes per row.
#[cfg(feature = "ndarray")]
const MOST_CLASSES: usize = 10_000;

/// Scores by Kendall's correlation with a target of `classes` classes, numbered from 0. For three
/// or more classes, a score is the largest over one class against the rest. Rows without a valid
/// class (`None`, or a number of at least `classes`) are ignored.
///
/// # Errors
///
/// As for [`kendall`]; `Request` unless `classes` lies between 2 and 10,000.
#[cfg(feature = "ndarray")]
pub fn kendall_of_classes<A: Copy + Into<f64> + Sync>(
    x: ndarray::ArrayView2<'_, A>,
    y: ndarray::ArrayView1<'_, Option<usize>>,
    classes: usize,
    neighbors: Neighbors,
) -> Result<Scores> {
    if !(2..=MOST_CLASSES).contains(&classes) {
        return Err(Error::request(format!("there must be 2 to {MOST_CLASSES} classes")));
    }
    let usable = |class: &Option<usize>| class.filter(|c| *c < classes).map(|c| c as f64);
    kendall_of(x, y.iter().map(usable).collect(), classes, neighbors)
}

#[cfg(feature = "ndarray")]
fn kendall_of<A: Copy + Into<f64> + Sync>(
    x: ndarray::ArrayView2<'_, A>,
    targets: Vec<Option<f64>>,
    classes: usize,
    neighbors: Neighbors,
) -> Result<Scores> {
    if x.nrows() != targets.len() {
        return Err(Error::request("X and y must have the same number of rows"));
    }
    let kept = targets.iter().map(Option::is_some).collect();
    let targets: Vec<f64> = targets.into_iter().flatten().collect();
    let threads = available_threads();
    let columns = SomeRows::new(x, kept);
    kendall_scores(&columns, &targets, None, classes, neighbors, threads, &Hooks::default())
}

/// The scores by Kendall's correlation. `classes` is 0 for a numeric target, otherwise the number
/// of classes, with class numbers as targets. There must be one finite target per row. `people`
/// holds the weights of rows and the number of people, if people have several rows.
pub(crate) fn kendall_scores(
    columns: &impl Columns,
    targets: &[f64],
    people: Option<(&[Role], u64)>,
    classes: usize,
    neighbors: Neighbors,
    threads: usize,
    hooks: &Hooks,
) -> Result<Scores> {
    let rankings: Vec<Ranking> = match classes {
        0 | 2 => vec![Ranking::of(targets)],
        _ => (0..classes).map(|class| one_against_rest(targets, class)).collect(),
    };
    let units = match people {
        Some((roles, people)) => {
            let weights = roles.iter().map(|role| role.weight.into()).collect();
            Units { weights, weight: People::WEIGHT.into(), count: people }
        }
        None => Units::rows(targets.len()),
    };
    let values = values(columns, &rankings, &units, threads, hooks)?;
    let sensitivity = match neighbors {
        Neighbors::AddRemove => 3 * KENDALL_GRID / 2 + 1,
        Neighbors::ReplaceOne => 2 * KENDALL_GRID + 1,
    };
    Scores::new(values, sensitivity.unsigned_abs(), neighbors)
}

/// The scores of all columns against one of the columns, which may have missing values; the
/// sensitivity is the same.
pub(crate) fn kendall_with(
    columns: &impl Columns,
    feature: usize,
    threads: usize,
    hooks: &Hooks,
) -> Result<Vec<i64>> {
    let values = columns.to_vec(feature);
    // Called once per pick; progress is reported for the pass over the table only.
    let hooks = Hooks { progress: None, cancel: hooks.cancel.clone() };
    let units = Units::rows(values.len());
    self::values(columns, &[Ranking::of(&values)], &units, threads, &hooks)
}

/// The units that rows belong to.
struct Units {
    /// The weight of each row; empty if all are 1.
    weights: Vec<i64>,
    /// W, the largest weight of a unit.
    weight: i64,
    /// n
    count: u64,
}

impl Units {
    /// Each row is its own unit.
    fn rows(rows: usize) -> Self {
        Self { weights: Vec::new(), weight: 1, count: rows as u64 }
    }

    fn weight_of(&self, row: u32) -> i64 {
        self.weights.get(row as usize).copied().unwrap_or(1)
    }
}

/// The score of each column, the largest over the rankings.
fn values(
    columns: &impl Columns,
    rankings: &[Ranking],
    units: &Units,
    threads: usize,
    hooks: &Hooks,
) -> Result<Vec<i64>> {
    by_feature(columns.features(), threads, hooks, || {
        let mut values = Vec::new();
        move |feature| {
            columns.column(feature, &mut values);
            score(&values, units, rankings)
        }
    })
}

fn one_against_rest(targets: &[f64], class: usize) -> Ranking {
    let is_class = |target: &f64| f64::from(u8::from(*target == class as f64));
    Ranking::of(&targets.iter().map(is_class).collect::<Vec<_>>())
}

/// floor(G max |C - D| / (n - 1))
fn score(column: &[f64], units: &Units, rankings: &[Ranking]) -> i64 {
    let n = i128::from(units.count);
    if n <= 1 {
        return 0;
    }
    let counts = |row: u32| rankings.iter().all(|ranking| ranking.ranks[row as usize] > 0);
    let mut present: Vec<(f64, u32)> = Vec::with_capacity(column.len());
    for (&value, row) in column.iter().zip(0..) {
        if value.is_finite() && counts(row) {
            present.push((value, row));
        }
    }
    present.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let excess = rankings.iter().map(|ranking| ranking.concordant_excess(&present, units).abs());
    let pairs = i128::from(units.weight).pow(2) * (n - 1);
    // At most G n/2 <= 2^50.
    (i128::from(KENDALL_GRID) * excess.max().unwrap_or(0) / pairs) as i64
}

/// The target of each row as a dense rank from 1; 0 if it is missing.
struct Ranking {
    ranks: Vec<u32>,
    levels: u32,
}

impl Ranking {
    fn of(targets: &[f64]) -> Self {
        let present = targets.iter().filter(|target| target.is_finite());
        let mut levels: Vec<f64> = present.map(|target| target + 0.0).collect();
        levels.sort_unstable_by(f64::total_cmp);
        levels.dedup();
        let rank = |target: &f64| match target.is_finite() {
            true => levels.partition_point(|level| level <= target) as u32,
            false => 0,
        };
        Self { ranks: targets.iter().map(rank).collect(), levels: levels.len() as u32 }
    }

    /// C - D, in units of 1/W^2, for rows sorted by the feature's value: each row is compared with
    /// all rows of smaller value, and not with ties.
    fn concordant_excess(&self, sorted: &[(f64, u32)], units: &Units) -> i128 {
        let mut below = Counter::new(self.levels);
        let mut seen = 0i64;
        let mut excess = 0;
        for ties in sorted.chunk_by(|a, b| a.0 == b.0) {
            for (_, row) in ties {
                let rank = self.ranks[*row as usize];
                let (lower, not_higher) = (below.up_to(rank - 1), below.up_to(rank));
                let of_row = i128::from(lower - (seen - not_higher));
                excess += of_row * i128::from(units.weight_of(*row));
            }
            for (_, row) in ties {
                let weight = units.weight_of(*row);
                below.add(self.ranks[*row as usize], weight);
                seen += weight;
            }
        }
        excess
    }
}

/// Counts by rank with prefix sums in logarithmic time (a Fenwick tree).
struct Counter(Vec<i64>);

impl Counter {
    fn new(levels: u32) -> Self {
        Self(vec![0; levels as usize + 1])
    }

    fn add(&mut self, rank: u32, weight: i64) {
        let mut at = rank as usize;
        while at < self.0.len() {
            self.0[at] += weight;
            at += at & at.wrapping_neg();
        }
    }

    fn up_to(&self, rank: u32) -> i64 {
        let mut at = rank as usize;
        let mut sum = 0;
        while at > 0 {
            sum += self.0[at];
            at -= at & at.wrapping_neg();
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use std::sync::Arc;

    use super::*;
    use crate::table::HeldColumns;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// One feature; `None` is a missing value.
    fn scores(rows: &[(Option<i8>, i8)], classes: usize, neighbors: Neighbors) -> Scores {
        let x: Vec<_> = rows.iter().map(|(x, _)| [x.map_or(f64::NAN, f64::from)]).collect();
        let kept = HeldColumns::of_rows(1, &x);
        let targets: Vec<f64> = rows.iter().map(|(_, y)| f64::from(*y)).collect();
        kendall_scores(&kept, &targets, None, classes, neighbors, 1, &Hooks::default()).unwrap()
    }

    /// The score by definition, over all pairs.
    fn by_pairs(rows: &[(Option<i8>, i8)], classes: usize) -> i64 {
        let n = rows.len() as i64;
        if n <= 1 {
            return 0;
        }
        let excess = |y: &dyn Fn(i8) -> i8| {
            let mut excess = 0i64;
            for (i, (x1, y1)) in rows.iter().enumerate() {
                for (x2, y2) in &rows[..i] {
                    if let (Some(x1), Some(x2)) = (x1, x2) {
                        let sign = (x1 - x2).signum() * (y(*y1) - y(*y2)).signum();
                        excess += i64::from(sign);
                    }
                }
            }
            excess.abs()
        };
        let most = match classes {
            0 | 2 => excess(&|y| y),
            _ => (0..classes as i8).map(|c| excess(&|y| i8::from(y == c))).max().unwrap(),
        };
        KENDALL_GRID * most / (n - 1)
    }

    /// All tables of up to 4 rows over three values and a missing one, with three target values,
    /// with every additional row and every replacement of a row (also by one without a usable
    /// target).
    #[test]
    fn sensitivity_by_enumeration() {
        let rows: Vec<(Option<i8>, i8)> = [None, Some(0), Some(1), Some(2)]
            .into_iter()
            .flat_map(|x| (0..3).map(move |y| (x, y)))
            .collect();
        for classes in [0, 3] {
            let score =
                |rows: &[(Option<i8>, i8)]| scores(rows, classes, Neighbors::AddRemove).values()[0];
            let mut tables = vec![vec![]];
            let (mut added, mut replaced) = (0, 0);
            let mut next = 0;
            while next < tables.len() {
                let table: Vec<(Option<i8>, i8)> = tables[next].clone();
                next += 1;
                let before = score(&table);
                for &row in &rows {
                    let more = [table.clone(), vec![row]].concat();
                    added = added.max(score(&more).abs_diff(before));
                    if let Some((_, rest)) = table.split_first() {
                        let other = [rest, &[row]].concat();
                        replaced = replaced.max(score(&other).abs_diff(before));
                    }
                    // Only sorted tables: scores do not depend on the order of rows.
                    if more.len() <= 4 && more.is_sorted() {
                        tables.push(more);
                    }
                }
            }
            let declared = |n| scores(&[], classes, n).sensitivity();
            assert!(added <= declared(Neighbors::AddRemove), "{added}");
            assert!(replaced <= declared(Neighbors::ReplaceOne), "{replaced}");
            assert!(added >= KENDALL_GRID.unsigned_abs() && replaced > added);
        }
    }

    proptest! {
        #[test]
        fn agrees_with_counting_pairs(
            rows in prop::collection::vec(
                (prop::option::weighted(0.8, -3i8..4), 0i8..3), 0..40),
            classes in prop::sample::select(vec![0usize, 3]),
        ) {
            let scores = scores(&rows, classes, Neighbors::AddRemove);
            prop_assert_eq!(scores.values()[0], by_pairs(&rows, classes));
        }
    }

    #[test]
    fn threads_and_order_do_not_matter() {
        let row = |i: u32| [0, 1, 2, 3, 4, 5, 6].map(|f| f64::from((i * (f + 3) * 7919) % 101));
        // Progress is reported for all seven columns.
        let whole = Arc::new(AtomicUsize::new(0));
        let seen = whole.clone();
        let progress = move |share| {
            assert!(0.0 < share && share <= 1.0);
            seen.fetch_add((share == 1.0).into(), Ordering::Relaxed);
        };
        let hooks = Hooks { progress: Some(Arc::new(progress)), cancel: None };
        let of = |parts: &[&[u32]], threads| {
            let order: Vec<u32> = parts.concat();
            let rows: Vec<_> = order.iter().map(|i| row(*i)).collect();
            let rows = HeldColumns::of_rows(7, &rows);
            let targets: Vec<f64> = order.iter().map(|i| f64::from(i * i % 17)).collect();
            kendall_scores(&rows, &targets, None, 0, Neighbors::AddRemove, threads, &hooks).unwrap()
        };
        let forward: Vec<u32> = (0..200).collect();
        let backward: Vec<u32> = (0..200).rev().collect();
        assert_eq!(of(&[&backward[..50], &backward[50..]], 3), of(&[&forward], 1));
        assert_eq!(whole.load(Ordering::Relaxed), 2);
    }
}
