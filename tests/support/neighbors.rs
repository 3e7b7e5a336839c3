//! All neighboring score vectors on a small grid.

use super::oracle::max_log_ratio;

/// Score vectors of `d` integers from 0 to `levels` - 1; two are neighbors if no coordinate differs by more
/// than its sensitivity.
#[derive(Clone)]
pub struct Grid {
    pub d: usize,
    levels: i64,
    /// The sensitivity of each coordinate.
    sensitivities: Vec<i64>,
    /// Whether scores are monotonic: between neighbors, all coordinates increase or stay equal.
    monotonic: bool,
}

/// The result of an enumeration.
pub struct Enumeration {
    /// The number of ordered pairs of neighbors.
    pub pairs: usize,
    /// The largest |ln(P(y|x) / P(y|x'))| of any outcome.
    pub max_log_ratio: f64,
    /// The pair at which it occurs.
    pub worst: (Vec<i64>, Vec<i64>),
}

impl Grid {
    pub fn new(d: usize, levels: i64, sensitivity: i64) -> Self {
        Self { d, levels, sensitivities: vec![sensitivity; d], monotonic: false }
    }

    /// The same grid with monotonic scores.
    pub fn monotonic(self) -> Self {
        Self { monotonic: true, ..self }
    }

    /// A grid with one sensitivity per coordinate.
    pub fn with_sensitivities(levels: i64, sensitivities: &[i64]) -> Self {
        let d = sensitivities.len();
        Self { d, levels, sensitivities: sensitivities.to_vec(), monotonic: false }
    }

    /// Compares the laws of all neighbors.
    pub fn enumerate(&self, law: impl Fn(&[i64]) -> Vec<f64>) -> Enumeration {
        let laws: Vec<Vec<f64>> = (0..self.len()).map(|i| law(&self.point(i))).collect();
        let (mut pairs, mut max, mut worst) = (0, 0.0, (0, 0));
        for (i, law) in laws.iter().enumerate() {
            for j in self.neighbors(i) {
                pairs += 1;
                let ratio = max_log_ratio(law, &laws[j]);
                if ratio > max {
                    (max, worst) = (ratio, (i, j));
                }
            }
        }
        let worst = (self.point(worst.0), self.point(worst.1));
        Enumeration { pairs, max_log_ratio: max, worst }
    }

    fn len(&self) -> usize {
        (self.levels as usize).pow(self.d as u32)
    }

    fn point(&self, mut index: usize) -> Vec<i64> {
        let levels = self.levels as usize;
        let mut next = || {
            let digit = index % levels;
            index /= levels;
            digit as i64
        };
        (0..self.d).map(|_| next()).collect()
    }

    fn neighbors(&self, index: usize) -> Vec<usize> {
        let mut found = vec![0];
        let mut place = 1;
        for (digit, sensitivity) in self.point(index).into_iter().zip(&self.sensitivities) {
            // A pair with decreasing scores is found from its other end.
            let low = if self.monotonic { digit } else { (digit - sensitivity).max(0) };
            let high = (digit + sensitivity).min(self.levels - 1);
            let extend = |&at: &usize| (low..=high).map(move |digit| at + place * digit as usize);
            found = found.iter().flat_map(extend).collect();
            place *= self.levels as usize;
        }
        found
    }
}
