//! The release of a model: ranges, then sums or a minimizer, each with its part of the budget.
//!
//! # Too few rows
//!
//! With few rows, the medians of a range are drawn from all numbers of their grid: a range may lie
//! around 1e14, or be a billionth of its center, and the intercept of a model in the units of the
//! columns is then as large. If released numbers do not determine coefficients, all of them are 0,
//! and every prediction is the released mean of the target or the released share of the second
//! class:
//!
//! - The count of rows is below [`ModelPrice::rows_needed`]: the count of the selection, else that
//!   of the sums of a linear model, else a count with its own part of the ranges' budget. The
//!   logistic model then spends its budget on the counts of the two classes.
//! - Lambda was given, the noise of a coefficient is above 1/2 (for values from -1 to 1), and the
//!   coefficients of a logistic model are together no longer than noise alone would make them in
//!   about 97 of 100 fits. With the default lambda the noise is at most 0.4, and such coefficients
//!   predict a little better than no coefficients; a warning reports that no coefficient is
//!   distinguishable from 0.
//!
//! The log-odds of the share are ln((b + c)/(a + c)) for the noisy counts a and b, at least 0,
//! where c = 1/2 + their standard deviation. So they are at most ln(1 + max(a, b)/c), and noise
//! alone does not make a class certain. If the range of the target was drawn from too few rows, no
//! number is known to be near the target, and the release contains no model.
//!
//! # Guarantee
//!
//! Each decision is a function of released numbers and of the request. Later draws are charged
//! independently of the decision: by adaptive composition the parts add up. Replacing coefficients
//! by 0 is post-processing. So messages, warnings and files depend on rows only through released
//! numbers.
//!
//! The counts are sums of integer weights, without rounding: the weights of a person add up to at
//! most one unit over both classes, so that a person moves the counts by one unit together (L1),
//! and a replacement by two.

use num_bigint::BigInt;

use crate::account::Event;
use crate::error::Result;
use crate::exact::GRID;
use crate::model::linear;
use crate::model::logistic::{self, LogisticRows, coefficient, radius};
use crate::model::moments::{Moments, moves};
use crate::model::noise::{Moves, VectorNoise};
use crate::model::ranges::{MEDIANS, RangeDraw, Weighted};
use crate::model::saved::ModelFeature;
use crate::model::variables::Variables;
use crate::privacy::{Delta, Epsilon, Neighbors, Purpose};
use crate::random::{Bits, RandomnessSource};
use crate::table::{Bounds, Hooks, People, level_of};

/// The values of the features and the targets, for the rows with a usable target.
pub(crate) struct Rows {
    /// Feature by feature; NaN or infinite where missing.
    pub(crate) columns: Vec<Vec<f64>>,
    /// Numbers, or 0 and 1 for two classes.
    pub(crate) targets: Vec<f64>,
    /// The weight of each row, if people have several rows; the weights of a person add up to at
    /// most [`People::WEIGHT`].
    pub(crate) weights: Option<Vec<u16>>,
}

impl Rows {
    /// The maximum total weight of a unit's rows.
    fn unit(&self) -> u16 {
        if self.weights.is_none() { 1 } else { People::WEIGHT }
    }

    fn weight(&self, row: usize) -> u16 {
        self.weights.as_ref().map_or(1, |weights| weights[row])
    }

    /// The total weight of the rows of each class.
    fn class_weights(&self) -> [i64; 2] {
        let mut weights = [0; 2];
        for (row, target) in self.targets.iter().enumerate() {
            weights[usize::from(*target > 0.5)] += i64::from(self.weight(row));
        }
        weights
    }

    /// Values, one of each row, with their weights.
    fn weighted<'a>(&'a self, values: &'a [f64]) -> Weighted<'a> {
        Weighted { values, weights: self.weights.as_deref(), unit: self.unit() }
    }
}

/// The kind of regression.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Regression {
    /// Of a number: with a given range, else around its median if that was released before.
    Linear { range: Option<Bounds>, center: Option<f64> },
    /// Of two classes: with a given regularization parameter, or the default.
    Logistic { lambda: Option<f64> },
}

/// The parts of the budget.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ModelBudget {
    /// For all ranges that are not given, together; `None` if all are given.
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
    /// Numbers, and their range if it is given.
    Numbers(Option<Bounds>),
    /// 1 if the feature is at this level and 0 otherwise, compared with the first level.
    Level { number: usize, level: String, reference: String },
}

impl Term {
    /// The value of the column, from that of the feature.
    pub(crate) fn value(&self, feature: f64) -> f64 {
        match &self.values {
            TermValues::Numbers(_) => feature,
            TermValues::Level { number, .. } => {
                f64::from(u8::from(level_of(feature) == Some(*number)))
            }
        }
    }

    /// The range with the middle and upper end of the grid; `None` if it must be drawn.
    ///
    /// # Errors
    ///
    /// Never for the range of a level.
    fn range(&self) -> Result<Option<Bounds>> {
        match &self.values {
            TermValues::Numbers(range) => Ok(*range),
            // 0 is the middle of the grid: the levels that a row is not at contribute nothing.
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

/// The request for a model.
#[derive(Debug, Clone)]
pub(crate) struct ModelRequest {
    pub(crate) regression: Regression,
    /// Its columns; the levels of one feature are consecutive.
    pub(crate) terms: Vec<Term>,
    pub(crate) neighbors: Neighbors,
    pub(crate) budget: ModelBudget,
    /// Whether the whole budget goes to the mean of the target, and all coefficients are 0.
    pub(crate) mean_only: bool,
    /// The number of rows, if it was released before.
    pub(crate) counted: Option<u64>,
    /// Whether no selection has counted the rows.
    pub(crate) uncounted: bool,
}

/// A released model.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ReleasedModel {
    /// `None` if the released values do not determine even the mean of the target: there are too
    /// few rows, also for the range of the target if that was drawn, or the target varies little
    /// within its range; or if a number of the model is not finite.
    pub(crate) fit: Option<Coefficients>,
    /// The range of a numeric target.
    pub(crate) target: Option<Bounds>,
    /// The noisy number of rows, if it was released.
    pub(crate) rows: Option<f64>,
    pub(crate) price: ModelPrice,
    /// The reason why all coefficients are 0, if they are.
    pub(crate) fallback: Option<Fallback>,
}

/// The reason why all predictions of a model are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fallback {
    /// The released count of rows is too small for coefficients.
    FewRows,
    /// The coefficients are together no longer than their noise.
    Noise,
}

/// The coefficients of a model.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Coefficients {
    pub(crate) intercept: f64,
    pub(crate) features: Vec<ModelFeature>,
}

impl Coefficients {
    fn are_finite(&self) -> bool {
        let mut of_features = self.features.iter().flat_map(|feature| {
            let ModelFeature { coefficient, low, high, noise, .. } = feature;
            [Some(*coefficient), *low, *high, *noise].into_iter().flatten()
        });
        self.intercept.is_finite() && of_features.all(f64::is_finite)
    }
}

/// The price of a model, a function of its request alone.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ModelPrice {
    /// The delta that is spent.
    pub(crate) delta: Delta,
    /// The release after the ranges.
    pub(crate) event: Event,
    /// The number of rows below which the model is mostly noise: the medians of the ranges are then
    /// drawn at random, or the noise of a coefficient is about as large as the information that
    /// most tables contain about it (by simulation).
    pub(crate) rows_needed: f64,
    /// The regularization parameter of a logistic model: the default is a function of the noise.
    pub(crate) lambda: Option<f64>,
}

/// The default lambda is this number times the standard deviation of the noise, in rows.
///
/// A component of w then has noise of 1/2.5 = 0.4, for any epsilon, delta and number of features:
/// with more noise the log loss rises faster than a smaller lambda lowers it, with less the pull to
/// 1/2 costs more. The noise depends on the request alone, and so does lambda.
///
/// Chosen by simulation (`model::simulation::lambdas`): 1 to 20 features, 200 to 20,000 rows,
/// epsilon 0.2 to 8, classes of 50%, 20% and 5%. Where any lambda predicts better than the share of
/// the class alone, the log loss exceeds that of the best lambda in hindsight by 0.004 on average
/// and by 0.020 at most; with a lambda of 10, the default before, by 0.034 and 0.468. Factors of 2
/// and 3 lose 0.006 and 0.004 on average, 0.033 and 0.029 at most. Where no lambda predicts better
/// than the share, a smaller factor loses less: 0.008 with 2, 0.014 with 2.5, 0.021 with 3, and
/// 0.099 with a lambda of 10.
pub(super) const LAMBDA_PER_ROW: f64 = 2.5;

/// The smallest default lambda: a smaller one gains little if there is hardly any noise, and fits
/// few rows too closely.
const MIN_LAMBDA: f64 = 0.5;

/// The default lambda for noise that hides this number of rows, rounded to two digits, so that a
/// user can give it.
pub(super) fn default_lambda(hidden: f64) -> f64 {
    let lambda = (LAMBDA_PER_ROW * hidden).clamp(MIN_LAMBDA, 1e9);
    format!("{lambda:.1e}").parse().unwrap_or(lambda)
}

/// The noise of a coefficient, for values from -1 to 1, up to which it is released even if it hides
/// the coefficients. By simulation (`model::simulation::lambdas`), setting such slopes to 0 lowers
/// the mean log loss from 0.495 to 0.492 at a noise of 0.5 to 1, and from 3.51 to 1.61 above that;
/// below, it raises the loss, from 0.444 to 0.447 at 0.25 to 0.5.
const MAX_NOISE: f64 = 0.5;

/// Whether slopes are together no longer than noise of this deviation alone would make them in
/// about 97 of 100 draws: two standard deviations of the square above its mean.
pub(super) fn are_noise(slopes: &[f64], deviation: f64) -> bool {
    let (k, square) = (slopes.len() as f64, slopes.iter().map(|w| w * w).sum::<f64>());
    square <= deviation * deviation * (k + 2.0 * (2.0 * k).sqrt())
}

/// Noisy log-odds of all rows, shrunk to 0 by their noise (W. James and C. Stein 1961), for a
/// probability from 1% to 99%: noise above [`MAX_NOISE`] does not show more.
pub(super) fn pulled(noisy: f64, deviation: f64) -> f64 {
    let most = libm::log(99.0);
    let pulled = noisy * (1.0 - (deviation / noisy).powi(2)).max(0.0);
    if pulled.is_nan() { 0.0 } else { pulled.clamp(-most, most) }
}

/// The log-odds of the second class, from noisy counts of both.
fn log_odds([first, second]: [f64; 2], deviation: f64) -> f64 {
    let [first, second] = [first, second].map(|count| count.max(0.0) + 0.5 + deviation);
    libm::log(second / first)
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

    /// Whether rows are counted with a part of the ranges' budget: if no count was released, the
    /// sums contain no count, and medians of too few rows would be drawn at random.
    fn counts_rows(&self) -> bool {
        let logistic = matches!(self.regression, Regression::Logistic { .. });
        logistic && self.uncounted && self.medians() > 0
    }

    /// The number of equal parts of the ranges' budget.
    fn parts_of_ranges(&self) -> usize {
        self.medians() + usize::from(self.counts_rows())
    }

    /// The budget of one part of the ranges.
    fn part_of_ranges(&self) -> Option<Epsilon> {
        let parts = BigInt::from(self.parts_of_ranges().max(1));
        let ranges = self.budget.ranges.as_ref()?;
        Some(Epsilon::part(ranges.as_rational() / parts))
    }

    /// The price of the model.
    ///
    /// # Errors
    ///
    /// `Request` for a delta without a price.
    pub(crate) fn price(&self) -> Result<ModelPrice> {
        self.noise(1).map(|(_, price)| price)
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

    /// The noise of the model's statistics, and its price, if the weights of a unit's rows add up
    /// to at most `unit`.
    fn noise(&self, unit: u16) -> Result<(VectorNoise, ModelPrice)> {
        let (moves, row) = match &self.regression {
            Regression::Linear { .. } => {
                (moves(&self.variables().and_target(), GRID, self.neighbors), f64::from(GRID))
            }
            Regression::Logistic { .. } if self.mean_only => {
                (class_moves(unit, self.neighbors), f64::from(unit))
            }
            Regression::Logistic { .. } => {
                let moves = logistic::moves(self.terms.len() + 1, self.neighbors);
                // For one row; a replacement counts as two.
                (moves, moves.largest as f64 / self.neighbors.steps() as f64)
            }
        };
        let noise = VectorNoise::new(&moves, &self.budget.model, &self.budget.delta)?;
        let hidden = noise.deviation / row;
        let lambda = match self.regression {
            Regression::Logistic { lambda } if !self.mean_only => {
                Some(lambda.unwrap_or(default_lambda(hidden)))
            }
            _ => None,
        };
        let price = ModelPrice {
            delta: noise.delta.clone(),
            event: noise.event()?,
            rows_needed: self.rows_needed(hidden),
            lambda,
        };
        Ok((noise, price))
    }

    /// See [`ModelPrice::rows_needed`]; `hidden` is the standard deviation of a component's noise,
    /// in rows.
    fn rows_needed(&self, hidden: f64) -> f64 {
        let k = self.terms.len() as f64;
        self.rows_for_ranges().max(10.0 * hidden * (k + 1.0).sqrt())
    }

    /// The number of rows below which medians of the ranges are drawn at random; 0 if no range is
    /// drawn.
    fn rows_for_ranges(&self) -> f64 {
        /// P(a median is a point apart from all values) is e^-RANKS before it is multiplied by the
        /// number of points.
        const RANKS: f64 = 14.0;
        let steps = self.neighbors.steps() as f64;
        self.part_of_ranges().map_or(0.0, |part| 2.0 * RANKS * steps / part.to_f64())
    }

    /// Whether the range of the target is drawn from too few rows for its medians.
    fn has_no_target_range(&self, rows: f64) -> bool {
        let drawn = matches!(self.regression, Regression::Linear { range: None, .. });
        drawn && self.counted.map_or(rows, |rows| rows as f64) < self.rows_for_ranges()
    }

    /// The noisy number of rows, if it is counted with the ranges.
    fn count_rows(&self, rows: &Rows, randomness: &RandomnessSource) -> Result<Option<f64>> {
        let (true, Some(part)) = (self.counts_rows(), self.part_of_ranges()) else {
            return Ok(None);
        };
        // Adding or removing a unit changes the weight of all rows by at most a unit.
        let length = u64::from(rows.unit()) * self.neighbors.steps();
        let squares = u128::from(length) * u128::from(length);
        let moves = Moves { components: 1, largest: length, sum: length, squares };
        let noise = VectorNoise::new(&moves, &part, &Delta::zero())?;
        let bits = randomness.bits(Purpose::Ranges.draw()).branch(COUNT);
        let noisy = noise.add(&[rows.class_weights().iter().sum()], &bits);
        Ok(noisy.first().map(|&weight| weight as f64 / f64::from(rows.unit())))
    }

    /// The ranges of the features, then the range of a numeric target: given or drawn.
    fn all_ranges(&self, rows: &Rows, randomness: &RandomnessSource) -> Result<Vec<Bounds>> {
        let bits = randomness.bits(Purpose::Ranges.draw());
        let part = self.part_of_ranges();
        let range = |number: usize, values: &[f64], given: Option<Bounds>, center| {
            let values = rows.weighted(values);
            match (given, &part) {
                (Some(given), _) => Ok(given),
                // A feature whose coefficient is 0 needs no range.
                (None, _) if self.mean_only && number < rows.columns.len() => {
                    Bounds::new(-1.0, 1.0)
                }
                (None, Some(epsilon)) => {
                    let bits = bits.branch(number as u64);
                    RangeDraw { neighbors: self.neighbors, epsilon, bits }.range(&values, center)
                }
                // No budget was claimed for it, so its values must not be used.
                (None, None) => Bounds::new(-1.0, 1.0),
            }
        };
        let features = rows.columns.iter().zip(&self.terms).enumerate();
        let mut all: Vec<Bounds> = features
            .map(|(number, (values, term))| range(number, values, term.range()?, None))
            .collect::<Result<_>>()?;
        if let Regression::Linear { range: given, center } = &self.regression {
            let center = if self.mean_only { &None } else { center };
            all.push(range(rows.columns.len(), &rows.targets, *given, *center)?);
        }
        Ok(all)
    }
}

/// If the noise of a mean is expected to lose more than this share of the target's variance
/// compared with the true mean, no model is released.
const MAX_LOSS: f64 = 0.05;

/// The branch of the ranges' bits for the count of rows; the columns have smaller numbers.
const COUNT: u64 = 1 << 20;

/// The largest moves of the weights of two classes between neighboring tables: a row has one class,
/// and the weights of a person's rows add up to at most a unit.
fn class_moves(unit: u16, neighbors: Neighbors) -> Moves {
    let (unit, steps) = (u64::from(unit), neighbors.steps());
    let squares = u128::from(unit) * u128::from(unit) * u128::from(steps);
    Moves { components: 2, largest: unit, sum: unit * steps, squares }
}

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
    if let Some(count) = request.count_rows(rows, randomness)? {
        let counted = Some(count.max(0.0).round() as u64);
        let mean_only = count < request.price()?.rows_needed;
        let request = ModelRequest { counted, mean_only, ..request.clone() };
        return Ok(ReleasedModel {
            rows: Some(count.max(0.0)),
            ..fit_counted(&request, rows, randomness, hooks)?
        });
    }
    fit_counted(request, rows, randomness, hooks)
}

/// Fits a model after its count of rows, if that is released first.
fn fit_counted(
    request: &ModelRequest,
    rows: &Rows,
    randomness: &RandomnessSource,
    hooks: &Hooks,
) -> Result<ReleasedModel> {
    let ranges = request.all_ranges(rows, randomness)?;
    hooks.check()?;
    let (noise, price) = request.noise(rows.unit())?;
    let statistics = Statistics { rows, ranges: &ranges, noise };
    let bits = randomness.bits(Purpose::Model.draw());
    let mut released = match &request.regression {
        Regression::Linear { .. } => fit_linear(request, &statistics, &bits, price),
        Regression::Logistic { .. } if request.mean_only => {
            fit_share(request, &statistics, &bits, price)
        }
        Regression::Logistic { .. } => fit_logistic(request, &statistics, &bits, (price, hooks))?,
    };
    // Ranges near the largest numbers, or very narrow ones.
    if !released.fit.as_ref().is_none_or(Coefficients::are_finite) {
        (released.fit, released.fallback) = (None, None);
    }
    Ok(released)
}

/// The rows of a model with the ranges of their columns, and the noise of the released statistics.
struct Statistics<'a> {
    rows: &'a Rows,
    ranges: &'a [Bounds],
    noise: VectorNoise,
}

impl Statistics<'_> {
    /// Writes the grid values of a row's features.
    fn grid(&self, row: usize, values: &mut Vec<i16>) {
        let columns = self.rows.columns.iter().zip(self.ranges);
        values.clear();
        values.extend(columns.map(|(column, range)| on_grid(range, column[row])));
    }

    /// The intercept at value 0 of all features, from the intercept at the middles of their ranges.
    fn intercept(&self, at_middles: f64, features: &[ModelFeature]) -> f64 {
        let terms = features.iter().zip(self.ranges);
        at_middles - terms.map(|(f, range)| f.coefficient * range.middle()).sum::<f64>()
    }
}

/// The features with coefficients of 0. Ranges that were drawn from too few rows are omitted.
fn without_coefficients(request: &ModelRequest, ranges: &[Bounds], few: bool) -> Vec<ModelFeature> {
    let feature = |(term, range): (&Term, &Bounds)| match term.values {
        TermValues::Numbers(None) if few => {
            ModelFeature { range: [-1.0, 1.0], ..term.feature(0.0, range) }
        }
        _ => term.feature(0.0, range),
    };
    request.terms.iter().zip(ranges).map(feature).collect()
}

/// A linear model, or the mean of the target.
fn fit_linear(
    request: &ModelRequest,
    statistics: &Statistics<'_>,
    bits: &Bits,
    price: ModelPrice,
) -> ReleasedModel {
    let Statistics { rows, ranges, noise } = statistics;
    let (k, variables) = (rows.columns.len(), request.variables());
    let mut moments = Moments::new(variables.and_target(), GRID);
    let (target, mut values) = (&ranges[k], Vec::with_capacity(k + 1));
    for row in 0..rows.targets.len() {
        statistics.grid(row, &mut values);
        values.truncate(if request.mean_only { 0 } else { k });
        values.push(on_grid(target, rows.targets[row]));
        moments.add(&values, rows.weight(row));
    }
    let noisy = noise.add(&moments.sums(rows.unit()), bits);
    let fit = linear::fit(&noisy, &variables, GRID, noise.deviation);
    let few =
        k > 0 && (request.mean_only || request.counted.is_none() && fit.rows < price.rows_needed);
    let unit = |j: usize| target.half() / ranges[j].half();
    let of = |(j, term): (usize, &Term)| {
        let (coefficient, half) = (fit.slopes[j] * unit(j), fit.half_widths[j] * unit(j));
        ModelFeature {
            low: Some(coefficient - half),
            high: Some(coefficient + half),
            ..term.feature(coefficient, &ranges[j])
        }
    };
    let coefficients = || {
        let (at_middles, features) = match few {
            true => (fit.mean, without_coefficients(request, ranges, true)),
            false => (fit.intercept, request.terms.iter().enumerate().map(of).collect()),
        };
        let at_middles = target.middle() + target.half() * at_middles;
        Coefficients { intercept: statistics.intercept(at_middles, &features), features }
    };
    let is_known = fit.loss_of_mean <= MAX_LOSS && !request.has_no_target_range(fit.rows);
    ReleasedModel {
        fit: is_known.then(coefficients),
        target: Some(*target),
        rows: Some(fit.rows),
        price,
        fallback: (is_known && few).then_some(Fallback::FewRows),
    }
}

/// A model of the share of the second class alone.
fn fit_share(
    request: &ModelRequest,
    Statistics { rows, ranges, noise }: &Statistics<'_>,
    bits: &Bits,
    price: ModelPrice,
) -> ReleasedModel {
    let unit = f64::from(rows.unit());
    let noisy = noise.add(&rows.class_weights(), bits);
    let count = |class: usize| noisy.get(class).map_or(0.0, |&weight| weight as f64 / unit);
    let counts = [count(0), count(1)];
    let features = without_coefficients(request, ranges, true);
    ReleasedModel {
        fit: Some(Coefficients { intercept: log_odds(counts, noise.deviation / unit), features }),
        target: None,
        rows: Some((counts[0] + counts[1]).max(0.0)),
        price,
        fallback: (!request.terms.is_empty()).then_some(Fallback::FewRows),
    }
}

/// A logistic model.
///
/// # Errors
///
/// `Canceled` if the caller stopped it.
fn fit_logistic(
    request: &ModelRequest,
    statistics: &Statistics<'_>,
    bits: &Bits,
    (price, hooks): (ModelPrice, &Hooks),
) -> Result<ReleasedModel> {
    let Statistics { rows, ranges, noise } = statistics;
    let (variables, lambda) = (request.variables(), price.lambda.unwrap_or(MIN_LAMBDA));
    let mut table = LogisticRows::new(&variables, GRID, lambda, rows.unit());
    let mut values = Vec::with_capacity(rows.columns.len());
    for row in 0..rows.targets.len() {
        statistics.grid(row, &mut values);
        table.add(&values, rows.targets[row] > 0.5, rows.weight(row));
    }
    let noisy = noise.add(&table.minimize(hooks)?, bits);
    let radius = radius(&variables);
    let in_values = |integer: f64| coefficient(integer, lambda) / radius;
    let w: Vec<f64> = noisy.iter().map(|&integer| in_values(integer as f64)).collect();
    let deviation = in_values(noise.deviation);
    let is_noise = deviation > MAX_NOISE && w.len() > 1 && are_noise(&w[1..], deviation);
    let of = |(j, term): (usize, &Term)| ModelFeature {
        noise: Some(deviation / ranges[j].half()),
        ..term.feature(w[j + 1] / ranges[j].half(), &ranges[j])
    };
    let (at_middles, features) = match is_noise {
        true => (pulled(w[0], deviation), without_coefficients(request, ranges, false)),
        false => (w[0], request.terms.iter().enumerate().map(of).collect()),
    };
    Ok(ReleasedModel {
        fit: Some(Coefficients {
            intercept: statistics.intercept(at_middles, &features),
            features,
        }),
        target: None,
        rows: None,
        price,
        fallback: is_noise.then_some(Fallback::Noise),
    })
}

/// The grid value of a cell: 0, the middle, if it is not a number.
fn on_grid(range: &Bounds, value: f64) -> i16 {
    if value.is_finite() { range.to_grid(value) } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The weights of both classes, where the rows of each person share a unit of 4.
    fn weights(people: &[&Vec<bool>], unit: u16) -> [i64; 2] {
        let rows = people.iter().flat_map(|rows| rows.iter().map(|class| (*class, rows.len())));
        let (targets, weights) = rows
            .map(|(class, rows)| (f64::from(u8::from(class)), (unit / rows as u16).max(1)))
            .unzip();
        Rows { columns: Vec::new(), targets, weights: Some(weights) }.class_weights()
    }

    /// The largest sum, and the largest change of one class, over all pairs of neighboring tables
    /// of up to two people with up to three rows of any classes.
    fn worst(unit: u16, neighbors: Neighbors) -> (u64, u64) {
        let rows = |count: u32| {
            (0..1 << count).map(move |bits: u32| (0..count).map(|i| bits >> i & 1 == 1).collect())
        };
        let people: Vec<Vec<bool>> = (1..=3).flat_map(rows).collect();
        let mut worst = (0, 0);
        let mut compare = |one: &[&Vec<bool>], other: &[&Vec<bool>]| {
            let pairs = weights(one, unit).into_iter().zip(weights(other, unit));
            let changes: Vec<u64> = pairs.map(|(a, b)| a.abs_diff(b)).collect();
            let largest = changes.iter().copied().max().unwrap_or(0);
            worst = (worst.0.max(changes.iter().sum()), worst.1.max(largest));
        };
        for kept in &people {
            for first in &people {
                match neighbors {
                    Neighbors::AddRemove => compare(&[kept], &[kept, first]),
                    Neighbors::ReplaceOne => {
                        people.iter().for_each(|other| compare(&[kept, first], &[kept, other]));
                        compare(&[kept], &[kept, first]);
                    }
                }
            }
        }
        worst
    }

    #[test]
    fn class_counts_move_as_claimed() {
        for neighbors in [Neighbors::AddRemove, Neighbors::ReplaceOne] {
            let claimed = class_moves(12, neighbors);
            assert_eq!(worst(12, neighbors), (claimed.sum, claimed.largest), "{neighbors:?}");
            // Broken: each row as a separate unit, if a person has up to three.
            assert!(worst(1, neighbors).0 > class_moves(1, neighbors).sum);
        }
        // Broken: a replacement as one step.
        assert!(worst(12, Neighbors::ReplaceOne).0 > class_moves(12, Neighbors::AddRemove).sum);
    }

    /// For any counts, the log-odds are finite and within the bound by the larger count.
    #[test]
    fn log_odds_are_bounded_by_the_counts() {
        for first in [-1e9, -3.0, 0.0, 1.0, 40.0, 1e6] {
            for second in [-1e9, -3.0, 0.0, 1.0, 40.0, 1e6] {
                for deviation in [0.0, 0.3, 14.0] {
                    let found = log_odds([first, second], deviation).abs();
                    let most = (1.0 + first.max(second).max(0.0) / (0.5 + deviation)).ln();
                    assert!(found <= most + 1e-9, "{first} {second} {deviation}: {found}");
                }
            }
        }
        assert!(pulled(0.0, 0.0) == 0.0 && pulled(f64::MAX, 1.0) < 4.6 && pulled(1.0, 9.0) == 0.0);
    }
}
