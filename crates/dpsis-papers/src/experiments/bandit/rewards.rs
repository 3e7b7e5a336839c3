//! The rewards of the arms.

use rand::Rng;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use rand_distr::StandardNormal;

/// The number of steps.
pub(super) const STEPS: usize = 4000;

/// The number of steps after which the arms change places.
pub(super) const SHIFT: usize = 2000;

/// Rewards are clipped to 0 to 1 and counted in steps of 1/UNIT.
pub(super) const UNIT: i64 = 1000;

/// The mean and the standard deviation of the rewards of arms 0 and 1 before the shift; after it
/// they are exchanged.
pub(super) const ARMS: [(f64, f64); 2] = [(0.3, 0.05), (0.7, 0.2)];

/// The arm with the larger mean at a step, from 0.
pub(super) fn better_arm(step: usize) -> usize {
    usize::from(step < SHIFT)
}

/// The rewards that either arm would give at each step, in units: the same for all policies.
pub(super) fn rewards(seed: u64) -> Vec<[i64; 2]> {
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    let mut reward = |(mean, deviation): (f64, f64)| {
        let normal: f64 = rng.sample(StandardNormal);
        ((mean + deviation * normal).clamp(0.0, 1.0) * UNIT as f64).round() as i64
    };
    (0..STEPS)
        .map(|step| {
            let [first, second] = if step < SHIFT { ARMS } else { [ARMS[1], ARMS[0]] };
            [reward(first), reward(second)]
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Means within five standard errors; clipping at 1 takes 0.00586 off a mean of 0.7 with
    /// deviation 0.2 (0.2 (phi(1.5) - 1.5 (1 - Phi(1.5)))) and nothing off the other.
    #[test]
    fn arms_change_places() {
        let all: Vec<[i64; 2]> = (0..20).flat_map(rewards).collect();
        let mean = |arm: usize, early: bool| {
            let of = all.iter().enumerate().filter(|(i, _)| (i % STEPS < SHIFT) == early);
            let of: Vec<i64> = of.map(|(_, both)| both[arm]).collect();
            of.iter().sum::<i64>() as f64 / of.len() as f64 / UNIT as f64
        };
        for (arm, early) in [(0, true), (1, false)] {
            assert!((mean(arm, early) - 0.3).abs() < 0.002);
            assert!((mean(1 - arm, early) - (0.7 - 0.00586)).abs() < 0.005);
        }
        assert!(all.iter().flatten().all(|reward| (0..=UNIT).contains(reward)));
        assert_eq!((better_arm(0), better_arm(SHIFT - 1), better_arm(SHIFT)), (1, 1, 0));
    }
}
