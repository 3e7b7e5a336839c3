//! Rows for a fit and rows for its test.

use dpsis::{ArrayTable, Bounds, Result, Target};
use dpsis_eval::internals::codes;
use ndarray::{Array1, Array2, Axis};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha20Rng;

use dpsis_eval::datasets::PublicTable;
use dpsis_eval::design::{Correlation, Design};

/// The kind of the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A number; a model is measured by R^2.
    Number,
    /// Two classes, 0 and 1; a model is measured by its accuracy above the share of the larger
    /// class.
    Classes,
}

impl Kind {
    /// The word in names of files and in data.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Number => "number",
            Self::Classes => "classes",
        }
    }

    /// The measure in words.
    pub(super) fn measure(self) -> &'static str {
        match self {
            Self::Number => "R² on held-out rows",
            Self::Classes => "accuracy above the larger class, on held-out rows",
        }
    }
}

/// A table split in two.
pub(super) struct Split {
    pub(super) kind: Kind,
    pub(super) x: Array2<f64>,
    pub(super) y: Array1<f64>,
    pub(super) test_x: Array2<f64>,
    test_y: Array1<f64>,
    /// The public ranges of all features and of the target; `None` where nothing is known.
    pub(super) ranges: Option<(Bounds, Bounds)>,
}

/// The number of rows for the test of a synthetic table.
const TESTED: usize = 2000;

/// The end of the public ranges, in standard deviations.
const CLIP: f64 = 2.0;

impl Split {
    /// Makes a table of normal features of correlation 0.5^|i - j|, five of them true, with noise
    /// of a fifth of the variance of the signal; classes are the signs of the target.
    pub(super) fn synthetic(kind: Kind, n: usize, features: usize, seed: u64) -> Result<Self> {
        let correlation = Correlation::Autoregressive(0.5);
        let design = Design { features, correlation, mixed_signs: false };
        let mut rows = design.rows(seed);
        let mut drawn = |n: usize| {
            let mut x = Array2::zeros((n, features));
            let mut row = vec![0.0; features];
            let y = x.rows_mut().into_iter().map(|mut to| {
                let y = rows.next_into(&mut row);
                to.iter_mut().zip(&row).for_each(|(to, value)| *to = *value);
                if kind == Kind::Classes { f64::from(u8::from(y > 0.0)) } else { y }
            });
            let y = y.collect();
            (x, y)
        };
        let ((x, y), (test_x, test_y)) = (drawn(n), drawn(TESTED));
        let most = CLIP * design.target_deviation();
        let ranges = Some((Bounds::new(-CLIP, CLIP)?, Bounds::new(-most, most)?));
        Ok(Self { kind, x, y, test_x, test_y, ranges })
    }

    /// Deals two thirds of the rows of a table of two classes to the fit.
    pub(super) fn of_set(table: &PublicTable, seed: u64) -> Self {
        let codes = codes(&table.labels);
        let mut rows: Vec<usize> = (0..codes.len()).collect();
        rows.shuffle(&mut ChaCha20Rng::seed_from_u64(seed));
        let (test, fit) = rows.split_at(rows.len() / 3);
        let of = |rows: &[usize]| {
            let y: Array1<f64> = rows.iter().map(|row| codes[*row]).collect();
            (table.x.select(Axis(0), rows), y)
        };
        let ((x, y), (test_x, test_y)) = (of(fit), of(test));
        Self { kind: Kind::Classes, x, y, test_x, test_y, ranges: None }
    }

    /// The rows of the fit as a table.
    pub(super) fn table(&self) -> Result<ArrayTable<'_, f64>> {
        ArrayTable::new(self.x.view(), self.y.view())
    }

    /// The target, with its public range if it is to be given.
    pub(super) fn target(&self, given: bool) -> Target {
        match (self.kind, &self.ranges) {
            (Kind::Classes, _) => Target::classes(["0", "1"]),
            (Kind::Number, Some((_, target))) if given => Target::Bounded(*target),
            (Kind::Number, _) => Target::Numeric,
        }
    }

    /// The measure of predictions for the tested rows: numbers, or probabilities of class 1.
    pub(super) fn quality(&self, predicted: impl IntoIterator<Item = f64>) -> f64 {
        let n = self.test_y.len() as f64;
        let mean = self.test_y.sum() / n;
        let pairs = predicted.into_iter().zip(&self.test_y);
        match self.kind {
            Kind::Number => {
                let wrong: f64 = pairs.map(|(predicted, y)| (predicted - y).powi(2)).sum();
                let total: f64 = self.test_y.iter().map(|y| (y - mean).powi(2)).sum();
                1.0 - wrong / total
            }
            Kind::Classes => {
                let right =
                    pairs.filter(|(predicted, y)| (*predicted > 0.5) == (**y > 0.5)).count();
                right as f64 / n - mean.max(1.0 - mean)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_by_hand() {
        let split = |kind, y: [f64; 4]| Split {
            kind,
            x: Array2::zeros((1, 1)),
            y: Array1::zeros(1),
            test_x: Array2::zeros((4, 1)),
            test_y: Array1::from_vec(y.to_vec()),
            ranges: None,
        };
        let number = split(Kind::Number, [0.0, 2.0, 4.0, 6.0]);
        assert_eq!(number.quality([0.0, 2.0, 4.0, 6.0]), 1.0);
        assert_eq!(number.quality([3.0; 4]), 0.0);
        assert_eq!(number.quality([0.0, 2.0, 4.0, 2.0]), 1.0 - 16.0 / 20.0);
        let classes = split(Kind::Classes, [0.0, 1.0, 0.0, 0.0]);
        assert_eq!(classes.quality([0.2, 0.9, 0.1, 0.4]), 0.25);
        assert_eq!(classes.quality([0.2, 0.1, 0.1, 0.4]), 0.0);
        assert_eq!(classes.quality([0.9, 0.1, 0.9, 0.6]), -0.75);
    }

    #[test]
    fn sets_are_dealt_in_thirds() {
        let table = PublicTable {
            features: vec!["a".to_owned()],
            x: Array2::from_shape_fn((10, 1), |(i, _)| i as f64),
            labels: (0..10).map(|i| ["p", "q"][i % 2].to_owned()).collect(),
        };
        let split = Split::of_set(&table, 3);
        let mut rows: Vec<f64> = split.x.iter().chain(&split.test_x).copied().collect();
        assert_eq!((split.x.nrows(), split.test_x.nrows()), (7, 3));
        assert!(split.x.iter().zip(&split.y).all(|(i, class)| i % 2.0 == *class));
        rows.sort_unstable_by(f64::total_cmp);
        assert_eq!(rows, (0..10).map(f64::from).collect::<Vec<_>>());
    }
}
