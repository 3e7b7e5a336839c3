//! Advice on the mechanism for candidates with sensitivities of their own.
//!
//! [`recommend`] needs public facts only: the sensitivities, k, epsilon, and public knowledge of
//! the domain. Its advice may be used for a release. [`advise`] reads scores and is not private: it
//! is for public scores, such as the scores of an earlier year.
//!
//! Source: "Private Selection with Heterogeneous Sensitivities" (2025); the thresholds are measured
//! (`dpsis reproduce conditions`).

mod correlations;
mod losses;
mod recommendation;

use serde::Serialize;

use crate::error::Result;
use crate::privacy::{Epsilon, NotPrivate};
use crate::scores::Scores;

pub use correlations::{Correlations, GemBound, correlations, gem_bound};
use losses::uniform_loss;
pub use losses::{Loss, losses};
pub use recommendation::{Recommendation, Relation, recommend};

/// Advice on the mechanism for given scores: not private.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Advice {
    /// Always false: it is computed from the scores.
    pub private: bool,
    /// The mechanism of the rule, or one that clearly lost less than it on these scores.
    pub mechanism: &'static str,
    /// Whether to run it with the largest sensitivity for all candidates.
    pub largest_sensitivity_for_all: bool,
    /// The recommendation of the rule, which uses the correlation alone.
    pub rule: Recommendation,
    /// The correlations of scores and sensitivities.
    pub correlations: Correlations,
    /// The conditions of the utility bound of GEM.
    pub gem_bound: GemBound,
    /// The losses of mechanisms in draws on these scores, the smallest first.
    pub losses: Vec<Loss>,
    /// The mean loss of a uniform choice, in units of the scores.
    pub uniform_loss: f64,
}

/// Tries the mechanisms on the scores. Not private.
///
/// # Errors
///
/// `Request` if k is 0 or exceeds the number of candidates, or there are 2^31 or more.
///
/// ```
/// use dpsis_mechanisms::mechanism::advise;
/// use dpsis_mechanisms::{Neighbors, Scores};
///
/// let (scores, own) = ((0..50).map(|i| 3 * i).collect(), (0..50).map(|i| 1 + i).collect());
/// let scores = Scores::with_sensitivities(scores, own, Neighbors::AddRemove)?;
/// assert_eq!(advise(&scores, 1, &"1".parse()?)?.mechanism, "rs");
/// # Ok::<(), dpsis_mechanisms::Error>(())
/// ```
pub fn advise(scores: &Scores, k: usize, epsilon: &Epsilon) -> Result<NotPrivate<Advice>> {
    let correlations = correlations(scores).into_inner();
    let sensitivities: Vec<u64> =
        (0..scores.values().len()).map(|i| scores.sensitivity_of(i)).collect();
    let rule = recommend(&sensitivities, k, epsilon, correlations.relation())?;
    let losses = losses(scores, k, epsilon)?.into_inner();
    // Losses differ if they are more than twice their standard errors apart.
    let of_rule = losses.iter().find(|loss| loss.is_of(&rule));
    let least = losses.iter().find(|least| {
        of_rule.is_none_or(|rule| {
            least.mean + 2.0 * least.standard_error.hypot(rule.standard_error) < rule.mean
        })
    });
    let chosen = least.map_or((rule.mechanism, rule.largest_sensitivity_for_all), |least| {
        (least.mechanism, least.largest_sensitivity_for_all)
    });
    Ok(NotPrivate::new(Advice {
        private: false,
        mechanism: chosen.0,
        largest_sensitivity_for_all: chosen.1,
        rule,
        correlations,
        gem_bound: gem_bound(scores, epsilon).into_inner(),
        losses,
        uniform_loss: uniform_loss(scores, k),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::Neighbors;

    /// The sensitivities rise with the scores, except for the three best candidates. Spearman's
    /// correlation is 0.594 and the weighted one 0.991 (numpy), which suggests rs; rs favors the
    /// candidates next to the three best ones, whereas gem chooses one of the three.
    #[test]
    fn smaller_simulated_loss_overrides_the_rule() {
        let own: Vec<u64> = (0..40).map(|i| if i >= 37 { 1 } else { 1 + 2 * i }).collect();
        let scores = Scores::with_sensitivities((0..40).collect(), own, Neighbors::AddRemove);
        let scores = scores.unwrap();
        let advice = advise(&scores, 1, &"1".parse().unwrap()).unwrap();
        assert_eq!((advice.rule.mechanism, advice.mechanism), ("rs", "gem"));
        assert!(advice.losses.windows(2).all(|pair| pair[0].mean <= pair[1].mean));
        assert!((advice.correlations.spearman - 0.594_087_348_4).abs() < 1e-9);
        assert!((advice.correlations.weighted - 0.991_265_941_9).abs() < 1e-9);
        assert!(advise(&scores, 41, &"1".parse().unwrap()).is_err());
    }
}
