//! The error of the counts of private top-k items: the experiments of "A Joint Exponential
//! Mechanism for Differentially Private Top-k Set" (2020), with the mechanisms of this library.

mod cells;
mod counts;
mod page;
mod statements;

use dpsis::Result;
use dpsis::report::Section;

use crate::experiments::experiment::Experiment;
use crate::experiments::joint::cells::{measure, times};
use crate::experiments::joint::counts::{ItemCounts, ratings};
use crate::experiments::joint::page::{section, write_data};

/// Runs the experiment.
pub(super) fn run(experiment: &Experiment<'_>) -> Result<Section> {
    let all = [ItemCounts::Uniform, ratings(experiment.data)?];
    let mut cells = Vec::new();
    for (i, counts) in all.iter().enumerate() {
        for d in counts.sizes() {
            let doing = format!("joint: {}, d = {d}", counts.name());
            (experiment.progress)(&doing, 0.3 * i as f64);
            cells.extend(measure(experiment, counts, d)?);
        }
    }
    (experiment.progress)("joint: run time", 0.6);
    let seconds = times(experiment)?;
    write_data(experiment, &cells, &seconds)?;
    section(experiment, &cells, &seconds, all[1].name())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::experiment::with;

    #[test]
    fn a_small_run_writes_its_files() {
        with(3, 2, |experiment| {
            assert!(run(experiment).unwrap().blocks.len() > 5);
            for file in ["joint.csv", "joint-seconds.csv", "joint-uniform-1.svg"] {
                assert!(experiment.output.path().join(file).exists(), "{file}");
            }
        });
    }
}
