//! Gene expression: log intensities.
//!
//! A gene's log2 intensity is a level N(8, 2^2) plus a shift of the sample (deviation 0.3) plus its
//! own noise of deviation 0.4 to 0.8. Half of the samples are cases; in them the true genes are
//! 1.1, 1.2, 1.3, 1.4 and 1.5 standard deviations higher or lower. The last of them is among the
//! most intense genes, where ranks within a sample hardly move.

use super::Planted;
use super::draft::{Outcome, decimals, numbered};
use super::draw::Draw;

pub(super) fn table(n: usize, d: usize, draw: &mut Draw) -> Planted {
    let (case, outcome) = Outcome::drawn(n, 0.5, ["healthy", "tumor"], draw);
    let batch = draw.normals(n);
    let (columns, truth) = numbered("gene", d, draw, |planted, draw| {
        let (level, deviation, shift) = match planted {
            Some(number) => {
                let sign = if draw.chance(0.5) { 1.0 } else { -1.0 };
                let level = if number == 4 { 14.5 } else { 8.0 };
                (level, 0.6, sign * (1.1 + 0.1 * number as f64))
            }
            None => (8.0 + 2.0 * draw.normal(), draw.between(0.4, 0.8), 0.0),
        };
        let value = |(case, batch): (&bool, &f64)| {
            let half = if *case { 0.5 } else { -0.5 };
            level + 0.3 * batch + deviation * (shift * half + draw.normal())
        };
        decimals(&case.iter().zip(&batch).map(value).collect::<Vec<_>>(), 3)
    });
    outcome.table(columns, truth)
}
