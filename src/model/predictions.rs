//! Predictions for the rows of a table.

use crate::error::{Error, Result};
use crate::model::{Model, ModelFeature};
use crate::table::{Batch, CellFormat, Fold, LevelValues, Levels, Opening, Source, Table, fold};

/// Converts a cell of a feature to a value of the model.
#[derive(Debug)]
pub(crate) struct ReadCell {
    /// The level that the cell is compared with; `None` for a number.
    level: Option<LevelValues>,
    /// Whether a NaN may be a category.
    words: bool,
}

impl ReadCell {
    /// For cells of this format, of a table with or without categories.
    ///
    /// # Errors
    ///
    /// `Request` if the level is a code for missing values in this format.
    pub(crate) fn new(feature: &ModelFeature, format: &CellFormat, words: bool) -> Result<Self> {
        let values = |level: &String| Levels::new(&feature.name, [level])?.values(format);
        Ok(Self { level: feature.level.as_ref().map(values).transpose()?, words })
    }

    /// The value of a cell.
    pub(crate) fn value(&self, cell: f64) -> f64 {
        match &self.level {
            Some(level) if self.words || !cell.is_nan() => {
                f64::from(u8::from(level.of(cell).is_some()))
            }
            Some(_) => 0.0,
            None => cell,
        }
    }
}

/// The place of a feature's values in a table.
#[derive(Debug, Clone, Copy)]
enum Place {
    Feature(usize),
    /// The column that the table treats as its target.
    Target,
}

impl Model {
    /// The predictions for all rows of a table, in their order: see [`predict`](Self::predict).
    /// Features are found by their names, all other columns are ignored. The table is read once,
    /// and not kept in memory.
    ///
    /// Predictions are functions of their rows: predictions for a sensitive table are as sensitive
    /// as the table.
    ///
    /// # Errors
    ///
    /// `Request` if the table lacks a feature; `Input` if it is malformed; `Io` if it cannot be
    /// read.
    pub fn predict_table(&self, source: &(impl Source + ?Sized)) -> Result<Vec<f64>> {
        // With one thread, blocks of rows are folded in order.
        let opening = Opening::of_all_rows(1);
        self.predict_rows(&mut *source.open(&opening)?)
    }

    fn predict_rows(&self, table: &mut dyn Table) -> Result<Vec<f64>> {
        let schema = table.schema();
        let target = schema.target().map(|place| schema.name(place));
        let features: Vec<&str> = schema.feature_names().collect();
        let (format, words) = (table.format().clone(), table.has_words());
        let place = |feature: &ModelFeature| {
            let name = feature.name.as_str();
            match features.iter().position(|feature| *feature == name) {
                Some(place) => Ok((Place::Feature(place), ReadCell::new(feature, &format, words)?)),
                None if target == Some(name) => {
                    Ok((Place::Target, ReadCell::new(feature, &format, true)?))
                }
                None => Err(Error::request(format!(
                    "the table has no column {name:?}, which the model needs"
                ))),
            }
        };
        let places: Vec<_> = self.features.iter().map(place).collect::<Result<_>>()?;
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
    places: &'a [(Place, ReadCell)],
    format: &'a CellFormat,
    values: Vec<f64>,
    predicted: Vec<f64>,
}

impl Fold for Predict<'_> {
    fn batch(&mut self, batch: &Batch<'_>) {
        batch.each(|sample| {
            self.values.clear();
            let cell = |place: &Place| match place {
                Place::Feature(place) => sample.values[*place],
                Place::Target => sample.target.map_or(f64::NAN, |cell| cell.value(self.format)),
            };
            self.values.extend(self.places.iter().map(|(place, read)| read.value(cell(place))));
            // There is one value for each feature.
            self.predicted.push(self.model.predict(&self.values).unwrap_or(f64::NAN));
        });
    }

    fn merge(&mut self, other: Self) {
        self.predicted.extend(other.predicted);
    }
}
