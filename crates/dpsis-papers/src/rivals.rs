//! Mechanisms and baselines that pick one of some candidates with a score and a sensitivity each.

use std::sync::Arc;

use dpsis::mechanism::{Baseline, Parameters, by_id};
use dpsis::{Epsilon, Mechanism, Neighbors, Result, Scores, Seeded};

/// The names of all rivals, in the order in which they are drawn.
pub(crate) const RIVALS: [&str; 9] =
    ["rnm", "rnm-h", "rs", "rs-tnb", "gem", "mgem", "cgem", "krr", "random"];

/// The probability of stopping after a look of `rs` and `rs-tnb`, gamma in the paper.
pub(crate) const STOP: &str = "0.05";

/// The name of random stopping with the library's own probability of stopping.
pub(crate) const LONG_RANDOM_STOPPING: &str = "rs 1/(10 m)";

/// A named way to pick one candidate.
pub(crate) struct Rival {
    pub(crate) name: String,
    way: Way,
}

enum Way {
    /// A mechanism for one common sensitivity, the largest one.
    Common(Arc<dyn Mechanism>),
    /// A mechanism for a sensitivity each.
    Own(Arc<dyn Mechanism>),
    NotPrivate(Baseline),
}

impl Rival {
    /// Finds a rival by its name in [`RIVALS`], with the parameters of the paper: [`STOP`], and
    /// beta 0.05, the default.
    ///
    /// # Errors
    ///
    /// `Request` if nothing has that name.
    pub(crate) fn named(name: &'static str) -> Result<Self> {
        let mut parameters = Parameters::default();
        let way = match name {
            "rnm" => Way::Common(by_id("noisy-max", &parameters)?),
            "krr" => Way::Common(by_id("krr", &parameters)?),
            "random" => Way::NotPrivate(Baseline::Random),
            "rnm-h" => Way::NotPrivate(Baseline::OwnExponentialNoise),
            _ => {
                if name.starts_with("rs") {
                    parameters.stop = Some(STOP.into());
                }
                Way::Own(by_id(name, &parameters)?)
            }
        };
        Ok(Self { name: name.to_owned(), way })
    }

    /// Random stopping with the library's own probability of stopping, one in ten times the number
    /// of candidates, named `rs 1/(10 m)`.
    ///
    /// # Errors
    ///
    /// Never, since the mechanism exists.
    pub(crate) fn long_random_stopping() -> Result<Self> {
        let way = Way::Own(by_id("rs", &Parameters::default())?);
        Ok(Self { name: LONG_RANDOM_STOPPING.to_owned(), way })
    }

    /// Random stopping with another probability of stopping after a look, named `rs STOP`.
    ///
    /// # Errors
    ///
    /// `Request` if the probability is out of range.
    pub(crate) fn random_stopping(stop: &str) -> Result<Self> {
        let parameters = Parameters { stop: Some(stop.into()), ..Parameters::default() };
        Ok(Self { name: format!("rs {stop}"), way: Way::Own(by_id("rs", &parameters)?) })
    }

    /// Combined GEM with another share of the budget for its question, named `cgem SHARE`.
    ///
    /// # Errors
    ///
    /// `Request` if the share is out of range.
    pub(crate) fn combined_gem(share: &str) -> Result<Self> {
        let parameters = Parameters { share: Some(share.into()), ..Parameters::default() };
        Ok(Self { name: format!("cgem {share}"), way: Way::Own(by_id("cgem", &parameters)?) })
    }

    /// All rivals, in the order of [`RIVALS`].
    pub(crate) fn all() -> Result<Vec<Self>> {
        RIVALS.into_iter().map(Self::named).collect()
    }

    /// Picks one candidate.
    ///
    /// # Errors
    ///
    /// Never for accepted candidates.
    pub(crate) fn pick(&self, among: &Contest, epsilon: &Epsilon, seed: u64) -> Result<usize> {
        let picks = match &self.way {
            Way::Common(mechanism) => mechanism.pick(&among.common, 1, epsilon, Seeded(seed))?,
            Way::Own(mechanism) => mechanism.pick(&among.own, 1, epsilon, Seeded(seed))?,
            Way::NotPrivate(baseline) => baseline.pick(&among.own, 1, epsilon, Some(seed))?,
        };
        Ok(picks[0])
    }
}

/// Candidates with a real score and a sensitivity each, on an integer grid.
pub(crate) struct Contest {
    own: Scores,
    common: Scores,
    best: i64,
    unit: f64,
}

/// The number of grid units in the largest sensitivity.
const UNITS: f64 = (1u64 << 24) as f64;

impl Contest {
    /// Puts scores and sensitivities on a grid of which the largest sensitivity is 2^24 units. A
    /// sensitivity of 0 becomes one unit.
    ///
    /// # Errors
    ///
    /// `Request` if there is no candidate or a number is not finite, negative as a sensitivity, or
    /// more than 2^37 times the largest sensitivity.
    pub(crate) fn new(scores: &[f64], sensitivities: &[f64]) -> Result<Self> {
        let largest = sensitivities.iter().copied().fold(0.0, f64::max);
        let unit = if largest > 0.0 { largest / UNITS } else { 1.0 };
        let values: Vec<i64> = scores.iter().map(|score| (score / unit).round() as i64).collect();
        // Rounded up, as it must be where a release is private.
        let own: Vec<u64> =
            sensitivities.iter().map(|own| ((own / unit).ceil() as u64).max(1)).collect();
        let most = own.iter().copied().max().unwrap_or(1);
        let best = values.iter().copied().max().unwrap_or(0);
        let common = Scores::new(values.clone(), most, Neighbors::AddRemove)?;
        let own = Scores::with_sensitivities(values, own, Neighbors::AddRemove)?;
        Ok(Self { own, common, best, unit })
    }

    /// The best score minus the score of a candidate.
    pub(crate) fn shortfall(&self, candidate: usize) -> f64 {
        (self.best - self.own.values()[candidate]) as f64 * self.unit
    }

    /// The scores with their own sensitivities.
    pub(crate) fn scores(&self) -> &Scores {
        &self.own
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contests_keep_differences() {
        let contest = Contest::new(&[-1.0, 1.0, 0.25], &[1.0, 1.8, 0.0]).unwrap();
        for (candidate, shortfall) in [2.0, 0.0, 0.75].into_iter().enumerate() {
            assert!((contest.shortfall(candidate) - shortfall).abs() < 1e-6);
        }
        assert_eq!(contest.common.sensitivity(), 1 << 24);
        assert!(Contest::new(&[], &[]).is_err());
        assert!(Contest::new(&[0.0, 1.0], &[0.0, 0.0]).is_ok());
    }

    #[test]
    fn every_rival_picks_the_best_at_a_large_budget() {
        let scores: Vec<f64> = (0..20).map(|i| f64::from(i % 7)).collect();
        let sensitivities: Vec<f64> = (0..20).map(|i| f64::from(1 + i % 3)).collect();
        let contest = Contest::new(&scores, &sensitivities).unwrap();
        for rival in Rival::all().unwrap() {
            let missed = (0..200)
                .map(|seed| rival.pick(&contest, &"1000".parse().unwrap(), seed).unwrap())
                .filter(|pick| contest.shortfall(*pick) > 0.0)
                .count();
            let expected = match &*rival.name {
                "random" => 150..200,
                // Some draws stop before they have looked at a candidate with the best score.
                "rs" | "rs-tnb" => 10..190,
                _ => 0..1,
            };
            assert!(expected.contains(&missed), "{} missed {missed} times", rival.name);
        }
        assert!(Rival::named("best").is_err());
    }
}
