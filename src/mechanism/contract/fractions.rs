//! Privacy with zero tolerance: scores in whole sensitivities, and an epsilon at which a loss of 1 weighs one half.
//! Losses are as far from the code as the definitions; what a loss moves by costs its rate twice.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Pow, Zero};

use super::*;

/// The choice by whole losses, with weights 2^-z: the probability of each outcome.
pub(in crate::mechanism) type Choice = fn(&[i64]) -> Vec<BigRational>;

fn half_to(z: i64) -> BigRational {
    BigRational::new(1.into(), 2.into()).pow(z)
}

fn excess(losses: &[i64]) -> impl Iterator<Item = i64> {
    let least = losses.iter().copied().min().unwrap();
    losses.iter().map(move |loss| loss - least)
}

/// The exponential mechanism.
pub(in crate::mechanism) fn exponential(losses: &[i64]) -> Vec<BigRational> {
    let weights: Vec<BigRational> = excess(losses).map(half_to).collect();
    let total: BigRational = weights.iter().sum();
    weights.into_iter().map(|weight| weight / &total).collect()
}

/// Permute-and-flip: p_i times the integral over [0, 1] of the product over j != i of (1 - p_j t).
pub(in crate::mechanism) fn flips(losses: &[i64]) -> Vec<BigRational> {
    let p: Vec<BigRational> = excess(losses).map(half_to).collect();
    (0..p.len())
        .map(|i| {
            let mut polynomial = vec![BigRational::one()];
            for (_, p) in p.iter().enumerate().filter(|(j, _)| *j != i) {
                let mut next = polynomial.clone();
                next.push(BigRational::zero());
                for (degree, coefficient) in polynomial.iter().enumerate() {
                    next[degree + 1] -= coefficient * p;
                }
                polynomial = next;
            }
            let terms = polynomial.iter().enumerate();
            let integral: BigRational =
                terms.map(|(n, c)| c / BigRational::from_integer((n + 1).into())).sum();
            integral * &p[i]
        })
        .collect()
}

#[test]
fn privacy_with_exact_fractions() {
    let (d, levels) = (4, 4i64);
    let tables: Vec<Vec<i64>> = (0..levels.pow(d))
        .map(|i| (0..d).map(|place| i / levels.pow(place) % levels).collect())
        .collect();
    let mut cases = 0;
    for card in CARDS {
        for RationalLaw { ks, losses, law, factor } in (card.contract)().exact {
            let bound = BigRational::from_integer(BigInt::from(factor));
            for &k in ks {
                let law = |x: &Vec<i64>| {
                    let x: Vec<f64> = x.iter().map(|&value| value as f64).collect();
                    let losses: Vec<i64> = losses(&x, k).into_iter().map(|z| z as i64).collect();
                    law(&losses)
                };
                let laws: Vec<Vec<BigRational>> = tables.iter().map(law).collect();
                let mut pairs = 0;
                for (x, p) in tables.iter().zip(&laws) {
                    assert!(p.iter().sum::<BigRational>().is_one());
                    for (y, q) in tables.iter().zip(&laws) {
                        if x.iter().zip(y).all(|(a, b)| (a - b).abs() <= 1) {
                            pairs += 1;
                            let kept = p.iter().zip(q).all(|(p, q)| *p <= q * &bound);
                            assert!(kept, "{}, k = {k}: {x:?}, {y:?}", card.id);
                        }
                    }
                }
                assert!(pairs >= 10_000, "{pairs}");
                cases += 1;
            }
        }
    }
    assert!(cases >= 9, "{cases}");
}
