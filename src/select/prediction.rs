//! Predictions: which associations a request would find, and confirm as beyond chance, by the
//! number of rows.
//!
//! A table is imagined in which k features have one strength and all others are noise. The scores
//! of the others are drawn from the law of the largest deviation under chance, and the mechanism
//! itself selects: a strength is *found* if at least half of the k are, on average, and if it
//! exceeds the largest of all features by chance, as it typically is: where k is a large share of
//! the features, half of any k are found without looking. It is *confirmed* if it reaches the level
//! at which the verdict calls a feature beyond chance. Everything follows from public numbers.

use std::f64::consts::LN_2;

use serde::Serialize;

use crate::error::{Error, Parameter, Result};
use crate::estimate::{count_step, laplace, noise_above, unit};
use crate::mechanism::choose;
use crate::privacy::Purpose;
use crate::random::{Bits, Entropy, WordStream};
use crate::score::Scores;
use crate::select::law::{Law, UNITS};
use crate::select::number::{Needed, ln_sets, numbers, utilities};
use crate::select::plan::Plan;
use crate::select::reach::Reach;
use crate::select::request::Association;

/// The number of features of which imagined tables have at most: of larger ones, the largest scores
/// are drawn.
const MOST_FEATURES: usize = 1 << 16;

/// The number of imagined tables for each number of rows: as many as have this many scores
/// together, between these.
const SCORES: usize = 1 << 18;
const TABLES: (usize, usize) = (12, 100);

/// The largest number of rows that is considered.
const MOST_ROWS: f64 = 1e9;

/// Numbers are searched in steps of these factors: of what is simulated, and of what is confirmed,
/// first roughly; and the strengths that are named.
const SIMULATED: f64 = 1.02;
const COMPUTED: f64 = 1.02;
const FINELY: f64 = 1.002;
const ROUGHLY: f64 = 1.2;

/// The strengths that a request would find and confirm in a table of a known size.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Prediction {
    /// Features from this strength on are found more often than not; `None` if not even the largest
    /// strength, 1, is.
    pub found: Option<f64>,
    /// Features from this strength on are called beyond chance more often than not; `None` if none
    /// is, or if there is no verdict.
    pub confirmed: Option<f64>,
}

/// The numbers of rows with which a request would find and confirm features of one strength, if
/// both classes, or both sides of the split, have equally many.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RowsNeeded {
    /// The strength, from 0 to 1.
    pub strength: f64,
    /// With so many rows, features of this strength are found more often than not.
    pub found: Option<f64>,
    /// With so many rows, they are called beyond chance more often than not; `None` if there is no
    /// verdict.
    pub confirmed: Option<f64>,
}

/// An imagined target: the number of rows of each class, or of each side of a split.
#[derive(Debug, Clone)]
pub(super) struct Imagined {
    pub(super) counts: Vec<f64>,
}

impl Imagined {
    /// So many rows, in classes of these shares.
    pub(super) fn of(rows: f64, shares: &[f64]) -> Self {
        Self { counts: shares.iter().map(|share| rows * share).collect() }
    }

    /// So many rows, in equally many of each class.
    fn even(rows: f64, classes: usize) -> Self {
        Self { counts: vec![rows / classes as f64; classes] }
    }
}

/// The strengths that are found and confirmed.
///
/// # Errors
///
/// `Request` if the mechanism does not fit.
pub(super) fn predict(plan: &Plan, imagined: &Imagined) -> Result<Prediction> {
    if plan.beyond.is_some() {
        let confirmed = confirmed(plan, imagined, 1.0).filter(|strength| *strength <= 1.0);
        return Ok(Prediction { found: confirmed, confirmed });
    }
    if plan.refinement.is_some() {
        let rule =
            "what a refinement finds is not predicted: it depends on how features are correlated";
        return Err(Error::request(rule).about([Parameter::Refine]));
    }
    let noise = Noise::draw(plan)?;
    Ok(Prediction {
        found: least((1e-4, 1.0), SIMULATED, |strength| noise.finds(plan, strength, imagined))?,
        confirmed: confirmed(plan, imagined, 1.0).filter(|strength| *strength <= 1.0),
    })
}

/// The rows needed for these strengths; nothing for a method without strengths.
///
/// # Errors
///
/// `Request` if the mechanism does not fit.
pub(super) fn rows_needed(plan: &Plan, strengths: &[f64]) -> Result<Vec<RowsNeeded>> {
    // What a refinement finds depends on how features are correlated.
    let known = plan.refinement.is_none();
    let classes = plan.scoring.classes();
    if !known || Law::of(plan, &Imagined::even(1.0, classes).counts).is_none() {
        return Ok(Vec::new());
    }
    let noise = match plan.beyond {
        Some(_) => None,
        None => Some(Noise::draw(plan)?),
    };
    let needed = |&strength: &f64| {
        let confirmed = rows_to_confirm(plan, strength, &vec![1.0 / classes as f64; classes]);
        let found = match &noise {
            Some(noise) => {
                let found = |rows| noise.finds(plan, strength, &Imagined::even(rows, classes));
                least((4.0, MOST_ROWS), SIMULATED, found)?
            }
            None => confirmed,
        };
        Ok(RowsNeeded { strength, found, confirmed })
    };
    strengths.iter().map(needed).collect()
}

/// The number of rows with which features of this strength are confirmed, if the classes have these
/// shares.
pub(super) fn rows_to_confirm(plan: &Plan, strength: f64, shares: &[f64]) -> Option<f64> {
    let at = |rows: f64| (Imagined::of(rows, shares), 1.0);
    least_to_confirm(plan, strength, (4.0, MOST_ROWS), at)
}

/// The epsilon with which features of this strength are confirmed, up to twenty times that of the
/// plan.
pub(super) fn epsilon_to_confirm(plan: &Plan, strength: f64, imagined: &Imagined) -> Option<f64> {
    let at = |budget: f64| (imagined.clone(), budget);
    Some(plan.epsilon.to_f64() * least_to_confirm(plan, strength, (1.0, 20.0), at)?)
}

/// The least value with whose rows and multiple of the budget features of this strength are
/// confirmed: searched at exact counts, and corrected by what their noise makes of the level there.
fn least_to_confirm(
    plan: &Plan,
    strength: f64,
    range: (f64, f64),
    at: impl Fn(f64) -> (Imagined, f64),
) -> Option<f64> {
    let search = |strength: f64, step: f64| {
        let enough = |value| {
            let (imagined, budget) = at(value);
            Ok(at_exact_counts(plan, &imagined, budget).is_some_and(|least| strength >= least))
        };
        least(range, step, enough).ok()?
    };
    let (imagined, budget) = at(search(strength, ROUGHLY)?);
    let exact = at_exact_counts(plan, &imagined, budget)?;
    let noisy = confirmed(plan, &imagined, budget)?;
    search((strength * exact / noisy).min(1.0), COMPUTED)
}

/// The least value between two, within a factor, from which on `enough` holds; `None` if not even
/// the higher one is enough.
fn least(
    (mut low, mut high): (f64, f64),
    step: f64,
    enough: impl Fn(f64) -> Result<bool>,
) -> Result<Option<f64>> {
    if !enough(high)? {
        return Ok(None);
    }
    while high / low > step {
        let middle = (low * high).sqrt();
        if enough(middle)? { high = middle } else { low = middle }
    }
    Ok(Some(high))
}

/// Features that are noise, in the same imagined tables for every strength and number of rows.
struct Noise {
    /// The number of features of strength.
    true_ones: usize,
    tables: Vec<Table>,
}

/// The random parts of an imagined table.
struct Table {
    /// The scores of the features that are noise, in units of the scale of chance.
    others: Vec<f64>,
    /// The noise of the count of each class, at rate 1.
    counts: Vec<f64>,
    /// The bits of the selection.
    bits: Bits,
}

impl Noise {
    fn draw(plan: &Plan) -> Result<Self> {
        let features = plan.features.min(MOST_FEATURES);
        let true_ones = plan.k.min(features);
        let splits = plan.scoring.reach().map_or(1.0, |reach| reach.splits(plan.scoring.classes()));
        let of = splits * plan.features as f64 / features as f64;
        let table = |table| {
            let bits = Entropy::Seeded(table).source()?.bits(Purpose::Selection.draw());
            let mut words = bits.lane(0);
            let others = (true_ones..features).map(|_| by_chance(of, &mut words)).collect();
            let classes = plan.scoring.classes();
            let counts = (0..classes).map(|_| laplace(1.0, 1e-3, &mut words));
            Ok(Table { others, counts: counts.collect(), bits: bits.branch(1) })
        };
        let tables = (SCORES / features).clamp(TABLES.0, TABLES.1) as u64;
        Ok(Self { true_ones, tables: (0..tables).map(table).collect::<Result<_>>()? })
    }

    /// Whether at least half of the features of this strength are found, on average, and it is more
    /// than chance gives.
    fn finds(&self, plan: &Plan, strength: f64, imagined: &Imagined) -> Result<bool> {
        let Some(law) = Law::of(plan, &imagined.counts) else { return Ok(false) };
        if strength * law.largest < law.chance * typical_largest(plan.features as f64 * law.splits)
        {
            return Ok(false);
        }
        let mechanism = plan.choice.chosen(Some(&imagined.counts)).mechanism;
        let mut found = 0;
        for Table { others, counts, bits } in &self.tables {
            let mut values = vec![law.units(strength * law.largest); self.true_ones];
            // An error of the center lifts constants, and with them the largest of many thresholds.
            let off = off_center(plan, imagined, counts);
            let score = |score: &f64| law.units((score * law.chance).hypot(off));
            values.extend(others.iter().map(score));
            let scores = Scores::new(values, UNITS as u64, plan.request.neighbors)?;
            let picks = choose(&*mechanism, &scores, plan.k, &plan.calibrated.noise, bits)?;
            found += picks.iter().filter(|pick| **pick < self.true_ones).count();
        }
        Ok(2 * found >= self.true_ones * self.tables.len())
    }
}

/// The largest of `of` scores by chance, in units of their scale: P(score > y) is about 2
/// e^(-y^2/2).
fn by_chance(of: f64, words: &mut WordStream) -> f64 {
    quantile_by_chance(of, unit(words))
}

/// The median of the largest of so many scores by chance.
fn typical_largest(features: f64) -> f64 {
    quantile_by_chance(features, 0.5)
}

fn quantile_by_chance(of: f64, probability: f64) -> f64 {
    let tail = -libm::expm1(libm::log(probability) / of);
    let lambda = (LN_2 - libm::log(tail.max(f64::MIN_POSITIVE))).max(0.0);
    (2.0 * lambda).sqrt()
}

/// The strength from which on features are confirmed more often than not, with this multiple of the
/// budget: above 1 if none is. `None` if there is no verdict. The median over noisy counts, on
/// which the level of the verdict depends.
///
/// Where all features beyond chance are selected, the one from which on a feature is named as often
/// as not, if it is alone.
pub(super) fn confirmed(plan: &Plan, imagined: &Imagined, budget: f64) -> Option<f64> {
    if plan.beyond.is_some() {
        return named(plan, imagined, budget, 1, 0.5);
    }
    let law = Law::of(plan, &imagined.counts)?;
    let mut levels = at_noisy_counts(plan, imagined, budget, |counts, bits| {
        level(plan, counts, budget, bits).unwrap_or(f64::INFINITY)
    })?;
    levels.sort_unstable_by(f64::total_cmp);
    Some(levels[levels.len() / 2] / law.largest).filter(|strength| strength.is_finite())
}

/// Whatever follows from noisy counts, for some of them.
fn at_noisy_counts<T>(
    plan: &Plan,
    imagined: &Imagined,
    budget: f64,
    at: impl Fn(&[f64], &Bits) -> T,
) -> Option<Vec<T>> {
    let bits = Entropy::Seeded(0).source().ok()?.bits(Purpose::Estimates.draw());
    let mut words = bits.lane(1);
    let step = count_step(imagined.counts.len());
    let center = plan.counting().ok()?;
    let scale = plan.request.neighbors.steps() as f64 / (center.to_f64() * budget);
    let mut noisy = || -> Vec<f64> {
        let noisy = |count: &f64| count + laplace(1.0 / scale, step, &mut words);
        imagined.counts.iter().map(noisy).collect()
    };
    Some((0..COUNTS).map(|_| at(&noisy(), &bits)).collect())
}

/// The strength from which on `m` features of equal strength are named with this probability, each,
/// where all others are noise: above 1 if none is.
pub(super) fn named(
    plan: &Plan,
    imagined: &Imagined,
    budget: f64,
    m: usize,
    probability: f64,
) -> Option<f64> {
    let outlooks = at_noisy_counts(plan, imagined, budget, |counts, bits| {
        NamedFrom::at(plan, counts, budget, bits)
    })?;
    strength_named(plan, imagined, &outlooks, m, probability)
}

fn strength_named(
    plan: &Plan,
    imagined: &Imagined,
    outlooks: &[Option<NamedFrom>],
    m: usize,
    probability: f64,
) -> Option<f64> {
    let law = Law::of(plan, &imagined.counts)?;
    let enough = |strength: f64| {
        let named = |from: &Option<NamedFrom>| {
            from.as_ref().map_or(0.0, |from| from.named(strength * law.largest, m))
        };
        let sum: f64 = outlooks.iter().map(named).sum();
        Ok(sum >= probability * outlooks.len() as f64)
    };
    least((1e-4, 4.0), FINELY, enough).ok()?
}

/// The number of features that is drawn, and what it takes to be named, by some counts.
struct NamedFrom {
    features: usize,
    numbers: Vec<Needed>,
    /// A typical score without an association, in rows.
    chance: f64,
    /// The sensitivity of scores, in rows.
    sensitivity: f64,
    /// The parts of the budget for number, selection and strengths.
    parts: [f64; 3],
}

impl NamedFrom {
    fn at(plan: &Plan, counts: &[f64], budget: f64, bits: &Bits) -> Option<Self> {
        let (half, steps) = (plan.beyond.as_ref()?.half(), plan.request.neighbors.steps() as f64);
        let part = |purpose| Some(plan.part(purpose).ok()?.to_f64() * budget);
        let rate = plan.counting().ok()?.to_f64() * budget / steps;
        let test = plan.chance_test(counts, rate, 0.0)?;
        let one_row = Reach::one_row(counts);
        let level = test.predict_level(half, bits)? * one_row;
        Some(Self {
            features: plan.features,
            numbers: numbers(plan, counts, budget, level).ok()?,
            chance: Law::of(plan, counts)?.chance,
            sensitivity: steps * one_row,
            parts: [part(Purpose::Number)?, part(Purpose::Selection)?, part(Purpose::Estimates)?],
        })
    }

    /// The probability that one of `m` features of this score is named.
    fn named(&self, score: f64, m: usize) -> f64 {
        let [number, selection, strengths] = self.parts.map(|part| part / self.sensitivity);
        // The largest of those without an association, typically.
        let others = (self.features - m) as f64;
        let largest = |needed: &Needed| match needed.number.checked_sub(m).filter(|rank| *rank > 0)
        {
            Some(rank) => {
                let tail = (rank as f64 - 0.5) / others;
                score.min(self.chance * (2.0 * (LN_2 - libm::log(tail))).max(0.0).sqrt())
            }
            None => score,
        };
        let excess: Vec<f64> =
            self.numbers.iter().map(|needed| largest(needed) - needed.score).collect();
        let utilities: Vec<f64> =
            utilities(&excess).iter().map(|utility| utility * number / 2.0).collect();
        let selected = |k: usize| {
            let wrong = ln_sets(self.features, k) - ln_sets(m, k.min(m));
            let right = 1.0 / (1.0 + libm::exp(wrong - (score - self.chance) * selection / 2.0));
            // More than are alike are all the same to the mechanism.
            if k <= m { right * k as f64 / m as f64 } else { k as f64 / self.features as f64 }
        };
        let law = permuted_and_flipped(&utilities);
        let named = |(needed, probability): (&Needed, f64)| {
            let short = (needed.named - score) * strengths;
            probability * selected(needed.number) * noise_above(needed.number, short)
        };
        self.numbers.iter().zip(law).map(named).sum()
    }
}

/// About the law of permute-and-flip: the largest of the utilities with exponential noise.
fn permuted_and_flipped(utilities: &[f64]) -> Vec<f64> {
    const PLACES: usize = 64;
    let below = |u: f64, own: f64, other: f64| (1.0 - u * libm::exp(other - own)).max(0.0);
    let of = |(i, &own): (usize, &f64)| -> f64 {
        let others = || utilities.iter().enumerate().filter(move |(j, _)| *j != i);
        let at = |place: usize| {
            let u = (place as f64 + 0.5) / PLACES as f64;
            others().map(|(_, other)| below(u, own, *other)).product::<f64>()
        };
        (0..PLACES).map(at).sum::<f64>() / PLACES as f64
    };
    utilities.iter().enumerate().map(of).collect()
}

/// The same at exact counts: a little less, and soon known.
fn at_exact_counts(plan: &Plan, imagined: &Imagined, budget: f64) -> Option<f64> {
    let law = Law::of(plan, &imagined.counts)?;
    let bits = Entropy::Seeded(0).source().ok()?.bits(Purpose::Estimates.draw());
    if plan.beyond.is_some() {
        let outlook = NamedFrom::at(plan, &imagined.counts, budget, &bits);
        return strength_named(plan, imagined, &[outlook], 1, 0.5);
    }
    Some(level(plan, &imagined.counts, budget, &bits)? / law.largest)
}

/// The number of noisy counts that levels are computed for.
const COUNTS: usize = 7;

/// The level of the verdict at these counts, in rows; `None` if there is no verdict.
fn level(plan: &Plan, counts: &[f64], budget: f64, bits: &Bits) -> Option<f64> {
    if plan.request.without_threshold().is_some() {
        return None;
    }
    let center = plan.counting().ok()?;
    let steps = plan.request.neighbors.steps() as f64;
    let rate = center.to_f64() * budget / steps;
    let noise = steps / (plan.estimates.as_ref()?.to_f64() * budget);
    let chance = plan.chance_test(counts, rate, noise)?;
    Some(chance.predict(plan.k, bits)? * Reach::one_row(counts))
}

/// How far the center moves the score of a constant, in rows, if the counts have this noise at
/// rate 1.
fn off_center(plan: &Plan, imagined: &Imagined, noise: &[f64]) -> f64 {
    let Ok(center) = plan.part(Purpose::TargetCenter) else { return 0.0 };
    // Within strata functions give up what the noise of the centers may add.
    if plan.association() == Some(Association::Correlation) || plan.strata > 1 {
        return 0.0;
    }
    let scale = plan.request.neighbors.steps() as f64 / center.to_f64();
    let counted = |(count, noise): (&f64, &f64)| (count + noise * scale).max(0.0);
    let counted: Vec<f64> = imagined.counts.iter().zip(noise).map(counted).collect();
    let rows: f64 = imagined.counts.iter().sum();
    let total = counted.iter().sum::<f64>().max(4.0 * scale);
    match (&imagined.counts[..], &counted[..]) {
        // Three classes or more are no number.
        ([first, second], [one, two]) => {
            let center = (two - one) / total;
            let shrunk = center.signum() * (center.abs() - 2.0 * scale / total).max(0.0);
            (shrunk * rows - (second - first)).abs() / 2.0
        }
        (counts, _) => {
            let off = counts.iter().zip(&counted).map(|(n, m)| (rows * m / total - n).abs());
            // Of one group of classes, not of all.
            off.sum::<f64>() / 8f64.sqrt()
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::select::{Select, Target};

    /// The Kolmogorov-Smirnov distance of 0, 1, .., from the ranks of the second of two classes of
    /// equal size.
    fn distance(second: &[bool]) -> f64 {
        let step = 2.0 / second.len() as f64;
        let gap = second.iter().scan(0.0f64, |gap, second| {
            *gap += if *second { step } else { -step };
            Some(gap.abs())
        });
        gap.fold(0.0, f64::max)
    }

    /// Half of any k of few features are found by picking blindly, so the strength found must be
    /// more than chance gives: here that is simulated, by shuffled classes.
    #[test]
    fn what_is_found_exceeds_chance_and_falls_with_epsilon() {
        let (rows, features, tables) = (190usize, 12, 400);
        let mut state = 7u64;
        let mut below = |most: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            ((state >> 33) % most as u64) as usize
        };
        let mut classes: Vec<bool> = (0..rows).map(|row| row % 2 == 0).collect();
        let mut largest = || {
            let mut feature = || {
                (1..rows).for_each(|i| classes.swap(i, below(i + 1)));
                distance(&classes)
            };
            (0..features).map(|_| feature()).fold(0.0, f64::max)
        };
        let mut largest: Vec<f64> = (0..tables).map(|_| largest()).collect();
        largest.sort_unstable_by(f64::total_cmp);
        let chance = largest[tables / 2];
        let select = Select::new(5).target(Target::classes(["a", "b"]));
        let found = |epsilon: u32| {
            let checked = select.clone().epsilon(epsilon).check().unwrap();
            checked.predict(features, &[rows as f64 / 2.0; 2]).unwrap().found.unwrap()
        };
        let found = [1, 2, 5, 20].map(found);
        // The bound of the tail is a little above the law itself, and the search ends within 5%.
        assert!(found[3] > 0.95 * chance && found[3] < 1.15 * chance, "{found:?} {chance}");
        assert!(found.windows(2).all(|pair| pair[0] >= pair[1]), "{found:?}");
    }
}
