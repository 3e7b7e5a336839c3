//! Private ranges of columns: two medians each.
//!
//! # Definition
//!
//! For a column without a given range: a private [median](crate::estimate::median()) c of its
//! values, then a private median s of the distances |x - c| that are not 0. The range is c - 3.5 s
//! to c + 3.5 s: about 2.4 standard deviations on either side for normal values. Distances of 0 are
//! left out: a column that is mostly 0 still has the spread of its other values. Values beyond the
//! range are clipped.
//!
//! # Guarantee
//!
//! Each median is eps-differentially private by its own proof, for every value of c: a row
//! contributes at most one value to each, and a function of the row and of c decides which; the
//! weights of a person's rows add up to at most that of a unit. The medians of all columns compose
//! to the sum of their parts. Replacing a row may remove its value, which the proof of the median
//! covers.
//!
//! # Cost
//!
//! Two medians per column: a binary search per value, and a pass over 297,291 points.
//!
//! # Error
//!
//! A median is within about 2 ln(297,291/0.05)/eps ranks of the middle. If a column has fewer
//! values, its range is arbitrary.

use crate::error::Result;
use crate::estimate::MedianGrid;
use crate::privacy::{Epsilon, Neighbors};
use crate::random::Bits;
use crate::table::Bounds;

/// The range on either side of the center, in units of the spread.
const SPREADS: f64 = 3.5;

/// The number of medians for a range.
pub(super) const MEDIANS: usize = 2;

/// Values, one of each row, with the weights of the rows.
pub(super) struct Weighted<'a> {
    pub(super) values: &'a [f64],
    /// `None` if each row is its own privacy unit.
    pub(super) weights: Option<&'a [u16]>,
    /// The maximum total weight of a unit's rows.
    pub(super) unit: u16,
}

/// Draws the medians of one range.
pub(super) struct RangeDraw<'a> {
    pub(super) neighbors: Neighbors,
    /// The budget of each median.
    pub(super) epsilon: &'a Epsilon,
    /// The bits of this column.
    pub(super) bits: Bits,
}

impl RangeDraw<'_> {
    /// The range of values, around the center if one was released before.
    ///
    /// # Errors
    ///
    /// Never, because the medians are points of their grid.
    pub(super) fn range(&self, values: &Weighted<'_>, center: Option<f64>) -> Result<Bounds> {
        let center = center.unwrap_or_else(|| self.median(values, 0, Some));
        let distance = |value: f64| Some((value - center).abs()).filter(|distance| *distance > 0.0);
        let spread = self.median(values, 1, distance);
        // A spread may be drawn below 0, or so small that the ends are the same number.
        let half = (SPREADS * spread.abs()).max(1e-9 * center.abs()).max(1e-9);
        Bounds::new(center - half, center + half)
    }

    /// The median of a function of each value.
    fn median(
        &self,
        Weighted { values, weights, unit }: &Weighted<'_>,
        number: u64,
        of: impl Fn(f64) -> Option<f64>,
    ) -> f64 {
        let weight = |row: usize| weights.map_or(1, |weights| weights[row]);
        let made = values.iter().enumerate().filter_map(|(row, &value)| {
            let made = of(value).filter(|made| made.is_finite())?;
            Some((made, weight(row)))
        });
        let grid = MedianGrid::shared();
        let counts = grid.weigh(made, *unit);
        grid.private_middle(&counts, self.neighbors, self.epsilon, &self.bits.branch(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Entropy;

    fn range(values: &[f64], center: Option<f64>, seed: u64) -> Bounds {
        let epsilon = "1".parse().unwrap();
        let bits = Entropy::Seeded(seed).source().unwrap().bits(11);
        RangeDraw { neighbors: Neighbors::AddRemove, epsilon: &epsilon, bits }
            .range(&Weighted { values, weights: None, unit: 1 }, center)
            .unwrap()
    }

    #[test]
    fn ranges_hold_most_values() {
        // Uniform from 100 to 300, with missing values.
        let uniform: Vec<f64> = (0..4000)
            .map(|i| if i % 10 == 0 { f64::NAN } else { 100.0 + (i * 7 % 4000) as f64 / 20.0 })
            .collect();
        let bounds = range(&uniform, None, 1);
        assert!((bounds.middle() - 200.0).abs() < 5.0, "{bounds:?}");
        assert!((bounds.half() / 175.0 - 1.0).abs() < 0.1, "{bounds:?}");
        // Indicators: every fifth is 1.
        let marks: Vec<f64> = (0..4000).map(|i| f64::from(u8::from(i % 5 == 0))).collect();
        for center in [None, Some(0.0), Some(0.5)] {
            let bounds = range(&marks, center, 2);
            let apart = i32::from(bounds.to_grid(1.0)) - i32::from(bounds.to_grid(0.0));
            assert!(apart > 7000, "{bounds:?}");
        }
    }

    /// Every draw results in a range.
    #[test]
    fn every_draw_gives_a_range() {
        for seed in 0..200 {
            for values in [&[][..], &[f64::NAN, f64::INFINITY], &[3.0, 3.0], &[1e300, -1e300]] {
                let bounds = range(values, None, seed);
                assert!(bounds.low() < bounds.high());
            }
        }
    }
}
