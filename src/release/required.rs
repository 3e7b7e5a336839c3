//! The scores that named features require, by released counts.
//!
//! # Definition
//!
//! A number K of features requires scores of at least t_K. L is the significance threshold of exact
//! scores, and r_K the level of the largest noise of K effect sizes. What is drawn with them is in
//! [`number`](super::number), whose guarantees do not depend on t_K.
//!
//! t_K is the larger of two scores. The first is L + 0.7 r_K: a feature there is named in nearly
//! half of all runs, and one more name is worth a little more noise in the others. The second is
//! the score from which a set of K features stands out from sets of null features. Let r be the
//! rate of the noise, eps/(2 Delta), and m(u) = 6 d e^(-u^2/(2 sigma^2)), at most d, three times
//! about the expected number of null features with a score of u or more, sigma by the released
//! counts. If some set has the loss 0, a set of K_i features with a least score of about u is drawn
//! with probability at most C(m(u), K_i) e^(-r (t_(K_i) - u)), because it must be accepted (see
//! `sized_sets`). With
//!
//! ```text
//! t_(K_i) >= largest over u of (u + ln C(m(u), K_i)/r) + ln(i (i + 1)/p)/r,    p = 1/50,
//! ```
//!
//! that is p/(i (i + 1)) for each u, and about p for all numbers together: at most about one run in
//! 50 selects null features only because they are many, unless more of them than m(u) have large
//! scores at once. Features that share a factor, such as a batch, can: therefore the factor 3.
//! Without it, 2 of 30 runs named no feature out of five strong ones among 1,000 with a correlation
//! of .6 (0 of 60 runs with it); with it the mean number of names on tables of 300 rows and 5,000
//! features with eight of KS distances from .42 to .55, at epsilon 2, falls from 6.2 to 5.7.
//!
//! Rounds and public weights require other scores: see [`number`](super::number).

use crate::estimate::{Counted, EffectNoise};
use crate::privacy::Epsilon;
use crate::random::Bits;
use crate::release::units::Units;
use crate::request::plan::{Concentrated, FwerControl, Plan};
use crate::request::reach::Reach;

/// Numbers grow by an eighth, at least by 1, and end here.
const GROWTH: usize = 8;
const MAX_FEATURES: usize = 2_000;

/// The part of r_K that a required score exceeds the significance threshold by.
const NOISE_REQUIRED: f64 = 0.7;

/// p: the probability with which sets of null features may win because they are many, typically.
const UNRELATED: f64 = 0.02;

/// Null features that depend on each other are up to this multiple of their expected number above a
/// score, typically.
const DEPENDENT: f64 = 3.0;

/// The number of scores up to the largest typical one of null features at which sets are counted.
const PLACES: usize = 64;

/// The branch of the bits of the draw that simulates the level.
const LEVEL: u64 = 1 << 32;

/// A number of features, with the scores that it requires.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Needed {
    pub(super) number: usize,
    /// t_K: the score that the last of this number of features should have, in rows.
    pub(super) score: f64,
}

/// A way to select features and to release their effect sizes.
pub(super) enum Way<'a> {
    /// Sets compete with this epsilon.
    Sets(&'a Epsilon, EffectNoise),
    /// Features are drawn in rounds.
    Rounds(&'a Concentrated),
}

impl Way<'_> {
    fn noise(&self) -> EffectNoise {
        match self {
            Self::Sets(_, noise) => noise.clone(),
            Self::Rounds(rounds) => rounds.estimates(),
        }
    }
}

/// The numbers that may be drawn by these counts: ascending from 1, as long as scores can reach the
/// ones that this way requires. `level` is the smallest significance threshold, in rows; the
/// threshold of each class is `above` it.
pub(super) fn numbers(
    plan: &Plan,
    counts: &[f64],
    (level, above): (f64, &[f64]),
    way: &Way<'_>,
) -> Vec<Needed> {
    let (Some(fwer), Some(reach)) = (&plan.fwer, plan.scoring.reach()) else { return Vec::new() };
    let Some(scale) = Units::null_scale(plan, counts) else { return Vec::new() };
    let estimates = way.noise();
    let splits = reach.splits(counts.len());
    let largest = reach.largest(counts);
    let one_row = plan.request.neighbors.steps() as f64 * Reach::one_row(counts);
    let features: Vec<(f64, f64)> = match &plan.weights {
        None => vec![(plan.features as f64, 0.0)],
        Some(weights) => {
            let features = weights.classes.iter().map(|class| class.features as f64);
            features.zip(above.iter().copied()).collect()
        }
    };
    // 1/r, in rows.
    let noise = |epsilon: &Epsilon| 2.0 * one_row / epsilon.to_f64();
    let selected = |place: usize, number: usize| match way {
        Way::Sets(epsilon, _) => {
            let noise = noise(epsilon);
            let null_sets = null_sets((scale, splits), &features, number, noise);
            let place = place as f64;
            null_sets + noise * libm::log((place + 1.0) * (place + 2.0) / UNRELATED)
        }
        Way::Rounds(rounds) => {
            let typical = scale * (2.0 * libm::log(4.0 * splits)).sqrt();
            let others = plan.features as f64 / number as f64;
            typical + noise(&rounds.round(number)) * libm::log(others)
        }
    };
    let needed = |(place, number): (usize, usize)| {
        let largest_noise = one_row * estimates.level(fwer.half(), number) / estimates.rate(number);
        let score = (level + NOISE_REQUIRED * largest_noise).max(selected(place, number));
        Needed { number, score }
    };
    let possible = |needed: &Needed| needed.number == 1 || needed.score <= largest;
    ascending(plan.k).enumerate().map(needed).take_while(possible).collect()
}

/// The largest of u + ln C(m(u), k) `noise` over scores u, in rows, for null scores of this scale
/// that are the largest of several splits; the scores of some numbers of features are lowered by
/// some rows.
fn null_sets((scale, splits): (f64, f64), features: &[(f64, f64)], k: usize, noise: f64) -> f64 {
    let all: f64 = features.iter().map(|(number, _)| number).sum();
    let splits = splits * DEPENDENT;
    let largest = scale * (2.0 * libm::log(2.0 * splits * all / k as f64)).max(0.0).sqrt();
    let ln_sets = ln_choose(k as f64);
    // At many of the scores all features count.
    let ln_all_sets = ln_sets(all);
    let at = |place: usize| {
        let u = largest * place as f64 / PLACES as f64;
        let tail = |u: f64| 2.0 * splits * libm::exp(-(u / scale).powi(2) / 2.0);
        let above = features.iter().map(|(number, lowered)| number * tail(u + lowered).min(1.0));
        let above = above.sum::<f64>().max(k as f64);
        u + noise * if above == all { ln_all_sets } else { ln_sets(above) }
    };
    (0..=PLACES).map(at).filter(|score| !score.is_nan()).fold(0.0, f64::max)
}

/// 1, 2, ... in growing steps, and `most` or [`MAX_FEATURES`] at the end.
fn ascending(most: usize) -> impl Iterator<Item = usize> {
    let most = most.min(MAX_FEATURES);
    let next = move |number: &usize| match *number < most {
        true => Some((number + (number / GROWTH).max(1)).min(most)),
        false => None,
    };
    std::iter::successors(Some(1), next).take_while(move |number| *number <= most)
}

/// About ln C(d, k) as a function of d, also for numbers that are not whole.
fn ln_choose(k: f64) -> impl Fn(f64) -> f64 {
    let ln_factorial = |n: f64| libm::lgamma(n + 1.0);
    let of_k = ln_factorial(k);
    move |d| ln_factorial(d) - of_k - ln_factorial(d - k)
}

/// The significance threshold of scores of each class of features by these counts, in rows; `None`
/// if they are too noisy for one.
pub(crate) fn levels(
    plan: &Plan,
    fwer: &FwerControl,
    counted: &Counted,
    bits: &Bits,
) -> Option<Vec<f64>> {
    let units = Units::of(plan, counted)?;
    let test = plan.significance_test(&counted.classes, counted.rate, 0.0)?;
    let mut levels = test.level(fwer.half(), &bits.branch(LEVEL))?;
    levels.iter_mut().for_each(|level| *level *= units.one_row);
    Some(levels)
}

/// The scores that named features require by some counts: functions of released values, the same
/// for all scores.
#[derive(Debug, Clone)]
pub(crate) struct Requirements {
    /// The significance threshold of the scores of each class of features, in rows.
    pub(crate) levels: Vec<f64>,
    /// The numbers that sets may have.
    pub(super) of_sets: Vec<Needed>,
    /// The numbers that may be drawn in rounds, where rounds are possible.
    pub(super) of_rounds: Option<Vec<Needed>>,
}

impl Requirements {
    /// The requirements by these counts and significance thresholds, in rows.
    pub(crate) fn new(plan: &Plan, counted: &Counted, levels: Vec<f64>) -> Self {
        let mut of_sets = Vec::new();
        let mut of_rounds = None;
        if let (Some((sets, rounds)), Some((least, above))) =
            (ways(plan, counted), above_least(&levels))
        {
            let numbers = |way: &Way<'_>| numbers(plan, &counted.classes, (least, &above), way);
            of_sets = numbers(&sets);
            of_rounds = rounds.map(|rounds| numbers(&Way::Rounds(rounds)));
        }
        Self { levels, of_sets, of_rounds }
    }
}

/// The smallest threshold, which is that of the last class, and that of each class minus it.
pub(super) fn above_least(levels: &[f64]) -> Option<(f64, Vec<f64>)> {
    let least = *levels.last()?;
    Some((least, levels.iter().map(|own| own - least).collect()))
}

/// How features are selected by these counts: as sets, and in rounds, if the counts allow large
/// scores and a delta is spent. `None` if the counts give no units, or no effect sizes are
/// released.
pub(super) fn ways<'a>(
    plan: &'a Plan,
    counted: &Counted,
) -> Option<(Way<'a>, Option<&'a Concentrated>)> {
    let units = Units::of(plan, counted)?;
    let noise = plan.estimates.clone()?;
    let steps = plan.request.neighbors.steps() as f64;
    let largest = units.reach.largest(&counted.classes) / (steps * units.one_row);
    let rounds = plan.concentrated.as_ref().filter(|one| one.draws_number(largest));
    let sets = match rounds.map(|one| &one.after_number) {
        Some([selection, estimates]) => Way::Sets(selection, EffectNoise::Pure(estimates.clone())),
        None => Way::Sets(plan.selection(), noise),
    };
    Some((sets, rounds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidate_numbers_grow_by_an_eighth() {
        let all: Vec<usize> = ascending(40).collect();
        let expected = (1..=16).chain([18, 20, 22, 24, 27, 30, 33, 37, 40]);
        assert!(all.iter().copied().eq(expected), "{all:?}");
        assert!((ln_choose(3.0)(10.0) - 120f64.ln()).abs() < 1e-9);
        assert_eq!(ascending(1).count(), 1);
        assert_eq!(ascending(usize::MAX).last(), Some(MAX_FEATURES));
        assert!(ascending(usize::MAX).count() < 100);
    }
}
