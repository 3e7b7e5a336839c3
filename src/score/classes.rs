//! Clipped correlation with three or more classes, one class against the rest.
//!
//! # Definition
//!
//! With features x on the grid \[-Q, Q\] and the center m_c of class c in \[0, Q\] (Q times its
//! share of the rows),
//!
//! ```text
//! S_i = max over c of max(0, | sum over rows of x_i (Q [y = c] - m_c) | - Q |M_ic|)
//! ```
//!
//! Rows in which feature i is missing add nothing to the first sum; M_ic is the sum of
//! (Q \[y = c\] - m_c) over them, as for [two classes](super::correlation).
//!
//! # Sensitivity
//!
//! A row changes the first sum or the second one of class c by at most Q times Q - m_c or m_c, and
//! a maximum by no more than its terms: Q max over c of max(Q - m_c, m_c). Replacing a row changes
//! it by at most twice that.
//!
//! # Cost
//!
//! One integer addition per cell; 16 bytes per feature and class.

use crate::error::{Error, Result};
use crate::exact::GRID;
use crate::privacy::Neighbors;
use crate::score::raw::{MAX_COUNT, MAX_SUM, of_no_rows};
use crate::score::sums::{add_values, mask, sum_where, without_missing};
use crate::score::{CodedSums, RawSums, RowSums, Scores, check_block, check_rows, less_missing};

/// Sums over one or more blocks of rows, for scores by clipped correlation with classes.
///
/// Works like [`CorrelationSums`](crate::score::CorrelationSums), with the number of a row's class
/// as its target. For two classes one score suffices: use `CorrelationSums` and code the classes
/// as -[`GRID`](crate::GRID) and [`GRID`](crate::GRID).
#[derive(Clone)]
pub struct ClassSums {
    q: i32,
    /// For each class the sum of each feature over the rows of the class.
    features: Vec<Vec<i64>>,
    /// For each class the number of its rows in which each feature is missing.
    missing: Vec<Vec<i64>>,
    /// The number of rows of each class.
    rows: Vec<u64>,
}

impl ClassSums {
    /// Sums without any rows.
    ///
    /// # Panics
    ///
    /// If memory for 16 bytes per feature and class cannot be allocated.
    pub fn new(features: usize, classes: usize) -> Self {
        Self::with_grid(features, classes, GRID)
    }

    /// Sums on the grid from -q to q.
    pub(crate) fn with_grid(features: usize, classes: usize, q: i32) -> Self {
        let [sums, missing] = [(); 2].map(|()| vec![vec![0; features]; classes]);
        Self { q, features: sums, missing, rows: vec![0; classes] }
    }

    /// Adds a row of a class, numbered from 0.
    ///
    /// # Errors
    ///
    /// `Request` if it has another number of features, a value outside the grid or an unknown
    /// class, or if there are more than 2^31 rows; then nothing is added.
    pub fn add_row(&mut self, x: &[i16], class: usize) -> Result<()> {
        self.add_block(x, &[class])
    }

    /// Adds consecutive rows `x` (row-major), with one class per row.
    ///
    /// # Errors
    ///
    /// As for [`add_row`](Self::add_row); then none of the rows is added.
    pub fn add_block(&mut self, x: &[i16], classes: &[usize]) -> Result<()> {
        if classes.iter().any(|class| *class >= self.features.len()) {
            return Err(Error::request("there is no such class"));
        }
        let features = self.features.first().map_or(0, Vec::len);
        check_block(x, classes.len(), features, self.q)?;
        check_rows(self.rows.iter().sum::<u64>() + classes.len() as u64)?;
        self.add_rows(x, classes);
        Ok(())
    }

    /// Adds the sums of other rows.
    ///
    /// # Errors
    ///
    /// `Request` if they have another number of features or classes, or there are more than 2^31
    /// rows in total.
    pub fn add_sums(&mut self, other: &Self) -> Result<()> {
        let shape = |sums: &Self| (sums.rows.len(), sums.features.first().map(Vec::len));
        if shape(self) != shape(other) {
            return Err(Error::request("the sums have another number of features or classes"));
        }
        check_rows(self.rows.iter().chain(&other.rows).sum())?;
        self.merge(other);
        Ok(())
    }

    /// The number of rows of each class, from which private centers are estimated.
    pub fn rows(&self) -> &[u64] {
        &self.rows
    }

    /// The scores for the classes' centers, each [`GRID`](crate::GRID) times the share of the
    /// class: public knowledge, or a private estimate.
    ///
    /// # Errors
    ///
    /// `Request` unless there is one center per class, from 0 to [`GRID`](crate::GRID), and at
    /// least one feature.
    pub fn scores(&self, centers: &[i32], neighbors: Neighbors) -> Result<Scores> {
        let outside = |center: &i32| !(0..=self.q).contains(center);
        if centers.len() != self.rows.len() || centers.iter().any(outside) {
            return Err(Error::request(
                "there must be one center per class, from 0 to the grid bound",
            ));
        }
        let sensitivity = neighbors.steps() * self.one_row(centers);
        Scores::new(self.values(centers), sensitivity, neighbors)
    }
}

impl ClassSums {
    /// Restores the sums from [`raw`](CodedSums::raw).
    ///
    /// # Errors
    ///
    /// `Input` if the numbers of features or classes differ, or no rows can have these sums.
    pub(crate) fn of_raw(raw: &RawSums, features: usize, classes: usize) -> Result<Self> {
        raw.check((2 * features * classes, -MAX_SUM..=MAX_SUM), (classes, 0..=MAX_COUNT))?;
        let (sums, missing) = raw.features.split_at(features * classes);
        let of_classes = |sums: &[i64]| -> Vec<Vec<i64>> {
            (0..classes).map(|class| sums[class * features..][..features].to_vec()).collect()
        };
        let (sums, missing) = (of_classes(sums), of_classes(missing));
        let possible = |class: usize| {
            let rows = raw.rows[class];
            sums[class].iter().zip(&missing[class]).all(|(sum, missing)| {
                (0..=rows).contains(missing) && sum.abs() <= i64::from(GRID) * (rows - missing)
            })
        };
        if raw.rows.iter().sum::<i64>() > MAX_COUNT || !(0..classes).all(possible) {
            return Err(of_no_rows());
        }
        let rows = raw.rows.iter().map(|rows| rows.unsigned_abs()).collect();
        Ok(Self { q: GRID, features: sums, missing, rows })
    }
}

impl CodedSums for ClassSums {
    fn raw(&self) -> RawSums {
        let rows = self.rows.iter().map(|&rows| rows as i64).collect();
        RawSums { features: [self.features.concat(), self.missing.concat()].concat(), rows }
    }

    fn target(&self) -> Vec<u64> {
        self.rows.clone()
    }

    fn values(&self, centers: &[i32]) -> Vec<i64> {
        let q = i64::from(self.q);
        let score = |i: usize| {
            let all = |sums: &[Vec<i64>]| -> i64 { sums.iter().map(|class| class[i]).sum() };
            let (of_features, of_missing) = (all(&self.features), all(&self.missing));
            let of_class = |(class, &m): (usize, &i32)| {
                let sum = q * self.features[class][i] - i64::from(m) * of_features;
                let missing = q * self.missing[class][i] - i64::from(m) * of_missing;
                less_missing(sum, missing.unsigned_abs() * q.unsigned_abs()).abs()
            };
            centers.iter().enumerate().map(of_class).max().unwrap_or(0)
        };
        (0..self.features.first().map_or(0, Vec::len)).map(score).collect()
    }

    fn one_row(&self, centers: &[i32]) -> u64 {
        let reach = centers.iter().map(|&m| m.max(self.q - m)).max().unwrap_or(self.q);
        u64::from(self.q.unsigned_abs()) * u64::from(reach.unsigned_abs())
    }
}

impl std::fmt::Debug for ClassSums {
    /// Omits the sums, which are private data.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ClassSums").field("classes", &self.rows.len()).finish_non_exhaustive()
    }
}

impl RowSums for ClassSums {
    type Target = usize;

    fn add_rows(&mut self, x: &[i16], classes: &[usize]) {
        let features = self.features.first().map_or(0, Vec::len);
        let x = without_missing(x, |place| {
            self.missing[classes[place / features]][place % features] += 1;
        });
        for (x, &class) in x.chunks_exact(features.max(1)).zip(classes) {
            add_values(x, &mut self.features[class]);
        }
        classes.iter().for_each(|&class| self.rows[class] += 1);
    }

    fn add_targets(&mut self, classes: &[Option<usize>]) -> Vec<Vec<i16>> {
        classes.iter().flatten().for_each(|&class| self.rows[class] += 1);
        let rows_of = |class| classes.iter().map(|c| mask(*c == Some(class))).collect();
        (0..self.rows.len()).map(rows_of).collect()
    }

    fn add_feature(&mut self, feature: usize, x: &[i16], from: usize, factors: &[Vec<i16>]) {
        let x = without_missing(x, |row| {
            for (missing, factors) in self.missing.iter_mut().zip(factors) {
                missing[feature] += i64::from(factors[from + row] != 0);
            }
        });
        for (sums, factors) in self.features.iter_mut().zip(factors) {
            sums[feature] += sum_where(&x, &factors[from..]);
        }
    }

    fn merge(&mut self, other: &Self) {
        let mine = self.features.iter_mut().chain(&mut self.missing).flatten();
        for (sum, more) in mine.zip(other.features.iter().chain(&other.missing).flatten()) {
            *sum += more;
        }
        for (rows, more) in self.rows.iter_mut().zip(&other.rows) {
            *rows += more;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sums(rows: &[(i16, usize)], q: i32) -> ClassSums {
        let mut sums = ClassSums::with_grid(1, 3, q);
        rows.iter().for_each(|(x, class)| sums.add(&[*x], *class));
        sums
    }

    /// All tables of two rows, every center, every additional row: with Q = 2, and with Q = 5 and
    /// some values.
    #[test]
    fn sensitivity_by_enumeration() {
        for (q, x, shares) in
            [(2, &[-2i16, -1, 0, 1, 2][..], [0, 1, 2]), (5, &[-5, 2, 5], [0, 1, 4])]
        {
            let rows: Vec<(i16, usize)> =
                x.iter().flat_map(|x| (0..3).map(move |c| (*x, c))).collect();
            let of = |rows: &[(i16, usize)], centers: &[i32; 3]| {
                sums(rows, q).scores(centers, Neighbors::AddRemove).unwrap()
            };
            for centers in (0..27).map(|i| [i % 3, i / 3 % 3, i / 9].map(|i| shares[i])) {
                let mut reached = 0;
                for (&first, &second) in rows.iter().flat_map(|a| rows.iter().map(move |b| (a, b)))
                {
                    let before = of(&[first, second], &centers);
                    for &third in &rows {
                        let after = of(&[first, second, third], &centers);
                        let moved = before.values()[0].abs_diff(after.values()[0]);
                        assert!(moved <= before.sensitivity());
                        reached += u32::from(moved == before.sensitivity());
                    }
                }
                assert!(reached > 0, "{centers:?}");
            }
        }
    }

    #[test]
    fn the_score_is_the_largest_class_sum() {
        let rows = [(3i16, 0usize), (-1, 1), (2, 2), (2, 0)];
        let centers = [1, 0, 3];
        let direct = (0..3)
            .map(|c| {
                let term = |(x, y): &(i16, usize)| {
                    i64::from(*x) * (3 * i64::from(*y == c) - i64::from(centers[c]))
                };
                rows.iter().map(term).sum::<i64>().abs()
            })
            .max()
            .unwrap();
        assert_eq!(
            sums(&rows, 3).scores(&centers, Neighbors::AddRemove).unwrap().values(),
            [direct]
        );
    }

    #[test]
    fn blocks_merge_to_the_same_bits() {
        let rows: Vec<(i16, usize)> =
            (0..90i16).map(|i| (i * 300 - 9000, i as usize % 3)).collect();
        let mut merged = sums(&rows[50..], 32767);
        merged.merge(&sums(&rows[..50], 32767));
        let centers = [9000, 11000, 12000];
        assert_eq!(
            merged.scores(&centers, Neighbors::AddRemove).unwrap(),
            sums(&rows, 32767).scores(&centers, Neighbors::AddRemove).unwrap()
        );
    }
}
