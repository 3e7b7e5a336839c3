//! The record of a fit.

use std::ops::Deref;

use serde::{Deserialize, Serialize};

#[cfg(feature = "html")]
use crate::error::Error;
use crate::error::Result;
use crate::json::{Kept, read_json_with, to_json_with};
use crate::model::Model;
#[cfg(feature = "html")]
use crate::model::ModelGuarantee;
use crate::privacy::{Receipt, RecordsPrivacy};
#[cfg(feature = "html")]
use crate::release::record::EntropySource;
use crate::release::record::{Command, Guarantee, Omitted, RandomnessUsed, Record, Warning};
use crate::release::run_note::RunNote;

/// A private model: the [`FitRecord`] of a release, to which it dereferences. Only a private run
/// makes one.
///
/// With the feature `linfa` it predicts, from a matrix with all features of the table that it was
/// fitted to.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct FittedModel(FitRecord);

impl FittedModel {
    pub(super) fn new(record: FitRecord) -> Self {
        Self(record)
    }

    /// The same model with the receipt of the ledger that was charged.
    pub(super) fn with_receipt(mut self, receipt: Receipt) -> Self {
        self.0.ledger = Some(receipt);
        self
    }

    /// The same model with a note on its run, or without one.
    pub fn with_run(self, run: impl Into<Option<RunNote>>) -> Self {
        Self(self.0.with_run(run))
    }
}

/// The values of a record that its JSON omits.
#[derive(Serialize, Deserialize)]
struct OmittedOfFit {
    selection: Option<Omitted>,
    needs: String,
    table_features: usize,
    places: Vec<usize>,
}

impl Kept for FittedModel {
    fn to_kept(&self) -> Result<String> {
        let FitRecord { selection, needs, table_features, places, .. } = &self.0;
        let omitted = OmittedOfFit {
            selection: selection.as_ref().map(Record::omitted),
            needs: needs.clone(),
            table_features: *table_features,
            places: places.clone(),
        };
        to_json_with(self, &omitted)
    }

    fn from_kept(text: &str) -> Result<Self> {
        let (record, omitted): (FitRecord, OmittedOfFit) = read_json_with(text)?;
        let OmittedOfFit { selection, needs, table_features, places } = omitted;
        let restored = record.selection.clone().zip(selection);
        let selection = restored.map(|(record, omitted)| record.with_omitted(omitted));
        Ok(Self(FitRecord { selection, needs, table_features, places, ..record }))
    }
}

impl FitRecord {
    /// The same record with a note on its run, or without one.
    #[must_use]
    pub fn with_run(self, run: impl Into<Option<RunNote>>) -> Self {
        Self { run: run.into(), ..self }
    }
}

impl Deref for FittedModel {
    type Target = FitRecord;

    fn deref(&self) -> &FitRecord {
        &self.0
    }
}

/// The result of a fit with its guarantee and assumptions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FitRecord {
    /// Version of this program.
    pub version: String,
    /// The command that made it.
    pub command: Command,
    /// The day and the request, if the program that ran it gives them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<RunNote>,
    /// The ledger that was charged, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ledger: Option<Receipt>,
    /// Whether the guarantee holds: false if seeded.
    pub private: bool,
    /// The model; `None` if the released values do not determine even the mean of the target, or a
    /// number of the model is not finite.
    pub model: Option<Model>,
    /// The selection of its features, unless they were given; its guarantee covers its own part of
    /// the budget.
    pub selection: Option<Record>,
    /// The guarantee for the whole fit, and the parts of the budget.
    pub guarantee: Guarantee,
    /// The facts that the model took as public, besides its features; `None` in records of earlier
    /// versions and of a model that was saved alone.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub given: Option<GivenToModel>,
    /// A private estimate of the number of rows that the model was fitted to, if one was released.
    pub rows_estimate: Option<u64>,
    /// The number of usable rows, or people, below which a model of this many features is mostly
    /// noise under this budget (by simulation).
    pub rows_needed: u64,
    /// The same as text.
    #[serde(skip)]
    pub(crate) needs: String,
    /// The regularization parameter lambda of a logistic model, given or by default; `None` if it
    /// has no coefficients.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lambda: Option<f64>,
    /// The source of randomness.
    pub randomness: RandomnessUsed,
    /// Caveats of the model, besides the warnings of the selection.
    pub warnings: Vec<Warning>,
    /// The number of features of the table.
    #[serde(skip)]
    pub(super) table_features: usize,
    /// The indices of the model's features among them.
    #[serde(skip)]
    pub(super) places: Vec<usize>,
}

/// The ranges and levels that a model took as public. Ranges that were not given were drawn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct GivenToModel {
    /// Whether the ranges of its numeric features were given.
    pub feature_ranges: bool,
    /// Whether the range of a numeric target was given.
    pub target_range: bool,
    /// The features whose levels were given.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub levels: Vec<String>,
}

impl FitRecord {
    /// The record of a model that was saved without its record: its selection, the parts of its
    /// budget and its rows are unknown.
    ///
    /// # Errors
    ///
    /// `Input` if its guarantee is not one.
    #[cfg(feature = "html")]
    pub(crate) fn of_model(model: Model) -> Result<Self> {
        let wrong = |_| Error::input("the model has no proper guarantee");
        let read = |text: &str| serde_json::Value::String(text.to_owned());
        let ModelGuarantee { private, epsilon, delta, neighbors, unit, events } = &model.guarantee;
        let guarantee = Guarantee {
            epsilon: epsilon.parse()?,
            delta: delta.parse()?,
            pure_epsilon: None,
            neighbors: *neighbors,
            unit: serde_json::from_value(read(unit)).map_err(wrong)?,
            one_row_per_identifier: false,
            spent: Vec::new(),
            events: events.iter().map(|event| event.parse()).collect::<Result<_>>()?,
        };
        let source = match private {
            true => EntropySource::OperatingSystem,
            false => EntropySource::GivenSeed,
        };
        let randomness = RandomnessUsed { source, seeded: !private };
        Ok(Self {
            version: model.version.clone(),
            command: Command::Fit,
            run: None,
            ledger: None,
            private: *private,
            selection: None,
            guarantee,
            given: None,
            rows_estimate: None,
            rows_needed: 0,
            needs: String::new(),
            lambda: None,
            warnings: randomness.warning().into_iter().collect(),
            randomness,
            table_features: 0,
            places: Vec::new(),
            model: Some(model),
        })
    }

    /// The 0-based index of the feature of each coefficient among all features of the table, in the
    /// model's order.
    pub fn indices(&self) -> &[usize] {
        &self.places
    }

    /// All caveats: the warnings of the model, then the selection's warnings of other kinds.
    pub fn all_warnings(&self) -> impl Iterator<Item = &Warning> {
        let inner = self.selection.iter().flat_map(|record| &record.warnings);
        let known = |kind| self.warnings.iter().any(|warning| warning.kind == kind);
        self.warnings.iter().chain(inner.filter(move |warning| !known(warning.kind)))
    }
}

impl RecordsPrivacy for FitRecord {}
