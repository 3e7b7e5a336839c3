//! Exact discrete Laplace noise.

use num_bigint::{BigInt, BigUint, Sign};
use num_rational::BigRational;
use num_traits::Zero;

use super::bernoulli::bernoulli_exp_neg;
use super::{Bits, Entropy, WordStream, uniform_below};
use crate::error::Result;

/// An integer Z with P(Z = z) proportional to e^(-rate |z|), for a positive rational rate.
///
/// Added with rate eps/D to an integer sum of sensitivity D, it makes the sum eps-differentially
/// private. Expected cost: a few dozen uniform integers, for any rate. Source: Canonne, Kamath and
/// Steinke (2020), algorithm 2, with s/t the rate.
pub fn discrete_laplace(words: &mut WordStream, rate: &BigRational) -> BigInt {
    loop {
        let magnitude = geometric(words, rate);
        let negative = words.next_word() & 1 == 1;
        if negative && magnitude.is_zero() {
            continue;
        }
        let sign = if negative { Sign::Minus } else { Sign::Plus };
        return BigInt::from_biguint(sign, magnitude);
    }
}

/// An integer G >= 0 with P(G >= g) = e^(-rate g), for a positive rational rate.
pub fn geometric(words: &mut WordStream, rate: &BigRational) -> BigUint {
    let (s, t) = (rate.numer().magnitude(), rate.denom().magnitude());
    let one = BigUint::from(1u32);
    loop {
        let u = uniform_below(words, t);
        if !bernoulli_exp_neg(words, &u, t) {
            continue;
        }
        let mut v = BigUint::zero();
        while bernoulli_exp_neg(words, &one, &one) {
            v += 1u32;
        }
        return (u + t * v) / s;
    }
}

/// Seeded noise for evaluations: discrete Laplace draws by draw and lane. Never for a release.
pub struct SeededNoise(Bits);

impl SeededNoise {
    /// The bits of a draw of a seed.
    ///
    /// # Errors
    ///
    /// Never for a seed; only the operating system's entropy could fail with `Io`.
    pub fn new(seed: u64, draw: u64) -> Result<Self> {
        Ok(Self(Entropy::Seeded(seed).source()?.bits(draw)))
    }

    /// The noise of a lane: z with P(z) proportional to e^(-rate |z|), rate positive.
    pub fn laplace(&self, lane: u64, rate: &BigRational) -> BigInt {
        discrete_laplace(&mut self.0.lane(lane), rate)
    }
}

#[cfg(test)]
mod tests {
    use num_traits::ToPrimitive;

    use super::*;
    use crate::exact::ratio;
    use crate::support::goodness::assert_fits;

    #[test]
    fn frequencies_fit() {
        let mut words = Entropy::Seeded(9).source().unwrap().bits(0).lane(0);
        for rate in [ratio(1, 1), ratio(2, 7), ratio(5, 2)] {
            let r = rate.to_f64().unwrap();
            let normal = (1.0 - (-r).exp()) / (1.0 + (-r).exp());
            let mut counts = [0u64; 10];
            for _ in 0..100_000 {
                let z = discrete_laplace(&mut words, &rate).to_i64().unwrap();
                // A bin each for -4..=4, one bin for everything beyond.
                counts[if z.abs() <= 4 { (z + 4) as usize } else { 9 }] += 1;
            }
            let mut law: Vec<f64> =
                (-4i32..=4).map(|z| normal * (-r * f64::from(z.abs())).exp()).collect();
            law.push(1.0 - law.iter().sum::<f64>());
            assert_fits(&counts, &law);
        }
    }
}
