//! The least value from which on something happens with a stated probability, by simulation.
//!
//! The probability rises with the value, but its simulation need not quite. Values are tried by
//! bisection on a logarithmic scale; what was tried is pooled to a rising curve (isotonic
//! regression by pooling adjacent violators) and the value is read off between the two points
//! around it. What was tried for one probability serves the next.

use dpsis::Result;
use serde::Serialize;

use crate::metrics::Estimate;

/// A least value, with the standard error of the simulation. 0: it happens as often at any value,
/// by chance.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Least {
    /// The value.
    pub value: f64,
    /// About its standard error.
    pub error: f64,
}

/// Simulated probabilities between two ends.
pub(super) struct Response<F> {
    low: f64,
    high: f64,
    /// Points are tried until neighbors are within this factor.
    step: f64,
    at: F,
    /// The values tried, ascending, with their estimates.
    tried: Vec<(f64, Estimate)>,
}

impl<F: FnMut(f64) -> Result<Estimate>> Response<F> {
    pub(super) fn new((low, high): (f64, f64), step: f64, at: F) -> Self {
        Self { low, high, step, at, tried: Vec::new() }
    }

    /// The least value with this probability; `None` if not even the high end has it.
    ///
    /// # Errors
    ///
    /// Those of the simulation.
    pub(super) fn least(&mut self, probability: f64) -> Result<Option<Least>> {
        if self.try_at(self.high)?.mean < probability {
            return Ok(None);
        }
        if self.try_at(self.low)?.mean >= probability {
            return Ok(Some(Least { value: 0.0, error: 0.0 }));
        }
        loop {
            let curve = self.rising();
            let next = curve.partition_point(|point| point.1 < probability);
            let (Some(below), Some(above)) = (next.checked_sub(1), curve.get(next)) else {
                return Ok(Some(Least { value: self.high, error: 0.0 }));
            };
            let ends = (self.tried[below].0, above.0);
            if ends.1 / ends.0 <= self.step {
                let spread = self.tried[next].1.error.max(self.tried[below].1.error);
                let at = |probability| read_off(&curve, probability);
                let error = (at(probability + spread) - at(probability - spread)) / 2.0;
                return Ok(Some(Least { value: at(probability), error }));
            }
            self.try_at((ends.0 * ends.1).sqrt())?;
        }
    }

    fn try_at(&mut self, value: f64) -> Result<Estimate> {
        let place = self.tried.partition_point(|point| point.0 < value);
        if let Some(point) = self.tried.get(place).filter(|point| point.0 == value) {
            return Ok(point.1);
        }
        let estimate = (self.at)(value)?;
        self.tried.insert(place, (value, estimate));
        Ok(estimate)
    }

    /// The rising curve that is nearest to what was tried.
    fn rising(&self) -> Vec<(f64, f64)> {
        // Means of pools, and how many points are in each.
        let mut pools: Vec<(f64, usize)> = Vec::new();
        for (_, estimate) in &self.tried {
            let mut pool = (estimate.mean, 1);
            while let Some(last) = pools.pop_if(|last| last.0 > pool.0) {
                let size = last.1 + pool.1;
                let sum = last.0 * last.1 as f64 + pool.0 * pool.1 as f64;
                pool = (sum / size as f64, size);
            }
            pools.push(pool);
        }
        let means = pools.iter().flat_map(|pool| std::iter::repeat_n(pool.0, pool.1));
        self.tried.iter().map(|point| point.0).zip(means).collect()
    }
}

/// The value at which a rising curve has a height, between its ends.
fn read_off(curve: &[(f64, f64)], height: f64) -> f64 {
    let next = curve.partition_point(|point| point.1 < height);
    match (next.checked_sub(1).and_then(|below| curve.get(below)), curve.get(next)) {
        (Some(below), Some(above)) => {
            let part = (height - below.1) / (above.1 - below.1);
            below.0 * (above.0 / below.0).powf(part)
        }
        (Some(end), None) | (None, Some(end)) => end.0,
        (None, None) => f64::NAN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(mean: f64) -> Estimate {
        Estimate { mean, error: 0.02 }
    }

    #[test]
    fn least_values_of_a_known_curve() {
        let mut tries = 0;
        let mut response = Response::new((1e-3, 1.0), 1.02, |x: f64| {
            tries += 1;
            Ok(estimate(1.0 - (-(x / 0.1).powi(2)).exp()))
        });
        for p in [0.5f64, 0.9, 0.99] {
            let exact = 0.1 * (-(1.0 - p).ln()).sqrt();
            let found = response.least(p).unwrap().unwrap();
            assert!((found.value / exact - 1.0).abs() < 0.002, "{p}: {found:?} {exact}");
        }
        // The slope of the curve at the median turns 0.02 into this.
        let found = response.least(0.5).unwrap().unwrap();
        let slope = 2.0 * 0.1 * 0.5f64.recip().ln().sqrt() / 0.01 * 0.5;
        assert!((found.error * slope / 0.02 - 1.0).abs() < 0.4, "{found:?}");
        assert!(tries < 30, "{tries}");
    }

    #[test]
    fn never_and_by_chance() {
        let mut never = Response::new((0.1, 1.0), 1.1, |_| Ok(estimate(0.3)));
        assert_eq!(never.least(0.5).unwrap(), None);
        assert_eq!(never.least(0.2).unwrap(), Some(Least { value: 0.0, error: 0.0 }));
    }

    /// A dip of the simulation does not lead the search astray.
    #[test]
    fn a_curve_that_does_not_quite_rise() {
        let dip = |x: f64| if (0.3..0.35).contains(&x) { -0.1 } else { 0.0 };
        let mut response = Response::new((0.1, 1.0), 1.02, |x: f64| Ok(estimate(x + dip(x))));
        let found = response.least(0.5).unwrap().unwrap();
        assert!((found.value - 0.5).abs() < 0.01, "{found:?}");
    }
}
