//! The size of the noise of a utility class: theorem A.3 of "Feature Selection from Differentially
//! Private Correlations", E\[-ln(1 - U^(1/m))\] = H_m for U uniform on (0, 1).

use dpsis::Result;
use dpsis::internals::{EULER, binomial, harmonic, in_parallel};
use dpsis_eval::Estimate;
use dpsis_eval::internals::seed_of;
use num_traits::ToPrimitive;
use rand::RngCore;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;

use crate::experiments::experiment::Experiment;

/// The (d, k) whose largest class, of C(d - 1, k - 1) sets, is simulated.
const CLASSES: [(u64, u64); 8] =
    [(10, 1), (20, 2), (20, 3), (100, 5), (2000, 5), (22283, 5), (2000, 8), (22283, 10)];
/// Draws per trial.
const DRAWS: usize = 2000;

/// The noise of a class.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Noise {
    pub(super) d: u64,
    pub(super) k: u64,
    /// The size of the class, C(d - 1, k - 1).
    pub(super) m: f64,
    /// The mean of -ln(-expm1(ln(U)/m)).
    pub(super) mean: Estimate,
    /// The mean of -ln(1 - U^(1/m)) as printed, over the draws for which it is finite.
    pub(super) naive: f64,
    /// The share of draws for which the printed formula is infinite.
    pub(super) infinite: f64,
}

impl Noise {
    /// Returns the harmonic number H_m.
    pub(super) fn harmonic(&self) -> f64 {
        harmonic(self.m)
    }

    /// Returns the leading terms of the expansion of H_m.
    pub(super) fn asymptotic(&self) -> f64 {
        self.m.ln() + EULER + 0.5 / self.m
    }

    /// Returns the difference between the simulated mean and H_m in standard errors.
    pub(super) fn z(&self) -> f64 {
        (self.mean.mean - self.harmonic()) / self.mean.error
    }
}

pub(super) fn noises(experiment: &Experiment<'_>) -> Result<Vec<Noise>> {
    CLASSES.iter().map(|(d, k)| noise(experiment, *d, *k)).collect()
}

fn noise(experiment: &Experiment<'_>, d: u64, k: u64) -> Result<Noise> {
    let m = binomial(d - 1, k - 1).to_f64().unwrap_or(f64::INFINITY);
    let (seed, name) = (experiment.seed, format!("{d} {k}"));
    let trial = |trial: u64| -> Result<Vec<(f64, f64)>> {
        let seed = seed_of(seed, &["theorem A.3", &name], trial);
        let mut rng = ChaCha20Rng::seed_from_u64(seed);
        Ok((0..DRAWS).map(|_| values(uniform(&mut rng), m)).collect())
    };
    let trials = in_parallel(experiment.trials, experiment.threads, trial)?;
    let draws: Vec<(f64, f64)> = trials.into_iter().flatten().collect();
    let finite: Vec<f64> =
        draws.iter().map(|(_, naive)| *naive).filter(|v| v.is_finite()).collect();
    Ok(Noise {
        d,
        k,
        m,
        mean: Estimate::of(draws.iter().map(|(stable, _)| *stable)),
        naive: finite.iter().sum::<f64>() / finite.len() as f64,
        infinite: 1.0 - finite.len() as f64 / draws.len() as f64,
    })
}

/// Returns -ln(1 - u^(1/m)) in a stable form and as printed.
fn values(u: f64, m: f64) -> (f64, f64) {
    let stable = -libm::log(-libm::expm1(libm::log(u) / m));
    (stable, -libm::log(1.0 - libm::pow(u, 1.0 / m)))
}

/// Draws the midpoint of one of 2^53 equal parts of (0, 1).
fn uniform(rng: &mut ChaCha20Rng) -> f64 {
    ((rng.next_u64() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reference values from the table on the page of the canonical mechanism, U = 1/2.
    #[test]
    fn large_classes_keep_their_digits() {
        for (m, value) in
            [(1.0, std::f64::consts::LN_2), (1e8, 18.787_193_668), (1e24, 55.628_555_152_439)]
        {
            assert!((values(0.5, m).0 - value).abs() < 1e-11, "{m}");
        }
        assert!(values(0.5, 1e17).1.is_infinite());
    }
}
