//! The bound of theorem 4.1 of "Feature Selection from Differentially Private Correlations"
//! compared with the mechanism itself.
//!
//! # The hardest scores
//!
//! Let the k-th best score exceed the next by the gap xi, in units of the sensitivity. Every set
//! but the best one has a handicap of at least a xi with a = gamma eps/2, and exactly a xi if the k
//! best scores are equal and all others are equal: no scores with that gap are recovered less
//! often. With C = C(d, k) and p = e^(-a xi) the best set then wins with probability
//!
//! ```text
//! integral from 0 to 1 of (1 - p t)^(C - 1) dt = (1 - (1 - p)^C)/(C p),
//! ```
//!
//! which is about 1 - C p/2 where that is near 1. The theorem's bound is 1 - C p: its failure
//! probability is twice the true one.

mod cells;
mod noise;
mod noise_page;
mod page;
mod statements;

use dpsis::Result;
use dpsis::report::Section;

use crate::experiments::experiment::Experiment;
use crate::experiments::theorem41::cells::{SETTINGS, Setting, measure};
use crate::experiments::theorem41::noise::noises;
use crate::experiments::theorem41::page::{section, write_data};

/// Runs the experiment.
pub(super) fn run(experiment: &Experiment<'_>) -> Result<Section> {
    let mut cells = Vec::new();
    for (i, setting) in SETTINGS.iter().enumerate() {
        let Setting { d, k, .. } = setting;
        let doing = format!("theorem 4.1: d = {d}, k = {k}");
        (experiment.progress)(&doing, i as f64 / (SETTINGS.len() + 1) as f64);
        cells.extend(measure(experiment, setting)?);
    }
    (experiment.progress)("theorem A.3", SETTINGS.len() as f64 / (SETTINGS.len() + 1) as f64);
    let noises = noises(experiment)?;
    write_data(experiment, &cells, &noises)?;
    section(experiment, &cells, &noises)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::experiment::with;

    #[test]
    fn a_small_run_writes_its_files() {
        with(3, 2, |experiment| {
            assert!(run(experiment).unwrap().blocks.len() > 5);
            for file in ["theorem4.1.csv", "theorem4.1-noise.csv", "theorem4.1.svg"] {
                assert!(experiment.output.path().join(file).exists(), "{file}");
            }
        });
    }
}
