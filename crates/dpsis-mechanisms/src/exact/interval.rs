//! Intervals of `f64` that contain the true value, for quantities whose magnitude varies over
//! hundreds of orders.
//!
//! An [`Enclosure`](super::Enclosure) has an absolute precision; a delta of 1e-200 needs a relative
//! one. Sums, products, quotients and square roots of IEEE 754 are correctly rounded, so one step
//! outward to the adjacent number covers their error. The documented error of libm's functions is
//! below 1 ulp; [`FUNCTION`] steps cover that, and the power of two where the ulp changes. Where
//! the result of an operation is not a number, the interval is the whole line: too wide, never
//! wrong.

use std::ops::{Add, Div, Mul, Neg, Sub};

use num_rational::BigRational;
use num_traits::Zero;

use super::near_f64;

/// The steps outward after exp, expm1, ln and log1p, and after the conversion of a rational.
const FUNCTION: u32 = 4;

/// The steps outward after erfc, which has an exponential inside; its test compares with known
/// digits.
const ERROR_FUNCTION: u32 = 16;

/// The interval [lo, hi].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub lo: f64,
    /// The upper end.
    pub hi: f64,
}

impl Interval {
    /// The interval of one number.
    pub(crate) fn point(value: f64) -> Self {
        Self { lo: value, hi: value }.checked()
    }

    /// An interval that contains a rational.
    pub fn rational(value: &BigRational) -> Self {
        if value.is_zero() {
            return Self::point(0.0);
        }
        let near = near_f64(value);
        if BigRational::from_float(near).is_some_and(|near| near == *value) {
            return Self::point(near);
        }
        // The absolute error of `near_f64` for tiny numbers.
        let tiny = if near.abs() < 1e-290 { 1e-300 } else { 0.0 };
        Self { lo: near - tiny, hi: near + tiny }.widen(FUNCTION)
    }

    /// All numbers within a given distance of a number.
    pub(crate) fn around(value: f64, error: f64) -> Self {
        Self { lo: value - error, hi: value + error }.widen(1)
    }

    /// The whole line where an end is not a number.
    fn checked(self) -> Self {
        let none = self.lo.is_nan() || self.hi.is_nan();
        if none { Self { lo: f64::NEG_INFINITY, hi: f64::INFINITY } } else { self }
    }

    fn widen(self, steps: u32) -> Self {
        let (mut lo, mut hi) = (self.lo, self.hi);
        for _ in 0..steps {
            (lo, hi) = (lo.next_down(), hi.next_up());
        }
        Self { lo, hi }.checked()
    }

    /// The image under an increasing function with an error below the given number of steps.
    fn image(self, function: impl Fn(f64) -> f64, steps: u32) -> Self {
        Self { lo: function(self.lo), hi: function(self.hi) }.widen(steps)
    }

    /// The non-negative part, for a true value that is not negative.
    pub(crate) fn non_negative(self) -> Self {
        Self { lo: self.lo.max(0.0), hi: self.hi.max(0.0) }
    }

    pub(crate) fn exp(self) -> Self {
        self.image(libm::exp, FUNCTION).non_negative()
    }

    /// e^x - 1.
    pub(crate) fn exp_m1(self) -> Self {
        self.image(libm::expm1, FUNCTION)
    }

    /// ln of a positive number.
    pub(crate) fn ln(self) -> Self {
        self.image(libm::log, FUNCTION)
    }

    /// ln(1 + x) for x > -1.
    pub(crate) fn ln_1p(self) -> Self {
        self.image(libm::log1p, FUNCTION)
    }

    /// The square root of a non-negative number.
    pub(crate) fn sqrt(self) -> Self {
        self.non_negative().image(f64::sqrt, 1).non_negative()
    }

    /// The standard normal distribution function.
    pub(crate) fn normal_cdf(self) -> Self {
        // Phi(x) = erfc(-x/sqrt 2)/2, and erfc falls.
        let x = -self / Self::point(2.0).sqrt();
        let erfc = Self { lo: libm::erfc(x.hi), hi: libm::erfc(x.lo) }.widen(ERROR_FUNCTION);
        erfc.non_negative() * Self::point(0.5)
    }
}

impl Add for Interval {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { lo: self.lo + other.lo, hi: self.hi + other.hi }.widen(1)
    }
}

impl Neg for Interval {
    type Output = Self;

    fn neg(self) -> Self {
        Self { lo: -self.hi, hi: -self.lo }
    }
}

impl Sub for Interval {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Interval {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let products =
            [self.lo * other.lo, self.lo * other.hi, self.hi * other.lo, self.hi * other.hi];
        // `min` and `max` would ignore a NaN.
        if products.iter().any(|product| product.is_nan()) {
            return Self::point(f64::NAN);
        }
        let lo = products.into_iter().fold(f64::INFINITY, f64::min);
        let hi = products.into_iter().fold(f64::NEG_INFINITY, f64::max);
        Self { lo, hi }.widen(1)
    }
}

/// The quotient by a positive number; the whole line if the divisor may be 0.
impl Div for Interval {
    type Output = Self;

    fn div(self, other: Self) -> Self {
        if !(other.lo > 0.0) {
            return Self::point(f64::NAN);
        }
        self * Self { lo: 1.0 / other.hi, hi: 1.0 / other.lo }.widen(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::{Enclosure, ratio};
    use num_bigint::BigInt;
    use num_traits::One;
    use proptest::prelude::*;

    /// Whether an interval contains a rational, compared exactly.
    fn holds(interval: Interval, value: &BigRational) -> bool {
        let end = |x| BigRational::from_float(x).unwrap();
        end(interval.lo) <= *value && *value <= end(interval.hi)
    }

    /// Whether an interval contains an enclosure of 256 bits.
    fn contains(interval: Interval, truth: &Enclosure) -> bool {
        let unit = BigRational::from(BigInt::one() << 256);
        let end = |end: &BigInt| BigRational::from(end.clone()) / &unit;
        holds(interval, &end(&truth.lo)) && holds(interval, &end(&truth.hi))
    }

    /// Down to magnitudes at which an f64 has few digits or is 0.
    #[test]
    fn tiny_rationals_are_contained() {
        for exponent in [0, 200, 289, 290, 291, 300, 307, 308, 310, 320, 324, 330, 400] {
            let value = BigRational::new(7.into(), BigInt::from(10).pow(exponent));
            assert!(holds(Interval::rational(&value), &value), "1e-{exponent}");
            assert!(holds(Interval::rational(&-&value), &-value), "-1e-{exponent}");
        }
    }

    proptest! {
        #[test]
        fn arithmetic_contains_the_truth(
            a in -1_000_000i64..1_000_000, b in 1i64..1_000_000, c in 1i64..1_000_000, d in 1i64..1_000_000,
        ) {
            let (p, q) = (ratio(a, b), ratio(c, d));
            let (x, y) = (Interval::rational(&p), Interval::rational(&q));
            prop_assert!(holds(x + y, &(&p + &q)) && holds(x - y, &(&p - &q)));
            prop_assert!(holds(x * y, &(&p * &q)) && holds(x / y, &(&p / &q)));
            let root = y.sqrt();
            prop_assert!(holds(root * root, &q));
        }

        /// Compared with enclosures of 256 bits.
        #[test]
        fn functions_contain_the_truth(a in 1i64..60_000_000, b in 1i64..1_000_000) {
            let p = ratio(a, b);
            let x = Interval::rational(&p);
            let exact = Enclosure::rational(&p, 256);
            if p < ratio(100, 1) {
                let power = exact.exp_neg();
                prop_assert!(contains((-x).exp(), &power));
                prop_assert!(contains((-x).exp_m1(), &power.add_integer(-1)));
            }
            prop_assert!(contains(x.ln(), &exact.ln().unwrap()));
            prop_assert!(contains(x.ln_1p(), &exact.add_integer(1).ln().unwrap()));
        }
    }

    /// Digits by mpmath 1.4 at 50 places: `mpmath.ncdf(x)`.
    #[test]
    fn normal_probabilities() {
        for (x, digits) in NORMAL {
            let truth = crate::exact::parse_rational(digits).unwrap();
            let interval = Interval::point(x).normal_cdf();
            assert!(holds(interval, &truth), "{x}");
            // The rounding of x counts x^2 times.
            assert!(interval.hi - interval.lo <= 2e-14 * (1.0 + x * x) * interval.hi, "{x}");
        }
    }

    #[test]
    fn undefined_results_are_the_whole_line() {
        let line = Interval { lo: f64::NEG_INFINITY, hi: f64::INFINITY };
        assert_eq!(Interval::point(1.0) / Interval::point(0.0), line);
        assert_eq!(Interval::point(0.0) * line, line);
        assert_eq!(Interval::point(-1.0).ln(), line);
        assert_eq!(Interval::point(f64::NAN), line);
    }

    const NORMAL: [(f64, &str); 22] = [
        (-37.0, "5.7255712225245768226831925482732e-300"),
        (-30.5, "1.3029379131780763509227548786269e-204"),
        (-20.25, "1.7761998649495700308710397449354e-91"),
        (-10.125, "2.1398936737196289872073216003175e-24"),
        (-6.0, "9.8658764503769814070086413239804e-10"),
        (-3.7, "1.0779973347738826148133554935882e-4"),
        (-2.5, "6.2096653257761351669781045741922e-3"),
        (-1.75, "4.0059156863817090418757349885642e-2"),
        (-1.2, "1.1506967022170827664581337909622e-1"),
        (-1.0, "1.5865525393145705141476745436796e-1"),
        (-0.9, "1.8406012534675948264591838186671e-1"),
        (-0.5, "3.0853753872598689636229538939166e-1"),
        (-0.1, "4.6017216272297101633106609229787e-1"),
        (-0.001, "4.9960105778608893740710502723553e-1"),
        (0.0, "5.0e-1"),
        (0.3, "6.1791142218895263307227362276378e-1"),
        (0.84375, "8.005954395286272320423646469708e-1"),
        (1.1, "8.6433393905361734417610319447392e-1"),
        (1.5, "9.3319279873114193399550595902011e-1"),
        (2.9, "9.9813418669961596152099863135394e-1"),
        (4.0, "9.9996832875816688007874622924328e-1"),
        (6.5, "9.9999999995983999416140882191654e-1"),
    ];
}
