//! Figures as SVG: plain data in, text out.
//!
//! The drawings scale, need no fonts and no network, follow the reader's choice of a light or dark
//! ground, and can be told apart by the color-blind and in gray. They carry no ids, so that they can
//! stand side by side in one page; a pointer on a mark shows its numbers. What is beside a figure as
//! data is the same structure, serialized.

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
