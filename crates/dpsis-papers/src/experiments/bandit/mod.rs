//! Two-armed bandits whose arms change places: section IX and appendix H of "Private Selection with
//! Heterogeneous Sensitivities" (2025).
//!
//! At each step a policy takes an arm and sees its reward. Private policies keep hybrid counters
//! and private quantiles of the rewards of each arm, and take an arm by a private selection.

mod cells;
mod page;
mod policy;
mod rewards;
mod statements;

use dpsis::Result;
use dpsis::report::Section;

use crate::experiments::bandit::cells::measure;
use crate::experiments::bandit::page::{section, write_data};
use crate::experiments::experiment::Experiment;

/// Runs the experiment.
pub(super) fn run(experiment: &Experiment<'_>) -> Result<Section> {
    let outcomes = measure(experiment)?;
    write_data(experiment, &outcomes)?;
    section(experiment, &outcomes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::experiment::with;

    #[test]
    fn a_small_run_writes_its_files() {
        with(2, 2, |experiment| {
            assert!(run(experiment).unwrap().blocks.len() > 10);
            for file in ["bandit.csv", "bandit-reward.svg", "bandit-means-0.svg"] {
                assert!(experiment.output.path().join(file).exists(), "{file}");
            }
        });
    }
}
