//! Goodness of fit with a given error probability.

/// The probability that a test of a true hypothesis fails. The seeds are fixed, so this can happen
/// only when a test is written.
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

/// The result of a G-test.
#[derive(Debug, Clone, Copy)]
pub struct Fit {
    /// Whether an outcome of probability zero was drawn.
    pub impossible: bool,
    /// The statistic, and its bound at [`ALPHA`]; both 0 if there are fewer than two cells.
    pub g: f64,
    pub bound: f64,
    /// The number of cells that are compared.
    pub cells: usize,
}

impl Fit {
    /// Whether the test does not reject the hypothesis.
    pub fn holds(&self) -> bool {
        !self.impossible && self.g <= self.bound
    }
}

/// The G-test of the hypothesis that `counts` were drawn from `law` (probabilities in the same
/// order).
///
/// Outcomes with an expected count below 5 are pooled, as required by the chi-square approximation;
/// so are the rarest ones beyond 100 cells.
pub fn fit(counts: &[u64], law: &[f64]) -> Fit {
    let total = counts.iter().sum::<u64>() as f64;
    let impossible = counts.iter().zip(law).any(|(&count, &p)| !(p > 0.0) && count > 0);
    let both = counts.iter().zip(law).map(|(&count, &p)| (count as f64, p * total));
    let mut cells: Vec<(f64, f64)> = both.collect();
    cells.sort_by(|a, b| b.1.total_cmp(&a.1));
    let common = cells.iter().take_while(|cell| cell.1 >= 5.0).count().min(QUANTILES.len());
    let rare = cells.split_off(common);
    let rare = rare.iter().fold((0.0, 0.0), |sum, cell| (sum.0 + cell.0, sum.1 + cell.1));
    if rare.1 > 0.0 {
        cells.push(rare);
    }
    let cells_compared = cells.len();
    if cells_compared < 2 {
        return Fit { impossible, g: 0.0, bound: 0.0, cells: cells_compared };
    }
    let terms = cells.iter().filter(|cell| cell.0 > 0.0).map(|(o, e)| o * (o / e).ln());
    let bound = QUANTILES[cells_compared - 2];
    Fit { impossible, g: 2.0 * terms.sum::<f64>(), bound, cells: cells_compared }
}

/// Asserts that [`fit`] does not reject the hypothesis.
pub fn assert_fits(counts: &[u64], law: &[f64]) {
    assert_eq!(counts.len(), law.len());
    assert!((law.iter().sum::<f64>() - 1.0).abs() < 1e-9, "the law sums to 1");
    let fit = fit(counts, law);
    assert!(!fit.impossible, "an impossible outcome was drawn");
    assert!(fit.holds(), "G = {:.1} exceeds {} ({} cells)", fit.g, fit.bound, fit.cells);
}
