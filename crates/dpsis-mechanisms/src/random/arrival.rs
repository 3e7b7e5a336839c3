//! Arrival times of the first of many candidates, at the cost of one logarithm and one exponential.
//!
//! With U uniform and v = -ln(1 - U), the first of `size` candidates arrives at
//!
//! ```text
//!   ln B = ln v - ln size                   if arrival times are exponential with rate 1
//!   ln B = ln(1 - e^(-v/size))              if arrival times are uniform on (0, 1)
//! ```
//!
//! or, for a single candidate, ln B = -(Laplace noise). The second formula holds because the
//! minimum of `size` exponentials is exponential with rate `size`, and 1 - (1 - U)^(1/size) is
//! distributed as the minimum of `size` uniforms. Its negative, -ln B, is the noise of a class in
//! the canonical Lipschitz mechanism: written with ln(1 - U) and expm1 ("log1p noise") it keeps
//! full precision where -ln(1 - U^(1/size)) becomes infinite.
//!
//! The gaps between the exponential arrival times of `size` candidates are independent, and the gap
//! before the i-th arrival is exponential with rate size - i + 1. So the j-th arrival time is given
//! by the same formulas with
//!
//! ```text
//!   s = sum over i = 1, ..., j of v_i size/(size - i + 1)      in place of v.
//! ```

use num_bigint::{BigInt, BigUint};
use num_rational::BigRational;
use num_traits::{One, Zero};

use crate::exact::Enclosure;

/// The resolution of the first word of U, 2^-64.
const UNIT: f64 = 1.0 / (1u128 << 64) as f64;

/// The distribution of B for a single candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FirstArrival {
    /// Uniform on (0, 1): permute-and-flip.
    Uniform,
    /// Exponential with rate 1: the exponential mechanism.
    Exponential,
    /// Report-noisy-max with Laplace noise: -ln B is a standard Laplace variable, whose sign is the
    /// first bit. For single candidates only.
    Laplace,
}

impl FirstArrival {
    /// ln of the first arrival time without its handicap, and ln v, from the first word of U.
    #[inline]
    pub(crate) fn ln_time(self, word: u64, ln_size: f64) -> (f64, f64) {
        if self == Self::Laplace {
            let upper = word >> 63 == 1;
            let tail = if upper { word.wrapping_neg() } else { word };
            let magnitude = libm::log(tail as f64 * (2.0 * UNIT));
            return (if upper { -magnitude } else { magnitude }, magnitude);
        }
        self.ln_nth(exponential(word), ln_size)
    }

    /// ln of an arrival time without its handicap, and ln s, from s. Not for Laplace noise.
    #[inline]
    pub(crate) fn ln_nth(self, s: f64, ln_size: f64) -> (f64, f64) {
        let ln_s = libm::log(s);
        // For more than e^40 candidates, ln(1 - e^-y) and ln y differ by less than
        // y/2 < 45 e^-40 / 2 < 2^-53.
        let ln_arrival = if self == FirstArrival::Exponential || ln_size > 40.0 {
            ln_s - ln_size
        } else {
            libm::log(-libm::expm1(-(s * libm::exp(-ln_size))))
        };
        (ln_arrival, ln_s)
    }

    /// ln of the arrival time of the n-th candidate without its handicap, for n values U = u /
    /// 2^bits in `us`; `None` if it is infinite or not yet determined.
    pub(crate) fn enclose_ln_time(
        self,
        us: &[BigUint],
        bits: u64,
        size: &BigUint,
        precision: u64,
    ) -> Option<Enclosure> {
        if let ([u], true) = (us, self == Self::Laplace) {
            // The quantile function: ln 2U below one half, -ln 2(1 - U) above.
            let one = BigUint::one() << bits;
            let upper = u.bit(bits - 1);
            let tail = if upper { &one - u } else { u.clone() };
            if tail.is_zero() || *u >= one {
                return None;
            }
            let magnitude = Enclosure::ln_dyadic(&tail, bits - 1, precision);
            return Some(if upper { magnitude.neg() } else { magnitude });
        }
        if us.iter().all(Zero::is_zero) {
            return None;
        }
        if let ([u], true) = (us, self == Self::Uniform && size.is_one()) {
            return Some(Enclosure::ln_dyadic(u, bits, precision));
        }
        let Some(s) = sum_of_gaps(us, bits, size, precision) else {
            // With U = 1 the uniform arrival time is 1, the exponential one infinite.
            let uniform = self == Self::Uniform;
            return uniform.then(|| Enclosure::rational(&BigRational::zero(), precision));
        };
        let ln_y = || Some(s.ln()?.sub(&Enclosure::ln_dyadic(size, 0, precision)));
        if self == Self::Exponential {
            return ln_y();
        }
        let y = s.divide(&BigInt::from(size.clone()));
        if y.at_most_one() {
            Some(ln_y()?.add(&y.one_minus_exp_ratio().ln()?))
        } else {
            Enclosure::rational(&BigRational::one(), precision).sub(&y.exp_neg()).ln()
        }
    }
}

/// v from the first word of U.
#[inline]
pub(crate) fn exponential(word: u64) -> f64 {
    if word >> 63 == 0 {
        -libm::log1p(-(word as f64 * UNIT))
    } else {
        -libm::log(word.wrapping_neg() as f64 * UNIT)
    }
}

/// s from the values U = u / 2^bits, at most `size` of them; `None` if one of them is 1.
fn sum_of_gaps(us: &[BigUint], bits: u64, size: &BigUint, precision: u64) -> Option<Enclosure> {
    let one = BigUint::one() << bits;
    let whole = BigRational::from_integer(size.clone().into());
    let mut left = size.clone();
    let mut sum = Enclosure::rational(&BigRational::zero(), precision);
    for u in us {
        let rest = &one - u;
        if rest.is_zero() {
            return None;
        }
        let v = Enclosure::ln_dyadic(&rest, bits, precision).neg();
        sum = sum.add(&v.times_rational(&(&whole / BigInt::from(left.clone()))));
        left -= 1u32;
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The quantile of Laplace noise, ln 2U or -ln 2(1 - U), of every U of eight bits; not at 0,
    /// nor from 1 on.
    #[test]
    fn laplace_times_are_quantiles() {
        let at =
            |u: u32| FirstArrival::Laplace.enclose_ln_time(&[u.into()], 8, &BigUint::one(), 96);
        for u in 1..256u32 {
            let share = f64::from(u) / 256.0;
            let expected = if u < 128 { (2.0 * share).ln() } else { -(2.0 * (1.0 - share)).ln() };
            assert!(at(u).unwrap().distance_from(expected) < 1e-14, "{u}");
        }
        assert!([0, 256, 257].into_iter().all(|u| at(u).is_none()));
    }

    /// E[-ln(1 - U^(1/m))] = 1 + 1/2 + ... + 1/m, checked by the midpoint rule over 2^20 words.
    #[test]
    fn the_noise_of_a_class_has_a_harmonic_mean() {
        for m in [1u32, 2, 10, 1000] {
            let harmonic: f64 = (1..=m).map(|i| 1.0 / f64::from(i)).sum();
            let steps = 1u64 << 20;
            let noise = |i: u64| {
                let word = (2 * i + 1) << (63 - 20);
                -FirstArrival::Uniform.ln_time(word, f64::from(m).ln()).0
            };
            let mean = (0..steps).map(noise).sum::<f64>() / steps as f64;
            assert!((mean - harmonic).abs() < 1e-5, "{m}: {mean} {harmonic}");
        }
    }
}
