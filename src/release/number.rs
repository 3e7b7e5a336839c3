//! The number of features and the features themselves, drawn together when all significant features
//! are requested.
//!
//! A selection of K features costs about K ln d, and an effect size for each of them costs about
//! K, so K must neither be too large for the budget nor leave features out. By the counts that are
//! released with a private center, K names require scores of at least t_K (see
//! [`required`](super::required)). For some numbers K_1 = 1 < K_2 < ... as long as t_K is below
//! the largest possible score, let q_i = s_\[K_i\] - t_(K_i), with s_\[K\] the K-th largest score.
//! One set y of features is drawn among all sets of all these sizes, by permute-and-flip with the
//! loss
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
//! and the score from which a feature is drawn rather than any of the null features: their
//! typical score plus the noise 2 Delta/e times ln(d/K). *Large* is from the number from which this
//! requires less than sets do; the number is drawn with the smaller of both required
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
use crate::release::required::{Needed, Requirements, Way, above_least, ways};
use crate::release::units::Units;
use crate::request::plan::{Known, Plan};
use crate::request::weights::FeatureWeights;
use crate::score::{LARGEST, Scores};

/// Features drawn together with their number.
pub(crate) struct Drawn {
    /// The features, ascending.
    pub(crate) picks: Vec<usize>,
    /// The mechanism that drew them.
    pub(crate) mechanism: Arc<dyn Mechanism>,
    /// The noise of their effect sizes.
    pub(crate) noise: EffectNoise,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::Neighbors;
    use crate::random::Entropy;
    use crate::release::required::numbers;
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
