//! The division of a budget among the draws of a release.

use num_rational::BigRational;
use num_traits::One;
use serde::{Deserialize, Serialize};

use super::Epsilon;
use crate::error::Error;

/// The purpose of a part of the budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Purpose {
    /// The private median at which a numeric target is split.
    TargetMedian,
    /// The private center of the target.
    TargetCenter,
    /// The count of rows that determines the number of blocks of the two-stage method.
    Rows,
    /// The significance threshold, if all significant features are requested: a simulation with its
    /// own random bits, which spends no budget. (The number of features is a part of the
    /// selection.)
    Number,
    /// The draw that decides on the mechanism of the selection.
    Mechanism,
    /// The selection itself.
    Selection,
    /// The medians of the screened features, if a selection is refined.
    FeatureMedians,
    /// The sums of signs by which a selection is refined.
    Signs,
    /// The selection and the effect sizes together, if all significant features are requested with
    /// a delta.
    Findings,
    /// The effect sizes of the selected features.
    Estimates,
    /// The directions of the selected features.
    Direction,
    /// The private ranges of the columns of a model.
    Ranges,
    /// The sums, or the coefficients, of a model.
    Model,
}

impl Purpose {
    /// The number of the draw that this part is spent on; each draw has its own random bits.
    pub fn draw(self) -> u64 {
        match self {
            // The effect sizes of findings have the number of estimates.
            Self::Selection | Self::Findings => 0,
            Self::TargetCenter => 1,
            Self::TargetMedian => 2,
            Self::Rows => 3,
            // Number 4 deals rows to the blocks of the two-stage method.
            Self::Estimates => 5,
            // Number 7 is the quantiles of `estimate`, on which no pipeline spends budget; 8 was
            // that of counters.
            Self::Direction => 6,
            Self::FeatureMedians => 20,
            Self::Signs => 21,
            Self::Ranges => 11,
            Self::Model => 12,
            Self::Number => 13,
            Self::Mechanism => 14,
        }
    }
}

/// One part of the budget.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spending {
    /// Its purpose.
    #[serde(rename = "for")]
    pub purpose: Purpose,
    /// Its amount.
    pub epsilon: Epsilon,
}

/// A budget being divided: claimed fractions of the total, and the rest.
///
/// By sequential composition, a release that spends each part on one draw is differentially private
/// with the total epsilon; the parts sum to it exactly.
pub struct Budget {
    total: Epsilon,
    /// The fraction not claimed yet.
    rest: BigRational,
    spent: Vec<Spending>,
}

impl Budget {
    /// A budget without claims.
    pub fn new(total: Epsilon) -> Self {
        Self { total, rest: BigRational::one(), spent: Vec::new() }
    }

    /// Claims a fraction of the total. The sum of all claims must stay below 1.
    pub fn claim(&mut self, purpose: Purpose, fraction: &BigRational) -> Epsilon {
        self.rest -= fraction;
        let epsilon = Epsilon::part(self.total.as_rational() * fraction);
        self.spent.push(Spending { purpose, epsilon: epsilon.clone() });
        epsilon
    }

    /// Claims a fraction of the unclaimed rest.
    pub fn claim_of_rest(&mut self, purpose: Purpose, fraction: &BigRational) -> Epsilon {
        let fraction = &self.rest * fraction;
        self.claim(purpose, &fraction)
    }

    /// Assigns the rest to the last purpose; returns it and all parts, in the order of their draws.
    pub fn claim_rest(mut self, purpose: Purpose) -> (Epsilon, Vec<Spending>) {
        let rest = self.rest.clone();
        let epsilon = self.claim(purpose, &rest);
        self.spent.sort_by_key(|part| part.purpose);
        (epsilon, self.spent)
    }
}

impl Error {
    /// Adds this amount to the unspent budget of the error.
    pub fn leaving_more(self, epsilon: &Epsilon) -> Self {
        match self.unspent().and_then(|unspent| unspent.parse::<Epsilon>().ok()) {
            Some(unspent) => self.leaving((unspent + epsilon.clone()).to_string()),
            None => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::ratio;
    use num_traits::Zero;

    /// Draws that share bits are not independent; 4, 7 and 8 are used by draws without a purpose.
    #[test]
    fn every_draw_has_its_own_bits() {
        let all = [
            Purpose::Selection,
            Purpose::TargetCenter,
            Purpose::TargetMedian,
            Purpose::Rows,
            Purpose::Estimates,
            Purpose::Direction,
            Purpose::FeatureMedians,
            Purpose::Signs,
            Purpose::Number,
            Purpose::Mechanism,
            Purpose::Ranges,
            Purpose::Model,
        ];
        let draws: std::collections::BTreeSet<u64> = all.map(Purpose::draw).into();
        assert_eq!(draws, [0, 1, 2, 3, 5, 6, 11, 12, 13, 14, 20, 21].into());
    }

    #[test]
    fn parts_sum_to_the_whole_exactly() {
        for text in ["2", "0.1", "1/3", "1e-6", "0.30000000000000004"] {
            let total: Epsilon = text.parse().unwrap();
            let mut budget = Budget::new(total.clone());
            budget.claim(Purpose::TargetMedian, &ratio(1, 10));
            budget.claim(Purpose::TargetCenter, &ratio(1, 20));
            let (rest, spent) = budget.claim_rest(Purpose::Selection);
            assert_eq!(rest.as_rational(), &(total.as_rational() * ratio(17, 20)));
            let parts = spent.iter().map(|part| part.epsilon.as_rational());
            let sum = parts.fold(BigRational::zero(), |sum, part| sum + part);
            assert_eq!(&sum, total.as_rational());
            assert_eq!(spent.len(), 3);
        }
    }
}
