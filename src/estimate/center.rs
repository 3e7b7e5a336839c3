//! The private center of the target, with private counts of the rows.
//!
//! # Definition
//!
//! A few non-negative integer sums are released with discrete Laplace noise; everything else is a
//! function of the noisy sums.
//!
//! - Numeric targets on the grid \[-Q, Q\]: a = sum of Q + y, b = sum of Q - y, and 2Q for every
//!   row without a usable target. One row adds 2Q in all, so the three have L1 sensitivity s = 2Q.
//!   The center is Q (a - b)/(a + b).
//! - Classes: the number of rows of each class, and of those without a class. One row affects one
//!   count, s = 1. The center of class c is Q times its share, after negative counts are set to 0.
//!
//! Replacing a row removes one and adds another: 2 s.
//!
//! The divisor is bounded below by 4 s/eps: if the noise makes it small or negative, the center
//! shrinks toward 0 instead of diverging.
//!
//! # Guarantee
//!
//! eps-differentially private for the given neighbor relation: the sums are integers, the noise
//! has exactly P(z) proportional to e^(-eps |z|/s), and one row changes the sums by at most s in
//! L1.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive};

use crate::error::Result;
use crate::exact::{GRID, near_f64};
use crate::privacy::{Epsilon, Neighbors, Purpose, Randomness};
use crate::random::{Bits, discrete_laplace};

/// The number of rows with a usable target, estimated from the noisy sums.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct RowsEstimate {
    /// The estimated number of rows, charged to the budget.
    pub rows: u64,
    /// The standard deviation of its noise, in rows.
    pub noise: f64,
}

/// A private center of a numeric or two-class target on the grid, and a count of the rows, from the
/// sums of Q + y and Q - y
/// ([`CorrelationSums::target_sums`](crate::score::CorrelationSums::target_sums)).
///
/// # Privacy
///
/// `epsilon`-differentially private for the given neighbor relation.
///
/// # Errors
///
/// `Io` if the operating system gives no entropy.
pub fn center<R: Randomness>(
    target_sums: (u64, u64),
    neighbors: Neighbors,
    epsilon: &Epsilon,
    randomness: R,
) -> Result<R::Output<(i32, RowsEstimate)>> {
    let bits = randomness.source()?.bits(Purpose::TargetCenter.draw());
    let (center, counted) = private_center(target_sums, 0, GRID, neighbors, epsilon, &bits);
    Ok(R::mark((center, counted.usable)))
}

/// A private center as for [`center`], shrunk toward 0 by twice the scale of its noise. For scores
/// that take the best of many thresholds ([`score::ks`](crate::score)): an error of the center
/// raises all of them.
///
/// # Privacy
///
/// `epsilon`-differentially private for the given neighbor relation.
///
/// # Errors
///
/// `Io` if the operating system gives no entropy.
pub fn shrunk_center<R: Randomness>(
    target_sums: (u64, u64),
    neighbors: Neighbors,
    epsilon: &Epsilon,
    randomness: R,
) -> Result<R::Output<i32>> {
    let bits = randomness.source()?.bits(Purpose::TargetCenter.draw());
    let (center, counted) = private_center(target_sums, 0, GRID, neighbors, epsilon, &bits);
    Ok(R::mark(shrunk(center, GRID, &counted)))
}

/// Private centers of classes on the grid, and a count of the rows, from the number of rows of each
/// class ([`ClassSums::rows`](crate::score::ClassSums::rows)).
///
/// # Privacy
///
/// `epsilon`-differentially private for the given neighbor relation.
///
/// # Errors
///
/// `Io` if the operating system gives no entropy.
pub fn class_centers<R: Randomness>(
    rows: &[u64],
    neighbors: Neighbors,
    epsilon: &Epsilon,
    randomness: R,
) -> Result<R::Output<(Vec<i32>, RowsEstimate)>> {
    let bits = randomness.source()?.bits(Purpose::TargetCenter.draw());
    let (centers, counted) = private_class_centers(rows, 0, GRID, neighbors, epsilon, &bits);
    Ok(R::mark((centers, counted.usable)))
}

/// The noisy counts behind a center.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Counted {
    /// The number of rows of each class. With a numeric target, a row at the lower end of the range
    /// counts for the first class, a row at the upper end for the second, and rows between for both
    /// in proportion.
    pub(crate) classes: Vec<f64>,
    /// Each of these counts has noise with probabilities that fall by e per 1/rate rows.
    pub(crate) rate: f64,
    /// The number of rows with a usable target.
    pub(crate) usable: RowsEstimate,
    /// The number of rows without a usable target.
    pub(crate) unusable: u64,
}

/// The center of a numeric target in \[-q, q\], from the sums of q + y and q - y over the usable
/// rows and the number of the others.
pub(crate) fn private_center(
    (above, below): (u64, u64),
    unusable: u64,
    q: i32,
    neighbors: Neighbors,
    epsilon: &Epsilon,
    bits: &Bits,
) -> (i32, Counted) {
    // One row adds 2q in all.
    let row = 2 * u64::from(q.unsigned_abs());
    let noisy = NoisySums::new(&[above, below, unusable * row], row, neighbors, epsilon, bits);
    let [above, below, _] = &noisy.sums[..] else { return (0, noisy.counted(row)) };
    let center = noisy.share_of(above - below, above + below, q).clamp(-q, q);
    let mut counted = noisy.counted(row);
    counted.classes.swap(0, 1);
    (center, counted)
}

/// The center, shrunk toward 0 by twice the scale of its noise: 0 if that is more than the center,
/// or if no rows were counted.
pub(crate) fn shrunk(center: i32, q: i32, counted: &Counted) -> i32 {
    let rows = counted.usable.rows as f64;
    let by = (2.0 * f64::from(q) / (counted.rate * rows)).round();
    // Infinite if there are no rows.
    match by < f64::from(center.abs()) {
        true => center - center.signum() * by as i32,
        false => 0,
    }
}

/// The centers of classes, each in \[0, q\], from the number of rows of each class and of rows
/// without a class.
pub(crate) fn private_class_centers(
    counts: &[u64],
    unusable: u64,
    q: i32,
    neighbors: Neighbors,
    epsilon: &Epsilon,
    bits: &Bits,
) -> (Vec<i32>, Counted) {
    let sums: Vec<u64> = counts.iter().copied().chain([unusable]).collect();
    let noisy = NoisySums::new(&sums, 1, neighbors, epsilon, bits);
    let counts: Vec<BigInt> =
        noisy.sums[..counts.len()].iter().map(|sum| sum.max(&BigInt::ZERO).clone()).collect();
    let total: BigInt = counts.iter().sum();
    let centers = counts.into_iter().map(|sum| noisy.share_of(sum, total.clone(), q)).collect();
    (centers, noisy.counted(1))
}

/// A private count of people with rows of both classes, and of the others: half of the pairs counts
/// for each class.
pub(crate) fn private_pairs(
    pairs: u64,
    others: u64,
    neighbors: Neighbors,
    epsilon: &Epsilon,
    bits: &Bits,
) -> Counted {
    let noisy = NoisySums::new(&[pairs, others], 1, neighbors, epsilon, bits);
    let counted = noisy.counted(1);
    Counted { classes: counted.classes.iter().flat_map(|n| [n / 2.0; 2]).collect(), ..counted }
}

/// A private count of rows under the add/remove relation.
pub(crate) fn private_rows(rows: u64, epsilon: &Epsilon, bits: &Bits) -> RowsEstimate {
    let noisy = NoisySums::new(&[rows], 1, Neighbors::AddRemove, epsilon, bits);
    RowsEstimate { rows: noisy.rows(&noisy.sums, 1), noise: noisy.noise(1) }
}

pub(super) struct NoisySums {
    pub(super) sums: Vec<BigInt>,
    /// The L1 sensitivity s.
    sensitivity: u64,
    epsilon: BigRational,
}

impl NoisySums {
    /// Sums to which each row adds `row` in all.
    pub(super) fn new(
        sums: &[u64],
        row: u64,
        neighbors: Neighbors,
        epsilon: &Epsilon,
        bits: &Bits,
    ) -> Self {
        let sensitivity = neighbors.steps() * row;
        let rate = epsilon.as_rational() / BigInt::from(sensitivity);
        let mut words = bits.lane(0);
        let noisy = |&sum: &u64| BigInt::from(sum) + discrete_laplace(&mut words, &rate);
        let epsilon = epsilon.as_rational().clone();
        Self { sums: sums.iter().map(noisy).collect(), sensitivity, epsilon }
    }

    /// q part/total, rounded half away from zero, with the total bounded below.
    pub(super) fn share_of(&self, part: BigInt, total: BigInt, q: i32) -> i32 {
        // The bound 4 s/eps is 4 s times the denominator of eps, divided by its numerator.
        let least = self.epsilon.denom() * (4 * self.sensitivity);
        let divisor = (total * self.epsilon.numer()).max(least);
        let share = rounded(part * self.epsilon.numer() * q, &divisor);
        let limit = BigInt::from(i32::MAX);
        share.clamp(-&limit, limit).to_i32().unwrap_or(0)
    }

    /// The rows behind all sums except the last, which counts rows without a usable target.
    fn counted(&self, row: u64) -> Counted {
        let (unusable, classes) = self
            .sums
            .split_last()
            .map_or((&[][..], &[][..]), |(last, all)| (std::slice::from_ref(last), all));
        Counted {
            classes: (0..classes.len()).map(|place| self.in_rows(place, row)).collect(),
            rate: self.rate(row),
            usable: RowsEstimate {
                rows: self.rows(classes, row),
                noise: self.noise(classes.len()) / row as f64,
            },
            unusable: self.rows(unusable, row),
        }
    }

    /// The number of rows behind one sum to which each adds `row`: not rounded, and negative if the
    /// noisy sum is.
    pub(super) fn in_rows(&self, place: usize, row: u64) -> f64 {
        self.sums[place].to_f64().unwrap_or(f64::NAN) / row as f64
    }

    /// The noise of numbers of rows falls by e per 1/rate rows.
    pub(super) fn rate(&self, row: u64) -> f64 {
        near_f64(&self.epsilon) * row as f64 / self.sensitivity as f64
    }

    /// The number of rows behind sums to which each adds `row` in all; 0 if it is negative.
    pub(super) fn rows(&self, sums: &[BigInt], row: u64) -> u64 {
        let rows = rounded(sums.iter().sum(), &row.into());
        if rows.is_negative() { 0 } else { rows.to_u64().unwrap_or(u64::MAX) }
    }

    /// The standard deviation of the noise of a number of sums together: at most sqrt(2) s/eps for
    /// each sum.
    pub(super) fn noise(&self, sums: usize) -> f64 {
        (2.0 * sums as f64).sqrt() * self.sensitivity as f64 / near_f64(&self.epsilon)
    }
}

/// The quotient, rounded half away from zero, for a positive divisor. A rational number would first
/// be reduced, which costs far more than the division.
fn rounded(dividend: BigInt, divisor: &BigInt) -> BigInt {
    let half: BigInt = divisor * dividend.signum();
    (2 * dividend + half) / (2 * divisor)
}

/// The step of noisy counts, in rows. With two classes they come from sums in units of the target's
/// grid; with more classes, rows are counted.
pub(crate) fn count_step(classes: usize) -> f64 {
    if classes == 2 { 0.5 / f64::from(GRID) } else { 1.0 }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::privacy::Neighbors::{AddRemove, ReplaceOne};
    use crate::random::Entropy;
    use crate::support::goodness::assert_fits;

    fn bits(seed: u64) -> Bits {
        Entropy::Seeded(seed).source().unwrap().bits(1)
    }

    /// The center as defined in the module's documentation, in floating point from exact noisy
    /// sums.
    fn center_of(a: i64, b: i64, q: i64, eps: f64) -> i64 {
        let divisor = ((a + b) as f64).max(8.0 * q as f64 / eps);
        let share = q as f64 * (a - b) as f64 / divisor;
        ((share.abs() + 0.5 + 1e-12).floor().copysign(share) as i64).clamp(-q, q)
    }

    /// P(center) for each grid value, by summing over all relevant noise values.
    pub(crate) fn exact_law(above: i64, below: i64, q: i64, eps: f64) -> Vec<f64> {
        law_of_noisy((above, below), q, eps, |a, b| center_of(a, b, q, eps))
    }

    /// The law of the center shrunk by twice the scale of its noise, 2 Q/(eps n).
    pub(crate) fn exact_law_shrunk(above: i64, below: i64, q: i64, eps: f64) -> Vec<f64> {
        law_of_noisy((above, below), q, eps, |a, b| {
            let center = center_of(a, b, q, eps);
            let rows = ((a + b) as f64 / (2 * q) as f64).round().max(0.0);
            let by = (2.0 * q as f64 / (eps * rows)).round();
            ((center.abs() as f64 - by).max(0.0) as i64) * center.signum()
        })
    }

    fn law_of_noisy(
        (above, below): (i64, i64),
        q: i64,
        eps: f64,
        center: impl Fn(i64, i64) -> i64,
    ) -> Vec<f64> {
        let rate = eps / (2 * q) as f64;
        let normal = (1.0 - (-rate).exp()) / (1.0 + (-rate).exp());
        // Beyond this the tails have probability less than e^-40.
        let reach = (40.0 / rate) as i64;
        let mass: Vec<f64> =
            (-reach..=reach).map(|z| normal * (-rate * z.abs() as f64).exp()).collect();
        let mut law = vec![0.0; (2 * q + 1) as usize];
        for (i, p) in mass.iter().enumerate() {
            for (j, p2) in mass.iter().enumerate() {
                let (a, b) = (above + i as i64 - reach, below + j as i64 - reach);
                law[(center(a, b) + q) as usize] += p * p2;
            }
        }
        law
    }

    fn sums_of(target: &[i64], q: i64) -> (i64, i64) {
        (target.iter().map(|y| q + y).sum(), target.iter().map(|y| q - y).sum())
    }

    /// Ties and both signs, against rational numbers.
    #[test]
    fn quotients_are_rounded_as_rational_numbers_are() {
        for dividend in -50..=50 {
            for divisor in 1..=12 {
                let [dividend, divisor] = [dividend, divisor].map(BigInt::from);
                let exact = BigRational::new(dividend.clone(), divisor.clone());
                assert_eq!(rounded(dividend, &divisor), exact.round().to_integer());
            }
        }
    }

    /// The deviation of the noise of m sums, sqrt(2 m) s/eps, in rows; sums of two sides come in
    /// steps of half a grid value.
    #[test]
    fn the_noise_is_as_documented() {
        let epsilon = "1/2".parse().unwrap();
        assert_eq!(private_rows(9, &epsilon, &bits(1)).noise, 8f64.sqrt());
        let counts = [9, 5, 8];
        for (neighbors, steps) in [(AddRemove, 1.0), (ReplaceOne, 2.0)] {
            let (_, counted) =
                private_class_centers(&counts, 0, 100, neighbors, &epsilon, &bits(1));
            assert!((counted.usable.noise - 6f64.sqrt() * steps / 0.5).abs() < 1e-12);
        }
        assert_eq!([2, 3, 7].map(count_step), [0.5 / 32_767.0, 1.0, 1.0]);
    }

    /// All tables of up to 3 rows on the grid with Q = 2 and 3, with every additional row.
    #[test]
    fn privacy_by_enumeration() {
        for (q, eps) in [(2, 1.0), (3, 0.5)] {
            let mut tables: Vec<Vec<i64>> = vec![vec![]];
            for rows in 0..3 {
                let longer: Vec<_> = tables
                    .iter()
                    .filter(|t| t.len() == rows)
                    .flat_map(|t| (-q..=q).map(move |y| [t.clone(), vec![y]].concat()))
                    .collect();
                tables.extend(longer);
            }
            let mut laws = std::collections::HashMap::new();
            let mut law = |target: &[i64]| {
                let (a, b) = sums_of(target, q);
                laws.entry((a, b)).or_insert_with(|| exact_law(a, b, q, eps)).clone()
            };
            let mut worst = 0.0f64;
            for table in &tables {
                for y in -q..=q {
                    let more = [table.clone(), vec![y]].concat();
                    let ratio = crate::support::oracle::max_log_ratio(&law(table), &law(&more));
                    worst = worst.max(ratio / eps);
                }
            }
            assert!(worst <= 1.0 + 1e-12, "Q = {q}: {worst}");
            assert!(worst >= 0.5, "Q = {q}: {worst}");
        }
    }

    #[test]
    fn draws_fit_the_exact_law() {
        let target = [2, -1, 2, 0, 1, 2, 2];
        let (a, b) = sums_of(&target, 2);
        let mut counts = vec![0u64; 5];
        for seed in 0..50_000 {
            let epsilon = "1".parse().unwrap();
            let sums = (a as u64, b as u64);
            let (center, _) = private_center(sums, 5, 2, AddRemove, &epsilon, &bits(seed));
            counts[(center + 2) as usize] += 1;
        }
        let law = exact_law(a, b, 2, 1.0);
        let total: f64 = law.iter().sum();
        assert_fits(&counts, &law.iter().map(|p| p / total).collect::<Vec<_>>());
    }

    #[test]
    fn shrunk_draws_fit_the_exact_law() {
        let (a, b) = sums_of(&[3, 3, 3, 3, 2, 3, 3, 3, 3, 1, 3], 3);
        let mut counts = vec![0u64; 7];
        for seed in 0..30_000 {
            let sums = (a as u64, b as u64);
            let epsilon = "1".parse().unwrap();
            let (center, counted) = private_center(sums, 0, 3, AddRemove, &epsilon, &bits(seed));
            counts[(shrunk(center, 3, &counted) + 3) as usize] += 1;
        }
        let law = exact_law_shrunk(a, b, 3, 1.0);
        let total: f64 = law.iter().sum();
        assert_fits(&counts, &law.iter().map(|p| p / total).collect::<Vec<_>>());
    }

    /// All tables of 3 rows with Q = 2, including missing targets, with every replacement of a row:
    /// the noise has twice the scale, as for half of epsilon.
    #[test]
    fn privacy_of_replacing_a_row() {
        let (q, eps) = (2i64, 1.0);
        let values: Vec<Option<i64>> = (-q..=q).map(Some).chain([None]).collect();
        let mut laws = std::collections::HashMap::new();
        let mut of = |rows: &[Option<i64>]| {
            let present: Vec<i64> = rows.iter().copied().flatten().collect();
            let (a, b) = sums_of(&present, q);
            laws.entry((a, b)).or_insert_with(|| exact_law(a, b, q, eps / 2.0)).clone()
        };
        let mut worst = 0.0f64;
        for &a in &values {
            for &b in &values {
                for &c in &values {
                    for &d in &values {
                        let ratio =
                            crate::support::oracle::max_log_ratio(&of(&[a, b, c]), &of(&[a, b, d]));
                        worst = worst.max(ratio / eps);
                    }
                }
            }
        }
        assert!((0.5..=1.0 + 1e-12).contains(&worst), "{worst}");
        // The code samples from this law.
        let mut counts = vec![0u64; 5];
        for seed in 0..30_000 {
            let epsilon = "1".parse().unwrap();
            let (center, _) = private_center((7, 1), 1, 2, ReplaceOne, &epsilon, &bits(seed));
            counts[(center + 2) as usize] += 1;
        }
        let law = exact_law(7, 1, 2, 0.5);
        let total: f64 = law.iter().sum();
        assert_fits(&counts, &law.iter().map(|p| p / total).collect::<Vec<_>>());
    }

    /// With any missing or present target, one row changes the three sums by 2Q in all, and
    /// replacing it by 4Q.
    #[test]
    fn one_row_moves_the_sums_by_2q() {
        let q = 2i64;
        let sums = |row: Option<i64>| match row {
            Some(y) => [q + y, q - y, 0],
            None => [0, 0, 2 * q],
        };
        let rows: Vec<Option<i64>> = (-q..=q).map(Some).chain([None]).collect();
        for &row in &rows {
            assert_eq!(sums(row).iter().sum::<i64>(), 2 * q);
            for &other in &rows {
                let moved = |(a, b): (&i64, &i64)| (a - b).abs();
                assert!(sums(row).iter().zip(&sums(other)).map(moved).sum::<i64>() <= 4 * q);
            }
        }
    }

    /// With a large budget the estimates equal the exact values.
    #[test]
    fn large_budgets_give_exact_values() {
        let epsilon = "1e6".parse().unwrap();
        let (center, counted) =
            private_center((30_000, 10_000), 7, 100, AddRemove, &epsilon, &bits(0));
        assert_eq!((center, counted.usable.rows, counted.unusable), (50, 200, 7));
        assert_eq!(
            counted.classes.iter().map(|rows| rows.round()).collect::<Vec<_>>(),
            [50.0, 150.0]
        );
        let (centers, counted) =
            private_class_centers(&[10, 30, 60], 4, 1000, ReplaceOne, &epsilon, &bits(0));
        assert_eq!(centers, [100, 300, 600]);
        assert_eq!((counted.usable.rows, counted.unusable), (100, 4));
        assert_eq!((counted.rate, counted.classes), (5e5, vec![10.0, 30.0, 60.0]));
    }

    #[test]
    fn centers_shrink_by_twice_their_noise() {
        let counted = |rows: u64, rate: f64| Counted {
            classes: vec![0.0; 2],
            rate,
            usable: RowsEstimate { rows, noise: 1.0 },
            unusable: 0,
        };
        // 2 Q/(rate n) = 2 * 1000/(0.1 * 400) = 50.
        let by_50 = counted(400, 0.1);
        let shrunk_by_50 = [600, -600, 50, -30, 51].map(|center| shrunk(center, 1000, &by_50));
        assert_eq!(shrunk_by_50, [550, -550, 0, 0, 1]);
        assert_eq!(shrunk(600, 1000, &counted(0, 0.1)), 0);
    }

    /// Negative counts become 0, and the others share the whole.
    #[test]
    fn shares_are_never_negative() {
        let epsilon = "1/10".parse().unwrap();
        let mut negative = 0;
        for seed in 0..200 {
            let (centers, counted) =
                private_class_centers(&[0, 300, 400], 0, 1000, AddRemove, &epsilon, &bits(seed));
            negative += u32::from(counted.classes[0] < 0.0);
            assert!(centers.iter().all(|center| (0..=1000).contains(center)));
            assert!((999..=1001).contains(&centers.iter().sum::<i32>()), "{centers:?}");
        }
        assert!(negative > 50);
    }

    /// The class centers of neighboring count vectors: the noise is that of the counts, so the
    /// ratio of the joint law of the noisy counts is e^(eps |z - z'|). The noise itself is checked.
    #[test]
    fn one_row_moves_one_class_count() {
        let epsilon: Epsilon = "1/2".parse().unwrap();
        let noisy = |counts: &[u64]| NoisySums::new(counts, 1, AddRemove, &epsilon, &bits(4)).sums;
        let (before, after) = (noisy(&[3, 5, 0]), noisy(&[3, 6, 0]));
        let moved: BigInt = before.iter().zip(&after).map(|(a, b)| (a - b).abs()).sum();
        assert_eq!(moved, 1.into());
    }
}
