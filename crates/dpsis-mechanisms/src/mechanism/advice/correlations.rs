//! Correlations of scores and sensitivities, and the conditions of the utility bound of GEM:
//! computed from the scores, so not private.

use serde::Serialize;

use super::Relation;
use crate::mechanism::ranks::doubled_ranks;
use crate::privacy::{Epsilon, NotPrivate};
use crate::scores::Scores;

/// Correlations of scores and sensitivities; 0 where scores or sensitivities are constant.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Correlations {
    /// Pearson's.
    pub pearson: f64,
    /// Spearman's.
    pub spearman: f64,
    /// The weighted correlation of appendix I, (17): candidates weigh as much as their sensitivity
    /// is of the largest among those with similar scores.
    pub weighted: f64,
}

/// The conditions of the utility bound of GEM.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct GemBound {
    /// Condition (18): the bound is worse than that of report-noisy-max, for the best candidate has
    /// more than half of the largest sensitivity.
    pub worse_than_noisy_max: bool,
    /// Condition (19). Its formula is lost in the available text; here it is read as the bound
    /// being vacuous: (4/eps) D_best ln(m/beta) exceeds the range of the scores. In our
    /// measurements GEM was never worse than a uniform choice where the condition does not hold.
    pub vacuous: bool,
}

/// Buckets of the range of scores, as in the paper.
const BUCKETS: usize = 10;

/// Beta in GEM's bound.
const BETA: f64 = 0.05;

/// A correlation nearer to 0 than this counts as no relation: a rule of thumb.
const MIN_CORRELATION: f64 = 0.1;

impl Correlations {
    /// The relation that these correlations show: the sign of Spearman's correlation if it is at
    /// least 0.1 in size and the weighted one has the same sign.
    pub fn relation(&self) -> Relation {
        match (self.spearman, self.weighted) {
            (spearman, weighted) if spearman > MIN_CORRELATION && weighted > 0.0 => {
                Relation::Positive
            }
            (spearman, weighted) if spearman < -MIN_CORRELATION && weighted < 0.0 => {
                Relation::Negative
            }
            _ => Relation::None,
        }
    }
}

/// The scores and sensitivities as numbers.
fn numbers(scores: &Scores) -> (Vec<f64>, Vec<f64>) {
    let q: Vec<f64> = scores.values().iter().map(|&value| value as f64).collect();
    let d = (0..q.len()).map(|i| scores.sensitivity_of(i) as f64).collect();
    (q, d)
}

/// Correlates scores with sensitivities: not private.
///
/// Source: "Private Selection with Heterogeneous Sensitivities" (2025), sections V and VI, appendix
/// I.
pub fn correlations(scores: &Scores) -> NotPrivate<Correlations> {
    let (q, d) = numbers(scores);
    let even = vec![1.0; q.len()];
    let ranks = |values: Vec<i64>| -> Vec<f64> {
        doubled_ranks(&values).into_iter().map(|rank| rank as f64).collect()
    };
    let d_units = (0..q.len()).map(|i| scores.sensitivity_of(i) as i64).collect();
    NotPrivate::new(Correlations {
        pearson: correlation(&q, &d, &even),
        spearman: correlation(&ranks(scores.values().to_vec()), &ranks(d_units), &even),
        weighted: correlation(&q, &d, &bucket_weights(&q, &d)),
    })
}

/// Checks the conditions on the utility bound of GEM: not private.
///
/// Source: "Private Selection with Heterogeneous Sensitivities" (2025), appendix J.
pub fn gem_bound(scores: &Scores, epsilon: &Epsilon) -> NotPrivate<GemBound> {
    let (q, d) = numbers(scores);
    let best = (0..q.len()).fold(0, |best, i| if q[i] > q[best] { i } else { best });
    let least = q.iter().copied().fold(f64::INFINITY, f64::min);
    let largest = d.iter().copied().fold(0.0, f64::max);
    let charge = 4.0 / epsilon.to_f64() * d[best] * (q.len() as f64 / BETA).ln();
    NotPrivate::new(GemBound {
        worse_than_noisy_max: d[best] > largest / 2.0,
        vacuous: charge > q[best] - least,
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

    fn scores(q: &[i64], d: &[u64]) -> Scores {
        Scores::with_sensitivities(q.into(), d.into(), Neighbors::AddRemove).unwrap()
    }

    /// Against values computed by numpy and scipy (pearsonr, spearmanr; numpy.average with the
    /// weights of the ten buckets written out).
    #[test]
    fn correlations_are_those_of_other_programs() {
        let found = correlations(&scores(&[1, 5, 9, 20, 21, 30], &[2, 2, 5, 4, 9, 8]));
        assert!((found.pearson - 0.826_527_578_5).abs() < 1e-9, "{}", found.pearson);
        assert!((found.spearman - 0.869_656_553_5).abs() < 1e-9, "{}", found.spearman);
        assert!((found.weighted - 0.867_543_330_9).abs() < 1e-9, "{}", found.weighted);
    }

    #[test]
    fn the_relation_follows_the_correlation() {
        let q: Vec<i64> = (0..40).map(|i| 1000 * i).collect();
        let rising: Vec<u64> = (0..40).map(|i| 1 + i).collect();
        let falling: Vec<u64> = (0..40).map(|i| 41 - i).collect();
        let relation = |d: &[u64]| correlations(&scores(&q, d)).relation();
        assert_eq!(relation(&rising), Relation::Positive);
        assert_eq!(relation(&falling), Relation::Negative);
        assert_eq!(relation(&[3; 40]), Relation::None);
    }

    /// (18): 40 > 41/2 and 1 <= 41/2. (19) for falling sensitivities: 4/eps * 2 * ln(800) =
    /// 53.5/eps against the range of 39,000.
    #[test]
    fn conditions_by_hand() {
        let q: Vec<i64> = (0..40).map(|i| 1000 * i).collect();
        let rising: Vec<u64> = (0..40).map(|i| 1 + i).collect();
        let falling: Vec<u64> = (0..40).map(|i| 41 - i).collect();
        let bound = |d: &[u64], epsilon: &str| {
            gem_bound(&scores(&q, d), &epsilon.parse().unwrap()).into_inner()
        };
        assert!(bound(&rising, "1").worse_than_noisy_max);
        assert!(!bound(&falling, "1").worse_than_noisy_max);
        assert!(!bound(&falling, "0.0014").vacuous && bound(&falling, "0.0013").vacuous);
    }
}
