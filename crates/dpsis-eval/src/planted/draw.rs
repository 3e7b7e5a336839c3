//! Draws of the planted tables: ChaCha20, normal and exponential variates by the ziggurat algorithm
//! of `rand_distr`, everything else from these.

use rand::Rng;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use rand_distr::{Distribution, Exp1, StandardNormal};

/// A seeded source of draws.
pub(super) struct Draw(ChaCha20Rng);

impl Draw {
    pub(super) fn new(seed: u64) -> Self {
        Self(ChaCha20Rng::seed_from_u64(seed))
    }

    /// A uniform number of `[low, high)`.
    pub(super) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.0.r#gen::<f64>()
    }

    /// True with probability p.
    pub(super) fn chance(&mut self, p: f64) -> bool {
        self.0.r#gen::<f64>() < p
    }

    pub(super) fn normal(&mut self) -> f64 {
        StandardNormal.sample(&mut self.0)
    }

    /// Independent standard normal values.
    pub(super) fn normals(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.normal()).collect()
    }

    /// An exponential number of mean 1.
    pub(super) fn exponential(&mut self) -> f64 {
        Exp1.sample(&mut self.0)
    }

    /// An overdispersed count: negative binomial of size 2, variance `mean + mean^2 / 2`. It is a
    /// Poisson process of rate 1, counted up to a gamma time.
    pub(super) fn count(&mut self, mean: f64) -> u64 {
        let mut time = mean / 2.0 * (self.exponential() + self.exponential());
        let mut count = 0;
        loop {
            time -= self.exponential();
            if time < 0.0 {
                return count;
            }
            count += 1;
        }
    }

    /// An index with the given shares, which sum to 1.
    pub(super) fn one_of(&mut self, shares: &[f64]) -> usize {
        let mut rest: f64 = self.0.r#gen();
        let found = shares.iter().position(|share| {
            rest -= share;
            rest < 0.0
        });
        found.unwrap_or(0)
    }

    /// The numbers from 0 to d - 1 in random order.
    pub(super) fn order(&mut self, d: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..d).collect();
        for last in (1..d).rev() {
            order.swap(last, self.0.gen_range(0..=last));
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mean over n draws has the standard error sqrt(variance / n): five of them.
    #[test]
    fn counts_and_shares_have_their_means() {
        let (mut draw, n) = (Draw::new(1), 20_000);
        let mean = 6.0;
        let found = (0..n).map(|_| draw.count(mean) as f64).sum::<f64>() / n as f64;
        let variance = mean + mean * mean / 2.0;
        assert!((found - mean).abs() < 5.0 * (variance / n as f64).sqrt(), "{found}");
        let shares = [0.5, 0.3, 0.2];
        let mut seen = [0.0; 3];
        (0..n).for_each(|_| seen[draw.one_of(&shares)] += 1.0 / n as f64);
        for (seen, share) in seen.iter().zip(shares) {
            assert!((seen - share).abs() < 5.0 * (share * (1.0 - share) / n as f64).sqrt());
        }
    }

    #[test]
    fn an_order_holds_each_number_once() {
        let mut order = Draw::new(2).order(50);
        assert_ne!(order, (0..50).collect::<Vec<_>>());
        order.sort_unstable();
        assert_eq!(order, (0..50).collect::<Vec<_>>());
    }
}
