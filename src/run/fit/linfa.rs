//! The integration with `linfa`: parameters, checked parameters, fit, predict.

use ::linfa::Float;
use ::linfa::ParamGuard;
use ::linfa::dataset::{AsSingleTargets, DatasetBase, Records};
use ::linfa::traits::{Fit, PredictInplace};
use ndarray::{Array1, ArrayBase, Data, Ix2};

use crate::error::{Error, Result};
use crate::model::{Model, ModelFeature, ReadCell};
use crate::privacy::NotPrivate;
use crate::run::fit::{CheckedFitModel, FitModel, FitRecord, FittedModel, NotPrivateFitModel};
use crate::run::linfa::table;
use crate::table::{CellFormat, Element, ToTarget};

impl ParamGuard for FitModel {
    type Checked = CheckedFitModel;
    type Error = Error;

    fn check_ref(&self) -> Result<&CheckedFitModel> {
        Self::check_ref(self)
    }

    fn check(self) -> Result<CheckedFitModel> {
        Self::check(self)
    }
}

/// Selects features of a dataset and fits a model to them.
///
/// # Errors
///
/// As for [`CheckedFitModel::run`]; `Request` if the samples have weights.
impl<F, D, T> Fit<ArrayBase<D, Ix2>, T, Error> for CheckedFitModel
where
    F: Float + Element,
    D: Data<Elem = F>,
    T: AsSingleTargets<Elem: ToTarget>,
{
    type Object = FittedModel;

    fn fit(&self, dataset: &DatasetBase<ArrayBase<D, Ix2>, T>) -> Result<FittedModel> {
        self.run(&table(dataset)?)
    }
}

/// Like fitting a [`CheckedFitModel`], for a request that is not private.
impl<F, D, T> Fit<ArrayBase<D, Ix2>, T, Error> for NotPrivateFitModel
where
    F: Float + Element,
    D: Data<Elem = F>,
    T: AsSingleTargets<Elem: ToTarget>,
{
    type Object = NotPrivate<FitRecord>;

    fn fit(&self, dataset: &DatasetBase<ArrayBase<D, Ix2>, T>) -> Result<NotPrivate<FitRecord>> {
        self.run(&table(dataset)?)
    }
}

/// Predicts the target, or the probability of its second class, from a matrix with all features of
/// the table that the model was fitted to. Without a model, or for a matrix with another number of
/// columns, every prediction is NaN.
impl<F, D> PredictInplace<ArrayBase<D, Ix2>, Array1<f64>> for FitRecord
where
    F: Float + Element,
    D: Data<Elem = F>,
{
    fn predict_inplace(&self, x: &ArrayBase<D, Ix2>, y: &mut Array1<f64>) {
        let read = |feature: &ModelFeature| ReadCell::new(feature, &CellFormat::default(), false);
        let cells = |model: &Model| model.features.iter().map(read).collect::<Result<Vec<_>>>();
        let model = self.model.as_ref().filter(|_| x.ncols() == self.table_features);
        let model = model.and_then(|model| Some((model, cells(model).ok()?)));
        for (row, predicted) in x.rows().into_iter().zip(y) {
            let value = |(cell, &place): (&ReadCell, &usize)| cell.value(row[place].into());
            *predicted = match &model {
                Some((model, cells)) => {
                    let values: Vec<f64> = cells.iter().zip(&self.places).map(value).collect();
                    model.predict(&values).unwrap_or(f64::NAN)
                }
                None => f64::NAN,
            };
        }
    }

    fn default_target(&self, x: &ArrayBase<D, Ix2>) -> Array1<f64> {
        Array1::zeros(x.nrows())
    }
}

/// Predicts as the [`FitRecord`] does.
impl<R: Records, T> PredictInplace<R, T> for FittedModel
where
    FitRecord: PredictInplace<R, T>,
{
    fn predict_inplace(&self, x: &R, y: &mut T) {
        FitRecord::predict_inplace(self, x, y);
    }

    fn default_target(&self, x: &R) -> T {
        FitRecord::default_target(self, x)
    }
}
