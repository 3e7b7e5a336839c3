//! The experiments of "Private Selection with Heterogeneous Sensitivities" (2025) on synthetic
//! candidates.
//!
//! Candidates have a score and a sensitivity each; the mechanisms of the library draw one of them.
//! Unless an experiment differs there are 100 candidates and a hundred trials for each repetition,
//! 10,000 by default, as in the paper.

mod candidates;
mod claims;
mod conditions;
mod errors;
mod exceptions;
mod instances;
mod page;
mod polarized;
mod rising;
mod scenarios;
mod several;
mod share;
mod simple;
mod two_candidates;

pub(super) use conditions::run as conditions;
pub(super) use exceptions::run as exceptions;
pub(super) use polarized::run as polarized;
pub(super) use rising::run as rising_correlation;
pub(super) use several::run as several_picks;
pub(super) use share::run as share_of_high;
pub(super) use simple::{bimodal_scenarios, drawn_scenarios};
pub(super) use two_candidates::run as two_candidates;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::experiment::{Experiment, with};
    use dpsis::Result;
    use dpsis::report::Section;

    type Run = fn(&Experiment<'_>) -> Result<Section>;

    const ALL: [(Run, &str, &str); 7] = [
        (bimodal_scenarios, "scenarios-1-3.csv", "scenario-1-errors.svg"),
        (drawn_scenarios, "scenarios-4-6.csv", "scenario-4-candidates.svg"),
        (rising_correlation, "rising-correlation.csv", "rising-correlation-1.svg"),
        (polarized, "polarized.csv", "scenario-7-groups.svg"),
        (share_of_high, "share-of-high.csv", "share-of-high-no.svg"),
        (two_candidates, "two-candidates.csv", "two-candidates-rs-0.05.svg"),
        (exceptions, "exceptions.csv", "largest-noise.svg"),
    ];

    #[test]
    fn small_runs_write_their_files_and_do_not_depend_on_threads() {
        for (run, data, drawing) in ALL {
            let written = |threads| {
                with(2, threads, |experiment| {
                    assert!(run(experiment).unwrap().blocks.len() > 4);
                    assert!(experiment.output.path().join(drawing).exists(), "{drawing}");
                    std::fs::read_to_string(experiment.output.path().join(data)).unwrap()
                })
            };
            assert_eq!(written(1), written(3), "{data}");
        }
    }

    #[test]
    fn random_instances_do_not_depend_on_threads() {
        let written = |threads| {
            with(2, threads, |experiment| {
                conditions(experiment).unwrap();
                several_picks(experiment).unwrap();
                ["conditions.csv", "several-picks.csv"].map(|file| {
                    std::fs::read_to_string(experiment.output.path().join(file)).unwrap()
                })
            })
        };
        assert_eq!(written(1), written(2));
    }
}
