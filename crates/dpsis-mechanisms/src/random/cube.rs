//! The radius of a random cube: K-norm noise for vectors whose every component moves by at most one
//! bound.
//!
//! An integer vector z of dimension d with P(z) proportional to e^(-rate max |z_i|) is drawn in two
//! steps: a radius R with P(R = r) proportional to (2r + 1)^d e^(-rate r), then every z_i uniformly
//! from -R to R. A given z is reached from every r >= max |z_i|, each with the same weight e^(-rate
//! r); the sum of these is proportional to e^(-rate max |z_i|). Source: Steinke and Ullman (2016),
//! on a grid.

use num_bigint::{BigInt, BigUint};
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};

use super::{Bits, WordStream, discrete_laplace};
use crate::exact::{Enclosure, near_f64};

/// R with P(R = r) proportional to (2r + 1)^d e^(-rate r), r = 0, 1, ...
///
/// The law is log-concave with its mode at m = d/rate - 1/2, rounded. With f(j) = ln P(m + j)/P(m)
/// and a width w such that f(w), f(-w) <= -1, f(j) <= 1 - |j|/w everywhere: between, since f <= 0
/// (up to the rounding of m, less than the 1/w that is left there); beyond, since f is concave. So
/// j is drawn with probability proportional to e^(-|j|/w), and kept with probability e^(f(j) -
/// 1 + |j|/w).
///
/// Reads lane 0 of `bits`.
pub fn cube_radius(d: usize, rate: &BigRational, bits: &Bits) -> BigUint {
    radius(&RadiusLaw::new(d, rate, 2f64.powi(-48)), bits)
}

fn radius(law: &RadiusLaw, bits: &Bits) -> BigUint {
    let width = law.width();
    let tail = BigRational::new(BigInt::one(), width.clone());
    let mut words = bits.lane(0);
    loop {
        let j = discrete_laplace(&mut words, &tail);
        let slack = BigRational::one() - BigRational::new(j.abs(), width.clone());
        if law.keeps(&j, &slack, &mut words)
            && let Some(radius) = (&law.mode + &j).to_biguint()
        {
            return radius;
        }
    }
}

struct RadiusLaw {
    d: usize,
    rate: BigRational,
    mode: BigInt,
    /// The relative error assumed of the quick ratio.
    unit: f64,
}

impl RadiusLaw {
    fn new(d: usize, rate: &BigRational, unit: f64) -> Self {
        let half = BigRational::new(1.into(), 2.into());
        let mode = BigRational::from_integer(d.into()) / rate - half;
        let mode = mode.round().to_integer().max(BigInt::zero());
        Self { d, rate: rate.clone(), mode, unit }
    }

    /// f(j) = d ln((2(m + j) + 1)/(2m + 1)) - rate j; `None` where the radius would be negative.
    fn ln_ratio(&self, j: &BigInt, precision: u64) -> Option<Enclosure> {
        let odd = |r: BigInt| (BigInt::from(2) * r + 1i32).to_biguint();
        let (there, here) = (odd(&self.mode + j)?, odd(self.mode.clone())?);
        // d times the error of the logarithms must stay small.
        let inner = precision + 64;
        let ln = Enclosure::ln_dyadic(&there, 0, inner).sub(&Enclosure::ln_dyadic(&here, 0, inner));
        let linear = Enclosure::rational(&(&self.rate * j), inner);
        Some(ln.times(self.d as u64).sub(&linear))
    }

    /// The same in `f64`, with an error bound: two roundings of each number, three of each term.
    /// NaN where the radius would be negative.
    fn near_ln_ratio(&self, j: &BigInt) -> (f64, f64) {
        let near = |value: &BigInt| value.to_f64().unwrap_or(f64::NAN);
        let (d, here) = (self.d as f64, 2.0 * near(&self.mode) + 1.0);
        let linear = near_f64(&self.rate) * near(j);
        let change = 2.0 * near(j) / here;
        // Where 1 + change is small, log1p of the rounded change is inaccurate.
        let (logarithm, scale) = if change > -0.75 {
            let logarithm = d * libm::log1p(change);
            (logarithm, logarithm.abs())
        } else {
            let (there, here) = (libm::log(2.0 * near(&(&self.mode + j)) + 1.0), libm::log(here));
            (d * (there - here), d * (there.abs() + here))
        };
        (logarithm - linear, self.unit * (1.0 + scale + linear.abs()))
    }

    /// A width at whose both ends the law has fallen by a factor of at least e.
    fn width(&self) -> BigInt {
        // Start at sqrt(2 d)/rate, about the width where it has.
        let scale = BigRational::from_float((2.0 * self.d as f64).sqrt()).unwrap_or_else(One::one);
        let mut width = (scale / &self.rate).ceil().to_integer().max(BigInt::one());
        let fallen = |j: &BigInt| {
            let (ratio, error) = self.near_ln_ratio(j);
            // Exact only where the quick ratio does not decide.
            ratio + error < -1.0
                || !(ratio - error > -1.0)
                    && self.ln_ratio(j, 64).is_none_or(|ratio| ratio.add_integer(1).is_negative())
        };
        while !(fallen(&width) && fallen(&-&width)) {
            width += &width / 8 + 1;
        }
        width
    }

    /// True with probability e^-x, x = slack - f(j): -ln U > x, decided by as many bits of U as
    /// needed.
    fn keeps(&self, j: &BigInt, slack: &BigRational, words: &mut WordStream) -> bool {
        let first = words.next_word();
        let (ratio, error) = self.near_ln_ratio(j);
        let x = near_f64(slack) - ratio;
        let error = error + self.unit * (1.0 + near_f64(slack).abs());
        // U lies between first and first + 1, times 2^-64.
        let minus_ln = |word: f64| -libm::log(word * 2f64.powi(-64));
        if minus_ln(first as f64 + 1.0) * (1.0 - 1e-14) - 1e-14 > x + error {
            return true;
        }
        if first != 0 && minus_ln(first as f64) * (1.0 + 1e-14) + 1e-14 < x - error {
            return false;
        }
        let (mut u, mut bits) = (BigUint::from(first), 64u64);
        loop {
            let precision = bits + 32;
            let Some(ratio) = self.ln_ratio(j, precision) else { return false };
            let x = Enclosure::rational(slack, precision + 64).sub(&ratio);
            // -ln U lies between the values at u + 1 and at u.
            let minus_ln = |u: &BigUint| Enclosure::ln_dyadic(u, bits, precision + 64).neg();
            let least = minus_ln(&(&u + 1u32));
            if least.sub(&x).is_positive() {
                return true;
            }
            if !u.is_zero() && x.sub(&minus_ln(&u)).is_positive() {
                return false;
            }
            u = (u << 64u32) + words.next_word();
            bits += 64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Entropy;
    use crate::support::goodness::assert_fits;

    const FINENESS: u64 = 1 << 30;

    /// Radii against their law, with a coarse grid where all values are seen.
    #[test]
    fn radii_have_their_law() {
        for (d, rate) in [(1usize, (1, 2)), (3, (1, 1)), (10, (3, 1)), (4, (7, 2))] {
            let rate = BigRational::new(rate.0.into(), rate.1.into());
            let r = rate.to_f64().unwrap();
            let weight = |v: usize| ((2 * v + 1) as f64).powi(d as i32) * (-r * v as f64).exp();
            let mut law: Vec<f64> = (0..100).map(weight).collect();
            let total: f64 = law.iter().sum();
            law.iter_mut().for_each(|p| *p /= total);
            let mut counts = vec![0u64; 100];
            for seed in 0..20_000 {
                let bits = Entropy::Seeded(seed).source().unwrap().bits(0);
                counts[cube_radius(d, &rate, &bits).to_usize().unwrap()] += 1;
            }
            assert_fits(&counts, &law);
        }
    }

    /// Settling a comparison by the quick ratio or exactly gives the same radius.
    #[test]
    fn forced_fallback_gives_the_same_radius() {
        for (d, rate) in [(1usize, (1, 2)), (3, (1, 1)), (10, (3, 1)), (40, (1, 1 << 20))] {
            let rate = BigRational::new(rate.0.into(), rate.1.into());
            let [quick, exact] = [-48, 10].map(|bits| RadiusLaw::new(d, &rate, 2f64.powi(bits)));
            assert_eq!(quick.width(), exact.width());
            for seed in 0..60 {
                let bits = Entropy::Seeded(seed).source().unwrap().bits(0);
                assert_eq!(radius(&quick, &bits), radius(&exact, &bits), "{d} {seed}");
            }
        }
    }

    /// The exact ratio of two weights, by powers.
    #[test]
    fn the_exact_ratio_is_that_of_the_weights() {
        let law = RadiusLaw::new(3, &BigRational::new(1.into(), 2.into()), 1.0);
        let mode = law.mode.to_f64().unwrap();
        for j in [-6, -5, -3, -1, 0, 1, 4, 20] {
            let there = 2.0 * (mode + f64::from(j)) + 1.0;
            let ratio = law.ln_ratio(&j.into(), 40);
            if there < 0.0 {
                assert!(ratio.is_none(), "{j}");
                continue;
            }
            let expected = 3.0 * (there / (2.0 * mode + 1.0)).ln() - 0.5 * f64::from(j);
            let margin = |sign: f64| {
                let about = BigRational::from_float(expected + sign * 1e-9).unwrap();
                ratio.clone().unwrap().sub(&Enclosure::rational(&about, 104))
            };
            assert!(margin(-1.0).is_positive() && margin(1.0).is_negative(), "{j}");
        }
    }

    /// Many dimensions: the radius is near its mode, d/rate, within ten standard deviations.
    #[test]
    fn radii_of_many_dimensions() {
        let rate = BigRational::new(1.into(), BigInt::from(FINENESS));
        for d in [1usize, 1000, 1_000_000] {
            let bits = Entropy::Seeded(d as u64).source().unwrap().bits(0);
            let units = cube_radius(d, &rate, &bits).to_f64().unwrap() / FINENESS as f64;
            let n = d as f64 + 1.0;
            assert!((units - n).abs() <= 10.0 * n.sqrt(), "{d}: {units}");
        }
    }
}
