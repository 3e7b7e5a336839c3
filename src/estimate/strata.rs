//! The private centers of strata, with private counts of all rows.
//!
//! # Release
//!
//! With targets on the grid \[-Q, Q\], each stratum has the sums a = sum of (Q + y) and
//! b = sum of (Q - y) over its rows with a usable target, as a [center](super::center) of a whole
//! table has. Two more counts are of the rows with a usable target in no stratum, and of the rows
//! without a usable target. All get discrete Laplace noise of scale s/eps, with s = 2Q for the sums
//! and 1 for the counts.
//!
//! # Guarantee
//!
//! eps-differentially private, for the whole of it: a row is in one stratum, in no stratum, or has
//! no usable target, and its own cells alone determine which. It changes a and b of one stratum by
//! 2Q in all, or one count by 1, and nothing else; the noise there costs eps, and all other
//! releases have the same distribution with the row as without. By parallel composition, any number
//! of strata costs the same as one. All that follows is a function of the released sums.
//!
//! # Numbers of rows
//!
//! The rows of a stratum are (a + b)/2Q, also below 0: the sum over strata is unbiased, and only
//! that is cut at 0. Counts cut one by one would each add up to 1/eps to the total where strata are
//! empty.
//!
//! # Centers
//!
//! m_s = Q (a - b)/(a + b), with a + b at least 4 s/eps. It is not shrunk toward 0, since that
//! moves the centers of strata with different classes apart from each other, and by the same amount
//! every time: a feature that separates these strata gains 2/eps rows in each. Nor is it cut at Q
//! and -Q, for where a class is absent the noise would then err to one side alone.
//!
//! The standard deviation of m_s is about 2 sqrt(1 + (m_s/Q)^2) Q/(eps n_s), by the first-order
//! error ((1 - m/Q) z_a - (1 + m/Q) z_b)/n_s of the ratio and two noises of variance 2/eps^2 rows.
//! [Scores](crate::score) subtract a multiple of it from each function, in proportion to how much
//! it separates strata:
//!
//! - 2 as a rule;
//! - 4 in strata whose rarer class has less than 2/eps rows, that is, hardly any: with next to no
//!   association to find, scores are noise, and the tails of the noise decide;
//! - in strata of less than 4/eps rows the center is taken as 0 and the multiple as Q: then
//!   |m_s - m| <= Q for any true center m, so that nothing that separates them counts.
//!
//! The factors were found by simulation (`examples/strata.rs`).

use num_bigint::BigInt;

use crate::estimate::center::{NoisySums, RowsEstimate};
use crate::exact::GRID;
use crate::privacy::{Epsilon, Neighbors};
use crate::random::Bits;

/// A stratum with fewer rows, in units of the scale of its noise, gets no center.
pub(crate) const ROWS_FOR_A_CENTER: f64 = 4.0;

/// With fewer rows of a class, in the same unit, a stratum is treated as having hardly any of that
/// class.
pub(crate) const ROWS_OF_A_CLASS: f64 = 2.0;

/// The multiples of the standard deviation of a center by which functions are reduced: with both
/// classes, and where one is nearly absent.
const CENTER_ERROR_MULTIPLES: [f64; 2] = [2.0, 4.0];

/// The released values of all strata of a table.
#[derive(Debug, Clone)]
pub(crate) struct CountedStrata {
    pub(crate) strata: Vec<CountedStratum>,
    /// The number of rows in strata, with a usable target.
    pub(crate) usable: RowsEstimate,
    /// The number of rows with a usable target in no stratum.
    pub(crate) outside: u64,
    /// The number of rows without a usable target.
    pub(crate) unusable: u64,
}

/// The released values of one stratum.
#[derive(Debug, Clone)]
pub(crate) struct CountedStratum {
    /// m_s on the grid, or beyond it.
    pub(crate) center: i32,
    /// The number of rows of each class, or side, as for a whole table.
    pub(crate) classes: [f64; 2],
    /// Each of these counts has noise with probabilities that fall by e per 1/rate rows.
    pub(crate) rate: f64,
}

/// The coding of targets in one stratum: a function of released numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StratumCode {
    /// m_s on the grid, or beyond it because of the noise.
    pub(crate) center: i32,
    /// r_s, in grid units, from 0 to Q.
    pub(crate) radius: i32,
    /// Whether the stratum has too few rows for its center.
    pub(crate) is_tiny: bool,
}

impl StratumCode {
    /// Q + |m_s| + r_s
    fn divisor(self, q: i32) -> i64 {
        i64::from(q) + i64::from(self.center.abs()) + i64::from(self.radius)
    }

    /// w_s (y - m_s), rounded half away from zero.
    pub(crate) fn centered(self, y: i32, q: i32) -> i32 {
        let (part, divisor) = (i64::from(q) * i64::from(y - self.center), self.divisor(q));
        let rounded = (2 * part.abs() + divisor) / (2 * divisor);
        (part.signum() * rounded) as i32
    }

    /// p_s
    pub(crate) fn penalty(self, q: i32) -> i64 {
        let (part, divisor) = (i64::from(q) * i64::from(self.radius), self.divisor(q));
        (part + divisor - 1) / divisor
    }

    /// t_s + p_s
    pub(crate) fn one_row(self, q: i32) -> u64 {
        let most = self.centered(q, q).abs().max(self.centered(-q, q).abs());
        (i64::from(most) + self.penalty(q)).unsigned_abs()
    }
}

/// The accuracy of the center of a stratum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CenterKnown {
    Well,
    /// Hardly any rows of one class, or all values near one end: there is nothing to compare.
    OneSided,
    /// Too few rows for a center.
    TooFewRows,
}

impl CountedStratum {
    pub(crate) fn rows(&self) -> f64 {
        self.classes.iter().sum()
    }

    pub(crate) fn known(&self) -> CenterKnown {
        let least = self.classes[0].min(self.classes[1]);
        if self.rows() < ROWS_FOR_A_CENTER / self.rate {
            CenterKnown::TooFewRows
        } else if least < ROWS_OF_A_CLASS / self.rate {
            CenterKnown::OneSided
        } else {
            CenterKnown::Well
        }
    }

    /// The coding of targets in this stratum, with the penalty for the noise of its center.
    pub(crate) fn code(&self, q: i32) -> StratumCode {
        let times = match self.known() {
            CenterKnown::TooFewRows => {
                return StratumCode { center: 0, radius: q, is_tiny: true };
            }
            CenterKnown::Well => CENTER_ERROR_MULTIPLES[0],
            CenterKnown::OneSided => CENTER_ERROR_MULTIPLES[1],
        };
        let deviation =
            center_deviation(f64::from(self.center) / f64::from(q), self.rows(), self.rate);
        let radius = (f64::from(q) * (times * deviation).min(1.0)).ceil() as i32;
        StratumCode { center: self.center, radius, is_tiny: false }
    }
}

/// The standard deviation of a center of `rows` rows, as a share of Q; `rate` is that of the noise
/// of counts.
fn center_deviation(center: f64, rows: f64, rate: f64) -> f64 {
    let center = center.clamp(-1.0, 1.0);
    2.0 * (1.0 + center * center).sqrt() / (rate * rows)
}

/// Private counts of strata, from the sums of Q + y and Q - y over the usable rows of each, the
/// number of usable rows in no stratum, and the number of all others.
pub(crate) fn private_strata(
    sums: &[(u64, u64)],
    (outside, unusable): (u64, u64),
    q: i32,
    neighbors: Neighbors,
    epsilon: &Epsilon,
    bits: &Bits,
) -> CountedStrata {
    let row = 2 * u64::from(q.unsigned_abs());
    let mut total = BigInt::ZERO;
    let stratum = |(place, (above, below)): (u64, &(u64, u64))| {
        let bits = bits.branch(place);
        let noisy = NoisySums::new(&[*below, *above], row, neighbors, epsilon, &bits);
        let (below, above) = (&noisy.sums[0], &noisy.sums[1]);
        let all = above + below;
        // At most twice Q, so that grid values minus a center fit their type.
        let center = noisy.share_of(above - below, all.clone(), q).clamp(-2 * q, 2 * q);
        total += all;
        let classes = [noisy.in_rows(0, row), noisy.in_rows(1, row)];
        CountedStratum { center, classes, rate: noisy.rate(row) }
    };
    let strata: Vec<CountedStratum> = (0..).zip(sums).map(stratum).collect();
    let others = bits.branch(sums.len() as u64);
    let others = NoisySums::new(&[outside, unusable], 1, neighbors, epsilon, &others);
    let [outside, unusable] = [0, 1].map(|place| others.rows(&others.sums[place..=place], 1));
    let noise = others.noise(2 * strata.len());
    let usable = RowsEstimate { rows: others.rows(&[total], row), noise };
    CountedStrata { strata, usable, outside, unusable }
}

/// The codes of strata at exact centers, for scores without noise.
pub(crate) fn exact_codes(sums: &[[u64; 2]]) -> Vec<StratumCode> {
    let code = |&[above, below]: &[u64; 2]| {
        let total = (above + below).max(1) as f64;
        let share = (above as f64 - below as f64) / total;
        let center = (f64::from(GRID) * share).round() as i32;
        StratumCode { center, radius: 0, is_tiny: false }
    };
    sums.iter().map(code).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::random::Entropy;
    use crate::support::oracle::max_log_ratio;

    fn bits(seed: u64) -> Bits {
        Entropy::Seeded(seed).source().unwrap().bits(1)
    }

    /// A row: its target, if it is usable, and its stratum, if it has one.
    type Row = (Option<i64>, Option<usize>);

    /// The sums of two strata, and the two counts, with Q = 2.
    fn sums(rows: &[Row]) -> [i64; 6] {
        let mut sums = [0; 6];
        for row in rows {
            match *row {
                (Some(y), Some(stratum)) => {
                    sums[2 * stratum] += 2 + y;
                    sums[2 * stratum + 1] += 2 - y;
                }
                (Some(_), None) => sums[4] += 1,
                (None, _) => sums[5] += 1,
            }
        }
        sums
    }

    /// P(sum + noise = z) for a window of z around 0, on which sums of neighbors are compared.
    fn law(sum: i64, rate: f64) -> Vec<f64> {
        let normal = (1.0 - (-rate).exp()) / (1.0 + (-rate).exp());
        (-40..=40).map(|z: i64| normal * (-rate * (z - sum).abs() as f64).exp()).collect()
    }

    /// The largest log-ratio of the joint law of all releases for neighboring tables of up to two
    /// rows, as a share of epsilon: releases are independent, so that log-ratios add up.
    fn worst(sums: impl Fn(&[Row]) -> Vec<i64>, rates: &[f64], epsilon: f64) -> f64 {
        let mut rows: Vec<Row> = Vec::new();
        for y in [None, Some(-2), Some(0), Some(1), Some(2)] {
            rows.extend([None, Some(0), Some(1)].map(|stratum| (y, stratum)));
        }
        let mut laws = HashMap::new();
        let mut ratio = |before: i64, after: i64, rate: f64| {
            *laws
                .entry((before, after, rate.to_bits()))
                .or_insert_with(|| max_log_ratio(&law(before, rate), &law(after, rate)))
        };
        let mut worst = 0f64;
        for first in &rows {
            for more in &rows {
                let (before, after) = (sums(&[*first]), sums(&[*first, *more]));
                let parts = before.iter().zip(&after).zip(rates);
                let loss: f64 = parts.map(|((a, b), rate)| ratio(*a, *b, *rate)).sum();
                worst = worst.max(loss / epsilon);
            }
        }
        worst
    }

    /// All strata and both counts together cost as much as one center.
    #[test]
    fn privacy_by_enumeration() {
        let epsilon = 0.5;
        let rates = [epsilon / 4.0, epsilon / 4.0, epsilon / 4.0, epsilon / 4.0, epsilon, epsilon];
        let of = |rows: &[Row]| sums(rows).to_vec();
        let found = worst(of, &rates, epsilon);
        assert!((found - 1.0).abs() < 1e-9, "{found}");
        // Broken: rows in no stratum are also counted among those without a target.
        let twice = |rows: &[Row]| {
            let mut all = sums(rows);
            all[5] += all[4];
            all.to_vec()
        };
        assert!(worst(twice, &rates, epsilon) > 1.9);
        // Broken: a row counts for the centers of both strata.
        let both = |rows: &[Row]| {
            let mut all = sums(rows);
            let [a, b, c, d, ..] = all;
            all[..4].copy_from_slice(&[a + c, b + d, a + c, b + d]);
            all.to_vec()
        };
        assert!(worst(both, &rates, epsilon) > 1.9);
    }

    /// The draws have the noise of the enumeration: the variance of one sum is 2 (s/eps)^2. Centers
    /// with half of epsilon each would have four times that.
    #[test]
    fn disjoint_strata_share_one_charge() {
        let epsilon: Epsilon = "1/2".parse().unwrap();
        let variance = |strata: usize, expected: f64| {
            let sums = vec![(500 * 200, 300 * 200); strata];
            let (mut of_rows, mut of_others) = (0.0, 0.0);
            let runs = 4000;
            for seed in 0..runs {
                let add = Neighbors::AddRemove;
                let counted = private_strata(&sums, (500, 900), 100, add, &epsilon, &bits(seed));
                of_rows += (counted.strata[strata - 1].classes[0] - 300.0).powi(2);
                of_others += (counted.unusable as f64 - 900.0).powi(2);
            }
            for found in [of_rows, of_others] {
                let found = found / runs as f64 / expected;
                assert!((0.85..1.15).contains(&found), "{strata} strata: {found}");
            }
        };
        variance(2, 8.0);
        variance(9, 8.0);
    }

    /// The total of 512 strata, most of them empty, is unbiased; the total of counts cut at 0 has a
    /// bias of about 1/eps for each, more than there are rows.
    #[test]
    fn the_number_of_rows_is_unbiased_in_many_strata() {
        let q = 100u64;
        let sums: Vec<(u64, u64)> =
            (0..512).map(|i| if i < 64 { (2 * q * 6, 2 * q * 4) } else { (0, 0) }).collect();
        let epsilon: Epsilon = "1/2".parse().unwrap();
        let (runs, truth) = (200, 640.0);
        let (mut mean, mut cut) = (0.0, 0.0);
        for seed in 0..runs {
            let add = Neighbors::AddRemove;
            let counted = private_strata(&sums, (0, 0), q as i32, add, &epsilon, &bits(seed));
            mean += counted.usable.rows as f64;
            cut += counted.strata.iter().map(|s| s.rows().max(0.0)).sum::<f64>();
            // 2 sqrt(512)/eps
            assert!((counted.usable.noise - 90.5).abs() < 0.1, "{}", counted.usable.noise);
        }
        let [mean, cut] = [mean, cut].map(|sum| sum / runs as f64);
        // Six standard errors of the mean.
        assert!((mean - truth).abs() < 6.0 * 90.5 / f64::from(runs as u32).sqrt(), "{mean}");
        assert!(cut > 2.0 * truth, "{cut}");
    }

    /// The errors of the centers of strata with different classes do not add up to a systematic
    /// one. Centers that are shrunk toward 0 by two noise scales add 2/eps rows each.
    #[test]
    fn centers_are_unbiased() {
        let (q, n) = (1000i32, 200.0);
        let epsilon: Epsilon = "1/4".parse().unwrap();
        for share in [0.1, 0.5, 0.9, 1.0] {
            let above = (2.0 * f64::from(q) * n * share) as u64;
            let below = (2.0 * f64::from(q) * n) as u64 - above;
            let (mut plain, mut shrunk, runs) = (0.0, 0.0, 4000);
            for seed in 0..runs {
                let add = Neighbors::AddRemove;
                let counted =
                    private_strata(&[(above, below)], (0, 0), q, add, &epsilon, &bits(seed));
                let center = f64::from(counted.strata[0].center);
                // The error in rows that a function gains which is 1 on the whole stratum.
                let error = |center: f64| n * (2.0 * share - 1.0 - center / f64::from(q));
                plain += error(center);
                let by = 2.0 * f64::from(q) / (0.25 * counted.strata[0].rows());
                shrunk += error(center.signum() * (center.abs() - by).max(0.0));
            }
            let [plain, shrunk] =
                [plain, shrunk].map(|sum: f64| (sum / f64::from(runs as u32)).abs());
            // The standard error of the mean is below .2 rows, and the ratio's own bias as small.
            assert!(plain < 0.8, "share {share}: {plain}");
            assert!(share == 0.5 || shrunk > 6.0, "share {share}: {shrunk}");
        }
    }

    /// The deviation used in scores is that of the centers.
    #[test]
    fn the_deviation_of_centers_is_right() {
        let epsilon: Epsilon = "1/2".parse().unwrap();
        for (above, below) in [(150, 150), (30, 270), (290, 10)] {
            let (q, runs) = (1000, 4000);
            let mut sum = 0.0;
            let exact = (above as f64 - below as f64) / 300.0;
            for seed in 0..runs {
                let sums = [(2 * q as u64 * above, 2 * q as u64 * below)];
                let add = Neighbors::AddRemove;
                let counted = private_strata(&sums, (0, 0), q, add, &epsilon, &bits(seed));
                sum += (f64::from(counted.strata[0].center) / f64::from(q) - exact).powi(2);
            }
            let found = (sum / runs as f64).sqrt() / center_deviation(exact, 300.0, 0.5);
            assert!((0.93..1.07).contains(&found), "{above}: {found}");
        }
    }

    #[test]
    fn strata_without_a_center_are_recognized() {
        let code =
            |classes: [f64; 2], center| CountedStratum { center, classes, rate: 0.5 }.code(1000);
        // Fewer than 4/.5 = 8 rows.
        let tiny = StratumCode { center: 0, radius: 1000, is_tiny: true };
        assert_eq!(code([4.0, 3.9], 10), tiny);
        assert_eq!(code([-4.0, 3.0], -2000), tiny);
        // 2 * 2/(.5 * 100) = 8%.
        let well = |center, radius| StratumCode { center, radius, is_tiny: false };
        assert_eq!(code([50.0, 50.0], 0), well(0, 80));
        // Fewer than 2/.5 = 4 rows of one class: twice as much; sqrt(2) of it as the center is at
        // Q.
        assert_eq!(code([3.9, 96.1], 1000), well(1000, 227));
        assert_eq!(code([-3.0, 103.0], 1060), well(1060, 227));
        // No more than Q.
        assert_eq!(code([1.0, 7.5], 900).radius, 1000);
    }
}
