//! Preparing public data for models, by the data themselves: not private.

use std::collections::BTreeSet;

use ndarray::{Array1, Array2, ArrayView2, Axis};

/// How columns and target are scaled by the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Preparation {
    /// A: columns by their range to [-1, 1]; the target centered, largest magnitude 1.
    Range,
    /// B: columns centered, largest magnitude 1; the target likewise: the text of the DP-SIS paper.
    LargestMagnitude,
    /// C: columns centered, variance 1; the target as it is.
    UnitVariance,
}

/// Features and target ready for a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Prepared {
    /// Features, n by d.
    pub x: Array2<f64>,
    /// Targets, n.
    pub y: Array1<f64>,
}

impl Preparation {
    /// All, in the order of their letters.
    pub const ALL: [Self; 3] = [Self::Range, Self::LargestMagnitude, Self::UnitVariance];

    /// `A`, `B` or `C`.
    pub fn letter(self) -> char {
        match self {
            Self::Range => 'A',
            Self::LargestMagnitude => 'B',
            Self::UnitVariance => 'C',
        }
    }

    /// Prepares features, n by d, and targets. Missing values become 0 after scaling, constant columns
    /// 0 throughout.
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

    /// What becomes 0, and how far from there 1 is.
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

/// A value on a scale; 0 where there is none.
pub(super) fn scaled(value: f64, center: f64, unit: f64) -> f64 {
    let scaled = (value - center) / unit;
    if scaled.is_finite() { scaled } else { 0.0 }
}

/// The distinct labels in alphabetical order.
pub(crate) fn distinct(labels: &[String]) -> Vec<String> {
    let distinct: BTreeSet<&String> = labels.iter().collect();
    distinct.into_iter().cloned().collect()
}

/// Labels as numbers: their places, from 0, in alphabetical order.
pub(crate) fn codes(labels: &[String]) -> Vec<f64> {
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
