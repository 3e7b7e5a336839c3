//! Linear regression from noisy sums: AdaSSP.
//!
//! # Definition
//!
//! Let N, S and the matrix of products be the noisy [sums](super::moments), in units of rows, with
//! a standard deviation s each (of squares of numbers, s/sqrt(2); that of a level is its sum). With
//! means m = S N/(N^2 + (2 s)^2), which are held back where the rows are lost in the noise, C =
//! S_xx - N m_x m_x' and c = S_xy - N m_x m_y, the slopes are
//!
//! ```text
//! w = (C + lambda)^-1 c,      lambda = max(B - max(e, 0), 0) + max(-e, 0),      B = s (sqrt(v + 1) + sqrt(k + 1)),
//! ```
//!
//! with e the least eigenvalue of C, and v the number of features, each with all its levels, v = k
//! without levels. B is about the spectral norm of the noise in C (E. Wigner's semicircle): between
//! levels of one feature only the diagonal has noise, so the norm is that of a matrix of v times k
//! entries rather than k times k. So the ridge is as strong as the noise where the data have a
//! direction without spread, and vanishes where the least eigenvalue clears the noise. AdaSSP
//! spends a third of its budget on that eigenvalue and a third on each of two products; here all
//! three come from one release, and the constant is that of its noise. The last term makes the
//! matrix positive definite.
//!
//! The slopes are then shrunk by twice the share of their explained variance that noise alone would
//! seem to explain, down to 0, where the prediction is the mean. Predictions are clipped to the
//! range of the target.
//!
//! # Intervals
//!
//! With r the residuals of the fit, w is wrong by about (C + lambda)^-1 (noise of sum x r - lambda
//! w + sampling of sum x r). The first is a linear function of the noises, which are uncorrelated,
//! and its covariance is added up exactly; the last has covariance v C with v the residual variance
//! by the same sums (for people with several rows an upper bound, by Jensen's inequality: it is
//! reached if the rows of a person are equal). Half-widths are 1.645 standard deviations, plus the
//! pull of the ridge, |(C + lambda)^-1 lambda w|, and the shrinkage of the slope. They ignore that
//! values were clipped, that the ranges were drawn, that the features were selected by the same
//! rows, and that noise and eigenvalue enter the fit more than linearly. In simulations they cover
//! 88 to 91 of 100 slopes (4 features, 1,000 to 20,000 rows, epsilon 1 to 10; the test
//! `intervals_cover`).
//!
//! # Guarantee
//!
//! A function of released numbers: it spends no budget.
//!
//! # Cost
//!
//! O(k^3) per sweep of Jacobi's method for the eigenvalues, and O(k m) for the intervals.
//!
//! # Source
//!
//! Y.-X. Wang (2018), algorithm 2 (AdaSSP).

use crate::model::eigen::Eigen;
use crate::model::variables::Variables;

/// The number of standard deviations that cover 90% of a normal distribution.
const Z_90: f64 = 1.6449;

/// A fit for values from -1 to 1: the prediction is `intercept` + sum of `slopes` times values.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LinearFit {
    pub(super) intercept: f64,
    /// The mean of the target.
    pub(super) mean: f64,
    pub(super) slopes: Vec<f64>,
    /// The half-width of the interval of each slope.
    pub(super) half_widths: Vec<f64>,
    /// The noisy number of rows.
    pub(super) rows: f64,
    /// The expected loss of R^2 from the noise of the mean alone; infinite if the noise hides the
    /// target's variance.
    pub(super) loss_of_mean: f64,
}

/// The noisy sums in units of rows.
struct Sums<'a> {
    sums: &'a [i64],
    /// The features, then the target.
    variables: Variables,
    q: f64,
    /// The standard deviation of the noise of a sum.
    noise: f64,
}

impl Sums<'_> {
    fn rows(&self) -> f64 {
        (self.sums[0] as f64 / self.q).max(1.0)
    }

    /// The mean of a variable; the target is the last, k.
    fn mean(&self, a: usize) -> f64 {
        let (sum, rows) = (self.sums[1 + a] as f64 / self.q, self.rows());
        (sum * rows / (rows * rows + (2.0 * self.noise).powi(2))).clamp(-1.0, 1.0)
    }

    /// The product of two variables, after centering.
    fn product(&self, a: usize, b: usize) -> f64 {
        let sum = |place: usize| self.sums[place] as f64 / self.q;
        let raw = match self.variables.place(a, b) {
            Some(place) if a == b => (sum(place) + self.rows()) / 2.0,
            Some(place) => sum(place),
            // The square of a level is the level itself, and no row has two levels.
            None if a == b => sum(1 + a),
            None => 0.0,
        };
        raw - self.rows() * self.mean(a) * self.mean(b)
    }
}

/// The fit to noisy sums of features and the target, on the grid from -q to q, whose noise has
/// this standard deviation.
pub(super) fn fit(noisy: &[i64], features: &Variables, q: i32, deviation: f64) -> LinearFit {
    let (noise, k) = (deviation / f64::from(q), features.len());
    let sums = Sums { sums: noisy, variables: features.and_target(), q: q.into(), noise };
    let matrix: Vec<f64> = (0..k * k).map(|e| sums.product(e / k, e % k)).collect();
    let target: Vec<f64> = (0..k).map(|a| sums.product(a, k)).collect();
    let eigen = Eigen::new(matrix.clone(), k);
    let units = features.count_numbers() + features.columns_of_levels();
    let bound = noise * ((units as f64 + 1.0).sqrt() + (k as f64 + 1.0).sqrt());
    let least = eigen.least();
    let ridge = (bound - least.max(0.0)).max(0.0) + (-least).max(0.0);
    let whole = eigen.solve(&target, ridge);
    let kept = kept(&whole, &target, noise, (&eigen, ridge));
    let slopes: Vec<f64> = whole.iter().map(|slope| kept * slope).collect();
    let intercept = sums.mean(k) - (0..k).map(|a| slopes[a] * sums.mean(a)).sum::<f64>();
    let widths = half_widths(&sums, &matrix, &target, (&eigen, ridge), &slopes).into_iter();
    let half_widths = widths.zip(&whole).map(|(width, slope)| width + (1.0 - kept) * slope.abs());
    let half_widths = half_widths.collect();
    let rows = sums.rows();
    let variance = sums.product(k, k) / rows;
    let loss = (noise / rows).powi(2) / variance.max(0.0);
    let loss_of_mean = if loss.is_finite() { loss } else { f64::INFINITY };
    LinearFit { intercept, mean: sums.mean(k), slopes, half_widths, rows, loss_of_mean }
}

/// The share of the slopes that is kept: 1 - 2 s^2 tr((C + lambda)^-1)/(c' w), at least 0. Noise
/// alone makes c' w about s^2 tr((C + lambda)^-1), so slopes that are not clearly above noise are
/// shrunk to the mean (W. James and C. Stein 1961).
fn kept(slopes: &[f64], target: &[f64], noise: f64, (eigen, ridge): (&Eigen, f64)) -> f64 {
    let explained: f64 = slopes.iter().zip(target).map(|(slope, c)| slope * c).sum();
    let trace: f64 = eigen.values.iter().map(|value| 1.0 / (value + ridge)).sum();
    let kept = 1.0 - 2.0 * noise * noise * trace / explained;
    if kept > 0.0 { kept.min(1.0) } else { 0.0 }
}

fn half_widths(
    sums: &Sums<'_>,
    matrix: &[f64],
    target: &[f64],
    (eigen, ridge): (&Eigen, f64),
    slopes: &[f64],
) -> Vec<f64> {
    let k = slopes.len();
    let times = |row: usize| (0..k).map(|j| matrix[row * k + j] * slopes[j]).sum::<f64>();
    let explained: f64 = (0..k).map(|a| slopes[a] * (2.0 * target[a] - times(a))).sum();
    let variance = ((sums.product(k, k) - explained) / sums.rows()).max(0.0);
    let inverse: Vec<Vec<f64>> = (0..k)
        .map(|a| {
            let unit: Vec<f64> = (0..k).map(|b| f64::from(u8::from(a == b))).collect();
            eigen.solve(&unit, ridge)
        })
        .collect();
    let pull = eigen.solve(slopes, ridge);
    (0..k)
        .map(|a| {
            let weights = noise_weights(sums, slopes, &inverse[a]);
            let noisy = sums.noise.powi(2) * weights.iter().map(|w| w * w).sum::<f64>();
            let spread = |b: usize| {
                (0..k).map(|c| matrix[b * k + c] * inverse[a][c]).sum::<f64>() * inverse[a][b]
            };
            let sampled = variance * (0..k).map(spread).sum::<f64>().max(0.0);
            Z_90 * (noisy + sampled).sqrt() + (ridge * pull[a]).abs()
        })
        .collect()
}

/// The weight of the noise of each sum in the sum over b of `by[b]` times the covariance of feature
/// b with the residual.
fn noise_weights(sums: &Sums<'_>, slopes: &[f64], by: &[f64]) -> Vec<f64> {
    let k = slopes.len();
    // The residual as a combination of 1, the features and the target.
    let combined = |a: usize| if a == k { 1.0 } else { -slopes[a] };
    let constant = (0..=k).map(|a| -combined(a) * sums.mean(a)).sum::<f64>();
    let mut weights = vec![0.0; sums.variables.components()];
    for b in 0..k {
        let mean = sums.mean(b);
        weights[0] -= by[b] * mean * constant;
        weights[1 + b] += by[b] * constant;
        for a in 0..=k {
            weights[1 + a] -= by[b] * mean * combined(a);
            let share = by[b] * combined(a);
            match sums.variables.place(a, b) {
                // A square is half the sum of squares on the whole range and of rows.
                Some(at) if a == b => {
                    weights[at] += share / 2.0;
                    weights[0] += share / 2.0;
                }
                Some(at) => weights[at] += share,
                None if a == b => weights[1 + a] += share,
                None => {}
            }
        }
    }
    weights
}
