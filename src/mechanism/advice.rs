//! Which mechanism suits scores with sensitivities of their own: computed from the scores, so not
//! private.

use serde::Serialize;

use crate::mechanism::ranks::doubled_ranks;
use crate::privacy::{Epsilon, NotPrivate};
use crate::score::Scores;

/// Advice on mechanisms that use sensitivities of their own, read off the scores: not private.
///
/// Source: "Private Selection with Heterogeneous Sensitivities" (2025), sections V and VI, appendices I
/// and J.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Advice {
    /// Always false: it is computed from the scores.
    pub private: bool,
    /// Pearson's correlation of scores and sensitivities; 0 where one of them is constant.
    pub pearson: f64,
    /// Spearman's.
    pub spearman: f64,
    /// The weighted correlation of appendix I, (17): candidates weigh as much as their sensitivity is of
    /// the largest among those with similar scores.
    pub weighted: f64,
    /// Condition (18): GEM's utility bound is worse than report-noisy-max's, for the best candidate has
    /// more than half of the largest sensitivity.
    pub gem_bound_worse_than_noisy_max: bool,
    /// Condition (19), of which the formula is lost in the text at hand and is read as GEM's bound being
    /// vacuous: (4/eps) D_best ln(m/beta) exceeds the range of the scores.
    pub gem_bound_vacuous: bool,
    /// The mechanism they point to.
    pub mechanism: &'static str,
    /// Why.
    pub reason: &'static str,
}

/// Buckets of the range of scores, as in the paper.
const BUCKETS: usize = 10;

/// Beta in GEM's bound.
const BETA: f64 = 0.05;

/// A correlation nearer to 0 than this says nothing: a rule of thumb.
const WEAK: f64 = 0.1;

/// Looks at scores and sensitivities. Not private: for scores that are public, or for the eyes of those
/// who hold them; what is known of the domain is the private way to choose a mechanism.
pub fn advise(scores: &Scores, epsilon: &Epsilon) -> NotPrivate<Advice> {
    let q: Vec<f64> = scores.values().iter().map(|&value| value as f64).collect();
    let d: Vec<f64> = (0..q.len()).map(|i| scores.sensitivity_of(i) as f64).collect();
    let even = vec![1.0; q.len()];
    let ranks = |values: Vec<i64>| -> Vec<f64> {
        doubled_ranks(&values).into_iter().map(|rank| rank as f64).collect()
    };
    let d_units = (0..q.len()).map(|i| scores.sensitivity_of(i) as i64).collect();
    let pearson = correlation(&q, &d, &even);
    let spearman = correlation(&ranks(scores.values().to_vec()), &ranks(d_units), &even);
    let weighted = correlation(&q, &d, &bucket_weights(&q, &d));

    let best = (0..q.len()).fold(0, |best, i| if q[i] > q[best] { i } else { best });
    let least = q.iter().copied().fold(f64::INFINITY, f64::min);
    let largest = d.iter().copied().fold(0.0, f64::max);
    let charge = 4.0 / epsilon.to_f64() * d[best] * (q.len() as f64 / BETA).ln();
    let vacuous = charge > q[best] - least;
    let (mechanism, reason) = if scores.is_homogeneous() {
        ("pnf", "all sensitivities are equal")
    } else if spearman < -WEAK && !vacuous {
        ("gem", "good candidates are the less sensitive ones")
    } else if spearman > WEAK && weighted > 0.0 {
        ("mgem", "good candidates are the more sensitive ones")
    } else {
        ("pnf", "no clear relation: the largest sensitivity for all is the safe choice")
    };
    NotPrivate::new(Advice {
        private: false,
        pearson,
        spearman,
        weighted,
        gem_bound_worse_than_noisy_max: d[best] > largest / 2.0,
        gem_bound_vacuous: vacuous,
        mechanism,
        reason,
    })
}

/// w_a = D_a over the largest D in a's bucket of the range of scores.
fn bucket_weights(q: &[f64], d: &[f64]) -> Vec<f64> {
    let (low, high) =
        q.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(*v), h.max(*v)));
    let width = (high - low) / BUCKETS as f64;
    // The last bucket is closed.
    let bucket = |value: f64| (((value - low) / width) as usize).min(BUCKETS - 1);
    let mut largest = [0.0f64; BUCKETS];
    for (value, sensitivity) in q.iter().zip(d) {
        largest[bucket(*value)] = largest[bucket(*value)].max(*sensitivity);
    }
    q.iter().zip(d).map(|(value, sensitivity)| sensitivity / largest[bucket(*value)]).collect()
}

/// Pearson's correlation with weights, weighted means included; 0 where it is not defined.
fn correlation(a: &[f64], b: &[f64], weights: &[f64]) -> f64 {
    let total: f64 = weights.iter().sum();
    let mean = |v: &[f64]| v.iter().zip(weights).map(|(x, w)| x * w).sum::<f64>() / total;
    let (mean_a, mean_b) = (mean(a), mean(b));
    let product = |x: &[f64], mx: f64, y: &[f64], my: f64| {
        let pairs = x.iter().zip(y).zip(weights);
        pairs.map(|((x, y), w)| w * (x - mx) * (y - my)).sum::<f64>()
    };
    let variances = product(a, mean_a, a, mean_a) * product(b, mean_b, b, mean_b);
    let correlation = product(a, mean_a, b, mean_b) / variances.sqrt();
    if correlation.is_finite() { correlation.clamp(-1.0, 1.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::Neighbors;

    fn advice(q: &[i64], d: &[u64], epsilon: &str) -> Advice {
        let scores = Scores::with_sensitivities(q.into(), d.into(), Neighbors::AddRemove).unwrap();
        advise(&scores, &epsilon.parse().unwrap()).into_inner()
    }

    /// Against values computed by numpy and scipy (pearsonr, spearmanr; numpy.average with the weights of
    /// the ten buckets written out).
    #[test]
    fn correlations_are_those_of_other_programs() {
        let advice = advice(&[1, 5, 9, 20, 21, 30], &[2, 2, 5, 4, 9, 8], "1");
        assert!((advice.pearson - 0.826_527_578_5).abs() < 1e-9, "{}", advice.pearson);
        assert!((advice.spearman - 0.869_656_553_5).abs() < 1e-9, "{}", advice.spearman);
        assert!((advice.weighted - 0.867_543_330_9).abs() < 1e-9, "{}", advice.weighted);
    }

    #[test]
    fn the_mechanism_follows_the_correlation() {
        let q: Vec<i64> = (0..40).map(|i| 1000 * i).collect();
        let rising: Vec<u64> = (0..40).map(|i| 1 + i).collect();
        let falling: Vec<u64> = (0..40).map(|i| 41 - i).collect();
        assert_eq!(advice(&q, &rising, "1").mechanism, "mgem");
        assert_eq!(advice(&q, &falling, "1").mechanism, "gem");
        assert_eq!(advice(&q, &[3; 40], "1").mechanism, "pnf");
        assert!(advice(&q, &rising, "1").gem_bound_worse_than_noisy_max);
        assert!(!advice(&q, &falling, "1").gem_bound_worse_than_noisy_max);
        assert!(advice(&q, &falling, "0.0001").gem_bound_vacuous);
    }
}
