//! A figure of effect sizes or of other values with their intervals, as SVG. Names are on the left
//! of the axis.
//!
//! With a threshold, the side below it is shaded and only points are drawn, because the points are
//! compared with it: it allows for their noise, which intervals would show a second time. Without a
//! threshold, points have their intervals.

use std::fmt::Write;

use super::markup::escape;
use super::names::{IN_FIGURE, lines_of_name, width_of_text};
use super::page::{Axis, Interval};

/// Sizes in units of the figure: somewhat less than a pixel on a phone, and more on a wide screen.
const WIDTH: f64 = 460.0;
const RIGHT: f64 = 18.0;
const TOP: f64 = 26.0;
const ROW: f64 = 24.0;
const BOTTOM: f64 = 42.0;

/// The space around a name, and the distance of its lines.
const SPACE: f64 = 18.0;
const LINE: f64 = 14.0;

/// Half the width of the label of the threshold, at most.
const HALF_LABEL: f64 = 80.0;

/// The figure as an SVG element of a page, which has its style.
pub(super) fn svg(label: &str, intervals: &[Interval], axis: &Axis) -> String {
    let names: Vec<Vec<String>> =
        intervals.iter().map(|interval| lines_of_name(&interval.name, IN_FIGURE)).collect();
    let widest = names.iter().flatten().map(|line| width_of_text(line)).fold(40.0, f64::max);
    let left = (widest + SPACE).ceil();
    let scale = Scale::new(axis, intervals, left);
    let mut rows = String::new();
    let mut foot = TOP;
    for (interval, names) in intervals.iter().zip(&names) {
        let height = ROW + LINE * (names.len() - 1) as f64;
        row(&mut rows, foot + height / 2.0, interval, names, &scale, axis.threshold().is_none());
        foot += height;
    }
    let mut svg = format!(
        "<svg viewBox=\"0 0 {WIDTH} {}\" role=\"img\" aria-label=\"{}\">\n",
        foot + BOTTOM,
        escape(label)
    );
    if let Some((at, _)) = axis.threshold() {
        let _ = writeln!(
            svg,
            "<rect class=\"band\" x=\"{left}\" y=\"{TOP}\" width=\"{:.1}\" height=\"{}\"/>",
            scale.x_of(*at) - left,
            foot - TOP
        );
    }
    for value in scale.ticks() {
        let (x, y) = (scale.x_of(value), foot + 17.0);
        let _ = writeln!(
            svg,
            "<line class=\"grid\" x1=\"{x:.1}\" y1=\"{TOP}\" x2=\"{x:.1}\" y2=\"{foot}\"/>\
             <text class=\"tick\" x=\"{x:.1}\" y=\"{y}\">{value}</text>"
        );
    }
    let (middle, y) = ((left + WIDTH - RIGHT) / 2.0, foot + 35.0);
    let name = escape(axis.name());
    let _ = writeln!(svg, "<text class=\"tick\" x=\"{middle:.1}\" y=\"{y}\">{name}</text>");
    let vertical = |svg: &mut String, class: &str, x: f64| {
        let _ = writeln!(
            svg,
            "<line class=\"{class}\" x1=\"{x:.1}\" y1=\"{TOP}\" x2=\"{x:.1}\" y2=\"{foot}\"/>"
        );
    };
    match axis {
        Axis::Change { .. } => vertical(&mut svg, "zero", scale.x_of(0.0)),
        Axis::Share { threshold: None, .. } => {}
        Axis::Share { threshold: Some((at, words)), .. } => {
            let x = scale.x_of(*at);
            if *at <= 1.0 {
                vertical(&mut svg, "mark", x);
            }
            let _ = writeln!(
                svg,
                "<text class=\"tick\" x=\"{:.1}\" y=\"{}\">{}</text>",
                x.clamp(HALF_LABEL, WIDTH - HALF_LABEL),
                TOP - 8.0,
                escape(words)
            );
        }
    }
    svg + &rows + "</svg>\n"
}

fn row(
    svg: &mut String,
    y: f64,
    interval: &Interval,
    names: &[String],
    scale: &Scale,
    with_range: bool,
) {
    let class = if interval.is_filled { "point" } else { "hollow point" };
    let _ = write!(svg, "<g><title>{}</title>", escape(&interval.name));
    let first = y + 4.5 - LINE * (names.len() - 1) as f64 / 2.0;
    for (i, name) in names.iter().enumerate() {
        let _ = write!(
            svg,
            "<text class=\"name\" x=\"{}\" y=\"{}\">{}</text>",
            scale.left - 12.0,
            first + LINE * i as f64,
            escape(name)
        );
    }
    if with_range {
        let [low, high] = interval.ends.map(|end| scale.x_of(end));
        let _ = write!(
            svg,
            "<line class=\"range\" x1=\"{low:.1}\" y1=\"{y}\" x2=\"{high:.1}\" y2=\"{y}\"/>"
        );
    }
    let x = scale.x_of(interval.value);
    let _ = writeln!(svg, "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y}\" r=\"5\"/></g>");
}

/// The values at the ends of the axis.
struct Scale {
    /// The position of the axis.
    left: f64,
    low: f64,
    high: f64,
}

impl Scale {
    fn new(axis: &Axis, intervals: &[Interval], left: f64) -> Self {
        match axis {
            Axis::Share { .. } => Self { left, low: 0.0, high: 1.0 },
            Axis::Change { .. } => {
                let values = intervals.iter().flat_map(|one| [one.value, one.ends[0], one.ends[1]]);
                let largest = values
                    .filter(|value| value.is_finite())
                    .fold(0.0, |largest: f64, value| largest.max(value.abs()));
                let limit = round_up(largest);
                Self { left, low: -limit, high: limit }
            }
        }
    }

    fn ticks(&self) -> Vec<f64> {
        if self.low == 0.0 {
            (0..=5).map(|fifths| f64::from(fifths) / 5.0).collect()
        } else {
            [-1.0, -0.5, 0.0, 0.5, 1.0].map(|part| part * self.high).to_vec()
        }
    }

    /// The position of a value on the axis; values outside of it are placed at its ends, and NaN at
    /// its start.
    fn x_of(&self, value: f64) -> f64 {
        let value = if value.is_nan() { self.low } else { value.clamp(self.low, self.high) };
        let length = WIDTH - RIGHT - self.left;
        self.left + length * (value - self.low) / (self.high - self.low)
    }
}

/// The next number that is 1, 2 or 5 times a power of ten; 1 for 0.
fn round_up(value: f64) -> f64 {
    if !(value > 1e-100) {
        return 1.0;
    }
    let exponent = value.log10().floor() as i32;
    let rounded =
        |digits: i32, exponent: i32| format!("{digits}e{exponent}").parse().unwrap_or(value);
    let candidates = [1, 2, 5].map(|digits| rounded(digits, exponent));
    candidates.into_iter().find(|one| *one >= value).unwrap_or_else(|| rounded(1, exponent + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markup::is_balanced;

    fn shares(threshold: Option<(f64, &str)>) -> Axis {
        Axis::Share {
            name: "effect size".to_owned(),
            threshold: threshold.map(|(at, words)| (at, words.to_owned())),
        }
    }

    /// The axis goes from 58 to 442.
    #[test]
    fn places_are_on_the_axis() {
        let one = Interval::new("a<b", 0.5, [0.25, 0.75]);
        let svg = svg("effect sizes", &[one], &shares(None));
        assert!(is_balanced(&svg), "{svg}");
        assert!(svg.contains("<line class=\"range\" x1=\"154.0\" y1=\"38\" x2=\"346.0\""), "{svg}");
        assert!(svg.contains("cx=\"250.0\""), "{svg}");
        assert!(!svg.contains("class=\"mark\"") && !svg.contains("class=\"band\""), "{svg}");
        assert!(svg.contains(">a&lt;b</text>"), "{svg}");
        assert!(svg.contains("role=\"img\" aria-label=\"effect sizes\""), "{svg}");
    }

    /// An interval that crossed the threshold would contradict the significance of its point.
    #[test]
    fn intervals_are_not_drawn_with_a_threshold() {
        let one = Interval::new("a", 0.3, [0.2, 0.4]);
        let svg = svg("", &[one], &shares(Some((0.25, "significant from 0.25 on"))));
        assert!(!svg.contains("class=\"range\""), "{svg}");
        assert!(svg.contains("<rect class=\"band\" x=\"58\" y=\"26\" width=\"96.0\""), "{svg}");
        assert!(svg.contains("<line class=\"mark\" x1=\"154.0\""), "{svg}");
        assert!(svg.contains(">significant from 0.25 on</text>"), "{svg}");
    }

    #[test]
    fn values_beyond_the_axis_are_drawn_at_its_ends() {
        let wide = || vec![Interval::new("a", f64::NAN, [f64::NEG_INFINITY, 2.0]).filled(false)];
        let free = svg("", &wide(), &shares(None));
        assert!(free.contains("x1=\"58.0\" y1=\"38\" x2=\"442.0\""), "{free}");
        assert!(free.contains("class=\"hollow point\" cx=\"58.0\""), "{free}");
        let none = svg("", &wide(), &shares(Some((1.2, "nothing can be significant"))));
        assert!(!none.contains("class=\"mark\"") && none.contains("width=\"384.0\""), "{none}");
        assert!(none.contains(">nothing can be significant</text>"), "{none}");
    }

    /// The middle of the axis, 250, is 0, and its ends are a round number.
    #[test]
    fn changes_are_drawn_on_both_sides_of_zero() {
        let both = [Interval::new("a", 1.5, [1.0, 1.7]), Interval::new("b", -1.0, [-2.0, 0.5])];
        let svg = svg("", &both, &Axis::Change { name: "a<b".to_owned() });
        assert!(is_balanced(&svg) && svg.contains(">a&lt;b</text>"), "{svg}");
        assert!(svg.contains("<line class=\"zero\" x1=\"250.0\""), "{svg}");
        assert!(svg.contains(">-2</text>") && svg.contains(">2</text>"), "{svg}");
        assert!(svg.contains("cx=\"394.0\"") && svg.contains("cx=\"154.0\""), "{svg}");
        for (value, rounded) in
            [(0.0, 1.0), (f64::NAN, 1.0), (0.03, 0.05), (7.1, 10.0), (20.0, 20.0)]
        {
            assert_eq!(round_up(value), rounded);
        }
    }
}
