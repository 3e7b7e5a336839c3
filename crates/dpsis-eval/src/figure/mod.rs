//! Figures as SVG: plain data in, text out.
//!
//! The drawings scale, need no fonts and no network, adapt to the reader's light or dark color
//! scheme, and remain readable for the color-blind and in gray. They contain no ids, so that
//! several can be placed in one page; a tooltip on each mark shows its numbers. The data file of a
//! figure is the same structure, serialized.

mod axis;
mod bar;
mod curve;
mod heat;
mod palette;
mod plot;
mod svg;
mod words;

pub use bar::BarChart;
pub use curve::{Curve, CurveChart, CurvePoint};
pub use heat::HeatMap;
pub use plot::Reference;
pub(crate) use plot::nothing_to_draw;
