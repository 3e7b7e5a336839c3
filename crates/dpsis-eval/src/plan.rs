//! A power analysis as files: a page with a figure, and its data.

use std::path::Path;

use dpsis::forecast::{Least, Needed, PlanRecord};
use dpsis::job::{Answer, Job};
use dpsis::report::{self, Block, Level, Notice, Page, Section, to_json};
use dpsis::{Result, Source};

use crate::charts::number;
use crate::figure::{Curve, CurveChart, CurvePoint, Reference, nothing_to_draw};
use crate::output::OutputFolder;

const EPSILONS: &str = "epsilon.csv";

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

/// Writes `plan.json`, the effect sizes over epsilon as CSV, the figure as SVG and the page
/// `index.html`.
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
    folder.write_csv(EPSILONS, &header, &lines.collect::<Vec<Vec<String>>>())?;
    let mut sections =
        vec![Section::new("answer", "Answer", vec![Block::Paragraph(report::answer(record))])];
    if record.over.len() > 1 {
        let svg = chart(record)?;
        folder.write("epsilon.svg", &svg)?;
        let caption = "The least effect size, with bands of two standard errors of the simulation. A curve begins \
                       where some effect size is enough.";
        let figure =
            Block::Figure { svg, caption: caption.into(), data_href: Some(EPSILONS.into()) };
        sections.push(Section::new("epsilon", "Over epsilon", vec![figure]));
    }
    let details = report::details(record).into_iter();
    let details = Block::Table {
        caption: String::new(),
        header: Vec::new(),
        rows: details.map(|(label, words)| vec![label.to_owned(), words]).collect(),
    };
    sections.push(Section::new("details", "Details", vec![details]));
    let note = "No data were read: everything follows from public numbers.";
    let title = "Power analysis of a private selection";
    let page = Page::new(title, sections).notices(vec![Notice::new(Level::Note, note)]);
    folder.write_page(&page)
}

/// The effect sizes over epsilon.
fn chart(record: &PlanRecord) -> Result<String> {
    type Of = fn(&Needed) -> Option<Least>;
    let curves: [(&str, Of); 4] = [
        ("significant, half of all runs", |needed| needed.significant[0]),
        ("significant, nine in ten", |needed| needed.significant[1]),
        ("found, half of all runs", |needed| needed.found[0]),
        ("found, nine in ten", |needed| needed.found[1]),
    ];
    // Without k only significant features are selected.
    let drawn = if record.k.is_some() { &curves[..] } else { &curves[..2] };
    let curve = |(label, of): &(&str, Of)| {
        let points = record.over.iter().filter_map(|at| {
            let least = of(&at.needed).filter(|least| least.value > 0.0)?;
            let (y, band) = (least.value, 2.0 * least.error);
            let low = (y - band).max(y / 2.0);
            Some(CurvePoint {
                x: number(&at.epsilon.to_string()),
                y,
                low,
                high: (y + band).min(1.0),
            })
        });
        Curve { label: (*label).to_owned(), points: points.collect() }
    };
    let curves: Vec<Curve> =
        drawn.iter().map(curve).filter(|curve| !curve.points.is_empty()).collect();
    let effect = report::effect_size(record.score.id);
    let title = format!("{effect} that a selection needs");
    if curves.is_empty() {
        return Ok(nothing_to_draw(&title, "no effect size is enough at any of these epsilons"));
    }
    let chart = CurveChart {
        title,
        x_label: "total epsilon".into(),
        y_label: effect.into(),
        x_log: true,
        y_log: true,
        y_range: None,
        curves,
        references: vec![Reference {
            label: "largest without association".into(),
            y: record.largest_null,
        }],
    };
    chart.svg()
}

fn cell(least: &Option<Least>) -> String {
    least.map_or_else(String::new, |least| format!("{:.6}", least.value))
}
