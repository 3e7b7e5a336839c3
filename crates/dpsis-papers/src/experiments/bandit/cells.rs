//! Repeated runs of the policies.

use dpsis::Result;
use dpsis::internals::in_parallel;
use dpsis_eval::Estimate;
use dpsis_eval::internals::seed_of;

use crate::experiments::bandit::policy::{POLICIES, Policy, generator};
use crate::experiments::bandit::rewards::{SHIFT, STEPS, UNIT, better_arm, rewards};
use crate::experiments::experiment::Experiment;

/// The number of steps between two points of a curve.
pub(super) const EVERY: usize = 50;

/// A run of a policy, at every [`EVERY`]th step.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Trace {
    pub(super) points: Vec<TracePoint>,
    /// The share of the steps after the shift at which arm 1 was taken.
    pub(super) arm_1_after: f64,
}

/// The gains and the knowledge of a policy after a number of steps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct TracePoint {
    /// The sum of all rewards.
    pub(super) reward: f64,
    /// The share of the last [`EVERY`] steps at which the better arm was taken.
    pub(super) better: f64,
    /// The predicted means of both arms.
    pub(super) means: [f64; 2],
    /// The sensitivities of both arms: 1 where none were estimated.
    pub(super) sensitivities: [f64; 2],
}

/// All runs of a policy, in the order of the trials: trial i has the same rewards for all policies.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Outcomes {
    pub(super) policy: &'static str,
    pub(super) traces: Vec<Trace>,
}

impl Trace {
    /// The point after a number of steps, a multiple of [`EVERY`].
    pub(super) fn after(&self, steps: usize) -> &TracePoint {
        &self.points[steps / EVERY - 1]
    }

    /// The sum of the rewards after the shift.
    pub(super) fn reward_after_shift(&self) -> f64 {
        self.after(STEPS).reward - self.after(SHIFT).reward
    }

    /// The predicted mean of arm 0 minus the predicted mean of arm 1 after a number of steps, a
    /// multiple of [`EVERY`].
    pub(super) fn gap(&self, steps: usize) -> f64 {
        let [first, second] = self.after(steps).means;
        first - second
    }

    /// The share of the better arm among a number of steps after the shift, a multiple of
    /// [`EVERY`].
    pub(super) fn better_after_shift(&self, steps: usize) -> f64 {
        let points = &self.points[SHIFT / EVERY..(SHIFT + steps) / EVERY];
        points.iter().map(|point| point.better).sum::<f64>() / points.len() as f64
    }
}

impl Outcomes {
    /// A number of each run.
    pub(super) fn each(&self, of: impl Fn(&Trace) -> f64) -> Vec<f64> {
        self.traces.iter().map(of).collect()
    }

    /// Its mean.
    pub(super) fn mean(&self, of: impl Fn(&Trace) -> f64) -> Estimate {
        Estimate::of(self.each(of))
    }
}

/// Runs a policy on the rewards of a trial.
fn trace(policy: &Policy, rewards: &[[i64; 2]], seed: u64) -> Result<Trace> {
    let mut rng = generator(seed);
    let mut arms = policy.arms(&mut rng)?;
    let mut points = Vec::with_capacity(STEPS / EVERY);
    let (mut sum, mut better, mut arm_1) = (0, 0, 0);
    for (step, reward) in rewards.iter().enumerate() {
        let arm = policy.choose(step, &arms, &mut rng)?;
        arms.see(arm, reward[arm], &mut rng)?;
        sum += reward[arm];
        better += usize::from(arm == better_arm(step));
        arm_1 += usize::from(arm == 1 && step >= SHIFT);
        if (step + 1) % EVERY == 0 {
            points.push(TracePoint {
                reward: sum as f64 / UNIT as f64,
                better: better as f64 / EVERY as f64,
                means: arms.seen().map(|(mean, _)| mean),
                sensitivities: arms.sensitivities(),
            });
            better = 0;
        }
    }
    Ok(Trace { points, arm_1_after: arm_1 as f64 / (STEPS - SHIFT) as f64 })
}

/// Runs all policies.
pub(super) fn measure(experiment: &Experiment<'_>) -> Result<Vec<Outcomes>> {
    let mut outcomes = Vec::new();
    for (i, name) in POLICIES.into_iter().enumerate() {
        (experiment.progress)(&format!("bandit: {name}"), i as f64 / POLICIES.len() as f64);
        let policy = Policy::named(name)?;
        let trial = |trial: u64| {
            let rewards = rewards(seed_of(experiment.seed, &["bandit", "rewards"], trial));
            trace(&policy, &rewards, seed_of(experiment.seed, &["bandit", name], trial))
        };
        let traces = in_parallel(experiment.trials, experiment.threads, trial)?;
        outcomes.push(Outcomes { policy: name, traces });
    }
    Ok(outcomes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::experiment::with;

    #[test]
    fn threads_change_nothing() {
        let outcomes = |threads| with(2, threads, |e| measure(e).unwrap());
        assert_eq!(outcomes(1), outcomes(2));
    }

    /// A policy that sees only its rewards, recomputed from its own picks.
    #[test]
    fn traces_add_up() {
        let rewards = rewards(5);
        let policy = Policy::named("thompson").unwrap();
        let trace = trace(&policy, &rewards, 9).unwrap();
        let mut rng = generator(9);
        let mut arms = policy.arms(&mut rng).unwrap();
        let mut taken = Vec::new();
        for (step, reward) in rewards.iter().enumerate() {
            let arm = policy.choose(step, &arms, &mut rng).unwrap();
            arms.see(arm, reward[arm], &mut rng).unwrap();
            taken.push(arm);
        }
        let gained = |steps: std::ops::Range<usize>| {
            steps.map(|step| rewards[step][taken[step]]).sum::<i64>() as f64 / UNIT as f64
        };
        assert!((trace.after(STEPS).reward - gained(0..STEPS)).abs() < 1e-9);
        assert!((trace.reward_after_shift() - gained(SHIFT..STEPS)).abs() < 1e-9);
        let zeros = taken[SHIFT..].iter().filter(|arm| **arm == 0).count() as f64 / 2000.0;
        assert!((trace.better_after_shift(STEPS - SHIFT) - zeros).abs() < 1e-9);
        assert!((trace.arm_1_after - (1.0 - zeros)).abs() < 1e-9);
        let of_arm_0: Vec<i64> =
            (0..STEPS).filter(|step| taken[*step] == 0).map(|step| rewards[step][0]).collect();
        let mean = of_arm_0.iter().sum::<i64>() as f64 / of_arm_0.len() as f64 / UNIT as f64;
        assert!((trace.after(STEPS).means[0] - mean).abs() < 1e-9);
    }
}
