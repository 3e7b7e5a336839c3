//! The law by its definition, over all sets of at most `most` candidates, and its broken variants.

use crate::mechanism::Parameters;
use crate::mechanism::contract::{Contract, Law, Mutant, Setting, number};
use crate::mechanism::threshold_set::Fwer;
use crate::support::oracle::subsets_up_to;

/// The parameters of a law besides the scores.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terms {
    pub(crate) level: f64,
    pub(crate) alpha: f64,
    pub(crate) bounded: Fwer,
    /// The largest size of a set.
    pub(crate) most: usize,
    /// c, for scores in the same unit: eps/2 where that is the sensitivity.
    pub(crate) rate: f64,
}

impl Terms {
    /// The terms by these parameters, for scores in units of the sensitivity.
    pub(crate) fn of(given: &Parameters, most: usize, eps: f64) -> Self {
        let bounded = given.rate.as_deref().and_then(|rate| rate.parse().ok());
        Self {
            level: number(&given.level, 0.0),
            alpha: number(&given.alpha, 0.05),
            bounded: bounded.unwrap_or_default(),
            most,
            rate: eps / 2.0,
        }
    }

    /// The prior probability of one set of r candidates out of d.
    pub(crate) fn prior(&self, r: usize, d: usize) -> f64 {
        match self.bounded {
            Fwer::Any => {
                let lambda = self.alpha / d as f64;
                (-(-lambda).exp_m1()).powi(r as i32) * (-lambda * (d - r) as f64).exp()
            }
            // E[q^r (1 - q)^(d - r)] for q from Beta(1, b)
            Fwer::Share => {
                let b = (d as f64 / self.alpha - 1e-9).ceil();
                let up: f64 = (1..=r).map(|i| i as f64).product();
                let down: f64 = (0..=r).map(|i| b + (d - r + i) as f64).product();
                b * up / down
            }
        }
    }
}

/// The largest distance to the level of a candidate on the wrong side; 0 if all are on the right
/// side.
pub(crate) fn loss(x: &[f64], level: f64, set: &[usize]) -> f64 {
    let wrong = |(i, x): (usize, &f64)| match set.contains(&i) {
        true => level - x,
        false => x - level,
    };
    x.iter().enumerate().map(wrong).fold(0.0, f64::max)
}

/// The probability of each set, in the order of `subsets_up_to`.
pub(crate) fn law(x: &[f64], terms: Terms) -> Vec<f64> {
    by(x, terms, |set, loss| terms.prior(set.len(), x.len()) * (-terms.rate * loss).exp())
}

/// The law of sets by a weight, which is given the loss.
pub(crate) fn by(x: &[f64], terms: Terms, weight: impl Fn(&[usize], f64) -> f64) -> Vec<f64> {
    let sets = subsets_up_to(x.len(), terms.most);
    let weights = sets.iter().map(|set| weight(set, loss(x, terms.level, set)));
    let weights: Vec<f64> = weights.collect();
    let total: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / total).collect()
}

/// The probability of a name at or below the level, and the expected share of such names.
pub(crate) fn false_discoveries(x: &[f64], terms: Terms, law: &[f64]) -> (f64, f64) {
    let sets = subsets_up_to(x.len(), terms.most);
    let wrong = |set: &[usize]| set.iter().filter(|i| x[**i] <= terms.level).count();
    let any = sets.iter().zip(law).filter(|(set, _)| wrong(set) > 0).map(|(_, p)| p).sum();
    let share = |(set, p): (&Vec<usize>, &f64)| wrong(set) as f64 / set.len().max(1) as f64 * p;
    (any, sets.iter().zip(law).map(share).sum())
}

pub(in crate::mechanism) fn contract() -> Contract {
    /// The terms of broken variants.
    fn broken(most: usize, eps: f64) -> Terms {
        Terms { level: 1.0, alpha: 0.3, bounded: Fwer::Any, most, rate: eps / 2.0 }
    }
    Contract {
        law: |given| {
            let (of_law, of_bound) = (given.clone(), given.clone());
            let law = Law::common(move |x, k, eps| law(x, Terms::of(&of_law, k.min(x.len()), eps)));
            law.bounding(move |x, law, k| {
                let terms = Terms::of(&of_bound, k.min(x.len()), 1.0);
                let (any, share) = false_discoveries(x, terms, law);
                let rate = if terms.bounded == Fwer::Any { any } else { share };
                rate / terms.alpha
            })
        },
        settings: vec![
            Setting::new(&[1, 2, 4]).given("level", "1"),
            Setting::new(&[1, 2, 4]).given("level", "1.5").given("rate", "fwer"),
            Setting::new(&[2]).given("level", "2").given("alpha", "0.4"),
            Setting::new(&[4]).given("level", "-1").given("alpha", "0.5").given("rate", "fwer"),
        ],
        symmetric: false,
        max_ratio: 0.999999,
        slack: None,
        mutants: vec![
            Mutant::new("the monotonic constant", 2, |x, k, eps| law(x, broken(k, 2.0 * eps))),
            Mutant::new("a level from the scores", 2, |x, k, eps| {
                let mut sorted = x.to_vec();
                sorted.sort_unstable_by(f64::total_cmp);
                law(x, Terms { level: sorted[x.len() / 2], ..broken(k, eps) })
            }),
            Mutant::new("a prior that depends on scores", 2, |x, k, eps| {
                let terms = broken(k, eps);
                by(x, terms, |set, loss| {
                    let odds: f64 = set.iter().map(|i| x[*i].exp()).product();
                    terms.prior(set.len(), x.len()) * odds * (-terms.rate * loss).exp()
                })
            }),
        ],
    }
}
