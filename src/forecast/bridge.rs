//! The distribution of the Kolmogorov-Smirnov score of a null feature at an inexact center.
//!
//! # Definition
//!
//! Of n rows n1 belong to the second class; v = n1 n0/n. In the order of the column of a null
//! feature the classes are a random permutation, so that the partial sums of the centered target
//! are, for many rows, a Brownian bridge b plus the drift of a wrong center. With x the sum of the
//! centered target over all rows, in units of 2 sqrt(v) times the distance of the two classes, the
//! score in the same units is
//!
//! ```text
//! Y = max over u of |b(u) - x (1 - 2u)|,
//! ```
//!
//! the largest magnitude of a bridge that goes from -x to x. By reflection at both ends of \[-y,
//! y\], for y >= |x|,
//!
//! ```text
//! P(Y > y) = 2 sum over i >= 1 of [ e^(2x^2 - 2y^2 (2i - 1)^2) - e^(-8i^2 y^2) cosh(8 i x y) ],
//! ```
//!
//! Kolmogorov's distribution for x = 0.
//!
//! # Source
//!
//! A. Kolmogorov (1933); the reflection for a bridge between two heights: T. W. Anderson, "A
//! modification of the sequential probability ratio test to reduce the sample size" (1960).

/// P(Y > y).
pub(super) fn tail(y: f64, drift: f64) -> f64 {
    let x = drift.abs();
    if y <= x || y < LOWEST {
        return 1.0;
    }
    let mut sum = 0.0;
    for i in 1..=MAX_TERMS {
        let odd = f64::from(2 * i - 1) * y;
        let even = 8.0 * f64::from(i) * y;
        let there = libm::exp(2.0 * (x - odd) * (x + odd));
        let back = [x, -x].map(|x| libm::exp(-even * (f64::from(i) * y - x)));
        sum += 2.0 * there - (back[0] + back[1]);
        if there < 1e-18 {
            break;
        }
    }
    sum.clamp(0.0, 1.0)
}

/// Y is below this value with probability under 1e-12, for any drift.
const LOWEST: f64 = 0.2;

/// This many terms are enough from [`LOWEST`] on.
const MAX_TERMS: u32 = 16;

/// The quantiles of the score of a null feature, by a table.
pub(super) struct Quantiles {
    /// -ln P(Y > y) and y^2, both ascending. Far out in the tail one is nearly linear in the other.
    points: Vec<(f64, f64)>,
}

/// The places of the table.
const PLACES: usize = 256;

/// The last -ln P(Y > y) of the table: larger than any number of features reaches.
const END: f64 = 45.0;

impl Quantiles {
    /// The largest of `of` independent scores Y, at this drift.
    pub(super) fn of_bridge(drift: f64, of: f64) -> Self {
        // P(Y > y) is below 2 e^(2x^2 - 2y^2).
        let end = END + libm::log(of);
        let high = (drift * drift + (end + 1.0) / 2.0).sqrt();
        Self::new((drift.abs().max(LOWEST), high), of, |y| tail(y, drift))
    }

    /// The largest of `of` independent magnitudes of standard normal numbers.
    pub(super) fn of_normal(of: f64) -> Self {
        // P(|Z| > z) is below 2 e^(-z^2/2).
        let high = (2.0 * (END + libm::log(of) + 1.0)).sqrt();
        Self::new((0.0, high), of, |z| libm::erfc(z / std::f64::consts::SQRT_2))
    }

    fn new((low, high): (f64, f64), of: f64, tail: impl Fn(f64) -> f64) -> Self {
        let point = |i: usize| {
            let y = low + (high - low) * i as f64 / (PLACES - 1) as f64;
            let any = -libm::expm1(of * libm::log1p(-tail(y)));
            (-libm::log(any.max(f64::MIN_POSITIVE)), y * y)
        };
        Self { points: (0..PLACES).map(point).collect() }
    }

    /// The values y with P(Y > y) = e^-level, for ascending levels.
    pub(super) fn at<'a>(&'a self, levels: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
        let mut place = 1;
        levels.iter().map(move |&level| {
            while place + 1 < self.points.len() && self.points[place].0 < level {
                place += 1;
            }
            let ((low, y_low), (high, y_high)) = (self.points[place - 1], self.points[place]);
            let part = if high > low { (level - low) / (high - low) } else { 0.0 };
            (y_low + part * (y_high - y_low)).max(0.0).sqrt()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares with published values of Kolmogorov's distribution.
    #[test]
    fn tail_without_drift_is_kolmogorovs() {
        for (y, p) in [(0.8276, 0.5), (1.2238, 0.1), (1.3581, 0.05), (1.6276, 0.01)] {
            assert!((tail(y, 0.0) - p).abs() < 1e-4, "{y}");
            let quantile = Quantiles::of_bridge(0.0, 1.0).at(&[-f64::ln(p)]).next().unwrap();
            assert!((quantile - y).abs() < 1e-3, "{y}");
        }
    }

    /// Compares with simple walks between two heights, whose paths that touch a wall are counted
    /// step by step.
    #[test]
    fn with_drift_it_is_a_bridge_between_two_heights() {
        let steps = 2000usize;
        let unit = 1.0 / (steps as f64).sqrt();
        for (y, drift) in [(1.0, 0.3), (1.2, 0.6), (0.9, 0.5), (1.5, -0.2)] {
            let (wall, end) = ((y / unit).round() as i64, (drift / unit).round() as i64);
            // The share of paths from -end to end among all paths, within walls that absorb.
            let arrive = |half: i64| {
                let mut now = vec![0.0f64; (2 * half + 1) as usize];
                now[(half - end) as usize] = 1.0;
                for _ in 0..steps {
                    let mut next = vec![0.0; now.len()];
                    for at in 1..now.len() - 1 {
                        next[at] = (now[at - 1] + now[at + 1]) / 2.0;
                    }
                    now = next;
                }
                now[(half + end) as usize]
            };
            let inside = arrive(wall) / arrive(400);
            let law = 1.0 - tail(wall as f64 * unit, end as f64 * unit);
            assert!((inside - law).abs() < 0.003, "{y} {drift}: {inside} {law}");
        }
    }

    /// Also the quantiles of the largest of several.
    #[test]
    fn quantiles_invert_the_tail() {
        let levels = [0.05, 0.7, 3.0, 12.0, 18.0];
        let check = |quantiles: Quantiles, of: f64, tail: &dyn Fn(f64) -> f64, what: &str| {
            for (level, y) in levels.iter().zip(quantiles.at(&levels)) {
                let back = -f64::ln(1.0 - (1.0 - tail(y)).powf(of));
                assert!((back - level).abs() < 0.02 * level.max(1.0), "{what} {level}: {back}");
            }
        };
        for of in [1.0, 7.0] {
            for drift in [0.0, 0.4, -2.0, 7.0] {
                let quantiles = Quantiles::of_bridge(drift, of);
                check(quantiles, of, &|y| tail(y, drift), &format!("{of} {drift}"));
            }
            check(Quantiles::of_normal(of), of, &|z| libm::erfc(z / 2f64.sqrt()), "normal");
        }
    }
}
