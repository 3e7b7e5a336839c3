//! Clipped correlation with a numeric or two-class target.
//!
//! # Definition
//!
//! With features x and target y on the grid \[-Q, Q\] and the target's center m,
//!
//! ```text
//! S_i = | sum over rows of x_i (y - m) | = | A_i - m B_i |,   A_i = sum x_i y,   B_i = sum x_i.
//! ```
//!
//! A covariance needs only one of its factors centered, so the features need no center. One pass
//! suffices, since the center may be determined after it.
//!
//! A missing value adds nothing to these sums. With M_i the sum of y - m over the rows in which
//! feature i is missing, the score is
//!
//! ```text
//! S'_i = max(0, S_i - Q |M_i|),
//! ```
//!
//! the least |sum| over one common value of all missing cells: a feature that is present more often
//! with large targets does not score by that. Without missing values it is S_i. See [`mod@ks`] for
//! the proof that only association among present values remains.
//!
//! # Sensitivity
//!
//! Adding or removing a row in which the feature is present changes S_i alone, by |x_i (y - m)| <=
//! Q (Q + |m|); one in which it is missing changes Q |M_i| alone, by Q |y - m|, at most as much.
//! Replacing a row changes S'_i by at most twice that. The sums are integers, so the result does
//! not depend on the order of the rows or the number of threads.
//!
//! # Cost
//!
//! One product and two integer additions per cell, vectorized; 32 bytes per feature.
//!
//! # Source
//!
//! "Feature Selection from Differentially Private Correlations" (2024), algorithm 1. The grid and
//! the private center, with its share of the budget, were added in this project.

use crate::error::{Error, Result};
use crate::exact::GRID;
use crate::privacy::Neighbors;
use crate::score::raw::{MAX_SUM, of_no_rows};
use crate::score::sums::{add_products, dot, mask, sum_where, without_missing};
use crate::score::{
    CodedSums, Extremes, RawSums, RowSums, Scores, check_block, check_rows, less_missing, only,
};

/// Sums over one or more blocks of rows, for scores by clipped correlation with a target coded as
/// one number.
///
/// Features x and target y are integers on the grid from -[`GRID`](crate::GRID) to
/// [`GRID`](crate::GRID). The values of a row must be a function of that row alone:
/// [`Scaler`](crate::Scaler) and [`Bounds::to_grid`](crate::Bounds::to_grid) compute them, or any
/// other program that does the same. The score of feature i for a center m is |sum of x_i (y - m)|.
/// Blocks of rows may be summed in any place and order: the integer sums are identical.
///
/// ```
/// use dpsis::{CanonicalLipschitz, Mechanism, Neighbors, OperatingSystem, score::CorrelationSums};
///
/// let mut sums = CorrelationSums::new(3);
/// for (x, y) in [([1000, -20, 7], 32767), ([-1000, 10, 9], -32767)] {
///     sums.add_row(&x, y)?;
/// }
/// let scores = sums.scores(0, Neighbors::AddRemove)?;
/// let picks =
///     CanonicalLipschitz::default().pick(&scores, 1, &"2".parse()?, OperatingSystem)?;
/// # Ok::<(), dpsis::Error>(())
/// ```
#[derive(Clone)]
pub struct CorrelationSums {
    q: i32,
    /// A
    products: Vec<i64>,
    /// B
    features: Vec<i64>,
    /// The sum of y over the rows in which each feature is missing, and the number of those rows.
    missing: [Vec<i64>; 2],
    /// sum of Q + y
    above: u64,
    /// sum of Q - y
    below: u64,
}

impl CorrelationSums {
    /// Sums without any rows.
    ///
    /// # Panics
    ///
    /// If memory for 32 bytes per feature cannot be allocated.
    pub fn new(features: usize) -> Self {
        Self::with_grid(features, GRID)
    }

    /// Sums on the grid from -q to q.
    pub(crate) fn with_grid(features: usize, q: i32) -> Self {
        let [products, of_features, targets, rows] = [(); 4].map(|()| vec![0; features]);
        let missing = [targets, rows];
        Self { q, products, features: of_features, missing, above: 0, below: 0 }
    }

    /// Adds a row.
    ///
    /// # Errors
    ///
    /// `Request` if it has another number of features or a value outside the grid, or if there are
    /// more than 2^31 rows; then nothing is added.
    pub fn add_row(&mut self, x: &[i16], y: i16) -> Result<()> {
        self.add_block(x, &[y])
    }

    /// Adds consecutive rows `x` (row-major), with one target per row. Several times as fast as
    /// adding single rows; blocks of about 64 KiB suit the processor's caches.
    ///
    /// # Errors
    ///
    /// As for [`add_row`](Self::add_row); then none of the rows is added.
    pub fn add_block(&mut self, x: &[i16], y: &[i16]) -> Result<()> {
        check_block(x, y.len(), self.products.len(), self.q)?;
        check_block(y, y.len(), 1, self.q)?;
        check_rows(self.rows() + y.len() as u64)?;
        self.add_rows(x, y);
        Ok(())
    }

    /// Adds the sums of other rows.
    ///
    /// # Errors
    ///
    /// `Request` if they have another number of features, or there are more than 2^31 rows in
    /// total.
    pub fn add_sums(&mut self, other: &Self) -> Result<()> {
        if self.products.len() != other.products.len() {
            return Err(Error::request("the sums have another number of features"));
        }
        check_rows(self.rows() + other.rows())?;
        self.merge(other);
        Ok(())
    }

    fn add_target(&mut self, y: i16) {
        self.above += (self.q + i32::from(y)).unsigned_abs() as u64;
        self.below += (self.q - i32::from(y)).unsigned_abs() as u64;
    }

    /// The number of rows, which is private if rows may be added or removed.
    pub fn rows(&self) -> u64 {
        (self.above + self.below) / (2 * u64::from(self.q.unsigned_abs()))
    }

    /// The sums of Q + y and Q - y with Q = [`GRID`](crate::GRID), from which a private center is
    /// estimated.
    pub fn target_sums(&self) -> (u64, u64) {
        (self.above, self.below)
    }

    /// The scores for a center on the grid: public knowledge, or a private estimate.
    ///
    /// # Errors
    ///
    /// `Request` if the center lies outside the grid, or there is no feature.
    pub fn scores(&self, center: i32, neighbors: Neighbors) -> Result<Scores> {
        if !(-self.q..=self.q).contains(&center) {
            return Err(Error::request("the center lies outside the grid"));
        }
        let sensitivity = neighbors.steps() * self.one_row(&[center]);
        Scores::new(self.values(&[center]), sensitivity, neighbors)
    }

    /// The signed sum of a feature, less Q |M|.
    fn signed_sum(&self, feature: usize, center: i32) -> i64 {
        let at =
            |[of_y, of_one]: [&Vec<i64>; 2]| of_y[feature] - i64::from(center) * of_one[feature];
        let missing = at(self.missing.each_ref()).unsigned_abs() * u64::from(self.q.unsigned_abs());
        less_missing(at([&self.products, &self.features]), missing)
    }
}

impl CorrelationSums {
    /// Restores the sums from [`raw`](CodedSums::raw).
    ///
    /// # Errors
    ///
    /// `Input` if the number of features differs, or no rows can have these sums.
    pub(crate) fn of_raw(mut raw: RawSums, features: usize) -> Result<Self> {
        // Products of two grid values, then grid values.
        let most = MAX_SUM * i64::from(GRID);
        raw.check((4 * features, -most..=most), (2, 0..=2 * MAX_SUM))?;
        let [above, below] = [raw.rows[0], raw.rows[1]].map(i64::unsigned_abs);
        // Q + y and Q - y add up to 2 Q for each row, and a value is at most Q.
        let q = u64::from(GRID.unsigned_abs());
        let all = (above + below) / 2;
        let rows = raw.features.split_off(3 * features);
        let targets = raw.features.split_off(2 * features);
        let values = raw.features.split_off(features);
        let usable = all / q;
        let possible = |feature: usize| {
            // The rows in which the feature is missing, and present.
            let Ok(missing) = u64::try_from(rows[feature]) else { return false };
            let Some(present) = usable.checked_sub(missing) else { return false };
            targets[feature].unsigned_abs() <= q * missing
                && values[feature].unsigned_abs() <= q * present
                && raw.features[feature].unsigned_abs() <= q * q * present
        };
        if (above + below) % (2 * q) != 0 || !(0..features).all(possible) {
            return Err(of_no_rows());
        }
        let missing = [targets, rows];
        Ok(Self { q: GRID, products: raw.features, features: values, missing, above, below })
    }
}

impl CodedSums for CorrelationSums {
    fn raw(&self) -> RawSums {
        RawSums {
            features: {
                let [targets, rows] = &self.missing;
                [self.products.as_slice(), &self.features, targets, rows].concat()
            },
            rows: [self.above, self.below].map(|sum| sum as i64).to_vec(),
        }
    }

    fn target(&self) -> Vec<u64> {
        vec![self.above, self.below]
    }

    fn values(&self, centers: &[i32]) -> Vec<i64> {
        let center = only(centers);
        (0..self.products.len()).map(|feature| self.signed_sum(feature, center).abs()).collect()
    }

    fn one_row(&self, centers: &[i32]) -> u64 {
        let q = u64::from(self.q.unsigned_abs());
        q * (q + u64::from(only(centers).unsigned_abs()))
    }

    fn signed(&self, feature: usize, centers: &[i32]) -> Option<Extremes> {
        let sum = self.signed_sum(feature, only(centers));
        Some(Extremes { most: sum, least: sum })
    }
}

impl std::fmt::Debug for CorrelationSums {
    /// Omits the sums, which are private data.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CorrelationSums")
            .field("features", &self.products.len())
            .finish_non_exhaustive()
    }
}

impl RowSums for CorrelationSums {
    type Target = i16;

    fn add_rows(&mut self, x: &[i16], y: &[i16]) {
        let (d, [targets, rows]) = (self.products.len(), &mut self.missing);
        let x = without_missing(x, |place| {
            targets[place % d] += i64::from(y[place / d]);
            rows[place % d] += 1;
        });
        add_products(&x, y, &mut self.products, &mut self.features);
        y.iter().for_each(|&y| self.add_target(y));
    }

    fn add_targets(&mut self, y: &[Option<i16>]) -> Vec<Vec<i16>> {
        y.iter().flatten().for_each(|&y| self.add_target(y));
        let products = y.iter().map(|y| y.unwrap_or(0)).collect();
        let counted = y.iter().map(|y| mask(y.is_some())).collect();
        vec![products, counted]
    }

    fn add_feature(&mut self, feature: usize, x: &[i16], from: usize, factors: &[Vec<i16>]) {
        if let [y, counted] = factors {
            let (y, counted, [targets, rows]) = (&y[from..], &counted[from..], &mut self.missing);
            let x = without_missing(x, |row| {
                targets[feature] += i64::from(y[row]);
                rows[feature] += i64::from(counted[row] != 0);
            });
            self.products[feature] += dot(&x, y);
            self.features[feature] += sum_where(&x, counted);
        }
    }

    fn merge(&mut self, other: &Self) {
        let ([targets, rows], [more_targets, more_rows]) = (&mut self.missing, &other.missing);
        for (mine, theirs) in [
            (&mut self.products, &other.products),
            (&mut self.features, &other.features),
            (targets, more_targets),
            (rows, more_rows),
        ] {
            for (sum, more) in mine.iter_mut().zip(theirs) {
                *sum += more;
            }
        }
        self.above += other.above;
        self.below += other.below;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::MISSING;

    fn sums(rows: &[(Vec<i16>, i16)], q: i32) -> CorrelationSums {
        let mut sums = CorrelationSums::with_grid(2, q);
        rows.iter().for_each(|(x, y)| sums.add(x, *y));
        sums
    }

    /// Every row on the grid with Q = 2 or 3, with and without missing values, added to tables, for
    /// every center: no score changes by more than the declared sensitivity, and some score changes
    /// by exactly that. If the sum over missing values is subtracted twice, more is reached.
    #[test]
    fn sensitivity_by_enumeration() {
        for q in [2i16, 3] {
            let values = -q..=q;
            let cells: Vec<i16> = values.clone().chain([MISSING]).collect();
            let (mut reached, mut reached_missing, mut broken) = (false, false, false);
            for center in values.clone() {
                let scores = |rows: &[(Vec<i16>, i16)]| {
                    let sums = sums(rows, i32::from(q));
                    sums.scores(i32::from(center), Neighbors::AddRemove).unwrap()
                };
                let twice = |rows: &[(Vec<i16>, i16)], feature: usize| {
                    let missing = rows.iter().filter(|(x, _)| x[feature] == MISSING);
                    let missing: i64 = missing.map(|(_, y)| i64::from(y - center)).sum();
                    scores(rows).values()[feature] - i64::from(q) * missing.abs()
                };
                for base in 0..27i16 {
                    let x = |i: i16| [q, 1, -q, MISSING][i as usize % 4];
                    let y = |i: i16| [q, -q, 1][i as usize % 3];
                    let row = |i: i16| (vec![x(base), x(base / 4 + i)], y(base + i));
                    let table = vec![row(0), row(1), row(2)];
                    let before = scores(&table);
                    for (&x, y) in cells.iter().flat_map(|x| values.clone().map(move |y| (x, y))) {
                        let other = if x == MISSING { 0 } else { -x };
                        let more = [table.clone(), vec![(vec![x, other], y)]].concat();
                        let after = scores(&more);
                        let moved = before.values().iter().zip(after.values());
                        let most = moved.map(|(a, b)| a.abs_diff(*b)).max().unwrap();
                        assert!(most <= after.sensitivity());
                        reached |= most == after.sensitivity() && x != MISSING;
                        reached_missing |= most == after.sensitivity() && x == MISSING;
                        broken |= twice(&table, 0).abs_diff(twice(&more, 0)) > after.sensitivity();
                    }
                }
            }
            assert!(reached && reached_missing && broken);
        }
    }

    #[test]
    fn blocks_of_rows_are_their_rows() {
        let (x, y): (Vec<i16>, Vec<i16>) =
            ((0..42).map(|i| i * 750 - 16_000).collect(), (0..14).map(|i| i * 9 - 60).collect());
        let (mut rows, mut block) = (CorrelationSums::new(3), CorrelationSums::new(3));
        x.chunks(3).zip(&y).for_each(|(x, &y)| rows.add_row(x, y).unwrap());
        block.add_block(&x, &y).unwrap();
        let scores = |sums: &CorrelationSums| sums.scores(7, Neighbors::AddRemove).unwrap();
        assert_eq!(scores(&rows), scores(&block));
        for (x, y) in [(&x[1..], &y[..]), (&[0, i16::MIN, 0][..], &[0]), (&[0, 0, 0], &[i16::MIN])]
        {
            assert!(block.add_block(x, y).is_err());
        }
        assert_eq!((scores(&rows), block.rows()), (scores(&block), 14));
    }

    #[test]
    fn blocks_merge_to_the_same_bits() {
        let rows: Vec<_> = (0..100i16).map(|i| (vec![i * 300, -i * 7], i * 11 - 500)).collect();
        let whole = sums(&rows, 32767);
        let mut merged = sums(&rows[60..], 32767);
        merged.merge(&sums(&rows[..60], 32767));
        assert_eq!(
            whole.scores(77, Neighbors::AddRemove).unwrap(),
            merged.scores(77, Neighbors::AddRemove).unwrap()
        );
        assert_eq!(whole.target_sums(), merged.target_sums());
    }

    /// At most 2^31 rows, in any combination of sums.
    #[test]
    fn sums_of_too_many_rows_are_refused() {
        let of = |rows: u64| CorrelationSums {
            above: rows * GRID as u64,
            below: rows * GRID as u64,
            ..CorrelationSums::new(1)
        };
        for (mine, theirs, fits) in [
            (1 << 20, 1 << 20, true),
            (1 << 30, 1 << 30, true),
            (1 << 31, 1, false),
            (1, 1 << 31, false),
            (1 << 31, 0, true),
        ] {
            let mut sums = of(mine);
            assert_eq!(sums.add_sums(&of(theirs)).is_ok(), fits, "{mine} {theirs}");
            assert_eq!(sums.rows(), if fits { mine + theirs } else { mine });
        }
        assert_eq!(of(1 << 31).add_row(&[0], 0).unwrap_err().kind(), crate::ErrorKind::Request);
    }

    #[test]
    fn the_score_is_the_centered_sum() {
        let rows = vec![(vec![3, -1], 2), (vec![-2, 3], -3), (vec![1, 1], 1)];
        let direct = |i: usize, m: i64| {
            rows.iter().map(|(x, y)| i64::from(x[i]) * (i64::from(*y) - m)).sum::<i64>().abs()
        };
        for m in -3..=3 {
            let scores = sums(&rows, 3).scores(m as i32, Neighbors::AddRemove).unwrap();
            assert_eq!(scores.values(), [direct(0, m), direct(1, m)]);
        }
    }
}
