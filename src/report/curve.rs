//! A curve over a logarithmic axis, with an area above it, as SVG in a page: the effect sizes that
//! are found in half of all runs, up to those that are found in nine of ten.

use std::fmt::Write;

use super::markup::escape;
use super::page::CurvePoint;

const WIDTH: f64 = 460.0;
const HEIGHT: f64 = 230.0;
const LEFT: f64 = 40.0;
const RIGHT: f64 = 18.0;
const TOP: f64 = 28.0;
const BOTTOM: f64 = 40.0;
const FOOT: f64 = HEIGHT - BOTTOM;

/// The figure as an SVG element. The axes are named below and above it.
pub(super) fn svg(label: &str, points: &[CurvePoint], axes: &[String; 2]) -> String {
    let largest = points.iter().map(|point| point.upper).fold(0.0, f64::max);
    let top = [0.1, 0.2, 0.5].into_iter().find(|top| largest <= *top).unwrap_or(1.0);
    let x = |x: f64| match (points.first(), points.last()) {
        (Some(first), Some(last)) if first.x < last.x => {
            let share = (x / first.x).ln() / (last.x / first.x).ln();
            LEFT + 14.0 + (WIDTH - LEFT - RIGHT - 28.0) * share
        }
        _ => (LEFT + WIDTH - RIGHT) / 2.0,
    };
    let y = |value: f64| FOOT - (FOOT - TOP) * value.clamp(0.0, top) / top;
    let [below, above] = axes.each_ref().map(|name| escape(name));
    let mut svg = format!(
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\">\n\
         <text class=\"label tick\" x=\"4\" y=\"14\">{above}</text>\
         <text class=\"tick\" x=\"{}\" y=\"{}\">{below}</text>\n",
        escape(label),
        (LEFT + WIDTH - RIGHT) / 2.0,
        HEIGHT - 6.0
    );
    for fifth in 0..=5 {
        let value = top * f64::from(fifth) / 5.0;
        let shown = (value * 1e6).round() / 1e6;
        let _ = writeln!(
            svg,
            "<line class=\"grid\" x1=\"{LEFT}\" y1=\"{0:.1}\" x2=\"{1}\" y2=\"{0:.1}\"/>\
             <text class=\"tick\" x=\"{2}\" y=\"{3:.1}\">{shown}</text>",
            y(value),
            WIDTH - RIGHT,
            LEFT - 16.0,
            y(value) + 4.0
        );
    }
    for point in points {
        let _ = writeln!(
            svg,
            "<text class=\"tick\" x=\"{:.1}\" y=\"{}\">{}</text>",
            x(point.x),
            FOOT + 17.0,
            point.x
        );
    }
    let places = |of: fn(&CurvePoint) -> f64| {
        points.iter().map(move |point| format!("{:.1},{:.1}", x(point.x), y(of(point))))
    };
    let curve: Vec<String> = places(|point| point.y).collect();
    let uppers: Vec<String> = places(|point| point.upper).collect();
    let around = curve.iter().chain(uppers.iter().rev()).cloned().collect::<Vec<_>>().join(" ");
    let _ = writeln!(svg, "<polygon class=\"area\" points=\"{around}\"/>");
    let _ = writeln!(svg, "<polyline class=\"curve\" points=\"{}\"/>", curve.join(" "));
    for point in points {
        let _ = writeln!(
            svg,
            "<circle class=\"point\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"4\"/>",
            x(point.x),
            y(point.y)
        );
    }
    svg + "</svg>\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markup::is_balanced;

    /// The axis goes from 54 to 428, and from 190 up to 28.
    #[test]
    fn places_are_on_the_axes() {
        let point = |x, y, upper| CurvePoint { x, y, upper };
        let points = [point(0.5, 0.4, 0.5), point(1.0, 0.2, 0.25), point(2.0, 0.1, 0.1)];
        let axes = ["epsilon".to_owned(), "effect < size".to_owned()];
        let svg = svg("needed", &points, &axes);
        assert!(is_balanced(&svg), "{svg}");
        assert!(
            svg.contains("<polyline class=\"curve\" points=\"54.0,60.4 241.0,125.2 428.0,157.6\""),
            "{svg}"
        );
        assert!(svg.contains(">effect &lt; size</text>") && svg.contains(">0.5</text>"), "{svg}");
        for few in [&points[..0], &points[..1]] {
            assert!(
                is_balanced(&super::svg("", few, &axes))
                    && !super::svg("", few, &axes).contains("NaN")
            );
        }
    }
}
