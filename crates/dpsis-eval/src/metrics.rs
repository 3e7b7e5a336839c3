//! Measures of a selection.

use serde::Serialize;

/// The number of picks among the true features, of which there may be fewer than k, divided by k.
pub(crate) fn agreement(picks: &[usize], truth: &[usize], k: usize) -> f64 {
    let common = picks.iter().filter(|pick| truth.contains(pick)).count();
    common as f64 / k as f64
}

/// A comparison of the picks with the k best scores. Only the values of the scores count: features
/// with equal scores are interchangeable.
///
/// TOP, GREAT and GOOD follow Shekelyan and Loukides (2022). TOP: the picks are the k best. GREAT:
/// the k/10 best are picked, and all picks are among the 11k/10 best. GOOD: the same with k/100 and
/// 3k/2. All numbers are rounded down.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct AgainstScores {
    /// The share of the picks whose score is among the k best.
    pub overlap: f64,
    pub top: bool,
    pub great: bool,
    pub good: bool,
}

/// The scores in descending order.
pub(crate) struct Ranking(Vec<i64>);

impl Ranking {
    pub(crate) fn of(scores: &[i64]) -> Self {
        let mut sorted = scores.to_vec();
        sorted.sort_unstable_by(|a, b| b.cmp(a));
        Self(sorted)
    }

    /// Compares the scores of the picks, in any order, with the best scores. There must be at least
    /// one pick and no more picks than scores.
    pub(crate) fn against(&self, picked: &[i64]) -> AgainstScores {
        let picked = Self::of(picked).0;
        let k = picked.len();
        let has_best = |count: usize| picked[..count] == self.0[..count];
        let within = |count: usize| picked[k - 1] >= self.0[count.clamp(k, self.0.len()) - 1];
        let least = self.0[k - 1];
        AgainstScores {
            overlap: picked.iter().filter(|score| **score >= least).count() as f64 / k as f64,
            top: has_best(k),
            great: has_best(k / 10) && within(11 * k / 10),
            good: has_best(k / 100) && within(3 * k / 2),
        }
    }
}

/// The F1 score: the harmonic mean of precision and recall of the picks.
pub fn f1(picks: &[usize], truth: &[usize]) -> f64 {
    let common = picks.iter().filter(|pick| truth.contains(pick)).count();
    2.0 * common as f64 / (picks.len() + truth.len()).max(1) as f64
}

/// A mean with its standard error; the 95% band is the mean plus or minus 1.96 standard errors.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// The standard error of the mean.
    pub error: f64,
}

impl Estimate {
    /// Computes the mean and its standard error, which is NaN for fewer than two values.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let values: Vec<f64> = values.into_iter().collect();
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let error = if n > 1.0 { (squares / (n - 1.0) / n).sqrt() } else { f64::NAN };
        // Digits beyond the ninth decimal are rounding errors of the sums.
        let rounded = |value: f64| (value * 1e9).round() / 1e9;
        Self { mean: rounded(mean), error: rounded(error) }
    }

    /// Returns the lower and the upper end of the 95% band.
    pub fn band(&self) -> (f64, f64) {
        (self.mean - 1.96 * self.error, self.mean + 1.96 * self.error)
    }

    /// The difference of two independent means in standard errors; 0 where both means are equal.
    pub fn z(&self, other: &Self) -> f64 {
        let difference = self.mean - other.mean;
        if difference == 0.0 { 0.0 } else { difference / self.error.hypot(other.error) }
    }
}

/// The quantiles that scores are clipped to.
const QUANTILES: [f64; 2] = [0.05, 0.95];

/// The 5% and 95% quantiles, by linear interpolation as numpy's; 0 without values. Their difference
/// is the sensitivity of a candidate whose scores these are, as in "Private Selection with
/// Heterogeneous Sensitivities" (2025).
pub fn typical_range(mut values: Vec<f64>) -> [f64; 2] {
    let Some(last) = values.len().checked_sub(1) else { return [0.0; 2] };
    QUANTILES.map(|share| {
        let place = share * last as f64;
        let (_, low, above) = values.select_nth_unstable_by(place as usize, f64::total_cmp);
        let high = above.iter().copied().min_by(f64::total_cmp).unwrap_or(*low);
        // Rounding must not carry it beyond the next value: the quantiles keep their order.
        (*low + (high - *low) * place.fract()).min(high)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agreement_counts_picks_among_the_true_features() {
        assert_eq!(agreement(&[4, 1, 7, 2, 0], &[7], 5), 0.2);
        assert_eq!(agreement(&[4, 1], &[1, 4], 2), 1.0);
        assert_eq!(agreement(&[4, 1], &[], 2), 0.0);
        assert_eq!(f1(&[1, 2, 3], &[2, 3, 4, 5, 6]), 0.5);
    }

    #[test]
    fn picks_are_judged_by_their_scores() {
        // 40 distinct scores and k = 20: GREAT needs the 2 best and picks among the best 22, GOOD
        // picks among the best 30.
        let scores: Vec<i64> = (0..40).map(|i| 100 - i).collect();
        let ranking = Ranking::of(&scores);
        let judge = |change: &[(usize, usize)]| {
            let mut picked: Vec<i64> = scores[..20].to_vec();
            change.iter().for_each(|&(from, to)| picked[from] = scores[to]);
            let AgainstScores { overlap, top, great, good } = ranking.against(&picked);
            (overlap, top, great, good)
        };
        assert_eq!(judge(&[]), (1.0, true, true, true));
        assert_eq!(judge(&[(5, 21)]), (0.95, false, true, true));
        assert_eq!(judge(&[(5, 22)]), (0.95, false, false, true));
        assert_eq!(judge(&[(1, 21)]), (0.95, false, false, true));
        assert_eq!(judge(&[(5, 29), (0, 28)]), (0.9, false, false, true));
        assert_eq!(judge(&[(5, 30)]), (0.95, false, false, false));
    }

    #[test]
    fn equal_scores_are_equally_good() {
        let ranking = Ranking::of(&[9, 7, 7, 7, 1]);
        assert!(ranking.against(&[7, 9]).top);
        assert!(ranking.against(&[7, 7]).overlap == 1.0 && !ranking.against(&[7, 7]).top);
        // For k = 5 the best 5/10 = 0 are required, and 11 * 5/10 = 5 allowed: GREAT is TOP.
        let ranking = Ranking::of(&[9, 8, 7, 6, 5, 4, 3, 2]);
        let good = ranking.against(&[8, 7, 6, 5, 3]);
        assert!(good.good && !good.great && good.overlap == 0.8);
        assert!(!ranking.against(&[8, 7, 6, 5, 2]).good);
    }

    #[test]
    fn estimates_have_standard_errors() {
        let estimate = Estimate::of([0.0, 1.0, 0.0, 1.0]);
        assert_eq!(estimate.mean, 0.5);
        assert!((estimate.error - (1.0f64 / 12.0).sqrt()).abs() < 1e-9);
        let constant = Estimate::of([1.0, 1.0]);
        assert_eq!(constant.z(&constant), 0.0);
        assert!((constant.z(&estimate) - 3f64.sqrt()).abs() < 1e-8);
        assert!(constant.z(&Estimate::of([0.0, 0.0])).is_infinite());
    }

    #[test]
    fn quantiles_match_numpy() {
        let values = [3.5, -1.25, 7.0, 0.1, 0.1, 2.0, 11.0, -4.0, 5.5, 6.25, 1.0];
        // numpy 2.4.6: np.quantile(values, [0.05, 0.95]), and of the first two.
        let close = |found: [f64; 2], numpy: [f64; 2]| {
            assert!(found.iter().zip(numpy).all(|(a, b)| (a - b).abs() < 1e-14), "{found:?}");
        };
        close(typical_range(values.to_vec()), [-2.625, 9.0]);
        close(typical_range(values[..2].to_vec()), [-1.0125, 3.2625]);
        assert_eq!(typical_range(vec![2.5]), [2.5; 2]);
        assert_eq!(typical_range(Vec::new()), [0.0; 2]);
    }
}
