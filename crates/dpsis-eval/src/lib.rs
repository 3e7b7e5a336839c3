//! Evaluation of [`dpsis`]: public data sets, comparisons of selection methods, pages of power
//! analyses.
//!
//! Nothing here is private: the tables are public or synthetic, the draws are seeded, and every
//! output is marked as not private.
//!
//! | I want to ... | see |
//! | --- | --- |
//! | import a public data set, make bounds from a public table | [`datasets`] |
//! | prepare a public table for the plain models | [`Preparation`], [`Prepared`] |
//! | make a synthetic table whose true features are known | [`design`] |
//! | make a table of a kind that people have, with planted true features | [`planted`] |
//! | compare methods over budgets on public tables | [`compare()`], [`Sweep`], [`Arm`], [`Study`] |
//! | write a power analysis as a page with a figure | [`run_job`], [`write_plan`] |
//! | draw curves, heat maps and bars as SVG | [`figure`] |
//!
//! A comparison of two methods on a public table, at epsilon 1 and 5:
//!
//! ```no_run
//! use dpsis::{FileTable, Target};
//! use dpsis_eval::datasets::PublicTable;
//! use dpsis_eval::{
//!     Arm, ArmScale, Count, LazyStudy, OutputFolder, Settled, Study, Sweep, compare, summary,
//! };
//!
//! let table = PublicTable::read(&FileTable::new("public.csv"))?;
//! let settled = Settled::of(table, Target::Numeric)?;
//! let sweep = Sweep {
//!     arms: vec![Arm::parse("dp-sis", ArmScale::RowRank)?, Arm::parse("sis", ArmScale::RowRank)?],
//!     counts: vec![Count::Number(5)],
//!     epsilons: vec!["1".parse()?, "5".parse()?],
//!     trials: 100,
//!     seed: 1,
//!     threads: 2,
//! };
//! let table = LazyStudy {
//!     name: "public".to_owned(),
//!     data: settled.fingerprint(0.1),
//!     read: Box::new(move || Study::new("public", settled.clone(), 0.1, 1)),
//! };
//! let output = OutputFolder::open("results".as_ref(), "compare")?;
//! let cells = compare(&sweep, &[table], &output, &|_| Ok(()))?;
//! let text = summary(&cells, output.path());
//! # Ok::<(), dpsis::Error>(())
//! ```

mod arm;
mod cells_file;
mod charts;
mod compare;
pub mod datasets;
mod dense;
pub mod design;
mod downstream;
pub mod figure;
mod metrics;
mod output;
mod plan;
pub mod planted;
mod preparation;
mod results_file;
mod seed;
mod study;
mod sweep;

pub use arm::{Arm, ArmMethod, ArmScale};
pub use compare::{LazyStudy, compare, summary};
pub use metrics::Estimate;
pub use output::OutputFolder;
pub use plan::{run_job, write_plan};
pub use preparation::{Preparation, Prepared};
pub use study::{Settled, Study, labels_of};
pub use sweep::{Balanced, CellKey, ComparisonCell, ComparisonCells, Count, Sweep};

/// Parts that the papers' experiments share with comparisons. Not a stable interface.
#[doc(hidden)]
pub mod internals {
    pub use crate::cells_file::CellsFile;
    pub use crate::charts::{Measure, along, along_epsilon, area_of, curve_chart, number, short};
    pub use crate::compare::{run_cells, what_is_measured};
    pub use crate::dense::{LinearModel, positive_definite};
    pub use crate::downstream::{FOLDS, classified, standardized};
    pub use crate::metrics::{f1, typical_range};
    pub use crate::preparation::codes;
    pub use crate::results_file::ResultsFile;
    pub use crate::seed::seed_of;
    pub use crate::study::{PENALTY, ReadyArm};
}

#[cfg(test)]
#[path = "../../../tests/support/mod.rs"]
mod support;
