//! The only thing that passes from data to selection.

use crate::error::{Error, Result};
use crate::privacy::Neighbors;

/// One integer score per candidate, with the most that one unit can move each of them.
///
/// Integers, because sums of floating-point numbers can move further than their textbook
/// sensitivity, and depend on the order of the rows.
///
/// Scores are exact functions of the data: showing or storing them is not private.
#[derive(Clone, PartialEq, Eq)]
pub struct Scores {
    values: Vec<i64>,
    sensitivities: Sensitivities,
    neighbors: Neighbors,
    monotonic: bool,
}

/// The most that one unit can move scores.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Sensitivities {
    /// Any of them.
    Common(u64),
    /// Each of them.
    Each(Vec<u64>),
}

/// No score is larger, so that every difference fits an `i64`: a wrapped one would not be private.
const LARGEST: u64 = (1 << 62) - 1;

impl Scores {
    /// Scores for candidates 0, 1, ... and their common sensitivity in the same unit.
    ///
    /// The caller vouches for the sensitivity: between any two tables that are neighbors no score
    /// may differ by more.
    ///
    /// # Errors
    ///
    /// `Request` if there is no score, the sensitivity is 0 or a magnitude reaches 2^62.
    pub fn new(values: Vec<i64>, sensitivity: u64, neighbors: Neighbors) -> Result<Self> {
        Self::with(values, Sensitivities::Common(sensitivity), neighbors)
    }

    /// Scores that each have a sensitivity of their own, for mechanisms that make use of that. The
    /// sensitivities are public: they must not depend on the data.
    ///
    /// # Errors
    ///
    /// As for [`new`](Self::new); `Request` unless there is one sensitivity a score.
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

    /// Says that a unit more raises scores or leaves them (or lowers them all or leaves them), never
    /// both: counts to which every unit only adds. Mechanisms then need less noise.
    ///
    /// # Errors
    ///
    /// `Request` where units are replaced: then one score can rise while another falls.
    pub fn monotonic(mut self) -> Result<Self> {
        if self.neighbors != Neighbors::AddRemove {
            return Err(Error::request(
                "only where units are added or removed are scores monotonic",
            ));
        }
        self.monotonic = true;
        Ok(self)
    }

    /// The scores, in the order of the candidates. Not private.
    pub fn values(&self) -> &[i64] {
        &self.values
    }

    /// The most by which neighboring tables can differ in any score.
    pub fn sensitivity(&self) -> u64 {
        match &self.sensitivities {
            Sensitivities::Common(sensitivity) => *sensitivity,
            Sensitivities::Each(each) => each.iter().copied().max().unwrap_or(1),
        }
    }

    /// The most by which neighboring tables can differ in the score of a candidate, which exists.
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

    /// The relation for which the sensitivity holds.
    pub fn neighbors(&self) -> Neighbors {
        self.neighbors
    }

    /// Whether one unit moves all scores in one direction.
    pub fn is_monotonic(&self) -> bool {
        self.monotonic
    }
}

impl std::fmt::Debug for Scores {
    /// Never the values: a debug print must not release them.
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

    #[test]
    fn what_could_wrap_is_refused() {
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
