//! Prior probabilities of sets that hold some candidates, miss others and leave the rest free, as
//! logarithms in floating point and enclosed.

use num_bigint::BigUint;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive};

use crate::exact::{Enclosure, near_f64, ratio};
use crate::mechanism::threshold_set::Fwer;
use crate::random::{Handicapped, WordStream, geometric, uniform_subset, uniform_u64};

/// The law of a set before scores are looked at; all sets of one size have the same probability.
#[derive(Debug, Clone)]
pub(super) enum Prior {
    /// Every candidate independently, with probability q = 1 - e^-lambda, lambda = alpha/d: at most
    /// alpha/d.
    Independent { d: usize, lambda: BigRational },
    /// Every candidate with probability q, which is drawn from Beta(1, b), b the least integer of
    /// at least d/alpha.
    Beta { d: usize, b: u64 },
}

/// Sets that hold `held` given candidates and miss `missed` others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fixed {
    pub(super) held: usize,
    pub(super) missed: usize,
}

/// A logarithm, with the sum of the magnitudes that it was computed from.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Ln {
    pub(super) value: f64,
    pub(super) scale: f64,
}

impl Ln {
    pub(super) fn of(value: f64) -> Self {
        Self { value, scale: value.abs() }
    }

    pub(super) fn add(self, other: Self) -> Self {
        Self { value: self.value + other.value, scale: self.scale + other.scale }
    }

    pub(super) fn neg(self) -> Self {
        Self { value: -self.value, ..self }
    }

    /// An entrant of this weight, which is at most 1 up to rounding.
    pub(super) fn entrant(self) -> Handicapped {
        Handicapped { ln_size: 0.0, handicap: (-self.value).max(0.0) }
    }

    /// A bound of the error of the logarithm.
    pub(super) fn error(self) -> f64 {
        2f64.powi(-46) * (1.0 + self.scale)
    }
}

impl Prior {
    pub(super) fn new(d: usize, alpha: &BigRational, bounded: Fwer) -> Self {
        let of_d = ratio(d as i64, 1);
        match bounded {
            Fwer::Any => Self::Independent { d, lambda: alpha / of_d },
            Fwer::Share => {
                // At most 2^31 times a million.
                let b = (of_d / alpha).ceil().to_integer().to_u64().unwrap_or(u64::MAX >> 8);
                Self::Beta { d, b }
            }
        }
    }

    /// ln of the probability of all sets that hold and miss these.
    pub(super) fn ln_mass(&self, Fixed { held, missed }: Fixed) -> Ln {
        match self {
            Self::Independent { lambda, .. } => {
                let lambda = near_f64(lambda);
                let name = Ln::of(libm::log(-libm::expm1(-lambda)) * held as f64);
                name.add(Ln::of(-lambda * missed as f64))
            }
            // E[q^held (1 - q)^missed] = b held! / (product of b + missed + i, i = 0..held)
            Self::Beta { b, .. } => {
                let up = Ln::of(libm::log(*b as f64)).add(ln_rising(1, held));
                up.add(ln_rising(b + missed as u64, held + 1).neg())
            }
        }
    }

    /// The same, enclosed; `None` if this is not yet determined.
    pub(super) fn enclose_ln_mass(
        &self,
        Fixed { held, missed }: Fixed,
        bits: u64,
    ) -> Option<Enclosure> {
        Some(match self {
            Self::Independent { lambda, .. } => {
                let name = ln_one_minus_exp(lambda, bits)?.times(held as u64);
                let missed = lambda * ratio(missed as i64, 1);
                name.sub(&Enclosure::rational(&missed, bits))
            }
            Self::Beta { b, .. } => {
                let up = enclose_ln(*b, bits).add(&enclose_ln_rising(1, held, bits));
                up.sub(&enclose_ln_rising(b + missed as u64, held + 1, bits))
            }
        })
    }

    /// ln of the probability of all sets of these that hold `more` of the free candidates.
    pub(super) fn ln_mass_of_size(&self, fixed: Fixed, more: usize) -> Ln {
        let (d, free) = (self.d(), self.free(fixed));
        let held = fixed.held + more;
        let one = self.ln_mass(Fixed { held, missed: d - held });
        let (from, count) = choose_of(free, more);
        one.add(ln_rising(from, count)).add(ln_rising(1, count).neg())
    }

    /// The same, enclosed.
    pub(super) fn enclose_ln_mass_of_size(
        &self,
        fixed: Fixed,
        more: usize,
        bits: u64,
    ) -> Option<Enclosure> {
        let (d, free) = (self.d(), self.free(fixed));
        let held = fixed.held + more;
        let one = self.enclose_ln_mass(Fixed { held, missed: d - held }, bits)?;
        let (from, count) = choose_of(free, more);
        let sets = enclose_ln_rising(from, count, bits).sub(&enclose_ln_rising(1, count, bits));
        Some(one.add(&sets))
    }

    fn d(&self) -> usize {
        match self {
            Self::Independent { d, .. } | Self::Beta { d, .. } => *d,
        }
    }

    /// The number of candidates that are neither held nor missed.
    pub(super) fn free(&self, Fixed { held, missed }: Fixed) -> usize {
        self.d() - held - missed
    }

    /// The most candidates among which the probability of a set that misses all of them is at most
    /// e^2 times less than that of one that does not; `None` for any number.
    pub(super) fn alike(&self, Fixed { held, .. }: Fixed) -> Option<usize> {
        match self {
            // At most e^(alpha) <= e^(1/2) for all of them.
            Self::Independent { .. } => None,
            // ((b + missed + n)/(b + missed))^(held + 1) <= e^(n (held + 1)/b)
            Self::Beta { b, d } => {
                let most = 2 * b / (held as u64 + 1);
                (most < *d as u64).then_some(most.max(1) as usize)
            }
        }
    }

    /// Draws the free candidates that a set with these also holds, by their numbers, ascending.
    pub(super) fn draw(&self, fixed: Fixed, words: &mut WordStream) -> Vec<u64> {
        let free = self.free(fixed) as u64;
        match self {
            // The distance to the next one is geometric: it is l or more with probability
            // e^(-lambda l).
            Self::Independent { lambda, .. } => {
                let (mut drawn, mut next) = (Vec::new(), 0);
                loop {
                    let skipped = geometric(words, lambda).to_u64().unwrap_or(u64::MAX);
                    next = skipped.saturating_add(next);
                    if next >= free {
                        return drawn;
                    }
                    drawn.push(next);
                    next += 1;
                }
            }
            // q is Beta(1 + held, b + missed): the (1 + held)-th smallest of b + missed + held
            // uniform numbers. With the free candidates as further ones, it comes down to how many
            // of these come before it in a random order of all.
            Self::Beta { b, .. } => {
                let mut marks = b + (fixed.missed + fixed.held) as u64;
                let (mut left, mut seen, mut count) = (free, 0, 0);
                while seen <= fixed.held {
                    if uniform_u64(words, left + marks) < left {
                        left -= 1;
                        count += 1;
                    } else {
                        marks -= 1;
                        seen += 1;
                    }
                }
                subset(words, free, count)
            }
        }
    }
}

/// A uniform subset of 0..n, ascending.
pub(super) fn subset(words: &mut WordStream, n: u64, size: u64) -> Vec<u64> {
    let mut drawn: Vec<u64> = uniform_subset(words, n, size).into_iter().collect();
    drawn.sort_unstable();
    drawn
}

/// C(n, r) = (from (from + 1) ... (from + count - 1))/count!, for the smaller of r and n - r.
fn choose_of(n: usize, r: usize) -> (u64, usize) {
    let count = r.min(n - r);
    ((n - count) as u64 + 1, count)
}

/// The sum of ln(from + i) for i below `count`; the error is at most 2^-48 times the scale.
///
/// Above 64 by the difference of two Stirling series, of ln Gamma(y) - ln Gamma(x) with y = x +
/// count: (x - 1/2) log1p(count/x) + count ln y - count, and the corrections 1/12x - 1/360x^3 +
/// 1/1260x^5, whose next term is below 1/(1680 64^7).
fn ln_rising(from: u64, count: usize) -> Ln {
    /// Fewer factors, and factors below, are added one by one.
    const FEW: u64 = 64;
    let sum = |from: u64, count: u64| {
        Ln::of((from..from + count).map(|factor| libm::log(factor as f64)).sum())
    };
    let count = count as u64;
    if count <= FEW {
        return sum(from, count);
    }
    let small = FEW.saturating_sub(from).min(count);
    let (x, n) = ((from + small) as f64, (count - small) as f64);
    let y = x + n;
    let correction = |x: f64| {
        let square = 1.0 / (x * x);
        (1.0 / 12.0 - square * (1.0 / 360.0 - square / 1260.0)) / x
    };
    let parts = [(x - 0.5) * libm::log1p(n / x), n * libm::log(y), -n];
    let value = parts.iter().sum::<f64>() + (correction(y) - correction(x));
    let scale = parts.iter().map(|part| part.abs()).sum();
    sum(from, small).add(Ln { value, scale })
}

fn enclose_ln(n: u64, bits: u64) -> Enclosure {
    Enclosure::ln_dyadic(&BigUint::from(n), 0, bits)
}

fn enclose_ln_rising(from: u64, count: usize, bits: u64) -> Enclosure {
    // The logarithm of a product takes as long as one of its factors, up to a size.
    const TOGETHER: usize = 64;
    let mut sum = Enclosure::ln_dyadic(&BigUint::one(), 0, bits);
    let factors: Vec<u64> = (from..from + count as u64).collect();
    for some in factors.chunks(TOGETHER) {
        let product = some.iter().fold(BigUint::one(), |product, factor| product * factor);
        sum = sum.add(&Enclosure::ln_dyadic(&product, 0, bits));
    }
    sum
}

/// ln(1 - e^-y) for y > 0, enclosed; `None` if this is not yet determined.
pub(super) fn ln_one_minus_exp(y: &BigRational, bits: u64) -> Option<Enclosure> {
    let enclosed = Enclosure::rational(y, bits);
    if enclosed.at_most_one() {
        return Some(enclosed.ln()?.add(&enclosed.one_minus_exp_ratio().ln()?));
    }
    enclosed.exp_neg().neg().add_integer(1).ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Entropy;
    use crate::support::goodness::assert_fits;

    fn priors(d: usize) -> [Prior; 4] {
        let of = |alpha, bounded| Prior::new(d, &alpha, bounded);
        [
            of(ratio(1, 20), Fwer::Any),
            of(ratio(1, 2), Fwer::Any),
            of(ratio(1, 20), Fwer::Share),
            of(ratio(3, 7), Fwer::Share),
        ]
    }

    /// Logarithms in floating point are within their error bounds of the enclosed ones.
    #[test]
    fn logarithms_are_as_exact_as_given() {
        for d in [1, 5, 300, 20_000] {
            for prior in priors(d) {
                for (held, missed) in
                    [(0, 0), (1, 0), (0, d), (d / 3, d / 2), (d, 0), (2, d.saturating_sub(2))]
                {
                    if held + missed > d || missed > d {
                        continue;
                    }
                    let fixed = Fixed { held, missed };
                    let free = prior.free(fixed);
                    let near = prior.ln_mass(fixed);
                    let exact = prior.enclose_ln_mass(fixed, 160).unwrap();
                    let bound = 2f64.powi(-47) * (1.0 + near.scale);
                    assert!(exact.distance_from(near.value) <= bound, "{prior:?} {fixed:?}");
                    for more in [0, 1, free / 2, free] {
                        if more > free {
                            continue;
                        }
                        let near = prior.ln_mass_of_size(fixed, more);
                        let exact = prior.enclose_ln_mass_of_size(fixed, more, 160).unwrap();
                        let bound = 2f64.powi(-47) * (1.0 + near.scale);
                        assert!(
                            exact.distance_from(near.value) <= bound,
                            "{prior:?} {fixed:?} {more}"
                        );
                    }
                }
            }
        }
    }

    /// The masses of all sizes add up to that of all sets, and sets are drawn by them.
    #[test]
    fn free_candidates_are_drawn_from_the_prior() {
        let d = 9;
        let mut words = Entropy::Seeded(3).source().unwrap().bits(0).lane(0);
        for prior in priors(d) {
            for (held, missed) in [(0, 0), (2, 3), (5, 0), (0, 8), (4, 5)] {
                let fixed = Fixed { held, missed };
                let free = prior.free(fixed);
                let all = prior.ln_mass(fixed).value;
                let sizes: Vec<f64> = (0..=free)
                    .map(|more| (prior.ln_mass_of_size(fixed, more).value - all).exp())
                    .collect();
                assert!((sizes.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{prior:?} {fixed:?}");
                let mut counts = vec![0u64; free + 1];
                let mut firsts = vec![0u64; free];
                for _ in 0..20_000 {
                    let drawn = prior.draw(fixed, &mut words);
                    assert!(drawn.is_sorted() && drawn.iter().all(|i| *i < free as u64));
                    counts[drawn.len()] += 1;
                    if let [one] = drawn[..] {
                        firsts[one as usize] += 1;
                    }
                }
                if free > 0 {
                    assert_fits(&counts, &sizes);
                    if firsts.iter().sum::<u64>() > 1000 {
                        assert_fits(&firsts, &vec![1.0 / free as f64; free]);
                    }
                }
            }
        }
    }
}
