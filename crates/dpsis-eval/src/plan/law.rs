//! The scores of imagined features, on the grid of the real score.
//!
//! # What it is
//!
//! A target of n rows, n1 of them in the second class (or above the split), v = n1 n0/n, was
//! centered at m; c = (Q + m)/2Q.
//!
//! | score | largest | a feature without association | a feature of strength r |
//! | --- | --- | --- | --- |
//! | `ks` | 4Qv | a column without ties: 4Q sqrt(v) Y with the law of [`bridge`](super::bridge) | a numeric column shifted in one class, whose distribution functions differ by r ([`shift`](super::shift)): the largest \|e - 2 ((Q - m) n1 F1 - (Q + m) n0 F0)\| over thresholds, where e = Q (n1 - n0) - n m |
//! | `correlation` | 4Q^2 v | values spread evenly over their range: normal, of variance Q^2/3 times sum (y - m)^2 | normal around r times the largest, of variance (1/3 - r^2) Q^2 sum (y - m)^2 |
//! | `kendall`, number | n/2 | normal, of the variance of Kendall's tau | normal, of the variance of tau for normal data |
//! | `kendall`, classes | n1 n0/(n - 1) | normal, of the variance of the Mann-Whitney statistic | normal, of the variance by Hanley and McNeil |
//!
//! A score is the magnitude of these. Yes/no columns of the same strength score a little less than
//! numeric ones, which take the best of many thresholds; columns of few values score less by
//! chance. The strength is that of a score at the exact center, as `select` reports it.
//!
//! # Source
//!
//! Kendall's tau: M. Kendall, "Rank Correlation Methods"; J. Hanley and B. McNeil, "The meaning and
//! use of the area under a receiver operating characteristic (ROC) curve" (1982).

use dpsis::score::{CorrelationSums, KENDALL_GRID, kendall, kendall_of_classes, ks};
use dpsis::{GRID, Neighbors, Result, ScoreKind, Scores};
use ndarray::array;
use rand::Rng;
use rand_distr::{Distribution, Exp1, StandardNormal};

use super::bridge::Quantiles;
use super::shift::{Sampling, Strength};

/// A target as it was counted, split and centered.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Centered {
    /// The rows of the first and the second class, or below and above the split.
    pub(super) rows: [u64; 2],
    /// The center on the grid; any for Kendall's score.
    pub(super) center: i32,
    /// Whether these are classes that were stated.
    pub(super) classes: bool,
}

/// The law of scores for a target.
pub(super) struct Law {
    /// A score of strength 1.
    pub(super) largest: f64,
    /// The largest change of a score by one row, twice that if rows are replaced.
    pub(super) sensitivity: u64,
    chance: Chance,
    signal: Signal,
}

enum Chance {
    Bridge { scale: f64, quantiles: Quantiles },
    Normal { deviation: f64 },
}

/// The effect of a strength on a score.
enum Signal {
    Shift { rows: [f64; 2], weights: [f64; 2], off: f64 },
    Even { deviation: f64 },
    Tau { rows: f64 },
    Auc { rows: [f64; 2] },
}

impl Law {
    /// # Errors
    ///
    /// Those of the scores.
    pub(super) fn new(score: ScoreKind, target: Centered, neighbors: Neighbors) -> Result<Self> {
        let [n0, n1] = target.rows.map(|rows| rows as f64);
        let (n, q, m) = (n0 + n1, f64::from(GRID), f64::from(target.center));
        let v = n1 * n0 / n;
        let off = q * (n1 - n0) - n * m;
        let sensitivity = sensitivity(score, target, neighbors)?;
        let (largest, chance, signal) = match score {
            ScoreKind::Correlation => {
                // Q times the root of the sum of (y - m)^2.
                let length = q * (4.0 * q * q * v + off * off / n).sqrt();
                let chance = Chance::Normal { deviation: length / 3f64.sqrt() };
                (4.0 * q * q * v, chance, Signal::Even { deviation: length })
            }
            ScoreKind::Kendall => {
                let grid = KENDALL_GRID as f64;
                let (largest, signal, variance) = match target.classes {
                    true => {
                        let variance = n1 * n0 * (n + 1.0) / 3.0;
                        (n1 * n0, Signal::Auc { rows: [n0, n1] }, variance)
                    }
                    false => {
                        let variance = n * (n - 1.0) * (2.0 * n + 5.0) / 18.0;
                        (n * (n - 1.0) / 2.0, Signal::Tau { rows: n }, variance)
                    }
                };
                let unit = grid / (n - 1.0);
                (largest * unit, Chance::Normal { deviation: variance.sqrt() * unit }, signal)
            }
            _ => {
                let scale = 4.0 * q * v.sqrt();
                let quantiles = Quantiles::new(off / scale);
                let signal =
                    Signal::Shift { rows: [n0, n1], weights: [(q + m) * n0, (q - m) * n1], off };
                (4.0 * q * v, Chance::Bridge { scale, quantiles }, signal)
            }
        };
        Ok(Self { largest, sensitivity, chance, signal })
    }

    /// A score by chance.
    pub(super) fn by_chance(&self, random: &mut impl Rng) -> i64 {
        let score = match &self.chance {
            Chance::Bridge { scale, quantiles } => scale * quantiles.at(Exp1.sample(random)),
            Chance::Normal { deviation } => deviation * normal(random).abs(),
        };
        score as i64
    }

    /// The score of a feature of a strength with this sampling noise.
    pub(super) fn of_strength(&self, strength: &Strength, sampling: &Sampling) -> i64 {
        let (r, z) = (strength.r, sampling.z);
        let score = match self.signal {
            Signal::Shift { rows, weights, off } => {
                let sum = |[below0, below1]: [f64; 2]| {
                    (off - 2.0 * (weights[1] * below1 - weights[0] * below0)).abs()
                };
                let observed = strength.observed(rows, sampling.seed);
                observed.into_iter().map(sum).fold(off.abs(), f64::max).min(self.largest)
            }
            Signal::Even { deviation } => {
                (r * self.largest + z * deviation * (1.0 / 3.0 - r * r).max(0.0).sqrt()).abs()
            }
            Signal::Tau { rows } => {
                // tau = (2/pi) asin(correlation).
                let half = (libm::sin(std::f64::consts::FRAC_PI_2 * r) / 2.0).asin();
                let spread = 2.0 / std::f64::consts::PI * half;
                let variance = (16.0 / rows) * (1.0 / 36.0 - spread * spread / 4.0).max(0.0);
                self.largest * (r + z * variance.sqrt()).clamp(-1.0, 1.0).abs()
            }
            Signal::Auc { rows: [n0, n1] } => {
                let area = (1.0 + r) / 2.0;
                let (one, two) = (area / (2.0 - area), 2.0 * area * area / (1.0 + area));
                let square = area * area;
                let sum =
                    area * (1.0 - area) + (n1 - 1.0) * (one - square) + (n0 - 1.0) * (two - square);
                let deviation = 2.0 * (sum / (n0 * n1)).max(0.0).sqrt();
                self.largest * (r + z * deviation).clamp(-1.0, 1.0).abs()
            }
        };
        score as i64
    }
}

pub(super) fn normal(random: &mut impl Rng) -> f64 {
    StandardNormal.sample(random)
}

/// The sensitivity, by the real score of a table of one row.
fn sensitivity(score: ScoreKind, target: Centered, neighbors: Neighbors) -> Result<u64> {
    let x = array![[0.0f64]];
    let scores: Scores = match score {
        ScoreKind::Correlation => CorrelationSums::new(1).scores(target.center, neighbors)?,
        ScoreKind::Kendall if target.classes => {
            kendall_of_classes(x.view(), array![Some(0)].view(), 2, neighbors)?
        }
        ScoreKind::Kendall => kendall(x.view(), array![0.0].view(), neighbors)?,
        _ => ks(x.view(), array![Some(GRID as i16)].view(), target.center, neighbors)?,
    };
    Ok(scores.sensitivity())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array1, Array2};
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    const COLUMNS: usize = 2000;

    /// The middle of the scores of a strength, and their deviation, where one standard normal
    /// number makes the noise.
    fn middle_and_spread(law: &Law, r: f64) -> (f64, f64) {
        let at = |z| law.of_strength(&Strength::new(r), &Sampling { z, seed: 0 });
        (at(0.0) as f64, (at(1.0) - at(-1.0)) as f64 / 2.0)
    }

    /// Real scores of columns that `cell` makes of the class of a row, 0 or 1.
    fn real(
        score: ScoreKind,
        target: Centered,
        cell: impl Fn(usize, &mut ChaCha8Rng) -> f64,
    ) -> Vec<f64> {
        let mut random = ChaCha8Rng::seed_from_u64(5);
        let [n0, n1] = target.rows.map(|rows| rows as usize);
        let class = |row: usize| usize::from(row < n1);
        let n = n0 + n1;
        let x = Array2::from_shape_fn((n, COLUMNS), |(row, _)| cell(class(row), &mut random));
        let neighbors = Neighbors::AddRemove;
        let codes =
            Array1::from_shape_fn(n, |row| Some(if class(row) == 1 { GRID } else { -GRID } as i16));
        let scores = match score {
            ScoreKind::Kendall if target.classes => {
                let labels = Array1::from_shape_fn(n, |row| Some(class(row)));
                kendall_of_classes(x.view(), labels.view(), 2, neighbors)
            }
            ScoreKind::Kendall => {
                // Descending, so that rows of the second class have the larger targets.
                let y = Array1::from_shape_fn(n, |row| -(row as f64));
                kendall(x.view(), y.view(), neighbors)
            }
            ScoreKind::Correlation => {
                let mut sums = CorrelationSums::new(COLUMNS);
                for (row, code) in x.rows().into_iter().zip(&codes) {
                    let values: Vec<i16> =
                        row.iter().map(|value| (value * f64::from(GRID)) as i16).collect();
                    sums.add_row(&values, code.unwrap()).unwrap();
                }
                sums.scores(target.center, neighbors)
            }
            _ => ks(x.view(), codes.view(), target.center, neighbors),
        };
        scores.unwrap().values().iter().map(|score| *score as f64).collect()
    }

    fn quantile(values: &mut [f64], share: f64) -> f64 {
        values.sort_unstable_by(f64::total_cmp);
        values[(share * (values.len() - 1) as f64) as usize]
    }

    /// Targets of two classes and several centers, exact and wrong.
    fn targets() -> [Centered; 4] {
        let of = |rows: [u64; 2], off: f64, classes| {
            let [n0, n1] = rows.map(|rows| rows as f64);
            let center = (f64::from(GRID) * ((n1 - n0) / (n1 + n0) + off)).round() as i32;
            Centered { rows, center, classes }
        };
        [
            of([500, 500], 0.0, false),
            of([500, 500], 0.03, false),
            of([800, 200], -0.05, true),
            of([150, 50], 0.1, true),
        ]
    }

    /// Quantiles of 2,000 real scores without association are within 6% of those of 20,000 drawn
    /// ones, of which sampling explains 5% at 1e-6, and the limit law the rest at n = 200.
    #[test]
    fn scores_by_chance_have_the_law_of_real_ones() {
        for score in [ScoreKind::Ks, ScoreKind::Correlation, ScoreKind::Kendall] {
            for target in targets() {
                let law = Law::new(score, target, Neighbors::AddRemove).unwrap();
                let mut random = ChaCha8Rng::seed_from_u64(9);
                let mut drawn: Vec<f64> =
                    (0..20_000).map(|_| law.by_chance(&mut random) as f64).collect();
                let mut real = real(score, target, |_, random| random.gen_range(-1.0..1.0));
                for share in [0.5, 0.9, 0.99] {
                    let (real, drawn) = (quantile(&mut real, share), quantile(&mut drawn, share));
                    let ratio = real / drawn;
                    assert!((ratio - 1.0).abs() < 0.08, "{score:?} {target:?} {share}: {ratio}");
                }
            }
        }
    }

    /// Means and standard deviations of 2,000 real scores of shifted columns, and of as many drawn
    /// ones. The shift is by tables of the normal distribution.
    #[test]
    fn shifted_columns_have_their_law() {
        for target in targets() {
            let law = Law::new(ScoreKind::Ks, target, Neighbors::AddRemove).unwrap();
            for (r, a) in [(0.1, 0.125_661), (0.3, 0.385_320), (0.6, 0.841_621)] {
                let cell = |class: usize, random: &mut ChaCha8Rng| {
                    normal(random) + if class == 1 { a } else { -a }
                };
                let (mean, deviation) = moments(&real(ScoreKind::Ks, target, cell));
                let strength = Strength::new(r);
                let drawn = (0..COLUMNS as u64)
                    .map(|seed| law.of_strength(&strength, &Sampling { z: 0.0, seed }) as f64);
                let (middle, spread) = moments(&drawn.collect::<Vec<_>>());
                assert!((mean / middle - 1.0).abs() < 0.03, "{target:?} {r}: {mean} {middle}");
                assert!(
                    (deviation / spread - 1.0).abs() < 0.12,
                    "{target:?} {r}: {deviation} {spread}"
                );
            }
        }
    }

    /// Correlation of values that are spread evenly but lean to one side by class, and Kendall's of
    /// normal values that differ by class, in their strength.
    #[test]
    fn other_scores_of_strong_columns_have_their_law() {
        let target = targets()[0];
        let r = 0.3;
        // Density 1/2 + r' x for a class: mean 2r'/3.
        let lean = |class: usize, random: &mut ChaCha8Rng| loop {
            let x: f64 = random.gen_range(-1.0..1.0);
            let side = if class == 1 { 1.0 } else { -1.0 };
            if random.gen_bool(0.5 + side * 1.5 * r * x) {
                return x;
            }
        };
        let classes = Centered { classes: true, ..targets()[2] };
        // P(X > Y) = Phi(shift/sqrt 2) = (1 + r)/2 at r = .3.
        let shift = 0.385_320_5 * 2f64.sqrt();
        let shifted = |class: usize, random: &mut ChaCha8Rng| shift * class as f64 + normal(random);
        for (score, target, values) in [
            (ScoreKind::Correlation, target, real(ScoreKind::Correlation, target, lean)),
            (ScoreKind::Kendall, classes, real(ScoreKind::Kendall, classes, shifted)),
        ] {
            let law = Law::new(score, target, Neighbors::AddRemove).unwrap();
            let (mean, deviation) = moments(&values);
            let (middle, spread) = middle_and_spread(&law, r);
            assert!((mean / middle - 1.0).abs() < 0.03, "{score:?}: {mean} {middle}");
            assert!((deviation / spread - 1.0).abs() < 0.12, "{score:?}: {deviation} {spread}");
        }
    }

    /// The deviation of tau for normal pairs of correlation sin(pi r/2).
    #[test]
    fn taus_of_normal_pairs_have_their_law() {
        let (n, r) = (200usize, 0.4f64);
        let rho = (std::f64::consts::FRAC_PI_2 * r).sin();
        let mut random = ChaCha8Rng::seed_from_u64(2);
        // A target for each column: columns of one target share its noise.
        let mut score = || {
            let y = Array1::from_shape_fn(n, |_| normal(&mut random));
            let x = Array2::from_shape_fn((n, 1), |(row, _)| {
                rho * y[row] + (1.0 - rho * rho).sqrt() * normal(&mut random)
            });
            let scores = kendall(x.view(), y.view(), Neighbors::AddRemove).unwrap();
            scores.values()[0] as f64
        };
        let scores: Vec<f64> = (0..400).map(|_| score()).collect();
        let target = Centered { rows: [100, 100], center: 0, classes: false };
        let law = Law::new(ScoreKind::Kendall, target, Neighbors::AddRemove).unwrap();
        let (mean, deviation) = moments(&scores);
        let (middle, spread) = middle_and_spread(&law, r);
        assert!((mean / middle - 1.0).abs() < 0.04, "{mean} {middle}");
        // 400 scores: a standard deviation is right within 18% at 1e-6.
        assert!((deviation / spread - 1.0).abs() < 0.18, "{deviation} {spread}");
    }

    fn moments(values: &[f64]) -> (f64, f64) {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        (mean, (squares / (n - 1.0)).sqrt())
    }
}
