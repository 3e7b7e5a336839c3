//! Colors, dashes and markers that are distinguishable for the color-blind and in gray, on a light
//! and on a dark background.

/// A color for a role. The SVG contains the color for a light background; a style sheet replaces it
/// by name on a dark one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tone {
    pub(super) name: &'static str,
    pub(super) light: &'static str,
    pub(super) dark: &'static str,
}

const fn tone(name: &'static str, light: &'static str, dark: &'static str) -> Tone {
    Tone { name, light, dark }
}

/// Titles and axes.
pub(super) const INK: Tone = tone("ink", "#1f2328", "#e6edf3");
/// Tick labels.
pub(super) const MUTED: Tone = tone("muted", "#57606a", "#9aa4af");
/// Grid lines.
pub(super) const GRID_LINE: Tone = tone("grid", "#dde2e7", "#343b44");
/// The background, for the inside of hollow markers.
pub(super) const PAPER: Tone = tone("paper", "#ffffff", "#0d1117");

/// The colors of Okabe and Ito (with a darker yellow on white), a gray and a brown; dark colors are
/// lightened on a dark background.
pub(super) const SERIES: [Tone; 10] = [
    tone("c0", "#0072b2", "#4aa3e0"),
    tone("c1", "#d55e00", "#f0813a"),
    tone("c2", "#009e73", "#2cc295"),
    tone("c3", "#b4568f", "#e39ac6"),
    tone("c4", "#e69f00", "#f2b632"),
    tone("c5", "#56b4e9", "#9bd7fb"),
    tone("c6", "#1f2328", "#e6edf3"),
    tone("c7", "#9c8500", "#f0e442"),
    tone("c8", "#7d8590", "#9aa4af"),
    tone("c9", "#7a4a21", "#c9965f"),
];

/// All tones, for the style sheet.
pub(super) fn tones() -> impl Iterator<Item = Tone> {
    [INK, MUTED, GRID_LINE, PAPER].into_iter().chain(SERIES)
}

/// The color of a curve or series; colors repeat after ten.
pub(super) fn series(index: usize) -> Tone {
    SERIES[index % SERIES.len()]
}

/// The dashes of a curve; the first curve is solid.
pub(super) fn dash(index: usize) -> &'static str {
    const DASHES: [&str; 7] = ["", "8 3", "2 3", "9 3 2 3", "14 4", "5 2 1.5 2 1.5 2", "4 4"];
    DASHES[index % DASHES.len()]
}

/// The dashes of a reference line: finer than the dashes of curves.
pub(super) fn reference_dash(index: usize) -> &'static str {
    const DASHES: [&str; 3] = ["5 4", "1.5 3", "9 3 1.5 3"];
    DASHES[index % DASHES.len()]
}

/// The outline of a curve's marker at a point, as SVG path data, and whether it is filled.
pub(super) fn marker(index: usize, x: f64, y: f64) -> (String, bool) {
    let polygon = |corners: &[(f64, f64)]| {
        let corner = |&(dx, dy): &(f64, f64)| format!("{:.1},{:.1}", x + dx, y + dy);
        format!("M{}Z", corners.iter().map(corner).collect::<Vec<_>>().join("L"))
    };
    let circle = || format!("M{:.1},{y:.1}a3.6,3.6 0 1,0 7.2,0a3.6,3.6 0 1,0 -7.2,0Z", x - 3.6);
    let shape = match index % 5 {
        0 => circle(),
        1 => polygon(&[(-3.3, -3.3), (3.3, -3.3), (3.3, 3.3), (-3.3, 3.3)]),
        2 => polygon(&[(0.0, -4.4), (4.2, 3.2), (-4.2, 3.2)]),
        3 => polygon(&[(0.0, -4.8), (4.2, 0.0), (0.0, 4.8), (-4.2, 0.0)]),
        _ => polygon(&[(0.0, 4.4), (4.2, -3.2), (-4.2, -3.2)]),
    };
    (shape, index % 10 < 5)
}

/// Red, green and blue from 0 to 255.
pub(super) type Rgb = [f64; 3];

/// The color of a value from -1 to 1: blue above zero, white at zero, orange below.
pub(super) fn diverging(value: f64) -> Rgb {
    const BELOW: [Rgb; 4] =
        [[250.0; 3], [253.0, 205.0, 140.0], [226.0, 133.0, 30.0], [166.0, 72.0, 2.0]];
    const ABOVE: [Rgb; 4] =
        [[250.0; 3], [168.0, 207.0, 232.0], [70.0, 147.0, 197.0], [24.0, 84.0, 150.0]];
    ramp(if value < 0.0 { &BELOW } else { &ABOVE }, value.abs())
}

/// The color of a value from 0 to 1: from nearly white to dark blue, with decreasing lightness.
pub(super) fn sequential(value: f64) -> Rgb {
    const STOPS: [Rgb; 5] = [
        [250.0, 250.0, 247.0],
        [190.0, 223.0, 205.0],
        [96.0, 178.0, 194.0],
        [37.0, 110.0, 168.0],
        [14.0, 42.0, 96.0],
    ];
    ramp(&STOPS, value)
}

fn ramp(stops: &[Rgb], value: f64) -> Rgb {
    let last = stops.len() - 1;
    let position = value.clamp(0.0, 1.0) * last as f64;
    let index = (position as usize).min(last - 1);
    let part = position - index as f64;
    std::array::from_fn(|i| stops[index][i] + part * (stops[index + 1][i] - stops[index][i]))
}

/// Formats a color as `#rrggbb`.
pub(super) fn hex([red, green, blue]: Rgb) -> String {
    format!("#{:02x}{:02x}{:02x}", red as u8, green as u8, blue as u8)
}

/// Returns black or white, whichever has more contrast with the color.
pub(super) fn contrast(color: Rgb) -> &'static str {
    let ink = luminance([0.0; 3]);
    let ground = luminance(color);
    if (ground + 0.05) / (ink + 0.05) >= 1.05 / (ground + 0.05) { "#000000" } else { "#ffffff" }
}

/// The relative luminance as defined by the Web Content Accessibility Guidelines.
fn luminance(color: Rgb) -> f64 {
    let [red, green, blue] = color.map(|channel| {
        let c = channel / 255.0;
        if c <= 0.040_45 { c / 12.92 } else { libm::pow((c + 0.055) / 1.055, 2.4) }
    });
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 4.5 is the minimum contrast of small text in the guidelines.
    #[test]
    fn text_can_be_read_on_every_cell() {
        for step in 0..=100 {
            let value = f64::from(step) / 100.0;
            for color in [diverging(value), diverging(-value), sequential(value)] {
                let text = if contrast(color) == "#000000" { 0.0 } else { 1.0 };
                let ground = luminance(color);
                let (high, low) = if text > ground { (text, ground) } else { (ground, text) };
                assert!((high + 0.05) / (low + 0.05) > 4.5, "{value}: {color:?}");
            }
        }
    }

    /// Larger values are darker in gray.
    #[test]
    fn lightness_falls() {
        let scales: [fn(f64) -> Rgb; 3] = [sequential, diverging, |value| diverging(-value)];
        for scale in scales {
            let of = |step: u32| luminance(scale(f64::from(step) / 50.0));
            assert!((0..50).all(|step| of(step) > of(step + 1)));
        }
    }

    #[test]
    fn ten_curves_differ_in_color_and_in_shape_or_dash() {
        for i in 0..10 {
            for j in 0..i {
                assert_ne!(series(i).light, series(j).light);
                assert_ne!(marker(i, 0.0, 0.0), marker(j, 0.0, 0.0));
            }
        }
    }
}
