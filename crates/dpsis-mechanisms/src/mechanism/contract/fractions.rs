//! Privacy with zero tolerance: scores in whole sensitivities, and an epsilon at which a loss of 1
//! weighs one half. Losses are written independently of the code, as the definitions are; a change
//! of the loss costs twice its rate.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Pow, Zero};

use crate::mechanism::{canonical, joint, joint_set};

/// The choice by whole losses, with weights 2^-z: the probability of each outcome.
type Choice = fn(&[i64]) -> Vec<BigRational>;

/// A law in exact fractions: scores in whole sensitivities, at an epsilon for which a loss of 1
/// weighs one half.
struct RationalLaw {
    id: &'static str,
    ks: &'static [usize],
    /// The loss of each outcome: whole numbers.
    losses: fn(&[f64], usize) -> Vec<f64>,
    law: Choice,
    /// e^eps: 2 to the power of twice the steps that the loss moves by.
    factor: u32,
}

/// The mechanisms whose law is rational. The canonical ones at gamma 1, the worst taken; the loss
/// of the joint ones moves by 2: e^(4 rate), the rate being that of one half.
const LAWS: [RationalLaw; 7] = [
    RationalLaw { id: "em", ks: &[1], losses: of_one, law: exponential, factor: 4 },
    RationalLaw { id: "pnf", ks: &[1], losses: of_one, law: flips, factor: 4 },
    RationalLaw { id: "canonical", ks: &[2, 3], losses: of_sets, law: flips, factor: 4 },
    RationalLaw {
        id: "canonical-gumbel",
        ks: &[2, 3],
        losses: of_sets,
        law: exponential,
        factor: 4,
    },
    RationalLaw { id: "joint", ks: &[2], losses: joint::law::losses, law: exponential, factor: 16 },
    RationalLaw { id: "joint-pnf", ks: &[2], losses: joint::law::losses, law: flips, factor: 16 },
    RationalLaw {
        id: "joint-set",
        ks: &[2, 3],
        losses: joint_set::law::losses,
        law: exponential,
        factor: 16,
    },
];

/// Minus the score of each candidate.
fn of_one(x: &[f64], _: usize) -> Vec<f64> {
    x.iter().map(|score| -score).collect()
}

fn of_sets(x: &[f64], k: usize) -> Vec<f64> {
    canonical::law::losses(x, k, 1.0)
}

fn half_to(z: i64) -> BigRational {
    BigRational::new(1.into(), 2.into()).pow(z)
}

fn excess(losses: &[i64]) -> impl Iterator<Item = i64> {
    let least = losses.iter().copied().min().unwrap();
    losses.iter().map(move |loss| loss - least)
}

/// The exponential mechanism.
fn exponential(losses: &[i64]) -> Vec<BigRational> {
    let weights: Vec<BigRational> = excess(losses).map(half_to).collect();
    let total: BigRational = weights.iter().sum();
    weights.into_iter().map(|weight| weight / &total).collect()
}

/// Permute-and-flip: p_i times the integral over [0, 1] of the product over j != i of (1 - p_j t).
fn flips(losses: &[i64]) -> Vec<BigRational> {
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
    for RationalLaw { id, ks, losses, law, factor } in LAWS {
        let bound = BigRational::from_integer(BigInt::from(factor));
        {
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
                            assert!(kept, "{}, k = {k}: {x:?}, {y:?}", id);
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
