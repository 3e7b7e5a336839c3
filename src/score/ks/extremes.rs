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

    fn include(&mut self, sum: i64) {
        self.most = self.most.max(sum);
        self.least = self.least.min(sum);
    }
}

/// The sums over the thresholds and over the words of a column for a target `t` of one number per row.
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
    let thresholds = Extremes { most: all - 2 * seen.least, least: all - 2 * seen.most };
    // The sums of t over each word; 0 for a word that does not occur.
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

/// The largest sum over classes a of |q F_a - M_a F|, with F_a the sum of f over the rows of class a and F that
/// over all rows; `classes` holds the class of each row.
pub(super) fn of_classes(column: &SortedColumn, classes: &[u32], centers: &[i32], q: i32) -> i64 {
    let score = |counts: &dyn Fn(usize) -> i64| {
        let all: i64 = (0..centers.len()).map(counts).sum();
        let part = |(class, &center): (usize, &i32)| {
            (i64::from(q) * counts(class) - i64::from(center) * all).abs()
        };
        centers.iter().enumerate().map(part).sum::<i64>()
    };
    let mut present = vec![0i64; centers.len()];
    column.numbers().for_each(|(row, _)| present[classes[row] as usize] += 1);
    let mut below = vec![0i64; centers.len()];
    let mut most = score(&|class| present[class]);
    for (row, last) in column.numbers() {
        below[classes[row] as usize] += 1;
        if last {
            most = most.max(score(&|class| present[class] - 2 * below[class]));
        }
    }
    column.words().for_each(|(row, _)| present[classes[row] as usize] += 1);
    most = most.max(score(&|class| present[class]));
    let mut word = vec![0i64; centers.len()];
    for (row, last) in column.words() {
        word[classes[row] as usize] += 1;
        if last {
            most = most.max(score(&|class| 2 * word[class] - present[class]));
            word.fill(0);
        }
    }
    most
}
