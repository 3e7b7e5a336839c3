//! A model as JSON, and its predictions.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::privacy::Neighbors;
use crate::table::Levels;

/// The version of the JSON format of models. Version 1 has no levels.
const FORMAT: u32 = 2;

/// A private model: all that a prediction needs, with the guarantee of its release.
///
/// ```
/// use dpsis::model::Model;
///
/// let text = r#"{
///   "format": 2, "version": "0.1.0", "kind": "linear", "target": {"name": "y", "range": [0.0, 10.0]},
///   "intercept": 1.5,
///   "features": [{"name": "dose", "coefficient": 2.0, "low": 1.9, "high": 2.1, "range": [0.0, 4.0]}],
///   "missing": "the middle of the range",
///   "guarantee": {"private": true, "epsilon": "2", "delta": "0", "neighbors": "add/remove", "unit": "row", "events": ["pure:2"]}
/// }"#;
/// let model = Model::from_json(text)?;
/// assert_eq!(model.predict(&[3.0])?, 7.5);
/// assert_eq!(model.predict(&[99.0])?, 9.5); // clipped to 4
/// assert_eq!(model.predict(&[f64::NAN])?, 5.5); // missing: 2, the middle
/// # Ok::<(), dpsis::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
#[non_exhaustive]
pub struct Model {
    /// The version of the format: 2, or 1 for a model of an older program.
    pub format: u32,
    /// The version of the program that made it.
    pub version: String,
    /// The kind of the model.
    pub kind: ModelKind,
    /// The target that it predicts.
    pub target: ModelTarget,
    /// The prediction, or its log-odds, where all values are 0.
    pub intercept: f64,
    /// The features, and for each feature with levels all levels except the first, in the order of
    /// the values of a row.
    pub features: Vec<ModelFeature>,
    /// The value that replaces a missing number: `the middle of the range`.
    pub missing: String,
    /// The guarantee of the whole release.
    pub guarantee: ModelGuarantee,
}

/// The kind of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ModelKind {
    /// A number is predicted.
    Linear,
    /// The probability of the second of two classes is predicted.
    Logistic,
}

/// The target of a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ModelTarget {
    /// The name of the target; `None` if it was not part of the table.
    pub name: Option<String>,
    /// The two classes of a logistic model.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub classes: Option<[String; 2]>,
    /// The range to which the target of a linear model was clipped.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub range: Option<[f64; 2]>,
}

/// A feature of a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ModelFeature {
    /// Its name.
    pub name: String,
    /// The level of the coefficient; `None` for a numeric feature. The value is 1 if a row is at
    /// this level, else 0.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub level: Option<String>,
    /// The level that it is compared with.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reference: Option<String>,
    /// Its coefficient, in units of the target (or of log-odds) per unit of the feature.
    pub coefficient: f64,
    /// The standard deviation of the privacy noise in the coefficient; logistic models only. A
    /// coefficient within two standard deviations of 0 is not distinguishable from 0.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub noise: Option<f64>,
    /// The lower end of an approximate 90% interval of the coefficient, for noise and sampling;
    /// linear models only.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub low: Option<f64>,
    /// The upper end.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub high: Option<f64>,
    /// The range to which values are clipped, given or drawn; for a level from 0 to 1.
    pub range: [f64; 2],
}

impl ModelFeature {
    /// The name, with the level if there is one: `stage=II`.
    pub fn label(&self) -> String {
        match &self.level {
            Some(level) => format!("{}={level}", self.name),
            None => self.name.clone(),
        }
    }

    /// Whether its coefficient is not distinguishable from 0, by its noise or its interval; `None`
    /// without either, as in a model of the mean.
    pub(crate) fn is_like_zero(&self) -> Option<bool> {
        match (self.low, self.high, self.noise) {
            (Some(low), Some(high), _) => Some(low <= 0.0 && 0.0 <= high),
            (_, _, Some(noise)) => Some(self.coefficient.abs() <= 2.0 * noise),
            _ => None,
        }
    }
}

/// The guarantee of a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ModelGuarantee {
    /// Whether it holds: not if the draws came from a given seed.
    pub private: bool,
    /// The total epsilon, as exact text.
    pub epsilon: String,
    /// The total delta, as exact text.
    pub delta: String,
    /// The neighbor relation.
    pub neighbors: Neighbors,
    /// The unit of privacy.
    pub unit: String,
    /// The events of the release, in the notation of accountants.
    pub events: Vec<String>,
}

/// A model as read, whose numbers are not checked.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Unchecked {
    format: u32,
    version: String,
    kind: ModelKind,
    target: ModelTarget,
    intercept: f64,
    features: Vec<ModelFeature>,
    missing: String,
    guarantee: ModelGuarantee,
}

/// The text for the value that replaces a missing one.
pub(crate) const MIDDLE: &str = "the middle of the range";

impl TryFrom<Unchecked> for Model {
    type Error = Error;

    fn try_from(read: Unchecked) -> Result<Self> {
        let Unchecked { format, version, kind, target, intercept, features, missing, guarantee } =
            read;
        Self { format, version, kind, target, intercept, features, missing, guarantee }.checked()
    }
}

impl Model {
    /// A model of the current format.
    ///
    /// # Errors
    ///
    /// `Input` for numbers that are not finite.
    pub(crate) fn new(
        kind: ModelKind,
        target: ModelTarget,
        intercept: f64,
        features: Vec<ModelFeature>,
        guarantee: ModelGuarantee,
    ) -> Result<Self> {
        let (version, missing) = (env!("CARGO_PKG_VERSION").to_owned(), MIDDLE.to_owned());
        Self { format: FORMAT, version, kind, target, intercept, features, missing, guarantee }
            .checked()
    }

    fn checked(self) -> Result<Self> {
        let wrong = |rule: &str| Err(Error::input(rule));
        if !(1..=FORMAT).contains(&self.format) {
            return wrong(
                "the model is of another form than 1 or 2: another version of the program made it",
            );
        }
        let ends =
            |range: &[f64; 2]| range[0] < range[1] && range.iter().all(|end| end.is_finite());
        let is_number = |number: &f64| number.is_finite();
        let whole = |feature: &ModelFeature| {
            is_number(&feature.coefficient)
                && ends(&feature.range)
                && feature.low.iter().chain(&feature.high).chain(&feature.noise).all(is_number)
        };
        if !(is_number(&self.intercept) && self.features.iter().all(whole)) {
            return wrong(
                "a model's numbers must be finite, and ranges have their lower end first",
            );
        }
        if self.features.iter().any(|feature| feature.name.is_empty()) {
            return wrong("a model's features need names");
        }
        if !self.has_sound_levels() {
            return wrong(
                "a model's features differ in name, or are 0 or 1 for levels that stand together, against one other level",
            );
        }
        let fits = match self.kind {
            ModelKind::Linear => {
                self.target.classes.is_none() && self.target.range.iter().all(ends)
            }
            ModelKind::Logistic => self.target.classes.is_some() && self.target.range.is_none(),
        };
        if !fits {
            return wrong("a linear model has no classes, and a logistic one has two");
        }
        if self.missing != MIDDLE {
            return wrong(
                "the model gives another rule for missing values than the middle of the range",
            );
        }
        Ok(self)
    }

    /// Whether all levels of a feature are compared with one other level, as in the models of a
    /// fit.
    fn has_sound_levels(&self) -> bool {
        let of_one = |one: &ModelFeature, next: &ModelFeature| one.name == next.name;
        let columns: Vec<&[ModelFeature]> = self.features.chunk_by(of_one).collect();
        let mut names: Vec<&String> = columns.iter().map(|column| &column[0].name).collect();
        names.sort_unstable();
        let is_sound = |column: &&[ModelFeature]| match column {
            [number] if number.level.is_none() => number.reference.is_none(),
            [first, ..] => {
                let alike = |level: &ModelFeature| {
                    level.reference == first.reference && level.range == [0.0, 1.0]
                };
                let reference = first.reference.iter();
                let texts = reference.chain(column.iter().filter_map(|one| one.level.as_ref()));
                self.format > 1
                    && column.iter().all(alike)
                    && texts.clone().count() == column.len() + 1
                    && Levels::new(&first.name, texts).is_ok()
            }
            [] => true,
        };
        names.windows(2).all(|pair| pair[0] != pair[1]) && columns.iter().all(is_sound)
    }

    /// Reads a model.
    ///
    /// # Errors
    ///
    /// `Input` if the text is not a model: another format, numbers that are not finite, repeated
    /// names.
    pub fn from_json(text: &str) -> Result<Self> {
        serde_json::from_str(text)
            .map_err(|error| Error::input(format!("the model cannot be read: {error}")))
    }

    /// The model as a JSON document.
    ///
    /// # Errors
    ///
    /// `Io` if serialization fails, which no caller can cause.
    pub fn to_json(&self) -> Result<String> {
        crate::json::to_json(self)
    }

    /// The names of the features, each once.
    pub fn feature_names(&self) -> impl Iterator<Item = &str> {
        let mut last = None;
        let names = self.features.iter().map(|feature| feature.name.as_str());
        names.filter(move |name| last.replace(*name) != Some(*name))
    }

    /// The prediction for a row with these values of [`features`](Self::features): the number,
    /// clipped to the range of the target, or the probability of the second class. Values are
    /// clipped to the ranges that they were fitted in; a value that is not a finite number is
    /// missing and counts as the middle of its range. The value of a level is 1 if the row is at it
    /// and 0 otherwise, also if it is missing.
    ///
    /// # Errors
    ///
    /// `Request` unless there is one value for each of them.
    pub fn predict(&self, values: &[f64]) -> Result<f64> {
        if values.len() != self.features.len() {
            let rule =
                format!("a row must have {} values, one per coefficient", self.features.len());
            return Err(Error::request(rule));
        }
        let term = |(feature, &value): (&ModelFeature, &f64)| {
            let [low, high] = feature.range;
            let missing = if feature.level.is_some() { 0.0 } else { low / 2.0 + high / 2.0 };
            let value = if value.is_finite() { value.clamp(low, high) } else { missing };
            feature.coefficient * value
        };
        let sum = self.intercept + self.features.iter().zip(values).map(term).sum::<f64>();
        Ok(match self.kind {
            ModelKind::Linear => match self.target.range {
                Some([low, high]) => sum.clamp(low, high),
                None => sum,
            },
            ModelKind::Logistic => 1.0 / (1.0 + libm::exp(-sum)),
        })
    }
}
