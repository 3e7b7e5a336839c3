//! The largest sum of signs of null features, by exact binomial tails.

use crate::exact::ln_binomial;

/// Tails below this one, over the number of features, are 0.
const LEAST: f64 = 1e-12;

/// Upper bounds of the tail of the largest |sum of signs| of some null features with at most so many
/// signs that are not 0.
pub(super) struct SignTails {
    /// For s = 0, 1, ...: a bound of the probability that one of the features has a sum of at least
    /// s in absolute value.
    tails: Vec<f64>,
}

impl SignTails {
    /// For at most `pairs` signs of each of `features` features.
    pub(super) fn new(pairs: usize, features: usize) -> Self {
        let features = features.max(1) as f64;
        let [all, one_less] = [pairs, pairs.saturating_sub(1)].map(|n| of_coins(n, features));
        let largest = |s: usize| {
            let tail = |tails: &[f64]| tails.get(s).copied().unwrap_or(0.0);
            (features * tail(&all).max(tail(&one_less))).min(1.0)
        };
        Self { tails: (0..all.len().max(one_less.len())).map(largest).collect() }
    }

    /// The largest sum, by a uniform number in (0, 1]: at least s with a probability of at least the
    /// bound.
    pub(super) fn largest(&self, uniform: f64) -> f64 {
        let reached = self.tails.partition_point(|tail| *tail >= uniform);
        reached.saturating_sub(1) as f64
    }
}

/// P(|2 Bin(n, 1/2) - n| >= s) for s = 0, 1, ..., up to where the tail is negligible for so many
/// features; rounded up a little.
fn of_coins(n: usize, features: f64) -> Vec<f64> {
    let ln_half = -(n as f64) * std::f64::consts::LN_2;
    let probability = |heads: usize| libm::exp(ln_binomial(n, heads) + ln_half);
    // |2 h - n| = s for h = (n + s)/2 and (n - s)/2.
    let both = |s: usize| match s {
        0 => probability(n / 2),
        s => 2.0 * probability((n + s) / 2),
    };
    // Hoeffding: the tail from s on is at most 2 e^(-s^2/(2 n)).
    let negligible = (2.0 * n as f64 * libm::log(2.0 * features / LEAST)).sqrt() as usize + 1;
    let most = negligible.min(n);
    let mut tails = vec![0.0; most + 1];
    // The tail beyond, if there is one.
    let mut tail = if most < n { LEAST / features } else { 0.0 };
    for s in (0..=most).rev() {
        if s % 2 == n % 2 {
            tail += both(s) * (1.0 + 1e-9);
        }
        tails[s] = tail.min(1.0);
    }
    tails
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against all outcomes of few coins, for every number of them up to n; one parity alone would
    /// not do.
    #[test]
    fn tails_are_those_of_all_numbers_of_coins() {
        let mut one_parity_fails = 0;
        for n in 0..=14usize {
            let tails = SignTails::new(n, 1).tails;
            for coins in 0..=n {
                for s in 0..=n + 1 {
                    let reached = (0u32..1 << coins)
                        .filter(|tosses| {
                            (2 * tosses.count_ones() as i64 - coins as i64).abs() >= s as i64
                        })
                        .count();
                    let exact = reached as f64 / f64::from(1u32 << coins);
                    let bound = tails.get(s).copied().unwrap_or(0.0);
                    assert!(exact <= bound + 1e-15, "{n} {coins} {s}: {exact} {bound}");
                    let alone = of_coins(n, 1.0).get(s).copied().unwrap_or(0.0);
                    one_parity_fails += u32::from(exact > alone + 1e-12);
                }
            }
        }
        assert!(one_parity_fails > 0);
    }

    /// The largest of several features: each s is reached with the union bound's probability.
    #[test]
    fn the_largest_sum_is_a_quantile() {
        let signs = SignTails::new(100, 50);
        assert_eq!(signs.largest(1.0) as usize + 1, signs.tails.partition_point(|t| *t >= 1.0));
        for s in [20usize, 30, 40] {
            let tail = signs.tails[s];
            assert!(
                signs.largest(tail) >= s as f64 && signs.largest(tail * 1.000001) < s as f64 + 1.0
            );
        }
        assert_eq!(SignTails::new(0, 5).largest(0.5), 0.0);
        // 1,000 coins, one feature: 62 is exceeded with probability about 5%.
        let s = SignTails::new(1000, 1).largest(0.05);
        assert!((62.0..=66.0).contains(&s), "{s}");
        assert!(SignTails::new(1 << 30, 20_000).largest(1e-5).is_finite());
    }
}
