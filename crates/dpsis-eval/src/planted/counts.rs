//! Counts of transcripts: overdispersed, with excess zeros.
//!
//! A count is negative binomial of size 2 around a log-normal mean (median 3.3, logarithmic
//! deviation 1.1) times the sample's depth (deviation 0.3), and is lost to 0 with a probability of
//! 0.1 to 0.5. Half of the samples are treated; there the true features, of mean 5, 8, 40, 80 and
//! 160, rise by factors of 2.2, 2.5, 2.8, 3.2 and 4 and are lost in 10% to 20% of the samples. The
//! last three are among the most abundant, where ranks within a sample hardly move.

use super::Planted;
use super::draft::{Outcome, numbered};
use super::draw::Draw;

/// Mean and factor of the true features.
const TRUE: [(f64, f64); 5] = [(5.0, 2.2), (8.0, 2.5), (40.0, 2.8), (80.0, 3.2), (160.0, 4.0)];

pub(super) fn table(n: usize, d: usize, draw: &mut Draw) -> Planted {
    let (treated, outcome) = Outcome::drawn(n, 0.5, ["untreated", "treated"], draw);
    let depth: Vec<f64> = (0..n).map(|_| libm::exp(0.3 * draw.normal())).collect();
    let (columns, truth) = numbered("transcript", d, draw, |planted, draw| {
        let ((mean, factor), lost) = match planted {
            Some(number) => (TRUE[number], draw.between(0.1, 0.2)),
            None => ((libm::exp(1.2 + 1.1 * draw.normal()), 1.0), draw.between(0.1, 0.5)),
        };
        let cell = |(treated, depth): (&bool, &f64)| {
            let mean = mean * depth * if *treated { factor } else { 1.0 };
            if draw.chance(lost) { 0 } else { draw.count(mean) }.to_string()
        };
        treated.iter().zip(&depth).map(cell).collect()
    });
    outcome.table(columns, truth)
}
