//! Exponential races between blocks of candidates with similar but unequal handicaps.
//!
//! The candidates race as in `race`: one with handicap z arrives at time B e^z, and the first wins.
//! A block is any set of candidates that can be counted and sampled uniformly, and whose handicaps
//! lie between two bounds. The candidates that have the smallest, second smallest, ... B of a block
//! are a uniform draw without replacement, independent of the values of B. So a block reveals its
//! candidates one by one: the next B, then the candidate it belongs to, and thus the true arrival
//! time B e^z. The next B times e^(smallest z) is a lower bound for all candidates not yet
//! revealed. The first arrival of all is found once every lower bound lies after it. The remaining
//! candidates are never sampled, yet the law is that of a race among all.
//!
//! **Exactness.** Revealing more candidates than necessary does not change the result, since each
//! block has its own bits. So `f64` intervals alone may decide whether a lower bound lies after the
//! best time, and only true times that overlap are refined. The quick interval of the j-th arrival
//! is that of the first (see `race`) with s in place of v: unknown bits change ln s by at most the
//! largest change of any ln v_i, and the sum adds j roundings.
//!
//! **Cost.** One word and one comparison per block. The number of revealed candidates is about e to
//! the power of the difference between a block's bounds.

use std::cell::OnceCell;

use num_bigint::BigUint;
use num_rational::BigRational;
use num_traits::ToPrimitive;

use super::arrival::{FirstArrival, exponential};
use super::leaders::least;
use super::race::{Quick, exact_interval};
use super::{Address, Bits, Entrant, Filter, Handicapped, WordStream};
use crate::exact::near_f64;

/// The interface of blocks to a race.
pub(crate) trait Blocks {
    /// A candidate.
    type Member: Eq;

    /// The number of candidates in a block; at least 1.
    fn size(&self, block: Address) -> BigUint;

    /// Draws a candidate of a block uniformly.
    fn draw(&self, block: Address, words: &mut WordStream) -> Self::Member;

    /// The handicap z >= 0 of a candidate.
    fn handicap(&self, block: Address, member: &Self::Member) -> BigRational;
}

/// A race in progress.
pub(crate) struct BlockRace<'a> {
    bits: &'a Bits,
    /// The lane whose bits are used to reveal candidates, one branch per block.
    own: u64,
    quick: Quick,
    /// An upper bound of the winner's ln time.
    bar: f64,
    entered: Vec<Entered>,
    /// The number of entered blocks at which those that cannot win are removed.
    limit: usize,
}

/// A block that may contain the winner.
struct Entered {
    address: Address,
    word: u64,
    /// The block's size, with its smallest handicap.
    entrant: Handicapped,
    lower: f64,
}

/// For ln size below this, e^(ln size) is accurate enough as the number of candidates in sums of
/// gaps.
const LN_MANY: f64 = 40.0;

impl<'a> BlockRace<'a> {
    /// An empty race. The error of every `ln_size` must be at most `ln_size_error`. Lane `own` must
    /// not contain bits at a block's address.
    pub(crate) fn new(
        bits: &'a Bits,
        own: u64,
        law: FirstArrival,
        filter: Filter,
        ln_size_error: f64,
    ) -> Self {
        let quick = Quick { law, filter, ln_size_error };
        Self { bits, own, quick, bar: f64::INFINITY, entered: Vec::new(), limit: 64 }
    }

    /// Whether a block certainly does not contain the winner, given the first word of its bits.
    /// With an upper bound as size it identifies blocks that need not be counted exactly.
    #[inline]
    pub(crate) fn cannot_win(&self, word: u64, entrant: Handicapped) -> bool {
        self.quick.is_after(self.bar, word, entrant)
    }

    /// Enters a block with its first word, its smallest handicap and its largest (infinite if
    /// unknown).
    pub(crate) fn enter(&mut self, address: Address, word: u64, entrant: Handicapped, most: f64) {
        let (lower, _) = certain(self.quick.interval(word, entrant));
        let latest = Handicapped { handicap: most, ..entrant };
        self.bar = self.bar.min(certain(self.quick.interval(word, latest)).1);
        if lower > self.bar {
            return;
        }
        self.entered.push(Entered { address, word, entrant, lower });
        if self.entered.len() > self.limit {
            self.entered.retain(|block| block.lower <= self.bar);
            self.limit = 2 * self.entered.len() + 64;
        }
    }

    /// The winner and its block; `None` if no block was entered.
    pub(crate) fn winner<B: Blocks>(self, blocks: &B) -> Option<(Address, B::Member)> {
        let Self { bits, own, quick, bar, entered, .. } = self;
        let own = bits.branch(own);
        let still = entered.into_iter().filter(|block| block.lower <= bar);
        let mut open: Vec<Open<B>> =
            still.map(|block| Open::new(block, &own, bits, quick, blocks)).collect();
        let mut times: Vec<Time> = Vec::new();
        let mut bar = f64::INFINITY;
        while let Some(block) = (0..open.len())
            .filter(|&block| open[block].lower <= bar)
            .min_by(|&a, &b| open[a].lower.total_cmp(&open[b].lower))
        {
            let (lower, upper) = open[block].reveal();
            bar = bar.min(upper);
            times.push(Time { block, nth: open[block].members.len() - 1, lower });
        }
        times.retain(|time| time.lower <= bar);
        let first = least(times, |time, words| open[time.block].refined(time.nth, words))?;
        let Open { entered, mut members, .. } = open.swap_remove(first.block);
        Some((entered.address, members.swap_remove(first.nth)))
    }
}

/// Replaces a NaN end by an infinite one: such an interval excludes nothing.
fn certain((lower, upper): (f64, f64)) -> (f64, f64) {
    let lower = if lower.is_nan() { f64::NEG_INFINITY } else { lower };
    let upper = if upper.is_nan() { f64::INFINITY } else { upper };
    (lower, upper)
}

/// The arrival time of a revealed candidate.
#[derive(Clone, Copy)]
struct Time {
    block: usize,
    nth: usize,
    lower: f64,
}

/// A block whose candidates are being revealed.
struct Open<'a, B: Blocks> {
    entered: Entered,
    bits: &'a Bits,
    own: Bits,
    quick: Quick,
    blocks: &'a B,
    size: OnceCell<BigUint>,
    /// The revealed candidates, in the order of their B.
    members: Vec<B::Member>,
    /// s of the next candidate.
    gaps: f64,
    /// The largest change of ln s by unknown bits.
    unknown: f64,
    /// A lower bound for the ln time of the next candidate; infinite if no candidate is left.
    lower: f64,
}

impl<'a, B: Blocks> Open<'a, B> {
    fn new(entered: Entered, own: &Bits, bits: &'a Bits, quick: Quick, blocks: &'a B) -> Self {
        let Address { lane, position } = entered.address;
        let (own, lower) = (own.branch(lane << 32 | position), entered.lower);
        let (size, members) = (OnceCell::new(), Vec::new());
        let (gaps, unknown) = gap(entered.word, |words| bits.prefix(entered.address, words));
        Self { entered, bits, own, quick, blocks, size, members, gaps, unknown, lower }
    }

    fn size(&self) -> &BigUint {
        self.size.get_or_init(|| self.blocks.size(self.entered.address))
    }

    /// Reveals the next candidate; returns the interval of its ln time.
    fn reveal(&mut self) -> (f64, f64) {
        let nth = self.members.len();
        let mut words = self.own.lane(DRAWS | nth as u64);
        let member = loop {
            let member = self.blocks.draw(self.entered.address, &mut words);
            if !self.members.contains(&member) {
                break member;
            }
        };
        let handicap = near_f64(&self.blocks.handicap(self.entered.address, &member));
        self.members.push(member);
        let time = self.interval(handicap);
        self.pass_on();
        time
    }

    /// The interval of the next ln arrival time, for this handicap.
    fn interval(&self, handicap: f64) -> (f64, f64) {
        let entrant = Handicapped { handicap, ..self.entered.entrant };
        let time = self.quick.law.ln_nth(self.gaps, entrant.ln_size);
        let roundings = self.quick.filter.unit * self.members.len() as f64;
        certain(self.quick.around(time, entrant, self.unknown + roundings))
    }

    /// Advances to the next arrival.
    fn pass_on(&mut self) {
        let nth = self.members.len() as u64;
        let ln_size = self.entered.entrant.ln_size;
        let mut factor = 1.0;
        // Larger blocks cannot be exhausted.
        if ln_size < LN_MANY
            && let Some(size) = self.size().to_u64()
        {
            if size <= nth {
                self.lower = f64::INFINITY;
                return;
            }
            factor = size as f64 / (size - nth) as f64;
        }
        let address = Address { lane: nth, position: 0 };
        let (v, unknown) = gap(self.own.word(nth, 0), |words| self.own.prefix(address, words));
        self.gaps += v * factor;
        self.unknown = self.unknown.max(unknown);
        self.lower = self.interval(self.entered.entrant.handicap).0;
    }

    /// Both ends of an arrival's ln time, given the first `words` words of all its bits.
    fn refined(&self, nth: usize, words: u64) -> super::leaders::Ends {
        let address = self.entered.address;
        let handicap = self.blocks.handicap(address, &self.members[nth]);
        let entrant = Entrant { size: self.size().clone(), handicap };
        let later = |lane| self.own.prefix(Address { lane, position: 0 }, words);
        let us: Vec<BigUint> = std::iter::once(self.bits.prefix(address, words))
            .chain((1..=nth as u64).map(later))
            .collect();
        exact_interval(self.quick.law, &us, 64 * words, &entrant)
    }
}

/// The first of the lanes of a block's own bits that draw its candidates.
const DRAWS: u64 = 1 << 62;

/// v, and the maximum error of its logarithm: from the first word, or, if that is too close to 0 or
/// 1, from as many words as needed (`prefix` returns U's bits).
fn gap(word: u64, prefix: impl Fn(u64) -> BigUint) -> (f64, f64) {
    let known = word.min(!word);
    if known >> 32 > 0 {
        return (exponential(word), 2.0 / known as f64);
    }
    let one = BigUint::from(1u32);
    let mut words = 1;
    loop {
        words += 1;
        let (bits, u) = (64 * words, prefix(words));
        let ln_v = |u: &BigUint| {
            let law = FirstArrival::Exponential;
            law.enclose_ln_time(std::slice::from_ref(u), bits, &one, bits + 32)
        };
        if let (Some(least), Some(most)) = (ln_v(&u), ln_v(&(&u + 1u32))) {
            // Both are at most a few hundred, so rounding changes them by less than 2^-40.
            let (low, high) = (least.low(), most.high());
            if high - low < 2f64.powi(-32) {
                return (libm::exp(low), high - low + 2f64.powi(-38));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::ratio;
    use crate::random::{Entropy, uniform_u64};
    use crate::support::goodness::assert_fits;
    use crate::support::oracle::permute_and_flip;

    /// Blocks of candidates with z in hundredths, far from equal.
    struct Listed(Vec<Vec<i64>>);

    impl Blocks for Listed {
        type Member = usize;

        fn size(&self, block: Address) -> BigUint {
            self.0[block.position as usize].len().into()
        }

        fn draw(&self, block: Address, words: &mut WordStream) -> usize {
            uniform_u64(words, self.0[block.position as usize].len() as u64) as usize
        }

        fn handicap(&self, block: Address, member: &usize) -> BigRational {
            ratio(self.0[block.position as usize][*member], 100)
        }
    }

    impl Listed {
        fn winner(&self, bits: &Bits, law: FirstArrival, filter: Filter) -> (usize, usize) {
            let mut race = BlockRace::new(bits, 1 << 62, law, filter, 1e-15);
            let mut words = bits.lane(0);
            for (position, z) in self.0.iter().enumerate() {
                let (least, most) = (z.iter().min().unwrap(), z.iter().max().unwrap());
                let entrant =
                    Handicapped { ln_size: (z.len() as f64).ln(), handicap: *least as f64 / 100.0 };
                let address = Address { lane: 0, position: position as u64 };
                let word = words.next_word();
                if !race.cannot_win(word, entrant) {
                    race.enter(address, word, entrant, *most as f64 / 100.0);
                }
            }
            let (block, member) = race.winner(self).unwrap();
            (block.position as usize, member)
        }
    }

    /// Every candidate wins as often as in a race without blocks, for any distances between the
    /// handicaps of a block, with and without refinement.
    #[test]
    fn blocks_race_as_their_candidates_would() {
        let blocks = Listed(vec![
            vec![0, 250, 40, 300, 40],
            vec![120],
            vec![500, 30],
            vec![200, 210, 190, 220, 205, 90, 400],
        ]);
        let z: Vec<f64> = blocks.0.iter().flatten().map(|&z| z as f64 / 100.0).collect();
        let weights: f64 = z.iter().map(|z| (-z).exp()).sum();
        let exponential: Vec<f64> = z.iter().map(|z| (-z).exp() / weights).collect();
        for (law, expected) in [
            (FirstArrival::Uniform, permute_and_flip(&z)),
            (FirstArrival::Exponential, exponential),
        ] {
            let mut counts = vec![0u64; z.len()];
            for seed in 0..200_000 {
                let bits = Entropy::Seeded(seed).source().unwrap().bits(0);
                let (block, member) = blocks.winner(&bits, law, Filter::default());
                if seed < 200 {
                    let refined = blocks.winner(&bits, law, Filter::weakened(1));
                    assert_eq!((block, member), refined);
                }
                let before: usize = blocks.0[..block].iter().map(Vec::len).sum();
                counts[before + member] += 1;
            }
            assert_fits(&counts, &expected);
        }
    }

    /// The interval of ln v is narrow and contains the true value for any first word and any
    /// further bits. So no word, not even 0 or the largest, makes a block reveal all its
    /// candidates.
    #[test]
    fn intervals_of_gaps_are_narrow() {
        let mut words = Entropy::Seeded(9).source().unwrap().bits(0).lane(0);
        for i in 0..600u32 {
            let first = match i % 6 {
                0 => 0,
                1 => u64::MAX,
                2 => words.next_word() >> (i % 64),
                3 => !(words.next_word() >> (i % 64)),
                4 => 1 << 32 | u64::from(i),
                _ => words.next_word(),
            };
            let rest = [0, u64::MAX, words.next_word(), 1][i as usize % 4];
            // U: the first word, the same word four more times, then 1.
            let prefix = |words: u64| {
                let push = |all: BigUint, word: u64| (all << 64u32) | BigUint::from(word);
                let of = |n: u64| match n {
                    0 => first,
                    1..5 => rest,
                    _ => 1,
                };
                (0..words).map(of).fold(BigUint::default(), push)
            };
            let (v, unknown) = gap(first, prefix);
            assert!(unknown < 1e-9, "{first:x}");
            let (u, law) = (prefix(8), FirstArrival::Exponential);
            let truth = law.enclose_ln_time(&[u], 512, &BigUint::from(1u32), 600).unwrap();
            // The margin of the filter is added.
            assert!(truth.distance_from(v.ln()) <= unknown + 2f64.powi(-49) * (1.0 + v.ln().abs()));
        }
    }

    /// The quick interval of a late arrival contains the refined one.
    #[test]
    fn later_arrivals_keep_their_intervals() {
        let blocks = Listed(vec![vec![150; 40]]);
        for seed in 0..20 {
            let bits = Entropy::Seeded(seed).source().unwrap().bits(0);
            let own = bits.branch(7);
            for law in [FirstArrival::Uniform, FirstArrival::Exponential] {
                let quick = Quick { law, filter: Filter::default(), ln_size_error: 1e-15 };
                let address = Address { lane: 0, position: 0 };
                let entrant = Handicapped { ln_size: 40f64.ln(), handicap: 1.5 };
                let word = bits.word(0, 0);
                let entered = Entered { address, word, entrant, lower: f64::NEG_INFINITY };
                let mut open = Open::new(entered, &own, &bits, quick, &blocks);
                for nth in 0..40 {
                    let (lower, upper) = open.reveal();
                    // 192 bits, with 32 guard bits.
                    let (lo, hi) = open.refined(nth, 3);
                    let scale = BigRational::from(num_bigint::BigInt::from(1) << 224);
                    let value =
                        |end: num_bigint::BigInt| near_f64(&(BigRational::from(end) / &scale));
                    assert!(lo.is_none_or(|lo| lower <= value(lo)), "{nth}");
                    assert!(hi.is_none_or(|hi| value(hi) <= upper), "{nth}");
                }
                assert!(open.lower.is_infinite(), "all have arrived");
            }
        }
    }
}
