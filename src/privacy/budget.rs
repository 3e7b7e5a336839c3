//! How a budget is split among the draws of a release.

use num_rational::BigRational;
use num_traits::One;
use serde::Serialize;

use super::Epsilon;

/// What a part of the budget pays for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Purpose {
    /// The private median at which a numeric target is split.
    TargetMedian,
    /// The private centre of the target.
    TargetCenter,
    /// The selection itself.
    Selection,
}

impl Purpose {
    /// The number of the draw that it pays for: each has random bits of its own.
    pub(crate) fn draw(self) -> u64 {
        match self {
            Self::Selection => 0,
            Self::TargetCenter => 1,
            Self::TargetMedian => 2,
        }
    }
}

/// One part of the budget.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Spending {
    /// What it pays for.
    #[serde(rename = "for")]
    pub purpose: Purpose,
    /// How much.
    pub epsilon: Epsilon,
}

/// A claim on the budget, as a fraction of the total.
pub(crate) struct Share {
    pub(crate) purpose: Purpose,
    pub(crate) fraction: BigRational,
}

/// Splits a budget: the claims as stated, the rest to the selection.
///
/// By sequential composition a release that spends each part on one draw is `total`-differentially
/// private; the parts sum to `total` exactly. The fractions are positive and sum to less than 1.
pub(crate) fn split(total: &Epsilon, claims: &[Share]) -> Vec<Spending> {
    let rest = claims.iter().fold(BigRational::one(), |rest, claim| rest - &claim.fraction);
    let spend = |purpose, fraction: &BigRational| Spending {
        purpose,
        epsilon: Epsilon::part(total.as_rational() * fraction),
    };
    let mut spent: Vec<_> =
        claims.iter().map(|claim| spend(claim.purpose, &claim.fraction)).collect();
    spent.push(spend(Purpose::Selection, &rest));
    spent
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::ratio;
    use num_traits::Zero;

    #[test]
    fn parts_sum_to_the_whole_exactly() {
        for text in ["2", "0.1", "1/3", "1e-6", "0.30000000000000004"] {
            let total: Epsilon = text.parse().unwrap();
            let claims =
                [(Purpose::TargetMedian, ratio(1, 10)), (Purpose::TargetCenter, ratio(1, 20))]
                    .map(|(purpose, fraction)| Share { purpose, fraction });
            let spent = split(&total, &claims);
            let sum = spent
                .iter()
                .fold(BigRational::zero(), |sum, part| sum + part.epsilon.as_rational());
            assert_eq!(&sum, total.as_rational());
            assert_eq!(spent.len(), 3);
        }
    }
}
