//! Forecasts: the probable findings of a run, from public numbers alone.
//!
//! | I want to ... | see |
//! | --- | --- |
//! | plan a study: effect sizes, rows and epsilon that a selection needs | [`PlanOptions`] |
//! | get the probability that one effect size is found, or significant | [`Forecast`] |
//!
//! This is the only simulator: plans, dry runs, the advice of a report, inspection and all
//! interfaces use it. It reads no table. In simulated tables some features have an effect size *in
//! the population*, and all others are null features, independent of each other; the releases and
//! the mechanism are the same as in a run (`world`), and the scores follow their distributions
//! (`law`). These distributions are approximate (for numeric features, two classes in each split),
//! and so is the significance threshold, which moves with the counts by its main term alone
//! (`threshold`). `tests/it/forecasts.rs` compares the probabilities with real runs.

mod bridge;
mod law;
mod power;
mod search;
mod shift;
mod threshold;
mod world;

use std::f64::consts::PI;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Parameter, Result};
use crate::estimate::unit;
use crate::privacy::Epsilon;
use crate::random::WordStream;
use crate::request::builder::CheckedSelect;
use crate::request::plan::{Plan, Scoring};
use search::{Of, Range, Response};
use world::{Draws, World};

pub use power::{AtEpsilon, NeededForCount, PlanOptions, PlanRecord, Wanted};
pub use search::{Least, Probability};

/// The probabilities for which effect sizes, rows and epsilons are reported.
pub const PROBABILITIES: [f64; 2] = [0.5, 0.9];

/// Effect sizes are searched between these, and epsilons.
const EFFECTS: Range = Range { low: 1e-3, high: 1.0, start: 0.3, factor: 1.6, step: 1.03 };
const EPSILONS: (f64, f64) = (1e-3, 1e3);

/// The largest number of rows that is considered, and the smallest number of each class.
const MAX_ROWS: f64 = 1e9;
const MIN_CLASS: f64 = 5.0;

/// Rows and epsilons are searched in steps of these factors.
const FACTOR: f64 = 3.0;
const STEP: f64 = 1.06;

/// The probabilities for a feature of an effect size.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Chances {
    /// The probability that it is selected; without k, that it is named.
    pub found: Probability,
    /// The probability that it is selected and significant; `None` if the request tests no
    /// significance.
    pub significant: Option<Probability>,
}

/// The smallest values with which features are found, and are significant, with each of
/// [`PROBABILITIES`]; `None` where no value is enough.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Needed {
    /// That a feature is selected; without k, that it is named.
    pub found: [Option<Least>; 2],
    /// That a feature is selected and significant; `None` if the request tests no significance.
    pub significant: [Option<Least>; 2],
}

/// Forecasts of the runs of a request on tables with a number of features; see
/// [`CheckedSelect::forecast`](crate::CheckedSelect::forecast).
///
/// An effect size is that of the population, as a share of the largest possible: for `ks` the
/// Kolmogorov-Smirnov distance. Effect sizes refer to numeric features; all features but the strong
/// ones are null features. If features have weights, each is a feature with an effect with the
/// probability of its weight.
///
/// # Privacy
///
/// No table is read: everything follows from public numbers.
pub struct Forecast {
    plan: Plan,
    draws: Arc<Draws>,
    strong: usize,
    threads: usize,
}

impl std::fmt::Debug for Forecast {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Forecast").field("features", &self.plan.features).finish_non_exhaustive()
    }
}

/// How tables are simulated.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Simulated {
    /// The number of features with an effect; by default k, or one without k.
    pub strong: Option<usize>,
    /// The number of tables; by default as many as can be simulated in some tenths of a second.
    pub tables: Option<usize>,
    /// The seed of all draws.
    pub seed: u64,
    /// The number of threads; the result does not depend on it.
    pub threads: usize,
}

impl CheckedSelect {
    /// Forecasts the runs of this request on tables with this number of features: see
    /// [`Forecast`]. No table is read.
    ///
    /// # Errors
    ///
    /// `Request` if k exceeds the number of features; for a method whose findings depend on more
    /// than the scores of single features; for a number of strong features that is out of range.
    pub fn forecast(&self, features: usize, simulated: Simulated) -> Result<Forecast> {
        Forecast::new(self.planned(features)?, simulated)
    }
}

impl Forecast {
    /// The forecast of a plan.
    ///
    /// # Errors
    ///
    /// `Request` for a method whose findings depend on more than the scores of single features, or
    /// a number of strong features out of range.
    pub(crate) fn new(plan: Plan, simulated: Simulated) -> Result<Self> {
        Self::new_unless(plan, simulated, &|| Ok(()))
    }

    /// Like [`new`](Self::new), unless `check` fails, which is called before each simulated table.
    fn new_unless(plan: Plan, simulated: Simulated, check: Check<'_>) -> Result<Self> {
        check_method(&plan)?;
        let Simulated { strong, tables, seed, threads } = simulated;
        let strong = strong.unwrap_or(plan.given_k().unwrap_or(1));
        if !(1..=plan.features).contains(&strong) {
            let rule =
                format!("the number of features with an effect lies from 1 to {}", plan.features);
            return Err(Error::request(rule));
        }
        let features = (plan.features, plan.weights.as_ref());
        let draws = Draws::new(features, strong, tables, seed, threads, check)?;
        Ok(Self { plan, strong, draws: Arc::new(draws), threads })
    }

    /// The number of simulated tables.
    pub fn tables(&self) -> usize {
        self.draws.tables()
    }

    /// The number of features with an effect.
    pub fn strong(&self) -> usize {
        self.strong
    }

    /// Whether runs test significance: then [`Chances::significant`] is given.
    pub fn tests_significance(&self) -> bool {
        world::tests_significance(&self.plan)
    }

    /// The forecast at another epsilon, with the same simulated tables.
    ///
    /// # Errors
    ///
    /// `Request` if the budget is too small for its parts.
    pub fn at_epsilon(&self, epsilon: &Epsilon) -> Result<Self> {
        let Self { plan, draws, strong, threads } = self;
        let plan = plan.at_epsilon(epsilon)?;
        Ok(Self { plan, draws: draws.clone(), strong: *strong, threads: *threads })
    }

    /// The forecast when only names are released: without a part of the budget for effect sizes.
    ///
    /// # Errors
    ///
    /// `Request` if the budget is too small for its parts.
    pub(crate) fn of_names_only(&self) -> Result<Self> {
        let Self { plan, draws, strong, threads } = self;
        let plan = plan.with(|request| request.shares.estimates = Some(0.into()))?;
        Ok(Self { plan, draws: draws.clone(), strong: *strong, threads: *threads })
    }

    /// Shares of rows that are equal for all classes, or sides of a split.
    pub fn even_shares(&self) -> Vec<f64> {
        world::even(&self.plan)
    }

    /// The probabilities for features of an effect size, with these numbers of rows of each class,
    /// or of each side of the split of a numeric target.
    ///
    /// # Errors
    ///
    /// `Request` for an effect size outside of 0 to 1 or wrong numbers of rows.
    pub fn chances(&self, rows: &[f64], effect_size: f64) -> Result<Chances> {
        if !(effect_size > 0.0 && effect_size <= 1.0) {
            return Err(Error::request("an effect size must lie above 0 and up to 1"));
        }
        self.world(rows)?.chances(effect_size, self.strong)
    }

    /// The probabilities for the `strongest` features of a table, on average, by the effect sizes
    /// of all features in the table itself, in descending order.
    ///
    /// # Errors
    ///
    /// As for [`chances`](Self::chances).
    pub fn chances_in_table(
        &self,
        rows: &[f64],
        effect_sizes: &[f64],
        strongest: usize,
    ) -> Result<Chances> {
        self.world(rows)?.chances_in_table(effect_sizes, strongest)
    }

    /// The effect sizes from which features are found, and are significant.
    ///
    /// # Errors
    ///
    /// As for [`chances`](Self::chances).
    pub fn effect_sizes(&self, rows: &[f64]) -> Result<Needed> {
        self.effect_sizes_unless(rows, &|| Ok(()))
    }

    /// Like [`effect_sizes`](Self::effect_sizes), unless `check` fails, which is called before each
    /// simulation.
    pub(crate) fn effect_sizes_unless(&self, rows: &[f64], check: Check<'_>) -> Result<Needed> {
        check()?;
        let world = self.world(rows)?;
        needed(Response::new(EFFECTS, |effect| {
            check()?;
            world.chances(effect, self.strong)
        }))
    }

    /// The numbers of rows from which features of an effect size are found, and are significant,
    /// where classes have these shares of the rows.
    ///
    /// # Errors
    ///
    /// As for [`chances`](Self::chances).
    pub fn rows(&self, shares: &[f64], effect_size: f64) -> Result<Needed> {
        needed(self.response_of_rows(shares, effect_size, &|| Ok(())))
    }

    /// The rows with which features of an effect size are significant in half of all runs.
    pub(crate) fn significant_rows(&self, shares: &[f64], effect_size: f64) -> Result<Option<f64>> {
        half(&mut self.response_of_rows(shares, effect_size, &|| Ok(())))
    }

    /// The effect size from which features are significant in half of all runs.
    pub(crate) fn significant_effect(&self, rows: &[f64]) -> Result<Option<f64>> {
        let world = self.world(rows)?;
        half(&mut Response::new(EFFECTS, |effect| world.chances(effect, self.strong)))
    }

    /// The epsilon with which features of an effect size are significant in half of all runs.
    pub(crate) fn significant_epsilon(
        &self,
        rows: &[f64],
        effect_size: f64,
    ) -> Result<Option<f64>> {
        half(&mut self.response_of_epsilon(rows, effect_size, &|| Ok(())))
    }

    fn response_of_rows(
        &self,
        shares: &[f64],
        effect_size: f64,
        check: Check<'_>,
    ) -> Response<impl FnMut(f64) -> Result<Chances>> {
        let smallest = shares.iter().fold(f64::INFINITY, |least, share| least.min(*share));
        // A share of 0 is refused with the rows.
        let low = match smallest > 0.0 {
            true => (MIN_CLASS / smallest).clamp(MIN_CLASS, MAX_ROWS),
            false => MAX_ROWS,
        };
        // Noise needs rows in proportion to 1/effect size, sampling error in proportion to its
        // square.
        let start = (10.0 / effect_size).powi(2).clamp(low, MAX_ROWS);
        let range = Range { low, high: MAX_ROWS, start, factor: FACTOR, step: STEP };
        Response::new(range, move |all: f64| {
            check()?;
            let rows: Vec<f64> = shares.iter().map(|share| all * share).collect();
            self.chances(&rows, effect_size)
        })
    }

    /// The epsilons from which features of an effect size are found, and are significant, up to
    /// a thousand.
    ///
    /// # Errors
    ///
    /// As for [`chances`](Self::chances).
    pub fn epsilon(&self, rows: &[f64], effect_size: f64) -> Result<Needed> {
        needed(self.response_of_epsilon(rows, effect_size, &|| Ok(())))
    }

    fn response_of_epsilon(
        &self,
        rows: &[f64],
        effect_size: f64,
        check: Check<'_>,
    ) -> Response<impl FnMut(f64) -> Result<Chances>> {
        let start = self.plan.epsilon.to_f64();
        let range = Range { low: EPSILONS.0, high: EPSILONS.1, start, factor: FACTOR, step: STEP };
        Response::new(range, move |epsilon: f64| {
            check()?;
            self.at_epsilon(&rounded(epsilon)?)?.chances(rows, effect_size)
        })
    }

    /// The median of the largest effect size in a table of null features alone.
    ///
    /// # Errors
    ///
    /// As for [`chances`](Self::chances).
    pub fn largest_null(&self, rows: &[f64]) -> Result<f64> {
        Ok(self.world(rows)?.largest_null())
    }

    fn world(&self, rows: &[f64]) -> Result<World<'_>> {
        let possible = |rows: &f64| *rows >= 1.0 && *rows <= 1e12;
        if rows.len() != self.plan.scoring.classes() || !rows.iter().all(possible) {
            let rule = "at least one row is needed for each class, or for each side of a split";
            return Err(Error::request(rule).about([Parameter::Classes]));
        }
        World::new(&self.plan, &self.draws, rows, self.threads)?.ok_or_else(unknown)
    }
}

/// A check that ends a search if it fails.
type Check<'a> = &'a (dyn Fn() -> Result<()> + Sync);

/// The smallest values for all probabilities.
fn needed<F: FnMut(f64) -> Result<Chances>>(mut response: Response<F>) -> Result<Needed> {
    let mut least = |of: Of| -> Result<[Option<Least>; 2]> {
        let [half, most] = PROBABILITIES;
        Ok([response.least(of, half)?, response.least(of, most)?])
    };
    Ok(Needed { found: least(|chances| Some(chances.found))?, significant: least(SIGNIFICANT)? })
}

/// The smallest value for significance in half of all runs.
fn half<F: FnMut(f64) -> Result<Chances>>(response: &mut Response<F>) -> Result<Option<f64>> {
    Ok(response.least(SIGNIFICANT, PROBABILITIES[0])?.map(|least| least.value))
}

const SIGNIFICANT: Of = |chances| chances.significant;

/// Refuses methods whose findings depend on more than the scores of single features.
pub(crate) fn check_method(plan: &Plan) -> Result<()> {
    let known = matches!(plan.scoring, Scoring::Coded(_) | Scoring::Kendall { .. });
    if plan.refinement.is_some() || !known { Err(unknown()) } else { Ok(()) }
}

fn unknown() -> Error {
    let rule = "this method has no forecast: its findings depend on how features are correlated";
    Error::request(rule).about([Parameter::Method, Parameter::Refine])
}

/// An epsilon rounded to four digits.
fn rounded(epsilon: f64) -> Result<Epsilon> {
    format!("{epsilon:.3e}").parse()
}

/// Two independent standard normal numbers.
fn normal(words: &mut WordStream) -> [f64; 2] {
    let radius = (-2.0 * libm::log(unit(words))).sqrt();
    let (sin, cos) = libm::sincos(2.0 * PI * unit(words));
    [radius * sin, radius * cos]
}
