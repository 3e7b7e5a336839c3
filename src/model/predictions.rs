//! Predictions for the rows of a table.

use crate::data::{Batch, CellFormat, Fold, Hooks, Opening, Source, Table, fold};
use crate::error::{Error, Result};
use crate::model::Model;

/// Where a feature's values are in a table.
#[derive(Debug, Clone, Copy)]
enum Place {
    Feature(usize),
    /// The column that the table has for its target.
    Target,
}

impl Model {
    /// The predictions for all rows of a table, in their order: see [`predict`](Self::predict).
    /// Features are found by their names, all other columns are ignored. The table is read once,
    /// and held nowhere.
    ///
    /// Predictions are functions of the rows that they are for: for the rows of a sensitive table
    /// they are as sensitive.
    ///
    /// # Errors
    ///
    /// `Request` if the table lacks a feature; `Input` if it is malformed; `Io` if it cannot be
    /// read.
    pub fn predict_table(&self, source: &(impl Source + ?Sized)) -> Result<Vec<f64>> {
        // With one thread, blocks of rows are folded in order.
        let opening = Opening { threads: 1, hooks: Hooks::default(), memory: None, labels: None };
        self.predict_rows(&mut *source.open(&opening)?)
    }

    fn predict_rows(&self, table: &mut dyn Table) -> Result<Vec<f64>> {
        let schema = table.schema();
        let target = schema.target().map(|place| schema.name(place));
        let features: Vec<&str> = schema.feature_names().collect();
        let place = |name: &str| match features.iter().position(|feature| *feature == name) {
            Some(place) => Ok(Place::Feature(place)),
            None if target == Some(name) => Ok(Place::Target),
            None => Err(Error::request(format!(
                "the table has no column {name:?}, which the model needs"
            ))),
        };
        let places: Vec<Place> = self.feature_names().map(place).collect::<Result<_>>()?;
        let format = table.format().clone();
        let new = || Predict {
            model: self,
            places: &places,
            format: &format,
            values: Vec::new(),
            predicted: Vec::new(),
        };
        Ok(fold(table, &new)?.predicted)
    }
}

struct Predict<'a> {
    model: &'a Model,
    places: &'a [Place],
    format: &'a CellFormat,
    values: Vec<f64>,
    predicted: Vec<f64>,
}

impl Fold for Predict<'_> {
    fn batch(&mut self, batch: &Batch<'_>) {
        batch.each(|sample| {
            self.values.clear();
            self.values.extend(self.places.iter().map(|place| match place {
                Place::Feature(place) => sample.values[*place],
                Place::Target => {
                    sample.target.and_then(|cell| cell.number(self.format)).unwrap_or(f64::NAN)
                }
            }));
            // There is one value for each feature.
            self.predicted.push(self.model.predict(&self.values).unwrap_or(f64::NAN));
        });
    }

    fn merge(&mut self, other: Self) {
        self.predicted.extend(other.predicted);
    }
}
