//! The law by its definition, over all sets of at most `most` candidates, and its broken variants.

use crate::mechanism::threshold_set::FalseNames;
use crate::support::oracle::subsets_up_to;

/// The parameters of a law besides the scores.
#[derive(Debug, Clone, Copy)]
pub(super) struct Terms {
    pub(super) level: f64,
    pub(super) alpha: f64,
    pub(super) bounded: FalseNames,
    /// The largest size of a set.
    pub(super) most: usize,
    /// c, for scores in the same unit: eps/2 where that is the sensitivity.
    pub(super) rate: f64,
}

impl Terms {
    /// The prior probability of one set of r candidates out of d.
    pub(super) fn prior(&self, r: usize, d: usize) -> f64 {
        match self.bounded {
            FalseNames::Any => {
                let lambda = self.alpha / d as f64;
                (-(-lambda).exp_m1()).powi(r as i32) * (-lambda * (d - r) as f64).exp()
            }
            // E[q^r (1 - q)^(d - r)] for q from Beta(1, b)
            FalseNames::Share => {
                let b = (d as f64 / self.alpha - 1e-9).ceil();
                let up: f64 = (1..=r).map(|i| i as f64).product();
                let down: f64 = (0..=r).map(|i| b + (d - r + i) as f64).product();
                b * up / down
            }
        }
    }
}

/// The largest distance to the level of a candidate on the wrong side; 0 if there is none.
pub(super) fn loss(x: &[f64], level: f64, set: &[usize]) -> f64 {
    let wrong = |(i, x): (usize, &f64)| match set.contains(&i) {
        true => level - x,
        false => x - level,
    };
    x.iter().enumerate().map(wrong).fold(0.0, f64::max)
}

/// The probability of each set, in the order of `subsets_up_to`.
pub(super) fn law(x: &[f64], terms: Terms) -> Vec<f64> {
    by(x, terms, |set, loss| terms.prior(set.len(), x.len()) * (-terms.rate * loss).exp())
}

/// The law of sets by a weight, which is given the loss.
pub(super) fn by(x: &[f64], terms: Terms, weight: impl Fn(&[usize], f64) -> f64) -> Vec<f64> {
    let sets = subsets_up_to(x.len(), terms.most);
    let weights = sets.iter().map(|set| weight(set, loss(x, terms.level, set)));
    let weights: Vec<f64> = weights.collect();
    let total: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / total).collect()
}

/// The probability of a name at or below the level, and the expected share of such names.
pub(super) fn false_names(x: &[f64], terms: Terms, law: &[f64]) -> (f64, f64) {
    let sets = subsets_up_to(x.len(), terms.most);
    let wrong = |set: &[usize]| set.iter().filter(|i| x[**i] <= terms.level).count();
    let any = sets.iter().zip(law).filter(|(set, _)| wrong(set) > 0).map(|(_, p)| p).sum();
    let share = |(set, p): (&Vec<usize>, &f64)| wrong(set) as f64 / set.len().max(1) as f64 * p;
    (any, sets.iter().zip(law).map(share).sum())
}
