//! A rare class: 3% of the rows are cases.
//!
//! Features are normal or log-normal (logarithmic deviation 0.5), in turn, in units over five
//! powers of ten; in cases the true ones are 0.6, 0.7, 0.8, 0.9 and 1.0 standard deviations higher.

use super::Planted;
use super::draft::{Outcome, digits, numbered};
use super::draw::Draw;

pub(super) fn table(n: usize, d: usize, draw: &mut Draw) -> Planted {
    let (case, outcome) = Outcome::drawn(n, 0.03, ["no", "case"], draw);
    let (columns, truth) = numbered("measure", d, draw, |planted, draw| {
        let shift = planted.map_or(0.0, |number| 0.6 + 0.1 * number as f64);
        let scale = libm::pow(10.0, draw.between(-2.0, 3.0));
        let skewed = draw.chance(0.5);
        let value = |case: &bool| {
            let z = draw.normal() + if *case { shift } else { 0.0 };
            scale * if skewed { libm::exp(0.5 * z) } else { 5.0 + z }
        };
        digits(&case.iter().map(value).collect::<Vec<_>>())
    });
    outcome.table(columns, truth)
}
