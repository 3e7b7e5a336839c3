//! Genotypes: copies of the rarer allele, 0, 1 or 2, with 1% of the calls failed (`NA`).
//!
//! Loci are independent and in Hardy-Weinberg equilibrium, the allele's frequency uniform in 0.05
//! to 0.5 (0.25 to 0.5 for the true ones). The odds of the disease follow a logistic model with log
//! odds 0.55, 0.6, 0.65, 0.7 and 0.75 per copy around the mean: half are ill. Such effects are
//! large for common diseases; smaller ones need more people than these tables have.

use super::Planted;
use super::draft::{Outcome, numbered};
use super::draw::Draw;

pub(super) fn table(n: usize, d: usize, draw: &mut Draw) -> Planted {
    let mut log_odds = vec![0.0; n];
    let (columns, truth) = numbered("snp", d, draw, |planted, draw| {
        let frequency = draw.between(if planted.is_some() { 0.25 } else { 0.05 }, 0.5);
        let effect = planted.map_or(0.0, |number| 0.55 + 0.05 * number as f64);
        let cell = |odds: &mut f64| {
            let copies = u8::from(draw.chance(frequency)) + u8::from(draw.chance(frequency));
            *odds += effect * (f64::from(copies) - 2.0 * frequency);
            if draw.chance(0.01) { "NA".to_owned() } else { copies.to_string() }
        };
        log_odds.iter_mut().map(cell).collect()
    });
    Outcome::logistic(&log_odds, ["well", "ill"], draw).table(columns, truth)
}
