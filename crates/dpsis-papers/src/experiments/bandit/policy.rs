//! The policies, and the state of the arms as they see it.

use std::sync::Arc;

use crate::counter::HybridCounter;
use dpsis::estimate::quantile;
use dpsis::mechanism::{Parameters, by_id};
use dpsis::{Bounds, Epsilon, Mechanism, Neighbors, Result, Scores, Seeded};
use rand::{Rng, RngCore};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use rand_distr::StandardNormal;

use crate::experiments::bandit::rewards::UNIT;

/// The policies: private selections, then two that are not private.
pub(super) const POLICIES: [&str; 8] =
    ["mgem", "gem", "rs", "rnm", "krr", UCB, NARROW_UCB, "thompson"];
/// The number of private ones among them.
pub(super) const PRIVATE: usize = 5;
pub(super) const UCB: &str = "ucb";
/// With a hundredth of the bonus, as if rewards went from 0 to 100.
pub(super) const NARROW_UCB: &str = "ucb/100";

/// Epsilon of all released means of an arm.
pub(super) const MEANS_EPSILON: &str = "2";
/// Epsilon of each action.
pub(super) const ACTION_EPSILON: &str = "2";
/// Epsilon of each pair of quantiles of an arm.
pub(super) const QUANTILES_EPSILON: &str = "1";
/// Half of it, for each quantile.
const QUANTILE_EPSILON: &str = "1/2";
/// Epsilon of each action by krr, which needs no quantiles and spends their budget, too.
pub(super) const KRR_EPSILON: &str = "4";

/// The number of new rewards of an arm after which its sensitivity is estimated again.
pub(super) const WINDOW: usize = 200;

/// The relation that the budgets refer to: a reward is replaced, and the steps are public.
const NEIGHBORS: Neighbors = Neighbors::ReplaceOne;

/// A policy, ready to run.
pub(super) enum Policy {
    Private {
        mechanism: Arc<dyn Mechanism>,
        uses: Uses,
        epsilon: Epsilon,
    },
    /// The bonus is sqrt(2 ln t/n) times a factor.
    UpperConfidence {
        factor: f64,
    },
    Thompson,
}

/// The sensitivities that a selection uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Uses {
    None,
    /// The larger one for both arms.
    Largest,
    Own,
}

impl Policy {
    /// The policy of this name among [`POLICIES`].
    pub(super) fn named(name: &str) -> Result<Self> {
        let mut parameters = Parameters::default();
        let (id, uses, epsilon) = match name {
            UCB => return Ok(Self::UpperConfidence { factor: 1.0 }),
            NARROW_UCB => return Ok(Self::UpperConfidence { factor: 0.01 }),
            "thompson" => return Ok(Self::Thompson),
            "krr" => ("krr", Uses::None, KRR_EPSILON),
            "rnm" => ("noisy-max", Uses::Largest, ACTION_EPSILON),
            own => (own, Uses::Own, ACTION_EPSILON),
        };
        match id {
            "rs" => parameters.stop = Some("0.05".into()),
            "mgem" => parameters.beta = Some("0.05".into()),
            _ => {}
        }
        Ok(Self::Private { mechanism: by_id(id, &parameters)?, uses, epsilon: epsilon.parse()? })
    }

    /// The initial state of the arms for a run of the policy.
    pub(super) fn arms(&self, rng: &mut ChaCha20Rng) -> Result<Arms> {
        Ok(match self {
            Self::Private { uses, .. } => {
                let quantiles = *uses != Uses::None;
                Arms::Private(Box::new([
                    ArmSeen::new(quantiles, rng)?,
                    ArmSeen::new(quantiles, rng)?,
                ]))
            }
            Self::UpperConfidence { .. } | Self::Thompson => Arms::Exact([(0, 0); 2]),
        })
    }

    /// The arm to take at a step, from 0. Each arm is taken once at first.
    pub(super) fn choose(&self, step: usize, arms: &Arms, rng: &mut ChaCha20Rng) -> Result<usize> {
        if step < 2 {
            return Ok(step);
        }
        Ok(match self {
            Self::Private { mechanism, uses, epsilon } => {
                let values =
                    arms.seen().map(|(mean, _)| (mean * UNIT as f64).round() as i64).to_vec();
                let own = arms.sensitivities_in_units();
                let scores = match uses {
                    Uses::None => Scores::new(values, 1, NEIGHBORS)?,
                    Uses::Largest => Scores::new(values, own[0].max(own[1]), NEIGHBORS)?,
                    Uses::Own => Scores::with_sensitivities(values, own.to_vec(), NEIGHBORS)?,
                };
                let picks = mechanism.pick(&scores, 1, epsilon, Seeded(rng.next_u64()))?;
                picks.first().copied().unwrap_or(0)
            }
            Self::UpperConfidence { factor } => {
                let ln_t = ((step + 1) as f64).ln();
                let index = arms
                    .seen()
                    .map(|(mean, taken)| mean + factor * (2.0 * ln_t / taken as f64).sqrt());
                usize::from(index[1] > index[0])
            }
            Self::Thompson => {
                let drawn = arms.seen().map(|(mean, taken)| {
                    let normal: f64 = rng.sample(StandardNormal);
                    mean + normal * 0.5 / (taken as f64).sqrt()
                });
                usize::from(drawn[1] > drawn[0])
            }
        })
    }
}

/// The state of the arms as a policy sees it.
pub(super) enum Arms {
    Private(Box<[ArmSeen; 2]>),
    /// The sum of the rewards and the number of steps.
    Exact([(i64, u64); 2]),
}

impl Arms {
    /// Takes in the reward of the arm that was taken.
    pub(super) fn see(&mut self, arm: usize, reward: i64, rng: &mut ChaCha20Rng) -> Result<()> {
        match self {
            Self::Private(arms) => arms[arm].see(reward, rng),
            Self::Exact(arms) => {
                arms[arm].0 += reward;
                arms[arm].1 += 1;
                Ok(())
            }
        }
    }

    /// The predicted means of the arms, and how often each was taken.
    pub(super) fn seen(&self) -> [(f64, u64); 2] {
        match self {
            Self::Private(arms) => {
                arms.each_ref().map(|arm| (arm.mean_in_units() as f64 / UNIT as f64, arm.taken))
            }
            Self::Exact(arms) => {
                arms.map(|(sum, taken)| (sum as f64 / UNIT as f64 / taken.max(1) as f64, taken))
            }
        }
    }

    /// The sensitivities in use: the whole range where none were estimated.
    fn sensitivities_in_units(&self) -> [u64; 2] {
        match self {
            Self::Private(arms) => arms.each_ref().map(|arm| arm.sensitivity),
            Self::Exact(_) => [UNIT.unsigned_abs(); 2],
        }
    }

    /// The sensitivities in use.
    pub(super) fn sensitivities(&self) -> [f64; 2] {
        self.sensitivities_in_units().map(|units| units as f64 / UNIT as f64)
    }
}

/// The private statistics of an arm, on which a policy decides.
pub(super) struct ArmSeen {
    counter: HybridCounter,
    /// The noisy sum of its rewards.
    sum: i64,
    taken: u64,
    /// Rewards for the next pair of quantiles; `None` if there are to be none.
    window: Option<Vec<i64>>,
    /// In units; the whole range before the first estimate.
    sensitivity: u64,
}

impl ArmSeen {
    fn new(quantiles: bool, rng: &mut ChaCha20Rng) -> Result<Self> {
        let epsilon = MEANS_EPSILON.parse()?;
        let counter = HybridCounter::new((0, UNIT), NEIGHBORS, &epsilon, rng.next_u64())?;
        let window = quantiles.then(Vec::new);
        Ok(Self { counter, sum: 0, taken: 0, window, sensitivity: UNIT.unsigned_abs() })
    }

    /// The noisy sum divided by the public count, clipped to the range of rewards.
    fn mean_in_units(&self) -> i64 {
        (self.sum / self.taken.max(1) as i64).clamp(0, UNIT)
    }

    fn see(&mut self, reward: i64, rng: &mut ChaCha20Rng) -> Result<()> {
        self.taken += 1;
        self.sum = self.counter.add(reward)?;
        let Some(window) = &mut self.window else { return Ok(()) };
        window.push(reward);
        if window.len() == WINDOW {
            // Each reward is in one window only.
            let rewards = std::mem::take(window);
            self.sensitivity = spread(&rewards, rng)?;
        }
        Ok(())
    }
}

/// The private 90% quantile less the private 10% quantile, in units, at least 1.
fn spread(rewards: &[i64], rng: &mut ChaCha20Rng) -> Result<u64> {
    let epsilon = QUANTILE_EPSILON.parse()?;
    let bounds = Bounds::new(0.0, UNIT as f64)?;
    let mut at = |fraction: &str| -> Result<f64> {
        let values = rewards.iter().map(|reward| *reward as f64);
        let seed = Seeded(rng.next_u64());
        Ok(*quantile(values, fraction, bounds, NEIGHBORS, &epsilon, seed)?)
    };
    let (low, high) = (at("0.1")?, at("0.9")?);
    Ok((high - low).round().max(1.0) as u64)
}

/// A generator for a policy's own draws.
pub(super) fn generator(seed: u64) -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(seed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::bandit::rewards::rewards;

    /// kRR spends the same budget, without quantiles.
    #[test]
    fn budgets_are_equal() {
        let exact = |text: &str| text.parse::<Epsilon>().unwrap();
        let pairs = exact(QUANTILES_EPSILON) + exact(QUANTILES_EPSILON);
        assert_eq!(exact(KRR_EPSILON), exact(ACTION_EPSILON) + pairs);
        assert_eq!(exact(QUANTILE_EPSILON) + exact(QUANTILE_EPSILON), exact(QUANTILES_EPSILON));
    }

    /// Arm 1 before the shift: its mean of about 0.694; its spread of about 2 * 1.2816 * 0.2 =
    /// 0.513, of which noise leaves more than half.
    #[test]
    fn private_estimates_are_near() {
        let mut rng = generator(1);
        let mut arm = ArmSeen::new(true, &mut rng).unwrap();
        for reward in &rewards(1)[..1000] {
            arm.see(reward[1], &mut rng).unwrap();
        }
        assert_eq!(arm.taken, 1000);
        assert!(arm.window.as_ref().unwrap().is_empty());
        assert!((arm.mean_in_units() - 694).abs() < 200, "{}", arm.mean_in_units());
        assert!((250..800).contains(&arm.sensitivity), "{}", arm.sensitivity);
    }

    #[test]
    fn every_policy_takes_both_arms() {
        for name in POLICIES {
            let policy = Policy::named(name).unwrap();
            let mut rng = generator(3);
            let mut arms = policy.arms(&mut rng).unwrap();
            for (step, reward) in rewards(3)[..300].iter().enumerate() {
                let arm = policy.choose(step, &arms, &mut rng).unwrap();
                arms.see(arm, reward[arm], &mut rng).unwrap();
            }
            let taken = arms.seen().map(|(_, taken)| taken);
            assert!(taken[0] > 0 && taken[0] + taken[1] == 300, "{name}: {taken:?}");
            // Without privacy the means are exact, and the better arm is taken more often.
            if matches!(arms, Arms::Exact(_)) {
                assert!(taken[1] > 200, "{name}: {taken:?}");
            }
        }
    }
}
