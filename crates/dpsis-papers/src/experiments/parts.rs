//! Building blocks for the sections of the page.

use dpsis::Result;
use dpsis::report::{Agreement, Block};
use dpsis_eval::Estimate;

use crate::experiments::experiment::Experiment;
use dpsis_eval::figure::{CurveChart, CurvePoint};

/// Writes a drawing to `NAME.svg` and returns it as a block that links to the data at `data`.
pub(super) fn figure(
    experiment: &Experiment<'_>,
    name: &str,
    svg: String,
    caption: &str,
    data: &str,
) -> Result<Block> {
    experiment.output.write(&format!("{name}.svg"), &svg)?;
    Ok(Block::Figure { svg, caption: caption.into(), data_href: Some(data.into()) })
}

/// Draws a chart and returns it as [`figure`] does.
pub(super) fn curves(
    experiment: &Experiment<'_>,
    name: &str,
    chart: &CurveChart,
    caption: &str,
    data: &str,
) -> Result<Block> {
    figure(experiment, name, chart.svg()?, caption, data)
}

/// A point for a share with its 95% band, clipped to [0, 1].
pub(super) fn share_at(x: f64, share: &Estimate) -> CurvePoint {
    let (low, high) = share.band();
    CurvePoint { x, y: share.mean, low: low.max(0.0), high: high.min(1.0) }
}

/// A statement of a paper.
pub(super) struct Given<'a> {
    pub(super) statement: &'a str,
    pub(super) source: &'a str,
    pub(super) paper: &'a str,
}

impl Given<'_> {
    /// Returns a comparison with our result, the agreement and an explanation.
    pub(super) fn against(&self, ours: String, agreement: Agreement, note: &str) -> Block {
        Block::Comparison {
            statement: self.statement.into(),
            source: self.source.into(),
            paper: self.paper.into(),
            ours,
            agreement,
            note: note.into(),
        }
    }
}

/// A paragraph.
pub(super) fn paragraph(text: &str) -> Block {
    Block::Paragraph(text.into())
}

/// A row of a table.
pub(super) fn row(cells: &[&str]) -> Vec<String> {
    cells.iter().map(|cell| (*cell).to_owned()).collect()
}
