//! The blocks of sets that the canonical mechanisms race.

use num_bigint::BigUint;
use num_rational::BigRational;
use num_traits::{One, Zero};

use crate::exact::{binomial, ln_binomial, ln_factorial, ln_factorial_error, near_f64};
use crate::mechanism::draw::rate;
use crate::mechanism::levels::{Levels, best};
use crate::privacy::Epsilon;
use crate::random::{
    Address, Bits, BlockRace, Blocks, Filter, FirstArrival, Handicapped, WordStream,
    uniform_subset, uniform_u64,
};
use crate::scores::Scores;

/// The lane of the bits with which blocks reveal sets.
const OWN_LANE: u64 = 1 << 62;

/// All sets of k candidates in blocks: those that hold the top `head` candidates, miss the next
/// one, and whose worst member lies in a range of [`Levels`] below the k-th score; and the true top
/// k alone.
///
/// The block of head h and the n-th level that is not empty has the address (h, n); the top k have
/// (k, 0).
pub(super) struct CanonicalSets<'a> {
    values: &'a [i64],
    k: usize,
    /// The top k, best first.
    top: Vec<u32>,
    levels: Levels,
    /// The levels in which candidates outside the top k lie.
    steps: Vec<Step>,
    /// For each head, the step from which one block holds all further sets: it rarely wins.
    last: Vec<usize>,
    /// b = (1 - gamma) r, r = eps/(2 Delta), or eps/Delta for monotonic scores
    head_rate: BigRational,
    /// a = gamma r
    tail_rate: BigRational,
}

/// A level, the number of candidates ranked before it, and that up to its end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    level: usize,
    before: usize,
    until: usize,
}

/// A block of sets, other than that of the top k.
pub(super) struct SetBlock {
    head: usize,
    /// The candidates that rank before its range, and up to the range's end.
    before: usize,
    until: usize,
    /// Distances below the k-th score; `None` as the largest one if the range is open.
    least: u64,
    most: Option<u64>,
}

/// A set of a block, by its members after the first `head`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct SetInBlock {
    /// The candidates in the block's range, ascending.
    inside: Vec<u32>,
    /// The others, as ordinal numbers among those between rank h + 1 and the range: first the rest
    /// of the top k, then by candidate.
    above: Vec<u64>,
}

/// Units of noise added to the reach of the best of all sets of a head.
const REACH_MARGIN: f64 = 40.0;

/// The largest difference of a block's bounds, in units of the noise, unless single scores differ
/// by more.
const WIDTH: f64 = 1.0;

impl<'a> CanonicalSets<'a> {
    pub(super) fn new(
        gamma: &BigRational,
        scores: &'a Scores,
        k: usize,
        epsilon: &Epsilon,
    ) -> Self {
        let values = scores.values();
        let d = values.len();
        let rate = rate(scores, epsilon);
        let tail_rate = &rate * gamma;
        let head_rate = rate - &tail_rate;
        // The loss does not depend on how ties are ranked.
        let top = best(values, k);
        let kth = values[top[k - 1] as usize];
        // The largest possible difference of scores: finding the actual one would cost more time
        // than it saves.
        let span = u64::MAX >> 1;
        let levels = Levels::new(kth, &tail_rate, WIDTH, ln_binomial(d, k) + REACH_MARGIN, span);
        let tied = top.iter().filter(|&&i| values[i as usize] == kth).count();
        let mut until = k;
        let steps = levels.count(values).into_iter().enumerate().filter_map(|(level, count)| {
            let before = until;
            until += if level == 0 { count - tied } else { count };
            (until > before).then_some(Step { level, before, until })
        });
        let steps = steps.collect();
        let mut sets =
            Self { values, k, top, levels, steps, last: Vec::new(), head_rate, tail_rate };
        sets.last = (0..k).map(|head| sets.last_step(head)).collect();
        sets
    }

    fn d(&self) -> usize {
        self.values.len()
    }

    fn score(&self, rank: usize) -> i64 {
        self.values[self.top[rank] as usize]
    }

    fn last_step(&self, head: usize) -> usize {
        if self.steps.is_empty() {
            return 0;
        }
        let reach = ln_binomial(self.d() - head - 1, self.k - head) + REACH_MARGIN;
        let near = |step: &Step| self.least_excess(head, step.level) <= reach;
        self.steps.partition_point(near).min(self.steps.len() - 1)
    }

    /// b (x_[h+1] - x_[k]), nearly.
    fn head_excess(&self, head: usize) -> f64 {
        (self.score(head) - self.score(self.k - 1)) as f64 * near_f64(&self.head_rate)
    }

    fn least_excess(&self, head: usize, level: usize) -> f64 {
        let (least, _) = self.levels.distances(level);
        self.head_excess(head) + least as f64 * near_f64(&self.tail_rate)
    }

    /// The block at an address; `None` for the top k alone.
    fn block(&self, Address { lane, position }: Address) -> Option<SetBlock> {
        let head = lane as usize;
        (head < self.k).then(|| self.block_of(head, position as usize))
    }

    #[inline]
    fn block_of(&self, head: usize, position: usize) -> SetBlock {
        let Step { level, before, until } = self.steps[position];
        let (least, most) = self.levels.distances(level);
        let is_last = position == self.last[head];
        let until = if is_last { self.d() } else { until };
        SetBlock { head, before, until, least, most: most.filter(|_| !is_last) }
    }

    /// Runs the race of all blocks.
    pub(super) fn race(
        &self,
        bits: &Bits,
        law: FirstArrival,
        filter: Filter,
    ) -> (Address, SetInBlock) {
        let (k, d) = (self.k, self.d());
        // Three factorials' logarithms, and a sum of up to k.
        let error = 4.0 * ln_factorial_error(d) + (k + 8) as f64 * 2f64.powi(-52);
        let mut race = BlockRace::new(bits, OWN_LANE, law, filter, error);
        let top = Address { lane: k as u64, position: 0 };
        race.enter(top, bits.word(k as u64, 0), Handicapped { ln_size: 0.0, handicap: 0.0 }, 0.0);
        // The top k always enter, so some set wins.
        let winner =
            |race: BlockRace<'_>| race.winner(self).unwrap_or((top, SetInBlock::default()));
        if self.steps.is_empty() {
            return winner(race);
        }
        let tail_rate = near_f64(&self.tail_rate);
        // The same for all heads: ln (t - k - 1)!.
        let ln_rest: Vec<f64> =
            self.steps.iter().map(|step| ln_factorial(step.until - k - 1)).collect();
        // From the best head down, so that good blocks are met early.
        for head in (0..k).rev() {
            let mut words = bits.lane(head as u64);
            let body = k - head;
            let (head_excess, ln_body) = (self.head_excess(head), ln_factorial(body));
            for (position, &ln_rest) in ln_rest.iter().enumerate().take(self.last[head] + 1) {
                let word = words.next_word();
                let SetBlock { before, until, least, most, .. } = self.block_of(head, position);
                // C(t - h - 1, k - h): all sets of this head up to the end of the range.
                let rest = match most {
                    Some(_) => ln_rest,
                    None => ln_factorial(until - k - 1),
                };
                let ln_until = ln_factorial(until - head - 1) - ln_body - rest;
                let handicap = head_excess + least as f64 * tail_rate;
                if race.cannot_win(word, Handicapped { ln_size: ln_until, handicap }) {
                    continue;
                }
                let ln_size = ln_until + ln_share(before - head - 1, until - head - 1, body);
                let most = most.map_or(f64::INFINITY, |most| head_excess + most as f64 * tail_rate);
                let address = Address { lane: head as u64, position: position as u64 };
                race.enter(address, word, Handicapped { ln_size, handicap }, most);
            }
        }
        winner(race)
    }

    /// The set of a block by ascending ordinal numbers: first of those in its range, then of those
    /// above.
    fn member(&self, drawn: &[u64], block: &SetBlock) -> SetInBlock {
        let inside = (block.until - block.before) as u64;
        let (here, above) = drawn.split_at(drawn.partition_point(|&ordinal| ordinal < inside));
        SetInBlock {
            inside: self.others(block.least, block.most, here.iter().copied()),
            above: above.iter().map(|ordinal| ordinal - inside).collect(),
        }
    }

    /// The candidates of a set.
    pub(super) fn picks(&self, address: Address, member: &SetInBlock) -> Vec<usize> {
        let mut picks = self.top.clone();
        if let Some(SetBlock { head, least, .. }) = self.block(address) {
            picks.truncate(head);
            let rest = self.k - head - 1;
            let (top, others): (Vec<u64>, Vec<u64>) =
                member.above.iter().partition(|&&ordinal| ordinal < rest as u64);
            picks.extend(top.into_iter().map(|ordinal| self.top[head + 1 + ordinal as usize]));
            let others = others.into_iter().map(|ordinal| ordinal - rest as u64);
            if let Some(most) = least.checked_sub(1) {
                picks.extend(self.others(0, Some(most), others));
            }
            picks.extend(&member.inside);
        }
        let mut picks: Vec<usize> = picks.into_iter().map(|i| i as usize).collect();
        picks.sort_unstable();
        picks
    }

    /// Candidates outside the top k in a range of distances, by their ascending ordinal numbers
    /// there.
    fn others(
        &self,
        least: u64,
        most: Option<u64>,
        ordinals: impl Iterator<Item = u64>,
    ) -> Vec<u32> {
        const CHUNK: usize = 256;
        let last = self.top[self.k - 1] as usize;
        let kth = self.values[last];
        // Distances are at most 2^63 - 1: scores lie within 2^62 of 0.
        let high = kth.saturating_sub_unsigned(least);
        let low = most.map_or(i64::MIN, |most| kth.saturating_sub_unsigned(most));
        let is_inside =
            |i: usize, value: i64| (low <= value) & (value <= high) & ((value < kth) | (i > last));
        let mut ordinals = ordinals.peekable();
        let (mut found, mut passed) = (Vec::new(), 0);
        for (start, chunk) in (0..).step_by(CHUNK).zip(self.values.chunks(CHUNK)) {
            let Some(next) = ordinals.peek() else { break };
            let inside = (start..).zip(chunk).filter(|&(i, &value)| is_inside(i, value));
            let count = inside.clone().count() as u64;
            if *next < passed + count {
                for (ordinal, (i, _)) in (passed..).zip(inside) {
                    found.extend(ordinals.next_if_eq(&ordinal).map(|_| i as u32));
                }
            }
            passed += count;
        }
        found
    }
}

impl Blocks for CanonicalSets<'_> {
    type Member = SetInBlock;

    fn size(&self, address: Address) -> BigUint {
        self.block(address).map_or(BigUint::one(), |SetBlock { head, before, until, .. }| {
            let sets = |ranks: usize| binomial((ranks - head - 1) as u64, (self.k - head) as u64);
            sets(until) - sets(before)
        })
    }

    fn draw(&self, address: Address, words: &mut WordStream) -> SetInBlock {
        let Some(block) = self.block(address) else { return SetInBlock::default() };
        let SetBlock { head, before, until, .. } = block;
        let (inside, all) = (until - before, until - head - 1);
        let size = self.k - head;
        let drawn = subset_with_some_below(words, inside as u64, all as u64, size as u64);
        self.member(&drawn, &block)
    }

    /// z(h,t) = b (x_[h+1] - x_[k]) + a (x_[k] - x_[t]), in units of the sensitivity.
    fn handicap(&self, address: Address, member: &SetInBlock) -> BigRational {
        let Some(SetBlock { head, .. }) = self.block(address) else { return BigRational::zero() };
        let kth = self.score(self.k - 1);
        let worst = member.inside.iter().map(|&i| self.values[i as usize]).min().unwrap_or(kth);
        let whole = |difference: i64| BigRational::from_integer(difference.into());
        &self.head_rate * whole(self.score(head) - kth) + &self.tail_rate * whole(kth - worst)
    }
}

/// ln of the share of the r-subsets of n candidates that are not among the first `before` of them:
/// ln(1 - C(before, r)/C(n, r)), the ratio being the product of (before - i)/(n - i) for i < r.
pub(in crate::mechanism) fn ln_share(before: usize, n: usize, r: usize) -> f64 {
    if before < r {
        return 0.0;
    }
    let more = (n - before) as f64;
    let ln_ratio: f64 = (0..r).map(|i| libm::log1p(-more / (n - i) as f64)).sum();
    libm::log(-libm::expm1(ln_ratio))
}

/// A uniform r-subset of 0..n, ascending, among those with an element below `few` >= 1.
///
/// Either any subset is drawn until one has such an element; or one of the `few` is drawn and the
/// rest among all others: a subset with m of them comes up in m ways, so it is kept with
/// probability 1/m. One of the two succeeds about every other time.
pub(in crate::mechanism) fn subset_with_some_below(
    words: &mut WordStream,
    few: u64,
    n: u64,
    r: u64,
) -> Vec<u64> {
    let often = u128::from(few) * u128::from(r) >= u128::from(n);
    loop {
        let mut subset: Vec<u64> = if often {
            uniform_subset(words, n, r).into_iter().collect()
        } else {
            let first = uniform_u64(words, few);
            let others = uniform_subset(words, n - 1, r - 1).into_iter();
            others.map(|i| i + u64::from(i >= first)).chain([first]).collect()
        };
        let below = subset.iter().filter(|&&i| i < few).count() as u64;
        if if often { below > 0 } else { uniform_u64(words, below) == 0 } {
            subset.sort_unstable();
            return subset;
        }
    }
}

#[cfg(test)]
#[path = "sets_tests.rs"]
mod tests;
