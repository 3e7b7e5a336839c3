//! The settings that every experiment runs with.

use std::path::Path;

use crate::output::OutputFolder;

/// What an experiment runs with.
pub struct Experiment<'a> {
    /// Where figures and data go.
    pub output: &'a OutputFolder,
    /// The folder of public data sets, where one is stated.
    pub data: Option<&'a Path>,
    /// Repetitions.
    pub trials: u64,
    /// The seed of all draws.
    pub seed: u64,
    /// How many threads draw; the result does not depend on it.
    pub threads: usize,
    /// Called with what is being done and the share of it that is done.
    pub progress: &'a (dyn Fn(&str, f64) + Sync),
}

/// Runs something within a frame that writes to a folder which is then gone.
#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "in a test a panic is how a failure is said")]
pub(super) fn with<T>(trials: u64, threads: usize, use_it: impl Fn(&Experiment<'_>) -> T) -> T {
    let folder = tempfile::tempdir().unwrap();
    let output = OutputFolder::open(folder.path(), "reproduce").unwrap();
    let progress = |_: &str, _: f64| ();
    use_it(&Experiment {
        output: &output,
        data: None,
        trials,
        seed: 1,
        threads,
        progress: &progress,
    })
}
