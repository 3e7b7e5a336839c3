//! Differentially private feature selection.
//!
//! Given a table with one row a person, `dpsis` chooses k features for a target such that the
//! output is epsilon-differentially private (delta = 0) on the real machine: every value is put on
//! an integer grid by a function of its own row, scores are integer sums with a proven sensitivity,
//! every estimate on the way is paid for, and noise is compared exactly.
//!
//! ```no_run
//! let selection = dpsis::Select::new(5, "2".parse()?).run("data.csv")?;
//! print!("{}", dpsis::report::names(&selection));
//! # Ok::<(), dpsis::Error>(())
//! ```
//!
//! | I want to ... | see |
//! | --- | --- |
//! | select features of a CSV file | [`Select`] |
//! | see what was released, spent and assumed | [`Selection`] |
//! | print it as text, TSV or JSON | [`report`] |
//! | know what a run would spend | [`Select::dry_run`] |
//! | look at a table before a release | [`mod@inspect`] |
//! | choose k of anything by integer scores | [`Scores`], [`CanonicalLipschitz`] |
//! | read how the mechanism works and why it is private | [`mechanism::canonical`] |
//! | state a budget exactly | [`Epsilon`] |
//! | run the command line from a program | [`cli`] |

#[cfg(feature = "cli")]
pub mod cli;
mod data;
mod error;
pub mod estimate;
mod exact;
pub mod inspect;
pub mod mechanism;
mod privacy;
mod random;
pub mod report;
pub mod score;
mod select;

#[cfg(feature = "ndarray")]
pub use data::ArrayTable;
pub use data::{Bounds, Orientation, Scaler, Scaling, Source, TargetColumn, TextTable};
pub use error::{Error, ErrorKind, Place, Result};
pub use exact::GRID;
pub use mechanism::CanonicalLipschitz;
pub use privacy::{
    Epsilon, Neighbours, NotPrivate, OperatingSystem, Purpose, Randomness, Seeded, Spending,
};
pub use score::Scores;
pub use select::{
    Center, CheckedSelect, DryRun, Guarantee, MechanismUsed, Noise, NotPrivateSelect, Picked,
    PublicFacts, RandomnessUsed, Record, Released, ScoreKind, ScoreUsed, Select, Selection, Target,
    TargetUsed, Warning,
};

/// The README's code runs.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(test)]
#[path = "../tests/support/mod.rs"]
mod support;
