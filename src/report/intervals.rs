//! A figure of effect sizes from 0 to 1, as SVG in a page: the colors are in the page's style. Names
//! are on the left of the axis.
//!
//! With a threshold, the side below it is shaded and only points are drawn, because the points are
//! compared with it: it allows for their noise, which intervals would show a second time. Without a
//! threshold, points have their intervals.

use std::fmt::Write;

use super::findings::short;
use super::markup::escape;
use super::page::Interval;

/// Sizes in units of the figure: somewhat less than a pixel on a phone, and more on a wide screen.
const WIDTH: f64 = 460.0;
const LEFT: f64 = 172.0;
const RIGHT: f64 = 18.0;
const AXIS: f64 = WIDTH - LEFT - RIGHT;
const TOP: f64 = 26.0;
const ROW: f64 = 24.0;
const BOTTOM: f64 = 24.0;

/// Longer names are cut; the title of the row has the full text.
const NAME: usize = 22;

/// Half the width of the label of the threshold, at most.
const HALF_LABEL: f64 = 80.0;

/// The figure as an SVG element; `threshold` is a value and its label.
pub(super) fn svg(label: &str, intervals: &[Interval], threshold: Option<(f64, &str)>) -> String {
    let foot = TOP + ROW * intervals.len() as f64;
    let height = foot + BOTTOM;
    let mut svg = format!(
        "<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{}\">\n",
        escape(label)
    );
    if let Some((at, _)) = threshold {
        let _ = writeln!(
            svg,
            "<rect class=\"band\" x=\"{LEFT}\" y=\"{TOP}\" width=\"{:.1}\" height=\"{}\"/>",
            x_of(at) - LEFT,
            foot - TOP
        );
    }
    for tenths in [0, 2, 4, 6, 8, 10] {
        let value = f64::from(tenths) / 10.0;
        let (x, y) = (x_of(value), foot + 17.0);
        let _ = writeln!(
            svg,
            "<line class=\"grid\" x1=\"{x:.1}\" y1=\"{TOP}\" x2=\"{x:.1}\" y2=\"{foot}\"/>\
             <text class=\"tick\" x=\"{x:.1}\" y=\"{y}\">{value}</text>"
        );
    }
    if let Some((at, words)) = threshold {
        let x = x_of(at);
        if at <= 1.0 {
            let _ = writeln!(
                svg,
                "<line class=\"mark\" x1=\"{x:.1}\" y1=\"{TOP}\" x2=\"{x:.1}\" y2=\"{foot}\"/>"
            );
        }
        let middle = x.clamp(HALF_LABEL, WIDTH - HALF_LABEL);
        let _ = writeln!(
            svg,
            "<text class=\"tick\" x=\"{middle:.1}\" y=\"{}\">{}</text>",
            TOP - 8.0,
            escape(words)
        );
    }
    for (i, interval) in intervals.iter().enumerate() {
        row(&mut svg, TOP + ROW * (i as f64 + 0.5), interval, threshold.is_none());
    }
    svg + "</svg>\n"
}

fn row(svg: &mut String, y: f64, interval: &Interval, with_range: bool) {
    let class = if interval.is_filled { "point" } else { "hollow point" };
    let _ = write!(
        svg,
        "<g><title>{}</title><text class=\"name\" x=\"{}\" y=\"{}\">{}</text>",
        escape(&interval.name),
        LEFT - 12.0,
        y + 4.5,
        escape(&short(&interval.name, NAME))
    );
    if with_range {
        let [low, high] = interval.ends.map(x_of);
        let _ = write!(
            svg,
            "<line class=\"range\" x1=\"{low:.1}\" y1=\"{y}\" x2=\"{high:.1}\" y2=\"{y}\"/>"
        );
    }
    let x = x_of(interval.value);
    let _ = writeln!(svg, "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y}\" r=\"5\"/></g>");
}

/// The position of a value on the axis; values outside of it are placed at its ends, and NaN at 0.
fn x_of(value: f64) -> f64 {
    let value = if value.is_nan() { 0.0 } else { value.clamp(0.0, 1.0) };
    LEFT + AXIS * value
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markup::is_balanced;

    /// The axis goes from 172 to 442.
    #[test]
    fn places_are_on_the_axis() {
        let one = Interval::new("a<b", 0.5, [0.25, 0.75]);
        let svg = svg("effect sizes", &[one], None);
        assert!(is_balanced(&svg), "{svg}");
        assert!(svg.contains("<line class=\"range\" x1=\"239.5\" y1=\"38\" x2=\"374.5\""), "{svg}");
        assert!(svg.contains("cx=\"307.0\""), "{svg}");
        assert!(!svg.contains("class=\"mark\"") && !svg.contains("class=\"band\""), "{svg}");
        assert!(svg.contains(">a&lt;b</text>"), "{svg}");
        assert!(svg.contains("role=\"img\" aria-label=\"effect sizes\""), "{svg}");
    }

    /// An interval that crossed the threshold would contradict the significance of its point.
    #[test]
    fn intervals_are_not_drawn_with_a_threshold() {
        let one = Interval::new("a", 0.3, [0.2, 0.4]);
        let svg = svg("", &[one], Some((0.25, "significant from 0.25 on")));
        assert!(!svg.contains("class=\"range\""), "{svg}");
        assert!(svg.contains("<rect class=\"band\" x=\"172\" y=\"26\" width=\"67.5\""), "{svg}");
        assert!(svg.contains("<line class=\"mark\" x1=\"239.5\""), "{svg}");
        assert!(svg.contains(">significant from 0.25 on</text>"), "{svg}");
    }

    #[test]
    fn values_beyond_the_axis_are_drawn_at_its_ends() {
        let wide = || vec![Interval::new("a", f64::NAN, [f64::NEG_INFINITY, 2.0]).filled(false)];
        let free = svg("", &wide(), None);
        assert!(free.contains("x1=\"172.0\" y1=\"38\" x2=\"442.0\""), "{free}");
        assert!(free.contains("class=\"hollow point\" cx=\"172.0\""), "{free}");
        let none = svg("", &wide(), Some((1.2, "nothing can be significant")));
        assert!(!none.contains("class=\"mark\"") && none.contains("width=\"270.0\""), "{none}");
        assert!(none.contains(">nothing can be significant</text>"), "{none}");
    }
}
