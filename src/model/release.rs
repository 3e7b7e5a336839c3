//! The release of a model: ranges, then sums or a minimizer, each with its part of the budget.

use num_bigint::BigInt;

use crate::account::Event;
use crate::data::{Bounds, Hooks, People, level_of};
use crate::error::Result;
use crate::exact::GRID;
use crate::model::linear;
use crate::model::logistic::{self, LogisticRows, coefficient, radius};
use crate::model::moments::{Moments, moves};
use crate::model::noise::VectorNoise;
use crate::model::ranges::{MEDIANS, RangeDraw, Weighted};
use crate::model::saved::ModelFeature;
use crate::model::variables::Variables;
use crate::privacy::{Delta, Epsilon, Neighbors, Purpose};
use crate::random::RandomnessSource;

/// The values of the features and the targets of the rows with a usable one.
pub(crate) struct Rows {
    /// Feature by feature; NaN or infinite where missing.
    pub(crate) columns: Vec<Vec<f64>>,
    /// Numbers, or 0 and 1 for two classes.
    pub(crate) targets: Vec<f64>,
    /// The weight of each row, if rows are those of people, whose weights add up to at most
    /// [`People::WEIGHT`].
    pub(crate) weights: Option<Vec<u16>>,
}

impl Rows {
    /// The most that the weights of a unit's rows add up to.
    fn unit(&self) -> u16 {
        if self.weights.is_none() { 1 } else { People::WEIGHT }
    }

    fn weight(&self, row: usize) -> u16 {
        self.weights.as_ref().map_or(1, |weights| weights[row])
    }

    /// Values, one of each row, with their weights.
    fn weighted<'a>(&'a self, values: &'a [f64]) -> Weighted<'a> {
        Weighted { values, weights: self.weights.as_deref(), unit: self.unit() }
    }
}

/// The kind of regression.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Regression {
    /// Of a number, by its range if that is stated, else around its median if that was released
    /// before.
    Linear { range: Option<Bounds>, center: Option<f64> },
    /// Of two classes, with this strength of the regularization.
    Logistic { lambda: f64 },
}

/// The parts of the budget.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ModelBudget {
    /// For all ranges that are not stated together; `None` if there are none.
    pub(crate) ranges: Option<Epsilon>,
    pub(crate) model: Epsilon,
    pub(crate) delta: Delta,
}

/// A column of a model.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Term {
    /// The name of its feature.
    pub(crate) name: String,
    /// The place of the feature in the table.
    pub(crate) place: usize,
    pub(crate) values: TermValues,
}

/// The values of a column of a model.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum TermValues {
    /// Numbers, and their range if it is stated.
    Numbers(Option<Bounds>),
    /// 1 where the feature is at this level and else 0, compared with the first one.
    Level { number: usize, level: String, reference: String },
}

impl Term {
    /// The value of the column by that of the feature.
    pub(crate) fn value(&self, feature: f64) -> f64 {
        match &self.values {
            TermValues::Numbers(_) => feature,
            TermValues::Level { number, .. } => {
                f64::from(u8::from(level_of(feature) == Some(*number)))
            }
        }
    }

    /// The range whose middle and upper end are the grid's, if it need not be drawn.
    ///
    /// # Errors
    ///
    /// None for the range of a level.
    fn range(&self) -> Result<Option<Bounds>> {
        match &self.values {
            TermValues::Numbers(range) => Ok(*range),
            // 0 is the middle of the grid: a level that a row is not at weighs nothing.
            TermValues::Level { .. } => Bounds::new(-1.0, 1.0).map(Some),
        }
    }

    /// The column with its coefficient, for numbers within this range.
    fn feature(&self, coefficient: f64, range: &Bounds) -> ModelFeature {
        let (level, reference, range) = match &self.values {
            TermValues::Numbers(_) => (None, None, [range.low(), range.high()]),
            TermValues::Level { level, reference, .. } => {
                (Some(level.clone()), Some(reference.clone()), [0.0, 1.0])
            }
        };
        let (name, noise) = (self.name.clone(), None);
        ModelFeature { name, level, reference, coefficient, noise, low: None, high: None, range }
    }
}

/// A model to be fitted.
#[derive(Debug, Clone)]
pub(crate) struct ModelRequest {
    pub(crate) regression: Regression,
    /// Its columns; levels of one feature stand beside each other.
    pub(crate) terms: Vec<Term>,
    pub(crate) neighbors: Neighbors,
    pub(crate) budget: ModelBudget,
    /// Whether the whole budget goes to the mean of a numeric target, and every coefficient is 0.
    pub(crate) mean_only: bool,
}

/// A model as it was released.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ReleasedModel {
    /// `None` if there are too few rows for a model: not even the mean of the target would predict.
    pub(crate) fit: Option<Coefficients>,
    /// The range of a numeric target.
    pub(crate) target: Option<Bounds>,
    /// The noisy number of rows, if it was released.
    pub(crate) rows: Option<f64>,
    pub(crate) price: ModelPrice,
}

/// The coefficients of a model.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Coefficients {
    pub(crate) intercept: f64,
    pub(crate) features: Vec<ModelFeature>,
}

/// The price of a model, by its request alone.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ModelPrice {
    /// The delta that is spent.
    pub(crate) delta: Delta,
    /// The release after that of the ranges.
    pub(crate) event: Event,
    /// The number of rows below which the model is mostly noise: where the medians of the ranges
    /// are drawn at random, or the noise of a coefficient is about as large as what most tables can
    /// tell of it (by simulation).
    pub(crate) rows_needed: f64,
}

impl ModelRequest {
    /// The number of medians to draw for the ranges.
    pub(crate) fn medians(&self) -> usize {
        let drawn = |term: &&Term| term.values == TermValues::Numbers(None);
        let features = if self.mean_only { 0 } else { self.terms.iter().filter(drawn).count() };
        let target = match &self.regression {
            Regression::Linear { range: None, center: Some(_) } if !self.mean_only => 1,
            Regression::Linear { range: None, .. } => MEDIANS,
            _ => 0,
        };
        MEDIANS * features + target
    }

    /// The price of the model.
    ///
    /// # Errors
    ///
    /// `Request` for a delta without a price.
    pub(crate) fn price(&self) -> Result<ModelPrice> {
        self.noise().map(|(_, price)| price)
    }

    /// The features as variables.
    fn variables(&self) -> Variables {
        let column = |term: &Term| match term.values {
            TermValues::Numbers(_) => None,
            TermValues::Level { .. } => Some(term.place),
        };
        let of_terms = self.terms.iter().map(column);
        Variables::new(if self.mean_only { Vec::new() } else { of_terms.collect() })
    }

    /// The noise of the model's statistics, and its price.
    fn noise(&self) -> Result<(VectorNoise, ModelPrice)> {
        let (moves, row) = match &self.regression {
            Regression::Linear { .. } => {
                (moves(&self.variables().and_target(), GRID, self.neighbors), f64::from(GRID))
            }
            Regression::Logistic { .. } => {
                let moves = logistic::moves(self.terms.len() + 1, self.neighbors);
                (moves, moves.largest as f64)
            }
        };
        let noise = VectorNoise::new(&moves, &self.budget.model, &self.budget.delta)?;
        let price = ModelPrice {
            delta: noise.delta.clone(),
            event: noise.event()?,
            rows_needed: self.rows_needed(noise.deviation / row),
        };
        Ok((noise, price))
    }

    /// See [`ModelPrice::rows_needed`]; the noise hides this number of rows in one standard
    /// deviation of a component.
    fn rows_needed(&self, hidden: f64) -> f64 {
        /// P(a median is a point apart from all values) is e^-this before it is multiplied by their
        /// number.
        const RANKS: f64 = 14.0;
        let steps = self.neighbors.steps() as f64;
        let part = |epsilon: &Epsilon| epsilon.to_f64() / self.medians().max(1) as f64;
        let ranges = self.budget.ranges.as_ref().map_or(0.0, |e| 2.0 * RANKS * steps / part(e));
        let k = self.terms.len() as f64;
        ranges.max(10.0 * hidden * (k + 1.0).sqrt())
    }

    /// The ranges of the features, then that of a numeric target: stated or drawn.
    fn all_ranges(&self, rows: &Rows, randomness: &RandomnessSource) -> Result<Vec<Bounds>> {
        let bits = randomness.bits(Purpose::Ranges.draw());
        let part = self.budget.ranges.as_ref().map(|epsilon| {
            Epsilon::part(epsilon.as_rational() / BigInt::from(self.medians().max(1)))
        });
        let range = |number: usize, values: &[f64], stated: Option<Bounds>, center| {
            let values = rows.weighted(values);
            match (stated, &part) {
                (Some(stated), _) => Ok(stated),
                // Of a feature whose coefficient is 0 no range is needed.
                (None, _) if self.mean_only && number < rows.columns.len() => {
                    Bounds::new(-1.0, 1.0)
                }
                (None, Some(epsilon)) => {
                    let bits = bits.branch(number as u64);
                    RangeDraw { neighbors: self.neighbors, epsilon, bits }.range(&values, center)
                }
                // Nothing was claimed for it, so that no value may be used.
                (None, None) => Bounds::new(-1.0, 1.0),
            }
        };
        let features = rows.columns.iter().zip(&self.terms).enumerate();
        let mut all: Vec<Bounds> = features
            .map(|(number, (values, term))| range(number, values, term.range()?, None))
            .collect::<Result<_>>()?;
        if let Regression::Linear { range: stated, center } = &self.regression {
            let center = if self.mean_only { &None } else { center };
            all.push(range(rows.columns.len(), &rows.targets, *stated, *center)?);
        }
        Ok(all)
    }
}

/// A mean whose noise is expected to be worse than predicting the true one by more than this share
/// of the target's variance is no model.
const MOST_LOSS: f64 = 0.05;

/// Fits a model and releases it.
///
/// # Errors
///
/// `Request` for a delta without a price; `Canceled` if the caller stopped it.
pub(crate) fn fit_model(
    request: &ModelRequest,
    rows: &Rows,
    randomness: &RandomnessSource,
    hooks: &Hooks,
) -> Result<ReleasedModel> {
    let ranges = request.all_ranges(rows, randomness)?;
    hooks.check()?;
    let k = rows.columns.len();
    let (noise, price) = request.noise()?;
    let bits = randomness.bits(Purpose::Model.draw());
    let grid = |row: usize, values: &mut Vec<i16>| {
        values.clear();
        values.extend(
            rows.columns.iter().zip(&ranges).map(|(column, range)| on_grid(range, column[row])),
        );
    };
    let mut values = Vec::with_capacity(k + 1);
    let (variables, used) = (request.variables(), if request.mean_only { 0 } else { k });
    let feature = |j: usize, coefficient: f64, half_width: Option<f64>| ModelFeature {
        low: half_width.map(|half| coefficient - half),
        high: half_width.map(|half| coefficient + half),
        ..request.terms[j].feature(coefficient, &ranges[j])
    };
    let middles = |features: &[ModelFeature]| -> f64 {
        features.iter().zip(&ranges).map(|(f, range)| f.coefficient * range.middle()).sum()
    };
    match &request.regression {
        Regression::Linear { .. } => {
            let mut moments = Moments::new(variables.and_target(), GRID);
            let target = &ranges[k];
            for row in 0..rows.targets.len() {
                grid(row, &mut values);
                values.truncate(used);
                values.push(on_grid(target, rows.targets[row]));
                moments.add(&values, rows.weight(row));
            }
            let noisy = noise.add(&moments.sums(rows.unit()), &bits);
            let fit = linear::fit(&noisy, &variables, GRID, noise.deviation);
            let unit = |j: usize| target.half() / ranges[j].half();
            let of = |j: usize| match request.mean_only {
                true => feature(j, 0.0, None),
                false => feature(j, fit.slopes[j] * unit(j), Some(fit.half_widths[j] * unit(j))),
            };
            let features: Vec<ModelFeature> = (0..k).map(of).collect();
            let coefficients = || Coefficients {
                intercept: target.middle() + target.half() * fit.intercept - middles(&features),
                features: features.clone(),
            };
            Ok(ReleasedModel {
                fit: (fit.loss_of_mean <= MOST_LOSS).then(coefficients),
                target: Some(*target),
                rows: Some(fit.rows),
                price,
            })
        }
        Regression::Logistic { lambda } => {
            let mut table = LogisticRows::new(&variables, GRID, *lambda, rows.unit());
            for row in 0..rows.targets.len() {
                grid(row, &mut values);
                table.add(&values, rows.targets[row] > 0.5, rows.weight(row));
            }
            let noisy = noise.add(&table.minimize(hooks)?, &bits);
            let radius = radius(&variables);
            let w: Vec<f64> = noisy
                .iter()
                .map(|&integer| coefficient(integer as f64, *lambda) / radius)
                .collect();
            let deviation = coefficient(noise.deviation, *lambda) / radius;
            let of = |j: usize| ModelFeature {
                noise: Some(deviation / ranges[j].half()),
                ..feature(j, w[j + 1] / ranges[j].half(), None)
            };
            let features: Vec<ModelFeature> = (0..k).map(of).collect();
            Ok(ReleasedModel {
                fit: Some(Coefficients { intercept: w[0] - middles(&features), features }),
                target: None,
                rows: None,
                price,
            })
        }
    }
}

/// The grid value of a cell: 0, the middle, if it is no number.
fn on_grid(range: &Bounds, value: f64) -> i16 {
    if value.is_finite() { range.to_grid(value) } else { 0 }
}
