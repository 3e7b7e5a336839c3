//! Exact discrete Gaussian noise.
//!
//! # Definition
//!
//! An integer Z with P(Z = z) proportional to e^(-z^2/(2 s^2)), for a positive rational s^2. With
//! t = floor(s) + 1, an integer Y with P(Y = y) proportional to e^(-|y|/t) is drawn until it is
//! kept, with probability
//!
//! ```text
//! e^(-(|y| - s^2/t)^2/(2 s^2)).
//! ```
//!
//! # Why it is exact
//!
//! The product of both weights is e^(-|y|/t - y^2/(2 s^2) + |y|/t - s^2/(2 t^2)), that is,
//! e^(-y^2/(2 s^2)) up to a constant. Every number is a rational, and both draws are exact. Any
//! positive t would do; this one makes a draw be kept with a probability above 1/3 for every s.
//!
//! # Guarantee
//!
//! Independent such noise on each of the integers of a vector that moves by at most D in Euclidean
//! length between neighbors is rho-zCDP with rho = D^2/(2 s^2) (theorem 14 of the source).
//!
//! # Source
//!
//! Canonne, Kamath and Steinke, "The Discrete Gaussian for Differential Privacy" (2020), algorithm
//! 3; its algorithms 1 and 2 are [`bernoulli_exp_neg`] and [`discrete_laplace`].

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed};

use super::bernoulli::bernoulli_exp_neg;
use super::{WordStream, discrete_laplace};

/// An integer Z with P(Z = z) proportional to e^(-z^2/(2 variance)), for a positive rational
/// `variance`.
pub fn discrete_gaussian(words: &mut WordStream, variance: &BigRational) -> BigInt {
    let t = BigRational::from(variance.to_integer().sqrt() + 1);
    let rate = t.recip();
    let middle = variance / &t;
    let twice = variance + variance;
    loop {
        let y = discrete_laplace(words, &rate);
        let off = BigRational::from(y.abs()) - &middle;
        let exponent = &off * &off / &twice;
        debug_assert!(twice.is_positive() && rate <= BigRational::one());
        if bernoulli_exp_neg(words, exponent.numer().magnitude(), exponent.denom().magnitude()) {
            return y;
        }
    }
}

#[cfg(test)]
mod tests {
    use num_traits::ToPrimitive;

    use super::*;
    use crate::exact::ratio;
    use crate::random::{Bits, Entropy};
    use crate::support::goodness::{assert_fits, fit};

    type Sampler = fn(&mut WordStream, &BigRational) -> BigInt;

    const DRAWS: usize = 60_000;

    fn bits() -> Bits {
        Entropy::Seeded(20).source().unwrap().bits(0)
    }

    /// The exact probabilities of -reach to reach, and of all else.
    fn law(variance: &BigRational, reach: i64) -> Vec<f64> {
        let v = variance.to_f64().unwrap();
        let weight = |z: i64| (-(z * z) as f64 / (2.0 * v)).exp();
        let total: f64 = (-20 * reach..=20 * reach).map(weight).sum();
        let mut law: Vec<f64> = (-reach..=reach).map(|z| weight(z) / total).collect();
        law.push((1.0 - law.iter().sum::<f64>()).max(0.0));
        law
    }

    fn counts(sampler: Sampler, variance: &BigRational, reach: i64) -> Vec<u64> {
        let mut words = bits().lane(0);
        let mut counts = vec![0u64; 2 * reach as usize + 2];
        for _ in 0..DRAWS {
            let z = sampler(&mut words, variance).to_i64().unwrap();
            let place = if z.abs() <= reach { z + reach } else { 2 * reach + 1 };
            counts[place as usize] += 1;
        }
        counts
    }

    const VARIANCES: [(i64, i64, i64); 5] =
        [(1, 4, 3), (1, 1, 4), (7, 3, 5), (25, 2, 9), (400, 1, 40)];

    #[test]
    fn frequencies_fit() {
        for (numerator, denominator, reach) in VARIANCES {
            let variance = ratio(numerator, denominator);
            assert_fits(&counts(discrete_gaussian, &variance, reach), &law(&variance, reach));
        }
    }

    /// Kept with the exponent of another parabola: not halved, or around 0.
    fn not_halved(words: &mut WordStream, variance: &BigRational) -> BigInt {
        broken(words, variance, |off, variance| off * off / variance)
    }

    fn around_zero(words: &mut WordStream, variance: &BigRational) -> BigInt {
        let t = BigRational::from(variance.to_integer().sqrt() + 1);
        let middle = variance / &t;
        broken(words, variance, |off, variance| {
            let y = off + &middle;
            &y * &y / (variance + variance)
        })
    }

    fn broken(
        words: &mut WordStream,
        variance: &BigRational,
        exponent: impl Fn(&BigRational, &BigRational) -> BigRational,
    ) -> BigInt {
        let t = BigRational::from(variance.to_integer().sqrt() + 1);
        loop {
            let y = discrete_laplace(words, &t.recip());
            let off = BigRational::from(y.abs()) - variance / &t;
            let exponent = exponent(&off, variance);
            let (n, d) = (exponent.numer().magnitude(), exponent.denom().magnitude());
            if bernoulli_exp_neg(words, n, d) {
                return y;
            }
        }
    }

    /// Both signs of 0 are kept, so that 0 comes twice as often.
    fn zero_twice(words: &mut WordStream, variance: &BigRational) -> BigInt {
        loop {
            let z = discrete_gaussian(words, variance);
            // Half of the other values are thrown away.
            if z == BigInt::ZERO || words.next_word() & 1 == 1 {
                return z;
            }
        }
    }

    #[test]
    fn broken_variants_do_not_fit() {
        for broken in [not_halved as Sampler, around_zero, zero_twice] {
            for (numerator, denominator, reach) in [(1, 1, 4), (7, 3, 5), (25, 2, 9)] {
                let variance = ratio(numerator, denominator);
                let fit = fit(&counts(broken, &variance, reach), &law(&variance, reach));
                assert!(!fit.holds(), "{variance}: G = {}", fit.g);
            }
        }
    }

    /// A large variance: mean, variance and signs of 2,000 draws within five standard errors.
    #[test]
    fn wide_noise_has_its_moments() {
        let variance = ratio(1 << 60, 3);
        let deviation = variance.to_f64().unwrap().sqrt();
        let mut words = bits().lane(1);
        let draws: Vec<f64> = (0..2000)
            .map(|_| discrete_gaussian(&mut words, &variance).to_f64().unwrap() / deviation)
            .collect();
        let mean = draws.iter().sum::<f64>() / 2000.0;
        let square = draws.iter().map(|z| z * z).sum::<f64>() / 2000.0;
        assert!(mean.abs() < 5.0 / 2000f64.sqrt(), "{mean}");
        assert!((square - 1.0).abs() < 5.0 * (2.0 / 2000f64).sqrt(), "{square}");
    }

    #[test]
    fn values_are_stable() {
        let mut words = bits().lane(2);
        let drawn: Vec<i64> = (0..12)
            .map(|_| discrete_gaussian(&mut words, &ratio(1000, 3)).to_i64().unwrap())
            .collect();
        assert_eq!(drawn, [-24, -11, -3, -8, 22, -22, 14, -7, -24, 1, 9, 4]);
    }
}
