//! Noise for a vector of integers: the smallest that the given budget allows.
//!
//! # Definition
//!
//! A vector of m integers moves between neighbors by at most some lengths: each component by
//! `largest`, all components together by `sum` (L1) and by the root of `squares` (L2). Three noise
//! laws hide these moves:
//!
//! ```text
//! cube        P(z) proportional to e^(-(eps/largest) max |z_i|)       deviation sqrt((m + 1)(m + 2)/3) largest/eps
//! Laplace     P(z) proportional to e^(-(eps/sum) sum |z_i|)           deviation sqrt(2) sum/eps
//! Gaussian    P(z) proportional to e^(-sum z_i^2/(2 s^2))             deviation s
//! ```
//!
//! The first two give eps-differential privacy, since the exponent moves by at most eps: the
//! triangle inequality. The third is rho-zCDP with rho = squares/(2 s^2), which is (eps,
//! delta)-differentially private for the largest rho whose delta by [`Zcdp`] is small enough,
//! searched and rounded down to four digits. The law with the smallest deviation is used. This
//! choice depends only on the lengths, the budget and m, which are public. Only the third law
//! spends a delta.
//!
//! # Cost
//!
//! m exact draws, microseconds each; some fifty prices if a delta is given.
//!
//! # Source
//!
//! T. Steinke and J. Ullman (2016) for the cube; Canonne, Kamath and Steinke, "The Discrete
//! Gaussian for Differential Privacy" (2020), theorem 14 and corollary 13.

use num_bigint::BigInt;
use num_rational::BigRational;

use crate::account::{Event, Zcdp};
use crate::error::Result;
use crate::estimate::private_effect_sizes;
use crate::exact::{Exact, near_f64, ratio, saturating_i64};
use crate::privacy::{Delta, Epsilon};
use crate::random::{Bits, discrete_gaussian, discrete_laplace};

/// The largest moves of a vector of integers between neighboring tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Moves {
    pub(super) components: usize,
    /// The largest move of a component.
    pub(super) largest: u64,
    /// The sum of the magnitudes of all changes.
    pub(super) sum: u64,
    /// The sum of their squares.
    pub(super) squares: u128,
}

/// Noise that hides such moves.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct VectorNoise {
    law: Law,
    /// The standard deviation of a component.
    pub(super) deviation: f64,
    epsilon: Epsilon,
    /// The delta that is spent.
    pub(super) delta: Delta,
}

#[derive(Debug, Clone, PartialEq)]
enum Law {
    Cube { largest: u64 },
    Laplace { rate: BigRational },
    Gaussian { variance: BigRational, rho: Exact },
}

impl VectorNoise {
    /// The noise of the smallest deviation within this budget.
    ///
    /// # Errors
    ///
    /// `Request` if a delta is so small that it has no price.
    pub(super) fn new(moves: &Moves, epsilon: &Epsilon, delta: &Delta) -> Result<Self> {
        let (eps, m) = (epsilon.to_f64(), moves.components as f64);
        let pure = |law, deviation| Self {
            law,
            deviation,
            epsilon: epsilon.clone(),
            delta: Delta::zero(),
        };
        let deviation = ((m + 1.0) * (m + 2.0) / 3.0).sqrt() * moves.largest as f64 / eps;
        let cube = pure(Law::Cube { largest: moves.largest }, deviation);
        let rate = epsilon.as_rational() / BigInt::from(moves.sum);
        let laplace = pure(Law::Laplace { rate }, 2f64.sqrt() * moves.sum as f64 / eps);
        let best = if laplace.deviation < cube.deviation { laplace } else { cube };
        if delta.is_zero() {
            return Ok(best);
        }
        let rho = Zcdp::largest_rho(epsilon, delta)?;
        let Some(exact) = rho.clone().rational() else { return Ok(best) };
        let variance =
            BigRational::from(BigInt::from(moves.squares)) / (exact * ratio(2, 1).numer());
        let deviation = near_f64(&variance).sqrt();
        if !(deviation < best.deviation) {
            return Ok(best);
        }
        let law = Law::Gaussian { variance, rho };
        Ok(Self { law, deviation, epsilon: epsilon.clone(), delta: delta.clone() })
    }

    /// Adds noise to the values.
    pub(super) fn add(&self, values: &[i64], bits: &Bits) -> Vec<i64> {
        let mut words = bits.lane(0);
        match &self.law {
            Law::Cube { largest } => private_effect_sizes(values, *largest, &self.epsilon, bits),
            Law::Laplace { rate } => {
                let noisy =
                    |&value: &i64| saturating_i64(&(discrete_laplace(&mut words, rate) + value));
                values.iter().map(noisy).collect()
            }
            Law::Gaussian { variance, .. } => {
                let noisy = |&value: &i64| {
                    saturating_i64(&(discrete_gaussian(&mut words, variance) + value))
                };
                values.iter().map(noisy).collect()
            }
        }
    }

    /// The accounting event of the release.
    ///
    /// # Errors
    ///
    /// `Request` for a budget out of the range of events.
    pub(super) fn event(&self) -> Result<Event> {
        match &self.law {
            Law::Gaussian { rho, .. } => Event::zcdp(rho.clone()),
            _ => Ok(Event::pure(self.epsilon.clone())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Entropy;

    fn moves(components: usize, largest: u64, sum: u64, squares: u128) -> Moves {
        Moves { components, largest, sum, squares }
    }

    fn epsilon(text: &str) -> Epsilon {
        text.parse().unwrap()
    }

    /// The law with the smallest deviation: any for one component, Laplace for few components with
    /// a small L1 move, the cube for many, and a delta if it reduces the noise.
    #[test]
    fn the_least_noise_is_taken() {
        let (one, none) = (epsilon("1"), Delta::zero());
        let law = |moves: &Moves, delta: &Delta| VectorNoise::new(moves, &one, delta).unwrap().law;
        assert!(matches!(law(&moves(28, 10, 280, 2800), &none), Law::Cube { .. }));
        assert!(matches!(law(&moves(6, 10, 25, 100), &none), Law::Laplace { .. }));
        let small: Delta = "1e-6".parse().unwrap();
        assert!(matches!(law(&moves(105, 10, 1050, 10_500), &small), Law::Gaussian { .. }));
        assert!(matches!(law(&moves(28, 10, 280, 2800), &small), Law::Cube { .. }));
        let unspent = VectorNoise::new(&moves(1, 10, 10, 100), &one, &small).unwrap();
        assert!(unspent.delta.is_zero() && unspent.event().unwrap() == Event::pure(one));
    }

    /// The reported deviation is that of the draws, within five standard errors of a fourth moment
    /// below 10.
    #[test]
    fn reported_deviations_match_the_draws() {
        let small: Delta = "1e-6".parse().unwrap();
        for (moves, delta) in [
            (moves(4, 1000, 4000, 4_000_000), Delta::zero()),
            (moves(4, 1000, 1500, 1_000_000), Delta::zero()),
            (moves(105, 1000, 105_000, 105_000_000), small),
        ] {
            let noise = VectorNoise::new(&moves, &epsilon("1"), &delta).unwrap();
            let zeros = vec![0; moves.components];
            let draws: Vec<i64> = (0..3000)
                .flat_map(|seed| {
                    noise.add(&zeros, &Entropy::Seeded(seed).source().unwrap().bits(12))
                })
                .collect();
            let square = draws.iter().map(|&z| (z as f64 / noise.deviation).powi(2)).sum::<f64>();
            let mean = square / draws.len() as f64;
            assert!((mean - 1.0).abs() < 5.0 * (9.0 / 3000.0f64).sqrt(), "{moves:?}: {mean}");
        }
    }
}
