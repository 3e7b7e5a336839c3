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
//! # Source
//!
//! Hardt and Talwar, "On the Geometry of Differential Privacy" (2010), for the cube; T. Steinke and
//! J. Ullman, "Between Pure and Approximate Differential Privacy" (2016).

use std::f64::consts::LN_2;

use num_bigint::{BigInt, BigUint};

use crate::exact::saturating_i64;
use crate::privacy::Epsilon;
use crate::random::{Bits, cube_radius, uniform_below};

/// The lane of the point of the cube; the radius takes lane 0.
const POINT_LANE: u64 = 1;

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
pub(crate) fn noise_level(alpha: f64, k: usize) -> f64 {
    let above = |x: f64| {
        let second = libm::exp(x - k as f64 * LN_2 + ln_gamma_tail(k + 1, 2.0 * x));
        libm::exp(ln_gamma_tail(k + 1, x)) - second
    };
    let (mut low, mut high) = (0.0, 2.0 * k as f64 + 60.0);
    while high - low > 1e-9 * high {
        let middle = (low + high) / 2.0;
        if above(middle) > alpha { low = middle } else { high = middle }
    }
    high
}

/// The probability that the noise of one of `k` effect sizes exceeds `x`, in the same unit.
pub(crate) fn noise_above(k: usize, x: f64) -> f64 {
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
pub(crate) fn half_width(k: usize, level: f64) -> f64 {
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
