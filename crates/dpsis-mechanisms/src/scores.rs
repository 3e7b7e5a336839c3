//! Scores: the only input of mechanisms that depends on the data.

use crate::error::{Error, Result};
use crate::privacy::Neighbors;

/// One integer score per candidate, with its sensitivity: the largest change by one unit.
///
/// Scores are integers because sums of floating-point numbers can change by more than their
/// theoretical sensitivity and depend on the order of the rows.
///
/// Scores are exact functions of the data: showing or storing them is not private.
#[derive(Clone, PartialEq, Eq)]
pub struct Scores {
    values: Vec<i64>,
    sensitivities: Sensitivities,
    neighbors: Neighbors,
    monotonic: bool,
}

/// The largest changes of scores by one unit.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Sensitivities {
    /// One bound for all scores.
    Common(u64),
    /// One bound per score.
    Each(Vec<u64>),
}

/// The largest magnitude of a score, so that every difference fits an `i64`: an overflow would
/// break privacy.
pub const LARGEST: u64 = (1 << 62) - 1;

impl Scores {
    /// Scores of candidates 0, 1, ... and their common sensitivity in the same unit.
    ///
    /// The caller is responsible for the sensitivity: no score may differ by more between any two
    /// neighboring tables.
    ///
    /// # Errors
    ///
    /// `Request` if there is no score, the sensitivity is 0, or a magnitude reaches 2^62.
    pub fn new(values: Vec<i64>, sensitivity: u64, neighbors: Neighbors) -> Result<Self> {
        Self::with(values, Sensitivities::Common(sensitivity), neighbors)
    }

    /// Scores with one sensitivity per candidate, for mechanisms that support this. The
    /// sensitivities are public: they must not depend on the data.
    ///
    /// # Errors
    ///
    /// As for [`new`](Self::new); `Request` unless there is one sensitivity per score.
    pub fn with_sensitivities(
        values: Vec<i64>,
        sensitivities: Vec<u64>,
        neighbors: Neighbors,
    ) -> Result<Self> {
        if values.len() != sensitivities.len() {
            return Err(Error::request("there must be one sensitivity for each score"));
        }
        Self::with(values, Sensitivities::Each(sensitivities), neighbors)
    }

    fn with(values: Vec<i64>, sensitivities: Sensitivities, neighbors: Neighbors) -> Result<Self> {
        if values.is_empty() {
            return Err(Error::request("there is no score to choose from"));
        }
        let wrong = |sensitivity: &u64| *sensitivity == 0 || *sensitivity > LARGEST;
        let any_wrong = match &sensitivities {
            Sensitivities::Common(sensitivity) => wrong(sensitivity),
            Sensitivities::Each(each) => each.iter().any(wrong),
        };
        if any_wrong {
            return Err(Error::request("the sensitivity must lie between 1 and 2^62 - 1"));
        }
        if values.iter().any(|value| value.unsigned_abs() > LARGEST) {
            return Err(Error::request("scores must lie strictly between -2^62 and 2^62"));
        }
        Ok(Self { values, sensitivities, neighbors, monotonic: false })
    }

    /// Declares the scores monotonic: adding a unit either increases no score or decreases none, as
    /// with counts that every unit can only raise. Mechanisms then need less noise.
    ///
    /// # Errors
    ///
    /// `Request` for neighbors that replace a unit, since one score can then rise while another
    /// falls.
    pub fn monotonic(mut self) -> Result<Self> {
        if self.neighbors != Neighbors::AddRemove {
            return Err(Error::request(
                "scores can be monotonic only if units are added or removed",
            ));
        }
        self.monotonic = true;
        Ok(self)
    }

    /// The same scores plus a constant for each candidate, within the range of scores. The
    /// constants must not depend on the data: then sensitivities and monotonicity stay the same.
    pub fn shifted(&self, by: impl Fn(usize) -> i64) -> Self {
        let largest = LARGEST as i64;
        let shifted = |(candidate, value): (usize, &i64)| {
            value.saturating_add(by(candidate)).clamp(-largest, largest)
        };
        Self { values: self.values.iter().enumerate().map(shifted).collect(), ..self.clone() }
    }

    /// The same scores with the largest of their sensitivities as the common one, which bounds each
    /// of them.
    pub fn with_the_largest_sensitivity(&self) -> Self {
        Self { sensitivities: Sensitivities::Common(self.sensitivity()), ..self.clone() }
    }

    /// The scores, in the order of the candidates: not private.
    pub fn values(&self) -> &[i64] {
        &self.values
    }

    /// The largest sensitivity of any score.
    pub fn sensitivity(&self) -> u64 {
        match &self.sensitivities {
            Sensitivities::Common(sensitivity) => *sensitivity,
            Sensitivities::Each(each) => each.iter().copied().max().unwrap_or(1),
        }
    }

    /// The sensitivity of one candidate, which must exist.
    pub(crate) fn sensitivity_of(&self, candidate: usize) -> u64 {
        match &self.sensitivities {
            Sensitivities::Common(sensitivity) => *sensitivity,
            Sensitivities::Each(each) => each[candidate],
        }
    }

    /// Whether all sensitivities are equal.
    pub fn is_homogeneous(&self) -> bool {
        match &self.sensitivities {
            Sensitivities::Common(_) => true,
            Sensitivities::Each(each) => each.windows(2).all(|pair| pair[0] == pair[1]),
        }
    }

    /// The neighbor relation to which the sensitivity refers.
    pub fn neighbors(&self) -> Neighbors {
        self.neighbors
    }

    /// Whether the scores are monotonic.
    pub fn is_monotonic(&self) -> bool {
        self.monotonic
    }
}

impl std::fmt::Debug for Scores {
    /// Omits the values, which a debug print must not release.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scores")
            .field("candidates", &self.values.len())
            .field("sensitivity", &self.sensitivity())
            .field("neighbors", &self.neighbors)
            .field("monotonic", &self.monotonic)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shifted scores stay in range, and differ by no more than the scores.
    #[test]
    fn shifts_keep_the_sensitivity() {
        let largest = LARGEST as i64;
        let values = [-largest, -5, 0, 7, largest];
        for by in [0, 3, -3, i64::MAX, i64::MIN] {
            let shifted = |values: &[i64]| {
                let scores = Scores::new(values.to_vec(), 1, Neighbors::AddRemove).unwrap();
                scores.monotonic().unwrap().shifted(|candidate| if candidate == 0 { 0 } else { by })
            };
            let one = shifted(&values);
            let other = shifted(&values.map(|value| (value + 1).min(largest)));
            assert!(one.is_monotonic() && one.values()[0] == values[0]);
            for (a, b) in one.values().iter().zip(other.values()) {
                assert!(a.abs() <= largest && (0..=1).contains(&(b - a)), "{by}");
            }
        }
    }

    #[test]
    fn scores_that_could_overflow_are_refused() {
        let scores = |values: &[i64], sensitivity| {
            Scores::new(values.to_vec(), sensitivity, Neighbors::AddRemove)
        };
        let most = (1 << 62) - 1;
        assert!(scores(&[most, -most], LARGEST).is_ok());
        assert!(most.checked_sub(-most).is_some());
        for wrong in [&[][..], &[1 << 62], &[-(1 << 62)], &[i64::MIN]] {
            assert!(scores(wrong, 1).is_err(), "{wrong:?}");
        }
        assert!(scores(&[1], 0).is_err() && scores(&[1], LARGEST + 1).is_err());
        let each = |sensitivities: &[u64]| {
            Scores::with_sensitivities(vec![1, 2], sensitivities.to_vec(), Neighbors::AddRemove)
        };
        assert!(each(&[1, 7]).is_ok_and(|scores| !scores.is_homogeneous()));
        for wrong in [&[1][..], &[1, 0], &[1, LARGEST + 1]] {
            assert!(each(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn replaced_units_move_scores_both_ways() {
        let scores = |neighbors| Scores::new(vec![1], 1, neighbors).unwrap().monotonic();
        assert!(scores(Neighbors::AddRemove).is_ok() && scores(Neighbors::ReplaceOne).is_err());
    }

    #[test]
    fn debug_output_hides_the_values() {
        let scores = Scores::new(vec![12_345, 67_890], 7, Neighbors::AddRemove).unwrap();
        let shown = format!("{scores:?}");
        assert!(!shown.contains("12345") && shown.contains("candidates: 2"), "{shown}");
    }
}
