//! Simulated tables of one size, and how often a run finds features of an effect size in them.
//!
//! In each table the target is split at a median with the noise of the private one, and the counts
//! and the center are released as in a run, each with its part of the budget. The scores of all
//! features are drawn from their distribution ([`Law`]); then the selection of a run draws from
//! them, with its part of the budget. Whether a selected feature is significant follows from its
//! exact effect size, the distribution of the noise, and the significance threshold by the released
//! counts. Tables, noise and random bits are the same for every effect size, number of rows and
//! epsilon, so that differences have less noise than the probabilities themselves.
//!
//! The split is off by a number of ranks with probabilities proportional to e^(-epsilon |ranks|),
//! or half of that epsilon if rows are replaced: the law of the private median where values lie
//! close together.

use std::borrow::Cow;

use crate::error::Result;
use crate::estimate::{Counted, EffectNoise, unit};
use crate::exact::GRID;
use crate::forecast::law::{Effect, Law, QuantileMemo, Split};
use crate::forecast::search::Probability;
use crate::forecast::shift::Noise;
use crate::forecast::threshold::Thresholds;
use crate::forecast::{Chances, Check};
use crate::privacy::{Epsilon, Neighbors};
use crate::random::{Entropy, RandomnessSource, WordStream};
use crate::release::draws::Release;
use crate::release::required::Requirements;
use crate::release::settled::Settled;
use crate::release::stop::{RowWords, check_counts};
use crate::release::units::Units;
use crate::request::plan::{CodedAs, Plan, PlannedCenter, Scoring};
use crate::request::reach::Reach;
use crate::request::weights::{FeatureWeights, WeightClass};
use crate::score::Scores;
use crate::statistic::blocks::Dealer;
use crate::table::Hooks;
use crate::threads::in_parallel;

/// Simulated tables have at most this number of features; each represents several features of a
/// wider table, with their largest score. Where each represents two, the rows needed at a hundred
/// simulated tables are at most 3% fewer for 5 picks and 6% for 20, less than the standard error by
/// [`TABLES`].
const MAX_FEATURES: usize = 1 << 16;

/// By default the number of tables is chosen so that together they have this number of scores,
/// between these limits.
const SCORES: usize = 1 << 20;
const TABLES: (usize, usize) = (24, 100);

/// The number of tables of quantiles that are kept.
const MAX_QUANTILES: usize = 1 << 12;

/// The random part of simulated tables with a number of features.
pub(super) struct Draws {
    /// The number of features of the table that each simulated feature represents.
    each: f64,
    tables: Vec<TableDraws>,
    quantiles: QuantileMemo,
}

/// The random part of one table.
struct TableDraws {
    seed: u64,
    /// -ln U for each null feature, ascending.
    levels: Vec<f64>,
    /// The noise of features with an effect.
    noise: Vec<Noise>,
    /// Uniform numbers for the split of a target at a median.
    split: [f64; 2],
    /// The class of each feature by its weight, first of features with an effect; `None` without
    /// weights.
    class_of: Option<Vec<u8>>,
}

impl Draws {
    /// The draws for tables of `features` features, up to `strong` of them with an effect; `tables`
    /// is the number of tables, or by default as many as can be simulated in some tenths of a
    /// second. If features have weights, these are the probabilities with which each of them has an
    /// effect.
    ///
    /// # Errors
    ///
    /// The error of `check`, which is called before each table.
    pub(super) fn new(
        (features, weights): (usize, Option<&FeatureWeights>),
        strong: usize,
        tables: Option<usize>,
        seed: u64,
        threads: usize,
        check: Check<'_>,
    ) -> Result<Self> {
        let simulated = features.min(MAX_FEATURES);
        let tables = tables.unwrap_or_else(|| (SCORES / simulated).clamp(TABLES.0, TABLES.1));
        let draw = |number: u64| {
            check()?;
            let seed = seed.wrapping_mul(1 << 32).wrapping_add(number);
            let mut words = Entropy::Seeded(seed).source()?.bits(0).lane(0);
            let mut level = || -libm::log(unit(&mut words));
            let mut levels: Vec<f64> = (0..simulated).map(|_| level()).collect();
            levels.sort_unstable_by(f64::total_cmp);
            let split = [unit(&mut words), unit(&mut words)];
            let noise = (0..strong.min(simulated)).map(|_| Noise::draw(&mut words)).collect();
            let class_of = weights
                .map(|weights| classes(weights, strong.min(simulated), simulated, &mut words));
            Ok(TableDraws { seed, levels, noise, split, class_of })
        };
        let tables = in_parallel(tables as u64, threads, draw)?;
        let each = features as f64 / simulated as f64;
        Ok(Self { each, tables, quantiles: QuantileMemo::new(MAX_QUANTILES) })
    }

    /// The number of tables.
    pub(super) fn tables(&self) -> usize {
        self.tables.len()
    }
}

/// The class of each of some features: the first ones by their weights, all others by the numbers
/// of features.
fn classes(
    weights: &FeatureWeights,
    strong: usize,
    features: usize,
    words: &mut WordStream,
) -> Vec<u8> {
    let all = weights.class_of().len() as f64;
    let last = weights.classes.len() - 1;
    let class = |feature: usize| {
        let uniform = unit(words);
        let share = |class: &WeightClass| {
            class.features as f64 / if feature < strong { class.tests } else { all }
        };
        let up_to = weights.classes.iter().scan(0.0, |sum, class| {
            *sum += share(class);
            Some(*sum)
        });
        up_to.take(last).take_while(|sum| *sum < uniform).count() as u8
    };
    (0..features).map(class).collect()
}

/// Simulated tables with a number of rows.
pub(super) struct World<'a> {
    plan: &'a Plan,
    draws: &'a Draws,
    tables: Vec<Table>,
    threads: usize,
}

/// A simulated table, with the values that a run releases before its scores.
struct Table {
    law: Law,
    /// The score of each null feature, on the grid.
    nulls: Vec<i64>,
    counted: Option<Counted>,
    /// Whether these counts end a run.
    ends: bool,
    /// The scores that features require by these counts, with the significance thresholds.
    required: Option<Requirements>,
    randomness: RandomnessSource,
}

impl<'a> World<'a> {
    /// Tables with these numbers of rows of each class, or of each side of a split; `None` for a
    /// method without scores of single features.
    ///
    /// # Errors
    ///
    /// `Request` if the plan has no part of the budget for one of its releases.
    pub(super) fn new(
        plan: &'a Plan,
        draws: &'a Draws,
        rows: &[f64],
        threads: usize,
    ) -> Result<Option<Self>> {
        let thresholds = Thresholds::new(plan, rows);
        let table = |number: u64| {
            let own = &draws.tables[number as usize];
            let randomness = Entropy::Seeded(own.seed).source()?;
            let rows = whole(&sides(plan, rows, own.split)?);
            let settled = settled(plan, &randomness, &rows)?;
            let split = split(plan, &rows, settled.as_ref());
            let Some(law) = Law::new(plan, split, draws.each, &draws.quantiles)? else {
                return Ok(None);
            };
            let counted = settled.and_then(|settled| settled.counted);
            let required = counted.as_ref().and_then(|counted| {
                Some(Requirements::new(plan, counted, thresholds.at(plan, counted)?))
            });
            let units = RowWords { units: "rows", one_row_each: false };
            let ends = check_counts(plan, units, counted.as_ref()).is_err();
            let row = Units::row(plan);
            let nulls = law.nulls(&own.levels).map(|score| (score * row) as i64).collect();
            Ok(Some(Table { law, nulls, counted, ends, required, randomness }))
        };
        let tables = in_parallel(draws.tables.len() as u64, threads, table)?;
        let tables: Option<Vec<Table>> = tables.into_iter().collect();
        Ok(tables.map(|tables| Self { plan, draws, tables, threads }))
    }

    /// The probabilities for each of `strong` features of an effect size, where all others are null
    /// features.
    ///
    /// # Errors
    ///
    /// `Request` if the mechanism does not suit the scores.
    pub(super) fn chances(&self, effect: f64, strong: usize) -> Result<Chances> {
        let effect = Effect::new(effect);
        let scores = |table: &Table, number: usize| -> Vec<[f64; 2]> {
            let noise = self.draws.tables[number].noise.iter().take(strong);
            noise.map(|noise| table.law.of_effect(&effect, noise)).collect()
        };
        self.chances_of(strong, &scores)
    }

    /// The same for the `strongest` features of a table, by the effect sizes of all its features in
    /// the table itself, in descending order.
    ///
    /// # Errors
    ///
    /// `Request` if the mechanism does not suit the scores.
    pub(super) fn chances_in_table(&self, effects: &[f64], strongest: usize) -> Result<Chances> {
        self.chances_of(strongest, &|table: &Table, _| {
            let effects = effects.iter().take(table.nulls.len());
            effects.map(|effect| [effect * table.law.largest; 2]).collect()
        })
    }

    /// The probabilities for the first `strong` of features with these scores and effect sizes in
    /// rows; all others are null features.
    fn chances_of(
        &self,
        strong: usize,
        features: &(dyn Fn(&Table, usize) -> Vec<[f64; 2]> + Sync),
    ) -> Result<Chances> {
        let one = |number: u64| {
            let table = &self.tables[number as usize];
            let class_of = self.draws.tables[number as usize].class_of.as_deref();
            self.shares(table, class_of, strong, &features(table, number as usize))
        };
        let shares = in_parallel(self.tables.len() as u64, self.threads, one)?;
        let found = Probability::of(shares.iter().map(|shares| shares[0]));
        let significant = tests_significance(self.plan)
            .then(|| Probability::of(shares.iter().map(|shares| shares[1])));
        Ok(Chances { found, significant })
    }

    /// The share of the first `strong` features that one run selects, and the average probability
    /// that each is found significant.
    fn shares(
        &self,
        table: &Table,
        class_of: Option<&[u8]>,
        strong: usize,
        features: &[[f64; 2]],
    ) -> Result<[f64; 2]> {
        if table.ends {
            return Ok([0.0; 2]);
        }
        let plan = self.plan;
        let (row, steps) = (Units::row(plan), plan.request.neighbors.steps());
        let mut values = table.nulls.clone();
        for (value, [score, _]) in values.iter_mut().zip(features) {
            *value = (score * row) as i64;
        }
        let one_row = (table.law.one_row * row).ceil() as u64;
        let scores = Scores::new(values, steps * one_row, plan.request.neighbors)?;
        let hooks = Hooks::default();
        let release = release(plan, &table.randomness, &hooks);
        let counted = table.counted.as_ref();
        let required = table.required.as_ref();
        let picks =
            release.select_at(&scores, class_of, counted, |_, _| required.map(Cow::Borrowed))?;
        let exceeding = self.exceeding(table, picks.noise, picks.picks.len());
        let (mut found, mut significant) = (0.0, 0.0);
        for pick in picks.picks.into_iter().filter(|pick| *pick < strong) {
            let [_, effect] = features[pick];
            let class = class_of.map_or(0, |class_of| usize::from(class_of[pick]));
            found += 1.0;
            significant += exceeding.as_ref().map_or(0.0, |exceeding| exceeding(effect, class));
        }
        // Without k, a selected feature that is not significant is not named.
        let found = if plan.fwer.is_some() { significant } else { found };
        Ok([found, significant].map(|sum| sum / strong as f64))
    }

    /// The probability that a selected feature of an exact effect size in rows and a class exceeds
    /// its significance threshold, when `number` features are selected and effect sizes have this
    /// noise.
    fn exceeding(
        &self,
        table: &Table,
        noise: Option<EffectNoise>,
        number: usize,
    ) -> Option<impl Fn(f64, usize) -> f64> {
        let (plan, counted) = (self.plan, table.counted.as_ref()?);
        let steps = plan.request.neighbors.steps() as f64;
        let one_row = Reach::one_row(&counted.classes);
        let noise = noise?;
        let scale = steps * one_row / noise.rate(number);
        let mut thresholds = table.required.as_ref()?.levels.clone();
        if let Some(fwer) = &plan.fwer {
            let added = noise.level(fwer.half(), number) * scale + 2.0 / f64::from(GRID);
            thresholds.iter_mut().for_each(|threshold| *threshold += added);
        }
        let largest = plan.scoring.reach()?.largest(&counted.classes);
        Some(move |effect: f64, class: usize| match thresholds.get(class) {
            Some(threshold) if *threshold < largest => {
                noise.above(number, (threshold - effect) / scale)
            }
            _ => 0.0,
        })
    }

    /// The median of the largest score of all null features, as an effect size.
    pub(super) fn largest_null(&self) -> f64 {
        let row = Units::row(self.plan);
        let largest = |table: &Table| {
            table.nulls.last().map_or(f64::NAN, |score| *score as f64 / row / table.law.largest)
        };
        let mut all: Vec<f64> = self.tables.iter().map(largest).collect();
        all.sort_unstable_by(f64::total_cmp);
        all.get(all.len() / 2).copied().unwrap_or(f64::NAN)
    }
}

/// Whether runs of a plan test significance.
pub(super) fn tests_significance(plan: &Plan) -> bool {
    plan.estimates.is_some() && plan.request.without_threshold().is_none()
}

/// The releases of a run, without files.
fn release<'a>(plan: &'a Plan, randomness: &'a RandomnessSource, hooks: &'a Hooks) -> Release<'a> {
    let dealer = Dealer { randomness, dealing: 0, threads: 1, hooks };
    Release { plan, randomness, dealer, words: None }
}

/// The rows of each class, or of each side of a median with the noise of the private one.
fn sides(plan: &Plan, rows: &[f64], split: [f64; 2]) -> Result<Vec<f64>> {
    let (Some(epsilon), [below, above]) = (plan.median(), rows) else { return Ok(rows.to_vec()) };
    let above = above + ranks_off(below + above, epsilon, plan.request.neighbors, split);
    let all = rows.iter().sum::<f64>();
    let above = above.clamp(1.0, (all - 1.0).max(1.0));
    Ok(vec![all - above, above])
}

/// The number of ranks by which a private median is off: an exponential number of a random sign,
/// below half of the rows, by its distribution function.
fn ranks_off(rows: f64, epsilon: &Epsilon, neighbors: Neighbors, [u, sign]: [f64; 2]) -> f64 {
    let rate = epsilon.to_f64() / neighbors.steps() as f64;
    let within = -libm::expm1(-rate * rows / 2.0);
    let ranks = -libm::log1p(-within * (1.0 - u)) / rate;
    if sign > 0.5 { ranks } else { -ranks }
}

/// Whole numbers of rows, for counting.
fn whole(rows: &[f64]) -> Vec<u64> {
    rows.iter().map(|rows| rows.round().max(0.0) as u64).collect()
}

/// The counts and center as a run releases them, if it releases any.
fn settled(plan: &Plan, randomness: &RandomnessSource, rows: &[u64]) -> Result<Option<Settled>> {
    let (Scoring::Coded(coded), 1) = (&plan.scoring, plan.strata) else { return Ok(None) };
    let hooks = Hooks::default();
    let release = release(plan, randomness, &hooks);
    let all = rows.iter().sum();
    Ok(Some(match (&coded.target, coded.code(Some(0.0)), rows) {
        (CodedAs::Number(_), Some(code), [below, above]) => {
            let code = code.into_owned();
            if coded.center == PlannedCenter::OfPairs {
                release.pairs(code, &[all], all)?
            } else {
                let row = 2 * u64::from(GRID.unsigned_abs());
                let sums = [row * above, row * below];
                release.number(code, &sums, all, &coded.center, plan.shrinks_center())?
            }
        }
        _ => release.classes(rows, all, &coded.center)?,
    }))
}

/// The most even split of the target in two, with its center by the released values, or with the
/// exact center if no center was released.
fn split(plan: &Plan, rows: &[u64], settled: Option<&Settled>) -> Split {
    let rows: Vec<f64> = rows.iter().map(|rows| *rows as f64).collect();
    let (all, q) = (rows.iter().sum::<f64>(), f64::from(GRID));
    let group = plan.scoring.reach().map_or_else(|| vec![false, true], |reach| reach.group(&rows));
    let sum = |values: &[f64], of: bool| -> f64 {
        values.iter().zip(&group).filter(|(_, second)| **second == of).map(|(value, _)| value).sum()
    };
    let second = sum(&rows, true);
    let exact = second / all;
    let share = |centers: &[i32]| match centers {
        [center] if rows.len() == 2 => (1.0 + f64::from(*center) / q) / 2.0,
        centers if centers.len() == rows.len() => {
            sum(&centers.iter().map(|center| f64::from(*center) / q).collect::<Vec<_>>(), true)
        }
        _ => exact,
    };
    let [used, released] = match settled {
        // Without a center pairs are compared evenly.
        Some(settled) => [share(&settled.target.centers), share(&settled.target.released)],
        None => [exact; 2],
    };
    let one_row = match settled.map(|settled| &settled.target.centers[..]) {
        Some(centers) if centers.len() > 2 => {
            let least = centers.iter().min().map_or(0.0, |least| f64::from(*least) / q);
            1.0 - least.max(0.0)
        }
        _ => used.max(1.0 - used),
    };
    Split { rows: [all - second, second], share: used, released, one_row }
}

/// The number of classes or sides that need a number of rows, and the default shares of rows.
pub(super) fn even(plan: &Plan) -> Vec<f64> {
    let classes = plan.scoring.classes();
    vec![1.0 / classes as f64; classes]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Entropy;

    /// Ranks of the split against their probabilities e^(-epsilon |r|). 20,000 splits.
    #[test]
    fn the_split_is_off_by_an_exponential_number_of_ranks() {
        let epsilon: Epsilon = "0.05".parse().unwrap();
        let mut words = Entropy::Seeded(3).source().unwrap().bits(0).lane(0);
        let splits = 20_000;
        let (mut above, mut far) = (0, 0);
        for _ in 0..splits {
            let draws = [unit(&mut words), unit(&mut words)];
            let ranks = ranks_off(1000.0, &epsilon, Neighbors::AddRemove, draws);
            assert!(ranks.abs() <= 500.0);
            above += u32::from(ranks > 0.0);
            far += u32::from(ranks.abs() > 30.0);
        }
        let [above, far] = [above, far].map(|count| f64::from(count) / f64::from(splits));
        assert!((above - 0.5).abs() < 0.02, "{above}");
        assert!((far - (-0.05f64 * 30.0).exp()).abs() < 0.015, "{far}");
    }
}
