//! The published preprocessing, which is NOT private; for reproducing published results.
//!
//! Every column and the target are centered at their mean and divided by their largest magnitude,
//! both taken from the data; then follows clipped correlation on the grid, without a further
//! center. The centering and scaling of one row depend on all others, so no budget covers them. The
//! sensitivity given with the scores, Q^2 per row, is that for data already scaled.
//!
//! Source: "Feature Selection from Differentially Private Correlations" (2024), section 4.1.

use crate::error::Result;
use crate::privacy::Neighbors;
use crate::score::{CorrelationSums, RowSums, Scores};
use crate::table::Columns;

/// Scores after centering and scaling by the data: not private.
pub(crate) fn paper_scores(
    columns: &impl Columns,
    targets: &[f64],
    quantize: impl Fn(f64) -> i16,
    q: i32,
    neighbors: Neighbors,
) -> Result<Scores> {
    let features = columns.features();
    let codes: Vec<Vec<i16>> = (0..features)
        .map(|feature| scaled(&columns.to_vec(feature)).map(&quantize).collect())
        .collect();
    let mut sums = CorrelationSums::with_grid(features, q);
    let mut x = vec![0; features];
    for (row, y) in scaled(targets).enumerate() {
        for (code, column) in x.iter_mut().zip(&codes) {
            *code = column[row];
        }
        sums.add(&x, quantize(y));
    }
    sums.scores(0, neighbors)
}

/// Values centered, then divided by the largest magnitude; missing values and constant columns
/// become 0.
pub(crate) fn scaled(values: &[f64]) -> impl Iterator<Item = f64> {
    let present: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
    let mean = present.iter().sum::<f64>() / present.len().max(1) as f64;
    let most = present.iter().map(|value| (value - mean).abs()).fold(0.0, f64::max);
    values.iter().map(move |value| {
        let centered = (value - mean) / most;
        if centered.is_finite() { centered.clamp(-1.0, 1.0) } else { 0.0 }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::HeldColumns;

    #[test]
    fn columns_are_centered_and_scaled() {
        let of = |values: &[f64]| scaled(values).collect::<Vec<_>>();
        assert_eq!(of(&[1.0, 2.0, 6.0]), [-2.0 / 3.0, -1.0 / 3.0, 1.0]);
        assert_eq!(of(&[5.0, 5.0, f64::NAN]), [0.0, 0.0, 0.0]);
    }

    #[test]
    fn the_score_is_the_correlation_of_scaled_columns() {
        let rows = HeldColumns::of_rows(2, &[[0.0, 3.0], [1.0, 1.0], [2.0, 2.0]]);
        let quantize = |t: f64| (t * 100.0).round() as i16;
        let targets = [1.0, 2.0, 3.0];
        let scores = paper_scores(&rows, &targets, quantize, 100, Neighbors::AddRemove).unwrap();
        // Feature 1 is the scaled target; feature 2 is (1, -1, 0).
        assert_eq!(scores.values(), [20_000, 10_000]);
        assert_eq!(scores.sensitivity(), 10_000);
    }
}
