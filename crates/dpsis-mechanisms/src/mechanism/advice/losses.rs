//! The losses of mechanisms on given scores, by draws of the mechanisms themselves.

use serde::Serialize;

use super::Recommendation;
use crate::error::Result;
use crate::mechanism::draw::{check_size, choose};
use crate::mechanism::{
    CanonicalLipschitz, CombinedGem, Gem, KaryRandomizedResponse, Mechanism, ModifiedGem,
    PeelPermuteAndFlip, PermuteAndFlip, RandomStopping,
};
use crate::privacy::{Epsilon, NotPrivate, Purpose};
use crate::random::Entropy;
use crate::scores::Scores;

/// The mean loss of a mechanism on given scores.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Loss {
    /// The name of the mechanism.
    pub mechanism: &'static str,
    /// Whether it was run with the largest sensitivity for all candidates.
    pub largest_sensitivity_for_all: bool,
    /// The mean over draws of the difference between the k best scores and the picked scores, per
    /// pick, in units of the scores.
    pub mean: f64,
    /// The standard error of the mean.
    pub standard_error: f64,
    /// The number of draws.
    pub draws: u64,
}

impl Loss {
    /// Whether it is the loss of the recommended mechanism.
    pub(super) fn is_of(&self, recommended: &Recommendation) -> bool {
        (self.mechanism, self.largest_sensitivity_for_all)
            == (recommended.mechanism, recommended.largest_sensitivity_for_all)
    }
}

/// The maximum number of draws of a mechanism, and of candidates in all of its draws together,
/// which bounds the time.
const MAX_DRAWS: u64 = 1000;
const MAX_DRAWN_CANDIDATES: u64 = 400_000;
const MIN_DRAWS: u64 = 20;

/// Draws from mechanisms on given scores and returns their mean losses, the smallest first. Not
/// private, and reproducible: all draws come from one fixed seed.
///
/// # Errors
///
/// `Request` if k is 0 or exceeds the number of candidates, or there are 2^31 or more.
pub fn losses(scores: &Scores, k: usize, epsilon: &Epsilon) -> Result<NotPrivate<Vec<Loss>>> {
    check_size(scores.values().len(), k)?;
    let largest = scores.with_the_largest_sensitivity();
    let own = !scores.is_homogeneous();
    let mut found = Vec::new();
    let mut add = |mechanism: &dyn Mechanism, scores: &Scores, largest: bool| -> Result<()> {
        found.push(loss(mechanism, scores, k, epsilon, largest)?);
        Ok(())
    };
    if k == 1 {
        add(&PermuteAndFlip, &largest, own)?;
        add(&KaryRandomizedResponse, scores, false)?;
    } else {
        add(&CanonicalLipschitz::default(), &largest, own)?;
        add(&PeelPermuteAndFlip, &largest, own)?;
    }
    if own {
        add(&Gem::default(), scores, false)?;
        add(&ModifiedGem::default(), scores, false)?;
        add(&CombinedGem::default(), scores, false)?;
        add(&RandomStopping::default(), scores, false)?;
    }
    found.sort_by(|a, b| a.mean.total_cmp(&b.mean));
    Ok(NotPrivate::new(found))
}

fn loss(
    mechanism: &dyn Mechanism,
    scores: &Scores,
    k: usize,
    epsilon: &Epsilon,
    largest: bool,
) -> Result<Loss> {
    let (values, best) = (scores.values(), sum_of_best(scores, k));
    let draws = (MAX_DRAWN_CANDIDATES / (values.len() * k) as u64).clamp(MIN_DRAWS, MAX_DRAWS);
    let source = Entropy::Seeded(0).source()?;
    let mut all = Vec::with_capacity(draws as usize);
    for draw in 0..draws {
        let bits = source.bits(Purpose::Selection.draw() + 16 * draw);
        let picks = choose(mechanism, scores, k, epsilon, &bits)?;
        let picked: i128 = picks.iter().map(|pick| i128::from(values[*pick])).sum();
        all.push((best - picked) as f64 / k as f64);
    }
    let n = draws as f64;
    let mean = all.iter().sum::<f64>() / n;
    let squares: f64 = all.iter().map(|loss| (loss - mean).powi(2)).sum();
    Ok(Loss {
        mechanism: mechanism.card().id,
        largest_sensitivity_for_all: largest,
        mean,
        standard_error: (squares / (n - 1.0) / n).sqrt(),
        draws,
    })
}

/// The sum of the k best scores.
fn sum_of_best(scores: &Scores, k: usize) -> i128 {
    let mut sorted = scores.values().to_vec();
    sorted.sort_unstable_by(|a, b| b.cmp(a));
    sorted[..k].iter().map(|score| i128::from(*score)).sum()
}

/// The mean loss of a uniform choice: that of the k best scores on average less the mean of all.
pub(super) fn uniform_loss(scores: &Scores, k: usize) -> f64 {
    let all: i128 = scores.values().iter().map(|score| i128::from(*score)).sum();
    sum_of_best(scores, k) as f64 / k as f64 - all as f64 / scores.values().len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::Neighbors;

    /// Two candidates at distance 2 with the sensitivity 1: permute-and-flip takes the worse one
    /// with probability e^(-eps)/2 (it is first in half of the orders and then accepted with
    /// e^(-eps 2/2)).
    #[test]
    fn losses_are_those_of_the_law() {
        let scores = Scores::new(vec![0, 2], 1, Neighbors::AddRemove).unwrap();
        let losses = losses(&scores, 1, &"1".parse().unwrap()).unwrap();
        let loss = losses.iter().find(|loss| loss.mechanism == "pnf").unwrap();
        let expected = 2.0 * 0.5 * f64::exp(-1.0);
        assert!((loss.mean - expected).abs() < 5.0 * loss.standard_error, "{loss:?}");
        // Randomized response: wrong with probability 1/(1 + e).
        let loss = losses.iter().find(|loss| loss.mechanism == "krr").unwrap();
        let expected = 2.0 / (1.0 + f64::exp(1.0));
        assert!((loss.mean - expected).abs() < 5.0 * loss.standard_error, "{loss:?}");
        assert_eq!(losses.len(), 2);
        assert!(losses.iter().all(|loss| loss.draws == 1000));
        // The best two of 1, 5, 9 and 3 are 7 on average, all of them 4.5.
        let scores = Scores::new(vec![1, 5, 9, 3], 1, Neighbors::AddRemove).unwrap();
        assert_eq!(uniform_loss(&scores, 2), 2.5);
    }

    /// The draws of a mechanism look at 400,000 candidates together, but number at least 20 and at
    /// most 1000.
    #[test]
    fn draws_get_fewer_with_more_candidates() {
        for (d, k, draws) in [(100, 8, 500), (400, 1, 1000), (401, 1, 997), (300, 100, 20)] {
            let scores = Scores::new(vec![0; d], 1, Neighbors::AddRemove).unwrap();
            let losses = losses(&scores, k, &"1".parse().unwrap()).unwrap();
            assert!(losses.iter().all(|loss| loss.draws == draws), "{d} {k}");
        }
    }
}
