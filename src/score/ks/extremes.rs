//! The largest sums of one column over the family of functions.

use crate::score::ks::sorted::SortedColumn;

/// The largest and the smallest sum of f(x) t over a family of functions f.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Extremes {
    pub(crate) most: i64,
    pub(crate) least: i64,
}

impl Extremes {
    /// The largest absolute value.
    pub(crate) fn largest(self) -> i64 {
        self.most.abs().max(self.least.abs())
    }

    /// Both without the part that missing values may explain, whose sum of t is `missing` in
    /// absolute value: moved toward 0, but not beyond it.
    pub(crate) fn less(self, missing: u64) -> Self {
        if missing == 0 {
            return self;
        }
        // Sums over rows stay below 2^62.
        let missing = missing as i64;
        Self { most: (self.most - missing).max(0), least: (self.least + missing).min(0) }
    }

    /// Both divided by the maximum weight of a unit, rounded down: then a unit moves them by no
    /// more than a row of weight 1 does.
    pub(super) fn per(self, weight: i64) -> Self {
        Self { most: self.most.div_euclid(weight), least: self.least.div_euclid(weight) }
    }

    pub(super) fn include(&mut self, sum: i64) {
        self.most = self.most.max(sum);
        self.least = self.least.min(sum);
    }
}

/// The sums over the thresholds and over the categories of a column for a target `t` of one number
/// per row.
pub(super) fn of_number(column: &SortedColumn, t: &[i32]) -> [Extremes; 2] {
    // The sums of t below each threshold, from none to all.
    let (mut below, mut seen) = (0i64, Extremes::default());
    for (row, last) in column.numbers() {
        below += i64::from(t[row]);
        if last {
            seen.include(below);
        }
    }
    let all = below;
    let thresholds = over_thresholds(seen, all);
    // The sums of t over each category; 0 for a category that does not occur.
    let (mut word, mut present, mut seen) = (0i64, all, Extremes::default());
    for (row, last) in column.words() {
        word += i64::from(t[row]);
        if last {
            seen.include(word);
            present += word;
            word = 0;
        }
    }
    let words = Extremes { most: 2 * seen.most - present, least: 2 * seen.least - present };
    [thresholds, words]
}

/// The sums over the thresholds, from the extremes of t below each and the sum of all.
pub(super) fn over_thresholds(below: Extremes, all: i64) -> Extremes {
    Extremes { most: all - 2 * below.least, least: all - 2 * below.most }
}

/// The largest sum over classes a of |q F_a - M_a F|, with F_a the sum of f over the rows of class
/// a and F the sum over all rows; `classes` holds the class of each row, `weights` its weight, if
/// not all are 1.
pub(super) fn of_classes(
    column: &SortedColumn,
    classes: &[u32],
    weights: &[u16],
    centers: &[i32],
    q: i32,
) -> i64 {
    let count = |counts: &mut [i64], row: usize| {
        counts[classes[row] as usize] += weights.get(row).copied().map_or(1, i64::from);
    };
    // F_a for the rows that are present, the rows below a threshold, and the rows of a category.
    let [mut present, mut part] = [(); 2].map(|()| vec![0i64; centers.len()]);
    column.numbers().for_each(|(row, _)| count(&mut present, row));
    let mut most = sum_over_classes(&present, &part, centers, q);
    for (row, last) in column.numbers() {
        count(&mut part, row);
        if last {
            most = most.max(sum_over_classes(&present, &part, centers, q));
        }
    }
    column.words().for_each(|(row, _)| count(&mut present, row));
    part.fill(0);
    most = most.max(sum_over_classes(&present, &part, centers, q));
    for (row, last) in column.words() {
        count(&mut part, row);
        if last {
            most = most.max(sum_over_classes(&present, &part, centers, q));
            part.fill(0);
        }
    }
    most
}

/// The sum over classes for the function that is -1 on `part` of the rows and 1 on the others
/// present.
pub(super) fn sum_over_classes(present: &[i64], part: &[i64], centers: &[i32], q: i32) -> i64 {
    let f = || present.iter().zip(part).map(|(present, part)| present - 2 * part);
    let all: i64 = f().sum();
    let term = |(f, &center): (i64, &i32)| (i64::from(q) * f - i64::from(center) * all).abs();
    f().zip(centers).map(term).sum()
}

/// The sum over classes of |q F_a - M_a F| where f is 1 on these rows of each class.
pub(super) fn sum_of_classes(rows: &[i64], centers: &[i32], q: i32) -> i64 {
    sum_over_classes(rows, &vec![0; rows.len()], centers, q)
}
