#![doc = include_str!("page.md")]

#[cfg(any(test, feature = "verify"))]
pub(crate) mod law;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use std::collections::HashMap;

use num_bigint::BigUint;
use num_rational::BigRational;
use num_traits::{One, Zero};

use crate::exact::near_f64;
use crate::mechanism::draw::sealed;
use crate::mechanism::shortfalls::{OWN_LANE, Shortfalls, joint_rate, ln_share};
use crate::mechanism::{Card, Chooses, Mechanism, PickLoss, Sensitivity};
use crate::privacy::Epsilon;
use crate::random::{
    Address, Bits, BlockRace, Blocks, Filter, FirstArrival, Handicapped, WordStream, uniform_below,
    uniform_u64,
};
use crate::scores::Scores;

/// The joint exponential mechanism over sequences of k candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Joint;

/// The same loss under permute-and-flip.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct JointPermuteAndFlip;

/// The card of [`Joint`].
pub static CARD: Card = Card {
    id: "joint",
    summary: "joint exponential mechanism over sequences: the largest shortfall from the true ranking",
    chooses: Chooses::Sequence,
    sensitivity: Sensitivity::Common,
    loss: PickLoss::Pure,
    reference: "J. Gillenwater, M. Joseph, A. Munoz Medina and M. Ribero, \"A Joint Exponential Mechanism \
                for Differentially Private Top-k\" (2022)",
    page: include_str!("page.md"),
    timing: Some(
        "it counts levels and reveals a few sequences: how many depends on how the scores lie",
    ),
    parameters: &[],
    build: |_| Ok(Arc::new(Joint)),
    #[cfg(any(test, feature = "verify"))]
    contract: law::contract,
};

/// The card of [`JointPermuteAndFlip`].
pub static PNF_CARD: Card = Card {
    id: "joint-pnf",
    summary: "the joint loss over sequences under permute-and-flip",
    build: |_| Ok(Arc::new(JointPermuteAndFlip)),
    #[cfg(any(test, feature = "verify"))]
    contract: law::pnf_contract,
    ..CARD
};

macro_rules! joint_with {
    ($mechanism:ident, $card:ident, $law:expr) => {
        impl Mechanism for $mechanism {
            fn card(&self) -> &'static Card {
                &$card
            }

            /// k ln d sequences, at the rate of the joint loss.
            fn gap(&self, candidates: usize, k: usize, epsilon: &Epsilon) -> f64 {
                let ln_sequences = k as f64 * (candidates as f64).ln();
                let rate = if k == 1 { 2.0 } else { 4.0 };
                rate * ln_sequences / near_f64(epsilon.as_rational())
            }
        }

        #[allow(private_interfaces, reason = "sealed: nobody outside can call it")]
        impl sealed::Draw for $mechanism {
            fn draw(
                &self,
                scores: &Scores,
                k: usize,
                epsilon: &Epsilon,
                bits: &Bits,
            ) -> Vec<usize> {
                let sequences = JointSequences::new(scores, k, epsilon);
                sequences.race(bits, $law, Filter::default())
            }
        }
    };
}

joint_with!(Joint, CARD, FirstArrival::Exponential);
joint_with!(JointPermuteAndFlip, PNF_CARD, FirstArrival::Uniform);

/// All sequences of k candidates, in blocks: lane 0, position D.
struct JointSequences<'a> {
    k: usize,
    shortfalls: Shortfalls<'a>,
}

impl<'a> JointSequences<'a> {
    fn new(scores: &'a Scores, k: usize, epsilon: &Epsilon) -> Self {
        let values = scores.values();
        let ln_sequences = k as f64 * libm::log(values.len() as f64);
        let rate = joint_rate(scores, k, epsilon);
        Self { k, shortfalls: Shortfalls::new(values, k, rate, ln_sequences) }
    }

    /// Runs the race of all blocks; returns an empty sequence if there are no blocks.
    fn race(&self, bits: &Bits, law: FirstArrival, filter: Filter) -> Vec<usize> {
        let error = self.shortfalls.ln_error();
        let mut race = BlockRace::new(bits, OWN_LANE, law, filter, error);
        self.shortfalls.each_block(bits, |block, word, counts, before| {
            let (handicap, most) = self.shortfalls.bounds(block);
            let mut ln_size = Shortfalls::ln_sequences(counts);
            if race.cannot_win(word, Handicapped { ln_size, handicap }) {
                return;
            }
            ln_size += before.map_or(0.0, |before| ln_share(counts, before));
            let address = Address { lane: 0, position: block as u64 };
            race.enter(address, word, Handicapped { ln_size, handicap }, most);
        });
        race.winner(self).map(|(_, sequence)| sequence).unwrap_or_default()
    }
}

/// The number of sequences: at place i one of c_i, less the i that are taken already.
fn sequences(counts: &[usize]) -> BigUint {
    let ways = counts.iter().enumerate().map(|(i, count)| count - i);
    ways.fold(BigUint::one(), |all, ways| all * ways)
}

impl Blocks for JointSequences<'_> {
    type Member = Vec<usize>;

    fn size(&self, block: Address) -> BigUint {
        let (counts, before) = self.shortfalls.both_counts(block.position as usize);
        sequences(&counts) - before.map_or(BigUint::zero(), |before| sequences(&before))
    }

    /// The first place that exceeds the counts of the block before is drawn by the number of
    /// sequences; all places before it keep within those, all after it within the block's.
    fn draw(&self, block: Address, words: &mut WordStream) -> Vec<usize> {
        let (counts, before) = self.shortfalls.both_counts(block.position as usize);
        let exceeding =
            before.as_ref().map(|before| (first_to_exceed(&counts, before, words), before));
        // Of the numbers from 0 to c_i - 1 the first i are taken: those swapped there.
        let mut swapped: HashMap<usize, usize> = HashMap::new();
        let sequence: Vec<usize> = (0..self.k)
            .map(|i| {
                let (from, to) = match exceeding {
                    Some((place, before)) if i < place => (i, before[i]),
                    Some((place, before)) if i == place => (before[i], counts[i]),
                    _ => (i, counts[i]),
                };
                let at = from + below(words, to - from);
                let here = swapped.get(&i).copied().unwrap_or(i);
                swapped.insert(at, here).unwrap_or(at)
            })
            .collect();
        self.shortfalls.candidates(&sequence)
    }

    fn handicap(&self, _: Address, sequence: &Vec<usize>) -> BigRational {
        self.shortfalls.handicap(sequence)
    }
}

/// Draws a place, by the number of sequences in which it is the first to exceed the counts
/// `before`.
fn first_to_exceed(counts: &[usize], before: &[usize], words: &mut WordStream) -> usize {
    // The ways for all places after i.
    let mut after = vec![BigUint::one()];
    for (i, count) in counts.iter().enumerate().rev() {
        let ways = &after[after.len() - 1] * (count - i);
        after.push(ways);
    }
    let all = after.pop().unwrap_or_default();
    let mut drawn = uniform_below(words, &(all - sequences(before)));
    let mut ways_before = BigUint::one();
    for (i, (count, before)) in counts.iter().zip(before).enumerate() {
        let here = &ways_before * (count - before) * after.pop().unwrap_or_default();
        if drawn < here {
            return i;
        }
        drawn -= here;
        ways_before *= before - i;
    }
    counts.len()
}

/// A uniform integer from 0 to `bound` - 1.
fn below(words: &mut WordStream, bound: usize) -> usize {
    uniform_u64(words, bound as u64) as usize
}
