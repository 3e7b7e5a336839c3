//! Curves with bands: a quantity against a parameter, such as accuracy against epsilon.

use dpsis::{Error, Result};
use serde::Serialize;

use crate::figure::axis::{PlotAxis, extent, tip};
use crate::figure::palette::series;
use crate::figure::plot::{
    Legend, LegendMark, MARGIN, Plot, Reference, WIDTH, curve_paint, left_margin, no_data, point,
    title, y_label,
};
use crate::figure::svg::{Drawing, Paint};
use crate::figure::words::counted;

/// A chart of curves with markers and bands. Up to ten curves differ in color, dashes and markers.
///
/// ```
/// use dpsis_eval::figure::{Curve, CurveChart, CurvePoint};
///
/// let point = |x, y| CurvePoint { x, y, low: y - 0.1, high: y + 0.1 };
/// let chart = CurveChart {
///     title: "Accuracy".into(),
///     x_label: "epsilon".into(),
///     y_label: "share of the true features".into(),
///     x_log: true,
///     y_log: false,
///     y_range: Some((0.0, 1.0)),
///     curves: vec![Curve { label: "DP-SIS".into(), points: vec![point(0.1, 0.2), point(1.0, 0.8)] }],
///     references: Vec::new(),
/// };
/// assert!(chart.svg()?.starts_with("<svg"));
/// # Ok::<(), dpsis::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CurveChart {
    /// The title.
    pub title: String,
    /// The name of the horizontal axis.
    pub x_label: String,
    /// The name of the vertical axis.
    pub y_label: String,
    /// Whether the horizontal axis is logarithmic.
    pub x_log: bool,
    /// Whether the vertical axis is logarithmic; `y_range` is then ignored.
    pub y_log: bool,
    /// The ends of the vertical axis; `None` to fit the data. Values outside are clipped.
    pub y_range: Option<(f64, f64)>,
    /// The curves.
    pub curves: Vec<Curve>,
    /// Horizontal reference lines.
    pub references: Vec<Reference>,
}

/// A curve.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Curve {
    /// The name in the legend; a curve with an empty name is left out of the legend.
    pub label: String,
    /// The points, in any order.
    pub points: Vec<CurvePoint>,
}

/// A point of a curve with its band. The curve has a gap where `y` is not finite, and the band
/// where `low` or `high` is not.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CurvePoint {
    /// The value on the horizontal axis.
    pub x: f64,
    /// The value on the vertical axis.
    pub y: f64,
    /// The lower end of the band, such as a 95% confidence interval.
    pub low: f64,
    /// The upper end of the band.
    pub high: f64,
}

impl CurvePoint {
    fn has_band(&self) -> bool {
        self.low.is_finite() && self.high.is_finite()
    }

    fn tip(&self, label: &str) -> String {
        let band = match self.has_band() && self.low < self.high {
            true => format!(" ({} to {})", tip(self.low), tip(self.high)),
            false => String::new(),
        };
        format!("{label} at {}: {}{band}", tip(self.x), tip(self.y))
    }
}

impl CurveChart {
    /// Draws the figure as an SVG document.
    ///
    /// # Errors
    ///
    /// `Request` if a value on a logarithmic axis is not positive, or if `y_range` is not an
    /// increasing pair of finite numbers.
    pub fn svg(&self) -> Result<String> {
        self.check()?;
        let points = || self.curves.iter().flat_map(|curve| &curve.points);
        let drawn = || points().filter(|point| point.x.is_finite() && point.y.is_finite());
        let heights = drawn().flat_map(|point| [point.y, point.low, point.high]);
        let lines = self.references.iter().map(|reference| reference.y);
        let x = extent(drawn().map(|point| point.x));
        let (Some((x_low, x_high)), Some((y_low, y_high))) = (x, extent(heights.chain(lines)))
        else {
            return Ok(no_data(&self.title));
        };

        let mut drawing = Drawing::new();
        let top = title(&mut drawing, &self.title, WIDTH);
        let curves = self.curves.iter().enumerate();
        let curves = curves.map(|(i, curve)| (LegendMark::Curve(i), curve.label.as_str()));
        let references = self.references.iter().enumerate();
        let references =
            references.map(|(i, line)| (LegendMark::Reference(i), line.label.as_str()));
        let legend = Legend::new(curves.chain(references));
        let height = 310.0_f64.max(legend.height());
        let y = match self.y_range {
            _ if self.y_log => PlotAxis::logarithmic(y_low, y_high, height),
            Some((low, high)) => PlotAxis::exact(low, high),
            None => PlotAxis::around(y_low, y_high),
        };
        let left = left_margin(&y, &self.y_label, height);
        let width = WIDTH - left - 22.0 - legend.width() - MARGIN;
        let x = match self.x_log {
            true => PlotAxis::logarithmic(x_low, x_high, width),
            false => PlotAxis::exact(x_low, x_high),
        };
        let plot = Plot { left, top, width, height, x, y };
        plot.y_ticks(&mut drawing);
        plot.x_ticks(&mut drawing);
        let bottom = plot.x_label(&mut drawing, &self.x_label) + MARGIN;
        y_label(&mut drawing, &self.y_label, top, height);
        let runs: Vec<_> = self.curves.iter().map(|curve| curve.runs()).collect();
        // Each name stands where its curve ends.
        legend.at_levels(&mut drawing, plot.right() + 22.0, (top, top + height), |mark| {
            let y = match mark {
                LegendMark::Curve(i) => runs[i].last()?.last()?.y,
                LegendMark::Reference(i) => self.references[i].y,
                LegendMark::Bar { .. } => f64::NAN,
            };
            Some(plot.level(y)).filter(|level| level.is_finite())
        });

        // Many opaque bands would hide the grid.
        let opacity = if self.curves.len() > 5 { 0.09 } else { 0.16 };
        // The clip has a margin for markers and lines at the edge.
        let (edge, size) = ((left - 6.0, top - 6.0), (width + 12.0, height + 12.0));
        drawing.clipped(edge, size, |drawing| {
            for (i, run) in with_index(&runs) {
                bands(drawing, &plot, i, run, opacity);
            }
            for (i, reference) in self.references.iter().enumerate() {
                plot.reference(drawing, i, reference);
            }
            for (i, run) in with_index(&runs) {
                let at = |point: &CurvePoint| plot.at(point.x, point.y);
                drawing.path(&path(run.iter().map(at)), curve_paint(i), "");
            }
        });
        for (i, run) in with_index(&runs) {
            // On a dense curve only some points have markers, shifted between curves.
            let every = run.len().div_ceil(25).max(1);
            let shown = run.iter().enumerate().filter(|(j, _)| j % every == i % every);
            for (_, near) in shown.filter(|(_, near)| plot.y.holds(near.y)) {
                let text = near.tip(&self.curves[i].label);
                point(&mut drawing, i, plot.at(near.x, near.y), &text);
            }
        }
        let about = format!(
            "{} against {}: {}",
            self.y_label,
            self.x_label,
            counted(self.curves.len(), "curve")
        );
        Ok(drawing.finish((WIDTH, bottom), &self.title, &about))
    }

    fn check(&self) -> Result<()> {
        let mut points = self.curves.iter().flat_map(|curve| &curve.points);
        let low = |point: &CurvePoint| [point.y, point.low, point.high].iter().any(|y| *y <= 0.0);
        let line_is_low = self.references.iter().any(|line| line.y <= 0.0);
        if points.any(|point| self.x_log && point.x <= 0.0 || self.y_log && low(point))
            || self.y_log && line_is_low
        {
            return Err(Error::request("a logarithmic axis takes positive numbers only"));
        }
        match self.y_range {
            Some((low, high)) if !(low < high && (high - low).is_finite()) => {
                Err(Error::request("a range of an axis needs the lower end first"))
            }
            _ => Ok(()),
        }
    }
}

impl Curve {
    /// Returns the points from left to right, split at gaps.
    fn runs(&self) -> Vec<Vec<CurvePoint>> {
        let mut points: Vec<_> = self.points.iter().filter(|p| p.x.is_finite()).copied().collect();
        points.sort_by(|a, b| a.x.total_cmp(&b.x));
        let runs = points.split(|point| !point.y.is_finite()).map(<[CurvePoint]>::to_vec);
        runs.filter(|run| !run.is_empty()).collect()
    }
}

fn with_index(runs: &[Vec<Vec<CurvePoint>>]) -> impl Iterator<Item = (usize, &Vec<CurvePoint>)> {
    runs.iter().enumerate().flat_map(|(i, runs)| runs.iter().map(move |run| (i, run)))
}

/// Draws the bands of a run of points; an isolated point gets an error bar.
fn bands(drawing: &mut Drawing, plot: &Plot, index: usize, run: &[CurvePoint], opacity: f64) {
    let tone = series(index);
    for part in run.split(|point| !point.has_band()) {
        if let [alone] = part {
            let (x, low) = plot.at(alone.x, alone.low);
            let high = plot.level(alone.high);
            let data = format!("M{0:.1},{low:.1}h8m-4,0V{high:.1}m-4,0h8", x - 4.0);
            drawing.path(&data, Paint::line(tone, 1.4), "");
        } else if !part.is_empty() {
            let upper = part.iter().map(|point| plot.at(point.x, point.high));
            let lower = part.iter().rev().map(|point| plot.at(point.x, point.low));
            let paint = Paint { opacity, ..Paint::filled(tone) };
            drawing.path(&(path(upper.chain(lower)) + "Z"), paint, "");
        }
    }
}

fn path(points: impl Iterator<Item = (f64, f64)>) -> String {
    let points: Vec<_> = points.map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    format!("M{}", points.join("L"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::markup::is_balanced;

    fn chart(points: &[[f64; 4]]) -> CurveChart {
        let point = |&[x, y, low, high]: &[f64; 4]| CurvePoint { x, y, low, high };
        CurveChart {
            title: "a < b & \"c\"".into(),
            x_label: "epsilon".into(),
            y_label: "accuracy".into(),
            x_log: true,
            y_log: false,
            y_range: None,
            curves: vec![Curve {
                label: "<script>'x'</script>".into(),
                points: points.iter().map(point).collect(),
            }],
            references: vec![Reference { label: "chance & luck".into(), y: 0.5 }],
        }
    }

    #[test]
    fn labels_are_escaped() {
        let svg = chart(&[[0.1, 0.2, 0.1, 0.3], [1.0, 0.6, 0.5, 0.7]]).svg().unwrap();
        assert!(is_balanced(&svg), "{svg}");
        assert!(!svg.contains("<script>"));
        assert!(svg.contains("&lt;script&gt;"));
        assert!(svg.contains("<title>a &lt; b &amp; &quot;c&quot;</title>"));
        assert!(svg.contains("viewBox=\"0 0 760 "));
    }

    #[test]
    fn gaps_and_strange_numbers_draw_something() {
        let nan = f64::NAN;
        for points in [
            &[][..],
            &[[nan, nan, nan, nan]],
            &[[nan, 0.5, 0.4, 0.6]],
            &[[1.0, nan, 0.4, 0.6]],
            &[[1.0, 0.5, nan, 0.6]],
            &[[1.0, 0.5, 0.5, 0.5]],
            &[[1.0, f64::INFINITY, 0.0, 1.0], [f64::INFINITY, 1.0, 0.0, 1.0]],
            &[[1e-300, -1e308, -1e308, 1e308], [1e300, 1e308, -1e308, 1e308]],
            &[[1.0, 0.1, 0.0, 0.2], [2.0, nan, nan, nan], [3.0, 0.1, 0.0, 0.2]],
        ] {
            for x_log in [true, false] {
                let svg = CurveChart { x_log, ..chart(points) }.svg().unwrap();
                assert!(is_balanced(&svg), "{svg}");
                assert!(!svg.contains("NaN") && !svg.contains("inf"), "{points:?}: {svg}");
                let drawn = points.iter().any(|[x, y, ..]| x.is_finite() && y.is_finite());
                assert_eq!(svg.contains("no data"), !drawn, "{points:?}");
            }
        }
    }

    /// Names stand in the order of the ends of their curves, each next to its own unless there is
    /// no room.
    #[test]
    fn names_stand_where_curves_end() {
        let point = |x, y| CurvePoint { x, y, low: y, high: y };
        let curve = |label: &str, end: f64| Curve {
            label: label.into(),
            points: vec![point(1.0, 0.5), point(2.0, end)],
        };
        let ends =
            [("low", 0.1), ("high", 0.9), ("none", f64::NAN), ("middle", 0.5), ("same", 0.5)];
        let chart = CurveChart {
            y_range: Some((0.0, 1.0)),
            curves: ends.iter().map(|(label, end)| curve(label, *end)).collect(),
            references: vec![Reference { label: "line".into(), y: 0.7 }],
            ..chart(&[])
        };
        let svg = chart.svg().unwrap();
        let height = |text: &str| -> f64 {
            let (before, _) = svg.split_once(&format!(">{text}</text>")).unwrap();
            let (_, y) = before.rsplit_once(" y=\"").unwrap();
            y.split('"').next().unwrap().parse().unwrap()
        };
        // "none" ends at its first point; it shares the middle with two others.
        let order = ["high", "line", "none", "middle", "same", "low"].map(height);
        assert!(order.windows(2).all(|pair| pair[1] - pair[0] >= 16.0), "{order:?}");
        // Labels of ticks and of names have their base lines a little below the middle.
        for (name, tick) in [("high", "0.8"), ("line", "0.6"), ("low", "0.0")] {
            let step = height("0.8") - height("1.0");
            let expected = height(tick) - step / 2.0;
            assert!((height(name) - expected).abs() < 1.0, "{name}");
        }
        // More names than there is room for push each other apart, within the figure.
        let crowded = CurveChart {
            curves: (0..10).map(|i| curve(&format!("c{i}"), 0.0)).collect(),
            references: Vec::new(),
            ..chart
        };
        let svg = crowded.svg().unwrap();
        let heights: Vec<f64> = (0..10)
            .map(|i| {
                let (before, _) = svg.split_once(&format!(">c{i}</text>")).unwrap();
                before.rsplit_once(" y=\"").unwrap().1.split('"').next().unwrap().parse().unwrap()
            })
            .collect();
        assert!(heights.windows(2).all(|pair| pair[1] - pair[0] >= 16.0), "{heights:?}");
        assert!(heights[9] < 400.0 && heights[0] > 40.0, "{heights:?}");
    }

    #[test]
    fn impossible_axes_are_refused() {
        assert!(chart(&[[0.0, 0.5, 0.5, 0.5]]).svg().is_err());
        assert!(CurveChart { y_log: true, ..chart(&[[1.0, 0.5, 0.0, 0.5]]) }.svg().is_err());
        let no_zero = CurveChart {
            y_log: true,
            ..chart(&[[1.0, 0.5, 0.1, 0.9], [2.0, 500.0, 400.0, 600.0]])
        };
        assert!(no_zero.svg().unwrap().contains(">100</text>"));
        for range in [(1.0, 0.0), (0.0, 0.0), (f64::NAN, 1.0), (0.0, f64::INFINITY)] {
            assert!(CurveChart { y_range: Some(range), ..chart(&[]) }.svg().is_err());
        }
    }
}
