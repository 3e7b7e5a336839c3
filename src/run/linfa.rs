//! The integration with `linfa`: parameters, checked parameters, fit, transformer.

use ::linfa::dataset::{AsSingleTargets, DatasetBase};
use ::linfa::traits::{Fit, Transformer};
use ::linfa::{Float, ParamGuard};
use ndarray::{Array2, ArrayBase, Data, Ix2};

use crate::error::{Error, Result};
use crate::privacy::NotPrivate;
use crate::release::record::{Record, Selection};
use crate::request::builder::{CheckedSelect, Select};
use crate::request::not_private::NotPrivateSelect;
use crate::table::{ArrayTable, Element, ToTarget};

impl ParamGuard for Select {
    type Checked = CheckedSelect;
    type Error = Error;

    fn check_ref(&self) -> Result<&CheckedSelect> {
        Self::check_ref(self)
    }

    fn check(self) -> Result<CheckedSelect> {
        Self::check(self)
    }
}

/// Selects features of a dataset by its feature names. Targets are numbers or labels: see
/// [`ToTarget`].
///
/// # Errors
///
/// As for [`CheckedSelect::run`]; `Request` if the samples have weights.
impl<F, D, T> Fit<ArrayBase<D, Ix2>, T, Error> for CheckedSelect
where
    F: Float + Element,
    D: Data<Elem = F>,
    T: AsSingleTargets<Elem: ToTarget>,
{
    type Object = Selection;

    fn fit(&self, dataset: &DatasetBase<ArrayBase<D, Ix2>, T>) -> Result<Selection> {
        self.run(&table(dataset)?)
    }
}

/// Like fitting a [`CheckedSelect`], for a request that is not private.
impl<F, D, T> Fit<ArrayBase<D, Ix2>, T, Error> for NotPrivateSelect
where
    F: Float + Element,
    D: Data<Elem = F>,
    T: AsSingleTargets<Elem: ToTarget>,
{
    type Object = NotPrivate<Record>;

    fn fit(&self, dataset: &DatasetBase<ArrayBase<D, Ix2>, T>) -> Result<NotPrivate<Record>> {
        self.run(&table(dataset)?)
    }
}

pub(crate) fn table<F, D, T>(
    dataset: &DatasetBase<ArrayBase<D, Ix2>, T>,
) -> Result<ArrayTable<'_, F>>
where
    F: Float + Element,
    D: Data<Elem = F>,
    T: AsSingleTargets<Elem: ToTarget>,
{
    if dataset.weights().is_some() {
        return Err(Error::request(
            "no sensitivity is proven for weighted samples: remove the weights",
        ));
    }
    let table = ArrayTable::new(dataset.records.view(), dataset.as_single_targets())?;
    match dataset.feature_names() {
        [] => Ok(table),
        names => table.feature_names(names),
    }
}

/// Reduces a matrix to the selected columns, see [`Record::columns_of`].
impl<F: Float, D: Data<Elem = F>> Transformer<ArrayBase<D, Ix2>, Result<Array2<F>>> for Record {
    fn transform(&self, x: ArrayBase<D, Ix2>) -> Result<Array2<F>> {
        self.columns_of(x.view())
    }
}

/// Reduces a dataset to the selected features. Targets, weights and the names of the selected
/// features are kept.
///
/// The reduced dataset contains data: it needs the same protection as the original.
///
/// # Errors
///
/// `Request` if the dataset does not have the features that were selected from: another number of
/// features, or, if it has names, other names in the places of the selected features.
impl<F, D, T> Transformer<DatasetBase<ArrayBase<D, Ix2>, T>, Result<DatasetBase<Array2<F>, T>>>
    for Record
where
    F: Float,
    D: Data<Elem = F>,
    T: AsSingleTargets,
{
    fn transform(
        &self,
        dataset: DatasetBase<ArrayBase<D, Ix2>, T>,
    ) -> Result<DatasetBase<Array2<F>, T>> {
        let records = self.columns_of(dataset.records.view())?;
        let names = dataset.feature_names().to_vec();
        let kept =
            |picked: &crate::release::record::Picked| names.get(picked.index) == Some(&picked.name);
        if !names.is_empty() && !self.selected.iter().all(kept) {
            return Err(Error::request("the dataset has other feature names"));
        }
        let target_names = dataset.target_names().to_vec();
        let DatasetBase { targets, weights, .. } = dataset;
        let mut reduced = DatasetBase::new(records, targets);
        if !weights.is_empty() {
            reduced = reduced.with_weights(weights);
        }
        let names = self.selected.iter().map(|picked| picked.name.clone()).collect();
        reduced = reduced.with_feature_names::<String>(names);
        // A dataset may have target names without the targets.
        Ok(match target_names.len() {
            1 => reduced.with_target_names(target_names),
            _ => reduced,
        })
    }
}

impl<R: ::linfa::dataset::Records, T> Transformer<R, T> for Selection
where
    Record: Transformer<R, T>,
{
    fn transform(&self, x: R) -> T {
        Record::transform(self, x)
    }
}
