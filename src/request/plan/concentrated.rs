//! The plan of a selection without k that spends a delta: selection and effect sizes are one
//! release.
//!
//! # Definition
//!
//! The release has a part of epsilon, and runs in one of three ways:
//!
//! - *Pure*, if by the released counts the noise of a number of features, drawn with a small part
//!   of epsilon, is large compared with the largest score: sets of all sizes compete, as without a
//!   delta, and effect sizes have joint noise. Both have a part of epsilon.
//! - Otherwise the number K of features is drawn, with its own part of epsilon. *After a small K*
//!   the rest is spent as in the pure way.
//! - *After a large K* the rest is concentrated: rho is the largest for which rho-zCDP gives
//!   (epsilon, delta). Half of rho is for the selection: K rounds of the exponential mechanism at
//!   e, with K e^2/8 <= rho/2, since each round has the range e. The other half is for the effect
//!   sizes: independent Gaussian noise of variance K Delta^2/rho.
//!
//! # Guarantee
//!
//! Given the counts, the pure way is purely private with the whole part. In the other two K is
//! purely private with its part, and for every K the release after it is (epsilon,
//! delta)-differentially private with the rest: the pure one has delta 0, and the other is rho-zCDP
//! by composition. Later releases may depend on earlier ones, so each way is (epsilon,
//! delta)-differentially private with the whole part. Because the way depends on released results,
//! accountants may not assume more of it.
//!
//! # When a delta helps
//!
//! The noise of sets is in proportion to K/epsilon, and that of the rounds to 1/e, which is
//! sqrt(K/(4 rho)): from about six features on the latter is less. Where the number of features is
//! limited to fewer, the delta is not spent.

use num_bigint::BigInt;
use num_rational::BigRational;

use crate::account::Zcdp;
use crate::error::{Error, Result};
use crate::estimate::EffectNoise;
use crate::exact::{four_digits_down, near_f64, ratio};
use crate::privacy::{Delta, Epsilon};

/// The part of the number of features in the release.
const SHARE_OF_NUMBER: (i64, i64) = (1, 11);

/// The number of features is drawn alone if the largest score is at least this multiple of the
/// sensitivity divided by its epsilon. By simulation: below, tables with few findings lose more
/// than tables with many of them gain (`many` of the example `names`).
const LARGEST_SCORE: f64 = 80.0;

/// The selection and the effect sizes of a plan that may spend a delta.
#[derive(Debug, Clone)]
pub(crate) struct Concentrated {
    /// The part of the number of features.
    pub(crate) number: Epsilon,
    /// The parts of a purely private selection and of its effect sizes after the number.
    pub(crate) after_number: [Epsilon; 2],
    /// rho of the concentrated rest.
    rho: BigRational,
}

impl Concentrated {
    /// The release with the parts of a purely private selection and of its effect sizes.
    ///
    /// # Errors
    ///
    /// `Request` if the delta is too small for the epsilon.
    pub(crate) fn new(pure: [&Epsilon; 2], delta: &Delta) -> Result<Self> {
        let (numerator, denominator) = SHARE_OF_NUMBER;
        let share = ratio(numerator, denominator);
        let rest = |part: &Epsilon| part.as_rational() * (ratio(1, 1) - &share);
        let whole = pure[0].as_rational() + pure[1].as_rational();
        let after_number = pure.map(|part| Epsilon::part(rest(part)));
        let epsilon = Epsilon::part(rest(&Epsilon::part(whole.clone())));
        let rho = Zcdp::largest_rho(&epsilon, delta)?.rational();
        let rho = rho.ok_or_else(|| Error::request("the delta is too small for this epsilon"))?;
        Ok(Self { number: Epsilon::part(whole * share), after_number, rho })
    }

    /// Whether the number of features is drawn alone; `largest` is the largest score by the
    /// released counts, in units of the sensitivity.
    pub(crate) fn draws_number(&self, largest: f64) -> bool {
        largest * self.number.to_f64() >= LARGEST_SCORE
    }

    fn half(&self) -> BigRational {
        &self.rho / BigInt::from(2)
    }

    /// The epsilon of each of `k` rounds of the exponential mechanism, e: rounded down to four
    /// digits.
    pub(crate) fn round(&self, k: usize) -> Epsilon {
        let eighth = ratio(8, 1) * self.half() / BigInt::from(k.max(1));
        let mut root = near_f64(&eighth).sqrt();
        loop {
            let round = four_digits_down(root).rational().unwrap_or_default();
            if &round * &round <= eighth {
                return Epsilon::part(round);
            }
            root *= 0.9999;
        }
    }

    /// The epsilon of all `k` rounds of a peeling.
    pub(crate) fn rounds(&self, k: usize) -> Epsilon {
        Epsilon::part(self.round(k).as_rational() * BigInt::from(k))
    }

    /// The noise of the effect sizes of the concentrated way.
    pub(crate) fn estimates(&self) -> EffectNoise {
        EffectNoise::Concentrated { rho: self.half() }
    }

    /// Whether the concentrated way selects this number of features with less noise.
    pub(crate) fn is_better(&self, k: usize) -> bool {
        k as f64 / self.after_number[0].to_f64() > 1.0 / self.round(k).to_f64()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::parse_rational;

    /// A release whose number has a tenth of the epsilon of the rest.
    fn concentrated(rest: &str, delta: &str) -> Concentrated {
        let rest = parse_rational(rest).unwrap();
        let pure = [52, 36].map(|part| Epsilon::part(&rest * ratio(part * 11, 880)));
        Concentrated::new(pure.each_ref(), &delta.parse().unwrap()).unwrap()
    }

    /// Both halves are within rho, exactly, and waste less than a thousandth of it.
    #[test]
    fn rounds_and_noise_are_within_rho() {
        for (epsilon, delta) in [("0.8", "1e-6"), ("0.05", "1e-9"), ("4", "1e-5")] {
            let all = concentrated(epsilon, delta);
            for k in [1, 2, 7, 100, 2000] {
                let round = all.round(k);
                let spent =
                    round.as_rational() * round.as_rational() * BigInt::from(k) / BigInt::from(8);
                assert!(spent <= all.half(), "{epsilon} {k}");
                assert!(near_f64(&(spent / all.half())) > 0.998, "{epsilon} {k}");
                // K sensitivity^2/(2 variance)
                let spent = k as f64 * all.estimates().rate(k).powi(2) / 2.0;
                assert!((spent / near_f64(&all.half()) - 1.0).abs() < 1e-9, "{epsilon} {k}");
            }
        }
    }

    #[test]
    fn few_features_are_better_off_without_a_delta() {
        let all = concentrated("0.8", "1e-6");
        let parts = all.after_number.each_ref().map(Epsilon::to_f64);
        assert!((parts[0] + parts[1] - 0.8).abs() < 1e-12, "{parts:?}");
        assert!((parts[0] / parts[1] - 52.0 / 36.0).abs() < 1e-9, "{parts:?}");
        assert_eq!(all.number.to_string(), "0.08");
        assert!(all.draws_number(1_000.0) && !all.draws_number(999.0));
        let from = (1..100).find(|k| all.is_better(*k)).unwrap();
        assert!((4..=8).contains(&from), "{from}");
        assert!((from..200).all(|k| all.is_better(k)));
    }
}
