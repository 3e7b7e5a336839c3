//! Proteomics: log-normal intensities, about 30% of them missing, the low ones more often.
//!
//! A protein's log2 intensity is a level N(20, 1.5^2) plus a load of the sample (deviation 0.2)
//! plus noise of deviation 0.7; its cell is empty with log odds 1.2 (18.7 - value). Half of the
//! samples are cases, where the true proteins, of level 20 to 21.5, are 1.1, 1.2, 1.3, 1.4 and 1.5
//! standard deviations higher. Cells hold the intensity itself, not its logarithm.

use super::Planted;
use super::draft::{Outcome, numbered};
use super::draw::Draw;

pub(super) fn table(n: usize, d: usize, draw: &mut Draw) -> Planted {
    let (case, outcome) = Outcome::drawn(n, 0.5, ["control", "case"], draw);
    let load = draw.normals(n);
    let (columns, truth) = numbered("protein", d, draw, |planted, draw| {
        let (level, shift) = match planted {
            Some(number) => (draw.between(20.0, 21.5), 1.1 + 0.1 * number as f64),
            None => (20.0 + 1.5 * draw.normal(), 0.0),
        };
        let cell = |(case, load): (&bool, &f64)| {
            let higher = if *case { shift } else { 0.0 };
            let value = level + 0.2 * load + 0.7 * (higher + draw.normal());
            if draw.chance(1.0 / (1.0 + libm::exp(1.2 * (value - 18.7)))) {
                return String::new();
            }
            format!("{:.0}", libm::exp(value * core::f64::consts::LN_2))
        };
        case.iter().zip(&load).map(cell).collect()
    });
    outcome.table(columns, truth)
}
