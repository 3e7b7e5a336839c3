//! Bars over consecutive whole numbers, such as how often each feature was selected.

use dpsis::{Error, Result};
use serde::Serialize;

use crate::figure::axis::{PlotAxis, Tick, extent, tip};
use crate::figure::palette::INK;
use crate::figure::plot::{
    Legend, LegendMark, MARGIN, Plot, Reference, WIDTH, bar_paint, left_margin, no_data, title,
    y_label,
};
use crate::figure::svg::{Anchor, Drawing, Paint, TextStyle};
use crate::figure::words::{counted, width_of, wrapped};

/// A bar chart of one or more series, side by side or in panels below each other.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BarChart {
    /// The title.
    pub title: String,
    /// The name of the horizontal axis.
    pub x_label: String,
    /// The name of the vertical axis.
    pub y_label: String,
    /// The series: a name and one number per place. A number that is not finite has no bar.
    pub series: Vec<(String, Vec<f64>)>,
    /// The number of the first place; the following places count up by 1.
    pub first_x: i64,
    /// A horizontal reference line.
    pub reference: Option<Reference>,
    /// Whether each series has its own panel; all panels share one scale.
    pub panels: bool,
}

/// The height of a panel's name.
const NAME: f64 = 22.0;
/// The height below a panel, for the labels of its axis.
const GAP: f64 = 34.0;

impl BarChart {
    /// Draws the figure as an SVG document.
    ///
    /// # Errors
    ///
    /// `Request` if the series differ in length.
    pub fn svg(&self) -> Result<String> {
        let places = self.series.first().map_or(0, |(_, values)| values.len());
        if self.series.iter().any(|(_, values)| values.len() != places) {
            return Err(Error::request("the series of a bar chart need the same number of bars"));
        }
        let values = self.series.iter().flat_map(|(_, values)| values).copied();
        let Some((low, high)) = extent(values) else { return Ok(no_data(&self.title)) };
        let line = self.reference.iter().map(|reference| reference.y);
        let (low, high) = extent([0.0, low, high].into_iter().chain(line)).unwrap_or((0.0, 1.0));
        let y = if low < high { PlotAxis::around(low, high) } else { PlotAxis::exact(0.0, 1.0) };

        let mut drawing = Drawing::new();
        let start = title(&mut drawing, &self.title, WIDTH);
        let panels = if self.panels { self.series.len() } else { 1 };
        let height = if panels == 1 { 290.0 } else { (400.0 / panels as f64).max(90.0) };
        let named = if self.panels { NAME } else { 0.0 };
        let total = (height + named) * panels as f64 + GAP * (panels - 1) as f64;
        let left = left_margin(&y, &self.y_label, total);
        let width = WIDTH - left - 2.0 * MARGIN;
        let x = whole_numbers(self.first_x, places, width);
        let top = |panel: usize| start + named + (height + named + GAP) * panel as f64;
        let mut plot = Plot { left, top: start, width, height, x, y };
        y_label(&mut drawing, &self.y_label, start, total);
        for panel in 0..panels {
            plot.top = top(panel);
            self.panel(&mut drawing, &plot, panel);
        }
        let bottom = plot.x_label(&mut drawing, &self.x_label);

        let shown = |i: usize| !self.panels && (self.series.len() > 1 || i > 0);
        let bars = self.series.iter().enumerate().filter(|(i, _)| shown(*i));
        let bars = bars.map(|(i, (label, _))| (self.legend_mark(i), label.as_str()));
        let line =
            self.reference.iter().map(|line| (LegendMark::Reference(0), line.label.as_str()));
        let legend = Legend::new(bars.chain(line));
        let bottom = legend.rows(&mut drawing, left, bottom + 10.0, width);
        let about = format!(
            "{} for {}: {}",
            self.y_label,
            self.x_label,
            counted(self.series.len(), "series").trim_end_matches('s')
        );
        Ok(drawing.finish((WIDTH, bottom + MARGIN), &self.title, &about))
    }

    fn legend_mark(&self, index: usize) -> LegendMark {
        LegendMark::Bar { series: index, hollow: self.is_hollow(index) }
    }

    /// Whether a series is drawn hollow: every second one of series that stand side by side.
    fn is_hollow(&self, index: usize) -> bool {
        !self.panels && index % 2 == 1
    }

    fn panel(&self, drawing: &mut Drawing, plot: &Plot, panel: usize) {
        let shown = if self.panels { panel..panel + 1 } else { 0..self.series.len() };
        if self.panels {
            let label = wrapped(&self.series[panel].0, 13.0, plot.width, 1).concat();
            let style = TextStyle { bold: true, ..TextStyle::new(13.0, INK, Anchor::Start) };
            drawing.text((plot.left, plot.top - 8.0), style, &label);
        }
        plot.y_ticks(drawing);
        for (nth, i) in shown.clone().enumerate() {
            let (label, values) = &self.series[i];
            let slot = plot.width / values.len() as f64;
            let width = slot * if slot > 5.0 { 0.8 } else { 0.9 } / shown.len() as f64;
            for (j, value) in values.iter().enumerate().filter(|(_, value)| value.is_finite()) {
                let number = self.first_x.saturating_add(j as i64);
                let middle = plot.left + slot * (j as f64 + 0.5);
                let x = middle + width * (nth as f64 - shown.len() as f64 / 2.0);
                let (from, to) = (plot.level(value.max(0.0)), plot.level(value.min(0.0)));
                let mut paint = bar_paint(i, self.is_hollow(i));
                // Narrow bars have no outline.
                let inset = if width > 4.0 { 0.5 } else { 0.0 };
                if width <= 4.0 {
                    paint.stroke = None;
                    paint.opacity = if self.is_hollow(i) { 0.55 } else { 0.0 };
                }
                let size = (width - 2.0 * inset, (to - from - inset).max(0.0));
                let text = format!("{label}, {number}: {}", tip(*value));
                drawing.rect((x + inset, from + inset), size, paint, &text);
            }
        }
        if let Some(reference) = &self.reference {
            plot.reference(drawing, 0, reference);
        }
        plot.x_ticks(drawing);
        let zero = plot.level(0.0);
        if zero < plot.bottom() - 0.5 {
            drawing.line((plot.left, zero), (plot.right(), zero), Paint::line(INK, 1.0));
        }
    }
}

/// An axis with room for one bar around each of `count` whole numbers.
fn whole_numbers(first: i64, count: usize, width: f64) -> PlotAxis {
    let low = first as f64 - 0.5;
    let mut axis = PlotAxis::exact(low, low + count as f64);
    let number = |i: usize| first.saturating_add(i as i64);
    let room = |i: usize| width_of(&number(i).to_string(), 12.0) + 12.0;
    let widest = room(0).max(room(count - 1));
    let steps = (0..18).flat_map(|e| [1, 2, 5].map(|m| m * 10_i64.pow(e)));
    let fits = |step: &i64| *step as f64 * width / count as f64 >= widest;
    let step = steps.into_iter().find(fits).unwrap_or(i64::MAX);
    let ticks = (0..count).filter(|i| number(*i) % step == 0);
    let mut ticks: Vec<usize> = ticks.collect();
    // The first number is labeled if there is room.
    if ticks.first().is_none_or(|i| *i as f64 * width / count as f64 >= widest) {
        ticks.insert(0, 0);
    }
    let tick = |i: usize| Tick { value: number(i) as f64, label: number(i).to_string() };
    axis.ticks = ticks.into_iter().map(tick).collect();
    axis
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::markup::is_balanced;

    fn chart(series: &[&[f64]]) -> BarChart {
        let named = |(i, values): (usize, &&[f64])| (format!("<{i}>"), values.to_vec());
        BarChart {
            title: "how often".into(),
            x_label: "feature".into(),
            y_label: "share of runs".into(),
            series: series.iter().enumerate().map(named).collect(),
            first_x: 1,
            reference: Some(Reference { label: "chance".into(), y: 0.05 }),
            panels: false,
        }
    }

    #[test]
    fn strange_numbers_draw_something() {
        let hundred = [0.5; 100];
        for series in [
            &[][..],
            &[&[][..]],
            &[&[f64::NAN][..]],
            &[&[0.0][..]],
            &[&[-1.0, 1.0, f64::INFINITY][..]],
            &[&[1e308, -1e308][..]],
            &[&hundred[..], &hundred, &hundred],
        ] {
            for panels in [false, true] {
                let svg = BarChart { panels, ..chart(series) }.svg().unwrap();
                assert!(is_balanced(&svg), "{svg}");
                assert!(!svg.contains("NaN") && !svg.contains("inf"), "{series:?}");
                let drawn = series.iter().any(|values| values.iter().any(|v| v.is_finite()));
                assert_eq!(svg.contains("no data"), !drawn);
            }
        }
        let far = BarChart { first_x: i64::MAX, ..chart(&[&[1.0, 2.0]]) };
        assert!(is_balanced(&far.svg().unwrap()));
    }

    #[test]
    fn series_of_different_lengths_are_refused() {
        assert!(chart(&[&[1.0], &[1.0, 2.0]]).svg().is_err());
    }

    #[test]
    fn whole_numbers_are_labeled_in_steps() {
        let labels = |first, count| -> Vec<String> {
            whole_numbers(first, count, 650.0).ticks.into_iter().map(|tick| tick.label).collect()
        };
        assert_eq!(labels(1, 5), ["1", "2", "3", "4", "5"]);
        let hundred = labels(1, 100);
        assert_eq!(hundred[..3], ["1", "10", "20"]);
        assert_eq!(labels(0, 1), ["0"]);
    }
}
