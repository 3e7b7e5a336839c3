//! Whether many features have large scores: a private draw that decides between two mechanisms.
//!
//! Let s_\[m\] be the m-th largest score, with m = k/2, rounded up, and
//!
//! ```text
//! t = 2 c + Delta ln C(d, k)/eps,   q = s_[m] - t,
//! ```
//!
//! with eps the budget of the selection, Delta the sensitivity of a score, and c the scale of the
//! scores of null features by the released counts: their average is about 1.7 c for two classes.
//! Permute-and-flip with the budget eps' draws whether q > 0, with the utilities q and -q: the
//! answer is wrong with probability exp(-eps' |q|/Delta)/2.
//!
//! An excess of Delta ln C(d, k)/eps over null features is about half of the excess that `peel-pnf`
//! needs. With fewer than m scores above t, `canonical` finds more of them than `peel-pnf`; with
//! more, `peel-pnf` does, until scores are so large that both find all
//! ([`choice`](crate::request::plan)). The level need not be exact: with 0.3 to 0.7 in place of the
//! factor 1/2, with the ranks 0.4 k to 0.75 k, and with c to 3 c in place of 2 c, the mean number
//! of true features found differed by at most 2%.
//!
//! 3% of the selection's budget is enough for the draw: its noise Delta/eps' is then about a third
//! of Delta ln C(d, k)/eps at k = 20 of 1,000 features. At k = 5 both are about equal, and the draw
//! costs more than it gains.
//!
//! # Privacy
//!
//! t is a function of released counts. Order statistics of scores move by at most Delta if each
//! score moves by at most Delta, so both utilities have the sensitivity Delta, and the draw is
//! eps'-differentially private by the proof of `pnf`. The selection is private given the draw:
//! together they spend the sum of their parts.

use crate::error::Result;
use crate::estimate::Counted;
use crate::exact::ln_binomial;
use crate::mechanism::{PermuteAndFlip, choose};
use crate::privacy::{Epsilon, Purpose};
use crate::random::Bits;
use crate::release::units::Units;
use crate::request::plan::Plan;
use crate::request::reach::Reach;
use crate::score::{LARGEST, Scores};

/// Draws whether at least half of the k features have large scores; `true` without a draw if the
/// counts are too small for scores above 0.
///
/// # Errors
///
/// `Request` if the budget has no part for it.
pub(crate) fn draw(plan: &Plan, scores: &Scores, counted: &Counted, bits: &Bits) -> Result<bool> {
    let units = Units::of(plan, counted);
    match (units, level(plan, &counted.classes)) {
        (Some(units), Some(level)) => drawn(plan, scores, level * units.row, bits),
        _ => Ok(true),
    }
}

/// The level that the score of rank k/2 is compared with, in rows.
pub(crate) fn level(plan: &Plan, counts: &[f64]) -> Option<f64> {
    let null = Units::null_scale(plan, counts)?;
    let one_row = plan.request.neighbors.steps() as f64 * Reach::one_row(counts);
    let selection = plan.part(Purpose::Selection).ok()?.to_f64();
    Some(2.0 * null + one_row * ln_binomial(plan.features, plan.k) / selection)
}

/// The draw for a level in units of these scores.
///
/// # Errors
///
/// `Request` if the budget has no part for it.
pub(crate) fn drawn(plan: &Plan, scores: &Scores, level: f64, bits: &Bits) -> Result<bool> {
    let utilities = utilities(scores.values(), plan.k.div_ceil(2), level);
    let utilities = Scores::new(utilities.into(), scores.sensitivity(), plan.request.neighbors)?;
    let epsilon: &Epsilon = plan.part(Purpose::Mechanism)?;
    Ok(choose(&PermuteAndFlip, &utilities, 1, epsilon, bits)?.first() == Some(&PLACE_OF_TRUE))
}

/// The place of the utility of `true`.
const PLACE_OF_TRUE: usize = 0;

/// The utilities of `true` and `false`: the score of this rank minus the level, and the opposite.
fn utilities(scores: &[i64], rank: usize, level: f64) -> [i64; 2] {
    let mut values = scores.to_vec();
    let (_, ranked, _) = values.select_nth_unstable_by(rank - 1, |a, b| b.cmp(a));
    // The level is limited to the range of scores, which are at least 0: so the difference is a
    // utility.
    let excess = *ranked - (level.ceil() as i64).clamp(0, LARGEST as i64);
    [excess, -excess]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::Neighbors;

    /// All tables of four scores below `most`.
    fn tables(most: i64) -> impl Iterator<Item = [i64; 4]> {
        (0..most.pow(4))
            .map(move |i| std::array::from_fn(|place| i / most.pow(place as u32) % most))
    }

    /// If no score moves by more than 1, no utility does.
    #[test]
    fn utilities_have_the_sensitivity_of_scores() {
        for rank in 1..=4 {
            let mut largest = 0;
            for table in tables(4) {
                for step in tables(3) {
                    let other: [i64; 4] = std::array::from_fn(|i| table[i] + step[i] - 1);
                    let [one, two] = [&table, &other].map(|table| utilities(table, rank, 1.5));
                    let moved = (0..2).map(|i| (one[i] - two[i]).abs()).max().unwrap();
                    largest = largest.max(moved);
                }
            }
            assert_eq!(largest, 1, "{rank}");
        }
    }

    #[test]
    fn utilities_are_in_range() {
        for level in [0.0, 1e18, (1u64 << 62) as f64, 1e300, f64::INFINITY, f64::NAN] {
            for score in [0, LARGEST as i64] {
                let utilities = utilities(&[score; 3], 2, level);
                assert!(Scores::new(utilities.into(), 1, Neighbors::AddRemove).is_ok(), "{level}");
            }
        }
        assert_eq!(utilities(&[9, 3, 5], 2, 3.5), [1, -1]);
    }
}
