//! The significance threshold of simulated runs.
//!
//! A run computes its threshold from the released counts by thousands of draws. Here these draws are
//! made once, at the exact counts; the threshold at released counts N is that one, moved by as much
//! as its main term, sqrt(2 Lambda w(N))/D(N) (see `estimate/verdict.md`), differs between the two.

use crate::estimate::{ChanceTest, Counted};
use crate::privacy::Purpose;
use crate::random::{Bits, Entropy};
use crate::select::plan::Plan;
use crate::select::reach::Reach;

/// The threshold of a plan at exact counts.
pub(super) struct Thresholds {
    /// In units of the change of a score by one row, less the main term; `None` without one.
    above: Option<f64>,
}

impl Thresholds {
    pub(super) fn new(plan: &Plan, counts: &[f64]) -> Self {
        let above = || {
            let bits = Entropy::Seeded(0).source().ok()?.bits(Purpose::Estimates.draw());
            let test = test(plan, counts)?;
            Some(simulated(plan, &test, &bits)? - test.main_term(counts))
        };
        Self { above: above() }
    }

    /// The threshold at released counts, in rows: of noisy effect sizes, or without k of exact ones;
    /// `None` if there is none.
    pub(super) fn at(&self, plan: &Plan, counted: &Counted) -> Option<f64> {
        let counts = &counted.classes;
        let test = test(plan, counts).filter(ChanceTest::is_possible)?;
        Some((self.above? + test.main_term(counts)) * Reach::one_row(counts))
    }
}

/// The significance test of a plan by these counts.
fn test(plan: &Plan, counts: &[f64]) -> Option<ChanceTest> {
    if plan.request.without_threshold().is_some() {
        return None;
    }
    let steps = plan.request.neighbors.steps() as f64;
    let rate = plan.counting().ok()?.to_f64() / steps;
    let noise = match plan.beyond {
        Some(_) => 0.0,
        None => steps / plan.estimates.as_ref()?.to_f64(),
    };
    plan.chance_test(counts, rate, noise)
}

/// The threshold in units of the change of a score by one row, by draws.
fn simulated(plan: &Plan, test: &ChanceTest, bits: &Bits) -> Option<f64> {
    match &plan.beyond {
        Some(beyond) => test.predict_level(beyond.half(), bits),
        None => test.predict(plan.k, bits),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::RowsEstimate;
    use crate::select::{Select, Target};

    /// At released counts the moved threshold is the one that is simulated there, within 2%.
    #[test]
    fn thresholds_move_with_the_counts() {
        let labels =
            |classes: usize| Target::classes((0..classes).map(|class| format!("c{class}")));
        let k = |classes| Select::new(5).target(labels(classes));
        let all = |classes| Select::beyond_chance().target(labels(classes));
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
            assert!((moved / there - 1.0).abs() < 0.02, "{exact:?}: {moved} {there}");
        }
    }
}
