//! The paired score: how much more often a person's rows are larger in the second class than in the
//! first.
//!
//! # Definition
//!
//! People have rows of two classes, such as tumor and normal tissue, before and after. For a person
//! i with values a_1, .. a_m of feature j in the first class and b_1, .. b_n in the second let
//!
//! ```text
//! r_ij = (number of pairs with b > a - number of pairs with b < a)/(m n),
//! ```
//!
//! over the m n pairs of a row of either class, and 0 if the feature is missing in one of the
//! classes. It is the sign of b - a where there is one row of each. The score is
//!
//! ```text
//! S_j = | sum over people of r_ij |,
//! ```
//!
//! in units of [`GRID`](crate::GRID), each r_ij rounded toward 0. Differences between people, of
//! any size, do not count, and neither does the number of measurements of a person. With one row of
//! each class it is the statistic of the sign test. Divided by the number of people with both
//! classes it is the share of pairs that rise less the share that fall, averaged over people.
//!
//! # Sensitivity
//!
//! r_ij depends on the rows of person i alone and lies between -1 and 1, so adding or removing a
//! person changes a sum by at most 1, and replacing one by at most 2. Nothing is centered.
//!
//! # Significance
//!
//! A feature is null if, given which of its values are missing, a value of a person in one class
//! and a value of the same person in the other may be exchanged without a change of their
//! distribution, and people are independent. Then E r_ij = 0, pair by pair, for any values, ties,
//! and numbers of rows. (A difference of means has no such property: a mean of three skewed values
//! lies above a single one more often than below.) Since r_ij is in \[-1, 1\], E phi(r_ij) <= E
//! phi(c) for a fair coin c of -1 and 1 and every convex phi, and by induction over people, with B
//! the sum of N >= n coins for n people,
//!
//! ```text
//! P(sum of r_ij >= s) <= E(sum of r_ij - t)^+ / (s - t) <= E(B - t)^+ / (s - t)    for every t < s.
//! ```
//!
//! So the sum exceeds min over t of t + E(B - t)^+/u, the expected shortfall of B at level u, with
//! a probability of at most u. Rounding moves a sum by less than n/GRID.
//!
//! # Cost
//!
//! A sort of the values of each person; columns in memory, as for the Kolmogorov-Smirnov score.
//!
//! # Source
//!
//! J. Arbuthnott (1710); W. J. Dixon and A. M. Mood, "The Statistical Sign Test" (1946); W.
//! Hoeffding (1963); R. T. Rockafellar and S. Uryasev, "Optimization of Conditional Value-at-Risk"
//! (2000).

use crate::exact::GRID;

/// The rows of people, ordered so that the rows of a person are consecutive.
#[derive(Debug, Clone)]
pub(crate) struct Pairs {
    rows: Vec<PairRow>,
}

#[derive(Debug, Clone, Copy)]
struct PairRow {
    row: usize,
    person: u32,
    /// Whether the row is of the second class.
    second: bool,
}

/// The values of one person in each class.
#[derive(Default)]
struct Sides([Vec<f64>; 2]);

impl Pairs {
    /// From the person of each row, and whether it is of the second class.
    pub(crate) fn new(rows: impl IntoIterator<Item = (u32, bool)>) -> Self {
        let row = |(row, (person, second))| PairRow { row, person, second };
        let mut rows: Vec<PairRow> = rows.into_iter().enumerate().map(row).collect();
        rows.sort_by_key(|row| row.person);
        Self { rows }
    }

    /// The sum over all people in a column, in units of [`GRID`]; values that are not finite are
    /// missing.
    pub(super) fn sum(&self, values: &[f64]) -> i64 {
        let mut sides = Sides::default();
        let of_person = |rows: &[PairRow]| {
            sides.0.iter_mut().for_each(Vec::clear);
            for row in rows.iter().filter(|row| values[row.row].is_finite()) {
                sides.0[usize::from(row.second)].push(values[row.row]);
            }
            sides.excess()
        };
        self.rows.chunk_by(|a, b| a.person == b.person).map(of_person).sum()
    }
}

impl Sides {
    /// The share of pairs that rise less the share that fall, in units of [`GRID`], rounded toward
    /// 0.
    fn excess(&mut self) -> i64 {
        let [first, second] = &mut self.0;
        if first.is_empty() || second.is_empty() {
            return 0;
        }
        first.sort_unstable_by(f64::total_cmp);
        second.sort_unstable_by(f64::total_cmp);
        // For each value of the second class, the number of values of the first below it and up to
        // it.
        let (mut below, mut up_to, mut excess) = (0, 0, 0i128);
        for value in &*second {
            below += first[below..].iter().take_while(|other| *other < value).count();
            up_to += first[up_to..].iter().take_while(|other| *other <= value).count();
            excess += below as i128 - (first.len() - up_to) as i128;
        }
        let pairs = first.len() as i128 * second.len() as i128;
        (excess * i128::from(GRID) / pairs) as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::ks::{CenteredTarget, Family, TargetRows};

    /// A row: its person, its class and its value.
    type Row = (u32, bool, f64);

    fn score(rows: &[Row]) -> i64 {
        let pairs = Pairs::new(rows.iter().map(|(person, second, _)| (*person, *second)));
        let values: Vec<f64> = rows.iter().map(|row| row.2).collect();
        let target = CenteredTarget::from(TargetRows::Pairs(pairs)).with(Family::Signs);
        assert_eq!(target.one_row(), GRID as u64);
        target.of_values(&values).0
    }

    /// The sum of the differences of each row to all others of its person: wrong, because rows are
    /// not units.
    fn by_rows(rows: &[Row]) -> i64 {
        let sign = |a: f64, b: f64| (a > b) as i64 - (a < b) as i64;
        let pairs = rows.iter().flat_map(|a| rows.iter().map(move |b| (a, b)));
        let pairs = pairs.filter(|(a, b)| a.0 == b.0 && a.1 && !b.1);
        pairs.map(|(a, b)| sign(a.2, b.2)).sum::<i64>().abs()
    }

    /// All ways to have up to three rows.
    fn people(person: u32) -> Vec<Vec<Row>> {
        let cells = [f64::NAN, 1.0, 2.0];
        let rows: Vec<Row> = [false, true]
            .into_iter()
            .flat_map(|second| cells.map(|value| (person, second, value)))
            .collect();
        let mut all: Vec<Vec<Row>> = vec![Vec::new()];
        for count in 0..3 {
            let shorter: Vec<_> = all.iter().filter(|one| one.len() == count).cloned().collect();
            all.extend(
                shorter.iter().flat_map(|one| rows.iter().map(|row| [&one[..], &[*row]].concat())),
            );
        }
        all
    }

    /// Every person with every two others: a person moves a score by at most 1; counted by rows, it
    /// moves by more.
    #[test]
    fn one_person_moves_a_score_by_one() {
        let (all, mut reached, mut broken, one) = (people(0), 0, 0, GRID as u64);
        let others: Vec<Vec<Row>> = [
            vec![(1, false, 1.0), (1, true, 2.0)],
            vec![(1, true, 1.0), (2, false, 2.0), (1, false, 2.0), (2, true, 1.0)],
            vec![],
        ]
        .into();
        for (other, person) in others.iter().flat_map(|o| all.iter().map(move |p| (o, p))) {
            let with = [&other[..], person].concat();
            let moved = score(&with).abs_diff(score(other));
            assert!(moved <= one, "{with:?}");
            reached += u64::from(moved == one);
            broken += u64::from(by_rows(&with).abs_diff(by_rows(other)) > 1);
        }
        assert!(reached > 0 && broken > 0);
    }

    /// The order of rows does not matter; a person with rows of one class only counts 0.
    #[test]
    fn pairs_of_rows_are_counted() {
        let rows = [
            (0, false, 1.0),
            (0, true, 0.5),
            (0, true, 2.5),
            (0, true, 3.5),
            (1, false, 0.1),
            (1, false, 0.1),
            (1, true, 0.1),
            (2, true, 9.0),
            (3, false, 3.0),
            (3, true, f64::NAN),
            (4, false, -1.7e308),
            (4, false, 1.7e308),
            (4, false, 2.0),
            (4, true, 1.5e308),
        ];
        // Two of three rise and one falls; equal; alone; missing; two of three rise.
        let third = i64::from(GRID) / 3;
        assert_eq!(score(&rows), 2 * third);
        let mut turned = rows;
        turned.reverse();
        assert_eq!(score(&turned), 2 * third);
        assert_eq!(score(&[]), 0);
    }

    /// Over all ways to divide the rows of a person among the classes, also unequally, the
    /// differences add up to 0. The signs of differences of means or of medians do not.
    #[test]
    fn differences_are_unbiased_for_any_values() {
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let median = |values: &[f64]| {
            let mut sorted = values.to_vec();
            sorted.sort_by(f64::total_cmp);
            (sorted[(sorted.len() - 1) / 2] + sorted[sorted.len() / 2]) / 2.0
        };
        let [mut by_means, mut by_medians] = [0; 2];
        for values in
            [[0.0, 1.0, 1.0, 2.0, 9.0], [0.0, 0.0, 0.0, 1.0, 5.0], [1.0, 2.0, 4.0, 8.0, 16.0]]
        {
            for second in 1..=4 {
                let [mut sum, mut of_means, mut of_medians] = [0i64; 3];
                let ways = (0..32u32).filter(|way| way.count_ones() == second);
                for way in ways {
                    let is_second = |i: usize| way >> i & 1 == 1;
                    let of = |class: bool| -> Vec<f64> {
                        (0..5).filter(|i| is_second(*i) == class).map(|i| values[i]).collect()
                    };
                    let mut sides = Sides([of(false), of(true)]);
                    sum += sides.excess();
                    let sign = |by: &dyn Fn(&[f64]) -> f64| {
                        let difference = by(&of(true)) - by(&of(false));
                        (difference > 0.0) as i64 - (difference < 0.0) as i64
                    };
                    of_means += sign(&mean);
                    of_medians += sign(&median);
                }
                // Each is rounded toward 0.
                assert!(sum.abs() < 10, "{values:?} {second}: {sum}");
                by_means += u32::from(of_means != 0);
                by_medians += u32::from(of_medians != 0);
            }
        }
        assert!(by_means > 0 && by_medians > 0);
    }
}
