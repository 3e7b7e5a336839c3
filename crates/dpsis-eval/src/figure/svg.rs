//! The SVG elements that figures consist of.
//!
//! Colors are attributes, for programs without style sheets; a style sheet in the drawing replaces
//! them by class in dark mode. There are no ids, so that several drawings can stand in one page.

use std::fmt::Write;

use dpsis::internals::escape;

use crate::figure::palette::{Tone, tones};

/// The reader's sans serif font: nothing is embedded or fetched.
const FONTS: &str =
    "system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue','DejaVu Sans',Arial,sans-serif";

/// The fill and the stroke of a shape.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Paint<'a> {
    pub(super) fill: Option<Tone>,
    pub(super) stroke: Option<Tone>,
    pub(super) width: f64,
    pub(super) dash: &'a str,
    /// The opacity of the fill; 0 stands for opaque.
    pub(super) opacity: f64,
}

impl Paint<'_> {
    pub(super) fn filled(tone: Tone) -> Self {
        Self { fill: Some(tone), ..Self::default() }
    }

    pub(super) fn line(tone: Tone, width: f64) -> Self {
        Self { stroke: Some(tone), width, ..Self::default() }
    }

    fn attributes(&self) -> String {
        let mut classes = Vec::new();
        let mut text = String::new();
        match self.fill {
            Some(tone) => {
                classes.push(format!("f-{}", tone.name));
                let _ = write!(text, " fill=\"{}\"", tone.light);
                if self.opacity > 0.0 {
                    let _ = write!(text, " fill-opacity=\"{}\"", self.opacity);
                }
            }
            None => text.push_str(" fill=\"none\""),
        }
        if let Some(tone) = self.stroke {
            classes.push(format!("s-{}", tone.name));
            let _ = write!(text, " stroke=\"{}\" stroke-width=\"{}\"", tone.light, self.width);
            if !self.dash.is_empty() {
                let _ = write!(text, " stroke-dasharray=\"{}\"", self.dash);
            }
        }
        format!(" class=\"{}\"{text}", classes.join(" "))
    }
}

/// The alignment of a text relative to its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// The style of a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct TextStyle {
    pub(super) size: f64,
    pub(super) tone: Tone,
    pub(super) anchor: Anchor,
    pub(super) bold: bool,
    /// The rotation in degrees, clockwise.
    pub(super) turn: f64,
}

impl TextStyle {
    pub(super) fn new(size: f64, tone: Tone, anchor: Anchor) -> Self {
        Self { size, tone, anchor, bold: false, turn: 0.0 }
    }
}

/// A drawing under construction.
pub(super) struct Drawing {
    body: String,
}

impl Drawing {
    pub(super) fn new() -> Self {
        Self { body: String::new() }
    }

    /// Draws a path; `tip` is its tooltip, or empty for none.
    pub(super) fn path(&mut self, data: &str, paint: Paint<'_>, tip: &str) {
        let _ = write!(self.body, "<path d=\"{data}\"{}", paint.attributes());
        self.close("path", tip);
    }

    pub(super) fn line(&mut self, from: (f64, f64), to: (f64, f64), paint: Paint<'_>) {
        let data = format!("M{:.1},{:.1}L{:.1},{:.1}", from.0, from.1, to.0, to.1);
        self.path(&data, paint, "");
    }

    pub(super) fn rect(
        &mut self,
        (x, y): (f64, f64),
        size: (f64, f64),
        paint: Paint<'_>,
        tip: &str,
    ) {
        let (width, height) = size;
        let _ = write!(
            self.body,
            "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" height=\"{height:.2}\"{}",
            paint.attributes()
        );
        self.close("rect", tip);
    }

    /// Draws a cell in one color, which does not change in dark mode.
    pub(super) fn cell(&mut self, (x, y): (f64, f64), size: (f64, f64), color: &str, tip: &str) {
        let (width, height) = size;
        let _ = write!(
            self.body,
            "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" height=\"{height:.2}\" \
             fill=\"{color}\" shape-rendering=\"crispEdges\""
        );
        self.close("rect", tip);
    }

    /// Draws a text in a cell; pointer events reach the cell below.
    pub(super) fn cell_text(&mut self, (x, y): (f64, f64), size: f64, color: &str, text: &str) {
        let _ = write!(
            self.body,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" text-anchor=\"middle\" \
             fill=\"{color}\" pointer-events=\"none\">{}</text>",
            escape(text)
        );
    }

    /// Draws a dot in a cell.
    pub(super) fn dot(&mut self, (x, y): (f64, f64), radius: f64, color: &str) {
        let _ = write!(
            self.body,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" fill=\"{color}\" \
             pointer-events=\"none\"/>"
        );
    }

    pub(super) fn text(&mut self, (x, y): (f64, f64), style: TextStyle, text: &str) {
        let TextStyle { size, tone, anchor, bold, turn } = style;
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let _ = write!(
            self.body,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\"{anchor} class=\"f-{}\" fill=\"{}\"",
            tone.name, tone.light
        );
        if bold {
            self.body.push_str(" font-weight=\"600\"");
        }
        if turn != 0.0 {
            let _ = write!(self.body, " transform=\"rotate({turn} {x:.1} {y:.1})\"");
        }
        let _ = write!(self.body, ">{}</text>", escape(text));
    }

    /// Clips the drawing by `draw` to a rectangle.
    pub(super) fn clipped(
        &mut self,
        (x, y): (f64, f64),
        (width, height): (f64, f64),
        draw: impl FnOnce(&mut Self),
    ) {
        let _ = write!(
            self.body,
            "<svg x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" \
             viewBox=\"{x:.1} {y:.1} {width:.1} {height:.1}\" overflow=\"hidden\">"
        );
        draw(self);
        self.body.push_str("</svg>");
    }

    fn close(&mut self, name: &str, tip: &str) {
        if tip.is_empty() {
            self.body.push_str("/>");
        } else {
            let _ = write!(self.body, "><title>{}</title></{name}>", escape(tip));
        }
    }

    /// Completes the document; screen readers read the title and the description.
    pub(super) fn finish(self, (width, height): (f64, f64), title: &str, about: &str) -> String {
        let title = escape(if title.is_empty() { "Figure" } else { title });
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"dpsis-figure\" role=\"img\" \
             viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" \
             font-family=\"{FONTS}\"><title>{title}</title><desc>{}</desc><style>{}</style>{}</svg>\n",
            escape(about),
            style_sheet(),
            self.body
        )
    }
}

/// The style sheet that replaces the colors in dark mode, on screens only.
fn style_sheet() -> String {
    let mut css = String::from("@media screen and (prefers-color-scheme:dark){");
    for Tone { name, dark, .. } in tones() {
        let _ = write!(
            css,
            ".dpsis-figure .f-{name}{{fill:{dark}}}.dpsis-figure .s-{name}{{stroke:{dark}}}"
        );
    }
    css + "}"
}
