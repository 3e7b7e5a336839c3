//! Draws of a mechanism against its exact law: a G-test.

use serde::Serialize;

use super::Verification;
use super::enumeration::Checked;
use crate::choose::Trials;
use crate::error::{Error, Result};
use crate::mechanism::{Sensitivity, choose};
use crate::privacy::Neighbors;
use crate::random::Entropy;
use crate::score::Scores;
use crate::support::goodness::{ALPHA, fit};

/// The fit of a mechanism's draws to its law.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct SamplerFit {
    /// The number of draws for each score vector.
    pub draws: u64,
    /// The probability with which a correct sampler fails one of the tests.
    pub alpha: f64,
    /// The score vectors, each with its test.
    pub fits: Vec<FittedScores>,
    /// Whether all of them fit.
    pub holds: bool,
}

/// The fit for one score vector.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct FittedScores {
    /// The scores, in steps of the grid.
    pub scores: Vec<i64>,
    /// The statistic G, which exceeds `bound` with a probability of about alpha.
    pub g: f64,
    /// The bound of the statistic.
    pub bound: f64,
    /// Whether an impossible outcome was drawn.
    pub impossible: bool,
}

impl Verification {
    /// Compares draws of the mechanism with its law, for each of these score vectors in steps of
    /// the grid. The draws are random, or from a seed.
    ///
    /// # Errors
    ///
    /// As for [`run`](Self::run); `Request` for a broken variant, which has no sampler, or a wrong
    /// number of scores.
    pub fn fit(&self, scores: &[Vec<i64>], draws: u64, seed: Option<u64>) -> Result<SamplerFit> {
        if self.is_variant() {
            return Err(Error::request("a broken variant has a law, but nothing draws from it"));
        }
        let checked = self.checked()?;
        if scores.iter().any(|scores| scores.len() != checked.grid.d) {
            return Err(Error::request("there must be one score for each candidate"));
        }
        let of = |(i, scores): (u64, &Vec<i64>)| {
            let entropy =
                seed.map_or(Entropy::OperatingSystem, |seed| Entropy::Seeded(seed.wrapping_add(i)));
            self.fit_one(&checked, scores, draws, entropy)
        };
        let fits: Vec<FittedScores> = (0..).zip(scores).map(of).collect::<Result<_>>()?;
        let holds = fits.iter().all(|fit| !fit.impossible && fit.g <= fit.bound);
        Ok(SamplerFit { draws, alpha: ALPHA, fits, holds })
    }

    fn fit_one(
        &self,
        checked: &Checked,
        scores: &[i64],
        draws: u64,
        entropy: Entropy,
    ) -> Result<FittedScores> {
        let Checked { law, grid, k, epsilon, .. } = checked;
        let mut own = grid.sensitivities().iter().map(|own| own.unsigned_abs());
        let given = if self.card.sensitivity == Sensitivity::Own {
            Scores::with_sensitivities(scores.to_vec(), own.collect(), Neighbors::AddRemove)?
        } else {
            Scores::new(scores.to_vec(), own.next().unwrap_or(1), Neighbors::AddRemove)?
        };
        let given = if grid.is_monotonic() { given.monotonic()? } else { given };
        let mechanism = self.mechanism()?;
        let drawn =
            Trials::count(draws, entropy, |bits| choose(&*mechanism, &given, *k, epsilon, bits))?;
        let outcomes = self.outcomes(grid.d, *k);
        let counts: Vec<u64> = outcomes
            .iter()
            .map(|outcome| drawn.counts.get(outcome).copied().unwrap_or(0))
            .collect();
        let tested = fit(&counts, &law.at(grid, scores, *k, epsilon.to_f64()));
        let unknown = counts.iter().sum::<u64>() < draws;
        Ok(FittedScores {
            scores: scores.to_vec(),
            g: tested.g,
            bound: tested.bound,
            impossible: tested.impossible || unknown,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mechanism::CARDS;

    #[test]
    fn every_sampler_fits_its_law() {
        for card in CARDS {
            let verification = Verification::new(card.id).unwrap();
            let d = verification.checked().unwrap().grid.d;
            let scores: Vec<i64> = (0..d as i64).map(|i| 4 - i).collect();
            let fit = verification.fit(&[scores], 20_000, Some(7)).unwrap();
            assert!(fit.holds, "{}: {fit:?}", card.id);
        }
    }

    /// A law with a fifth more epsilon does not fit.
    #[test]
    fn another_law_does_not_fit() {
        let right = Verification::new("em").unwrap().epsilon("1");
        let wrong = Verification::new("em").unwrap().epsilon("1.2");
        let scores = [5i64, 0, 0, 0];
        let drawn_by = |drawn: &Verification, law: &Verification| {
            let (drawn, law) = (drawn.checked().unwrap(), law.checked().unwrap());
            let given = Scores::new(scores.to_vec(), 2, Neighbors::AddRemove).unwrap();
            let mechanism = right.mechanism().unwrap();
            let counts = Trials::count(100_000, Entropy::Seeded(3), |bits| {
                choose(&*mechanism, &given, 1, &drawn.epsilon, bits)
            });
            let counts: Vec<u64> =
                (0..4).map(|i| counts.as_ref().unwrap().counts[&vec![i]]).collect();
            fit(&counts, &law.law.at(&law.grid, &scores, 1, law.epsilon.to_f64())).holds()
        };
        assert!(drawn_by(&right, &right) && !drawn_by(&right, &wrong));
    }
}
