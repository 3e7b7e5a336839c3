//! The number of features that are drawn where all beyond chance are wanted.
//!
//! A selection of K features costs about K ln d and a strength for each of them about K, so K must
//! neither be too large for the budget nor leave features out. By the counts that are released with
//! a private center, K names take scores of at least t_K: what the verdict on K strengths needs,
//! and what tells a set of K apart from the others. For some numbers K_1 = 1 < K_2 < ... below the
//! largest score that is possible, let q_i = s_\[K_i\] - t_(K_i), with s_\[K\] the K-th largest
//! score, and q_1 = infinity. The number wanted is the last K_i with q_i >= 0; one of them is drawn
//! by permute-and-flip, whose utility is minus the least change of all scores that makes it the
//! wanted one:
//!
//! ```text
//! loss(K_i) = max(0, -q_i, q_(i+1), q_(i+2), ...)
//! ```
//!
//! K features are then selected by `canonical` with gamma 1, their strengths released, and those
//! are named whose noisy strength exceeds L + r_K: L is the level that the largest score of all
//! features without an association exceeds with probability at most alpha/2, by the released counts
//! (see `estimate/verdict.md`; scores have no noise), and r_K the one that the largest noise of K
//! strengths exceeds with probability at most alpha/2.
//!
//! # Privacy
//!
//! The t_K are functions of released counts. Order statistics of scores, each of which moves by at
//! most Delta, move by at most Delta, and so do maxima of them: every utility has the sensitivity
//! Delta, and the draw is private by the proof of `pnf`. K is then a released number, and what
//! follows is a selection of K features and their strengths, each private given what was released
//! before; names are a function of these. All of it costs the sum of its parts.
//!
//! # False names
//!
//! Call a feature *null* if it has no association with the target, as the verdict does. With
//! probability at least 1 - alpha/2 no null feature of the table has a score above L, whatever the
//! others are: this is said of all of them before any is picked, so neither K nor the picks, which
//! depend on the scores, matter. The noise of the strengths is drawn after K and is independent of
//! the scores: given K, all of it lies below r_K with probability at least 1 - alpha/2. Then no
//! null feature is named: any is with probability at most alpha. (One p-value for score and noise
//! together, as with a stated k, would not do: K depends on the scores.) The expected share of null
//! names is then at most alpha, too.
//!
//! L takes rows of one weight. Rows of people weigh one over their number, by which people of one
//! class may all count less: without an association the score would be beyond L. So tables with
//! people of several rows are refused, unless the score is paired: then each person counts once.

use std::ops::Neg;

use crate::error::Result;
use crate::estimate::{Counted, noise_level};
use crate::mechanism::{PermuteAndFlip, choose};
use crate::privacy::Purpose;
use crate::random::Bits;
use crate::score::{LARGEST, Scores};
use crate::select::plan::{BeyondChance, Plan};
use crate::select::reach::Reach;
use crate::select::units::Units;

/// Numbers grow by a quarter, at least by 1, and end here.
const GROWTH: usize = 4;
const MOST: usize = 2_000;

/// A number of features, and what it takes.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Needed {
    number: usize,
    /// The score that the last of so many features should have, in rows.
    score: f64,
}

/// The numbers that may be drawn by these counts: ascending from 1, as far as scores can reach what
/// they take. `level` is that of chance, in rows.
fn numbers(plan: &Plan, counts: &[f64], level: f64) -> Result<Vec<Needed>> {
    let (Some(beyond), Some(reach)) = (&plan.beyond, plan.scoring.reach()) else {
        return Ok(Vec::new());
    };
    let Some(typical) = Units::null_scale(plan, counts) else { return Ok(Vec::new()) };
    let largest = reach.largest(counts);
    let selection = plan.part(Purpose::Selection)?.to_f64();
    let estimates = plan.part(Purpose::Estimates)?.to_f64();
    let one_row = plan.request.neighbors.steps() as f64 * Reach::one_row(counts);
    let needed = |number: usize| {
        let noise = noise_level(beyond.half(), number) / estimates;
        let named = level + one_row * noise;
        // Features without an association have about the typical score.
        let apart = 2.0 * ln_sets(plan.features, number) / selection;
        Needed { number, score: named.max(typical + one_row * apart) }
    };
    let possible = |needed: &Needed| needed.number == 1 || needed.score <= largest;
    Ok(ascending(plan.k).map(needed).take_while(possible).collect())
}

/// 1, 2, ... up to `most`, in growing steps.
fn ascending(most: usize) -> impl Iterator<Item = usize> {
    let next = |number: &usize| Some(number + (number / GROWTH).max(1));
    std::iter::successors(Some(1), next).take_while(move |number| *number <= most.min(MOST))
}

/// About ln C(d, k).
fn ln_sets(d: usize, k: usize) -> f64 {
    let ln_factorial = |n: usize| libm::lgamma(n as f64 + 1.0);
    ln_factorial(d) - ln_factorial(k) - ln_factorial(d - k)
}

/// The level of chance of scores by these counts, in rows; `None` if they are too noisy to give
/// one.
pub(super) fn level(
    plan: &Plan,
    beyond: &BeyondChance,
    counted: &Counted,
    bits: &Bits,
) -> Option<f64> {
    let units = Units::of(plan, counted)?;
    let test = plan.chance_test(&counted.classes, counted.rate, 0.0)?;
    Some(test.level(beyond.half(), &bits.branch(LEVEL))? * units.one_row)
}

/// Draws the number of features to select by their scores; `level` is that of chance, in rows.
///
/// # Errors
///
/// `Request` if the budget has no part for it.
pub(super) fn draw(
    plan: &Plan,
    scores: &Scores,
    counted: &Counted,
    level: f64,
    bits: &Bits,
) -> Result<usize> {
    let epsilon = plan.part(Purpose::Number)?;
    let Some(units) = Units::of(plan, counted) else { return Ok(1) };
    let numbers = numbers(plan, &counted.classes, level)?;
    let Some(last) = numbers.last() else { return Ok(1) };
    let mut largest = scores.values().to_vec();
    largest.select_nth_unstable_by(last.number - 1, |a, b| b.cmp(a));
    largest.truncate(last.number);
    largest.sort_unstable_by(|a, b| b.cmp(a));
    let excess = |needed: &Needed| largest[needed.number - 1] - on_grid(needed.score * units.row);
    let utilities = utilities(&numbers.iter().map(excess).collect::<Vec<_>>());
    let utilities = Scores::new(utilities, scores.sensitivity(), plan.request.neighbors)?;
    let picked = choose(&PermuteAndFlip, &utilities, 1, epsilon, bits)?;
    Ok(picked.first().map_or(1, |pick| numbers[*pick].number))
}

/// A score that is needed, on the grid, rounded up. It ends where scores do, which are at least 0:
/// so the difference of a score and this one is a utility, whatever the table holds.
fn on_grid(score: f64) -> i64 {
    (score.ceil() as i64).min(LARGEST as i64)
}

/// Minus the least change that makes each number the last one with an excess of at least 0; the
/// first needs none.
fn utilities<T: Copy + Default + PartialOrd + Neg<Output = T>>(excess: &[T]) -> Vec<T> {
    let larger = |a: T, b: T| if a > b { a } else { b };
    let mut later = T::default();
    let mut utilities = Vec::with_capacity(excess.len());
    for (i, &excess) in excess.iter().enumerate().rev() {
        let own = if i == 0 { T::default() } else { -excess };
        utilities.push(-larger(own, later));
        later = larger(later, excess);
    }
    utilities.reverse();
    utilities
}

/// The branch of the bits of the draw by which the level is simulated.
const LEVEL: u64 = 1 << 32;

#[cfg(test)]
mod tests {
    use super::*;

    const NUMBERS: [usize; 3] = [1, 2, 4];
    const NEEDED: [i64; 3] = [3, 2, 3];

    fn excess(mut scores: Vec<i64>) -> [i64; 3] {
        scores.sort_unstable_by(|a, b| b.cmp(a));
        [0, 1, 2].map(|i| scores[NUMBERS[i] - 1] - NEEDED[i])
    }

    /// The last number with an excess of at least 0; the first, if there is none.
    fn wanted(scores: &[i64]) -> usize {
        let excess = excess(scores.to_vec());
        (1..NUMBERS.len()).rev().find(|&i| excess[i] >= 0).unwrap_or(0)
    }

    /// All tables of four scores below `most`.
    fn tables(most: i64) -> impl Iterator<Item = Vec<i64>> {
        let count = most.pow(4);
        (0..count).map(move |i| (0..4).map(|place| i / most.pow(place) % most).collect())
    }

    fn apart(a: &[i64], b: &[i64]) -> i64 {
        a.iter().zip(b).map(|(a, b)| (a - b).abs()).max().unwrap()
    }

    /// Minus a utility is the least change of all scores that makes the number the wanted one,
    /// unless that is yet to be made: a last number of excess 0 is taken for it.
    #[test]
    fn utilities_are_distances() {
        for table in tables(5) {
            let utilities = utilities(&excess(table.clone()));
            let nearest = |i: usize| {
                tables(7)
                    .filter(|other| wanted(other) == i)
                    .map(|other| apart(&table, &other))
                    .min()
            };
            for (i, utility) in utilities.iter().enumerate() {
                let distance = nearest(i).unwrap();
                // An excess must fall below 0, one further than to it.
                let slack = if i == wanted(&table) { 0 } else { 1 };
                assert!(
                    -utility <= distance && distance <= -utility + slack,
                    "{table:?}, {i}: {utility} {distance}"
                );
            }
        }
    }

    /// Where no score moves by more than 1, no utility does. Counts of scores beyond what they
    /// need, or distances twice as large, would.
    #[test]
    fn utilities_have_the_sensitivity_of_scores() {
        let largest = |utilities: &dyn Fn([i64; 3]) -> Vec<i64>| {
            let mut largest = 0;
            for table in tables(4) {
                for step in tables(3) {
                    let other: Vec<i64> =
                        table.iter().zip(&step).map(|(score, step)| score + step - 1).collect();
                    let of = |table: &[i64]| utilities(excess(table.to_vec()));
                    largest = largest.max(apart(&of(&table), &of(&other)));
                }
            }
            largest
        };
        assert_eq!(largest(&|excess| utilities(&excess)), 1);
        assert_eq!(largest(&|excess| utilities(&excess.map(|one| 2 * one))), 2);
        let counts = |excess: [i64; 3]| {
            let enough = excess.iter().rposition(|one| *one >= 0).unwrap_or(0);
            NUMBERS.iter().map(|number| -(*number as i64 - NUMBERS[enough] as i64).abs()).collect()
        };
        assert_eq!(largest(&counts), 2);
    }

    /// No score that is needed, by whatever counts, makes a utility that is none for some tables.
    #[test]
    fn utilities_are_in_range() {
        for needed in [0.0, 1e18, (1u64 << 62) as f64, 1e300, f64::INFINITY] {
            for score in [0, LARGEST as i64] {
                let excess = [0, score - on_grid(needed)];
                let utilities = Scores::new(utilities(&excess), 1, crate::Neighbors::AddRemove);
                assert!(utilities.is_ok(), "{needed}, {score}");
            }
        }
    }

    #[test]
    fn numbers_grow_by_a_quarter() {
        let all: Vec<usize> = ascending(40).collect();
        assert_eq!(all, [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 18, 22, 27, 33]);
        assert!((ln_sets(10, 3) - 120f64.ln()).abs() < 1e-9);
        assert_eq!(ascending(1).count(), 1);
        assert_eq!(ascending(usize::MAX).last(), Some(1738));
    }
}
