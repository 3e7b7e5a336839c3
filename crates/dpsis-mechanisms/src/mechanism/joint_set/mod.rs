#![doc = include_str!("page.md")]

#[cfg(any(test, feature = "verify"))]
pub(crate) mod law;
mod staircase;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use num_bigint::BigUint;
use num_rational::BigRational;
use num_traits::Zero;

use crate::exact::{ln_binomial, ln_factorial_error, near_f64};
use crate::mechanism::draw::sealed;
use crate::mechanism::shortfalls::{OWN_LANE, Shortfalls, joint_rate};
use crate::mechanism::{Card, Chooses, Mechanism, PickLoss, Sensitivity};
use crate::privacy::Epsilon;
use crate::random::{
    Address, Bits, BlockRace, Blocks, Filter, FirstArrival, Handicapped, WordStream,
};
use crate::scores::Scores;

use staircase::{draw_beyond, ways_beyond};

/// The joint exponential mechanism over sets of k candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct JointSet;

/// The card of [`JointSet`].
pub static CARD: Card = Card {
    id: "joint-set",
    summary: "joint exponential mechanism over sets: the largest shortfall from the true ranking",
    chooses: Chooses::Set,
    sensitivity: Sensitivity::Common,
    loss: PickLoss::Pure,
    reference: "J. Gillenwater, M. Joseph, A. Munoz Medina and M. Ribero, \"A Joint Exponential Mechanism \
                for Differentially Private Top-k Set\" (2020)",
    page: include_str!("page.md"),
    timing: Some(
        "counting takes time according to how the scores lie: least where many are equal or the best stand out",
    ),
    parameters: &[],
    build: |_| Ok(Arc::new(JointSet)),
    #[cfg(any(test, feature = "verify"))]
    contract: law::contract,
};

impl Mechanism for JointSet {
    fn card(&self) -> &'static Card {
        &CARD
    }

    /// ln C(d, k) sets, at the rate of the joint loss.
    fn gap(&self, candidates: usize, k: usize, epsilon: &Epsilon) -> f64 {
        let rate = if k == 1 { 2.0 } else { 4.0 };
        rate * ln_binomial(candidates, k) / near_f64(epsilon.as_rational())
    }
}

#[allow(private_interfaces, reason = "sealed: nobody outside can call it")]
impl sealed::Draw for JointSet {
    fn draw(&self, scores: &Scores, k: usize, epsilon: &Epsilon, bits: &Bits) -> Vec<usize> {
        let sets = JointSets::new(scores, k, epsilon);
        sets.race(bits, Filter::default(), scores.values().len())
    }
}

/// All sets of k candidates, in blocks: lane 0, position D. The i-th best of a set is its i-th
/// pick.
struct JointSets<'a> {
    shortfalls: Shortfalls<'a>,
}

impl<'a> JointSets<'a> {
    fn new(scores: &'a Scores, k: usize, epsilon: &Epsilon) -> Self {
        let values = scores.values();
        let ln_sets = ln_binomial(values.len(), k);
        let rate = joint_rate(scores, k, epsilon);
        Self { shortfalls: Shortfalls::new(values, k, rate, ln_sets) }
    }

    /// Runs the race of all blocks; returns an empty set if there are no blocks.
    fn race(&self, bits: &Bits, filter: Filter, d: usize) -> Vec<usize> {
        // A logarithm of an exact count; for the bounds, of subsets and of sequences.
        let error = 4.0 * ln_factorial_error(d) + self.shortfalls.ln_error();
        let mut race = BlockRace::new(bits, OWN_LANE, FirstArrival::Exponential, filter, error);
        let mut blocks = Vec::new();
        self.shortfalls.each_block(bits, |block, word, counts, _| {
            let (handicap, most) = self.shortfalls.bounds(block);
            let bound = Handicapped { ln_size: most_sets(counts), handicap };
            let early = libm::log(word as f64) - bound.ln_size + handicap;
            blocks.push((early, block, word, bound, most));
        });
        // Blocks that may arrive early come first, so that few others must be counted.
        blocks.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        for (_, block, word, bound, most) in blocks {
            if race.cannot_win(word, bound) {
                continue;
            }
            let address = Address { lane: 0, position: block as u64 };
            let size = self.size(address);
            if !size.is_zero() {
                let entrant = Handicapped { ln_size: ln(&size), ..bound };
                race.enter(address, word, entrant, most);
            }
        }
        race.winner(self).map(|(_, set)| set).unwrap_or_default()
    }
}

impl Blocks for JointSets<'_> {
    /// Ascending.
    type Member = Vec<usize>;

    fn size(&self, block: Address) -> BigUint {
        let (counts, before) = self.shortfalls.both_counts(block.position as usize);
        ways_beyond(&counts, before.as_deref(), 0)
    }

    /// Draws a set's ranks one after the other, each by exact counts of the possible continuations.
    fn draw(&self, block: Address, words: &mut WordStream) -> Vec<usize> {
        let (counts, before) = self.shortfalls.both_counts(block.position as usize);
        let ordinals = draw_beyond(&counts, before.as_deref(), words);
        let mut set = self.shortfalls.candidates(&ordinals);
        set.sort_unstable();
        set
    }

    fn handicap(&self, _: Address, set: &Vec<usize>) -> BigRational {
        self.shortfalls.handicap(&self.shortfalls.best_first(set))
    }
}

/// ln of a positive integer.
fn ln(size: &BigUint) -> f64 {
    let shift = size.bits().saturating_sub(64);
    let leading = (size >> shift).iter_u64_digits().next().unwrap_or(1);
    libm::log(leading as f64) + shift as f64 * std::f64::consts::LN_2
}

/// An upper bound of ln of the number of sets that keep within counts: the lesser of the sequences
/// and of all subsets of the largest count.
fn most_sets(counts: &[usize]) -> f64 {
    let largest = counts.last().copied().unwrap_or(0);
    Shortfalls::ln_sequences(counts).min(ln_binomial(largest, counts.len()))
}
