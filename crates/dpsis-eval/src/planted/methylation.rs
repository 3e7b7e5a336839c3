//! Methylation: beta values in `[0, 1]`, most sites near 0 or near 1.
//!
//! A site's level is uniform in 0.02 to 0.15 (55% of the sites) or in 0.80 to 0.97, with noise of
//! deviation 0.02. Half of the samples are cases. The true sites lie between, at 0.35 to 0.65, and
//! differ by 1.3 to 1.7 standard deviations between the classes: hardly 0.03. No other site has
//! such a level, so ranks within a sample do not see them.

use super::Planted;
use super::draft::{Outcome, decimals, numbered};
use super::draw::Draw;

const DEVIATION: f64 = 0.02;

pub(super) fn table(n: usize, d: usize, draw: &mut Draw) -> Planted {
    let (case, outcome) = Outcome::drawn(n, 0.5, ["control", "case"], draw);
    let (columns, truth) = numbered("cg", d, draw, |planted, draw| {
        let (level, shift) = match planted {
            Some(number) => (draw.between(0.35, 0.65), 1.3 + 0.1 * number as f64),
            None if draw.chance(0.55) => (draw.between(0.02, 0.15), 0.0),
            None => (draw.between(0.80, 0.97), 0.0),
        };
        let value = |case: &bool| {
            let half = if *case { 0.5 } else { -0.5 };
            (level + DEVIATION * (shift * half + draw.normal())).clamp(0.0, 1.0)
        };
        decimals(&case.iter().map(value).collect::<Vec<_>>(), 4)
    });
    outcome.table(columns, truth)
}
