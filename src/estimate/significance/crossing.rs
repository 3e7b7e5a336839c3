//! The tail of all thresholds and categories of a column together, at the noisy center, for two
//! classes: see the page. The bounds hold for all true counts of a cell.

use std::f64::consts::FRAC_2_SQRT_PI;

use crate::estimate::significance::harmonic;

/// Least shares of rows, as 1/x, to try for categories that are counted one by one.
const LARGE_WORDS: [f64; 6] = [10.0, 16.0, 24.0, 36.0, 60.0, 120.0];

/// The maximum number of steps to a sufficient Lambda.
const STEPS: usize = 8;

/// True counts of two classes, between lower and upper ends.
#[derive(Debug, Clone, Copy)]
pub(super) struct Crossing {
    /// The number of rows, at most.
    rows: f64,
    /// The rows of the smaller class, at least.
    fewest: f64,
    /// v = n1 n0/n, at least and at most.
    variance: [f64; 2],
    /// |1 - 2c|, at most.
    imbalance: f64,
    /// v/V, at least: V = (n + 2)/4.
    of_moments: f64,
    /// n/v', at most, with v' = v + min(n1, n0)/n.
    crowd: f64,
}

/// add + scale sqrt(2 v Lambda + square)
#[derive(Debug, Clone, Copy)]
pub(super) struct Height {
    pub(super) add: f64,
    pub(super) scale: f64,
    pub(super) square: f64,
}

impl Height {
    /// The same at 2 v Lambda.
    pub(super) fn at(&self, spread: f64) -> f64 {
        self.add + self.scale * (spread + self.square).sqrt()
    }
}

impl Crossing {
    /// For counts between these, where n/v' is at most `crowd`.
    pub(super) fn new(least: [f64; 2], most: [f64; 2], crowd: f64) -> Self {
        let imbalance = |[a, b]: [f64; 2]| if a + b > 0.0 { (a - b).abs() / (a + b) } else { 1.0 };
        let corners = [[least[0], most[1]], [most[0], least[1]]];
        let imbalance = corners.map(imbalance).into_iter().fold(0.0, f64::max);
        Self {
            rows: most[0] + most[1],
            fewest: least[0].min(least[1]),
            variance: [least, most].map(|[a, b]| harmonic(a, b)),
            imbalance,
            of_moments: (1.0 - imbalance * imbalance) / (1.0 + 2.0 / (least[0] + least[1])),
            crowd,
        }
    }

    /// The score that is reached with probability at most C e^-Lambda.
    pub(super) fn height(&self, lambda: f64, shift: f64) -> Height {
        let kappa = self.imbalance * lambda / 6.0;
        // kappa^2/(2 v Lambda)
        let e = kappa * kappa / (2.0 * self.variance[0] * lambda);
        // NaN and infinity mean that there is no bound.
        let scale = if e < 1.0 { 1.0 / (1.0 - e) } else { f64::INFINITY };
        Height {
            add: scale * (kappa + 3.0 * e * shift),
            scale,
            square: shift * (shift + 6.0 * kappa + 9.0 * e * shift),
        }
    }

    /// theta: a walk of the classes crosses a line in its first half with probability at most theta
    /// e^-Lambda.
    pub(super) fn theta(&self, lambda: f64, shift: f64) -> f64 {
        let most = self.variance[1];
        let high = self.height(lambda, shift).at(2.0 * most * lambda);
        // The share of the smaller class that is left, at least.
        let room = 1.0 - (high + shift + 2.0) / self.fewest;
        let theta = (8.0 * most).sqrt();
        // 2/sqrt(pi) sqrt(2/room)
        if room > 0.0 { theta.min(FRAC_2_SQRT_PI * (2.0 / room).sqrt()) } else { theta }
    }

    /// C, at a center that shifts scores by at most `shift`.
    pub(super) fn constant(&self, lambda: f64, shift: f64) -> f64 {
        let [least, most] = self.variance;
        let theta = self.theta(lambda, shift);
        let low = (shift * shift + 2.0 * least * lambda).sqrt();
        // One function by the moments of the targets, times e^Lambda: e^(Lambda - M), M at least v
        // Lambda/V.
        let by_moments = libm::exp(lambda * (1.0 - self.of_moments));
        let word = (2.0 * by_moments).min(4.0 * theta);
        let no_word = (2.0 * by_moments).min(2.0 * theta);
        let small = |large: f64| {
            let z = (low - shift) / 4.0 - shift / large;
            if !(z > 0.0) {
                return f64::INFINITY;
            }
            let exponent = z * z / (2.0 * (most / large + self.imbalance * z / 3.0));
            2.0 * self.rows / z * libm::exp(lambda - exponent)
        };
        let words = |large: f64| large * word + no_word + small(large);
        // All categories at the exact center, whose score is off by the shift.
        let exponent = (low - shift) * (low - shift) / (2.0 * (least + 0.5));
        let exact = (2.0 + 8.0 * self.crowd) * libm::exp(lambda - exponent);
        let fewest = LARGE_WORDS.map(words).into_iter().fold(exact, f64::min);
        8.0 * theta + fewest.min((self.rows + 1.0) * word)
    }

    /// A sufficient Lambda, d C e^-Lambda <= U, where `target` = ln(d/U); infinite if none is
    /// found.
    pub(super) fn lambda(&self, target: f64, shift: f64) -> f64 {
        let mut lambda = target + 4.0;
        for _ in 0..STEPS {
            let needed = target + libm::log(self.constant(lambda, shift));
            if needed <= lambda {
                return lambda;
            }
            // A little more, because the constant may rise with it.
            lambda = needed + 0.02;
        }
        f64::INFINITY
    }
}
