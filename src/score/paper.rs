//! The published preprocessing, which is NOT private: kept to reproduce results.
//!
//! Every column and the target are centred at their mean and divided by their largest magnitude, both
//! taken from the data; then clipped correlation on the grid, without a further centre. The centring
//! and scaling of one row depend on all others, so no budget covers them. The sensitivity stated with
//! the scores, Q^2 a row, is that of data already scaled.
//!
//! Source: "Feature Selection from Differentially Private Correlations" (2024), section 4.1.

use crate::error::Result;
use crate::privacy::Neighbours;
use crate::score::{CorrelationSums, HeldRows, RowSums, Scores};

impl HeldRows {
    /// Scores after centring and scaling by the data themselves: not private.
    pub(crate) fn paper_scores(
        &self,
        quantise: impl Fn(f64) -> i16,
        q: i32,
        neighbours: Neighbours,
    ) -> Result<Scores> {
        let codes: Vec<Vec<i16>> = (0..self.features)
            .map(|feature| {
                scaled(&self.column(feature).collect::<Vec<_>>()).map(&quantise).collect()
            })
            .collect();
        let mut sums = CorrelationSums::new(self.features, q);
        let mut x = vec![0; self.features];
        for (row, y) in scaled(&self.targets).enumerate() {
            for (code, column) in x.iter_mut().zip(&codes) {
                *code = column[row];
            }
            sums.add(&x, quantise(y));
        }
        sums.scores(0, neighbours)
    }
}

/// Centred, then divided by the largest magnitude; missing and constant values become 0.
fn scaled(values: &[f64]) -> impl Iterator<Item = f64> {
    let present: Vec<f64> = values.iter().copied().filter(|value| !value.is_nan()).collect();
    let mean = present.iter().sum::<f64>() / present.len().max(1) as f64;
    let most = present.iter().map(|value| (value - mean).abs()).fold(0.0, f64::max);
    values.iter().map(move |value| {
        let centred = (value - mean) / most;
        if centred.is_finite() { centred.clamp(-1.0, 1.0) } else { 0.0 }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_centred_and_scaled() {
        let of = |values: &[f64]| scaled(values).collect::<Vec<_>>();
        assert_eq!(of(&[1.0, 2.0, 6.0]), [-2.0 / 3.0, -1.0 / 3.0, 1.0]);
        assert_eq!(of(&[5.0, 5.0, f64::NAN]), [0.0, 0.0, 0.0]);
    }

    #[test]
    fn the_score_is_the_correlation_of_scaled_columns() {
        let mut rows = HeldRows::new(2);
        for (a, b, y) in [(0.0, 3.0, 1.0), (1.0, 1.0, 2.0), (2.0, 2.0, 3.0)] {
            rows.add([Some(a), Some(b)].into_iter(), y);
        }
        let quantise = |t: f64| (t * 100.0).round() as i16;
        let scores = rows.paper_scores(quantise, 100, Neighbours::AddRemove).unwrap();
        // Feature 1 is the target scaled; feature 2 is (1, -1, 0).
        assert_eq!(scores.values(), [20_000, 10_000]);
        assert_eq!(scores.sensitivity(), 10_000);
    }
}
