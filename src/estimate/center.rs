//! The private center of the target, and with it a count of the rows.
//!
//! # What it does
//!
//! A few non-negative integer sums are released with discrete Laplace noise; everything else is a function of
//! the noisy sums.
//!
//! - Numeric targets on the grid \[-Q, Q\]: a = sum of Q + y, b = sum of Q - y. One row adds 2Q in all, so
//!   the pair has L1 sensitivity s = 2Q. The center is Q (a - b)/(a + b).
//! - Classes: the number of rows of each class. One row affects one count, s = 1. The center of class c is Q
//!   times its share.
//! - Numeric targets with a public number of rows n (replace-one): a alone, to which a row without a usable
//!   target adds Q, the middle of its range. Replacing a row changes a by at most s = 2Q. The center is
//!   a/n - Q.
//!
//! The divisor a + b is bounded below by 4 s/eps: if the noise makes it small or negative, the center shrinks
//! toward 0 instead of diverging.
//!
//! # Guarantee
//!
//! eps-differentially private for adding or removing one row (for replacing one row, with 2 s for the
//! classes: one count falls, another rises): the sums are integers, the noise has exactly P(z) proportional
//! to e^(-eps |z|/s), and one row changes the sums by at most s in L1. A row without a usable target adds
//! nothing.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive};

use crate::error::{Error, Result};
use crate::exact::{GRID, MAX_ROWS, near_f64};
use crate::privacy::{Epsilon, Neighbors, Purpose, Randomness};
use crate::random::{Bits, discrete_laplace};

/// The number of rows with a usable target, estimated from the noisy sums.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct RowsEstimate {
    /// The estimated number of rows, which the budget paid for.
    pub rows: u64,
    /// The standard deviation of its noise, in rows.
    pub noise: f64,
}

/// A private center of a numeric or two-class target on the grid, and a count of the rows, from the sums of
/// Q + y and Q - y ([`CorrelationSums::target_sums`](crate::score::CorrelationSums::target_sums)).
///
/// # Privacy
///
/// `epsilon`-differentially private for adding or removing a row. For replacing a row it costs twice that;
/// [`center_of_rows`] is better suited.
///
/// # Errors
///
/// `Io` if the operating system gives no entropy.
pub fn center<R: Randomness>(
    target_sums: (u64, u64),
    epsilon: &Epsilon,
    randomness: R,
) -> Result<R::Output<(i32, RowsEstimate)>> {
    let bits = randomness.source()?.bits(Purpose::TargetCenter.draw());
    let (above, below) = target_sums;
    Ok(R::mark(private_center(above, below, GRID, epsilon, &bits)))
}

/// A private center for a public number of rows; `rows` includes those without a usable target.
///
/// # Privacy
///
/// `epsilon`-differentially private for replacing a row. Not for adding or removing one: the number of rows
/// is treated as public.
///
/// # Errors
///
/// `Request` if the sums have more rows than `rows`, or `rows` exceeds 2^31; `Io` if the operating system
/// gives no entropy.
pub fn center_of_rows<R: Randomness>(
    target_sums: (u64, u64),
    rows: u64,
    epsilon: &Epsilon,
    randomness: R,
) -> Result<R::Output<i32>> {
    let (above, below) = target_sums;
    let usable = above.saturating_add(below) / (2 * u64::from(GRID.unsigned_abs()));
    if usable > rows || rows > MAX_ROWS {
        return Err(Error::request(
            "the sums must have at most the stated number of rows, and at most 2^31",
        ));
    }
    let bits = randomness.source()?.bits(Purpose::TargetCenter.draw());
    Ok(R::mark(private_center_of(above, usable, rows, GRID, epsilon, &bits)))
}

/// Private centers of classes on the grid, and a count of the rows, from the number of rows of each class
/// ([`ClassSums::rows`](crate::score::ClassSums::rows)).
///
/// # Privacy
///
/// `epsilon`-differentially private for the stated neighbor relation.
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
    Ok(R::mark(private_class_centers(rows, GRID, neighbors, epsilon, &bits)))
}

/// The center of a numeric target in \[-q, q\], from `above` = sum of q + y and `below` = sum of q - y.
pub(crate) fn private_center(
    above: u64,
    below: u64,
    q: i32,
    epsilon: &Epsilon,
    bits: &Bits,
) -> (i32, RowsEstimate) {
    let noisy = NoisySums::new(&[above, below], 2 * q, epsilon, bits);
    let center = noisy.share_of(&noisy.sums[0] - &noisy.sums[1], q).clamp(-q, q);
    // One row adds 2q in all.
    let rows = BigRational::new(noisy.total(), (2 * q).into()).round().to_integer();
    let noise = noisy.noise() / f64::from(2 * q);
    (center, RowsEstimate { rows: non_negative(rows), noise })
}

/// The center for a public total `rows`; `above` = sum of q + y over the `usable` rows with a target.
pub(crate) fn private_center_of(
    above: u64,
    usable: u64,
    rows: u64,
    q: i32,
    epsilon: &Epsilon,
    bits: &Bits,
) -> i32 {
    let missing = (rows - usable) * u64::from(q.unsigned_abs());
    let noisy = NoisySums::new(&[above + missing], 2 * q, epsilon, bits);
    let mean = BigRational::new(noisy.total(), rows.max(1).into()) - BigInt::from(q);
    mean.round().to_integer().clamp((-q).into(), q.into()).to_i32().unwrap_or(0)
}

/// The centers of classes, each in \[0, q\], from the number of rows of each class.
pub(crate) fn private_class_centers(
    counts: &[u64],
    q: i32,
    neighbors: Neighbors,
    epsilon: &Epsilon,
    bits: &Bits,
) -> (Vec<i32>, RowsEstimate) {
    let noisy = NoisySums::new(counts, neighbors.steps() as i32, epsilon, bits);
    let centers = noisy.sums.iter().map(|sum| noisy.share_of(sum.clone(), q).clamp(0, q)).collect();
    (centers, RowsEstimate { rows: non_negative(noisy.total()), noise: noisy.noise() })
}

/// A private count of rows; the sensitivity is 1.
pub(crate) fn private_rows(rows: u64, epsilon: &Epsilon, bits: &Bits) -> RowsEstimate {
    let noisy = NoisySums::new(&[rows], 1, epsilon, bits);
    RowsEstimate { rows: non_negative(noisy.total()), noise: noisy.noise() }
}

fn non_negative(value: BigInt) -> u64 {
    if value.is_negative() { 0 } else { value.to_u64().unwrap_or(u64::MAX) }
}

struct NoisySums {
    sums: Vec<BigInt>,
    /// The L1 sensitivity s.
    sensitivity: i32,
    epsilon: BigRational,
}

impl NoisySums {
    fn new(sums: &[u64], sensitivity: i32, epsilon: &Epsilon, bits: &Bits) -> Self {
        let rate = epsilon.as_rational() / BigInt::from(sensitivity);
        let mut words = bits.lane(0);
        let noisy = |&sum: &u64| BigInt::from(sum) + discrete_laplace(&mut words, &rate);
        let epsilon = epsilon.as_rational().clone();
        Self { sums: sums.iter().map(noisy).collect(), sensitivity, epsilon }
    }

    fn total(&self) -> BigInt {
        self.sums.iter().sum()
    }

    /// q part/total, rounded half away from zero, with the total bounded below.
    fn share_of(&self, part: BigInt, q: i32) -> i32 {
        let least = BigRational::from_integer((4 * self.sensitivity).into()) / &self.epsilon;
        let divisor = BigRational::from_integer(self.total()).max(least);
        let share = BigRational::from_integer(part * q) / divisor;
        let limit = BigInt::from(i32::MAX);
        share.round().to_integer().clamp(-&limit, limit).to_i32().unwrap_or(0)
    }

    /// The standard deviation of the total's noise: at most sqrt(2) s/eps for each sum.
    fn noise(&self) -> f64 {
        (2.0 * self.sums.len() as f64).sqrt() * f64::from(self.sensitivity)
            / near_f64(&self.epsilon)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::privacy::Neighbors::AddRemove;
    use crate::random::Entropy;
    use crate::support::goodness::assert_fits;

    fn bits(seed: u64) -> Bits {
        Entropy::Seeded(seed).source().unwrap().bits(1)
    }

    /// The center as defined in the module's documentation, in floating point from exact noisy sums.
    fn center_of(a: i64, b: i64, q: i64, eps: f64) -> i64 {
        let divisor = ((a + b) as f64).max(8.0 * q as f64 / eps);
        let share = q as f64 * (a - b) as f64 / divisor;
        ((share.abs() + 0.5 + 1e-12).floor().copysign(share) as i64).clamp(-q, q)
    }

    /// P(center) for each grid value, by summing over all relevant noise values.
    pub(crate) fn exact_law(above: i64, below: i64, q: i64, eps: f64) -> Vec<f64> {
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
                law[(center_of(a, b, q, eps) + q) as usize] += p * p2;
            }
        }
        law
    }

    fn sums_of(target: &[i64], q: i64) -> (i64, i64) {
        (target.iter().map(|y| q + y).sum(), target.iter().map(|y| q - y).sum())
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
            let (center, _) = private_center(a as u64, b as u64, 2, &epsilon, &bits(seed));
            counts[(center + 2) as usize] += 1;
        }
        let law = exact_law(a, b, 2, 1.0);
        let total: f64 = law.iter().sum();
        assert_fits(&counts, &law.iter().map(|p| p / total).collect::<Vec<_>>());
    }

    /// P(center) for each grid value with a public total `rows`.
    pub(crate) fn exact_law_of(above: i64, usable: i64, rows: i64, q: i64, eps: f64) -> Vec<f64> {
        let rate = eps / (2 * q) as f64;
        let normal = (1.0 - (-rate).exp()) / (1.0 + (-rate).exp());
        let reach = (40.0 / rate) as i64;
        let mut law = vec![0.0; (2 * q + 1) as usize];
        for z in -reach..=reach {
            let a = above + (rows - usable) * q + z;
            // a/rows - q, half away from zero.
            let doubled = 2 * (a - rows * q);
            let rounded = (doubled.abs() + rows) / (2 * rows) * doubled.signum();
            law[(rounded.clamp(-q, q) + q) as usize] += normal * (-rate * z.abs() as f64).exp();
        }
        law
    }

    /// For public n: all tables of 3 rows with Q = 2, including missing targets, with every replacement of a
    /// row.
    #[test]
    fn privacy_of_replacing_a_row() {
        let (q, eps) = (2i64, 1.0);
        let law = |above: i64, usable: i64| exact_law_of(above, usable, 3, q, eps);
        let values: Vec<Option<i64>> = (-q..=q).map(Some).chain([None]).collect();
        let of = |rows: &[Option<i64>]| {
            law(rows.iter().flatten().map(|y| q + y).sum(), rows.iter().flatten().count() as i64)
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
        assert!((0.9..=1.0 + 1e-12).contains(&worst), "{worst}");
        // The code samples from this law.
        let mut counts = vec![0u64; 5];
        for seed in 0..30_000 {
            let center = private_center_of(7, 2, 3, 2, &"1".parse().unwrap(), &bits(seed));
            counts[(center + 2) as usize] += 1;
        }
        let law = law(7, 2);
        let total: f64 = law.iter().sum();
        assert_fits(&counts, &law.iter().map(|p| p / total).collect::<Vec<_>>());
    }

    /// With a large budget the estimates equal the exact values.
    #[test]
    fn little_noise_gives_the_truth() {
        let epsilon = "1e6".parse().unwrap();
        let (center, estimate) = private_center(30_000, 10_000, 100, &epsilon, &bits(0));
        assert_eq!((center, estimate.rows), (50, 200));
        let (centers, estimate) =
            private_class_centers(&[10, 30, 60], 1000, AddRemove, &epsilon, &bits(0));
        assert_eq!((centers, estimate.rows), (vec![100, 300, 600], 100));
    }

    /// The class centers of neighboring count vectors: the noise is that of the counts, so the ratio of the
    /// joint law of the noisy counts is e^(eps |z - z'|). The noise itself is checked.
    #[test]
    fn one_row_is_one_count() {
        let epsilon: Epsilon = "1/2".parse().unwrap();
        let noisy = |counts: &[u64]| NoisySums::new(counts, 1, &epsilon, &bits(4)).sums;
        let (before, after) = (noisy(&[3, 5, 0]), noisy(&[3, 6, 0]));
        let moved: BigInt = before.iter().zip(&after).map(|(a, b)| (a - b).abs()).sum();
        assert_eq!(moved, 1.into());
    }
}
