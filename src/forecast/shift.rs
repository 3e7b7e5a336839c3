//! Numeric features of an effect size: normal values that are shifted in one class, with their
//! sampling noise.
//!
//! # Definition
//!
//! Values of the two classes are normal with variance 1 around -a and a, so that their distribution
//! functions F0 and F1 differ by at most r = 2 Phi(a) - 1, the effect size. The observed functions
//! differ from these by Brownian bridges over the square roots of the numbers of rows, and the
//! score takes the best threshold. As the largest of many sums it exceeds r: by a few percent at r
//! = .5, by half at r = .1 and 200 rows. Sums are taken at [`PLACES`] thresholds.

use crate::forecast::normal;
use crate::random::WordStream;

/// The number of thresholds.
const PLACES: usize = 160;

/// The outermost thresholds lie this number of standard deviations beyond the means.
const REACH: f64 = 3.2;

/// An effect size, with the distribution functions of both classes at the thresholds.
pub(super) struct Shift {
    shares: Vec<[f64; 2]>,
    /// The standard deviations of the steps of both bridges between thresholds, and after the last.
    steps: Vec<[f64; 2]>,
}

/// The sampling noise of one feature: standard normal numbers for the steps of both bridges. The
/// first one serves scores whose noise is normal.
pub(super) struct Noise(Vec<[f32; 2]>);

impl Noise {
    pub(super) fn draw(words: &mut WordStream) -> Self {
        Self((0..=PLACES).map(|_| normal(words).map(|one| one as f32)).collect())
    }

    /// A standard normal number.
    pub(super) fn normal(&self) -> f64 {
        f64::from(self.0[0][0])
    }
}

impl Shift {
    pub(super) fn new(r: f64) -> Self {
        let a = shift(r);
        let below = |x: f64| libm::erfc(-x / std::f64::consts::SQRT_2) / 2.0;
        let place = |i: usize| {
            let x = (a + REACH) * (2.0 * (i as f64 + 0.5) / PLACES as f64 - 1.0);
            [below(x + a), below(x - a)]
        };
        let shares: Vec<[f64; 2]> = (0..PLACES).map(place).collect();
        let before = [[0.0; 2]].into_iter().chain(shares.iter().copied());
        let steps = before.zip(shares.iter().copied().chain([[1.0; 2]]));
        let step = |(from, to): ([f64; 2], [f64; 2])| {
            [0, 1].map(|class: usize| (to[class] - from[class]).max(0.0).sqrt())
        };
        Self { steps: steps.map(step).collect(), shares }
    }

    /// Calls `each` with the shares of the rows of both classes below each threshold, as observed
    /// with these numbers of rows.
    pub(super) fn observed(&self, rows: [f64; 2], noise: &Noise, mut each: impl FnMut([f64; 2])) {
        let step = |(deviation, normal): (&[f64; 2], &[f32; 2])| {
            [deviation[0] * f64::from(normal[0]), deviation[1] * f64::from(normal[1])]
        };
        let steps = || self.steps.iter().zip(&noise.0).map(step);
        let ends = steps().fold([0.0; 2], |[a, b], [c, d]| [a + c, b + d]);
        let roots = [rows[0].sqrt(), rows[1].sqrt()];
        let (mut walk, mut seen) = ([0.0; 2], [0.0; 2]);
        for (share, step) in self.shares.iter().zip(steps()) {
            for class in 0..2 {
                walk[class] += step[class];
                let bridge = walk[class] - share[class] * ends[class];
                seen[class] = (share[class] + bridge / roots[class]).clamp(0.0, 1.0);
            }
            each(seen);
        }
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
