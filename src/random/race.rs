//! Races: which of many weighted groups of candidates is chosen, exactly.
//!
//! An entrant is a group of `size` candidates, all with the same handicap z >= 0. Every candidate
//! arrives at time B e^z, where B is
//!
//! - uniform on (0, 1): the first candidate to arrive follows permute-and-flip, which is
//!   report-noisy-max with exponential noise;
//! - exponential with rate 1: the first follows the exponential mechanism, which is
//!   report-noisy-max with Gumbel noise: P(candidate) proportional to e^-z.
//!
//! Only each group's first arrival is needed (see `arrival`).
//!
//! **Exactness.** U is an infinite string of random bits. Its first 64 bits put ln T into an `f64`
//! interval that provably contains it; nearly always one interval lies below all others. If not,
//! the few that overlap get further bits of the same strings and intervals from integer
//! arithmetic, until one is alone in front. Equality has probability zero. So the winner is a
//! function of the infinite strings alone, and the quick intervals decide nothing but the speed.
//!
//! **The quick interval.** Let s = 1 + |ln v| + ln size + z. `arrival` computes its logarithm
//! within 2^-50 (s - z), z is given within 2^-50 z + 2^-60, and two sums are rounded; 2^-49 s
//! is used. To
//! it come the error of ln size, twice, and the unknown bits of U: moving U by 2^-64 moves ln v by
//! at most 2/min(w, 2^64 - 1 - w), w the first 64 bits, for v >= U and 1 - U >= 1/2 on the lower
//! half, v >= ln 2 on the upper; it moves ln(1 - e^(-v/size)) by no more than ln v.

use num_bigint::{BigInt, BigUint};
use num_rational::BigRational;

use super::arrival::FirstArrival;
use super::{Bits, WordStream};
use crate::exact::Enclosure;

/// Where an entrant's bits are: lane below 2^31, position below 2^32.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) lane: u64,
    pub(crate) position: u64,
}

/// Lanes from here on hold the bits after an entrant's first 64.
const REFINEMENT: u64 = 1 << 63;

impl Address {
    fn refinement_lane(self) -> u64 {
        REFINEMENT | self.lane << 32 | self.position
    }
}

/// An entrant, exactly.
pub(crate) struct Entrant {
    /// How many candidates it stands for; at least 1.
    pub(crate) size: BigUint,
    /// Their common z >= 0.
    pub(crate) handicap: BigRational,
}

/// An entrant as the quick comparison sees it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Handicapped {
    /// ln size, within the race's error.
    pub(crate) ln_size: f64,
    /// z, within 2^-50 z + 2^-60.
    pub(crate) handicap: f64,
}

/// How far the quick comparison is trusted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Filter {
    unit: f64,
}

impl Default for Filter {
    fn default() -> Self {
        Self { unit: 2f64.powi(-49) }
    }
}

impl Filter {
    /// Intervals as if arithmetic had only this many bits: forces refinement in tests.
    #[cfg(test)]
    pub(crate) fn weakened(bits: i32) -> Self {
        Self { unit: 2f64.powi(-bits) }
    }
}

/// An entrant that may still win.
#[derive(Clone, Copy)]
struct Runner {
    address: Address,
    lower: f64,
}

/// A race under way.
pub(crate) struct Race<'a> {
    bits: &'a Bits,
    law: FirstArrival,
    filter: Filter,
    ln_size_error: f64,
    words: WordStream,
    next: Address,
    /// The least upper end so far: whoever starts above it cannot win.
    bar: f64,
    runners: Vec<Runner>,
}

impl<'a> Race<'a> {
    /// An empty race; no `ln_size` will be further from the truth than `ln_size_error`.
    pub(crate) fn new(
        bits: &'a Bits,
        law: FirstArrival,
        filter: Filter,
        ln_size_error: f64,
    ) -> Self {
        let next = Address { lane: 0, position: 0 };
        let words = bits.lane(0);
        let bar = f64::INFINITY;
        Self { bits, law, filter, ln_size_error, words, next, bar, runners: Vec::new() }
    }

    /// The entrants that follow take their bits from the start of this lane.
    pub(crate) fn lane(&mut self, lane: u64) {
        self.words = self.bits.lane(lane);
        self.next = Address { lane, position: 0 };
    }

    /// Enters the next one of the lane.
    #[inline]
    pub(crate) fn enter(&mut self, entrant: Handicapped) {
        let word = self.words.next_word();
        let address = self.next;
        self.next.position += 1;
        if word != 0 && self.cannot_win(word, entrant) {
            return;
        }
        let (lower, upper) = self.interval(word, entrant);
        // Written so that an interval that failed to be a number stays in and is refined.
        if !(lower > self.bar) {
            self.runners.push(Runner { address, lower });
            if upper < self.bar {
                self.bar = upper;
                self.runners.retain(|runner| !(runner.lower > upper));
            }
        }
    }

    /// Settles nearly all entrants without a logarithm.
    ///
    /// T >= (U/size) e^z under both laws, since (1 - U)^(1/size) <= 1 - U/size and v >= U; and
    /// U >= 2^-(1 + leading zeros) unless the word is 0.
    #[inline]
    fn cannot_win(&self, word: u64, Handicapped { ln_size, handicap }: Handicapped) -> bool {
        let ln_u = -f64::from(word.leading_zeros() + 1) * std::f64::consts::LN_2;
        let margin = self.filter.unit * (46.0 + ln_size + handicap) + 2.0 * self.ln_size_error;
        ln_u - ln_size + handicap - margin > self.bar
    }

    /// An interval that contains ln T.
    fn interval(&self, word: u64, entrant: Handicapped) -> (f64, f64) {
        let known = word.min(!word);
        if known == 0 {
            return (f64::NEG_INFINITY, f64::INFINITY);
        }
        let (ln_arrival, ln_v) = self.law.ln_time(word, entrant.ln_size);
        let value = ln_arrival + entrant.handicap;
        let scale = 1.0 + ln_v.abs() + entrant.ln_size + entrant.handicap;
        let margin = self.filter.unit * scale + 2.0 * self.ln_size_error + 2.0 / known as f64;
        (value - margin, value + margin)
    }

    /// Who arrives first; `None` if nobody entered. `exact` gives an entrant by its address.
    pub(crate) fn winner(self, exact: impl Fn(Address) -> Entrant) -> Option<Address> {
        let mut addresses: Vec<Address> =
            self.runners.iter().map(|runner| runner.address).collect();
        let mut words = 2;
        while addresses.len() > 1 {
            addresses = self.refine(&addresses, &exact, words);
            words += 1;
        }
        addresses.pop()
    }

    /// Those that may still win when `words` words of each are known.
    fn refine(
        &self,
        addresses: &[Address],
        exact: &impl Fn(Address) -> Entrant,
        words: u64,
    ) -> Vec<Address> {
        let ends: Vec<_> = addresses
            .iter()
            .map(|&address| {
                let u = self.prefix(address, words);
                exact_interval(self.law, &u, 64 * words, &exact(address))
            })
            .collect();
        let bar = ends.iter().filter_map(|(_, upper)| upper.as_ref()).min();
        let may_win = |lower: &Option<BigInt>| match (lower, bar) {
            (Some(lower), Some(bar)) => lower <= bar,
            _ => true,
        };
        let pairs = addresses.iter().zip(&ends);
        pairs.filter(|(_, (lower, _))| may_win(lower)).map(|(&address, _)| address).collect()
    }

    /// The first `words` words of an entrant's bits as one integer.
    fn prefix(&self, address: Address, words: u64) -> BigUint {
        let first = BigUint::from(self.bits.word(address.lane, address.position));
        let mut more = self.bits.lane(address.refinement_lane());
        (1..words).fold(first, |prefix, _| (prefix << 64u32) | BigUint::from(more.next_word()))
    }
}

/// Both ends of ln T (times a power of two, the same for all) when U lies in [u, u + 1] / 2^bits;
/// `None` where it is unbounded.
fn exact_interval(
    law: FirstArrival,
    u: &BigUint,
    bits: u64,
    entrant: &Entrant,
) -> (Option<BigInt>, Option<BigInt>) {
    let precision = bits + 32;
    let handicap = Enclosure::rational(&entrant.handicap, precision);
    let at =
        |u: &BigUint| Some(law.enclose_ln_time(u, bits, &entrant.size, precision)?.add(&handicap));
    (at(u).map(|lower| lower.lo), at(&(u + 1u32)).map(|upper| upper.hi))
}

#[cfg(test)]
mod tests {
    use num_traits::{One, Zero};

    use super::*;
    use crate::exact::{binomial, ratio};
    use crate::random::Entropy;
    use crate::support::goodness::assert_fits;
    use num_traits::ToPrimitive;

    fn bits(seed: u64) -> Bits {
        Entropy::Seeded(seed).source().unwrap().bits(0)
    }

    const LAWS: [FirstArrival; 2] = [FirstArrival::Uniform, FirstArrival::Exponential];

    /// Every quick interval contains the refined one: no violation in 4,000, the ends included.
    #[test]
    fn quick_intervals_hold() {
        let bits = bits(1);
        let mut words = bits.lane(0);
        let sizes: Vec<BigUint> = [1u64, 2, 3, 50, 1 << 20, 1 << 57, 1 << 58, u64::MAX]
            .into_iter()
            .map(BigUint::from)
            .chain([binomial(22_283, 10), binomial(1_000_000, 100)])
            .collect();
        for (i, size) in sizes.iter().cycle().take(2_000).enumerate() {
            let word = match i % 5 {
                0 => words.next_word() >> (i % 64),
                1 => !(words.next_word() >> (i % 64)),
                _ => words.next_word(),
            };
            let handicap = ratio((words.next_word() >> 40) as i64, 1000);
            let ln_size = ln_big(size);
            for law in LAWS {
                let race = Race::new(&bits, law, Filter::default(), 1e-12 * ln_size);
                let entrant = Handicapped { ln_size, handicap: handicap.to_f64().unwrap() };
                let (lower, upper) = race.interval(word, entrant);
                // The word followed by zeros and by ones.
                let u = BigUint::from(word) << 128u32;
                let last = BigUint::from(word) << 128u32 | ((BigUint::one() << 128u32) - 1u32);
                let entrant = Entrant { size: size.clone(), handicap: handicap.clone() };
                let scale = BigRational::from(BigInt::one() << 224u32);
                if let (Some(lo), _) = exact_interval(law, &u, 192, &entrant) {
                    assert!(lower <= (BigRational::from(lo) / &scale).to_f64().unwrap());
                }
                if let (_, Some(hi)) = exact_interval(law, &last, 192, &entrant) {
                    assert!(upper >= (BigRational::from(hi) / &scale).to_f64().unwrap());
                }
            }
        }
    }

    /// The shortcut never rejects what the interval would keep.
    #[test]
    fn shortcut_is_conservative() {
        let bits = bits(2);
        let mut words = bits.lane(0);
        for law in LAWS {
            for _ in 0..20_000 {
                let word = (words.next_word() >> (words.next_word() % 64)).max(1);
                let ln_size = (words.next_word() % 1000) as f64 / 10.0;
                let handicap = (words.next_word() % 1000) as f64 / 7.0;
                let entrant = Handicapped { ln_size, handicap };
                let mut race = Race::new(&bits, law, Filter::default(), 1e-9);
                race.bar = race.interval(word, entrant).1;
                assert!(!race.cannot_win(word, entrant));
            }
        }
    }

    fn ln_big(size: &BigUint) -> f64 {
        let shift = size.bits().saturating_sub(60);
        (size >> shift).to_f64().unwrap().ln() + shift as f64 * std::f64::consts::LN_2
    }

    /// Three groups against the closed form of the exponential mechanism, quick and refined.
    #[test]
    fn exponential_arrivals_fit_the_exponential_mechanism() {
        let groups = [(1u32, ratio(0, 1)), (5, ratio(3, 2)), (40, ratio(7, 2))];
        let weights: Vec<f64> = groups
            .iter()
            .map(|(size, z)| f64::from(*size) * (-z.to_f64().unwrap()).exp())
            .collect();
        let total: f64 = weights.iter().sum();
        let law: Vec<f64> = weights.iter().map(|w| w / total).collect();
        let mut counts = [0u64; 3];
        for seed in 0..50_000 {
            let bits = bits(seed);
            let winner = |filter| {
                let mut race = Race::new(&bits, FirstArrival::Exponential, filter, 1e-15);
                for (size, z) in &groups {
                    let handicap = z.to_f64().unwrap();
                    race.enter(Handicapped { ln_size: f64::from(*size).ln(), handicap });
                }
                let winner = race.winner(|address| {
                    let (size, handicap) = groups[address.position as usize].clone();
                    Entrant { size: size.into(), handicap }
                });
                winner.unwrap().position as usize
            };
            let quick = winner(Filter::default());
            if seed < 5_000 {
                assert_eq!(quick, winner(Filter::weakened(1)));
            }
            counts[quick] += 1;
        }
        assert_fits(&counts, &law);
    }

    #[test]
    fn nobody_wins_an_empty_race() {
        let bits = bits(3);
        let race = Race::new(&bits, FirstArrival::Uniform, Filter::default(), 0.0);
        let nobody = |_| Entrant { size: BigUint::one(), handicap: BigRational::zero() };
        assert_eq!(race.winner(nobody), None);
    }
}
