//! Heat maps: one number per row and column, for example per data set and epsilon.

use dpsis::{Error, Result};
use serde::Serialize;

use crate::figure::axis::{PlotAxis, extent, fixed, tip};
use crate::figure::palette::{INK, MUTED, contrast, diverging, hex, sequential};
use crate::figure::plot::{MARGIN, WIDTH, no_data, title, x_label};
use crate::figure::svg::{Anchor, Drawing, Paint, TextStyle};
use crate::figure::words::{counted, width_of, wrapped};

/// A heat map: numbers as colored cells, printed in the cells where there is room.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HeatMap {
    /// The title.
    pub title: String,
    /// The name of the horizontal axis.
    pub x_label: String,
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The names of the rows.
    pub rows: Vec<String>,
    /// The numbers, row by row; cells without a finite number are hatched.
    pub values: Vec<Vec<Option<f64>>>,
    /// Whether each cell carries a dot, for example for significance; empty for no dots.
    pub marked: Vec<Vec<bool>>,
    /// The meaning of the dot.
    pub mark_label: String,
    /// The name of the color scale.
    pub scale_label: String,
    /// Whether the colors diverge from white at 0; otherwise they range from light to dark.
    pub diverging: bool,
}

const ROW: f64 = 25.0;
const NAME: f64 = 12.5;
/// The width of the color bar and its labels.
const SCALE: f64 = 92.0;

impl HeatMap {
    /// Draws the figure as an SVG document.
    ///
    /// # Errors
    ///
    /// `Request` if `values`, or a nonempty `marked`, does not have one entry per row and column.
    pub fn svg(&self) -> Result<String> {
        self.check()?;
        let all = self.values.iter().flatten().copied().flatten();
        let Some((low, high)) = extent(all) else { return Ok(no_data(&self.title)) };
        let scale = ColorScale::new(low, high, self.diverging);

        let mut drawing = Drawing::new();
        let top = title(&mut drawing, &self.title, WIDTH);
        let names: Vec<String> =
            self.rows.iter().map(|name| wrapped(name, NAME, 190.0, 1).concat()).collect();
        let left =
            MARGIN + names.iter().map(|name| width_of(name, NAME)).fold(0.0, f64::max) + 10.0;
        let room = (WIDTH - left - SCALE - MARGIN) / self.columns.len() as f64;
        let cell = room.min(64.0);
        let (width, height) = (cell * self.columns.len() as f64, ROW * self.rows.len() as f64);

        for (i, name) in names.iter().enumerate() {
            let middle = top + ROW * (i as f64 + 0.5);
            drawing.text((left - 8.0, middle + 4.3), TextStyle::new(NAME, INK, Anchor::End), name);
            for j in 0..self.columns.len() {
                let at = (left + cell * j as f64, top + ROW * i as f64);
                self.cell(&mut drawing, &scale, (i, j), at, cell);
            }
        }
        scale.draw(&mut drawing, (left + width + 22.0, top), height, &self.scale_label);
        let bottom = self.column_names(&mut drawing, (left, top + height), cell);
        let bottom = x_label(&mut drawing, &self.x_label, (left, width), bottom + 2.0);
        let bottom = self.notes(&mut drawing, left, bottom + 8.0).max(top + 150.0);
        let about = format!(
            "{} for {} and {}",
            self.scale_label,
            counted(self.rows.len(), "row"),
            counted(self.columns.len(), "column")
        );
        Ok(drawing.finish((WIDTH, bottom + MARGIN), &self.title, &about))
    }

    fn check(&self) -> Result<()> {
        let (rows, columns) = (self.rows.len(), self.columns.len());
        let fits = |lengths: &[usize]| {
            lengths.len() == rows && lengths.iter().all(|length| *length == columns)
        };
        let values: Vec<usize> = self.values.iter().map(Vec::len).collect();
        let marked: Vec<usize> = self.marked.iter().map(Vec::len).collect();
        if !fits(&values) || !marked.is_empty() && !fits(&marked) {
            let rule =
                format!("a heat map of {rows} rows and {columns} columns needs as many cells");
            return Err(Error::request(rule));
        }
        Ok(())
    }

    fn value(&self, i: usize, j: usize) -> Option<f64> {
        self.values[i][j].filter(|value| value.is_finite())
    }

    fn is_marked(&self, i: usize, j: usize) -> bool {
        self.marked.get(i).is_some_and(|row| row[j])
    }

    fn cell(
        &self,
        drawing: &mut Drawing,
        scale: &ColorScale,
        (i, j): (usize, usize),
        (x, y): (f64, f64),
        width: f64,
    ) {
        let place = format!("{}, {}", self.rows[i], self.columns[j]);
        let (at, size) = ((x + 0.5, y + 0.5), (width - 1.0, ROW - 1.0));
        let Some(value) = self.value(i, j) else {
            hatch(drawing, at, size, &format!("{place}: no value"));
            return;
        };
        let color = scale.color(value);
        let mark =
            if self.is_marked(i, j) { format!(" ({})", self.mark_label) } else { String::new() };
        drawing.cell(at, size, &hex(color), &format!("{place}: {}{mark}", tip(value)));
        let ink = contrast(color);
        let text = fixed(value, scale.decimals());
        // Digits are narrower than the estimate.
        let fits = |size: &f64| width_of(&text, *size) * 0.92 < width - 4.0;
        if let Some(size) = [11.5, 10.0, 8.5].into_iter().find(fits) {
            drawing.cell_text((x + width / 2.0, y + ROW / 2.0 + 4.0), size, ink, &text);
        }
        if self.is_marked(i, j) {
            drawing.dot((x + width - 5.5, y + 5.5), 2.3, ink);
        }
    }

    /// Draws the names below the columns, rotated if they are wide, and returns the vertical
    /// position below them.
    fn column_names(&self, drawing: &mut Drawing, (left, top): (f64, f64), cell: f64) -> f64 {
        let widest = self.columns.iter().map(|name| width_of(name, 12.0)).fold(0.0, f64::max);
        let upright = widest < cell - 2.0;
        for (j, name) in self.columns.iter().enumerate() {
            let x = left + cell * (j as f64 + 0.5);
            if upright {
                drawing.text((x, top + 17.0), TextStyle::new(12.0, MUTED, Anchor::Middle), name);
            } else {
                let style = TextStyle { turn: -45.0, ..TextStyle::new(11.0, MUTED, Anchor::End) };
                let name = wrapped(name, 11.0, 120.0, 1).concat();
                drawing.text((x + 4.0, top + 14.0), style, &name);
            }
        }
        top + if upright { 20.0 } else { 22.0 + widest.min(125.0) * 0.68 }
    }

    /// Explains dots and hatching and returns the vertical position below.
    fn notes(&self, drawing: &mut Drawing, left: f64, top: f64) -> f64 {
        let mut x = left;
        let middle = top + 10.0;
        let style = TextStyle::new(12.0, MUTED, Anchor::Start);
        let cells =
            || (0..self.rows.len()).flat_map(|i| (0..self.columns.len()).map(move |j| (i, j)));
        let any_marked = cells().any(|(i, j)| self.is_marked(i, j) && self.value(i, j).is_some());
        let mut bottom = top;
        if any_marked && !self.mark_label.trim().is_empty() {
            let dot = format!("M{x:.1},{middle:.1}a2.5,2.5 0 1,0 5,0a2.5,2.5 0 1,0 -5,0Z");
            drawing.path(&dot, Paint::filled(INK), "");
            let label = wrapped(&self.mark_label, 12.0, WIDTH - left - 140.0, 1).concat();
            drawing.text((x + 10.0, middle + 4.0), style, &label);
            x += width_of(&label, 12.0) + 34.0;
            bottom = top + 18.0;
        }
        if cells().any(|(i, j)| self.value(i, j).is_none()) {
            hatch(drawing, (x, middle - 7.0), (24.0, 14.0), "");
            drawing.text((x + 31.0, middle + 4.0), style, "no value");
            bottom = top + 18.0;
        }
        bottom
    }
}

/// Draws a hatched cell for a missing number.
fn hatch(drawing: &mut Drawing, (x, y): (f64, f64), (width, height): (f64, f64), tip: &str) {
    let mut lines = format!("M{x:.1},{y:.1}h{width:.1}v{height:.1}h{:.1}Z", -width);
    let mut across = 6.0;
    while across < width + height {
        // From the upper or right edge down to the left or lower edge.
        let from = if across < width { (across, 0.0) } else { (width, across - width) };
        let to = if across < height { (0.0, across) } else { (across - height, height) };
        lines += &format!("M{:.1},{:.1}L{:.1},{:.1}", x + from.0, y + from.1, x + to.0, y + to.1);
        across += 6.0;
    }
    drawing.path(&lines, Paint::line(MUTED, 0.6), tip);
}

/// A map from numbers to colors.
struct ColorScale {
    low: f64,
    high: f64,
    diverging: bool,
    axis: PlotAxis,
}

impl ColorScale {
    fn new(low: f64, high: f64, diverging: bool) -> Self {
        let (low, high) = if diverging {
            let most = low.abs().max(high.abs()).min(1e150);
            let most = if most > 0.0 { most } else { 1.0 };
            (-most, most)
        } else if low >= 0.0 {
            (0.0, if high > 0.0 { high } else { 1.0 })
        } else {
            (low, if low < high { high } else { low + 1.0 })
        };
        Self { low, high, diverging, axis: PlotAxis::exact(low, high) }
    }

    fn color(&self, value: f64) -> [f64; 3] {
        if self.diverging {
            diverging(value / self.high)
        } else {
            sequential(self.axis.place(value))
        }
    }

    /// The number of decimals in cells: two, or fewer for large numbers.
    fn decimals(&self) -> usize {
        match self.high.abs().max(self.low.abs()) {
            most if most >= 100.0 => 0,
            most if most >= 10.0 => 1,
            _ => 2,
        }
    }

    /// Draws the color bar.
    fn draw(&self, drawing: &mut Drawing, (x, top): (f64, f64), height: f64, label: &str) {
        let height = height.clamp(100.0, 260.0);
        let steps = (height / 2.0) as usize;
        let part = height / steps as f64;
        for i in 0..steps {
            let place = 1.0 - (i as f64 + 0.5) / steps as f64;
            let value = self.low + place * (self.high - self.low);
            // Each step overlaps the next, so that no seam shows.
            let size = (14.0, if i + 1 < steps { part + 1.0 } else { part });
            drawing.cell((x, top + part * i as f64), size, &hex(self.color(value)), "");
        }
        drawing.rect((x, top), (14.0, height), Paint::line(MUTED, 0.8), "");
        let mut widest = 0.0_f64;
        for tick in &self.axis.ticks {
            let y = top + (1.0 - self.axis.place(tick.value)) * height;
            drawing.line((x + 14.0, y), (x + 18.0, y), Paint::line(MUTED, 1.0));
            let style = TextStyle::new(11.0, MUTED, Anchor::Start);
            drawing.text((x + 21.0, y + 4.0), style, &tick.label);
            widest = widest.max(width_of(&tick.label, 11.0));
        }
        for (i, line) in wrapped(label, 12.0, height, 2).iter().enumerate() {
            let at = (x + 21.0 + widest + 17.0 + 14.0 * i as f64, top + height / 2.0);
            drawing.text(
                at,
                TextStyle { turn: -90.0, ..TextStyle::new(12.0, INK, Anchor::Middle) },
                line,
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::markup::is_balanced;

    fn map(values: Vec<Vec<Option<f64>>>) -> HeatMap {
        HeatMap {
            title: "differences".into(),
            x_label: "epsilon".into(),
            columns: (0..values.first().map_or(0, Vec::len)).map(|j| format!("<{j}>")).collect(),
            rows: (0..values.len()).map(|i| format!("set & {i}")).collect(),
            marked: values.iter().map(|row| row.iter().map(|_| true).collect()).collect(),
            mark_label: "p < 0.05".into(),
            scale_label: "DP-SIS minus two-stage".into(),
            diverging: true,
            values,
        }
    }

    #[test]
    fn values_are_printed_and_labels_escaped() {
        let svg = map(vec![vec![Some(-0.126), Some(0.5)], vec![None, Some(0.0)]]).svg().unwrap();
        assert!(is_balanced(&svg), "{svg}");
        for text in [">−0.13<", ">0.50<", ">0.00<", "&lt;1&gt;", "set &amp; 1", "no value"] {
            assert!(svg.contains(text), "{text}: {svg}");
        }
    }

    #[test]
    fn strange_numbers_draw_something() {
        for value in [f64::NAN, f64::INFINITY, 0.0, -0.0, 1e308, -1e-308, -7.0] {
            for diverging in [true, false] {
                let map = map(vec![vec![Some(value), None]; 2]);
                let svg = HeatMap { diverging, ..map }.svg().unwrap();
                assert!(is_balanced(&svg), "{svg}");
                assert!(!svg.contains("NaN") && !svg.contains("inf"), "{value}");
                assert_eq!(svg.contains("no data"), !value.is_finite());
            }
        }
        assert!(map(Vec::new()).svg().unwrap().contains("no data"));
    }

    #[test]
    fn a_cell_too_few_is_refused() {
        let mut ragged = map(vec![vec![Some(1.0), Some(2.0)]; 2]);
        ragged.values[1].pop();
        assert!(ragged.svg().is_err());
        let mut unmarked = map(vec![vec![Some(1.0)]]);
        unmarked.marked = vec![vec![]];
        assert!(unmarked.svg().is_err());
        unmarked.marked.clear();
        assert!(unmarked.svg().is_ok());
    }
}
