//! A figure of values from 0 to 1 with their intervals, as SVG in a page: the colors are in the
//! page's style. Names are above their intervals, so the figure fits a phone.

use std::fmt::Write;

use super::findings::short;
use super::markup::escape;
use super::page::Interval;

/// Sizes in units of the figure: about a pixel on a phone, somewhat more on a wide screen.
const WIDTH: f64 = 360.0;
const LEFT: f64 = 12.0;
const AXIS: f64 = WIDTH - 2.0 * LEFT;
const TOP: f64 = 24.0;
const ROW: f64 = 36.0;
const BOTTOM: f64 = 24.0;

/// Longer names are cut; the label of the row has the full text.
const NAME: usize = 40;

/// Half the width of the mark's name, at most.
const HALF_NAME: f64 = 40.0;

/// The figure as an SVG element.
pub(super) fn svg(label: &str, intervals: &[Interval], mark: Option<(f64, &str)>) -> String {
    let foot = TOP + ROW * intervals.len() as f64;
    let height = foot + BOTTOM;
    let mut svg = format!(
        "<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{}\">\n",
        escape(label)
    );
    for tenths in [0, 2, 4, 6, 8, 10] {
        let value = f64::from(tenths) / 10.0;
        let (x, y) = (x_of(value), foot + 17.0);
        let _ = writeln!(
            svg,
            "<line class=\"grid\" x1=\"{x:.1}\" y1=\"{TOP}\" x2=\"{x:.1}\" y2=\"{foot}\"/>\
             <text class=\"tick\" x=\"{x:.1}\" y=\"{y}\">{value}</text>"
        );
    }
    if let Some((at, name)) = mark
        && (0.0..=1.0).contains(&at)
    {
        let x = x_of(at);
        let middle = x.clamp(HALF_NAME, WIDTH - HALF_NAME);
        let _ = writeln!(
            svg,
            "<line class=\"mark\" x1=\"{x:.1}\" y1=\"{TOP}\" x2=\"{x:.1}\" y2=\"{foot}\"/>\
             <text class=\"tick\" x=\"{middle:.1}\" y=\"{}\">{}</text>",
            TOP - 7.0,
            escape(&short(name, 14))
        );
    }
    for (i, interval) in intervals.iter().enumerate() {
        row(&mut svg, TOP + ROW * i as f64, interval);
    }
    svg + "</svg>\n"
}

fn row(svg: &mut String, top: f64, interval: &Interval) {
    let [low, high] = interval.ends.map(x_of);
    let class = if interval.is_filled { "point" } else { "hollow point" };
    let y = top + 26.0;
    let _ = writeln!(
        svg,
        "<g><title>{}</title>\
         <text x=\"{LEFT}\" y=\"{}\">{}</text>\
         <line class=\"range\" x1=\"{low:.1}\" y1=\"{y}\" x2=\"{high:.1}\" y2=\"{y}\"/>\
         <circle class=\"{class}\" cx=\"{:.1}\" cy=\"{y}\" r=\"5\"/></g>",
        escape(&interval.name),
        top + 15.0,
        escape(&short(&interval.name, NAME)),
        x_of(interval.value)
    );
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

    #[test]
    fn places_are_on_the_axis() {
        let one = Interval::new("a<b", 0.5, [0.25, 0.75]);
        let svg = svg("effect sizes", &[one], Some((0.25, "threshold")));
        assert!(is_balanced(&svg), "{svg}");
        // The axis goes from 12 to 348.
        assert!(svg.contains("<line class=\"range\" x1=\"96.0\" y1=\"50\" x2=\"264.0\""), "{svg}");
        assert!(svg.contains("cx=\"180.0\""), "{svg}");
        assert!(svg.contains("<line class=\"mark\" x1=\"96.0\""), "{svg}");
        assert!(svg.contains(">a&lt;b</text>") && svg.contains(">threshold</text>"), "{svg}");
        assert!(svg.contains("role=\"img\" aria-label=\"effect sizes\""), "{svg}");
    }

    #[test]
    fn what_is_off_the_axis_is_not_drawn_off_it() {
        let wide = Interval::new("a", f64::NAN, [f64::NEG_INFINITY, 2.0]).filled(false);
        let svg = svg("", &[wide], Some((1.2, "threshold")));
        assert!(!svg.contains("class=\"mark\"") && !svg.contains("threshold"), "{svg}");
        assert!(svg.contains("x1=\"12.0\" y1=\"50\" x2=\"348.0\""), "{svg}");
        assert!(svg.contains("class=\"hollow point\" cx=\"12.0\""), "{svg}");
    }
}
