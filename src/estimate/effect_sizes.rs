//! Private effect sizes: the scores of the chosen features with joint noise, which protects one row
//! in all of them together.
//!
//! # Definition
//!
//! One row moves each of the k scores by at most `sensitivity`, perhaps all of them together.
//! Integer noise z with P(z) proportional to e^(-rate max |z_i|), rate = eps/sensitivity, is added
//! to the vector of scores: a radius R with P(R = r) proportional to (2r + 1)^k e^(-rate r), then
//! every z_i uniformly from -R to R.
//!
//! # Guarantee
//!
//! eps-differentially private: the same output from a neighboring table needs noise whose largest
//! component differs by at most `sensitivity`, so its probability differs by a factor of at most
//! e^(rate sensitivity) = e^eps. The k features must be chosen beforehand, by a release charged
//! separately. Limiting the sums to `i64` is a function of the output.
//!
//! # Cost
//!
//! The standard deviation of one component is sqrt((k + 1)(k + 2)/3) sensitivity/eps, against
//! sqrt(2) k sensitivity/eps for independent Laplace noise: half of it at k = 5. One radius and k
//! uniform integers.
//!
//! # With a delta
//!
//! As a part of a release of concentrated differential privacy, every score gets independent
//! discrete Gaussian noise of the variance k sensitivity^2/(2 rho): all k together move by at most
//! sqrt(k) sensitivity in Euclidean length, so the effect sizes are rho-zCDP. The tail of discrete
//! Gaussian noise is taken as that of a normal number; they differ by less than one step of the
//! grid (proposition 23 of Canonne, Kamath and Steinke).
//!
//! # Source
//!
//! Hardt and Talwar, "On the Geometry of Differential Privacy" (2010), for the cube; T. Steinke and
//! J. Ullman, "Between Pure and Approximate Differential Privacy" (2016); C. Canonne, G. Kamath and
//! T. Steinke, "The Discrete Gaussian for Differential Privacy" (2020).

use std::collections::BTreeMap;
use std::f64::consts::LN_2;
use std::sync::{Mutex, PoisonError};

use num_bigint::{BigInt, BigUint};
use num_rational::BigRational;

use crate::estimate::significance::unit;
use crate::exact::{near_f64, saturating_i64};
use crate::privacy::Epsilon;
use crate::random::{Bits, WordStream, cube_radius, discrete_gaussian, uniform_below};

/// The lane of the point of the cube; the radius takes lane 0.
const POINT_LANE: u64 = 1;

/// The number of noise levels that are kept.
const MAX_KEPT_LEVELS: usize = 10_000;

/// The noise of effect sizes. Its laws are in units of its scale.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum EffectNoise {
    /// Joint noise that is purely private with this epsilon.
    Pure(Epsilon),
    /// Gaussian noise that is rho-zCDP.
    Concentrated {
        /// rho
        rho: BigRational,
    },
}

impl EffectNoise {
    /// Adds noise to values that each move by at most `sensitivity` between neighbors.
    pub(crate) fn add(&self, values: &[i64], sensitivity: u64, bits: &Bits) -> Vec<i64> {
        match self {
            Self::Pure(epsilon) => private_effect_sizes(values, sensitivity, epsilon, bits),
            Self::Concentrated { rho } => {
                // A sensitivity of 0 is replaced by 1.
                let squares = BigInt::from(sensitivity.max(1)).pow(2) * values.len();
                let variance = BigRational::from(squares) / (rho + rho);
                let mut words = bits.lane(0);
                let noisy = |&value: &i64| {
                    saturating_i64(&(discrete_gaussian(&mut words, &variance) + value))
                };
                values.iter().map(noisy).collect()
            }
        }
    }

    /// The sensitivity divided by the scale of the noise of `k` effect sizes; the scale of Gaussian
    /// noise is its standard deviation.
    pub(crate) fn rate(&self, k: usize) -> f64 {
        match self {
            Self::Pure(epsilon) => epsilon.to_f64(),
            Self::Concentrated { rho } => (2.0 * near_f64(rho) / k as f64).sqrt(),
        }
    }

    /// The level that the largest noise of `k` effect sizes exceeds with probability `alpha`.
    pub(crate) fn level(&self, alpha: f64, k: usize) -> f64 {
        match self {
            Self::Pure(_) => noise_level(alpha, k),
            Self::Concentrated { .. } => {
                normal_quantile(-libm::expm1(libm::log1p(-alpha) / k as f64))
            }
        }
    }

    /// The probability that the noise of one of `k` effect sizes exceeds `x`.
    pub(crate) fn above(&self, k: usize, x: f64) -> f64 {
        match self {
            Self::Pure(_) => noise_above(k, x),
            Self::Concentrated { .. } => normal_tail(x),
        }
    }

    /// The half-width of the interval that covers the noise of one of `k` effect sizes with
    /// probability `level`.
    pub(crate) fn half_width(&self, k: usize, level: f64) -> f64 {
        match self {
            Self::Pure(_) => half_width(k, level),
            Self::Concentrated { .. } => normal_quantile((1.0 - level) / 2.0),
        }
    }

    /// The simulated noise of one of `k` effect sizes.
    pub(crate) fn simulated(&self, k: usize, words: &mut WordStream) -> f64 {
        match self {
            Self::Pure(_) => {
                let radius: f64 = (0..=k).map(|_| -libm::log(unit(words))).sum();
                radius * (2.0 * unit(words) - 1.0)
            }
            Self::Concentrated { .. } => normal_quantile(unit(words)),
        }
    }
}

/// The probability that a standard normal number exceeds `x`.
fn normal_tail(x: f64) -> f64 {
    libm::erfc(x * std::f64::consts::FRAC_1_SQRT_2) / 2.0
}

/// The number that a standard normal number exceeds with probability `p`, rounded up a little.
fn normal_quantile(p: f64) -> f64 {
    let (mut low, mut high) = (-40.0, 40.0);
    while high - low > 1e-9 {
        let middle = (low + high) / 2.0;
        if normal_tail(middle) > p { low = middle } else { high = middle }
    }
    high
}

/// Adds noise to values that each move by at most `sensitivity` between neighbors.
pub(crate) fn private_effect_sizes(
    values: &[i64],
    sensitivity: u64,
    epsilon: &Epsilon,
    bits: &Bits,
) -> Vec<i64> {
    // A sensitivity of 0 is replaced by 1.
    let rate = epsilon.as_rational() / BigInt::from(sensitivity.max(1));
    let radius = cube_radius(values.len(), &rate, bits);
    let side: BigUint = &radius * 2u32 + 1u32;
    let radius = BigInt::from(radius);
    let mut words = bits.lane(POINT_LANE);
    let mut noisy = |&value: &i64| {
        let noise = BigInt::from(uniform_below(&mut words, &side)) - &radius;
        saturating_i64(&(value + noise))
    };
    values.iter().map(&mut noisy).collect()
}

/// The level, in units of sensitivity/eps, that the largest noise of `k` effect sizes exceeds with
/// probability `alpha`, rounded up a little. The noise is taken as continuous: a radius r of law
/// Gamma(k + 1), and k uniform numbers between -r and r. So it exceeds x >= 0 with probability
///
/// ```text
/// E[1 - ((1 + x/r)/2)^k; r > x] = Q(k + 1, x) - e^x 2^-k Q(k + 1, 2 x),   Q(k + 1, x) = P(Gamma(k + 1) > x)
/// ```
///
/// Levels are kept: a forecast draws hundreds of times, each time with the levels of the same k.
fn noise_level(alpha: f64, k: usize) -> f64 {
    static KEPT: Mutex<BTreeMap<(u64, usize), f64>> = Mutex::new(BTreeMap::new());
    let kept = || KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (alpha.to_bits(), k);
    if let Some(&level) = kept().get(&key) {
        return level;
    }
    let above = |x: f64| {
        let second = libm::exp(x - k as f64 * LN_2 + ln_gamma_tail(k + 1, 2.0 * x));
        libm::exp(ln_gamma_tail(k + 1, x)) - second
    };
    let (mut low, mut high) = (0.0, 2.0 * k as f64 + 60.0);
    while high - low > 1e-9 * high {
        let middle = (low + high) / 2.0;
        if above(middle) > alpha { low = middle } else { high = middle }
    }
    let mut kept = kept();
    // A program that runs for months may use many alphas.
    if kept.len() >= MAX_KEPT_LEVELS {
        kept.clear();
    }
    kept.insert(key, high);
    high
}

/// The probability that the noise of one of `k` effect sizes exceeds `x`, in the same unit.
fn noise_above(k: usize, x: f64) -> f64 {
    if x < 0.0 {
        return 1.0 - noise_above(k, -x);
    }
    // E[(1 - x/r)/2; r > x].
    let tail = |shape| libm::exp(ln_gamma_tail(shape, x));
    (tail(k + 1) - x / k as f64 * tail(k)).clamp(0.0, 1.0) / 2.0
}

/// ln P(Gamma(shape) > x), for a whole shape: the probability that fewer than `shape` events of a
/// Poisson law of mean x occur.
fn ln_gamma_tail(shape: usize, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    let most = shape - 1;
    let (mut term, mut sum) = (1.0f64, 1.0f64);
    // From the largest number of events down, relative to its probability.
    for events in (1..=most).rev() {
        term *= events as f64 / x;
        sum += term;
        if sum > 1e250 {
            return 0.0;
        }
    }
    let ln_most = most as f64 * libm::log(x) - x - libm::lgamma(most as f64 + 1.0);
    (ln_most + libm::log(sum)).min(0.0)
}

/// The half-width, in units of sensitivity/eps, of the interval that covers the noise of one of `k`
/// effect sizes with probability `level`.
///
/// For continuous noise: a Gamma(k + 1) radius times a uniform number from -1 to 1 exceeds w in
/// magnitude with probability e^-w times the sum over i < k of (1 - i/k) w^i/i!.
fn half_width(k: usize, level: f64) -> f64 {
    let beyond = 1.0 - level;
    let (mut low, mut high) = (0.0, 1.0);
    while tail(k, high) > beyond && high < f64::MAX / 2.0 {
        high *= 2.0;
    }
    // Halved until the two ends are neighbors.
    loop {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high {
            return high;
        }
        if tail(k, middle) > beyond {
            low = middle;
        } else {
            high = middle;
        }
    }
}

/// The probability that the noise of one of `k` values, in units of sensitivity/eps, exceeds `w` in
/// one direction: the probability of a wrong sign, for a value that is w away from 0.
pub(crate) fn error_beyond(k: usize, w: f64) -> f64 {
    if w > 0.0 { tail(k, w) / 2.0 } else { 0.5 }
}

/// P(|R U| > w) for w > 0: a sum of Poisson probabilities, from its largest term outward.
fn tail(k: usize, w: f64) -> f64 {
    if k == 0 {
        return 0.0;
    }
    let share = |i: usize| 1.0 - i as f64 / k as f64;
    let peak = (w as usize).min(k - 1);
    let at = libm::exp(peak as f64 * libm::log(w) - w - libm::lgamma(peak as f64 + 1.0));
    let mut sum = at * share(peak);
    let mut term = at;
    for i in (0..peak).rev() {
        term *= (i + 1) as f64 / w;
        if term < 1e-30 * at {
            break;
        }
        sum += term * share(i);
    }
    term = at;
    for i in peak + 1..k {
        term *= w / i as f64;
        if term < 1e-30 * at {
            break;
        }
        sum += term * share(i);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Entropy;
    use crate::support::goodness::assert_fits;
    use crate::support::oracle::gauss_legendre;

    /// P(z) for a pair, up to a factor: the K-norm noise and its broken variant.
    type Weight = fn(f64, [i64; 2]) -> f64;

    fn k_norm(rate: f64, z: [i64; 2]) -> f64 {
        (-rate * z[0].abs().max(z[1].abs()) as f64).exp()
    }

    /// Independent Laplace noise of scale sensitivity/eps, as if one effect size alone were
    /// released.
    fn independent(rate: f64, z: [i64; 2]) -> f64 {
        (-rate * (z[0].abs() + z[1].abs()) as f64).exp()
    }

    #[test]
    fn draws_have_their_law() {
        // eps = 3, sensitivity 2.
        let (values, reach) = ([5i64, -7], 4i64);
        let rate = 1.5;
        let total: f64 = pairs(60).map(|z| k_norm(rate, z)).sum();
        let mut law: Vec<f64> = pairs(reach).map(|z| k_norm(rate, z) / total).collect();
        law.push(1.0 - law.iter().sum::<f64>());
        let mut counts = vec![0u64; law.len()];
        for seed in 0..30_000 {
            let bits = Entropy::Seeded(seed).source().unwrap().bits(4);
            let noisy = private_effect_sizes(&values, 2, &"3".parse().unwrap(), &bits);
            let z = [noisy[0] - values[0], noisy[1] - values[1]];
            let place = pairs(reach).position(|pair| pair == z);
            counts[place.unwrap_or(law.len() - 1)] += 1;
        }
        assert_fits(&counts, &law);
    }

    fn pairs(reach: i64) -> impl Iterator<Item = [i64; 2]> {
        (-reach..=reach).flat_map(move |a| (-reach..=reach).map(move |b| [a, b]))
    }

    /// The largest log-ratio of the probability of an output, over outputs and neighboring vectors.
    fn worst_ratio(weight: Weight, sensitivity: i64, eps: f64) -> f64 {
        let rate = eps / sensitivity as f64;
        let mut worst = 0.0f64;
        for z in pairs(8) {
            for shift in pairs(sensitivity) {
                let moved = [z[0] + shift[0], z[1] + shift[1]];
                worst = worst.max((weight(rate, z) / weight(rate, moved)).ln().abs());
            }
        }
        worst
    }

    #[test]
    fn privacy_by_enumeration() {
        for (sensitivity, eps) in [(1, 0.5), (2, 1.0), (3, 2.0)] {
            let worst = worst_ratio(k_norm, sensitivity, eps);
            assert!((worst - eps).abs() < 1e-9, "{worst}");
            let broken = worst_ratio(independent, sensitivity, eps);
            assert!(broken > 1.9 * eps, "{broken}");
        }
    }

    #[test]
    fn sums_saturate() {
        let bits = Entropy::Seeded(1).source().unwrap().bits(4);
        let noisy =
            private_effect_sizes(&[i64::MAX, i64::MIN], u64::MAX, &"1".parse().unwrap(), &bits);
        assert_eq!(noisy.len(), 2);
        let none = private_effect_sizes(&[], 0, &"1".parse().unwrap(), &bits);
        assert_eq!(none, [0i64; 0]);
    }

    /// Against the integral over the radius of its density times max(0, 1 - w/r).
    #[test]
    fn half_widths_cover_as_given() {
        for k in [1usize, 2, 5, 40] {
            for level in [0.5, 0.9, 0.99] {
                let w = half_width(k, level);
                let ln_factorial: f64 = (1..=k).map(|i| (i as f64).ln()).sum();
                let density = |r: f64| (k as f64 * r.ln() - r - ln_factorial).exp();
                let (pieces, end) = (400, w + 120.0);
                let piece = |i: usize| {
                    let (from, width) =
                        (w + (end - w) * i as f64 / pieces as f64, (end - w) / pieces as f64);
                    let at = |r: f64| density(r) * (1.0 - w / r);
                    gauss_legendre(8)
                        .iter()
                        .map(|(t, weight)| weight * width * at(from + t * width))
                        .sum::<f64>()
                };
                let beyond: f64 = (0..pieces).map(piece).sum();
                assert!((beyond - (1.0 - level)).abs() < 1e-9, "{k}, {level}: {beyond}");
            }
        }
        // One effect size has Laplace noise.
        for w in [1e-9, 0.5, 1.0, 7.0] {
            assert!((error_beyond(1, w) / (f64::exp(-w) / 2.0) - 1.0).abs() < 1e-12, "{w}");
        }
        assert_eq!([error_beyond(1, 0.0), error_beyond(3, -1.0)], [0.5; 2]);
        assert!((half_width(1, 0.95) - 20f64.ln()).abs() < 1e-12);
        // Large k: a uniform number of about k.
        assert!((half_width(1_000_000, 0.9) / 900_000.0 - 1.0).abs() < 1e-3);
    }

    /// Gaussian noise has its law, and its quantiles agree with published tables.
    #[test]
    fn gaussian_noise_has_its_law() {
        let rho = BigRational::new(BigInt::from(1), BigInt::from(50));
        let noise = EffectNoise::Concentrated { rho };
        // sqrt(4/(2/50))
        assert!((noise.rate(4) - 0.1).abs() < 1e-12);
        for (p, quantile) in [(0.5, 0.0), (0.025, 1.959_964), (1e-6, 4.753_424), (0.9, -1.281_552)]
        {
            assert!((normal_quantile(p) - quantile).abs() < 1e-6, "{p}");
        }
        assert!((noise.half_width(4, 0.9) - 1.644_854).abs() < 1e-6);
        assert!((noise.above(4, 1.0) - 0.158_655_3).abs() < 1e-6);
        let draws = 4_000;
        let (mut above, mut squares, mut covered) = (0.0, 0.0, 0.0);
        let level = noise.level(0.3, 4) * 30.0;
        for seed in 0..draws {
            let bits = Entropy::Seeded(seed).source().unwrap().bits(5);
            let noisy = noise.add(&[0; 4], 3, &bits);
            above += f64::from(*noisy.iter().max().unwrap() as f64 > level);
            squares += noisy.iter().map(|z| (*z as f64 / 30.0).powi(2)).sum::<f64>() / 4.0;
            let simulated = noise.simulated(4, &mut bits.lane(9));
            covered += f64::from(simulated.abs() < noise.half_width(4, 0.9));
        }
        let [above, squares, covered] = [above, squares, covered].map(|sum| sum / draws as f64);
        assert!((above - 0.3).abs() < 0.04, "{above}");
        assert!((squares - 1.0).abs() < 0.06, "{squares}");
        assert!((covered - 0.9).abs() < 0.025, "{covered}");
    }

    /// Enumerated: the Renyi divergence of every order from neighboring vectors is at most that of
    /// rho-zCDP. Noise for one effect size alone exceeds it.
    #[test]
    fn gaussian_effect_sizes_are_concentrated() {
        // k = 2, sensitivity 1: the variance is 2/(2 rho).
        let rho = 0.125;
        let divergence = |variance: f64, order: f64| {
            let ln_weight = |z: [i64; 2]| -((z[0] * z[0] + z[1] * z[1]) as f64) / (2.0 * variance);
            let total: f64 = pairs(60).map(|z| ln_weight(z).exp()).sum();
            let term = |z: [i64; 2]| {
                let (p, q) = (ln_weight(z), ln_weight([z[0] - 1, z[1] - 1]));
                (order * p + (1.0 - order) * q).exp() / total
            };
            pairs(60).map(term).sum::<f64>().ln() / (order - 1.0)
        };
        for order in [1.5, 2.0, 4.0, 9.0] {
            let right = divergence(1.0 / rho, order);
            assert!(right <= order * rho * (1.0 + 1e-9), "{order}: {right}");
            let wrong = divergence(0.5 / rho, order);
            assert!(wrong > 1.5 * order * rho, "{order}: {wrong}");
        }
    }

    /// Against simulated noise, and for one effect size against Laplace noise: of 40,000 draws a
    /// share of alpha lies above, within 5 standard deviations.
    #[test]
    fn the_largest_noise_exceeds_its_level_with_alpha() {
        for alpha in [0.0005f64, 0.025, 0.25] {
            assert!((noise_level(alpha, 1) + (2.0 * alpha).ln()).abs() < 1e-6);
        }
        let draws = 40_000;
        let epsilon = "1".parse().unwrap();
        for k in [2, 5, 40] {
            let [rare, common, half] = [0.01, 0.3, 0.5].map(|alpha| noise_level(alpha, k));
            let mut above = [0.0; 3];
            let mut one = 0.0;
            for seed in 0..draws {
                let noise = {
                    let bits = Entropy::Seeded(seed).source().unwrap().bits(0);
                    private_effect_sizes(&vec![0; k], 1000, &epsilon, &bits)
                };
                let largest = *noise.iter().max().unwrap() as f64 / 1000.0;
                for (above, level) in above.iter_mut().zip([rare, common, half]) {
                    *above += f64::from(largest > level) / draws as f64;
                }
                one += f64::from(noise[0] as f64 > 1000.0 * common / 2.0) / draws as f64;
            }
            for (found, alpha) in above.into_iter().zip([0.01f64, 0.3, 0.5]) {
                let error = 5.0 * (alpha * (1.0 - alpha) / draws as f64).sqrt();
                assert!((found - alpha).abs() < error, "{k}: {found} for {alpha}");
            }
            let expected = noise_above(k, common / 2.0);
            let error = 5.0 * (expected * (1.0 - expected) / draws as f64).sqrt();
            assert!((one - expected).abs() < error, "{k}: {one} {expected}");
        }
    }
}
