//! The largest sum of differences within people of null features, by exact binomial tails.
//!
//! The sum of n independent numbers in \[-1, 1\] with mean 0 exceeds the expected shortfall of the
//! sum B of N >= n fair coins of -1 and 1 at level u, min over t of t + E(B - t)^+/u, with a
//! probability of at most u: see the page of the paired score. The minimum is at the largest t with
//! P(B >= t) >= u.

use crate::exact::ln_binomial;

/// A bound of the probability of all sums beyond the tabulated ones.
const MIN_TAIL: f64 = 1e-15;

/// Upper bounds of the largest |sum| of some null features, for a bounded number of people.
pub(super) struct SignTails {
    /// For both signs of all features.
    tests: f64,
    /// The number of people.
    most: f64,
    /// t, an upper bound of P(B >= t) and one of E(B - t)^+, for t falling in steps of 2.
    tails: Vec<(f64, f64, f64)>,
}

impl SignTails {
    /// For at most `pairs` people and `features` features, or one feature of the weight
    /// 1/`features`.
    pub(super) fn new(pairs: usize, features: f64) -> Self {
        let (n, tests) = (pairs as f64, 2.0 * features.max(1.0));
        let ln_half = -n * std::f64::consts::LN_2;
        // Differences of logarithms of factorials lose digits of their size.
        let rounding = 1.0 + 1e-9 + 1e-14 * n;
        let probability = |heads: usize| libm::exp(ln_binomial(pairs, heads) + ln_half) * rounding;
        // Hoeffding: the tail from s on is at most e^(-s^2/(2 n)). Beyond, sums are at most n.
        let least = MIN_TAIL / (tests * n.max(1.0));
        let negligible = (2.0 * n * libm::log(1.0 / least)).sqrt() as usize + 2;
        let most = pairs.min(negligible + (pairs - negligible.min(pairs)) % 2);
        let (mut tail, mut above) = if most < pairs { (least, n * least) } else { (0.0, 0.0) };
        let mut tails = Vec::new();
        for step in 0..=most.div_ceil(2) {
            let t = most as f64 - 2.0 * step as f64;
            // E(B - t)^+ grows by 2 P(B >= t + 2).
            above += if step > 0 { 2.0 * tail } else { 0.0 };
            tail += probability((pairs + most) / 2 - step);
            tails.push((t, tail, above));
        }
        Self { tests, most: n, tails }
    }

    /// The largest sum, by a uniform number in (0, 1]: an upper bound of its quantile.
    pub(super) fn largest(&self, uniform: f64) -> f64 {
        let level = uniform / self.tests;
        let place = self.tails.partition_point(|(_, tail, _)| *tail < level);
        // P(B >= 0) is at least 1/2, and levels are at most that.
        let (t, _, above) = self.tails[place.min(self.tails.len() - 1)];
        (t + above / level).clamp(0.0, self.most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All numbers in \[-1, 1\] with mean 0 and two values, on a grid of quarters.
    fn two_values() -> Vec<[(f64, f64); 2]> {
        let mut all = Vec::new();
        for up in 1..=4 {
            for down in 1..=4 {
                let (up, down) = (f64::from(up) / 4.0, f64::from(down) / 4.0);
                all.push([(up, down / (up + down)), (-down, up / (up + down))]);
            }
        }
        all
    }

    /// P(|sum| >= s) of `copies` independent copies.
    fn tail(of: &[(f64, f64); 2], copies: u32, s: f64) -> f64 {
        let outcome = |mask: u32| {
            (0..copies).fold((0.0, 1.0), |(sum, p), i| {
                let (value, q) = of[(mask >> i & 1) as usize];
                (sum + value, p * q)
            })
        };
        let all = (0..1u32 << copies).map(outcome);
        all.filter(|(sum, _)| sum.abs() >= s - 1e-12).map(|(_, p)| p).sum()
    }

    /// The tail bound holds for sums of all such numbers, also with fewer people; the tails of
    /// coins alone are not a bound.
    #[test]
    fn sums_with_mean_zero_are_bounded() {
        let coins = [(1.0, 0.5), (-1.0, 0.5)];
        let mut coins_fail = 0;
        for people in 1..=8 {
            let tails = SignTails::new(people, 1.0);
            for level in [0.9, 0.5, 0.2, 0.05, 0.01, 0.003] {
                let bound = tails.largest(level);
                // The quantile of coins: the first sum that is rarer.
                let of_coins = (0..=people + 1)
                    .map(|s| s as f64)
                    .find(|s| tail(&coins, people as u32, *s) < level);
                for of in two_values() {
                    for copies in 1..=people as u32 {
                        // If no sum is rarer than the largest one, the bound is trivial.
                        if bound < people as f64 {
                            let exact = tail(&of, copies, bound + 1e-9);
                            assert!(exact <= level + 1e-12, "{people} {level} {of:?} {copies}");
                        }
                        let s = of_coins.unwrap_or(f64::INFINITY);
                        coins_fail += u32::from(tail(&of, copies, s - 1.0 + 1e-9) > level + 1e-12);
                    }
                }
            }
        }
        assert!(coins_fail > 0);
    }

    #[test]
    fn shortfall_matches_the_definition() {
        // By all t, in steps of a quarter.
        let exact = |n: u32, level: f64| {
            let choose = |k: u32| (0..k).fold(1.0, |c, i| c * f64::from(n - i) / f64::from(i + 1));
            let mean = |t: f64| {
                let of = |k: u32| choose(k) * (f64::from(2 * k) - f64::from(n) - t).max(0.0);
                (0..=n).map(of).sum::<f64>() / 2f64.powi(n as i32)
            };
            let at = |i: i32| f64::from(i) / 4.0 + mean(f64::from(i) / 4.0) / level;
            let least = (-4 * n as i32..=4 * n as i32).map(at).fold(f64::INFINITY, f64::min);
            least.min(f64::from(n)).max(0.0)
        };
        for n in [1u32, 2, 5, 12, 30, 41] {
            for (features, uniform) in [(1, 1.0), (1, 0.05), (3, 0.3), (50, 0.01)] {
                let expected = exact(n, uniform / 2.0 / f64::from(features));
                let found = SignTails::new(n as usize, f64::from(features)).largest(uniform);
                assert!(
                    (found - expected).abs() < 1e-5,
                    "{n} {features} {uniform}: {found} {expected}"
                );
            }
        }
        assert_eq!(SignTails::new(0, 5.0).largest(0.5), 0.0);
        // 1,000 coins, one feature: 62 is exceeded with probability about 5%, their mean beyond it
        // is 74 = 1000^(1/2) 2.34.
        let s = SignTails::new(1000, 1.0).largest(0.05);
        assert!((72.0..=76.0).contains(&s), "{s}");
        // Many coins: the shortfall of a normal number, 1 - 10^-6.4 as quantile 5.0.
        let s = SignTails::new(1 << 30, 20_000.0).largest(0.02);
        assert!((5.0..=5.4).contains(&(s / 2f64.powi(15))), "{s}");
    }
}
