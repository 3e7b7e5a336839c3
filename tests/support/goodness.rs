//! Goodness of fit with a stated error probability.

/// The probability that a test of a true hypothesis fails. The seeds are fixed, so this can happen only when
/// a test is written.
pub const ALPHA: f64 = 1e-6;

/// Upper quantiles of the chi-square distribution at [`ALPHA`] for 1, 2, ... 100 degrees of
/// freedom, from `scipy.stats.chi2.isf(1e-6, df)`.
const QUANTILES: [f64; 100] = [
    23.93, 27.63, 30.66, 33.38, 35.89, 38.26, 40.52, 42.70, 44.81, 46.86, 48.87, 50.83, 52.75,
    54.64, 56.49, 58.32, 60.13, 61.91, 63.68, 65.42, 67.15, 68.86, 70.55, 72.23, 73.89, 75.55,
    77.19, 78.82, 80.44, 82.04, 83.64, 85.23, 86.81, 88.38, 89.95, 91.50, 93.05, 94.59, 96.13,
    97.65, 99.17, 100.69, 102.20, 103.70, 105.20, 106.69, 108.18, 109.66, 111.14, 112.61, 114.08,
    115.54, 117.00, 118.45, 119.90, 121.35, 122.79, 124.23, 125.66, 127.10, 128.52, 129.95, 131.37,
    132.79, 134.20, 135.61, 137.02, 138.43, 139.83, 141.23, 142.63, 144.02, 145.41, 146.80, 148.19,
    149.57, 150.95, 152.33, 153.71, 155.08, 156.45, 157.82, 159.19, 160.55, 161.92, 163.28, 164.64,
    165.99, 167.35, 168.70, 170.05, 171.40, 172.75, 174.09, 175.44, 176.78, 178.12, 179.46, 180.79,
    182.13,
];

/// The G-test of the hypothesis that `counts` were drawn from `law` (probabilities in the same order).
///
/// Outcomes of probability zero must not have been drawn. Outcomes with an expected count below 5 are pooled,
/// as required by the chi-square approximation.
pub fn assert_fits(counts: &[u64], law: &[f64]) {
    assert_eq!(counts.len(), law.len());
    assert!((law.iter().sum::<f64>() - 1.0).abs() < 1e-9, "the law sums to 1");
    let total = counts.iter().sum::<u64>() as f64;
    let mut cells: Vec<(f64, f64)> = Vec::new();
    let mut rare = (0.0, 0.0);
    for (&count, &p) in counts.iter().zip(law) {
        assert!(p > 0.0 || count == 0, "an impossible outcome was drawn");
        let (observed, expected) = (count as f64, p * total);
        if expected < 5.0 {
            rare = (rare.0 + observed, rare.1 + expected);
        } else {
            cells.push((observed, expected));
        }
    }
    if rare.1 > 0.0 {
        cells.push(rare);
    }
    if cells.len() < 2 {
        return;
    }
    let terms = cells.iter().filter(|cell| cell.0 > 0.0).map(|(o, e)| o * (o / e).ln());
    let g = 2.0 * terms.sum::<f64>();
    let quantile = QUANTILES[cells.len() - 2];
    assert!(g <= quantile, "G = {g:.1} exceeds {quantile} ({} cells)", cells.len());
}
