//! Sequences and sets of k candidates by their largest shortfall from the true ranking, in blocks,
//! as the joint mechanisms race them.
//!
//! The loss of a choice y is the largest of x_\[i\] - x_(y_i). With levels of width w below the
//! k-th score (negative above it), l(x) = floor((x_\[k\] - x)/w), let D be the largest of
//! l(x_(y_i)) - l(x_\[i\]), which is never negative. All choices of one D are a block: their losses
//! lie between (D - 1) w + 1 and (D + 1) w - 1. The i-th pick of a choice with at most D is among
//! the c_i(D) candidates of level l(x_\[i\]) + D or less, and c_1 <= ... <= c_k. Levels end where
//! the noise rarely reaches; the last block is open.

use num_rational::BigRational;

use crate::exact::near_f64;
use crate::mechanism::draw::rate;
use crate::mechanism::levels::{Levels, best};
use crate::privacy::Epsilon;
use crate::random::Bits;
use crate::scores::Scores;

/// The lane of the bits with which blocks reveal choices.
pub(super) const OWN_LANE: u64 = 1 << 62;

/// The rate of noise for the joint loss: eps/(4 Delta), or eps/(2 Delta) for monotonic scores, as
/// the loss moves by at most 2 Delta, or Delta, in either direction. Twice that for k = 1, where
/// the best score is in every loss and cancels.
pub(super) fn joint_rate(scores: &Scores, k: usize, epsilon: &Epsilon) -> BigRational {
    let steps = if k == 1 { 1 } else { 2 };
    rate(scores, epsilon) / num_bigint::BigInt::from(steps)
}

/// Candidates by level, and the number of candidates from which each place may take.
pub(super) struct Shortfalls<'a> {
    values: &'a [i64],
    k: usize,
    levels: Levels,
    /// The level of each of the top k, the best first: 0 or less.
    places: Vec<i64>,
    /// For each level from 0 on the number of candidates before it; then the number of all
    /// candidates.
    starts: Vec<usize>,
    /// The top k, best first, then the others by level.
    order: Vec<u32>,
    rate: BigRational,
}

/// A block's bounds differ by twice this, unless single scores differ by more: in units of the
/// noise.
const WIDTH: f64 = 0.5;

/// Units of noise beyond the reach of the noise of all choices.
const REACH_MARGIN: f64 = 40.0;

impl<'a> Shortfalls<'a> {
    /// Blocks for the loss times `rate`, and at most e^`ln_choices` choices.
    pub(super) fn new(values: &'a [i64], k: usize, rate: BigRational, ln_choices: f64) -> Self {
        let top = best(values, k);
        let last = top[k - 1] as usize;
        let kth = values[last];
        let lowest = values.iter().copied().min().unwrap_or(kth);
        let span = (values[top[0] as usize] - lowest) as u64;
        let levels = Levels::new(kth, &rate, WIDTH, ln_choices + REACH_MARGIN, span);
        let tied = top.iter().filter(|&&i| values[i as usize] == kth).count();
        let mut starts = Vec::with_capacity(levels.number() + 1);
        let mut ends = k;
        for (level, count) in levels.count(values).into_iter().enumerate() {
            starts.push(ends);
            ends += if level == 0 { count - tied } else { count };
        }
        starts.push(ends);
        let places = top.iter().map(|&i| levels.signed(values[i as usize])).collect();
        let mut order = top;
        order.resize(values.len(), 0);
        let mut next = starts.clone();
        for (i, &value) in values.iter().enumerate() {
            if value < kth || (value == kth && i > last) {
                let place = &mut next[levels.of(value)];
                order[*place] = i as u32;
                *place += 1;
            }
        }
        Self { values, k, levels, places, starts, order, rate }
    }

    /// The number of the last block.
    pub(super) fn last(&self) -> usize {
        self.levels.number() - 1
    }

    /// The blocks that can hold a choice, ascending: the differences of levels that there are, or
    /// all blocks where that would take longer.
    pub(super) fn blocks(&self) -> Vec<usize> {
        let mut places = self.places.clone();
        places.dedup();
        let others = (1..self.levels.number()).filter(|&l| self.starts[l] < self.starts[l + 1]);
        let mut levels: Vec<i64> = places.clone();
        levels.extend(others.map(|level| level as i64));
        if places.len().saturating_mul(levels.len()) > self.levels.number() {
            return (0..=self.last()).collect();
        }
        let differences = places.iter().flat_map(|place| levels.iter().map(move |l| l - place));
        let mut blocks: Vec<usize> = differences
            .filter_map(|difference| usize::try_from(difference).ok())
            .map(|block| block.min(self.last()))
            .collect();
        blocks.sort_unstable();
        blocks.dedup();
        blocks
    }

    /// Calls a function for each block that holds a choice: with the block, the first word of its
    /// bits (word D of lane 0), its counts, and the counts of the block before, except for the
    /// first.
    pub(super) fn each_block(
        &self,
        bits: &Bits,
        mut take: impl FnMut(usize, u64, &[usize], Option<&[usize]>),
    ) {
        let mut words = bits.lane(0);
        let mut next = 0;
        let (mut counts, mut before) = (Vec::with_capacity(self.k), Vec::with_capacity(self.k));
        for block in self.blocks() {
            for _ in next..block {
                words.next_word();
            }
            next = block + 1;
            let word = words.next_word();
            // Between two listed blocks counts do not change.
            std::mem::swap(&mut counts, &mut before);
            self.counts(block, &mut counts);
            if block == 0 || counts != before {
                take(block, word, &counts, (block > 0).then_some(&before));
            }
        }
    }

    /// c_1(D) to c_k(D).
    pub(super) fn counts(&self, block: usize, counts: &mut Vec<usize>) {
        counts.clear();
        if block == self.last() {
            counts.resize(self.k, self.order.len());
            return;
        }
        counts.extend(self.places.iter().map(|&place| {
            match usize::try_from(place + block as i64) {
                Ok(level) => self.starts[level + 1],
                // Some of the top k only.
                Err(_) => self.places.partition_point(|&other| other <= place + block as i64),
            }
        }));
    }

    /// The counts of this block and of the block before; `None` for the first block.
    pub(super) fn both_counts(&self, block: usize) -> (Vec<usize>, Option<Vec<usize>>) {
        let counts = |block| {
            let mut counts = Vec::with_capacity(self.k);
            self.counts(block, &mut counts);
            counts
        };
        (counts(block), block.checked_sub(1).map(counts))
    }

    /// The block of a sequence, by the definition.
    #[cfg(test)]
    pub(super) fn block_of(&self, sequence: &[usize]) -> usize {
        let levels = sequence.iter().map(|&i| self.levels.signed(self.values[i]));
        let most = levels.zip(&self.places).map(|(own, best)| own - best).max().unwrap();
        (most as usize).min(self.last())
    }

    /// The least z in a block, and the largest (infinite in the last), nearly.
    pub(super) fn bounds(&self, block: usize) -> (f64, f64) {
        let rate = near_f64(&self.rate);
        let least = match block.checked_sub(1) {
            Some(before) => self.levels.distances(before).0 + 1,
            None => 0,
        };
        let most = match self.levels.distances(block) {
            (_, None) => f64::INFINITY,
            (_, Some(end)) => end as f64 * rate,
        };
        (least as f64 * rate, most)
    }

    /// Candidates by their ordinal numbers: the top k by rank, then the others by level.
    pub(super) fn candidates(&self, ordinals: &[usize]) -> Vec<usize> {
        ordinals.iter().map(|&ordinal| self.order[ordinal] as usize).collect()
    }

    /// Candidates by their scores, the best first.
    pub(super) fn best_first(&self, set: &[usize]) -> Vec<usize> {
        let mut ranked = set.to_vec();
        ranked.sort_unstable_by_key(|&i| std::cmp::Reverse(self.values[i]));
        ranked
    }

    /// z of a sequence of candidates.
    pub(super) fn handicap(&self, sequence: &[usize]) -> BigRational {
        let scores = sequence.iter().map(|&i| self.values[i]);
        let best = self.order.iter().map(|&i| self.values[i as usize]);
        let loss = best.zip(scores).map(|(best, own)| best - own).max().unwrap_or(0);
        &self.rate * BigRational::from_integer(loss.into())
    }

    /// ln of the number of sequences that keep within counts.
    pub(super) fn ln_sequences(counts: &[usize]) -> f64 {
        // Products of a few factors below 2^31 each do not overflow.
        let product = |few: (usize, &[usize])| {
            let factor = |(i, count): (usize, &usize)| (count - (few.0 + i)) as f64;
            libm::log(few.1.iter().enumerate().map(factor).product())
        };
        (0..).step_by(FACTORS).zip(counts.chunks(FACTORS)).map(product).sum()
    }

    /// A bound on the error of [`ln_sequences`](Self::ln_sequences) and [`ln_share`] here.
    pub(super) fn ln_error(&self) -> f64 {
        ln_error(self.k, self.order.len())
    }
}

/// The same for k counts up to d: each chunk's product has a relative error of 16 2^-53, its
/// logarithm and the sum so far one rounding each, of numbers up to k ln d.
pub(super) fn ln_error(k: usize, d: usize) -> f64 {
    (k + 16) as f64 * 2f64.powi(-51) * (1.0 + k as f64 * libm::log(d as f64))
}

const FACTORS: usize = 16;

/// ln(1 - N(before)/N(counts)) for the numbers of sequences that keep within counts.
pub(super) fn ln_share(counts: &[usize], before: &[usize]) -> f64 {
    let share = |(i, (count, before)): (usize, (&usize, &usize))| {
        libm::log1p(-((count - before) as f64) / (count - i) as f64)
    };
    let ln_ratio: f64 = counts.iter().zip(before).enumerate().map(share).sum();
    libm::log(-libm::expm1(ln_ratio))
}
