//! Findings: the strengths of the picks, whether they are beyond chance, and their directions.

use crate::estimate::{Counted, private_strengths};
use crate::privacy::Purpose;
use crate::random::RandomnessSource;
use crate::select::plan::Plan;
use crate::select::settled::{Exact, Settled};

/// The findings about the picks, in their order.
pub(super) struct Findings {
    pub(super) strengths: Vec<f64>,
}

pub(super) fn findings(
    plan: &Plan,
    settled: &Settled,
    counted: &Counted,
    exact: &Exact,
    randomness: &RandomnessSource,
) -> Findings {
    let _ = (settled, counted);
    let sensitivity = plan.neighbors.steps() * exact.one_row;
    let strengths = match &plan.estimates {
        Some(epsilon) => {
            let bits = randomness.bits(Purpose::Estimates.draw());
            private_strengths(&exact.strengths, sensitivity, epsilon, &bits)
        }
        None => Vec::new(),
    };
    Findings { strengths: strengths.iter().map(|&s| s as f64 / exact.one_row as f64).collect() }
}
