//! The number of rows needed to find the true features of synthetic designs.
//!
//! Values are clipped at a number of known standard deviations around the known center 0, mapped to
//! the library's integer grid and summed by its `CorrelationSums`; its mechanisms draw from these
//! scores. The experiment thus measures exactly the mechanism of a release.

mod cells;
mod page;
mod refined;
mod rows_needed;
mod statements;

use dpsis::Result;
use dpsis::report::Section;

use crate::experiments::designs::cells::{DESIGNS, FEATURES, measure, sizes};
use crate::experiments::designs::page::{section, write_data};
use crate::experiments::experiment::Experiment;

/// Runs the experiment.
pub(super) fn run(experiment: &Experiment<'_>) -> Result<Section> {
    let settings = FEATURES.iter().flat_map(|p| DESIGNS.iter().map(move |name| (*name, *p)));
    let settings: Vec<_> = settings.collect();
    let mut cells = Vec::new();
    for (i, (name, features)) in settings.iter().enumerate() {
        let doing = format!("designs: {name}, {features} features");
        (experiment.progress)(&doing, i as f64 / settings.len() as f64);
        cells.extend(measure(experiment, name, *features, sizes(*features))?);
    }
    write_data(experiment, &cells)?;
    let mut section = section(experiment, &cells)?;
    (experiment.progress)("designs: refined selections", 1.0);
    section.blocks.extend(refined::blocks(experiment)?);
    Ok(section)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::experiment::with;

    #[test]
    fn a_small_run_writes_its_files() {
        with(3, 2, |experiment| {
            let section = run(experiment).unwrap();
            assert!(section.blocks.len() > 5);
            for file in
                ["designs.csv", "designs-rows.csv", "designs-exact-100.svg", "designs-refined.csv"]
            {
                assert!(experiment.output.path().join(file).exists(), "{file}");
            }
        });
    }
}
