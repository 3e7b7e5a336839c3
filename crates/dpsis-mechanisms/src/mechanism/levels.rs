//! Levels of scores by their distance below a given score; the sets or sequences of a block agree
//! in levels.

use crate::exact::near_f64;
use num_rational::BigRational;

/// Levels of distance below a score: level l holds the distances from l w to (l + 1) w - 1, w a
/// power of two. The last level also holds all larger distances.
#[derive(Debug, Clone, Copy)]
pub(super) struct Levels {
    top: i64,
    shift: u32,
    last: usize,
}

impl Levels {
    /// Levels below `top`, at most `width` wide in units of the noise (or one unit of the scores,
    /// if that is wider); a unit of the scores is `rate` units of the noise. The last level begins
    /// at a distance of `reach` in units of the noise or beyond `span` in units of the scores,
    /// whichever is less.
    pub(super) fn new(top: i64, rate: &BigRational, width: f64, reach: f64, span: u64) -> Self {
        let rate = near_f64(rate);
        if !(rate > 0.0) {
            return Self { top, shift: 0, last: 0 };
        }
        // Products with powers of two are exact: the same levels on every platform.
        let step = |shift: u32| rate * (1u64 << shift) as f64;
        let shift = (0..=62).rev().find(|&shift| step(shift) <= width).unwrap_or(0);
        let levels_to_reach = (reach / step(shift)).ceil() as u64;
        Self { top, shift, last: levels_to_reach.min((span >> shift) + 2) as usize }
    }

    /// The level of a score that is not above the top.
    #[inline]
    pub(super) fn of(self, value: i64) -> usize {
        let distance = self.top.wrapping_sub(value) as u64;
        ((distance >> self.shift) as usize).min(self.last)
    }

    /// The number of levels.
    pub(super) fn number(self) -> usize {
        self.last + 1
    }

    /// The level of a score that may be above the top: negative there, one for every w.
    pub(super) fn signed(self, value: i64) -> i64 {
        (self.top - value) >> self.shift
    }

    /// The least distance in a level, and the largest unless it is the last.
    pub(super) fn distances(self, level: usize) -> (u64, Option<u64>) {
        let start = |level: usize| (level as u64) << self.shift;
        (start(level), (level < self.last).then(|| start(level + 1) - 1))
    }

    /// The number of values in each level, of those that are not above the top.
    pub(super) fn count(self, values: &[i64]) -> Vec<usize> {
        // Where there are few levels, consecutive values often share one: several counters, so that
        // an increment need not wait for the one before.
        let lanes = if self.last < 1 << 16 { 4 } else { 1 };
        let mut counts = vec![vec![0u32; self.last + 1]; lanes];
        for some in values.chunks(lanes) {
            for (counts, &value) in counts.iter_mut().zip(some) {
                if value <= self.top {
                    counts[self.of(value)] += 1;
                }
            }
        }
        (0..=self.last).map(|level| counts.iter().map(|c| c[level] as usize).sum()).collect()
    }
}

/// The k best candidates, the best first and equal ones in their order; k <= their number. O(d + k
/// log k).
pub(super) fn best(values: &[i64], k: usize) -> Vec<u32> {
    const RUN: usize = 64;
    let rank = |&i: &u32| (std::cmp::Reverse(values[i as usize]), i);
    let room = (4 * k).max(1024).min(values.len());
    let mut kept: Vec<u32> = Vec::with_capacity(room + 1);
    // No later candidate is among the best unless it scores more: k before it are as good.
    let above = |value: i64, bar: Option<i64>| bar.is_none_or(|bar| value > bar);
    let mut bar = None;
    for (first, some) in (0u32..).step_by(RUN).zip(values.chunks(RUN)) {
        // Most runs hold no candidate to keep: one branch for a run, none for a value.
        if !some.iter().fold(false, |any, &value| any | above(value, bar)) {
            continue;
        }
        for (i, &value) in (first..).zip(some) {
            if above(value, bar) {
                kept.push(i);
                if kept.len() > room {
                    kept.select_nth_unstable_by_key(k - 1, rank);
                    kept.truncate(k);
                    bar = kept.last().map(|&i| values[i as usize]);
                }
            }
        }
    }
    if k < kept.len() {
        kept.select_nth_unstable_by_key(k - 1, rank);
        kept.truncate(k);
    }
    kept.sort_unstable_by_key(rank);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against sorting all: with more candidates than are kept, with many ties, and with rising
    /// scores, so that all enter.
    #[test]
    fn the_best_are_those_of_a_full_sort() {
        let scattered = |d: i64, ties: i64| (0..d).map(|i| i * 7919 % 10_007 / ties).collect();
        let rising: Vec<i64> = (0..3000).collect();
        for values in [scattered(10_000, 1), scattered(5_000, 50), rising, scattered(7, 1)] {
            let mut sorted: Vec<u32> = (0..values.len() as u32).collect();
            sorted.sort_by_key(|&i| (std::cmp::Reverse(values[i as usize]), i));
            for k in (1..=80).chain([300, 1023, 1024, 2000]) {
                let k = k.min(values.len());
                assert_eq!(best(&values, k), sorted[..k], "{k} of {}", values.len());
            }
        }
    }
}
