#![doc = include_str!("page.md")]

use std::collections::HashMap;

use num_bigint::BigUint;
use num_rational::BigRational;
use num_traits::{One, Zero};

use crate::exact::near_f64;
use crate::mechanism::draw::{rate, sealed};
use crate::mechanism::shortfalls::{Shortfalls, ln_share};
use crate::mechanism::{Card, Chooses, Mechanism, Sensitivity};
use crate::privacy::Epsilon;
use crate::random::{
    Address, Bits, BlockRace, Blocks, Filter, FirstArrival, Handicapped, WordStream, uniform_below,
    uniform_u64,
};
use crate::score::Scores;

/// The joint exponential mechanism over sequences of k candidates. See the page of this module.
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
    reference: "J. Gillenwater, M. Joseph, A. Munoz Medina and M. Ribero, \"A Joint Exponential Mechanism \
                for Differentially Private Top-k\" (2022)",
    page: include_str!("page.md"),
    max_ratio: 1.0,
    slack: None,
    timing: Some(
        "it counts levels and reveals a few sequences: how many depends on how the scores lie",
    ),
    mutants: &["the monotonic constant", "levels counted twice"],
};

/// The card of [`JointPermuteAndFlip`].
pub static PNF_CARD: Card = Card {
    id: "joint-pnf",
    summary: "the joint loss over sequences under permute-and-flip",
    mutants: &["the monotonic constant"],
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
                let sequences = Sequences::new(scores, k, epsilon);
                sequences.race(bits, $law, Filter::default())
            }
        }
    };
}

joint_with!(Joint, CARD, FirstArrival::Exponential);
joint_with!(JointPermuteAndFlip, PNF_CARD, FirstArrival::Uniform);

/// The bits of blocks that reveal choices.
pub(in crate::mechanism) const OWN_LANE: u64 = 1 << 62;

/// The joint loss moves by at most 2 Delta, or Delta for monotonic scores, in either direction: eps/(4
/// Delta), or eps/(2 Delta). For k = 1 the best score is in every loss and cancels: twice that.
pub(in crate::mechanism) fn joint_rate(
    scores: &Scores,
    k: usize,
    epsilon: &Epsilon,
) -> BigRational {
    let steps = if k == 1 { 1 } else { 2 };
    rate(scores, epsilon) / num_bigint::BigInt::from(steps)
}

/// All sequences of k candidates, in blocks: lane 0, position D.
struct Sequences<'a> {
    k: usize,
    shortfalls: Shortfalls<'a>,
}

impl<'a> Sequences<'a> {
    fn new(scores: &'a Scores, k: usize, epsilon: &Epsilon) -> Self {
        let values = scores.values();
        let ln_sequences = k as f64 * libm::log(values.len() as f64);
        let rate = joint_rate(scores, k, epsilon);
        Self { k, shortfalls: Shortfalls::new(values, k, rate, ln_sequences) }
    }

    /// Runs the race of all blocks. No sequence, if there is none.
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

impl Blocks for Sequences<'_> {
    type Member = Vec<usize>;

    fn size(&self, block: Address) -> BigUint {
        let (counts, before) = self.shortfalls.both_counts(block.position as usize);
        sequences(&counts) - before.map_or(BigUint::zero(), |before| sequences(&before))
    }

    /// The first place that exceeds the counts of the block before is drawn by the number of sequences; all
    /// places before it keep within those, all after it within the block's.
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

/// A place by the number of sequences of which it is the first to exceed the counts `before`.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::Neighbors;
    use crate::random::Entropy;
    use crate::support::goodness::assert_fits;
    use crate::support::oracle::sequences_by_joint_loss;

    const TABLES: [&[i64]; 6] = [
        &[5, 3, 9, 1, 3],
        &[0, 0, 0, 0],
        &[4, 4, 2, 2, 1],
        &[7, 1],
        &[1000, 990, 3, 2, 1, -400],
        &[0, 70, 10, 71, 11, 12],
    ];

    fn scores(values: &[i64]) -> Scores {
        Scores::new(values.to_vec(), 3, Neighbors::AddRemove).unwrap()
    }

    /// Every sequence is in one block, which counts it and bounds its loss by the definition.
    #[test]
    fn blocks_hold_all_sequences_once() {
        for values in TABLES {
            for k in 1..=values.len() {
                for eps in ["1/9", "2", "60"] {
                    let scores = scores(values);
                    let all = Sequences::new(&scores, k, &eps.parse().unwrap());
                    let last = all.shortfalls.last();
                    let mut left = vec![BigUint::zero(); last + 1];
                    for (block, left) in left.iter_mut().enumerate() {
                        *left = all.size(Address { lane: 0, position: block as u64 });
                    }
                    let raced = all.shortfalls.blocks();
                    let holds = (0..=last).filter(|&block| !left[block].is_zero());
                    assert!(holds.clone().all(|block| raced.contains(&block)));
                    for (sequence, loss) in sequences_by_joint_loss(values, k) {
                        let block = all.shortfalls.block_of(&sequence);
                        left[block] -= 1u32;
                        let z = all.shortfalls.handicap(&sequence);
                        let exact = BigRational::from_integer(loss.into())
                            * joint_rate(&scores, k, &eps.parse().unwrap());
                        assert_eq!(z, exact);
                        let (least, most) = all.shortfalls.bounds(block);
                        let z = near_f64(&z);
                        assert!(least * (1.0 - 1e-15) <= z && z <= most * (1.0 + 1e-15));
                    }
                    assert!(left.iter().all(Zero::is_zero), "{values:?}, k = {k}, eps = {eps}");
                }
            }
        }
    }

    #[test]
    fn members_are_drawn_uniformly() {
        let (values, k) = ([4i64, 9, 4, 2, 1, 8], 3);
        let scores = scores(&values);
        let all = Sequences::new(&scores, k, &"3".parse().unwrap());
        let mut words = Entropy::Seeded(4).source().unwrap().bits(0).lane(0);
        for block in 0..=all.shortfalls.last() {
            let address = Address { lane: 0, position: block as u64 };
            let members: Vec<Vec<usize>> = sequences_by_joint_loss(&values, k)
                .into_iter()
                .map(|(sequence, _)| sequence)
                .filter(|sequence| all.shortfalls.block_of(sequence) == block)
                .collect();
            if members.len() < 2 {
                continue;
            }
            let mut counts = vec![0u64; members.len()];
            for _ in 0..100_000 {
                let drawn = all.draw(address, &mut words);
                counts[members.iter().position(|member| *member == drawn).unwrap()] += 1;
            }
            assert_fits(&counts, &vec![1.0 / members.len() as f64; members.len()]);
        }
    }

    #[test]
    fn forced_fallback_gives_the_same_winner() {
        let wide: Vec<i64> = (0..2000).map(|i| (i * 7919) % 401).collect();
        for (values, k, seeds) in [(TABLES[0], 2, 3000), (TABLES[4], 3, 3000), (&wide[..], 20, 20)]
        {
            let scores = scores(values);
            let all = Sequences::new(&scores, k, &"2".parse().unwrap());
            for seed in 0..seeds {
                let bits = Entropy::Seeded(seed).source().unwrap().bits(0);
                for law in [FirstArrival::Uniform, FirstArrival::Exponential] {
                    let race = |filter| all.race(&bits, law, filter);
                    assert_eq!(race(Filter::default()), race(Filter::weakened(6)), "seed {seed}");
                }
            }
        }
    }

    #[test]
    fn logarithms_of_counts_keep_their_error() {
        for (counts, before) in [
            (vec![10usize, 12, 40], vec![10usize, 12, 39]),
            (
                (0..200).map(|i| 1_000 * (i + 2)).collect(),
                (0..200).map(|i| 999 * (i + 2)).collect(),
            ),
            (vec![1_000_000; 100], vec![999_999; 100]),
        ] {
            let size = sequences(&counts) - sequences(&before);
            let truth = crate::exact::Enclosure::ln_dyadic(&size, 0, 160);
            let ln = Shortfalls::ln_sequences(&counts) + ln_share(&counts, &before);
            let error = crate::mechanism::shortfalls::ln_error(counts.len(), 1_000_000);
            assert!(truth.distance_from(ln) <= error);
        }
    }
}
