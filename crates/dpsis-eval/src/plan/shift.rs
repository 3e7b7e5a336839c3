//! Numeric features of a strength: normal values that are shifted in one class, with their sampling
//! noise.
//!
//! # What it is
//!
//! Values of the two classes are normal with variance 1 around -a and a, so that their distribution
//! functions F0 and F1 differ by at most r = 2 Phi(a) - 1, the strength. The observed ones differ
//! from these by Brownian bridges over the square roots of the numbers of rows, and the score takes
//! the best threshold: the larger of many sums, so that the observed distance of such columns
//! exceeds r, by a few percent at r = .5 and by half at r = .1 and 200 rows. Sums are taken at
//! [`PLACES`] thresholds.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

/// The number of thresholds.
const PLACES: usize = 160;

/// Thresholds reach so many standard deviations beyond the means.
const REACH: f64 = 3.2;

/// A strength, with the distribution functions of both classes at the thresholds.
pub(super) struct Strength {
    pub(super) r: f64,
    shares: Vec<[f64; 2]>,
}

/// The sampling noise of a feature of strength: a standard normal number, and the seed of two
/// bridges.
pub(super) struct Sampling {
    pub(super) z: f64,
    pub(super) seed: u64,
}

impl Strength {
    pub(super) fn new(r: f64) -> Self {
        let a = shift(r);
        let below = |x: f64| libm::erfc(-x / std::f64::consts::SQRT_2) / 2.0;
        let place = |i: usize| {
            let x = (a + REACH) * (2.0 * (i as f64 + 0.5) / PLACES as f64 - 1.0);
            [below(x + a), below(x - a)]
        };
        Self { r, shares: (0..PLACES).map(place).collect() }
    }

    /// The shares of the rows of both classes below each threshold, as they are observed in so many
    /// rows.
    pub(super) fn observed(&self, rows: [f64; 2], seed: u64) -> Vec<[f64; 2]> {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        // Two walks, with the variance of the steps of each distribution function.
        let (mut walks, mut at) = ([0.0; 2], [0.0; 2]);
        let mut step = |to: [f64; 2]| {
            for class in 0..2 {
                walks[class] += (to[class] - at[class]).max(0.0).sqrt()
                    * Distribution::<f64>::sample(&StandardNormal, &mut random);
            }
            at = to;
            walks
        };
        let paths: Vec<[f64; 2]> = self.shares.iter().map(|shares| step(*shares)).collect();
        let ends = step([1.0; 2]);
        let observed = |(share, walk): (&[f64; 2], &[f64; 2])| {
            [0, 1].map(|class| {
                let bridge = walk[class] - share[class] * ends[class];
                (share[class] + bridge / rows[class].sqrt()).clamp(0.0, 1.0)
            })
        };
        self.shares.iter().zip(&paths).map(observed).collect()
    }
}

/// The a with 2 Phi(a) - 1 = r, by bisection.
fn shift(r: f64) -> f64 {
    let (mut low, mut high) = (0.0, 6.0);
    for _ in 0..50 {
        let middle = (low + high) / 2.0;
        if libm::erf(middle / std::f64::consts::SQRT_2) < r { low = middle } else { high = middle }
    }
    low
}
