//! A power analysis as files: a page with a figure, and its data.

use std::path::Path;

use dpsis::forecast::{Least, PlanRecord};
use dpsis::job::{Answer, Job};
use dpsis::report::{to_html, to_json, to_svg};
use dpsis::{Result, Source};

use crate::output::OutputFolder;

/// Runs a job, and writes a power analysis to a folder if one is given: see [`write_plan`].
///
/// # Errors
///
/// `Request` or `Io` if the folder was made by others or cannot be written to; the errors of the
/// job.
pub fn run_job(
    job: &Job,
    folder: Option<&Path>,
    table: Option<&(impl Source + ?Sized)>,
) -> Result<Answer> {
    let open = |path: &Path| {
        // A job that is refused leaves no folder.
        job.check()?;
        OutputFolder::open(path, "plan")
    };
    let folder = folder.map(open).transpose()?;
    let answer = job.run(table)?;
    if let (Some(folder), Some(record)) = (&folder, &answer.plan) {
        write_plan(record, folder)?;
    }
    Ok(answer)
}

/// Writes `plan.json`, the effect sizes over epsilon as CSV, the figure as SVG if there is one, and
/// the page `index.html`.
///
/// # Errors
///
/// `Io` if the folder cannot be written to.
pub fn write_plan(record: &PlanRecord, folder: &OutputFolder) -> Result<()> {
    folder.write("plan.json", &to_json(record)?)?;
    let header = ["epsilon", "found_50", "found_90", "significant_50", "significant_90"];
    let lines = record.over.iter().map(|at| {
        let values = at.needed.found.iter().chain(&at.needed.significant);
        [at.epsilon.to_string()].into_iter().chain(values.map(cell)).collect()
    });
    folder.write_csv("epsilon.csv", &header, &lines.collect::<Vec<Vec<String>>>())?;
    if let [figure, ..] = &to_svg(record)[..] {
        folder.write("epsilon.svg", figure)?;
    }
    folder.write("index.html", &to_html(record)?)
}

fn cell(least: &Option<Least>) -> String {
    least.map_or_else(String::new, |least| format!("{:.6}", least.value))
}
