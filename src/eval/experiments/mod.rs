//! The papers' experiments, one a file.

mod designs;
mod designs_page;
mod designs_statements;
mod joint;
mod joint_page;
mod parts;
mod theorem41;
mod theorem41_noise;
mod theorem41_page;

use std::path::Path;

use crate::error::Result;
use crate::eval::output::OutputFolder;
use crate::report::Section;

/// What an experiment runs with.
pub(crate) struct Experiment<'a> {
    /// Where figures and data go.
    pub(crate) output: &'a OutputFolder,
    /// The folder of public data sets, where one is stated.
    pub(crate) data: Option<&'a Path>,
    /// Repetitions.
    pub(crate) trials: u64,
    pub(crate) seed: u64,
    pub(crate) threads: usize,
    /// Called with what is being done and the share of it that is done.
    pub(crate) progress: &'a dyn Fn(&str, f64),
}

/// Runs, writes `NAME.csv` and `NAME.svg`, and returns its part of the page.
pub(crate) type Run = fn(&Experiment<'_>) -> Result<Section>;

/// All experiments by their names.
#[allow(dead_code, reason = "for the command line")]
pub(crate) const ALL: &[(&str, Run)] =
    &[("designs", designs::run), ("theorem4.1", theorem41::run), ("joint", joint::run)];
