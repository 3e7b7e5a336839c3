//! The paired score: how many more people have larger values in the second class than in the first.
//!
//! # What it is
//!
//! People have rows of two classes, such as tumor and normal tissue, before and after. For a person
//! i with values of feature j in both classes let s_ij be the sign of
//!
//! ```text
//! (mean in the second class) - (mean in the first class),
//! ```
//!
//! and 0 if the means are equal or the feature is missing in one of the classes. The score is
//!
//! ```text
//! S_j = | sum over people of s_ij |,
//! ```
//!
//! in units of [`GRID`](crate::GRID). Differences between people, of any size, do not count, and
//! neither does how often somebody was measured. It is the statistic of the sign test. Divided by
//! the number of pairs it is the share of people whose values rise less the share whose values fall.
//!
//! # Sensitivity
//!
//! s_ij depends on the rows of person i alone and lies between -1 and 1, so adding or removing a
//! person changes a sum by at most 1, and replacing one by at most 2. Nothing is centered.
//!
//! # Significance
//!
//! A feature is null if, for each person with values in both classes, exchanging the classes would
//! make no difference to the distribution of its values, independently of other people. Given how
//! many signs are not 0, these are then fair coins, whatever the values, ties and missing values
//! are. |2 Bin(N, 1/2) - N| is at least s with a probability that grows with N in steps of 2, so the
//! larger one for n and n - 1 is a bound for all N <= n pairs.
//!
//! # Cost
//!
//! One look at each value, in the order of people; columns in memory, as for the
//! Kolmogorov-Smirnov score.
//!
//! # Source
//!
//! J. Arbuthnott (1710); W. J. Dixon and A. M. Mood, "The Statistical Sign Test" (1946).

use std::cmp::Ordering;

/// The rows of people, in an order in which those of a person follow each other.
#[derive(Debug, Clone)]
pub(crate) struct Pairs {
    rows: Vec<PairRow>,
}

#[derive(Debug, Clone, Copy)]
struct PairRow {
    row: usize,
    person: u32,
    /// Whether it is of the second class.
    second: bool,
}

/// The values of one person in each class.
#[derive(Default)]
struct Sides([Vec<f64>; 2]);

impl Pairs {
    /// The person of each row, and whether it is of the second class.
    pub(crate) fn new(rows: impl IntoIterator<Item = (u32, bool)>) -> Self {
        let row = |(row, (person, second))| PairRow { row, person, second };
        let mut rows: Vec<PairRow> = rows.into_iter().enumerate().map(row).collect();
        rows.sort_by_key(|row| row.person);
        Self { rows }
    }

    /// The sum of the signs of all people in a column; values that are not finite are missing.
    pub(super) fn sum(&self, values: &[f64]) -> i64 {
        let mut sides = Sides::default();
        let of_person = |rows: &[PairRow]| {
            sides.0.iter_mut().for_each(Vec::clear);
            for row in rows.iter().filter(|row| values[row.row].is_finite()) {
                sides.0[usize::from(row.second)].push(values[row.row]);
            }
            sides.sign()
        };
        self.rows.chunk_by(|a, b| a.person == b.person).map(of_person).sum()
    }
}

impl Sides {
    fn sign(&mut self) -> i64 {
        let [first, second] = self.0.each_mut().map(|values| mean(values));
        match first.zip(second).and_then(|(first, second)| second.partial_cmp(&first)) {
            Some(Ordering::Greater) => 1,
            Some(Ordering::Less) => -1,
            _ => 0,
        }
    }
}

/// The mean of values, in an order that does not depend on that of the rows: equal values have
/// exactly themselves as their mean. `None` without a value.
fn mean(values: &mut [f64]) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    let (count, least) = (values.len() as f64, *values.first()?);
    let above: f64 = values.iter().map(|value| (value / count) - (least / count)).sum();
    Some(least + above)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::GRID;
    use crate::score::ks::{CenteredTarget, Family, TargetRows};

    /// A row: its person, its class and its value.
    type Row = (u32, bool, f64);

    fn score(rows: &[Row]) -> i64 {
        let pairs = Pairs::new(rows.iter().map(|(person, second, _)| (*person, *second)));
        let values: Vec<f64> = rows.iter().map(|row| row.2).collect();
        let target = CenteredTarget::from(TargetRows::Pairs(pairs)).with(Family::Signs);
        assert_eq!(target.one_row(), GRID as u64);
        target.of_values(&values).0 / i64::from(GRID)
    }

    /// The sum of the differences of each row to all others of its person: rows are not units.
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

    /// Every person beside every two others: a score moves by at most 1, and by rows by more.
    #[test]
    fn one_person_moves_a_score_by_one() {
        let (all, mut reached, mut broken) = (people(0), 0, 0);
        let others: Vec<Vec<Row>> = [
            vec![(1, false, 1.0), (1, true, 2.0)],
            vec![(1, true, 1.0), (2, false, 2.0), (1, false, 2.0), (2, true, 1.0)],
            vec![],
        ]
        .into();
        for (other, person) in others.iter().flat_map(|o| all.iter().map(move |p| (o, p))) {
            let with = [&other[..], person].concat();
            let moved = score(&with).abs_diff(score(other));
            assert!(moved <= 1, "{with:?}");
            reached += u64::from(moved == 1);
            broken += u64::from(by_rows(&with).abs_diff(by_rows(other)) > 1);
        }
        assert!(reached > 0 && broken > 0);
    }

    /// The order of rows does not matter; equal means have no sign; a person without one of the
    /// classes counts 0.
    #[test]
    fn signs_are_of_means() {
        let rows = [
            (0, false, 1.0),
            (0, true, 0.5),
            (0, true, 2.5),
            (1, false, 0.1),
            (1, false, 0.1),
            (1, true, 0.1),
            (2, true, 9.0),
            (3, false, 3.0),
            (3, true, f64::NAN),
            (4, false, 1e308),
            (4, false, 1.7e308),
            (4, true, 1.5e308),
        ];
        // 1.5 against 1; equal; alone; missing; 1.5e308 against 1.35e308.
        assert_eq!(score(&rows), 2);
        let mut turned = rows;
        turned.reverse();
        assert_eq!(score(&turned), 2);
        assert_eq!(score(&[]), 0);
    }
}
