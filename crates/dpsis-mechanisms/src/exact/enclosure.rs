//! Enclosures: fixed-point intervals that contain the true value, at any precision.
//!
//! They are the slow but certain path of every comparison; the fast path is an `f64` with an error
//! bound (see `random::race`). All operations round outward, so an enclosure can be too wide but
//! never wrong, and all shrink to a point as the number of bits grows.

use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

/// The interval [lo, hi] / 2^bits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Enclosure {
    pub(crate) lo: BigInt,
    pub(crate) hi: BigInt,
    bits: u64,
}

impl Enclosure {
    /// The tightest enclosure of a rational.
    pub(crate) fn rational(value: &BigRational, bits: u64) -> Self {
        Self::quotient(value.numer() << bits, value.denom(), bits)
    }

    /// [floor, ceil] of a quotient of integers with a positive divisor.
    fn quotient(dividend: BigInt, divisor: &BigInt, bits: u64) -> Self {
        let (floor, rest) = dividend.div_mod_floor(divisor);
        let ceil = if rest.is_zero() { floor.clone() } else { &floor + 1 };
        Self { lo: floor, hi: ceil, bits }
    }

    fn integer(value: i64, bits: u64) -> Self {
        let scaled = BigInt::from(value) << bits;
        Self { lo: scaled.clone(), hi: scaled, bits }
    }

    pub(crate) fn add(&self, other: &Self) -> Self {
        Self { lo: &self.lo + &other.lo, hi: &self.hi + &other.hi, bits: self.bits }
    }

    pub(crate) fn sub(&self, other: &Self) -> Self {
        self.add(&other.neg())
    }

    pub(crate) fn neg(&self) -> Self {
        Self { lo: -&self.hi, hi: -&self.lo, bits: self.bits }
    }

    /// Multiplies by a non-negative integer.
    pub(crate) fn times(&self, factor: u64) -> Self {
        self.scale(&factor.into())
    }

    /// Multiplies by a non-negative rational.
    pub(crate) fn times_rational(&self, factor: &BigRational) -> Self {
        self.scale(factor.numer()).divide(factor.denom())
    }

    /// Adds an integer.
    pub(crate) fn add_integer(&self, value: i64) -> Self {
        self.add(&Self::integer(value, self.bits))
    }

    /// Whether the whole interval is above 0.
    pub(crate) fn is_positive(&self) -> bool {
        self.lo.is_positive()
    }

    /// Whether the whole interval is below 0.
    pub(crate) fn is_negative(&self) -> bool {
        self.hi.is_negative()
    }

    fn scale(&self, factor: &BigInt) -> Self {
        let (a, b) = (&self.lo * factor, &self.hi * factor);
        let (lo, hi) = if factor.is_negative() { (b, a) } else { (a, b) };
        Self { lo, hi, bits: self.bits }
    }

    /// Divides by a positive integer.
    pub(crate) fn divide(&self, divisor: &BigInt) -> Self {
        let lo = self.lo.div_floor(divisor);
        let hi = -((-&self.hi).div_floor(divisor));
        Self { lo, hi, bits: self.bits }
    }

    /// The product of two enclosures of non-negative numbers.
    fn multiply(&self, other: &Self) -> Self {
        let lo = (&self.lo * &other.lo) >> self.bits;
        let hi = -((-(&self.hi * &other.hi)) >> self.bits);
        Self { lo, hi, bits: self.bits }
    }

    /// ln(n / 2^shift) for a positive integer n.
    ///
    /// n = 2^e f with f in [1, 2); ln f = 2 atanh((f - 1)/(f + 1)).
    pub(crate) fn ln_dyadic(n: &BigUint, shift: u64, bits: u64) -> Self {
        debug_assert!(!n.is_zero());
        let exponent = n.bits().saturating_sub(1);
        let n = BigInt::from(n.clone());
        let one = BigInt::one() << exponent;
        let u = Self::quotient((&n - &one) << bits, &(&n + &one), bits);
        let ln_mantissa = u.atanh().scale(&2.into());
        let power = BigInt::from(exponent) - BigInt::from(shift);
        if power.is_zero() {
            return ln_mantissa;
        }
        let third = Self::quotient(BigInt::one() << bits, &3.into(), bits);
        let ln_two = third.atanh().scale(&2.into());
        ln_mantissa.add(&ln_two.scale(&power))
    }

    /// ln of a positive enclosure; `None` if its lower end is not above 0.
    pub(crate) fn ln(&self) -> Option<Self> {
        if !self.lo.is_positive() {
            return None;
        }
        let lo = Self::ln_dyadic(self.lo.magnitude(), self.bits, self.bits).lo;
        let hi = Self::ln_dyadic(self.hi.magnitude(), self.bits, self.bits).hi;
        Some(Self { lo, hi, bits: self.bits })
    }

    /// atanh u = u + u^3/3 + u^5/5 + ... for 0 <= u <= 1/3.
    ///
    /// Once a term is below one unit, the sum of all following terms is less than 9/8 of it.
    fn atanh(&self) -> Self {
        let square = self.multiply(self);
        let mut power = self.clone();
        let mut sum = Self::integer(0, self.bits);
        let mut odd = BigInt::one();
        loop {
            let term = power.divide(&odd);
            sum = sum.add(&term);
            if term.hi <= BigInt::one() {
                break;
            }
            power = power.multiply(&square);
            odd += 2;
        }
        sum.hi += 2;
        sum
    }

    /// e^-y for y >= 0: y is halved until it is at most 1, and the result is squared as often.
    pub(crate) fn exp_neg(&self) -> Self {
        let one = BigInt::one() << self.bits;
        let mut y = self.clone();
        let mut halvings = 0;
        while y.hi > one {
            y = y.divide(&2.into());
            halvings += 1;
        }
        let mut power = Self::integer(1, self.bits).sub(&y.multiply(&y.one_minus_exp_ratio()));
        // y <= 1, so e^-y > 0 for any rounding of the lower end.
        power.lo = power.lo.max(BigInt::zero());
        for _ in 0..halvings {
            power = power.multiply(&power);
        }
        power
    }

    /// (1 - e^-y)/y = 1 - y/2! + y^2/3! - ... for 0 <= y <= 1; it lies in (0.63, 1].
    ///
    /// The terms alternate and decrease, so the first omitted term bounds the remainder.
    pub(crate) fn one_minus_exp_ratio(&self) -> Self {
        let mut sum = Self::integer(1, self.bits);
        let mut term = Self::integer(1, self.bits);
        let mut j = BigInt::from(2);
        let mut negative = true;
        loop {
            term = term.multiply(self).divide(&j);
            sum = if negative { sum.sub(&term) } else { sum.add(&term) };
            if term.hi <= BigInt::one() {
                break;
            }
            j += 1;
            negative = !negative;
        }
        sum.lo -= 1;
        sum.hi += 1;
        sum
    }

    /// The lower end as an approximate `f64`.
    pub(crate) fn low(&self) -> f64 {
        self.near(&self.lo)
    }

    /// The upper end as an approximate `f64`.
    pub(crate) fn high(&self) -> f64 {
        self.near(&self.hi)
    }

    fn near(&self, end: &BigInt) -> f64 {
        let unit = BigRational::from(BigInt::one() << self.bits);
        crate::exact::near_f64(&(BigRational::from(end.clone()) / unit))
    }

    /// Whether the whole interval is at most 1.
    pub(crate) fn at_most_one(&self) -> bool {
        self.hi <= BigInt::one() << self.bits
    }

    /// The middle, for tests.
    #[cfg(test)]
    pub(crate) fn midpoint(&self) -> f64 {
        let unit = BigRational::from(BigInt::one() << (self.bits + 1));
        crate::exact::near_f64(&(BigRational::from(&self.lo + &self.hi) / unit))
    }

    /// An upper bound of |value - truth| over the enclosure, for tests of `f64` error bounds.
    #[cfg(test)]
    pub(crate) fn distance_from(&self, value: f64) -> f64 {
        use num_traits::ToPrimitive;
        let scaled = BigRational::from_float(value)
            .map(|v| v * BigRational::from(BigInt::one() << self.bits))
            .unwrap_or_default();
        let lo = (&scaled - BigRational::from(self.lo.clone())).abs();
        let hi = (scaled - BigRational::from(self.hi.clone())).abs();
        let unit = BigRational::from(BigInt::one() << self.bits);
        (lo.max(hi) / unit).to_f64().unwrap_or(f64::INFINITY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::ratio;

    /// Digits from published tables (ln 2, ln 10, e^-1, e^-10), truncated after 40 places.
    const LN_2: &str = "0.6931471805599453094172321214581765680755";
    const LN_10: &str = "2.3025850929940456840179914546843642076011";
    const EXP_MINUS_1: &str = "0.3678794411714423215955237701614608674458";
    const EXP_MINUS_10: &str = "0.0000453999297624848515355915155605506102";

    /// [digits, digits + 1 unit of the last place] overlaps the narrow enclosure.
    fn agrees(enclosure: &Enclosure, digits: &str) {
        let low = crate::exact::parse_rational(digits).unwrap();
        let high = &low + BigRational::new(1.into(), BigInt::from(10).pow(40));
        let unit = BigRational::from(BigInt::one() << enclosure.bits);
        assert!(BigRational::from(enclosure.lo.clone()) / &unit <= high, "{digits}");
        assert!(BigRational::from(enclosure.hi.clone()) / &unit >= low, "{digits}");
        assert!(&enclosure.hi - &enclosure.lo < BigInt::from(1 << 16), "{digits}");
    }

    #[test]
    fn known_digits() {
        for bits in [96, 160, 512] {
            agrees(&Enclosure::ln_dyadic(&2u32.into(), 0, bits), LN_2);
            agrees(&Enclosure::ln_dyadic(&10u32.into(), 0, bits), LN_10);
            agrees(&Enclosure::integer(1, bits).exp_neg(), EXP_MINUS_1);
            agrees(&Enclosure::integer(10, bits).exp_neg(), EXP_MINUS_10);
        }
    }

    /// ln(a/32) + ln(b/32) + ln 32 = ln(a b/32) and e^-(a+b) = e^-a e^-b within the enclosures, at
    /// every precision.
    #[test]
    fn functional_equations() {
        for bits in [64, 128, 320] {
            for (a, b) in [(3u32, 7u32), (1, 1), (1_000_003, 2), (65_537, 4_294_967_291)] {
                let ln = |n: BigUint| Enclosure::ln_dyadic(&n, 5, bits);
                let both = ln(BigUint::from(a) * b);
                let sum = ln(a.into()).add(&ln(b.into())).add(&ln(1024u32.into()));
                assert!(sum.lo <= both.hi && both.lo <= sum.hi);
            }
            for (a, b) in [(1, 3), (5, 2), (40, 1)] {
                let x = Enclosure::rational(&ratio(a, 7), bits);
                let y = Enclosure::rational(&ratio(b, 7), bits);
                let product = x.exp_neg().multiply(&y.exp_neg());
                let joint = x.add(&y).exp_neg();
                assert!(product.lo <= joint.hi && joint.lo <= product.hi);
            }
        }
    }

    /// A finer enclosure lies inside a coarser one.
    #[test]
    fn enclosures_nest() {
        for n in [3u32, 1000, 123_456_789] {
            let coarse = Enclosure::ln_dyadic(&n.into(), 40, 64);
            let fine = Enclosure::ln_dyadic(&n.into(), 40, 256);
            assert!(&coarse.lo << 192 <= fine.lo && fine.hi <= &coarse.hi << 192);
        }
    }

    /// The same at precisions so small that every rounding and remainder counts.
    #[test]
    fn coarse_enclosures_hold() {
        for bits in 1..=24u64 {
            let holds = |coarse: &Enclosure, fine: &Enclosure, what: &str| {
                let shift = 128 - bits;
                let inside = &coarse.lo << shift <= fine.lo && fine.hi <= &coarse.hi << shift;
                assert!(inside, "{what} at {bits} bits");
            };
            for n in 1u32..=400 {
                let ln = |bits: u64| Enclosure::ln_dyadic(&n.into(), 8, bits);
                holds(&ln(bits), &ln(128), "ln");
                let y = |bits: u64| Enclosure::rational(&ratio(i64::from(n), 400), bits);
                // The argument itself is rounded outward, so both functions enclose that of the
                // finer one.
                holds(&y(bits).exp_neg(), &y(128).exp_neg(), "exp");
                let share = Enclosure::one_minus_exp_ratio;
                if y(bits).at_most_one() {
                    holds(&share(&y(bits)), &share(&y(128)), "(1 - exp)/y");
                }
            }
        }
    }

    #[test]
    fn signs_are_those_of_whole_intervals() {
        for (value, positive, negative) in [(1, true, false), (0, false, false), (-1, false, true)]
        {
            let point = Enclosure::integer(value, 8);
            assert_eq!((point.is_positive(), point.is_negative()), (positive, negative), "{value}");
        }
        let third = Enclosure::rational(&ratio(1, 3), 1);
        let around_zero = third.sub(&third);
        assert!(!around_zero.is_positive() && !around_zero.is_negative());
    }

    #[test]
    fn logarithm_of_an_interval_at_zero_is_refused() {
        assert_eq!(Enclosure::integer(0, 64).ln(), None);
    }
}
