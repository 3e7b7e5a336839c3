//! The significance threshold of simulated runs.
//!
//! A run computes its threshold from the released counts by thousands of draws. Here these draws
//! are made once, at the exact counts, and the threshold at released counts N is moved from there
//! by the difference of its main term, sqrt(2 Lambda w(N))/D(N) (see `estimate/significance.md`).
//! If the rarest class has few rows compared with the noise of its count, draws are made at two
//! more counts of it, and the difference to the main term is interpolated.

use crate::estimate::{Counted, SignificanceTest};
use crate::privacy::Purpose;
use crate::random::{Bits, Entropy};
use crate::request::plan::Plan;
use crate::request::reach::Reach;

/// A count is small if it is below this multiple of the scale of its noise.
const SMALL: f64 = 40.0;

/// The other two counts differ from a small one by this multiple of the scale.
const COUNT_STEP: f64 = 2.0;

/// The thresholds of a plan.
pub(super) struct Thresholds {
    /// The class with the fewest rows.
    rarest: usize,
    /// Counts of the rarest class, ascending, with the threshold in units of the change of a score
    /// by one row, minus the main term; empty without a threshold.
    above: Vec<(f64, f64)>,
}

impl Thresholds {
    pub(super) fn new(plan: &Plan, counts: &[f64]) -> Self {
        let least = |a: &usize, b: &usize| counts[*a].total_cmp(&counts[*b]);
        let rarest = (0..counts.len()).min_by(least).unwrap_or(0);
        let scale = test(plan, counts).map_or(0.0, |test| 1.0 / test.rate);
        let offs: &[f64] = match counts[rarest] < SMALL * scale {
            true => &[-COUNT_STEP, 0.0, COUNT_STEP],
            false => &[0.0],
        };
        let above = |off: &f64| {
            let mut counts = counts.to_vec();
            counts[rarest] += off * scale;
            let bits = Entropy::Seeded(0).source().ok()?.bits(Purpose::Estimates.draw());
            let test = test(plan, &counts).filter(|_| counts[rarest] > 0.0)?;
            // Thresholds of all classes are as far above their main terms.
            let (largest, term) = (simulated(plan, &test, &bits)?, test.main_terms(&counts));
            let above = largest.last()? - term.last()?;
            Some((counts[rarest], above)).filter(|(_, above)| above.is_finite())
        };
        Self { rarest, above: offs.iter().filter_map(above).collect() }
    }

    /// The threshold of each class of features at released counts, in rows: of noisy effect sizes,
    /// or without k of exact ones; `None` without a threshold.
    pub(super) fn at(&self, plan: &Plan, counted: &Counted) -> Option<Vec<f64>> {
        let counts = &counted.classes;
        let test = test(plan, counts).filter(SignificanceTest::is_possible)?;
        let above = interpolated(&self.above, *counts.get(self.rarest)?)?;
        let terms = test.main_terms(counts).into_iter();
        Some(terms.map(|term| (above + term) * Reach::one_row(counts)).collect())
    }
}

/// The value at a place by a line through the two nearest points; `None` without points.
fn interpolated(points: &[(f64, f64)], x: f64) -> Option<f64> {
    let [(a, y), .., (_, _)] = points else { return points.first().map(|point| point.1) };
    let next = points.iter().position(|point| point.0 > x).unwrap_or(points.len() - 1).max(1);
    let ((low, at_low), (high, at_high)) = (points[next - 1], points[next]);
    // Below the first point the line would fall below the known values.
    if x < *a {
        return Some(y.max(at_low));
    }
    Some(at_low + (x - low) / (high - low) * (at_high - at_low))
}

/// The significance test of a plan with these counts.
fn test(plan: &Plan, counts: &[f64]) -> Option<SignificanceTest> {
    if plan.request.without_threshold().is_some() {
        return None;
    }
    let steps = plan.request.neighbors.steps() as f64;
    let rate = plan.counting().ok()?.to_f64() / steps;
    let noise = match plan.fwer {
        Some(_) => 0.0,
        None => steps / plan.estimates.as_ref()?.rate(plan.k),
    };
    plan.significance_test(counts, rate, noise)
}

/// The threshold of each class in units of the change of a score by one row, by draws.
fn simulated(plan: &Plan, test: &SignificanceTest, bits: &Bits) -> Option<Vec<f64>> {
    match &plan.fwer {
        Some(fwer) => test.predict_level(fwer.half(), bits),
        None => test.predict(plan.k, bits),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::RowsEstimate;
    use crate::request::{Select, Target};

    /// At released counts the moved threshold is within 3% of the threshold simulated there.
    #[test]
    fn thresholds_move_with_the_counts() {
        let labels =
            |classes: usize| Target::classes((0..classes).map(|class| format!("c{class}")));
        let k = |classes| Select::new(5).target(labels(classes));
        let all = |classes| Select::significant().target(labels(classes));
        for (select, exact, noisy) in [
            (k(2), vec![150.0, 150.0], vec![141.0, 158.0]),
            (k(2), vec![450.0, 50.0], vec![458.0, 61.0]),
            (all(2), vec![1000.0, 1000.0], vec![990.0, 1025.0]),
            (all(2), vec![500.0, 100.0], vec![488.0, 107.0]),
            (k(3), vec![200.0, 200.0, 100.0], vec![195.0, 211.0, 93.0]),
        ] {
            let plan = select.epsilon("2").check().unwrap().planned(500).unwrap();
            let usable = RowsEstimate { rows: 0, noise: 0.0 };
            let rate = plan.counting().unwrap().to_f64();
            let counted = Counted { classes: noisy.clone(), rate, usable, unusable: 0 };
            let moved = Thresholds::new(&plan, &exact).at(&plan, &counted).unwrap();
            let there = Thresholds::new(&plan, &noisy).at(&plan, &counted).unwrap();
            assert!((moved[0] / there[0] - 1.0).abs() < 0.03, "{exact:?}: {moved:?} {there:?}");
        }
    }
}
