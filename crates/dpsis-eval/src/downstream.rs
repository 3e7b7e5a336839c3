//! The performance of a plain model on selected features, cross-validated or on one held-out fold.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use linfa::DatasetBase;
use linfa::traits::{Fit, Predict};
use linfa_logistic::{LogisticRegression, MultiLogisticRegression};
use ndarray::{Array1, Array2, ArrayView1, Axis};
use rand::seq::SliceRandom;
use rand_chacha::ChaCha20Rng;

use crate::dense::LinearModel;
use crate::preparation::{Preparation, scaled};

/// The number of folds.
pub const FOLDS: usize = 3;

/// The target of a plain model.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Predicted {
    /// Classes, numbered from 0: a logistic model (ridge penalty 1), evaluated by its accuracy.
    Classes(Vec<usize>),
    /// Numbers: a linear model, evaluated by R^2.
    Numbers(Vec<f64>),
}

impl Predicted {
    fn len(&self) -> usize {
        match self {
            Self::Classes(classes) => classes.len(),
            Self::Numbers(numbers) => numbers.len(),
        }
    }
}

/// Tests of plain models on subsets of the features of one table, always on the same three folds.
/// For each fold that is tested, the model is fitted to the rows of the other two.
pub(crate) struct Downstream {
    /// The features, n rows by d columns; NaN where missing.
    x: Array2<f64>,
    target: Predicted,
    /// The fold of each row.
    fold: Vec<usize>,
    /// The folds that are tested.
    tested: Range<usize>,
    /// The results known so far, by sorted feature indices.
    known: Mutex<HashMap<Vec<usize>, Performance>>,
}

/// The performance of the models on a set of features.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Performance {
    /// The accuracy or R^2 of the tested rows.
    pub value: f64,
    /// The mean over the classes of the share of a class that is recognized; NaN for numbers. A row
    /// is given to the class whose probability is largest in relation to the share of the class
    /// among the fitted rows, which is best for this measure.
    pub balanced: f64,
}

/// A class with a smaller share of the rows is rare: then accuracy means little.
const RARE: f64 = 0.2;

impl Downstream {
    /// Deals the rows to folds at random, stratified by class, and tests all folds:
    /// cross-validation.
    pub(crate) fn new(x: Array2<f64>, target: Predicted, mut rng: ChaCha20Rng) -> Self {
        let mut rows: Vec<usize> = (0..target.len()).collect();
        rows.shuffle(&mut rng);
        if let Predicted::Classes(classes) = &target {
            rows.sort_by_key(|row| classes[*row]);
        }
        let mut fold = vec![0; rows.len()];
        rows.iter().enumerate().for_each(|(place, row)| fold[*row] = place % FOLDS);
        Self { x, target, fold, tested: 0..FOLDS, known: Mutex::default() }
    }

    /// Tests one fold only, from 0.
    pub(crate) fn held_out(self, fold: usize) -> Self {
        Self { tested: fold..fold + 1, known: Mutex::default(), ..self }
    }

    /// The rows inside or outside of a fold, in ascending order.
    pub(crate) fn rows(&self, fold: usize, inside: bool) -> Vec<usize> {
        (0..self.fold.len()).filter(|row| (self.fold[*row] == fold) == inside).collect()
    }

    /// The performance without features: the share of the most frequent class among the tested
    /// rows, or an R^2 of 0.
    pub(crate) fn baseline(&self) -> f64 {
        match &self.target {
            Predicted::Classes(classes) => {
                let folds = classes.iter().zip(&self.fold);
                let tested: Vec<usize> = folds
                    .filter(|(_, fold)| self.tested.contains(fold))
                    .map(|(class, _)| *class)
                    .collect();
                let most = class_sizes(&tested).into_iter().max().unwrap_or(0);
                most as f64 / tested.len().max(1) as f64
            }
            Predicted::Numbers(_) => 0.0,
        }
    }

    /// Whether a class is rare, so that accuracy means little.
    pub(crate) fn has_rare_class(&self) -> bool {
        match &self.target {
            Predicted::Classes(classes) => {
                let rare = |count: &usize| (*count as f64) < RARE * classes.len() as f64;
                class_sizes(classes).iter().any(|count| *count > 0 && rare(count))
            }
            Predicted::Numbers(_) => false,
        }
    }

    /// The balanced accuracy without features: one class is recognized, the others are not.
    pub(crate) fn balanced_baseline(&self) -> f64 {
        match &self.target {
            Predicted::Classes(classes) => {
                let present = class_sizes(classes).into_iter().filter(|count| *count > 0).count();
                1.0 / present.max(1) as f64
            }
            Predicted::Numbers(_) => f64::NAN,
        }
    }

    /// The accuracy or R^2 of the tested rows on a set of features.
    pub(crate) fn value(&self, features: &[usize]) -> f64 {
        self.performance(features).value
    }

    /// The performance of the tested rows on a set of features.
    pub(crate) fn performance(&self, features: &[usize]) -> Performance {
        let mut features = features.to_vec();
        features.sort_unstable();
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(value) = known().get(&features) {
            return *value;
        }
        let value = self.tested_on(&features);
        known().insert(features, value);
        value
    }

    fn tested_on(&self, features: &[usize]) -> Performance {
        let x = self.x.select(Axis(1), features);
        let (mut good, mut total) = (0.0, 0.0);
        let mut recognized = Recognized::default();
        for fold in self.tested.clone() {
            let (train, test) = (self.rows(fold, false), self.rows(fold, true));
            let of = |rows: &[usize]| x.select(Axis(0), rows);
            let (x_train, x_test) = standardized(of(&train), of(&test));
            match &self.target {
                Predicted::Classes(classes) => {
                    let of = |rows: &[usize]| -> Vec<usize> {
                        rows.iter().map(|row| classes[*row]).collect()
                    };
                    let predicted = classified(x_train, &of(&train), x_test);
                    for ((plain, in_relation), class) in predicted.into_iter().zip(of(&test)) {
                        good += f64::from(u8::from(plain == class));
                        total += 1.0;
                        recognized.add(class, in_relation == class);
                    }
                }
                Predicted::Numbers(numbers) => {
                    let y: Array1<f64> = train.iter().map(|row| numbers[*row]).collect();
                    let mean = y.mean().unwrap_or(0.0);
                    let model = LinearModel::least_squares(x_train.view(), &y)
                        .or_else(|| LinearModel::ridge(x_train.view(), &y, 1.0));
                    let predicted = model.map(|model| model.predict(x_test.view()));
                    for (i, row) in test.iter().enumerate() {
                        let guess = predicted.as_ref().map_or(mean, |predicted| predicted[i]);
                        good -= (numbers[*row] - guess).powi(2);
                        total += (numbers[*row] - mean).powi(2);
                    }
                }
            }
        }
        let value = match &self.target {
            Predicted::Classes(_) => good / f64::max(total, 1.0),
            Predicted::Numbers(_) if total > 0.0 => 1.0 + good / total,
            Predicted::Numbers(_) => 0.0,
        };
        Performance { value, balanced: recognized.mean_share() }
    }
}

/// For each class the number of its tested rows that are recognized, and of all of them.
#[derive(Default)]
struct Recognized(Vec<(f64, f64)>);

impl Recognized {
    fn add(&mut self, class: usize, is_hit: bool) {
        if self.0.len() <= class {
            self.0.resize(class + 1, (0.0, 0.0));
        }
        self.0[class].0 += f64::from(u8::from(is_hit));
        self.0[class].1 += 1.0;
    }

    /// The mean share over the classes that occur; NaN if none does.
    fn mean_share(&self) -> f64 {
        let occurring = || self.0.iter().filter(|(_, rows)| *rows > 0.0);
        occurring().map(|(hits, rows)| hits / rows).sum::<f64>() / occurring().count() as f64
    }
}

fn class_sizes(classes: &[usize]) -> Vec<usize> {
    let mut counts = vec![0; classes.iter().max().map_or(0, |most| most + 1)];
    classes.iter().for_each(|class| counts[*class] += 1);
    counts
}

/// Standardizes rows for training and testing by the training rows. Missing values become 0.
pub fn standardized(mut train: Array2<f64>, mut test: Array2<f64>) -> (Array2<f64>, Array2<f64>) {
    for (mut column, mut other) in train.columns_mut().into_iter().zip(test.columns_mut()) {
        let (mean, deviation) = Preparation::UnitVariance.scale(column.iter().copied());
        column.mapv_inplace(|value| scaled(value, mean, deviation));
        other.mapv_inplace(|value| scaled(value, mean, deviation));
    }
    (train, test)
}

/// Predicts the classes of the test rows by a logistic model: the most probable class, and the most
/// probable one in relation to its share of the fitted rows. Both are the most frequent class if no
/// model can be fitted.
pub fn classified(x: Array2<f64>, classes: &[usize], test: Array2<f64>) -> Vec<(usize, usize)> {
    let counts = class_sizes(classes);
    let most = (0..counts.len()).max_by_key(|class| counts[*class]).unwrap_or(0);
    let present = counts.iter().filter(|count| **count > 0).count();
    let targets: Array1<usize> = classes.iter().copied().collect();
    let data = DatasetBase::new(x, targets);
    let largest = |probabilities: &mut dyn Iterator<Item = (usize, f64)>| {
        let in_relation = probabilities.map(|(class, p)| (class, p / counts[class] as f64));
        in_relation.max_by(|a, b| a.1.total_cmp(&b.1)).map_or(most, |(class, _)| class)
    };
    let predicted: Option<(Array1<usize>, Vec<usize>)> = match present {
        0 | 1 => None,
        2 => LogisticRegression::default().fit(&data).ok().map(|model| {
            let (pos, neg) = (model.labels().pos.class, model.labels().neg.class);
            let of = |p: &f64| largest(&mut [(neg, 1.0 - p), (pos, *p)].into_iter());
            let in_relation = model.predict_probabilities(&test).iter().map(of).collect();
            (model.predict(&test), in_relation)
        }),
        _ => MultiLogisticRegression::default().fit(&data).ok().map(|model| {
            let probabilities = model.predict_probabilities(&test);
            let of = |row: ArrayView1<'_, f64>| {
                largest(&mut model.classes().iter().copied().zip(row.iter().copied()))
            };
            let in_relation = probabilities.rows().into_iter().map(of).collect();
            (model.predict(&test), in_relation)
        }),
    };
    match predicted {
        Some((plain, in_relation)) => plain.into_iter().zip(in_relation).collect(),
        None => vec![(most, most); test.nrows()],
    }
}

#[cfg(test)]
mod tests {
    use rand::{Rng, SeedableRng};

    use super::*;

    fn rng() -> ChaCha20Rng {
        ChaCha20Rng::seed_from_u64(3)
    }

    #[test]
    fn models_on_informative_features_perform_better() {
        let mut rng = rng();
        let noise = Array2::from_shape_fn((90, 3), |_| rng.gen_range(-1.0..1.0));
        for classes in [2usize, 3] {
            let labels: Vec<usize> = (0..90).map(|i| i % classes).collect();
            let mut x = noise.clone();
            for (i, label) in labels.iter().enumerate() {
                x[(i, 1)] += 4.0 * *label as f64;
            }
            x[(4, 1)] = f64::NAN;
            let model = Downstream::new(x, Predicted::Classes(labels), self::rng());
            assert!(model.value(&[1]) > 0.9, "{}", model.value(&[1]));
            assert!(model.value(&[0, 2]) < model.baseline() + 0.2);
            assert_eq!(model.value(&[2, 0]), model.value(&[0, 2]));
            assert!((model.baseline() - 1.0 / classes as f64).abs() < 1e-12);
        }
        let y: Vec<f64> = noise.column(0).iter().map(|value| 5.0 * value + 1.0).collect();
        let model = Downstream::new(noise, Predicted::Numbers(y), self::rng());
        assert!(model.value(&[0]) > 0.999 && model.value(&[2]) < 0.2 && model.baseline() == 0.0);
    }

    /// A feature that separates the classes in the two thirds of the fit and misleads in the third
    /// of the test: one held-out fold is all wrong, for any other rows.
    #[test]
    fn one_fold_is_tested_on_a_model_of_the_others() {
        let labels: Vec<usize> = (0..60).map(|i| usize::from(i % 5 == 0)).collect();
        let dealt = |x| Downstream::new(x, Predicted::Classes(labels.clone()), rng());
        let fold = dealt(Array2::zeros((60, 1))).rows(1, true);
        let outside = dealt(Array2::zeros((60, 1))).rows(1, false);
        assert_eq!((fold.len(), outside.len()), (20, 40));
        assert!(fold.iter().all(|row| !outside.contains(row)));
        // Twelve rows of class 1 and 48 of class 0 are dealt in thirds.
        assert_eq!(fold.iter().filter(|row| labels[**row] == 1).count(), 4);
        let x = Array2::from_shape_fn((60, 1), |(row, _)| {
            let sign = if fold.contains(&row) { -1.0 } else { 1.0 };
            sign * (labels[row] as f64 - 0.5)
        });
        let model = dealt(x).held_out(1);
        assert_eq!((model.value(&[0]), model.baseline()), (0.0, 16.0 / 20.0));
    }

    /// With a rare class, the most probable class is nearly always the other one, and the accuracy
    /// hardly differs from the baseline; the balanced accuracy equals that of a cut halfway between
    /// the classes.
    #[test]
    fn rare_classes_are_measured_by_balanced_accuracy() {
        let mut rng = rng();
        let n = 600;
        let labels: Vec<usize> = (0..n).map(|i| usize::from(i % 20 == 0)).collect();
        let x = Array2::from_shape_fn((n, 2), |(i, j)| {
            let noise: f64 = (0..12).map(|_| rng.gen_range(-0.5..0.5)).sum();
            if j == 0 { noise + 1.5 * labels[i] as f64 } else { noise }
        });
        let model = Downstream::new(x, Predicted::Classes(labels), self::rng());
        assert!(model.has_rare_class());
        assert_eq!((model.baseline(), model.balanced_baseline()), (0.95, 0.5));
        let (informative, chance) = (model.performance(&[0]), model.performance(&[1]));
        assert!(informative.value < 0.97);
        // A cut halfway recognizes P(z < 0.75) = 0.773 of each class; 30 rows, a standard error of
        // 0.04.
        assert!((informative.balanced - 0.773).abs() < 0.12, "{informative:?}");
        assert!((chance.balanced - 0.5).abs() < 0.12, "{chance:?}");

        let classes = |labels: Vec<usize>| {
            let x = Array2::zeros((labels.len(), 1));
            Downstream::new(x, Predicted::Classes(labels), self::rng())
        };
        let shares = |one: usize| classes((0..100).map(|i| usize::from(i < one)).collect());
        assert!(shares(19).has_rare_class() && !shares(20).has_rare_class());
        assert!(!classes(vec![0, 2, 2, 0]).has_rare_class());
        assert_eq!(classes(vec![0, 2, 2, 0]).balanced_baseline(), 0.5);
        let numbers =
            Downstream::new(Array2::zeros((6, 1)), Predicted::Numbers(vec![1.0; 6]), self::rng());
        assert!(!numbers.has_rare_class() && numbers.performance(&[0]).balanced.is_nan());
    }

    /// Hits of 3 of 4, 0 of 1 and 1 of 2 rows.
    #[test]
    fn every_class_counts_the_same() {
        let mut recognized = Recognized::default();
        for (class, is_hit) in
            [(0, true), (3, true), (0, true), (0, false), (3, false), (1, false), (0, true)]
        {
            recognized.add(class, is_hit);
        }
        assert_eq!(recognized.mean_share(), (0.75 + 0.0 + 0.5) / 3.0);
        assert!(Recognized::default().mean_share().is_nan());
    }

    /// The share of the most frequent class is computed from the tested rows, not from all.
    #[test]
    fn the_baseline_is_computed_from_the_tested_rows() {
        // Three classes of 2, 2 and 3 rows, dealt in turn: 0 0 1 1 2 2 2 to folds 0 1 2 0 1 2 0.
        let classes = Predicted::Classes(vec![0, 0, 1, 1, 2, 2, 2]);
        let of = |fold| {
            Downstream::new(Array2::zeros((7, 1)), classes.clone(), rng()).held_out(fold).baseline()
        };
        assert_eq!([of(0), of(1), of(2)], [1.0 / 3.0, 0.5, 0.5]);
    }

    #[test]
    fn without_a_model_the_most_frequent_class_is_predicted() {
        let one = Predicted::Classes(vec![0; 7]);
        let model = Downstream::new(Array2::zeros((7, 2)), one, rng());
        assert_eq!((model.value(&[0, 1]), model.baseline()), (1.0, 1.0));
        let rare = Predicted::Classes(vec![0, 0, 0, 0, 0, 1]);
        let constant = Downstream::new(Array2::ones((6, 1)), rare, rng());
        assert!((constant.value(&[0]) - 5.0 / 6.0).abs() < 1e-12);
        let numbers = Predicted::Numbers(vec![2.0; 6]);
        assert_eq!(Downstream::new(Array2::ones((6, 1)), numbers, rng()).value(&[0]), 0.0);
    }
}
