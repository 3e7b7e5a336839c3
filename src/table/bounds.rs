//! The range of a quantity, and the grid values of numbers in it.

use crate::error::{Error, Result};
use crate::exact::{GRID, to_grid};

/// A closed range of a quantity, in the quantity's own units. It must be public knowledge: the user
/// gives it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    low: f64,
    high: f64,
}

impl Bounds {
    /// The range from `low` to `high`; values outside are clipped to it.
    ///
    /// # Errors
    ///
    /// `Request` unless both are finite and low < high.
    pub fn new(low: f64, high: f64) -> Result<Self> {
        let bounds = Self { low, high };
        let half = bounds.half();
        if !(low < high && half > 0.0 && half.is_finite()) {
            return Err(Error::request("bounds must be two finite numbers, the lower one first"));
        }
        Ok(bounds)
    }

    /// The range of the grid itself, on which its integers stay as they are.
    pub(crate) fn of_grid() -> Self {
        let q = f64::from(GRID);
        Self { low: -q, high: q }
    }

    /// The lower end.
    pub fn low(&self) -> f64 {
        self.low
    }

    /// The upper end.
    pub fn high(&self) -> f64 {
        self.high
    }

    pub(crate) fn middle(&self) -> f64 {
        self.low / 2.0 + self.high / 2.0
    }

    pub(crate) fn half(&self) -> f64 {
        self.high / 2.0 - self.low / 2.0
    }

    /// The grid value of a number: 0 for the middle of the range, -[`GRID`](crate::GRID) and
    /// [`GRID`](crate::GRID) for the ends and all values beyond them; 0 for NaN.
    pub fn to_grid(&self, value: f64) -> i16 {
        self.quantize(value, GRID)
    }

    /// The grid value on the grid from -q to q.
    pub(crate) fn quantize(&self, value: f64, q: i32) -> i16 {
        to_grid(((value - self.middle()) / self.half()).clamp(-1.0, 1.0), q)
    }

    /// The number that a grid value stands for, in the range's own units.
    pub(crate) fn value_at(&self, grid: i32, q: i32) -> f64 {
        self.middle() + self.half() * f64::from(grid) / f64::from(q)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_must_be_a_range() {
        for (low, high) in
            [(1.0, 1.0), (2.0, 1.0), (f64::NAN, 1.0), (0.0, f64::NAN), (0.0, f64::INFINITY)]
        {
            assert!(Bounds::new(low, high).is_err());
        }
        let widest = Bounds::new(-f64::MAX, f64::MAX).unwrap();
        assert_eq!([-f64::MAX, 0.0, f64::MAX].map(|v| widest.quantize(v, 3)), [-3, 0, 3]);
    }
}
