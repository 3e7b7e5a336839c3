//! Exponential races: the exact choice among many weighted groups of candidates.
//!
//! An entrant is a group of `size` candidates, all with the same handicap z >= 0. Every candidate
//! arrives at time B e^z, where B is
//!
//! - uniform on (0, 1): the first arrival follows permute-and-flip, which is report-noisy-max with
//!   exponential noise;
//! - such that -ln B is standard Laplace noise: report-noisy-max with that noise (single candidates
//!   only);
//! - exponential with rate 1: the first arrival follows the exponential mechanism, which is
//!   report-noisy-max with Gumbel noise: P(candidate) proportional to e^-z.
//!
//! Only each group's first arrival is needed (see `arrival`).
//!
//! **Exactness.** U is an infinite string of random bits. Its first 64 bits give an `f64` interval
//! that provably contains ln T; `leaders` refines the intervals that overlap.
//!
//! **The quick interval.** Let s = 1 + |ln v| + ln size + z. `arrival` computes its logarithm
//! within 2^-50 (s - z), z is given within 2^-50 z + 2^-60, and two sums are rounded; 2^-49 s is
//! used. To this are added twice the error of ln size, and the effect of the unknown bits of U:
//! moving U by 2^-64 moves ln v by at most 2/min(w, 2^64 - 1 - w), where w is the first 64 bits,
//! since v >= U and 1 - U >= 1/2 on the lower half, v >= ln 2 on the upper; it moves ln(1 -
//! e^(-v/size)) by no more than ln v.

use num_bigint::BigUint;
use num_rational::BigRational;

use super::arrival::FirstArrival;
use super::leaders::{Ends, Leaders};
use super::{Address, Bits, WordStream};
use crate::exact::Enclosure;

/// An exact entrant.
pub struct Entrant {
    /// The number of candidates in the group; at least 1.
    pub size: BigUint,
    /// Their common z >= 0.
    pub handicap: BigRational,
}

/// An entrant in floating point, for the quick comparison.
#[derive(Debug, Clone, Copy)]
pub struct Handicapped {
    /// ln size, within the race's error.
    pub ln_size: f64,
    /// z, within 2^-50 z + 2^-60.
    pub handicap: f64,
}

/// The relative error assumed in the quick comparison.
#[derive(Debug, Clone, Copy)]
pub struct Filter {
    pub(super) unit: f64,
}

impl Default for Filter {
    fn default() -> Self {
        Self { unit: 2f64.powi(-49) }
    }
}

impl Filter {
    /// Intervals as if arithmetic had only this many bits, which forces refinement in tests.
    #[cfg(test)]
    pub(crate) fn weakened(bits: i32) -> Self {
        Self { unit: 2f64.powi(-bits) }
    }
}

/// Arrival times as `f64` intervals.
#[derive(Debug, Clone, Copy)]
pub(super) struct Quick {
    pub(super) law: FirstArrival,
    pub(super) filter: Filter,
    /// An error bound for every ln size.
    pub(super) ln_size_error: f64,
}

/// A race in progress.
pub struct Race<'a> {
    bits: &'a Bits,
    quick: Quick,
    words: WordStream,
    next: Address,
    leaders: Leaders,
}

impl<'a> Race<'a> {
    /// An empty race for one winner. The error of every `ln_size` must be at most `ln_size_error`.
    pub fn new(bits: &'a Bits, law: FirstArrival, filter: Filter, ln_size_error: f64) -> Self {
        let next = Address { lane: 0, position: 0 };
        let (words, leaders) = (bits.lane(0), Leaders::new(1));
        Self { bits, quick: Quick { law, filter, ln_size_error }, words, next, leaders }
    }

    /// An empty race for the first `count` arrivals, with single candidates as entrants.
    pub(crate) fn for_first(
        count: usize,
        bits: &'a Bits,
        law: FirstArrival,
        filter: Filter,
    ) -> Self {
        Self { leaders: Leaders::new(count), ..Self::new(bits, law, filter, 0.0) }
    }

    /// Makes the following entrants take their bits from the start of this lane.
    pub(crate) fn lane(&mut self, lane: u64) {
        self.words = self.bits.lane(lane);
        self.next = Address { lane, position: 0 };
    }

    /// Enters an entrant at the next position of the lane.
    #[inline(always)]
    pub fn enter(&mut self, entrant: Handicapped) {
        let word = self.words.next_word();
        let address = self.next;
        self.next.position += 1;
        self.enter_at(address, word, entrant);
    }

    /// Enters an entrant with the first word of its bits, for callers that alternate between lanes.
    #[inline(always)]
    pub(crate) fn enter_at(&mut self, address: Address, word: u64, entrant: Handicapped) {
        self.enter_at_within(address, word, entrant, self.quick.ln_size_error);
    }

    /// Like [`enter_at`](Self::enter_at), with an error of its own of ln size and handicap
    /// together.
    #[inline(always)]
    pub(crate) fn enter_at_within(
        &mut self,
        address: Address,
        word: u64,
        entrant: Handicapped,
        error: f64,
    ) {
        if !self.cannot_win_within(word, entrant, error) {
            self.enter_leader(address, word, entrant, error);
        }
    }

    /// Enters an entrant that may win: few do, so that this is kept out of the loops over entrants.
    #[cold]
    fn enter_leader(&mut self, address: Address, word: u64, entrant: Handicapped, error: f64) {
        let (lower, upper) = self.quick.within(error).interval(word, entrant);
        self.leaders.enter(address, lower, upper);
    }

    /// Whether some entrant so far is certainly faster. With an upper bound as size it identifies
    /// groups that need not be counted exactly. The error is that of ln size and handicap together.
    #[inline]
    pub(crate) fn cannot_win_within(&self, word: u64, entrant: Handicapped, error: f64) -> bool {
        self.quick.within(error).is_after(self.leaders.bar(), word, entrant)
    }

    /// The first arrival; `None` if there is no entrant. `exact` returns the entrant at an address.
    pub fn winner(self, exact: impl Fn(Address) -> Entrant) -> Option<Address> {
        self.order(exact).first().copied()
    }

    /// The first arrival by weights of at most 1, at exponential arrival times: entrants have size
    /// 1 and minus the logarithm of their weight as handicap, within the race's error. `ln_weight`
    /// encloses the logarithm at a precision; `None` if it is not determined there.
    pub(crate) fn winner_by_weight(
        self,
        ln_weight: impl Fn(Address, u64) -> Option<Enclosure>,
    ) -> Option<Address> {
        let Self { bits, quick, leaders, .. } = self;
        let order = leaders.in_order(|address, words| {
            let (u, length) = (bits.prefix(address, words), 64 * words);
            let precision = length + 32;
            let handicap = ln_weight(address, precision).map(|ln| ln.neg());
            let one = BigUint::from(1u32);
            interval_of(quick.law, &[u], length, (&one, handicap), precision)
        });
        order.first().copied()
    }

    /// The requested number of first arrivals, in order.
    pub(crate) fn order(self, exact: impl Fn(Address) -> Entrant) -> Vec<Address> {
        let Self { bits, quick, leaders, .. } = self;
        leaders.in_order(|address, words| {
            let u = bits.prefix(address, words);
            exact_interval(quick.law, &[u], 64 * words, &exact(address))
        })
    }
}

impl Quick {
    /// The same race with another error of ln size.
    #[inline]
    fn within(self, ln_size_error: f64) -> Self {
        Self { ln_size_error, ..self }
    }

    /// Whether ln T is above a bar. Decides nearly all entrants without a logarithm.
    ///
    /// T >= (U/size) e^z under all laws, since (1 - U)^(1/size) <= 1 - U/size, v >= U and, for
    /// Laplace noise, B >= min(2U, 1); and U >= 2^-(1 + leading zeros) unless the word is 0.
    #[inline]
    pub(super) fn is_after(
        &self,
        bar: f64,
        word: u64,
        Handicapped { ln_size, handicap }: Handicapped,
    ) -> bool {
        let ln_u = -f64::from(word.leading_zeros() + 1) * std::f64::consts::LN_2;
        let margin = self.filter.unit * (46.0 + ln_size + handicap) + 2.0 * self.ln_size_error;
        word != 0 && ln_u - ln_size + handicap - margin > bar
    }

    /// An interval that contains ln T.
    pub(super) fn interval(&self, word: u64, entrant: Handicapped) -> (f64, f64) {
        let known = word.min(!word);
        if known == 0 {
            return (f64::NEG_INFINITY, f64::INFINITY);
        }
        let time = self.law.ln_time(word, entrant.ln_size);
        self.around(time, entrant, 2.0 / known as f64)
    }

    /// The interval around the ln of an arrival time (given with ln v or ln s) with a handicap;
    /// `unknown` bounds the effect of the bits not yet known.
    pub(super) fn around(
        &self,
        (ln_arrival, ln_v): (f64, f64),
        entrant: Handicapped,
        unknown: f64,
    ) -> (f64, f64) {
        let value = ln_arrival + entrant.handicap;
        let scale = 1.0 + ln_v.abs() + entrant.ln_size + entrant.handicap;
        let margin = self.filter.unit * scale + 2.0 * self.ln_size_error + unknown;
        (value - margin, value + margin)
    }
}

/// Both ends of ln T (scaled by a common power of two) of the n-th arrival for n values U, each in
/// [u, u + 1] / 2^bits; `None` if unbounded.
pub(super) fn exact_interval(
    law: FirstArrival,
    us: &[BigUint],
    bits: u64,
    entrant: &Entrant,
) -> Ends {
    let precision = bits + 32;
    let handicap = Enclosure::rational(&entrant.handicap, precision);
    interval_of(law, us, bits, (&entrant.size, Some(handicap)), precision)
}

/// The same for a size and an enclosed handicap; unbounded where that is not determined.
fn interval_of(
    law: FirstArrival,
    us: &[BigUint],
    bits: u64,
    (size, handicap): (&BigUint, Option<Enclosure>),
    precision: u64,
) -> Ends {
    let Some(handicap) = handicap else { return (None, None) };
    let at = |us: &[BigUint]| Some(law.enclose_ln_time(us, bits, size, precision)?.add(&handicap));
    let next: Vec<BigUint> = us.iter().map(|u| u + 1u32).collect();
    (at(us).map(|lower| lower.lo), at(&next).map(|upper| upper.hi))
}

#[cfg(test)]
mod tests {
    use num_bigint::BigInt;
    use num_traits::{One, Zero};

    use super::*;
    use crate::exact::{binomial, ratio};
    use crate::random::Entropy;
    use crate::support::goodness::assert_fits;
    use num_traits::ToPrimitive;

    fn bits(seed: u64) -> Bits {
        Entropy::Seeded(seed).source().unwrap().bits(0)
    }

    const LAWS: [FirstArrival; 3] =
        [FirstArrival::Uniform, FirstArrival::Exponential, FirstArrival::Laplace];

    /// The interval of a first word contains the logarithms of all times that may begin with it,
    /// also at both ends of the range, where words are least precise: there -ln(1 - U) is about U,
    /// or -ln of the missing part.
    #[test]
    fn intervals_hold_all_times_of_a_word() {
        let (law, filter) = (FirstArrival::Exponential, Filter::default());
        let quick = Quick { law, filter, ln_size_error: 0.0 };
        let entrant = Handicapped { ln_size: 0.0, handicap: 0.0 };
        let whole = 64.0 * std::f64::consts::LN_2;
        for m in [1u32, 2, 3, 10, 1000] {
            let (m, word) = (f64::from(m), u64::from(m));
            for (word, ends) in [
                (word, [m.ln() - whole, (m + 1.0).ln() - whole]),
                (u64::MAX - word, [(whole - (m + 1.0).ln()).ln(), (whole - m.ln()).ln()]),
            ] {
                let (low, high) = quick.interval(word, entrant);
                assert!(low <= ends[0] && ends[1] <= high, "{word}: {low} {high} {ends:?}");
                assert!(high - low < 5.0, "{word}");
            }
        }
    }

    /// Every quick interval contains the refined one: no violation in 4,000 cases, including the
    /// end points.
    #[test]
    fn quick_intervals_hold() {
        let bits = bits(1);
        let mut words = bits.lane(0);
        let sizes: Vec<BigUint> = [1u64, 2, 3, 50, 1 << 20, 1 << 57, 1 << 58, u64::MAX]
            .into_iter()
            .map(BigUint::from)
            .chain([binomial(22_283, 10), binomial(1_000_000, 100)])
            .collect();
        for (i, size) in sizes.iter().cycle().take(4_000).enumerate() {
            let word = match i % 5 {
                0 => words.next_word() >> (i % 64),
                1 => !(words.next_word() >> (i % 64)),
                _ => words.next_word(),
            };
            let handicap = ratio((words.next_word() >> 40) as i64, 1000);
            let ln_size = ln_big(size);
            for law in LAWS {
                if law == FirstArrival::Laplace && !size.is_one() {
                    continue;
                }
                let race = Race::new(&bits, law, Filter::default(), 1e-12 * ln_size);
                let entrant = Handicapped { ln_size, handicap: handicap.to_f64().unwrap() };
                let (lower, upper) = race.quick.interval(word, entrant);
                // The word followed by zeros, and by ones.
                let u = BigUint::from(word) << 128u32;
                let last = BigUint::from(word) << 128u32 | ((BigUint::one() << 128u32) - 1u32);
                let entrant = Entrant { size: size.clone(), handicap: handicap.clone() };
                let scale = BigRational::from(BigInt::one() << 224u32);
                if let (Some(lo), _) = exact_interval(law, &[u], 192, &entrant) {
                    assert!(lower <= (BigRational::from(lo) / &scale).to_f64().unwrap());
                }
                if let (_, Some(hi)) = exact_interval(law, &[last], 192, &entrant) {
                    assert!(upper >= (BigRational::from(hi) / &scale).to_f64().unwrap());
                }
            }
        }
    }

    /// The shortcut never rejects an entrant that the interval would keep.
    #[test]
    fn shortcut_is_conservative() {
        let bits = bits(2);
        let mut words = bits.lane(0);
        for law in LAWS {
            for _ in 0..20_000 {
                let word = (words.next_word() >> (words.next_word() % 64)).max(1);
                let many = law != FirstArrival::Laplace;
                let ln_size = if many { (words.next_word() % 1000) as f64 / 10.0 } else { 0.0 };
                let handicap = (words.next_word() % 1000) as f64 / 7.0;
                let entrant = Handicapped { ln_size, handicap };
                let mut race = Race::new(&bits, law, Filter::default(), 1e-9);
                race.leaders.enter(
                    Address { lane: 0, position: 0 },
                    0.0,
                    race.quick.interval(word, entrant).1,
                );
                assert!(!race.cannot_win_within(word, entrant, 1e-9));
            }
        }
    }

    fn ln_big(size: &BigUint) -> f64 {
        let shift = size.bits().saturating_sub(60);
        (size >> shift).to_f64().unwrap().ln() + shift as f64 * std::f64::consts::LN_2
    }

    /// Three groups compared with the closed form of the exponential mechanism, quick and refined.
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
    fn empty_races_have_no_winner() {
        let bits = bits(3);
        let race = Race::new(&bits, FirstArrival::Uniform, Filter::default(), 0.0);
        let nobody = |_| Entrant { size: BigUint::one(), handicap: BigRational::zero() };
        assert_eq!(race.winner(nobody), None);
    }
}
