//! The only thing that passes from data to selection.

use crate::error::{Error, Result};
use crate::privacy::Neighbours;

/// One integer score per candidate, with the most that one unit can move any of them.
///
/// Integers, because sums of floating-point numbers can move further than their textbook
/// sensitivity, and depend on the order of the rows.
///
/// Scores are exact functions of the data: showing or storing them is not private.
#[derive(Clone, PartialEq, Eq)]
pub struct Scores {
    values: Vec<i64>,
    sensitivity: u64,
    neighbours: Neighbours,
}

/// No score is larger, so that every difference fits an `i64`: a wrapped one would not be private.
const LARGEST: u64 = (1 << 62) - 1;

impl Scores {
    /// Scores for candidates 0, 1, ... and their common sensitivity in the same unit.
    ///
    /// The caller vouches for the sensitivity: between any two tables that are neighbours no score
    /// may differ by more.
    ///
    /// # Errors
    ///
    /// `Request` if there is no score, the sensitivity is 0 or a magnitude reaches 2^62.
    pub fn new(values: Vec<i64>, sensitivity: u64, neighbours: Neighbours) -> Result<Self> {
        if values.is_empty() {
            return Err(Error::request("there is no score to choose from"));
        }
        if sensitivity == 0 || sensitivity > LARGEST {
            return Err(Error::request("the sensitivity must lie between 1 and 2^62 - 1"));
        }
        if values.iter().any(|value| value.unsigned_abs() > LARGEST) {
            return Err(Error::request("scores must lie strictly between -2^62 and 2^62"));
        }
        Ok(Self { values, sensitivity, neighbours })
    }

    /// The scores, in the order of the candidates. Not private.
    pub fn values(&self) -> &[i64] {
        &self.values
    }

    /// The most by which neighbouring tables can differ in any score.
    pub fn sensitivity(&self) -> u64 {
        self.sensitivity
    }

    /// The relation for which the sensitivity holds.
    pub fn neighbours(&self) -> Neighbours {
        self.neighbours
    }
}

impl std::fmt::Debug for Scores {
    /// Never the values: a debug print must not release them.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scores")
            .field("candidates", &self.values.len())
            .field("sensitivity", &self.sensitivity)
            .field("neighbours", &self.neighbours)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_wrap_is_refused() {
        let scores = |values: &[i64], sensitivity| {
            Scores::new(values.to_vec(), sensitivity, Neighbours::AddRemove)
        };
        let most = (1 << 62) - 1;
        assert!(scores(&[most, -most], LARGEST).is_ok());
        assert!(most.checked_sub(-most).is_some());
        for wrong in [&[][..], &[1 << 62], &[-(1 << 62)], &[i64::MIN]] {
            assert!(scores(wrong, 1).is_err(), "{wrong:?}");
        }
        assert!(scores(&[1], 0).is_err() && scores(&[1], LARGEST + 1).is_err());
    }

    #[test]
    fn debug_output_hides_the_values() {
        let scores = Scores::new(vec![12_345, 67_890], 7, Neighbours::AddRemove).unwrap();
        let shown = format!("{scores:?}");
        assert!(!shown.contains("12345") && shown.contains("candidates: 2"), "{shown}");
    }
}
