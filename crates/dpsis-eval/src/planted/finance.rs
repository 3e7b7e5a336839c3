//! Finance: heavy tails and ratios; the target is the amount of a default, 0 for three in ten.
//!
//! Every feature is an increasing function of a standard normal z: returns `s z exp(0.15 z^2)`
//! (without a third moment), ratios `exp(0.9 z)` and amounts `s exp(1.2 z)`, in turn, with scales s
//! over four powers of ten and 3% of the cells empty. The risk is 0.55, -0.5, 0.5, -0.45 and 0.45
//! times the z of the true features plus standard normal noise; the amount is 0 for the least three
//! tenths of the risk's distribution and 1000 exp(1.1 risk) above.

use super::draft::{Column, Outcome, digits, with_gaps};
use super::draw::Draw;
use super::{PLANTED, Planted};

const EFFECTS: [f64; PLANTED] = [0.55, -0.5, 0.5, -0.45, 0.45];
/// The 30% quantile of a standard normal number.
const LEAST: f64 = -0.524_400_5;

pub(super) fn table(n: usize, d: usize, draw: &mut Draw) -> Planted {
    let mut risk = draw.normals(n);
    let column = |j: usize| {
        let z = draw.normals(n);
        if let Some(effect) = EFFECTS.get(j) {
            risk.iter_mut().zip(&z).for_each(|(risk, z)| *risk += effect * z);
        }
        let scale = libm::pow(10.0, draw.between(0.0, 4.0));
        let (kind, value): (_, fn(f64, f64) -> f64) = match j % 3 {
            0 => ("return", |scale, z| scale * z * libm::exp(0.15 * z * z)),
            1 => ("ratio", |_, z| libm::exp(0.9 * z)),
            _ => ("amount", |scale, z| scale * libm::exp(1.2 * z)),
        };
        let values: Vec<f64> = z.iter().map(|z| value(scale, *z)).collect();
        (format!("{kind}_{}", j + 1), with_gaps(digits(&values), 0.03, draw))
    };
    let columns: Vec<Column> = (0..d).map(column).collect();
    let variance = 1.0 + EFFECTS.iter().map(|effect| effect * effect).sum::<f64>();
    let least = LEAST * variance.sqrt();
    let amount = |risk: &f64| if *risk < least { 0.0 } else { 1000.0 * libm::exp(1.1 * risk) };
    let amounts: Vec<f64> = risk.iter().map(amount).collect();
    Outcome::amounts(&amounts).shuffled(columns, draw)
}
