//! Power analyses as HTML pages: the answer, and the effect sizes that other epsilons need.

use super::front;
use super::page::{Block, CurvePoint, Heading, Level, Notice, Page, Section};
use super::plan::{answer, details, effect_size, wanted_in_words};
use crate::forecast::{Needed, PlanRecord};

/// The page of a power analysis, without the JSON record.
pub(super) fn page_of_plan(record: &PlanRecord, heading: &Heading) -> Page {
    let mut first = vec![Block::Paragraph(answer(record))];
    let wanted = record.wanted.as_ref().map(|wanted| wanted_in_words(record, wanted));
    first.extend(wanted.map(Block::Paragraph));
    first.extend(curve_of_plan(record));
    let rows = details(record).into_iter().map(|(label, words)| {
        let label = if label.is_empty() { "otherwise" } else { label };
        vec![label.to_owned(), words]
    });
    let details = front::table_of("", rows.collect());
    let sections = vec![
        Section::new("answer", "Answer", first),
        Section::new("details", "Details", vec![details]),
    ];
    let title = "Power analysis of a private selection".to_owned();
    let note = "No data were read: everything follows from public numbers.";
    front::page(heading, title, &[], sections).notices(vec![Notice::new(Level::Note, note)])
}

/// The effect sizes over epsilon, if there are several epsilons at which some effect size is
/// enough.
pub(super) fn curve_of_plan(record: &PlanRecord) -> Option<Block> {
    let of = |needed: &Needed| if record.tested { needed.significant } else { needed.found };
    let points: Vec<CurvePoint> = record
        .over
        .iter()
        .filter_map(|at| {
            let [half, most] = of(&at.needed);
            let half = half?;
            let upper = most.map_or(1.0, |most| most.value).max(half.value);
            Some(CurvePoint { x: at.epsilon.to_f64(), y: half.value, upper })
        })
        .collect();
    if points.len() < 2 {
        return None;
    }
    let done = if record.tested { "significant" } else { "found" };
    let name = effect_size(record.score.id);
    let texts: Vec<String> =
        points.iter().map(|point| format!("epsilon {} {:.2}", point.x, point.y)).collect();
    Some(Block::Curve {
        caption: format!(
            "The line: the least {name} with which a feature is {done} in half of all runs. The area reaches up to nine \
             runs of ten. The curve begins at the epsilon from which some effect size is enough."
        ),
        label: format!("{name} needed in half of all runs: {}", texts.join("; ")),
        points,
        axes: ["epsilon".to_owned(), format!("{name} needed")],
    })
}
