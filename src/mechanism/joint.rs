#![doc = include_str!("joint.md")]

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use num_bigint::BigUint;
use num_rational::BigRational;

use crate::exact::near_f64;
use crate::mechanism::draw::{rate, sealed};
use crate::mechanism::{Card, Chooses, Mechanism, Sensitivity};
use crate::privacy::Epsilon;
use crate::random::{
    Address, Bits, Entrant, Filter, FirstArrival, Handicapped, Race, WordStream, uniform_below,
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
    page: include_str!("joint.md"),
    max_ratio: 1.0,
    slack: None,
    timing: Some("it goes through the differences of scores: the more are equal, the faster"),
    mutants: &["the one-sided constant", "levels counted twice"],
};

/// The card of [`JointPermuteAndFlip`].
pub static PNF_CARD: Card = Card {
    id: "joint-pnf",
    summary: "the joint loss over sequences under permute-and-flip",
    mutants: &["the one-sided constant"],
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
                let levels = Levels::new(scores, k, joint_rate(scores, k, epsilon));
                let winner = levels.race(bits, $law, Filter::default());
                levels.draw_member(winner, &mut bits.lane(MEMBER_LANE))
            }
        }
    };
}

joint_with!(Joint, CARD, FirstArrival::Exponential);
joint_with!(JointPermuteAndFlip, PNF_CARD, FirstArrival::Uniform);

/// The bits that choose the sequence.
const MEMBER_LANE: u64 = 1 << 62;

/// The joint loss moves by at most 2 Delta, or Delta for one-sided scores, in either direction: eps/(4
/// Delta), or eps/(2 Delta). For k = 1 the best score is in every loss and cancels: twice that.
pub(super) fn joint_rate(scores: &Scores, k: usize, epsilon: &Epsilon) -> BigRational {
    let steps = if k == 1 { 1 } else { 2 };
    rate(scores, epsilon) / num_bigint::BigInt::from(steps)
}

/// Candidates by rank, in groups of equal score.
pub(super) struct Ranked {
    /// Candidates, best first.
    pub(super) order: Vec<u32>,
    /// Their scores.
    pub(super) sorted: Vec<i64>,
    /// Where each group of equal scores begins; and the number of all.
    pub(super) starts: Vec<usize>,
}

impl Ranked {
    pub(super) fn new(values: &[i64]) -> Self {
        let mut order: Vec<u32> = (0..values.len() as u32).collect();
        order.sort_unstable_by_key(|&i| (Reverse(values[i as usize]), i));
        let sorted: Vec<i64> = order.iter().map(|&i| values[i as usize]).collect();
        let new_score = |rank: &usize| *rank == 0 || sorted[*rank] != sorted[*rank - 1];
        let mut starts: Vec<usize> = (0..sorted.len()).filter(new_score).collect();
        starts.push(sorted.len());
        Self { order, sorted, starts }
    }

    /// The number of candidates that score at least as much.
    pub(super) fn at_least(&self, score: i64) -> usize {
        self.sorted.partition_point(|&other| other >= score)
    }

    /// The number of candidates that score more.
    pub(super) fn above(&self, score: i64) -> usize {
        self.sorted.partition_point(|&other| other > score)
    }

    /// The level whose bits are at an address: lane i holds the groups that place i can reach, in order,
    /// and lane k the zero level.
    pub(super) fn level_at(&self, k: usize, Address { lane, position }: Address) -> Level {
        let place = lane as usize;
        if place == k {
            return Level::Zero;
        }
        Level::At { place, group: self.group_of(place) + 1 + position as usize }
    }

    /// The loss of a level.
    pub(super) fn loss(&self, level: Level) -> i64 {
        match level {
            Level::Zero => 0,
            Level::At { place, group } => self.sorted[place] - self.sorted[self.starts[group]],
        }
    }

    /// How many candidates each of k places may take in a level: at its own place, what it could take
    /// before; before it less than the loss is allowed, after it the loss too.
    pub(super) fn counts(&self, k: usize, level: Level) -> Vec<usize> {
        let loss = self.loss(level);
        (0..k)
            .map(|i| match level {
                Level::At { place, group } if i == place => self.starts[group],
                // Below all scores means all of them, so it does no harm to stop at the least integer.
                Level::At { place, .. } if i < place => {
                    self.above(self.sorted[i].saturating_sub(loss))
                }
                _ => self.at_least(self.sorted[i].saturating_sub(loss)),
            })
            .collect()
    }

    /// The group of a rank.
    pub(super) fn group_of(&self, rank: usize) -> usize {
        self.starts.partition_point(|&start| start <= rank) - 1
    }
}

/// A class of sequences: `Zero` loss; or those whose loss is reached at place `place` (from 0) by a member
/// of `group`, at no place after it by a later group, and at no place before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    Zero,
    At { place: usize, group: usize },
}

/// The next group that a place could reach: by loss, then the later place first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Next(Reverse<i64>, usize, usize);

/// All levels of the loss, from the lowest on.
pub(super) struct Steps<'a> {
    ranked: &'a Ranked,
    queue: BinaryHeap<Next>,
    /// c: how many candidates each place may take so far.
    pub(super) counts: Vec<usize>,
}

impl<'a> Steps<'a> {
    pub(super) fn new(ranked: &'a Ranked, k: usize) -> Self {
        let counts: Vec<usize> = (0..k).map(|i| ranked.at_least(ranked.sorted[i])).collect();
        let mut steps = Self { ranked, queue: BinaryHeap::with_capacity(k), counts };
        for place in 0..k {
            steps.queue_next(place, ranked.group_of(place) + 1);
        }
        steps
    }

    fn queue_next(&mut self, place: usize, group: usize) {
        if let Some(&start) = self.ranked.starts.get(group)
            && start < self.ranked.sorted.len()
        {
            let loss = self.ranked.sorted[place] - self.ranked.sorted[start];
            self.queue.push(Next(Reverse(loss), place, group));
        }
    }

    /// The next level - place, group, loss - with the counts just before it; they then grow by the group
    /// at this place.
    pub(super) fn next(&mut self) -> Option<(usize, usize, i64)> {
        let Next(Reverse(loss), place, group) = self.queue.pop()?;
        self.queue_next(place, group + 1);
        Some((place, group, loss))
    }

    /// Lets a place take a group.
    pub(super) fn grow(&mut self, place: usize, group: usize) {
        self.counts[place] = self.ranked.starts[group + 1];
    }
}

/// Loss levels and the number of sequences in each.
struct Levels {
    k: usize,
    ranked: Ranked,
    rate: BigRational,
}

impl Levels {
    fn new(scores: &Scores, k: usize, rate: BigRational) -> Self {
        Self { k, ranked: Ranked::new(scores.values()), rate }
    }

    /// Runs the race of all levels. O(d log d + d k log k) time, O(d) memory.
    fn race(&self, bits: &Bits, law: FirstArrival, filter: Filter) -> Level {
        let d = self.ranked.sorted.len();
        let ln: Vec<f64> = (0..=d).map(|n| libm::log(n.max(1) as f64)).collect();
        // Logarithms and sums of k of them, and the steps between fresh sums.
        const FRESH: usize = 256;
        let error =
            (2 * self.k + 4 * FRESH) as f64 * 2f64.powi(-51) * (1.0 + self.k as f64 * ln[d]);
        let mut race = Race::new(bits, law, filter, error);
        let mut lanes: Vec<WordStream> = (0..self.k).map(|place| bits.lane(place as u64)).collect();
        let near_rate = near_f64(&self.rate);

        let mut steps = Steps::new(&self.ranked, self.k);
        let sum = |counts: &[usize]| counts.iter().enumerate().map(|(i, c)| ln[c - i]).sum::<f64>();
        let mut ln_all = sum(&steps.counts);
        race.lane(self.k as u64);
        race.enter(Handicapped { ln_size: ln_all, handicap: 0.0 });
        let mut groups = vec![0u64; self.k];
        let mut since_fresh = 0;
        while let Some((place, group, loss)) = steps.next() {
            let (count, grown) = (steps.counts[place], self.ranked.starts[group + 1]);
            let ln_size = ln_all - ln[count - place] + ln[grown - count];
            // Each place meets its groups in order, so its lane is read in order.
            let word = lanes[place].next_word();
            let address = Address { lane: place as u64, position: groups[place] };
            groups[place] += 1;
            race.enter_at(
                address,
                word,
                Handicapped { ln_size, handicap: loss as f64 * near_rate },
            );
            steps.grow(place, group);
            ln_all += ln[grown - place] - ln[count - place];
            since_fresh += 1;
            if since_fresh == FRESH {
                (ln_all, since_fresh) = (sum(&steps.counts), 0);
            }
        }
        // The zero level always enters, so somebody wins.
        race.winner(|address| self.entrant(self.ranked.level_at(self.k, address)))
            .map_or(Level::Zero, |address| self.ranked.level_at(self.k, address))
    }

    /// The number of sequences: at place i one of c_i, less the i that are taken already.
    fn size(&self, level: Level) -> BigUint {
        let counts = self.ranked.counts(self.k, level);
        let ways = |(i, count): (usize, &usize)| match level {
            Level::At { place, group } if i == place => self.ranked.starts[group + 1] - count,
            _ => count - i,
        };
        counts.iter().enumerate().map(ways).fold(BigUint::from(1u32), |all, ways| all * ways)
    }

    fn entrant(&self, level: Level) -> Entrant {
        let handicap = &self.rate * BigRational::from_integer(self.ranked.loss(level).into());
        Entrant { size: self.size(level), handicap }
    }

    /// A uniform sequence of a level.
    fn draw_member(&self, level: Level, words: &mut WordStream) -> Vec<usize> {
        let counts = self.ranked.counts(self.k, level);
        let mut ranks = vec![usize::MAX; self.k];
        if let Level::At { place, group } = level {
            let (from, to) = (self.ranked.starts[group], self.ranked.starts[group + 1]);
            ranks[place] = from + below(words, to - from);
        }
        for i in 0..self.k {
            if ranks[i] != usize::MAX {
                continue;
            }
            // The n-th rank below c_i that is not taken: of places before, and of the level's own.
            let mut taken: Vec<usize> =
                ranks.iter().copied().filter(|&rank| rank < counts[i]).collect();
            taken.sort_unstable();
            let mut rank = below(words, counts[i] - taken.len());
            for other in taken {
                rank += usize::from(other <= rank);
            }
            ranks[i] = rank;
        }
        ranks.into_iter().map(|rank| self.ranked.order[rank] as usize).collect()
    }
}

/// A uniform integer from 0 to `bound` - 1.
pub(super) fn below(words: &mut WordStream, bound: usize) -> usize {
    let drawn = uniform_below(words, &BigUint::from(bound));
    drawn.iter_u64_digits().next().unwrap_or(0) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::Neighbours;

    /// Every sequence is in one level, with the loss of the definition.
    #[test]
    fn levels_count_all_sequences() {
        for values in [vec![5, 3, 9, 1, 3], vec![0, 0, 0, 0], vec![4, 4, 2, 2, 1], vec![7, 1]] {
            for k in 1..=values.len() {
                let scores = Scores::new(values.clone(), 1, Neighbours::AddRemove).unwrap();
                let levels = Levels::new(&scores, k, BigRational::from_integer(1.into()));
                let mut counted = std::collections::BTreeMap::new();
                let mut count = |level: Level| {
                    *counted.entry(levels.ranked.loss(level)).or_insert(BigUint::default()) +=
                        levels.size(level);
                };
                count(Level::Zero);
                let mut steps = Steps::new(&levels.ranked, k);
                while let Some((place, group, loss)) = steps.next() {
                    let level = Level::At { place, group };
                    assert_eq!(levels.ranked.loss(level), loss);
                    assert_eq!(levels.ranked.counts(k, level), steps.counts);
                    count(level);
                    steps.grow(place, group);
                }
                counted.retain(|_, size| *size > BigUint::default());
                let mut expected = std::collections::BTreeMap::new();
                for (_, loss) in crate::support::oracle::sequences_by_joint_loss(&values, k) {
                    *expected.entry(loss).or_insert(BigUint::default()) += 1u32;
                }
                assert_eq!(counted, expected, "{values:?}, k = {k}");
            }
        }
    }
}
