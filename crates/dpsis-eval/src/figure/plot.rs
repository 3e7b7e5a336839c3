//! Shared parts of figures: title, legend, and a rectangle with axes.

use crate::figure::axis::{PlotAxis, tip};
use crate::figure::palette::{GRID_LINE, INK, MUTED, PAPER, dash, marker, reference_dash, series};
use crate::figure::svg::{Anchor, Drawing, Paint, TextStyle};
use crate::figure::words::{width_of, wrapped};

/// The width of a figure in the units of its view box.
pub(super) const WIDTH: f64 = 760.0;
/// The margin around a figure.
pub(super) const MARGIN: f64 = 10.0;
const LABEL: f64 = 13.0;
const TICK: f64 = 12.0;
const LINE: f64 = 16.0;

/// Draws the title at the top and returns the vertical position below it.
pub(super) fn title(drawing: &mut Drawing, title: &str, width: f64) -> f64 {
    let mut y = MARGIN;
    if title.trim().is_empty() {
        return y + 4.0;
    }
    for line in wrapped(title, 16.0, width - 2.0 * MARGIN, 3) {
        y += 20.0;
        let style = TextStyle { bold: true, ..TextStyle::new(16.0, INK, Anchor::Start) };
        drawing.text((MARGIN, y - 4.0), style, &line);
    }
    y + 12.0
}

/// Draws a figure with the text "no data".
pub(super) fn no_data(title: &str) -> String {
    nothing_to_draw(title, "no data")
}

/// Draws a figure with the reason why nothing is drawn.
pub(crate) fn nothing_to_draw(text: &str, why: &str) -> String {
    let mut drawing = Drawing::new();
    let top = title(&mut drawing, text, WIDTH);
    let (size, frame) = ((WIDTH, top + 160.0), Paint::line(GRID_LINE, 1.0));
    drawing.rect((MARGIN, top), (WIDTH - 2.0 * MARGIN, 150.0), frame, "");
    let style = TextStyle::new(15.0, MUTED, Anchor::Middle);
    let lines = wrapped(why, 15.0, WIDTH - 6.0 * MARGIN, 5);
    let first = top + 80.0 - 10.0 * (lines.len() as f64 - 1.0);
    for (index, line) in lines.iter().enumerate() {
        drawing.text((WIDTH / 2.0, first + 20.0 * index as f64), style, line);
    }
    drawing.finish(size, text, why)
}

/// A rectangle with two axes.
pub(super) struct Plot {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) x: PlotAxis,
    pub(super) y: PlotAxis,
}

impl Plot {
    pub(super) fn at(&self, x: f64, y: f64) -> (f64, f64) {
        (self.left + self.x.place(x) * self.width, self.level(y))
    }

    pub(super) fn level(&self, y: f64) -> f64 {
        self.top + (1.0 - self.y.place(y)) * self.height
    }

    pub(super) fn right(&self) -> f64 {
        self.left + self.width
    }

    pub(super) fn bottom(&self) -> f64 {
        self.top + self.height
    }

    /// Draws the grid lines and the labels of the vertical axis.
    pub(super) fn y_ticks(&self, drawing: &mut Drawing) {
        for tick in &self.y.ticks {
            let y = self.level(tick.value);
            drawing.line((self.left, y), (self.right(), y), Paint::line(GRID_LINE, 1.0));
            let style = TextStyle::new(TICK, MUTED, Anchor::End);
            drawing.text((self.left - 8.0, y + 4.2), style, &tick.label);
        }
    }

    /// Draws the horizontal axis with its labels.
    pub(super) fn x_ticks(&self, drawing: &mut Drawing) {
        let bottom = self.bottom();
        drawing.line((self.left, bottom), (self.right(), bottom), Paint::line(INK, 1.0));
        for tick in &self.x.ticks {
            let x = self.at(tick.value, 0.0).0;
            drawing.line((x, bottom), (x, bottom + 5.0), Paint::line(INK, 1.0));
            let style = TextStyle::new(TICK, MUTED, Anchor::Middle);
            drawing.text((x, bottom + 19.0), style, &tick.label);
        }
    }

    /// Draws the name of the horizontal axis and returns the vertical position below it.
    pub(super) fn x_label(&self, drawing: &mut Drawing, label: &str) -> f64 {
        x_label(drawing, label, (self.left, self.width), self.bottom() + 26.0)
    }

    /// Draws a horizontal reference line with its label as a tooltip.
    pub(super) fn reference(&self, drawing: &mut Drawing, index: usize, reference: &Reference) {
        if !reference.y.is_finite() || !self.y.holds(reference.y) {
            return;
        }
        let (left, y) = (self.left, self.level(reference.y));
        let data = format!("M{left:.1},{y:.1}H{:.1}", self.right());
        let text = format!("{}: {}", reference.label, tip(reference.y));
        drawing.path(&data, reference_paint(index), &text);
    }
}

/// A horizontal dashed reference line.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Reference {
    /// The name in the legend.
    pub label: String,
    /// The position on the vertical axis.
    pub y: f64,
}

fn reference_paint(index: usize) -> Paint<'static> {
    Paint { dash: reference_dash(index), ..Paint::line(INK, 1.3) }
}

/// Draws a centered name below `y` and returns the vertical position below it.
pub(super) fn x_label(
    drawing: &mut Drawing,
    label: &str,
    (left, width): (f64, f64),
    mut y: f64,
) -> f64 {
    if !label.trim().is_empty() {
        for line in wrapped(label, LABEL, width, 2) {
            y += LINE;
            let style = TextStyle::new(LABEL, INK, Anchor::Middle);
            drawing.text((left + width / 2.0, y), style, &line);
        }
    }
    y
}

/// Draws the name of a vertical axis, rotated and centered between `top` and `top + height`.
pub(super) fn y_label(drawing: &mut Drawing, label: &str, top: f64, height: f64) {
    for (index, line) in wrapped(label, LABEL, height, 2).iter().enumerate() {
        let at = (MARGIN + 12.0 + LINE * index as f64, top + height / 2.0);
        let style = TextStyle { turn: -90.0, ..TextStyle::new(LABEL, INK, Anchor::Middle) };
        drawing.text(at, style, line);
    }
}

/// The width left of a plot that the name and the labels of the vertical axis need.
pub(super) fn left_margin(y: &PlotAxis, label: &str, height: f64) -> f64 {
    let ticks = y.ticks.iter().map(|tick| width_of(&tick.label, TICK)).fold(0.0, f64::max);
    let lines = if label.trim().is_empty() { 0 } else { wrapped(label, LABEL, height, 2).len() };
    MARGIN + LINE * lines as f64 + 6.0 + ticks + 10.0
}

/// The mark next to a label in the legend.
#[derive(Debug, Clone, Copy)]
pub(super) enum LegendMark {
    Curve(usize),
    Reference(usize),
    Bar { series: usize, hollow: bool },
}

/// The legend next to or below a plot.
pub(super) struct Legend {
    entries: Vec<(LegendMark, Vec<String>)>,
}

/// The width of a mark and the gap behind it.
const MARK: f64 = 42.0;
const LEGEND: f64 = 12.5;

impl Legend {
    pub(super) fn new<'a>(entries: impl Iterator<Item = (LegendMark, &'a str)>) -> Self {
        let named = entries.filter(|(_, label)| !label.trim().is_empty());
        let entries = named.map(|(sample, label)| (sample, wrapped(label, LEGEND, 150.0, 3)));
        Self { entries: entries.collect() }
    }

    fn entry_width(lines: &[String]) -> f64 {
        MARK + lines.iter().map(|line| width_of(line, LEGEND)).fold(0.0, f64::max)
    }

    /// The width of the widest entry.
    pub(super) fn width(&self) -> f64 {
        self.entries.iter().map(|(_, lines)| Self::entry_width(lines)).fold(0.0, f64::max)
    }

    fn entry_height(lines: &[String]) -> f64 {
        lines.len() as f64 * LINE + 6.0
    }

    /// The total height of all entries in one column.
    pub(super) fn height(&self) -> f64 {
        self.entries.iter().map(|(_, lines)| Self::entry_height(lines)).sum()
    }

    /// Draws the entries in one column between `top` and `bottom`, each as near as possible to the
    /// end of its curve, from top to bottom; entries without a level come last.
    pub(super) fn at_levels(
        &self,
        drawing: &mut Drawing,
        left: f64,
        (top, bottom): (f64, f64),
        level: impl Fn(LegendMark) -> Option<f64>,
    ) {
        let level = |mark: &LegendMark| level(*mark).unwrap_or(bottom).clamp(top, bottom);
        let mut order: Vec<_> =
            self.entries.iter().map(|(mark, lines)| (level(mark), mark, lines)).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0));
        // From the top down each entry leaves room for the one before it, then from the bottom up
        // for the one below.
        let mut places = Vec::with_capacity(order.len());
        let mut free = top;
        for (level, _, lines) in &order {
            let place = free.max(level - LINE / 2.0);
            places.push(place);
            free = place + Self::entry_height(lines);
        }
        let mut end = bottom.max(top + self.height());
        for (place, (.., lines)) in places.iter_mut().zip(&order).rev() {
            *place = place.min(end - Self::entry_height(lines));
            end = *place;
        }
        for (place, (_, mark, lines)) in places.into_iter().zip(order) {
            entry(drawing, (left, place), *mark, lines);
        }
    }

    /// Draws the entries in rows of at most `width` and returns the vertical position below them.
    pub(super) fn rows(&self, drawing: &mut Drawing, left: f64, top: f64, width: f64) -> f64 {
        let (mut x, mut y, mut height) = (left, top, 0.0_f64);
        for (sample, lines) in &self.entries {
            let entry_width = Self::entry_width(lines) + 14.0;
            if x > left && x + entry_width > left + width {
                (x, y, height) = (left, y + height, 0.0);
            }
            entry(drawing, (x, y), *sample, lines);
            x += entry_width;
            height = height.max(Self::entry_height(lines));
        }
        y + height
    }
}

fn entry(drawing: &mut Drawing, (left, top): (f64, f64), sample: LegendMark, lines: &[String]) {
    let middle = top + LINE / 2.0;
    let ends = ((left, middle), (left + 34.0, middle));
    match sample {
        LegendMark::Curve(index) => {
            drawing.line(ends.0, ends.1, curve_paint(index));
            point(drawing, index, (left + 17.0, middle), "");
        }
        LegendMark::Reference(index) => drawing.line(ends.0, ends.1, reference_paint(index)),
        LegendMark::Bar { series, hollow } => {
            drawing.rect((left + 14.0, middle - 6.0), (18.0, 12.0), bar_paint(series, hollow), "");
        }
    }
    for (index, line) in lines.iter().enumerate() {
        let at = (left + MARK, middle + 4.3 + LINE * index as f64);
        drawing.text(at, TextStyle::new(LEGEND, INK, Anchor::Start), line);
    }
}

/// The line style of a curve.
pub(super) fn curve_paint(index: usize) -> Paint<'static> {
    Paint { dash: dash(index), ..Paint::line(series(index), 2.0) }
}

/// Draws the marker of a curve.
pub(super) fn point(drawing: &mut Drawing, index: usize, (x, y): (f64, f64), tip: &str) {
    let (shape, filled) = marker(index, x, y);
    let fill = if filled { series(index) } else { PAPER };
    let stroke = if filled { PAPER } else { series(index) };
    let width = if filled { 0.8 } else { 1.6 };
    drawing.path(&shape, Paint { fill: Some(fill), ..Paint::line(stroke, width) }, tip);
}

/// The style of a bar. Hollow and filled bars differ in gray, too.
pub(super) fn bar_paint(index: usize, hollow: bool) -> Paint<'static> {
    let tone = series(index);
    let opacity = if hollow { 0.25 } else { 0.0 };
    Paint { fill: Some(tone), opacity, ..Paint::line(tone, 1.0) }
}
