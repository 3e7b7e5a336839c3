//! Evaluation of [`dpsis`]: public data sets, comparisons of selection methods, the papers' experiments.
//!
//! Nothing here is private: the tables are public or synthetic, the draws are seeded, and every
//! output is marked as not private.
//!
//! | I want to ... | see |
//! | --- | --- |
//! | import a public data set, make bounds from a public table | [`datasets`] |
//! | prepare a public table for the plain models | [`Preparation`], [`Prepared`] |
//! | make a synthetic table whose true features are known | [`design`] |
//! | compare methods over budgets on public tables | [`compare()`], [`Sweep`], [`Arm`] |
//! | run a paper's experiment | [`experiments`] |
//! | draw curves, heat maps and bars as SVG | [`figure`] |

mod arm;
mod cells_file;
mod charts;
mod compare;
pub mod datasets;
mod dense;
pub mod design;
mod downstream;
pub mod experiments;
pub mod figure;
mod metrics;
mod output;
mod preparation;
mod seed;
mod study;
mod sweep;

pub use arm::{Arm, ArmMethod, ArmScale};
pub use compare::{LazyStudy, compare, summary};
pub use metrics::Estimate;
pub use output::OutputFolder;
pub use preparation::{Preparation, Prepared};
pub use study::{Settled, Study, labels_of};
pub use sweep::{CellKey, ComparisonCell, ComparisonCells, Count, Sweep};

#[cfg(test)]
#[path = "../../../tests/support/mod.rs"]
mod support;
