#![doc = include_str!("page.md")]

#[cfg(test)]
mod law;
mod prior;
mod sets;
#[cfg(test)]
mod tests;

use std::str::FromStr;

use num_rational::BigRational;

use crate::error::{Error, Parameter, Result, word};
use crate::exact::{Exact, ratio};
use crate::privacy::{Epsilon, Purpose, Randomness};
use crate::random::{Bits, Filter};
use crate::score::Scores;
use prior::Prior;
use sets::ThresholdSets;

/// The threshold-set mechanism: the candidates whose scores are above a level, however many these
/// are, with a bound on names at or below it.
///
/// ```
/// use dpsis::mechanism::{FalseNames, ThresholdSet};
/// use dpsis::{Neighbors, OperatingSystem, Scores};
///
/// // Counts to which one person adds at most 1, and a level of 50.
/// let scores = Scores::new(vec![3, 220, 7, 250, 4], 1, Neighbors::AddRemove)?;
/// let above = ThresholdSet::new(50, "0.05", FalseNames::Share)?;
/// let names = above.pick(&scores, None, &"1".parse()?, OperatingSystem)?;
/// assert_eq!(names, [1, 3]); // wrong with a probability of a few percent
/// # Ok::<(), dpsis::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThresholdSet {
    level: i64,
    alpha: BigRational,
    bounded: FalseNames,
}

/// The rate of names at or below the level that is bounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum FalseNames {
    /// The expected share of such names among all names, 0 if there are none.
    #[default]
    Share,
    /// The probability that there is any.
    Any,
}

impl FromStr for FalseNames {
    type Err = Error;

    /// From `fdr`, a bound on the share, or `fwer`, one on any.
    fn from_str(text: &str) -> Result<Self> {
        let words = [("fdr", Self::Share), ("fwer", Self::Any)];
        word(Parameter::OfMechanism("rate"), text, &words)
    }
}

/// The largest level in magnitude: that of scores.
const MOST_LEVEL: u64 = 1 << 62;

impl ThresholdSet {
    /// Above this level, in the unit of the scores, with alpha as the bound on names at or below
    /// it: an exact number from 1e-6 to 0.5.
    ///
    /// # Errors
    ///
    /// `Request` for another alpha, or a level that no score reaches.
    pub fn new(level: i64, alpha: impl Into<Exact>, bounded: FalseNames) -> Result<Self> {
        if level.unsigned_abs() > MOST_LEVEL {
            return Err(Error::request("the level must lie between -2^62 and 2^62")
                .about([Parameter::OfMechanism("level")]));
        }
        let possible = |alpha: &BigRational| *alpha >= ratio(1, 1_000_000) && *alpha <= ratio(1, 2);
        let alpha = alpha.into().rational().filter(possible).ok_or_else(|| {
            Error::request("alpha must be a number from 1e-6 to 0.5")
                .about([Parameter::OfMechanism("alpha")])
        })?;
        Ok(Self { level, alpha, bounded })
    }

    /// The candidates that are named, ascending: at most so many, or any number of them.
    ///
    /// # Privacy
    ///
    /// `epsilon`-differentially private for the neighbor relation of the scores, if the level is
    /// public or was released before.
    ///
    /// # Errors
    ///
    /// `Request` if `at_most` is 0, if there is no candidate or there are 2^31 or more, or if their
    /// sensitivities differ. `Io` if the operating system gives no entropy.
    pub fn pick<R: Randomness>(
        &self,
        scores: &Scores,
        at_most: Option<usize>,
        epsilon: &Epsilon,
        randomness: R,
    ) -> Result<R::Output<Vec<usize>>> {
        let bits = randomness.source()?.bits(Purpose::Selection.draw());
        self.draw(scores, at_most, epsilon, &bits).map(R::mark)
    }

    /// Draws from checked scores, driven by bits that drive nothing else.
    fn draw(
        &self,
        scores: &Scores,
        at_most: Option<usize>,
        epsilon: &Epsilon,
        bits: &Bits,
    ) -> Result<Vec<usize>> {
        let d = scores.values().len();
        if at_most == Some(0) {
            return Err(Error::request("at most 1 name, or more").about([Parameter::K]));
        }
        if d == 0 || d >= 1 << 31 {
            return Err(Error::request("there must be 1 to 2^31 - 1 candidates"));
        }
        if !scores.is_homogeneous() {
            return Err(Error::request(
                "the threshold set needs one sensitivity for all candidates",
            ));
        }
        let prior = Prior::new(d, &self.alpha, self.bounded);
        // A cap that never binds is none.
        let most = at_most.filter(|most| *most < d);
        let sets = ThresholdSets::new(scores, self.level, prior, most, epsilon);
        Ok(sets.draw(bits, Filter::default()))
    }
}
