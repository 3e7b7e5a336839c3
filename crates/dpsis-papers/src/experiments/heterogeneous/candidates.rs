//! The candidates of a scenario: scores in each trial, and a sensitivity each.

use dpsis::Result;
use dpsis_eval::internals::{seed_of, typical_range};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;

use crate::rivals::Contest;
use dpsis_eval::figure::{Curve, CurveChart, CurvePoint};

/// The number of candidates.
pub(super) const CANDIDATES: usize = 100;

/// Scores of all trials, and the sensitivities, which are the same in all of them.
pub(in crate::experiments) struct Candidates {
    /// By trial; a single one if all trials are equal.
    scores: Vec<Vec<f64>>,
    sensitivities: Vec<f64>,
}

impl Candidates {
    /// The same scores in all trials.
    pub(in crate::experiments) fn constant(scores: Vec<f64>, sensitivities: Vec<f64>) -> Self {
        Self { scores: vec![scores], sensitivities }
    }

    /// Scores drawn in each trial. As in the paper, a candidate's sensitivity is the difference of
    /// the 5% and 95% quantiles of its scores in all trials, and scores are clipped to that range.
    pub(super) fn drawn(
        (seed, trials): (u64, u64),
        name: &str,
        draw: impl Fn(u64, &mut ChaCha20Rng) -> Vec<f64>,
    ) -> Self {
        let trial = |trial| {
            let seed = seed_of(seed, &["heterogeneous", "scores", name], trial);
            draw(trial, &mut ChaCha20Rng::seed_from_u64(seed))
        };
        let mut scores: Vec<Vec<f64>> = (0..trials).map(trial).collect();
        let count = scores.first().map_or(0, Vec::len);
        let mut sensitivities = Vec::with_capacity(count);
        for candidate in 0..count {
            let own = scores.iter().map(|scores| scores[candidate]).collect();
            let [low, high] = typical_range(own);
            sensitivities.push(high - low);
            for scores in &mut scores {
                scores[candidate] = scores[candidate].clamp(low, high);
            }
        }
        Self { scores, sensitivities }
    }

    /// The scores of a trial.
    pub(in crate::experiments) fn scores(&self, trial: u64) -> &[f64] {
        &self.scores[trial as usize % self.scores.len()]
    }

    /// The candidates of a trial.
    pub(in crate::experiments) fn contest(&self, trial: u64) -> Result<Contest> {
        Contest::new(self.scores(trial), &self.sensitivities)
    }

    /// The sensitivities.
    pub(in crate::experiments) fn sensitivities(&self) -> &[f64] {
        &self.sensitivities
    }

    /// The mean score of a candidate over trials with this remainder by 2, or over all.
    pub(super) fn mean(&self, candidate: usize, half: Option<usize>) -> f64 {
        let chosen = self.scores.iter().skip(half.unwrap_or(0));
        let step = if half.is_some() { 2 } else { 1 };
        let own: Vec<f64> = chosen.step_by(step).map(|scores| scores[candidate]).collect();
        own.iter().sum::<f64>() / own.len() as f64
    }

    /// Mean scores with a band as wide as the sensitivity.
    pub(in crate::experiments) fn chart(&self, title: String) -> CurveChart {
        let point = |candidate: usize| {
            let y = self.mean(candidate, None);
            let half = self.sensitivities[candidate] / 2.0;
            CurvePoint { x: (candidate + 1) as f64, y, low: y - half, high: y + half }
        };
        CurveChart {
            title,
            x_label: "candidate".into(),
            y_label: "mean score; band: its sensitivity".into(),
            x_log: false,
            y_log: false,
            y_range: None,
            curves: vec![Curve {
                label: String::new(),
                points: (0..self.sensitivities.len()).map(point).collect(),
            }],
            references: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::Rng as _;

    use super::*;

    #[test]
    fn scores_lie_within_their_sensitivities() {
        let candidates = Candidates::drawn((1, 500), "a", |_, rng| {
            vec![rng.gen_range(0.0..1.0), 3.0 * rng.gen_range(0.0..1.0)]
        });
        let [narrow, wide] = candidates.sensitivities() else { panic!() };
        assert!((narrow - 0.9).abs() < 0.05 && (wide - 2.7).abs() < 0.15);
        for candidate in 0..2 {
            let own: Vec<f64> = (0..500).map(|trial| candidates.scores(trial)[candidate]).collect();
            let low = own.iter().copied().fold(f64::INFINITY, f64::min);
            let high = own.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            assert!((high - low - candidates.sensitivities()[candidate]).abs() < 1e-12);
        }
    }
}
