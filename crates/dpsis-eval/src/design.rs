//! Synthetic tables whose true features are known.
//!
//! Every table is a function of its seed: ChaCha20 with that seed, normal variates by the ziggurat
//! algorithm of `rand_distr`.

use dpsis::{Error, Parameter, Result};
use ndarray::{Array1, Array2, Axis};
use rand::Rng;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use rand_distr::{Distribution, StandardNormal};

use crate::datasets::PublicTable;

/// A table with the coefficients that generated its target.
pub struct Synthetic {
    /// The features, n rows by d columns.
    pub x: Array2<f64>,
    /// The numeric target, n values.
    pub y: Array1<f64>,
    /// The coefficients, d values; features with nonzero coefficients are the true ones.
    pub weights: Array1<f64>,
}

/// The number of rows and of columns of W1 and W1/W2.
const SQUARE: usize = 100;
/// The number of last rows of W1/W2 that follow the other coefficients.
const OTHERS: usize = 10;
/// The number of true features of W1, and of W2.
const ONES: usize = 5;

impl Synthetic {
    /// Converts to a table with features named `V1`, `V2`, ... and targets as the shortest decimal
    /// text.
    pub fn table(&self) -> PublicTable {
        PublicTable {
            features: (1..=self.x.ncols()).map(|feature| format!("V{feature}")).collect(),
            x: self.x.clone(),
            labels: self.y.iter().map(f64::to_string).collect(),
        }
    }
}

/// Makes W1 of "Feature Selection from Differentially Private Correlations", section 3: 100 rows of
/// 100 independent standard normal features; the target is the sum of the first five plus noise of
/// variance 0.1.
pub fn w1(seed: u64) -> Synthetic {
    square(seed, 0)
}

/// Makes W1/W2 of the same section: W1, except that the target of the last ten rows is the sum of
/// the last five features. `weights` are the weights of W1.
pub fn w1_w2(seed: u64) -> Synthetic {
    square(seed, OTHERS)
}

fn square(seed: u64, others: usize) -> Synthetic {
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    let x = normals(&mut rng, SQUARE, SQUARE);
    let weights = Array1::from_shape_fn(SQUARE, |j| f64::from(u8::from(j < ONES)));
    let other = Array1::from_shape_fn(SQUARE, |j| f64::from(u8::from(j >= SQUARE - ONES)));
    let deviation = 0.1f64.sqrt();
    let rows = x.axis_iter(Axis(0)).enumerate();
    let y = rows.map(|(i, row)| {
        let weights = if i < SQUARE - others { &weights } else { &other };
        row.dot(weights) + deviation * normal(&mut rng)
    });
    let y = y.collect();
    Synthetic { x, y, weights }
}

/// Makes the synthetic set of the same paper, section 5, after Fan and Lv (2008), section 3.3.1:
/// 100 rows of 2,000 independent standard normal features, eight true features at random places
/// with coefficients (-1)^u (a + |z|), u Bernoulli(0.4), z standard normal, a = 4 ln n/sqrt n, and
/// noise of variance 1.5.
pub fn fan_lv(seed: u64) -> Synthetic {
    let (n, d, true_features) = (100, 2000, 8);
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    let x = normals(&mut rng, n, d);
    let mut weights = Array1::zeros(d);
    let least = 4.0 * (n as f64).ln() / (n as f64).sqrt();
    for _ in 0..true_features {
        let place = loop {
            let place = rng.gen_range(0..d);
            if weights[place] == 0.0 {
                break place;
            }
        };
        let magnitude = least + normal(&mut rng).abs();
        weights[place] = if rng.gen_bool(0.4) { -magnitude } else { magnitude };
    }
    let deviation = 1.5f64.sqrt();
    let y = x.dot(&weights).mapv(|value| value + deviation * normal(&mut rng));
    Synthetic { x, y, weights }
}

/// Names and descriptions of the tables that [`made`] makes.
pub const MADE: [(&str, &str); 7] = [
    ("fan-lv", "100 x 2000, eight true features of varying size (Fan and Lv 2008, 3.3.1)"),
    ("w1", "100 x 100, features 1 to 5 true (DP-SIS paper, section 3)"),
    ("w1-w2", "the same, but the last ten rows follow features 96 to 100"),
    ("ar-0.1", "Gaussian features of autoregressive correlation 0.1; 1, 3, 5, 7 and 9 true"),
    ("ar-0.5", "the same, correlation 0.5"),
    ("ar-0.9", "the same, correlation 0.9"),
    ("equal-0.5", "the same, correlation 0.5 between any two; coefficients of both signs"),
];

/// Makes a table by its name in [`MADE`]. `rows` (default 500) and `features` (default 100) apply
/// to the last four tables only; the others have a fixed size.
///
/// # Errors
///
/// `Request` if the name is unknown, if a size is given for a table of fixed size, or if there are
/// no rows or fewer than 9 features.
pub fn made(
    name: &str,
    rows: Option<usize>,
    features: Option<usize>,
    seed: u64,
) -> Result<Synthetic> {
    let sized = rows.is_some() || features.is_some();
    let (rows, features) = (rows.unwrap_or(500), features.unwrap_or(100));
    if sized && ["fan-lv", "w1", "w1-w2"].contains(&name) {
        return Err(Error::request(format!("{name} has its own size: none can be given"))
            .about([Parameter::Size]));
    }
    let autoregressive =
        |r| Design { features, correlation: Correlation::Autoregressive(r), mixed_signs: false };
    let design = match name {
        "fan-lv" => return Ok(fan_lv(seed)),
        "w1" => return Ok(w1(seed)),
        "w1-w2" => return Ok(w1_w2(seed)),
        "ar-0.1" => autoregressive(0.1),
        "ar-0.5" => autoregressive(0.5),
        "ar-0.9" => autoregressive(0.9),
        "equal-0.5" => Design { features, correlation: Correlation::Equal(0.5), mixed_signs: true },
        _ => {
            let names: Vec<&str> = MADE.iter().map(|made| made.0).collect();
            return Err(Error::request("there is no such table to make")
                .hint(format!("the tables are {}", names.join(", "))));
        }
    };
    if features < 9 || rows == 0 {
        return Err(Error::request("there must be at least one row and nine features"));
    }
    let mut drawn = design.rows(seed);
    let mut x = Array2::zeros((rows, features));
    let mut y = Array1::zeros(rows);
    let mut row = vec![0.0; features];
    for (mut to, target) in x.rows_mut().into_iter().zip(&mut y) {
        *target = drawn.next_into(&mut row);
        to.iter_mut().zip(&row).for_each(|(to, value)| *to = *value);
    }
    let mut weights = Array1::zeros(features);
    Design::TRUE.iter().zip(design.coefficients()).for_each(|(j, w)| weights[*j] = w);
    Ok(Synthetic { x, y, weights })
}

/// The correlation between the features of a [`Design`], which all have mean 0 and variance 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Correlation {
    /// Correlation r^|i - j| between features i and j.
    Autoregressive(f64),
    /// Correlation r between any two features.
    Equal(f64),
}

/// A family of tables with any number of rows: Gaussian features, five of them true with
/// coefficients of magnitude 1, and Gaussian noise with a fifth of the variance of the signal.
///
/// The private selectors of "Differentially Private High-dimensional Variable Selection via Integer
/// Programming" (NeurIPS 2025) were measured on this family.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Design {
    /// The number of features, at least 9.
    pub features: usize,
    /// The correlation between features.
    pub correlation: Correlation,
    /// Whether the second and the fourth true coefficient are -1 instead of 1.
    pub mixed_signs: bool,
}

impl Design {
    /// The indices of the true features, from 0: columns 1, 3, 5, 7 and 9.
    pub const TRUE: [usize; 5] = [0, 2, 4, 6, 8];
    /// The variance of the signal divided by that of the noise.
    pub const SIGNAL_TO_NOISE: f64 = 5.0;

    /// The coefficient of each true feature.
    pub fn coefficients(&self) -> [f64; 5] {
        let second = if self.mixed_signs { -1.0 } else { 1.0 };
        [1.0, second, 1.0, second, 1.0]
    }

    /// The covariance of feature j with the target.
    pub fn covariance(&self, j: usize) -> f64 {
        let with_feature = |i: usize| match self.correlation {
            _ if i == j => 1.0,
            Correlation::Autoregressive(r) => r.powi(i.abs_diff(j) as i32),
            Correlation::Equal(r) => r,
        };
        Self::TRUE.iter().zip(self.coefficients()).map(|(i, w)| w * with_feature(*i)).sum()
    }

    fn signal_variance(&self) -> f64 {
        let true_features = Self::TRUE.iter().zip(self.coefficients());
        true_features.map(|(j, w)| w * self.covariance(*j)).sum()
    }

    /// The standard deviation of the target.
    pub fn target_deviation(&self) -> f64 {
        (self.signal_variance() * (1.0 + 1.0 / Self::SIGNAL_TO_NOISE)).sqrt()
    }

    /// Returns an endless stream of rows drawn from a seed.
    pub fn rows(&self, seed: u64) -> Rows {
        let noise = (self.signal_variance() / Self::SIGNAL_TO_NOISE).sqrt();
        Rows { design: *self, noise, rng: ChaCha20Rng::seed_from_u64(seed) }
    }
}

/// A stream of rows: tables of different lengths with the same seed share their first rows.
pub struct Rows {
    design: Design,
    noise: f64,
    rng: ChaCha20Rng,
}

impl Rows {
    /// Overwrites `x`, which must hold [`Design::features`] values, with the next row and returns
    /// its target.
    pub fn next_into(&mut self, x: &mut [f64]) -> f64 {
        match self.design.correlation {
            Correlation::Autoregressive(r) => {
                let fresh = (1.0 - r * r).sqrt();
                let mut last = normal(&mut self.rng);
                for (j, value) in x.iter_mut().enumerate() {
                    if j > 0 {
                        last = r * last + fresh * normal(&mut self.rng);
                    }
                    *value = last;
                }
            }
            Correlation::Equal(r) => {
                let common = r.sqrt() * normal(&mut self.rng);
                let own = (1.0 - r).sqrt();
                x.fill_with(|| common + own * normal(&mut self.rng));
            }
        }
        let signal: f64 =
            Design::TRUE.iter().zip(self.design.coefficients()).map(|(j, w)| w * x[*j]).sum();
        signal + self.noise * normal(&mut self.rng)
    }
}

fn normal(rng: &mut ChaCha20Rng) -> f64 {
    StandardNormal.sample(rng)
}

fn normals(rng: &mut ChaCha20Rng, rows: usize, columns: usize) -> Array2<f64> {
    Array2::from_shape_simple_fn((rows, columns), || normal(rng))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mean products of features and target over n rows; the last row and column stand for the
    /// target.
    fn moments(design: Design, n: usize) -> Vec<Vec<f64>> {
        let d = design.features;
        let (mut rows, mut row) = (design.rows(7), vec![0.0; d + 1]);
        let mut sums = vec![vec![0.0; d + 1]; d + 1];
        for _ in 0..n {
            row[d] = rows.next_into(&mut row[..d]);
            for (i, sums) in sums.iter_mut().enumerate() {
                sums.iter_mut().zip(&row).for_each(|(sum, value)| *sum += row[i] * value);
            }
        }
        sums.iter_mut().flatten().for_each(|sum| *sum /= n as f64);
        sums
    }

    /// A mean product over n rows has a standard error of at most sqrt(2/n) times both deviations:
    /// five of them, for 250 comparisons, are exceeded with probability below 2e-4; the seed is
    /// fixed.
    #[test]
    fn designs_have_their_moments() {
        let n = 40_000;
        for (correlation, mixed_signs) in [
            (Correlation::Autoregressive(0.1), false),
            (Correlation::Autoregressive(0.9), false),
            (Correlation::Equal(0.5), true),
        ] {
            let design = Design { features: 12, correlation, mixed_signs };
            let (found, d) = (moments(design, n), design.features);
            let error = 5.0 * (2.0 / n as f64).sqrt();
            for (i, found) in found[..d].iter().enumerate() {
                for (j, product) in found[..d].iter().enumerate() {
                    let truth: f64 = match correlation {
                        Correlation::Autoregressive(r) => r.powf((i as f64 - j as f64).abs()),
                        Correlation::Equal(r) => {
                            if i == j {
                                1.0
                            } else {
                                r
                            }
                        }
                    };
                    assert!((product - truth).abs() < error, "{i} {j} {product} {truth}");
                }
                let deviation = design.target_deviation();
                assert!((found[d] - design.covariance(i)).abs() < error * deviation);
            }
            let variance = design.target_deviation().powi(2);
            assert!((found[d][d] / variance - 1.0).abs() < error);
        }
    }

    /// By hand: independent features give 5 + 1; with r = 1/2 and signs + - + - + the sum of the
    /// coefficients is 1, so the signal has variance 5 (1 - r) + r = 3 and a negative feature none
    /// in common with the target.
    #[test]
    fn variances_by_hand() {
        let design = |correlation, mixed_signs| Design { features: 9, correlation, mixed_signs };
        let independent = design(Correlation::Autoregressive(0.0), false);
        assert_eq!(independent.target_deviation(), 6f64.sqrt());
        let mixed = design(Correlation::Equal(0.5), true);
        assert!((mixed.target_deviation() - 3.6f64.sqrt()).abs() < 1e-12);
        assert_eq!([0, 1, 2].map(|j| mixed.covariance(j)), [1.0, 0.5, 0.0]);
    }

    /// Squared residuals over n = 100 rows have a relative standard error of sqrt(2/100); over 200
    /// tables, 0.01. Five of them.
    #[test]
    fn noise_has_its_variance() {
        type Make = fn(u64) -> Synthetic;
        let make: [(Make, f64); 3] = [(w1, 0.1), (w1_w2, 0.1), (fan_lv, 1.5)];
        for (number, (make, variance)) in make.into_iter().enumerate() {
            let tables = if number == 2 { 20 } else { 200 };
            let mut squares = 0.0;
            for seed in 0..tables {
                let table = make(seed);
                let mut residuals = &table.y - &table.x.dot(&table.weights);
                if number == 1 {
                    let (_, tail) = table.x.view().split_at(Axis(0), 90);
                    let other = Array1::from_shape_fn(100, |j| f64::from(u8::from(j >= 95)));
                    let more = tail.dot(&table.weights) - tail.dot(&other);
                    residuals.iter_mut().skip(90).zip(&more).for_each(|(r, more)| *r += more);
                }
                squares += residuals.dot(&residuals) / 100.0 / tables as f64;
            }
            let error = 5.0 * (2.0 / 100.0 / tables as f64).sqrt();
            assert!((squares / variance - 1.0).abs() < error, "{number}: {squares}");
        }
    }

    #[test]
    fn fan_and_lv_have_eight_large_coefficients() {
        let least = 4.0 * 100f64.ln() / 10.0;
        let mut negative = 0;
        for seed in 0..50 {
            let table = fan_lv(seed);
            assert_eq!(table.x.dim(), (100, 2000));
            let large: Vec<f64> = table.weights.iter().copied().filter(|w| *w != 0.0).collect();
            assert!(large.len() == 8 && large.iter().all(|w| w.abs() >= least));
            negative += large.iter().filter(|w| **w < 0.0).count();
        }
        // 160 of 400 expected, standard deviation 9.8.
        assert!((111..=209).contains(&negative), "{negative}");
    }

    #[test]
    fn a_table_is_a_function_of_its_seed() {
        assert_eq!(w1(3).y, w1(3).y);
        assert_ne!(w1(3).y, w1(4).y);
        assert_eq!(w1(3).x, w1_w2(3).x);
        let design =
            Design { features: 9, correlation: Correlation::Equal(0.5), mixed_signs: false };
        let (mut one, mut other) = ([0.0; 9], [0.0; 9]);
        let targets = (design.rows(1).next_into(&mut one), design.rows(1).next_into(&mut other));
        assert!(targets.0 == targets.1 && one == other);
    }
}
