//! Axes: positions of numbers, ticks, and formatting of numbers.

use crate::figure::words::width_of;

/// A linear or logarithmic axis with its ticks.
#[derive(Debug, Clone)]
pub(super) struct PlotAxis {
    low: f64,
    high: f64,
    log: bool,
    pub(super) ticks: Vec<Tick>,
}

/// A number on an axis.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tick {
    pub(super) value: f64,
    pub(super) label: String,
}

/// The largest magnitude drawn: differences of larger numbers could overflow.
const HUGE: f64 = 1e150;

/// Returns the smallest and the largest finite value; `None` without finite values.
pub(super) fn extent(values: impl IntoIterator<Item = f64>) -> Option<(f64, f64)> {
    values.into_iter().filter(|value| value.is_finite()).fold(None, |extent, value| {
        let (low, high) = extent.unwrap_or((value, value));
        Some((low.min(value), high.max(value)))
    })
}

impl PlotAxis {
    /// A linear axis from `low` to `high`.
    pub(super) fn exact(low: f64, high: f64) -> Self {
        let (low, high) = apart(low, high);
        Self { low, high, log: false, ticks: linear_ticks(low, high) }
    }

    /// A linear axis around the values that begins and ends at a tick.
    pub(super) fn around(low: f64, high: f64) -> Self {
        let (low, high) = apart(low, high);
        // Zero is included where it takes little room.
        let low = if low > 0.0 && low < 0.4 * high { 0.0 } else { low };
        let high = if high < 0.0 && high > 0.4 * low { 0.0 } else { high };
        let step = step(high - low);
        let (low, high) = ((low / step).floor() * step, (high / step).ceil() * step);
        Self { low, high, log: false, ticks: linear_ticks(low, high) }
    }

    /// A logarithmic axis for positive values; `length` is its length in the units of the drawing.
    pub(super) fn logarithmic(low: f64, high: f64, length: f64) -> Self {
        let (low, high) = (low.clamp(1.0 / HUGE, HUGE), high.clamp(1.0 / HUGE, HUGE));
        let (low, high) = if low < high { (low, high) } else { (low / 2.0, low * 2.0) };
        let mut axis = Self { low, high, log: true, ticks: Vec::new() };
        for multiples in [&["1", "2", "5"][..], &["1", "3"], &["1"]] {
            axis.ticks = axis.log_ticks(multiples);
            if axis.labels_fit(length) {
                break;
            }
        }
        // If even powers of ten alone are too many, some are skipped.
        let every = axis.ticks.len().div_ceil(8);
        axis.ticks = axis.ticks.into_iter().step_by(every.max(1)).collect();
        if axis.ticks.len() < 2 {
            axis.ticks = linear_ticks(low, high);
        }
        axis
    }

    fn log_ticks(&self, multiples: &[&str]) -> Vec<Tick> {
        let exponents = self.low.log10().floor() as i32..=self.high.log10().ceil() as i32;
        let numbers = exponents.flat_map(|e| multiples.iter().map(move |m| format!("{m}e{e}")));
        // Parsing decimal text rounds only once: 0.3 and not 0.30000000000000004.
        let values = numbers.filter_map(|number| number.parse::<f64>().ok());
        let slack = 1.0 + 1e-9;
        let inside = |value: &f64| self.low <= *value * slack && *value <= self.high * slack;
        values.filter(inside).map(|value| Tick { value, label: shortest(value) }).collect()
    }

    fn labels_fit(&self, length: f64) -> bool {
        self.ticks.windows(2).all(|pair| {
            let gap = (self.place(pair[1].value) - self.place(pair[0].value)) * length;
            gap > (width_of(&pair[0].label, 12.0) + width_of(&pair[1].label, 12.0)) / 2.0 + 6.0
        })
    }

    /// Returns the position of a value: 0 at the low end, 1 at the high end, clamped for values far
    /// outside.
    pub(super) fn place(&self, value: f64) -> f64 {
        let place = if self.log {
            (value / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value.clamp(-HUGE, HUGE) - self.low) / (self.high - self.low)
        };
        place.clamp(-50.0, 50.0)
    }

    /// Whether a value lies on the axis.
    pub(super) fn holds(&self, value: f64) -> bool {
        (-1e-9..=1.0 + 1e-9).contains(&self.place(value))
    }
}

/// Widens bounds that are equal or almost equal.
fn apart(low: f64, high: f64) -> (f64, f64) {
    let (low, high) = (low.clamp(-HUGE, HUGE), high.clamp(-HUGE, HUGE));
    let least = 1e-9 * low.abs().max(high.abs());
    if high - low > least {
        return (low, high);
    }
    let room = if low == 0.0 { 1.0 } else { low.abs() / 2.0 };
    (low - room, high + room)
}

/// The step between ticks: 1, 2 or 5 times a power of ten, about a sixth of the range.
fn step(range: f64) -> f64 {
    let power = libm::pow(10.0, (range / 6.0).log10().floor());
    let multiple = range / 6.0 / power;
    power
        * if multiple <= 1.0 {
            1.0
        } else if multiple <= 2.0 {
            2.0
        } else if multiple <= 5.0 {
            5.0
        } else {
            10.0
        }
}

fn linear_ticks(low: f64, high: f64) -> Vec<Tick> {
    let step = step(high - low);
    let (first, last) = ((low / step - 1e-6).ceil(), (high / step + 1e-6).floor());
    let count = (last - first).clamp(0.0, 20.0) as usize;
    let tick = |i: usize| {
        let value = (first + i as f64) * step;
        Tick { value, label: with_step(value, step) }
    };
    (0..=count).map(tick).collect()
}

/// Formats a multiple of a step with the decimals that the step needs.
fn with_step(value: f64, step: f64) -> String {
    if !(1e-6..1e7).contains(&step) || value.abs() >= 1e7 {
        return minus(format!("{value:.3e}").replace(".000e", "e"));
    }
    let decimals = (-(step.log10() + 1e-9).floor()).max(0.0) as usize;
    fixed(value, decimals)
}

/// Formats a number with the fewest digits that distinguish it.
pub(super) fn shortest(value: f64) -> String {
    let plain = value == 0.0 || (1e-4..1e6).contains(&value.abs());
    minus(if plain { format!("{value}") } else { format!("{value:e}") })
}

/// Formats a number with a fixed number of decimals and a proper minus sign; zero has no sign.
pub(super) fn fixed(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    let is_zero = text.chars().all(|c| matches!(c, '-' | '0' | '.'));
    minus(if is_zero { text.trim_start_matches('-').to_owned() } else { text })
}

/// Formats a number for a tooltip with four significant digits.
pub(super) fn tip(value: f64) -> String {
    if !value.is_finite() {
        return "no value".to_owned();
    }
    let rounded: f64 = format!("{value:.3e}").parse().unwrap_or(value);
    shortest(rounded)
}

fn minus(text: String) -> String {
    match text.strip_prefix('-') {
        Some(digits) => format!("\u{2212}{digits}"),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &PlotAxis) -> Vec<&str> {
        axis.ticks.iter().map(|tick| tick.label.as_str()).collect()
    }

    #[test]
    fn logarithmic_ticks_are_plain_numbers() {
        let axis = PlotAxis::logarithmic(0.1, 20.0, 450.0);
        assert_eq!(labels(&axis), ["0.1", "0.2", "0.5", "1", "2", "5", "10", "20"]);
        let wide = PlotAxis::logarithmic(1e-3, 1e6, 450.0);
        assert!(wide.ticks.len() <= 10, "{:?}", labels(&wide));
        let narrow = PlotAxis::logarithmic(3.0, 4.0, 450.0);
        assert!(narrow.ticks.len() >= 3, "{:?}", labels(&narrow));
        assert!((narrow.place(3.5) - 0.5358).abs() < 1e-3);
    }

    #[test]
    fn linear_ticks_are_round() {
        assert_eq!(labels(&PlotAxis::exact(0.0, 1.0)), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        let axis = PlotAxis::around(-0.07, 0.13);
        assert_eq!(labels(&axis), ["−0.10", "−0.05", "0.00", "0.05", "0.10", "0.15"]);
        assert_eq!(labels(&PlotAxis::around(3.0, 97.0)).first(), Some(&"0"));
    }

    #[test]
    fn strange_ranges_have_axes() {
        for (low, high) in [
            (0.0, 0.0),
            (5.0, 5.0),
            (-1e308, 1e308),
            (1e15, 1e15 + 1.0),
            (1e-300, 2e-300),
            (-5.0, -5.0),
            (f64::MIN_POSITIVE, f64::MAX),
        ] {
            for axis in [
                PlotAxis::exact(low, high),
                PlotAxis::around(low, high),
                PlotAxis::logarithmic(low.abs(), high.abs(), 400.0),
            ] {
                assert!(axis.ticks.len() < 30);
                for value in [low, high, 0.5, f64::MAX, -1.0] {
                    let place = axis.place(value);
                    assert!(place.is_finite() || axis.log, "{low} {high} {value}");
                }
            }
        }
    }

    #[test]
    fn numbers_read_well() {
        assert_eq!(fixed(-0.001, 2), "0.00");
        assert_eq!(fixed(-0.126, 2), "−0.13");
        assert_eq!(tip(0.123_456), "0.1235");
        assert_eq!(tip(f64::NAN), "no value");
        assert_eq!(shortest(1e9), "1e9");
    }
}
