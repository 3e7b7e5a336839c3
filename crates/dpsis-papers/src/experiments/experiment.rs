//! The settings that every experiment runs with.

use dpsis_eval::OutputFolder;
use std::path::Path;

/// The settings of a run of experiments.
pub struct Experiment<'a> {
    /// The folder for figures and data.
    pub output: &'a OutputFolder,
    /// The folder of public data sets, if any.
    pub data: Option<&'a Path>,
    /// A file of interactions of users with items, if any.
    pub interactions: Option<&'a Path>,
    /// The number of repetitions, at least 2.
    pub trials: u64,
    /// The seed of all draws.
    pub seed: u64,
    /// The number of threads; results do not depend on it.
    pub threads: usize,
    /// Called with the current step and the share of the experiment that is complete, from 0 to 1.
    pub progress: &'a (dyn Fn(&str, f64) + Sync),
}

/// Calls a function with settings whose output folder is temporary.
#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failing test panics")]
pub(super) fn with<T>(trials: u64, threads: usize, use_it: impl Fn(&Experiment<'_>) -> T) -> T {
    let folder = tempfile::tempdir().unwrap();
    let output = OutputFolder::open(folder.path(), "reproduce").unwrap();
    let progress = |_: &str, _: f64| ();
    use_it(&Experiment {
        output: &output,
        data: None,
        interactions: None,
        trials,
        seed: 1,
        threads,
        progress: &progress,
    })
}
