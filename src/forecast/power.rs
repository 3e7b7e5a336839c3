//! A power analysis: the findings to expect from a selection with these options, from public
//! numbers alone.

use std::sync::atomic::{AtomicU32, Ordering};

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::forecast::{Chances, Forecast, Needed, Simulated};
use crate::json::read_options;
use crate::privacy::{Delta, Epsilon, Purpose, Spending};
use crate::release::describe::{mechanism_used, score_used};
use crate::release::record::{MechanismUsed, ScoreUsed};
use crate::request::builder::CheckedSelect;
use crate::request::check::checked_threads;
use crate::request::fields::Target;
use crate::request::options::SelectOptions;
use crate::request::plan::{FalseDiscoveryBound, Known, Plan};

/// The smallest and the largest number of rows for which the distributions of scores are good.
const ROWS: (u64, u64) = (20, 1_000_000_000);

/// The smallest number of rows of a class.
const MIN_CLASS: f64 = 5.0;

/// The largest number of features.
const MAX_FEATURES: usize = 1_000_000;

/// The private median is within this number of ranks, divided by epsilon, of the middle in 95 of
/// 100 runs, for any values: the logarithm of twenty times the points of its grid.
const MEDIAN_RANK_ERROR_95: f64 = 13.3;

/// The smallest number of simulated tables, and the largest number of scores of all of them
/// together, at eight bytes each.
const MIN_TABLES: usize = 20;
const MAX_SCORES: usize = 50_000_000;

/// Without k, the numbers of features of one effect size that are considered.
const STRONG_COUNTS: [usize; 4] = [1, 3, 10, 30];

/// The options of a power analysis: the options of the selection, and public numbers. As JSON it is
/// one object of all fields.
///
/// ```
/// use dpsis::forecast::PlanOptions;
///
/// let json = r#"{"rows": 500, "features": 100, "k": 5, "epsilon": "2", "tables": 40}"#;
/// let plan = PlanOptions::from_json(json)?.run(&|_| Ok(()))?;
/// // Features of this Kolmogorov-Smirnov distance are significant in half of all runs.
/// let least = plan.needed.significant[0].map(|least| least.value);
/// assert!(least.is_some_and(|least| least > 0.1 && least < 0.4));
/// # Ok::<(), dpsis::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PlanOptions {
    /// The options of the selection.
    #[serde(flatten)]
    pub select: SelectOptions,
    /// The number of rows with a usable target (people, samples or pairs, where these are
    /// protected).
    pub rows: u64,
    /// The number of features, or of feature sets.
    pub features: usize,
    /// The share of the rarer of two classes, or the share of each class: by default all are equal.
    /// One share without a kind of target stands for two classes.
    pub class_shares: Vec<f64>,
    /// An additional effect size for which rows and epsilon are reported.
    pub effect_size: Option<f64>,
    /// Other budgets to consider.
    pub over: Vec<String>,
    /// The number of simulated tables; by default as many as can be simulated in some tenths of a
    /// second.
    pub tables: Option<usize>,
    /// The seed of all draws.
    pub seed: u64,
}

/// The findings to expect from a selection with some options. No table was read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PlanRecord {
    /// Version of this program.
    pub version: String,
    /// Always `plan`.
    pub command: String,
    /// The number of rows of each class, or of each side of the split of a numeric target.
    pub rows: Vec<f64>,
    /// The number of features.
    pub features: usize,
    /// The number of features to select; `None` if all significant features are selected.
    pub k: Option<usize>,
    /// The bound on false discoveries without k.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub false_discoveries: Option<FalseDiscoveryBound>,
    /// Whether the target is a number that is split at a private median.
    pub splits: bool,
    /// The total budget.
    pub epsilon: Epsilon,
    /// The delta of the selection.
    pub delta: Delta,
    /// The parts of the budget.
    pub spent: Vec<Spending>,
    /// Whether one row is replaced in neighboring tables, instead of added or removed.
    pub replaces: bool,
    /// How features are scored.
    pub score: ScoreUsed,
    /// The mechanism of the selection with these rows.
    pub mechanism: MechanismUsed,
    /// The number of simulated tables, and the seed.
    pub tables: usize,
    /// The seed of all draws.
    pub seed: u64,
    /// Whether significance is tested.
    pub tested: bool,
    /// The median of the largest effect size in a table of null features alone.
    pub largest_null: f64,
    /// The number of features of one effect size: k, or one without k.
    pub strong: usize,
    /// The effect sizes that these rows and this epsilon need.
    pub needed: Needed,
    /// The same for other numbers of features of one effect size.
    pub others: Vec<NeededForCount>,
    /// The same at several epsilons, ascending.
    pub over: Vec<AtEpsilon>,
    /// The rows and the epsilon for an effect size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wanted: Option<Wanted>,
    /// Warnings about the numbers.
    pub warnings: Vec<String>,
}

/// The effect sizes that are needed when another number of features has an effect.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct NeededForCount {
    /// The number of features of one effect size.
    pub strong: usize,
    /// The effect sizes.
    pub needed: Needed,
}

/// The effect sizes that are needed at one epsilon.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AtEpsilon {
    /// The total budget.
    pub epsilon: Epsilon,
    /// The effect sizes.
    pub needed: Needed,
}

/// The rows and the epsilon that features of one effect size need.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Wanted {
    /// The effect size.
    pub effect_size: f64,
    /// The probabilities with these rows, at this epsilon.
    pub chances: Chances,
    /// The rows that are enough at this epsilon.
    pub rows: Needed,
    /// The epsilons that are enough with these rows.
    pub epsilon: Needed,
}

impl PlanOptions {
    /// Reads a JSON object of options.
    ///
    /// # Errors
    ///
    /// `Request` if the text is not a JSON object, for an option that does not exist or a value of
    /// another kind.
    pub fn from_json(json: &str) -> Result<Self> {
        read_options(json)
    }

    /// Checks the options without simulating anything.
    ///
    /// # Errors
    ///
    /// As for [`run`](Self::run).
    pub fn check(&self) -> Result<()> {
        self.planned().map(|_| ())
    }

    /// Simulates the findings of a selection. `progress` is called with the finished share of the
    /// work, from several threads, and ends the work if it fails.
    ///
    /// # Errors
    ///
    /// `Request` for options that `select` refuses, for numbers out of range and for methods
    /// without a [forecast](crate::forecast::Forecast); the error of `progress`.
    pub fn run(&self, progress: &(dyn Fn(f64) -> Result<()> + Sync)) -> Result<PlanRecord> {
        let (select, plan, rows) = self.planned()?;
        let strong = plan.given_k().unwrap_or(1);
        let mut others: Vec<usize> = match plan.given_k() {
            Some(_) => vec![1],
            None => STRONG_COUNTS.to_vec(),
        };
        let most = plan.fwer.as_ref().and_then(|fwer| fwer.bound().at_most);
        let most = most.unwrap_or(self.features).min(self.features);
        others.retain(|other| *other <= most && *other != strong);
        let over = self.over()?;
        // An effect size adds two longer searches.
        let last = if self.effect_size.is_some() { 6 } else { 0 };
        let steps = (1 + others.len() + over.len() + last) as f64;
        let finished = AtomicU32::new(0);
        let check = || progress(f64::min(f64::from(finished.load(Ordering::Relaxed)) / steps, 1.0));
        let step = || {
            finished.fetch_add(1, Ordering::Relaxed);
            check()
        };
        let forecast = |strong: usize| {
            let plan = select.planned(self.features)?;
            Forecast::new_unless(plan, self.simulated(strong)?, &check)
        };
        check()?;
        let first = forecast(strong)?;
        let needed = first.effect_sizes_unless(&rows, &check)?;
        step()?;
        let others = others.into_iter().map(|strong| {
            let needed = forecast(strong)?.effect_sizes_unless(&rows, &check)?;
            step()?;
            Ok(NeededForCount { strong, needed })
        });
        let others = others.collect::<Result<_>>()?;
        let over = over.into_iter().map(|epsilon| {
            let needed = match epsilon == plan.epsilon {
                true => needed,
                false => first.at_epsilon(&epsilon)?.effect_sizes_unless(&rows, &check)?,
            };
            step()?;
            Ok(AtEpsilon { epsilon, needed })
        });
        let over = over.collect::<Result<_>>()?;
        let wanted = self.effect_size.map(|effect_size| -> Result<Wanted> {
            let all: f64 = rows.iter().sum();
            let shares: Vec<f64> = rows.iter().map(|rows| rows / all).collect();
            let chances = first.chances(&rows, effect_size)?;
            let by_rows = super::needed(first.response_of_rows(&shares, effect_size, &check))?;
            (0..3).try_for_each(|_| step())?;
            let epsilon = super::needed(first.response_of_epsilon(&rows, effect_size, &check))?;
            Ok(Wanted { effect_size, chances, rows: by_rows, epsilon })
        });
        let wanted = wanted.transpose()?;
        let known = Known { counts: Some(&rows), many: None };
        progress(1.0)?;
        Ok(PlanRecord {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            command: "plan".to_owned(),
            features: self.features,
            k: plan.given_k(),
            false_discoveries: plan.fwer.as_ref().map(|fwer| fwer.bound()),
            splits: plan.median().is_some(),
            epsilon: plan.epsilon.clone(),
            delta: plan.calibrated.delta.clone(),
            spent: plan.spent.clone(),
            replaces: plan.request.neighbors.steps() == 2,
            score: score_used(&plan, None),
            mechanism: mechanism_used(&plan, &plan.choice.chosen(known), None),
            tables: first.tables(),
            seed: self.seed,
            tested: first.tests_significance(),
            largest_null: first.largest_null(&rows)?,
            strong,
            needed,
            others,
            over,
            wanted,
            warnings: warnings(&plan, &rows),
            rows,
        })
    }

    fn simulated(&self, strong: usize) -> Result<Simulated> {
        let threads = checked_threads(self.select.running.threads)?;
        Ok(Simulated { strong: Some(strong), tables: self.tables, seed: self.seed, threads })
    }

    /// The checked request, its plan, and the rows of each class.
    fn planned(&self) -> Result<(CheckedSelect, Plan, Vec<f64>)> {
        let wrong = |rule: String| Err(Error::request(rule));
        if !(ROWS.0..=ROWS.1).contains(&self.rows) {
            return wrong(format!("the number of rows must lie between {} and {}", ROWS.0, ROWS.1));
        }
        if !(1..=MAX_FEATURES).contains(&self.features) {
            return wrong(format!("the number of features must lie between 1 and {MAX_FEATURES}"));
        }
        if self.effect_size.is_some_and(|effect| !(0.001..=1.0).contains(&effect)) {
            return wrong("an effect size must lie between 0.001 and 1".into());
        }
        if let Some(tables) = self.tables {
            if tables < MIN_TABLES {
                return wrong(format!("at least {MIN_TABLES} tables must be simulated"));
            }
            if tables.checked_mul(self.features).is_none_or(|scores| scores > MAX_SCORES) {
                return wrong(format!("tables times features must not exceed {MAX_SCORES}"));
            }
        }
        let mut select = self.select.request()?;
        if !self.class_shares.is_empty() && self.select.target.kind()?.is_none() {
            // Shares are of classes; one share is of the rarer of two.
            let classes = self.class_shares.len().max(2);
            select = select.target(Target::classes((0..classes).map(|class| format!("{class}"))));
        }
        let select = select.check()?;
        let plan = select.planned(self.features)?;
        super::check_method(&plan)?;
        self.over()?;
        let shares = self.shares(plan.scoring.classes())?;
        let rows: Vec<f64> = shares.iter().map(|share| share * self.rows as f64).collect();
        if rows.iter().any(|rows| *rows < MIN_CLASS) {
            return wrong(format!("each class must have at least {MIN_CLASS} rows"));
        }
        Ok((select, plan, rows))
    }

    /// The share of each class.
    fn shares(&self, classes: usize) -> Result<Vec<f64>> {
        let wrong = |rule: String| Err(Error::request(rule));
        match self.class_shares[..] {
            [] => Ok(vec![1.0 / classes as f64; classes]),
            [rarer] if classes == 2 => match rarer > 0.0 && rarer <= 0.5 {
                true => Ok(vec![1.0 - rarer, rarer]),
                false => {
                    wrong("the share of the rarer class must lie above 0 and up to 0.5".into())
                }
            },
            ref shares if shares.len() == classes => {
                let sum: f64 = shares.iter().sum();
                match shares.iter().all(|share| *share > 0.0) && (sum - 1.0).abs() < 1e-6 {
                    true => Ok(shares.to_vec()),
                    false => {
                        wrong("the shares of the classes must be positive and add up to 1".into())
                    }
                }
            }
            _ => wrong(format!(
                "give the share of the rarer of two classes, or one for each of {classes}"
            )),
        }
    }

    /// The budgets to consider, ascending, including the budget of the request.
    fn over(&self) -> Result<Vec<Epsilon>> {
        if self.over.is_empty() {
            return Ok(Vec::new());
        }
        let given = self.select.privacy.epsilon.iter().chain(&self.over);
        let mut over = given.map(|epsilon| epsilon.parse()).collect::<Result<Vec<Epsilon>>>()?;
        over.sort();
        over.dedup();
        Ok(over)
    }
}

fn warnings(plan: &Plan, rows: &[f64]) -> Vec<String> {
    let mut warnings = Vec::new();
    let all: f64 = rows.iter().sum();
    if let Ok(part) = plan.part(Purpose::TargetMedian) {
        let steps = plan.request.neighbors.steps() as f64;
        let needed = 2.0 * steps * MEDIAN_RANK_ERROR_95 / part.to_f64();
        if all < needed {
            warnings.push(format!(
                "with fewer than about {needed:.0} rows the private median may miss the values, which this analysis \
                 takes to lie close together: give classes, or the range of the target"
            ));
        }
    }
    if let Some(k) = plan.given_k().filter(|k| 5 * k > plan.features) {
        warnings.push(format!(
            "a random choice of {k} of {} features holds any one of them {:.0} times of 100",
            plan.features,
            100.0 * k as f64 / plan.features as f64
        ));
    }
    warnings
}
