//! The number of features and the features themselves, drawn together when all significant features
//! are requested.
//!
//! A selection of K features costs about K ln d, and an effect size for each of them costs about K,
//! so K must neither be too large for the budget nor leave features out. By the counts that are
//! released with a private center, K names require scores of at least t_K. For some numbers K_1 = 1
//! < K_2 < ... as long as t_K is below the largest possible score, let q_i = s_\[K_i\] - t_(K_i),
//! with s_\[K\] the K-th largest score. One set y of features is drawn among all sets of all these
//! sizes, by permute-and-flip with the loss
//!
//! ```text
//! loss(y) = max(0, t_(K_i) - least score in y, q_(i+1), q_(i+2), ...)    for a set y of K_i features
//! ```
//!
//! It is 0 for sets of the last size with q_i >= 0 whose members all have scores of t_(K_i) or
//! more. The sampler and its exact law are in `mechanism/sized_sets.rs`. The effect sizes of the
//! set are released, and features are named whose noisy effect size exceeds L + r_K. L is the
//! significance threshold, which the largest score of all null features exceeds with probability at
//! most alpha/2, by the released counts (see `estimate/significance.md`; scores have no noise). r_K
//! is the level that the largest noise of K effect sizes exceeds with probability at most alpha/2.
//!
//! # The required scores
//!
//! t_K is the larger of two scores. The first is L + 0.7 r_K: a feature there is named in nearly
//! half of all runs, and one more name is worth a little more noise in the others. The second is
//! the score from which on a set of K features stands out from sets of null features. Let r be the
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
//! of .6 (0 of 60 runs with it); with it the mean number of names on the tables below falls from
//! 6.2 to 5.7. Neither of the two guarantees below depends on this.
//!
//! Drawing the number first, with its own part of the budget, did worse: where noise made it too
//! large for the budget of the selection, the whole set was wrong and no feature was named. On
//! tables of 300 rows and 5,000 features with eight of KS distances from .42 to .55, at epsilon 2,
//! this explained all of the 20% of runs that named no feature.
//!
//! # With a delta
//!
//! Where the released counts allow large scores, the number alone is drawn first, by
//! permute-and-flip with the loss max(0, -q_i, q_(i+1), ...) and its own part of the budget. If it
//! is small, sets are drawn as above. If it is large, K features are drawn by K rounds of the
//! exponential mechanism, and their effect sizes get Gaussian noise, which both grow with sqrt(K)
//! instead of K (see `request/plan/concentrated.rs`). For these, t_K is the larger of L + 0.7 r_K
//! and the score from which on a feature is drawn rather than any of the null features: their
//! typical score plus the noise 2 Delta/e times ln(d/K). *Large* is from the number on from which
//! on this requires less than sets do; the number is drawn with the smaller of both required
//! scores. Drawing it first does no harm here: where it is too large, a few null features are
//! selected, but not named.
//!
//! # With weights
//!
//! With public weights of features (see `request/weights.rs`) each class of features of equal
//! weight has its own L. A score then falls by the L of its class minus the smallest L, which
//! stands for L in the required scores, and m(u) adds up the classes: those with a larger L have
//! fewer null features with a score of u or more. Features are named beyond their own L + r_K.
//!
//! # Privacy
//!
//! The t_K, and with weights the constants that scores fall by, are functions of released counts. A
//! least score, an order statistic, and maxima of their differences from constants move by at most
//! Delta where each score does: the loss of every set has the sensitivity Delta, and the draw of
//! the number and the set is private by the proof of `pnf`, at the part of the budget for the
//! selection. The effect sizes are private given this set; names are a function of all these. The
//! whole spends the sum of its parts. With a delta, the loss of a number has the sensitivity Delta
//! for the same reason, so that K is purely private; for what follows it see
//! `request/plan/concentrated.rs`.
//!
//! # False discoveries
//!
//! Call a feature *null* if it has no association with the target. With probability at least 1 -
//! alpha/2 no null feature of the table has a score above L, for any other features: this holds for
//! all of them before any is selected, so neither K nor the set, which depend on the scores,
//! matter. The noise of the effect sizes is drawn after the set and is independent of the scores:
//! given K, all of it lies below r_K with probability at least 1 - alpha/2. If both hold, no null
//! feature is named; so any null feature is named with probability at most alpha. (One p-value for
//! score and noise together, as with a given k, would not do: K depends on the scores.) The
//! expected share of null features among the names is then also at most alpha.
//!
//! L assumes rows of equal weight. Rows of people have the weight one over their number, so that
//! all people of one class may count less: without an association the score would exceed L. So
//! tables with people of several rows are refused, unless the score is paired: then each person
//! counts once.

use std::cmp::Reverse;
use std::sync::Arc;

use crate::error::Result;
use crate::estimate::{Counted, EffectNoise};
use crate::mechanism::sized_sets::{self, SetSize};
use crate::mechanism::{Mechanism, Peel, PermuteAndFlip, check_choice, choose};
use crate::privacy::{Epsilon, Purpose};
use crate::random::{Bits, RandomnessSource};
use crate::release::units::Units;
use crate::request::plan::{Concentrated, FwerControl, Known, Plan};
use crate::request::reach::Reach;
use crate::request::weights::FeatureWeights;
use crate::score::{LARGEST, Scores};

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

/// A number of features, with the scores that it requires.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Needed {
    number: usize,
    /// t_K: the score that the last of this number of features should have, in rows.
    score: f64,
}

/// A way to select features and to release their effect sizes.
enum Way<'a> {
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
fn numbers(
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

/// About ln C(d, k) of d, also for numbers that are not whole.
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

/// Features drawn together with their number.
pub(crate) struct Drawn {
    /// The features, ascending.
    pub(crate) picks: Vec<usize>,
    /// The mechanism that drew them.
    pub(crate) mechanism: Arc<dyn Mechanism>,
    /// The noise of their effect sizes.
    pub(crate) noise: EffectNoise,
}

/// The scores that named features require by some counts: functions of released values, the same
/// for all scores.
#[derive(Debug, Clone)]
pub(crate) struct Requirements {
    /// The significance threshold of the scores of each class of features, in rows.
    pub(crate) levels: Vec<f64>,
    /// The numbers that sets may have.
    of_sets: Vec<Needed>,
    /// The numbers that may be drawn in rounds, where rounds are possible.
    of_rounds: Option<Vec<Needed>>,
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
fn above_least(levels: &[f64]) -> Option<(f64, Vec<f64>)> {
    let least = *levels.last()?;
    Some((least, levels.iter().map(|own| own - least).collect()))
}

/// How features are selected by these counts: as sets, and, if the counts allow large scores and
/// a delta is spent, in rounds. `None` if the counts give no units, or no effect sizes are released.
fn ways<'a>(plan: &'a Plan, counted: &Counted) -> Option<(Way<'a>, Option<&'a Concentrated>)> {
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

/// Draws the features to select and their number by their scores. `None` if the counts give no
/// units or no number is possible.
///
/// # Errors
///
/// `Request` if the budget has no part for it, or the scores do not suit a selection of sets.
pub(crate) fn draw(
    plan: &Plan,
    (scores, class_of): (&Scores, Option<&[u8]>),
    counted: &Counted,
    required: &Requirements,
    randomness: &RandomnessSource,
) -> Result<Option<Drawn>> {
    let bits = &randomness.bits(Purpose::Selection.draw());
    let (Some(units), Some((sets, rounds))) = (Units::of(plan, counted), ways(plan, counted))
    else {
        return Ok(None);
    };
    let Some((_, above)) = above_least(&required.levels) else { return Ok(None) };
    let shifted = class_of.map(|class_of| {
        FeatureWeights::shifted(scores, class_of, |class| -above[class] * units.row)
    });
    let scores = shifted.as_ref().unwrap_or(scores);
    let sizes = |numbers: &[Needed]| -> Vec<SetSize> {
        let on_the_grid = |needed: &Needed| on_grid(needed.score * units.row);
        let size = |needed: &Needed| SetSize { k: needed.number, required: on_the_grid(needed) };
        numbers.iter().map(size).collect()
    };
    let of_sets = &required.of_sets;
    let (Some(last), Way::Sets(epsilon, noise)) = (of_sets.last(), sets) else { return Ok(None) };
    if let (Some(concentrated), Some(of_rounds)) = (rounds, &required.of_rounds) {
        let (least, first_of_rounds) = least_required(of_sets, of_rounds);
        let number_bits = randomness.bits(Purpose::Number.draw());
        let k = number_alone(scores, &sizes(&least), &concentrated.number, &number_bits)?;
        if first_of_rounds.is_some_and(|first| k >= first) {
            let mut picks = choose(&Peel, scores, k, &concentrated.rounds(k), bits)?;
            picks.sort_unstable();
            let (mechanism, noise) = (Arc::new(Peel), concentrated.estimates());
            return Ok(Some(Drawn { picks, mechanism, noise }));
        }
    }
    let mechanism = plan.choice.chosen(Known::default()).mechanism;
    check_choice(mechanism.card(), scores, last.number)?;
    let picks = sized_sets::draw(scores, &sizes(of_sets), epsilon, bits);
    Ok(Some(Drawn { picks, mechanism, noise }))
}

/// The smaller of the scores that sets and rounds require of each number, and the number from which
/// on rounds require less.
fn least_required(of_sets: &[Needed], of_rounds: &[Needed]) -> (Vec<Needed>, Option<usize>) {
    // The numbers of both are the same, up to the end of the shorter list.
    let better = |place: usize| match (of_sets.get(place), of_rounds.get(place)) {
        (Some(sets), Some(rounds)) => rounds.score < sets.score,
        (sets, _) => sets.is_none(),
    };
    let all = of_sets.len().max(of_rounds.len());
    let first = (0..all).rev().take_while(|place| better(*place)).last();
    let sets = first.unwrap_or(of_sets.len());
    let least = of_sets[..sets].iter().chain(of_rounds.get(sets..).unwrap_or_default());
    (least.copied().collect(), first.map(|place| of_rounds[place].number))
}

/// Draws one of these sizes by permute-and-flip with their [losses](losses_of_sizes).
fn number_alone(
    scores: &Scores,
    sizes: &[SetSize],
    epsilon: &Epsilon,
    bits: &Bits,
) -> Result<usize> {
    let losses = losses_of_sizes(scores.values(), sizes);
    let values = losses.into_iter().map(|loss| -loss).collect();
    let scores = Scores::new(values, scores.sensitivity(), scores.neighbors())?;
    let picks = choose(&PermuteAndFlip, &scores, 1, epsilon, bits)?;
    Ok(picks.first().map_or(1, |&place| sizes[place].k))
}

/// The loss of each size: max(0, -q_i, q_(i+1), q_(i+2), ...).
fn losses_of_sizes(values: &[i64], sizes: &[SetSize]) -> Vec<i64> {
    let mut descending = values.to_vec();
    descending.sort_unstable_by_key(|value| Reverse(*value));
    let mut later = 0;
    let loss = |size: &SetSize| {
        let q = descending[size.k - 1].saturating_sub(size.required);
        let loss = later.max(-q);
        later = later.max(q);
        loss
    };
    let mut losses: Vec<i64> = sizes.iter().rev().map(loss).collect();
    losses.reverse();
    losses
}

/// A required score on the grid, rounded up and limited to the range of scores.
fn on_grid(score: f64) -> i64 {
    (score.ceil() as i64).min(LARGEST as i64)
}

/// The branch of the bits of the draw that simulates the level.
const LEVEL: u64 = 1 << 32;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::Neighbors;
    use crate::random::Entropy;
    use crate::request::{Select, Target};
    use crate::table::Scaling;

    /// The number drawn, and whether half of the features or more are among the first `strong`, in
    /// 300 draws: 300 rows of two classes and 5,000 features; null features have typical scores,
    /// and the others have scores from `least` to 1.3 times that, in rows. The significance
    /// threshold is at 54 rows.
    fn drawn(strong: usize, least: f64) -> Vec<(usize, bool)> {
        let features = 5_000;
        let select = Select::significant().epsilon(2).target(Target::classes(["a", "b"]));
        let request = select.into_request();
        let plan = Plan::new(&request, features, Arc::new(Scaling::RowRank)).unwrap();
        let numbers = numbers(
            &plan,
            &[150.0; 2],
            (54.0, &[0.0]),
            &Way::Sets(plan.selection(), plan.estimates.clone().unwrap()),
        );
        // In hundredths of a row; one row moves a score by 50.
        let size =
            |needed: &Needed| SetSize { k: needed.number, required: on_grid(100.0 * needed.score) };
        let sizes: Vec<SetSize> = numbers.iter().map(size).collect();
        let scale = Units::null_scale(&plan, &[150.0; 2]).unwrap();
        let score = |feature: usize| match feature < strong {
            true => least * (1.0 + 0.3 * feature as f64 / strong as f64),
            false => scale * (2.0 * (2.0 * features as f64 / (feature as f64)).ln()).sqrt(),
        };
        let values = (0..features).map(|feature| (100.0 * score(feature)) as i64).collect();
        let scores = Scores::new(values, 50, Neighbors::AddRemove).unwrap();
        let epsilon = plan.part(Purpose::Selection).unwrap();
        let set = |seed| {
            let bits = Entropy::Seeded(seed).source().unwrap().bits(0);
            let set = sized_sets::draw(&scores, &sizes, epsilon, &bits);
            let right = set.iter().filter(|feature| **feature < strong).count();
            (set.len(), 2 * right >= set.len())
        };
        (0..300).map(set).collect()
    }

    /// Sets of null features are rare for several numbers and scores of strong features: at most
    /// 4%, where 1 in 50 is expected at most. The number grows with the strong features and is
    /// limited by the budget.
    #[test]
    fn sets_of_null_features_are_rare() {
        let mut means = Vec::new();
        for (strong, least) in [(1, 70.0), (3, 65.0), (8, 60.0), (8, 80.0), (40, 65.0), (40, 90.0)]
        {
            let drawn = drawn(strong, least);
            let wrong = drawn.iter().filter(|(_, right)| !right).count();
            assert!(wrong <= 12, "{strong}, {least}: {wrong}");
            means.push(drawn.iter().map(|(k, _)| *k as f64).sum::<f64>() / drawn.len() as f64);
        }
        assert!((means[0] - 1.0).abs() < 0.2 && (means[1] - 3.0).abs() < 0.3, "{means:?}");
        assert!(means[2] > 4.0 && means[3] > 7.0 && means[5] > means[4], "{means:?}");
    }

    type Losses = fn(&[i64], &[SetSize]) -> Vec<i64>;

    /// The largest change of the loss of a number, over all tables of three scores and their
    /// neighbors, whose scores move by at most 1.
    fn largest_change(losses: Losses) -> i64 {
        let sizes: Vec<SetSize> =
            [(1, 3), (2, 2), (3, 1)].map(|(k, required)| SetSize { k, required }).to_vec();
        let vectors = |from: i64, to: i64| {
            let all = from..=to;
            let pairs = all.clone().flat_map(move |a| (from..=to).map(move |b| [a, b]));
            pairs.flat_map(move |[a, b]| all.clone().map(move |c| [a, b, c]))
        };
        let change = |x: [i64; 3], moves: [i64; 3]| {
            let moved = [0, 1, 2].map(|i| x[i] + moves[i]);
            let pairs = losses(&x, &sizes).into_iter().zip(losses(&moved, &sizes));
            pairs.map(|(a, b)| (a - b).abs()).max().unwrap_or(0)
        };
        let all = vectors(0, 4).flat_map(|x| vectors(-1, 1).map(move |moves| (x, moves)));
        all.map(|(x, moves)| change(x, moves)).max().unwrap()
    }

    /// Enumerated. A broken variant, which adds up the scores beyond the required ones of all later
    /// numbers, is rejected.
    #[test]
    fn the_loss_of_a_number_has_the_sensitivity_of_scores() {
        assert_eq!(largest_change(losses_of_sizes), 1);
        let summed: Losses = |values, sizes| {
            let mut descending = values.to_vec();
            descending.sort_unstable_by_key(|value| Reverse(*value));
            let q = |size: &SetSize| descending[size.k - 1] - size.required;
            let later = |place: usize| sizes[place + 1..].iter().map(q).sum::<i64>().max(0);
            sizes.iter().enumerate().map(|(place, size)| later(place).max(-q(size))).collect()
        };
        assert!(largest_change(summed) > 1);
    }

    /// The loss is 0 for the last number whose required score is reached.
    #[test]
    fn the_number_is_the_last_that_is_reached() {
        let sizes = [(1, 50), (2, 40), (3, 45)].map(|(k, required)| SetSize { k, required });
        assert_eq!(losses_of_sizes(&[10, 90, 44], &sizes), [4, 0, 35]);
        assert_eq!(losses_of_sizes(&[10, 40, 44], &sizes), [6, 0, 35]);
        let scores = Scores::new(vec![10, 90, 44], 1, Neighbors::AddRemove).unwrap();
        let drawn = |seed, epsilon: &str| {
            let bits = Entropy::Seeded(seed).source().unwrap().bits(13);
            number_alone(&scores, &sizes, &epsilon.parse().unwrap(), &bits).unwrap()
        };
        assert!((0..20).all(|seed| drawn(seed, "100") == 2));
        // e^(-eps/2 loss), the others accepted first half of the time: permute-and-flip.
        let one = (0..4000).filter(|seed| drawn(*seed, "0.5") == 1).count() as f64 / 4000.0;
        let p = (-0.25f64 * 4.0).exp();
        assert!((one - p / 2.0).abs() < 0.03, "{one}");
    }

    /// By the counts and the number: sets where scores are small or few, and rounds where many
    /// features have large scores.
    #[test]
    fn many_features_are_drawn_in_rounds() {
        let drawn = |count: f64, strong: usize, features: usize| {
            let select = Select::significant().epsilon(1).delta("1e-6");
            let select = select.target(Target::classes(["a", "b"]));
            let plan =
                Plan::new(&select.into_request(), features, Arc::new(Scaling::RowRank)).unwrap();
            let row = Units::row(&plan);
            let score = |feature| if feature < strong { 0.4 * count } else { 0.02 * count };
            let values = (0..features).map(|feature| (row * score(feature)) as i64).collect();
            let scores = Scores::new(values, (row / 2.0) as u64, Neighbors::AddRemove).unwrap();
            let usable = crate::estimate::RowsEstimate { rows: 0, noise: 0.0 };
            let counted = Counted { classes: vec![count; 2], rate: 0.12, usable, unusable: 0 };
            let source = Entropy::Seeded(3).source().unwrap();
            let required = Requirements::new(&plan, &counted, vec![0.1 * count]);
            draw(&plan, (&scores, None), &counted, &required, &source).unwrap().unwrap()
        };
        let many = drawn(2000.0, 40, 500);
        assert_eq!(many.mechanism.card().id, "peel");
        assert!(matches!(many.noise, EffectNoise::Concentrated { .. }));
        assert!(many.picks.len() >= 30 && many.picks.is_sorted(), "{:?}", many.picks);
        assert!(many.picks.iter().filter(|pick| **pick < 40).count() >= 30);
        for (count, strong) in [(2000.0, 3), (300.0, 40)] {
            let few = drawn(count, strong, 500);
            assert_eq!(few.mechanism.card().id, "canonical", "{count} {strong}");
            let EffectNoise::Pure(epsilon) = few.noise else { panic!("{count} {strong}") };
            // .36 of epsilon, or ten elevenths of it after a number was drawn.
            let expected = if count > 1000.0 { 0.36 * 10.0 / 11.0 } else { 0.36 };
            assert!((epsilon.to_f64() - expected).abs() < 1e-12, "{epsilon}");
        }
    }

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

    #[test]
    fn required_scores_are_capped() {
        for (score, expected) in [
            (0.0, 0),
            (0.2, 1),
            ((1u64 << 62) as f64, LARGEST as i64),
            (1e300, LARGEST as i64),
            (f64::INFINITY, LARGEST as i64),
        ] {
            assert_eq!(on_grid(score), expected);
        }
    }
}
