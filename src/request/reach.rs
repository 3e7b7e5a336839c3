//! The largest score that counts of rows allow, in rows: the unit of effect sizes, and the basis of
//! the choice of a mechanism.

/// How the largest score follows from the number of rows of each class, or of each side of a split.
/// For graded targets these are the sums of 1 - y and of y, with y in \[0, 1\].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reach {
    /// Whether the score is the largest of one class against the rest, not of any group of classes.
    pub(crate) one_against_rest: bool,
}

/// Up to this many classes all groups are compared; for more, an even split is assumed to be
/// possible.
const ALL_GROUPS_UP_TO: usize = 16;

impl Reach {
    /// The largest score of rows of these classes. Noisy counts below 0 count as 0.
    pub(crate) fn largest(self, counts: &[f64]) -> f64 {
        2.0 * self.product(counts)
    }

    /// The largest change by one row, which is of the rarest class: 1 - its share.
    pub(crate) fn one_row(counts: &[f64]) -> f64 {
        let least = counts.iter().fold(f64::INFINITY, |least, count| least.min(count.max(0.0)));
        1.0 - least / total(counts)
    }

    /// The largest score in units of the largest change by one row; 0 without rows of two classes.
    pub(crate) fn in_rows(self, counts: &[f64]) -> f64 {
        match self.largest(counts) {
            largest if largest > 0.0 => largest / Self::one_row(counts),
            _ => 0.0,
        }
    }

    /// The number of ways to split the classes in two that the score compares.
    pub(crate) fn splits(self, classes: usize) -> f64 {
        match classes {
            2 => 1.0,
            _ if self.one_against_rest => classes as f64,
            _ => 2f64.powi(classes as i32 - 1) - 1.0,
        }
    }

    /// The group of classes that is the second side of the most even split.
    pub(crate) fn group(self, counts: &[f64]) -> Vec<bool> {
        let classes = counts.len();
        let groups = |masks: std::ops::Range<usize>| {
            masks.map(move |mask| (0..classes).map(|class| mask >> class & 1 == 1).collect())
        };
        let best = |groups: &mut dyn Iterator<Item = Vec<bool>>| {
            let product = |group: &Vec<bool>| {
                let second: f64 =
                    counts.iter().zip(group).filter(|(_, of)| **of).map(|(count, _)| count).sum();
                second * (total(counts) - second)
            };
            groups.max_by(|a, b| product(a).total_cmp(&product(b))).unwrap_or_default()
        };
        match classes {
            2 => vec![false, true],
            _ if self.one_against_rest => {
                best(&mut (0..classes).map(|one| (0..classes).map(|class| class == one).collect()))
            }
            // Every other class, of many.
            _ if classes > ALL_GROUPS_UP_TO => (0..classes).map(|class| class % 2 == 1).collect(),
            _ => best(&mut groups(1..1 << (classes - 1))),
        }
    }

    /// The largest product of the rows of a group of classes and the rows of the others, over all
    /// rows: also the largest variance of the signed sum of a threshold for a null feature.
    pub(crate) fn product(self, counts: &[f64]) -> f64 {
        let rows = total(counts);
        if !(rows > 0.0) {
            return 0.0;
        }
        let against = |group: f64| group * (rows - group) / rows;
        let one = |class: usize| counts[class].max(0.0);
        let classes = counts.len();
        if classes == 2 || self.one_against_rest {
            return (0..classes).map(|class| against(one(class))).fold(0.0, f64::max);
        }
        if classes > ALL_GROUPS_UP_TO {
            return rows / 4.0;
        }
        let group = |mask: usize| -> f64 {
            (0..classes).filter(|class| mask >> class & 1 == 1).map(one).sum()
        };
        // A group and the others are the same split.
        (0..1usize << (classes - 1)).map(|mask| against(group(mask))).fold(0.0, f64::max)
    }
}

fn total(counts: &[f64]) -> f64 {
    counts.iter().map(|count| count.max(0.0)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_split_decides() {
        let [any, single] = [false, true].map(|one_against_rest| Reach { one_against_rest });
        // Two classes: twice the rarer one, in units of one row of it.
        assert!((any.in_rows(&[30.0, 70.0]) - 60.0).abs() < 1e-12);
        assert_eq!(any.in_rows(&[30.0, -2.0]), 0.0);
        assert_eq!(any.in_rows(&[0.0, 0.0]), 0.0);
        // Four equal classes: two against two, or one against three.
        let four = [25.0; 4];
        assert!((any.largest(&four) - 50.0).abs() < 1e-12);
        assert!((single.largest(&four) - 37.5).abs() < 1e-12);
        assert!((any.in_rows(&four) - 50.0 / 0.75).abs() < 1e-12);
        assert_eq!((any.splits(4), single.splits(4), any.splits(2)), (7.0, 4.0, 1.0));
    }
}
