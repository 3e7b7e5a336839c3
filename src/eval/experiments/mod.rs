//! The papers' experiments, one a file.

mod designs;
mod designs_page;
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

#[cfg(test)]
mod look {
    use super::*;
    use crate::report::Page;

    #[test]
    #[ignore = "temporary"]
    fn look() {
        let folder = Path::new("target/look");
        let output = OutputFolder::open(folder).unwrap();
        let only = std::env::var("ONLY").unwrap_or_default();
        let trials = std::env::var("TRIALS").map_or(100, |t| t.parse().unwrap());
        let mut sections = Vec::new();
        for (name, run) in ALL {
            if !only.is_empty() && only != *name {
                continue;
            }
            let start = std::time::Instant::now();
            let progress = |_: &str, _: f64| ();
            let experiment = Experiment { output: &output, data: None, trials, seed: 1, threads: 2, progress: &progress };
            let section = run(&experiment).unwrap();
            eprintln!("{name}: {:?}", start.elapsed());
            for block in &section.blocks {
                if let crate::report::Block::Comparison { statement, paper, ours, verdict, note, .. } = block {
                    eprintln!("- {statement}\n    paper: {paper}\n    ours: {ours}\n    {verdict:?} {note}");
                }
                if let crate::report::Block::Table { rows, header, .. } = block {
                    eprintln!("{header:?}");
                    rows.iter().for_each(|row| eprintln!("  {}", row.join(" | ")));
                }
            }
            sections.push(section);
        }
        let page = Page { title: "look".into(), sections, ..Page::default() };
        output.write_page(&page).unwrap();
    }
}
