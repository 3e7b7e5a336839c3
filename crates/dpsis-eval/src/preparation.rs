//! Scaling of public tables for models, computed from the data: not private.

use std::collections::BTreeSet;

use ndarray::{Array1, Array2, ArrayView2, Axis};

/// A scaling of columns and target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Preparation {
    /// Preparation A: columns scaled to [-1, 1] by their range; the target centered, with largest
    /// magnitude 1.
    Range,
    /// Preparation B: columns and target centered, with largest magnitude 1, as the text of the
    /// DP-SIS paper describes.
    LargestMagnitude,
    /// Preparation C: columns centered, with variance 1; the target unchanged.
    UnitVariance,
}

/// Features and target prepared for a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Prepared {
    /// The features, n rows by d columns.
    pub x: Array2<f64>,
    /// The targets, n values.
    pub y: Array1<f64>,
}

impl Preparation {
    /// All preparations, in the order of their letters.
    pub const ALL: [Self; 3] = [Self::Range, Self::LargestMagnitude, Self::UnitVariance];

    /// Returns the letter, `A`, `B` or `C`.
    pub fn letter(self) -> char {
        match self {
            Self::Range => 'A',
            Self::LargestMagnitude => 'B',
            Self::UnitVariance => 'C',
        }
    }

    /// Scales features, n rows by d columns, and n targets. Missing values become 0 after scaling;
    /// constant columns become 0 throughout.
    pub fn prepare(self, x: ArrayView2<'_, f64>, y: &[f64]) -> Prepared {
        let mut x = x.as_standard_layout().into_owned();
        for mut column in x.axis_iter_mut(Axis(1)) {
            let (center, unit) = self.scale(column.iter().copied());
            column.mapv_inplace(|value| scaled(value, center, unit));
        }
        let y = match self {
            Self::UnitVariance => y.iter().copied().collect(),
            _ => {
                let (center, unit) = Self::LargestMagnitude.scale(y.iter().copied());
                y.iter().map(|value| scaled(*value, center, unit)).collect()
            }
        };
        Prepared { x, y }
    }

    /// Returns the value that is scaled to 0 and the length of the scaled unit.
    pub(super) fn scale(self, values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
        let present = values.filter(|value| value.is_finite());
        let n = present.clone().count().max(1) as f64;
        let mean = present.clone().sum::<f64>() / n;
        let magnitude = |value: f64| (value - mean).abs();
        match self {
            Self::Range => {
                let low = present.clone().fold(f64::INFINITY, f64::min);
                let high = present.fold(f64::NEG_INFINITY, f64::max);
                (low / 2.0 + high / 2.0, high / 2.0 - low / 2.0)
            }
            Self::LargestMagnitude => (mean, present.map(magnitude).fold(0.0, f64::max)),
            Self::UnitVariance => {
                (mean, (present.map(|value| magnitude(value).powi(2)).sum::<f64>() / n).sqrt())
            }
        }
    }
}

/// Scales a value; a missing value becomes 0.
pub(super) fn scaled(value: f64, center: f64, unit: f64) -> f64 {
    let scaled = (value - center) / unit;
    if scaled.is_finite() { scaled } else { 0.0 }
}

/// Returns the distinct labels in alphabetical order.
pub(crate) fn distinct(labels: &[String]) -> Vec<String> {
    let distinct: BTreeSet<&String> = labels.iter().collect();
    distinct.into_iter().cloned().collect()
}

/// Converts labels to numbers: their indices in alphabetical order, from 0.
pub fn codes(labels: &[String]) -> Vec<f64> {
    let classes = distinct(labels);
    let code = |label: &String| classes.binary_search(label).unwrap_or(0) as f64;
    labels.iter().map(code).collect()
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn columns_are_scaled_as_named() {
        let x = array![[1.0, 5.0], [3.0, 5.0], [8.0, 5.0]];
        let y = [0.0, 1.0, 2.0];
        let column = |preparation: Preparation| {
            let prepared = preparation.prepare(x.view(), &y);
            assert_eq!(prepared.x.column(1).to_vec(), [0.0; 3]);
            (prepared.x.column(0).to_vec(), prepared.y.to_vec())
        };
        assert_eq!(column(Preparation::Range), (vec![-1.0, -3.0 / 7.0, 1.0], vec![-1.0, 0.0, 1.0]));
        assert_eq!(column(Preparation::LargestMagnitude).0, [-0.75, -0.25, 1.0]);
        let (unit, y) = column(Preparation::UnitVariance);
        assert!((unit.iter().map(|v| v * v).sum::<f64>() / 3.0 - 1.0).abs() < 1e-12);
        assert_eq!(y, [0.0, 1.0, 2.0]);
    }

    #[test]
    fn labels_are_coded_alphabetically() {
        let labels = ["b", "a", "c", "a"].map(str::to_owned);
        assert_eq!(codes(&labels), [1.0, 0.0, 2.0, 0.0]);
    }
}
