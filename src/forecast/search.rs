//! The smallest value from which features are found, or significant, with a given probability,
//! by simulation.
//!
//! Probabilities rise with the value, but simulated ones may dip. Values are tried by steps and
//! then bisection on a logarithmic scale. The results are pooled to a rising curve (isotonic
//! regression by pooling adjacent violators), and the value is read off between the two points
//! around it. The results for one probability are reused for the next, so that a larger probability
//! never needs a smaller value.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::forecast::Chances;

/// A simulated probability.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Probability {
    /// The mean over simulated tables.
    pub mean: f64,
    /// Its standard error.
    pub error: f64,
}

impl Probability {
    pub(super) fn of(values: impl Iterator<Item = f64>) -> Self {
        let values: Vec<f64> = values.collect();
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        Self { mean, error: (squares / (n - 1.0).max(1.0) / n).sqrt() }
    }
}

/// A smallest value, with the standard error of the simulation. It is 0 if even random selection
/// reaches the probability at any value.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Least {
    /// The smallest value.
    pub value: f64,
    /// Its approximate standard error.
    pub error: f64,
}

/// One of the two probabilities that are simulated together.
pub(super) type Of = fn(&Chances) -> Option<Probability>;

/// A range of values, and how finely it is searched.
#[derive(Clone, Copy)]
pub(super) struct Range {
    pub(super) low: f64,
    pub(super) high: f64,
    /// The first value to try, and the factor between tries until two lie on both sides.
    pub(super) start: f64,
    pub(super) factor: f64,
    /// Values are tried until neighbors are within this factor.
    pub(super) step: f64,
}

/// Simulated probabilities between the ends of a range.
pub(super) struct Response<F> {
    range: Range,
    at: F,
    /// The values tried, ascending, with their probabilities.
    tried: Vec<(f64, Chances)>,
}

impl<F: FnMut(f64) -> Result<Chances>> Response<F> {
    pub(super) fn new(range: Range, at: F) -> Self {
        Self { range, at, tried: Vec::new() }
    }

    /// The smallest value with this probability; `None` if not even the high end has it, or if
    /// there is no such probability.
    ///
    /// # Errors
    ///
    /// The errors of the simulation.
    pub(super) fn least(&mut self, of: Of, probability: f64) -> Result<Option<Least>> {
        let Range { low, high, start, factor, step } = self.range;
        if self.tried.is_empty() {
            self.try_at(start.clamp(low, high))?;
        }
        loop {
            let Some(curve) = self.rising(of) else { return Ok(None) };
            let next = curve.partition_point(|point| point.1 < probability);
            let (below, above) = (next.checked_sub(1).map(|place| curve[place].0), curve.get(next));
            match (below, above) {
                (Some(below), None) if below >= high => return Ok(None),
                (Some(below), None) => self.try_at((below * factor).min(high))?,
                (None, Some(above)) if above.0 <= low => {
                    return Ok(Some(Least { value: 0.0, error: 0.0 }));
                }
                (None, Some(above)) => self.try_at((above.0 / factor).max(low))?,
                (Some(below), Some(above)) if above.0 / below > step => {
                    self.try_at((below * above.0).sqrt())?;
                }
                (Some(_), Some(_)) => {
                    let error = |place: usize| of(&self.tried[place].1).map_or(0.0, |p| p.error);
                    let spread = error(next).max(error(next - 1));
                    let at = |probability| read_off(&curve, probability);
                    let error = (at(probability + spread) - at(probability - spread)) / 2.0;
                    return Ok(Some(Least { value: at(probability), error }));
                }
                (None, None) => return Ok(None),
            }
        }
    }

    fn try_at(&mut self, value: f64) -> Result<()> {
        let place = self.tried.partition_point(|point| point.0 < value);
        if self.tried.get(place).is_none_or(|point| point.0 != value) {
            let chances = (self.at)(value)?;
            self.tried.insert(place, (value, chances));
        }
        Ok(())
    }

    /// The rising curve that is nearest to the results of all tries.
    fn rising(&self, of: Of) -> Option<Vec<(f64, f64)>> {
        // Means of pools, and the number of points in each.
        let mut pools: Vec<(f64, usize)> = Vec::new();
        for (_, chances) in &self.tried {
            let mut pool = (of(chances)?.mean, 1);
            while let Some(last) = pools.pop_if(|last| last.0 > pool.0) {
                let size = last.1 + pool.1;
                let sum = last.0 * last.1 as f64 + pool.0 * pool.1 as f64;
                pool = (sum / size as f64, size);
            }
            pools.push(pool);
        }
        let means = pools.iter().flat_map(|pool| std::iter::repeat_n(pool.0, pool.1));
        Some(self.tried.iter().map(|point| point.0).zip(means).collect())
    }
}

/// The value at which a rising curve reaches a height, between its ends.
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

    fn chances(mean: f64) -> Chances {
        let found = Probability { mean, error: 0.02 };
        Chances { found, significant: None }
    }

    fn range(low: f64, high: f64) -> Range {
        Range { low, high, start: 0.3, factor: 2.0, step: 1.02 }
    }

    const FOUND: Of = |chances| Some(chances.found);

    #[test]
    fn least_values_of_a_known_curve() {
        let mut tries = 0;
        let mut response = Response::new(range(1e-3, 1.0), |x: f64| {
            tries += 1;
            Ok(chances(1.0 - (-(x / 0.1).powi(2)).exp()))
        });
        for p in [0.5f64, 0.9, 0.99] {
            let exact = 0.1 * (-(1.0 - p).ln()).sqrt();
            let found = response.least(FOUND, p).unwrap().unwrap();
            assert!((found.value / exact - 1.0).abs() < 0.002, "{p}: {found:?} {exact}");
        }
        // The slope of the curve at the median turns 0.02 into this.
        let found = response.least(FOUND, 0.5).unwrap().unwrap();
        let slope = 2.0 * 0.1 * 0.5f64.recip().ln().sqrt() / 0.01 * 0.5;
        assert!((found.error * slope / 0.02 - 1.0).abs() < 0.4, "{found:?}");
        assert_eq!(response.least(|chances| chances.significant, 0.5).unwrap(), None);
        assert!(tries < 30, "{tries}");
    }

    #[test]
    fn unreachable_and_trivial_targets() {
        let mut never = Response::new(range(0.1, 1.0), |_| Ok(chances(0.3)));
        assert_eq!(never.least(FOUND, 0.5).unwrap(), None);
        assert_eq!(never.least(FOUND, 0.2).unwrap(), Some(Least { value: 0.0, error: 0.0 }));
    }

    /// A dip of the simulation does not mislead the search.
    #[test]
    fn dips_do_not_mislead_the_search() {
        let dip = |x: f64| if (0.3..0.35).contains(&x) { -0.1 } else { 0.0 };
        let mut response = Response::new(range(0.1, 1.0), |x: f64| Ok(chances(x + dip(x))));
        let found = response.least(FOUND, 0.5).unwrap().unwrap();
        assert!((found.value - 0.5).abs() < 0.01, "{found:?}");
    }
}
