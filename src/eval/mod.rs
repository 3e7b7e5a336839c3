//! Comparisons of methods on public data, and the papers' experiments. Nothing here is private.

mod arm;
mod cells_file;
mod charts;
mod compare;
mod dense;
pub(crate) mod design;
mod downstream;
pub(crate) mod experiments;
mod metrics;
mod output;
mod preparation;
mod seed;
mod study;
mod sweep;

pub use dense::LinearModel;
pub use preparation::{Preparation, Prepared};

pub(crate) use arm::{Arm, ArmScale};
pub(crate) use compare::{LazyStudy, compare, summary};
pub(crate) use experiments::{Experiment, reproduce};
pub(crate) use output::OutputFolder;
pub(crate) use study::{Settled, Study, labels_of};
pub(crate) use sweep::{Count, Sweep};
